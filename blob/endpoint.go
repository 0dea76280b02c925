package blob

import (
	"context"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	smithyauth "github.com/aws/smithy-go/auth"
	smithyendpoints "github.com/aws/smithy-go/endpoints"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// endpoints tells the SDK where a bucket is. The SDK's own rules know all of
// AWS and are asked twice for each request, a twentieth of a put; here there is
// one place, with the bucket in the path. What is asked for otherwise goes by the
// rules.
type endpoints struct{ rules s3.EndpointResolverV2 }

func (e endpoints) ResolveEndpoint(ctx context.Context, p s3.EndpointParameters) (smithyendpoints.Endpoint, error) {
	bucket := aws.ToString(p.Bucket)
	base, err := url.Parse(aws.ToString(p.Endpoint))
	special := aws.ToBool(p.UseFIPS) || aws.ToBool(p.UseDualStack) || aws.ToBool(p.Accelerate) || !aws.ToBool(p.ForcePathStyle)
	if err != nil || base.Host == "" || strings.Trim(base.Path, "/") != "" || base.RawQuery != "" || special || p.Region == nil || !plain(bucket) {
		return e.rules.ResolveEndpoint(ctx, p)
	}
	if bucket != "" {
		base.Path = "/" + bucket
	}
	var signer, properties smithy.Properties
	smithyhttp.SetDisableDoubleEncoding(&signer, true)
	smithyhttp.SetSigV4SigningName(&signer, "s3")
	smithyhttp.SetSigV4ASigningName(&signer, "s3")
	smithyhttp.SetSigV4SigningRegion(&signer, *p.Region)
	smithyauth.SetAuthOptions(&properties, []*smithyauth.Option{{SchemeID: smithyauth.SchemeIDSigV4, SignerProperties: signer}})
	return smithyendpoints.Endpoint{URI: *base, Headers: map[string][]string{}, Properties: properties}, nil
}

// plain tells of buckets whose names mean nothing but themselves: of small
// letters, digits and single hyphens.
func plain(bucket string) bool {
	for i := range len(bucket) {
		c := bucket[i]
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		case c == '-' && i > 0 && bucket[i-1] != '-':
		default:
			return false
		}
	}
	return bucket == "" || len(bucket) >= 3
}
