package wire_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"

	"pressroom/dynamo/wire"
)

func TestCredentials(t *testing.T) {
	clock := time.Now()
	e := serve(t, &wire.Options{
		Region: "us-east-1",
		Now:    func() time.Time { return clock },
		Credentials: func(id string) (string, bool) {
			return "secret", id == "editor"
		},
	})
	list := func(id, secret, region string) error {
		client := dynamodb.New(dynamodb.Options{
			Region: region, BaseEndpoint: &e.url, RetryMaxAttempts: 1,
			Credentials: credentials.NewStaticCredentialsProvider(id, secret, ""),
		})
		_, err := client.ListTables(context.Background(), &dynamodb.ListTablesInput{Limit: aws.Int32(1)})
		return err
	}
	if err := list("editor", "secret", "us-east-1"); err != nil {
		t.Errorf("the right credentials: %v", err)
	}
	tests := []struct {
		name, id, secret, region string
		late                     time.Duration
		code, message            string
	}{
		{"another key", "nobody", "secret", "us-east-1", 0, "UnrecognizedClientException", "The security token included in the request is invalid."},
		{"another secret", "editor", "guess", "us-east-1", 0, "InvalidSignatureException", "The request signature we calculated does not match"},
		{"another region", "editor", "secret", "eu-west-1", 0, "InvalidSignatureException", "region"},
		{"an old request", "editor", "secret", "us-east-1", time.Hour, "InvalidSignatureException", "Signature expired: "},
		{"a future request", "editor", "secret", "us-east-1", -time.Hour, "InvalidSignatureException", "Signature not yet current: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			clock = time.Now().Add(tt.late)
			err := list(tt.id, tt.secret, tt.region)
			var api smithy.APIError
			if !errors.As(err, &api) || api.ErrorCode() != tt.code || !strings.Contains(api.ErrorMessage(), tt.message) {
				t.Errorf("got %v, want %s: %s", err, tt.code, tt.message)
			}
		})
	}
	got := e.call("ListTables", "{}")
	if got.status != 400 || !strings.Contains(got.body, "MissingAuthenticationTokenException") {
		t.Errorf("unsigned: %d %s", got.status, got.body)
	}
	if got := e.do("GET", "/", "", http.Header{}); got.status != 200 {
		t.Errorf("health needs no signature; got %d", got.status)
	}
}
