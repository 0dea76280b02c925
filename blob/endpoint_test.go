package blob

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	smithyauth "github.com/aws/smithy-go/auth"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/google/go-cmp/cmp"
)

// answer is what a resolver says, for comparison.
type answer struct {
	URL, Error, Scheme, Name, Region string
	Once                             bool // paths are encoded once
}

func ask(t *testing.T, r s3.EndpointResolverV2, p s3.EndpointParameters) answer {
	t.Helper()
	e, err := r.ResolveEndpoint(t.Context(), p)
	if err != nil {
		return answer{Error: err.Error()}
	}
	a := answer{URL: e.URI.String()}
	if options, ok := smithyauth.GetAuthOptions(&e.Properties); ok && len(options) > 0 {
		a.Scheme = map[string]string{"sigv4": smithyauth.SchemeIDSigV4}[options[0].SchemeID]
		if a.Scheme == "" {
			a.Scheme = options[0].SchemeID
		}
		get := func(f func(*smithy.Properties) (string, bool)) string {
			v, _ := f(&options[0].SignerProperties)
			return v
		}
		a.Name, a.Region = get(smithyhttp.GetSigV4SigningName), get(smithyhttp.GetSigV4SigningRegion)
		a.Once, _ = smithyhttp.GetDisableDoubleEncoding(&options[0].SignerProperties)
	}
	return a
}

// TestEndpoints compares the short way with the SDK's rules.
func TestEndpoints(t *testing.T) {
	rules := s3.NewDefaultEndpointResolverV2()
	some := []string{"", "news", "a-b", "a--b", "a--x-s3", "with.dots", "Upper", "ab", "..", "a/b", "a b", "日本", "arn:aws:s3:us-east-1:1:accesspoint/x"}
	for _, endpoint := range []string{"https://pressroom.internal", "http://127.0.0.1:4566/", "https://host/below", "https://host?x=1", ":", ""} {
		for _, bucket := range some {
			for _, path := range []bool{true, false} {
				p := s3.EndpointParameters{Region: aws.String("eu-west-1"), Endpoint: &endpoint, ForcePathStyle: &path}
				if bucket != "" {
					p.Bucket = &bucket
				}
				if diff := cmp.Diff(ask(t, rules, p), ask(t, endpoints{rules}, p)); diff != "" {
					t.Errorf("%q at %q, path style %v: %s", bucket, endpoint, path, diff)
				}
			}
		}
	}
}
