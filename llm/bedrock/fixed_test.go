package bedrock_test

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// fixed are credentials that do not change; empty ones cannot be had.
type fixed [3]string

// Retrieve implements aws.CredentialsProvider.
func (f fixed) Retrieve(context.Context) (aws.Credentials, error) {
	if f[0] == "" {
		return aws.Credentials{}, errors.New("nobody knows them")
	}
	return aws.Credentials{AccessKeyID: f[0], SecretAccessKey: f[1], SessionToken: f[2]}, nil
}
