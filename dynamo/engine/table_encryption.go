package engine

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// What a table says of its encryption is kept and answered. The encryption
// itself is the store's, with one key for all: see Options.Keys.

func checkEncryption(s *types.SSESpecification) error {
	if s == nil {
		return nil
	}
	off := s.Enabled != nil && !*s.Enabled
	switch {
	case off && s.SSEType != "":
		return invalidParameter("SSEType can not be specified if Enabled is false")
	case off && s.KMSMasterKeyId != nil:
		return invalidParameter("KMSMasterKeyId can not be specified if Enabled is false")
	case s.SSEType == types.SSETypeAes256:
		return invalidParameter("SSEType AES256 is not supported")
	case s.KMSMasterKeyId != nil && s.SSEType != types.SSETypeKms:
		return invalidParameter("SSEType KMS is required if KMSMasterKeyId is specified")
	}
	return nil
}

// encrypts reports whether the specification asks for a key other than the
// service's own.
func encrypts(s *types.SSESpecification) bool {
	return s != nil && (aws.ToBool(s.Enabled) || s.Enabled == nil && s.SSEType == types.SSETypeKms)
}

// encryption describes the specification; nil, as in DynamoDB, for the
// service's own key.
func (e *Engine) encryption(s *types.SSESpecification) *types.SSEDescription {
	if !encrypts(s) {
		return nil
	}
	key := "alias/aws/dynamodb"
	if s.KMSMasterKeyId != nil {
		key = *s.KMSMasterKeyId
	}
	return &types.SSEDescription{Status: types.SSEStatusEnabled, SSEType: types.SSETypeKms, KMSMasterKeyArn: aws.String(e.keyARN(key))}
}
