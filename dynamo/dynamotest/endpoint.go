package dynamotest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/smithy-go"
)

// Endpoint returns a target that is reached over HTTP with the SDK's clients.
// Region is the one to sign for.
func Endpoint(url, region string, keys aws.CredentialsProvider) Target {
	config := aws.Config{Region: region, BaseEndpoint: &url, Credentials: keys, Retryer: retryer}
	return Target{
		API:     dynamodb.NewFromConfig(config),
		Streams: dynamodbstreams.NewFromConfig(config),
		Post: func(target string, header http.Header, body []byte) (*http.Response, error) {
			req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
			if err != nil {
				return nil, err
			}
			req.Header.Set("Content-Type", "application/x-amz-json-1.0")
			if target != "" {
				req.Header.Set("X-Amz-Target", target)
			}
			for name, values := range header {
				req.Header[name] = values
			}
			if err := sign(req, body, region, keys); err != nil {
				return nil, err
			}
			return http.DefaultClient.Do(req)
		},
	}
}

// retryer tries again what has got no answer: the SDK may close a request that
// it has not wholly written when a large answer comes fast. An answer, be it a
// refusal, is what the suite is about.
func retryer() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = 5
		o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 10 * time.Millisecond, nil })
		o.Retryables = []retry.IsErrorRetryable{retry.IsErrorRetryableFunc(func(err error) aws.Ternary {
			var answer smithy.APIError
			return aws.BoolTernary(!errors.As(err, &answer))
		})}
	})
}

func sign(req *http.Request, body []byte, region string, keys aws.CredentialsProvider) error {
	k, err := keys.Retrieve(context.Background())
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	return v4.NewSigner().SignHTTP(context.Background(), k, req, hex.EncodeToString(sum[:]), "dynamodb", region, time.Now())
}

// post sends a body to an operation of DynamoDB or of its streams.
func (s *suite) post(operation, body string) (status int, answer string, err error) {
	resp, err := s.Post(targetOf(operation), nil, []byte(body))
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, strings.TrimSpace(string(text)), err
}

// targetOf is an operation's X-Amz-Target.
func targetOf(operation string) string {
	switch operation {
	case "ListStreams", "DescribeStream", "GetShardIterator", "GetRecords":
		return "DynamoDBStreams_20120810." + operation
	}
	return "DynamoDB_20120810." + operation
}

// raw sends a request as it stands and writes status and body.
func (p *player) raw(operation, body string) (string, error) {
	for _, name := range p.tables {
		body = strings.ReplaceAll(body, `"`+name+`"`, `"`+p.real(name)+`"`)
	}
	status, text, err := p.post(operation, body)
	return fmt.Sprintf("%d %s", status, p.plain(text)), err
}
