package cli

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"

	"pressroom/internal/errs"
)

// targetSettings say which store a command works on.
type targetSettings struct {
	Store string `enum:"embedded,aws" default:"embedded" help:"Where the data are: embedded, in the data directory, or aws, in DynamoDB and S3 or services that speak their protocols."`
	storeSettings
	remoteSettings
}

// remoteSettings say where the services of --store aws are. What is left open is
// found as every AWS program finds it: in the environment, in the files of the
// AWS tools, from the machine.
type remoteSettings struct {
	AWSRegion        string     `name:"aws-region" hidden:"" placeholder:"REGION" help:"With --store aws, the region; otherwise as AWS programs find it, from AWS_REGION or their settings."`
	DynamoDBEndpoint serviceURL `name:"dynamodb-endpoint" hidden:"" placeholder:"URL" help:"With --store aws, where DynamoDB or a service that speaks its protocol is, if it is not Amazon's."`
	StreamsEndpoint  serviceURL `name:"dynamodb-streams-endpoint" hidden:"" placeholder:"URL" help:"Where its streams are; by default where it is itself."`
	S3Endpoint       serviceURL `name:"s3-endpoint" hidden:"" placeholder:"URL" help:"With --store aws, where S3 or a service that speaks its protocol (R2, MinIO) is, if it is not Amazon's."`
	S3Region         string     `name:"s3-region" hidden:"" placeholder:"REGION" help:"The region of S3, if it is another one; auto for R2."`
	S3PathStyle      string     `name:"s3-path-style" hidden:"" enum:"auto,always,never" default:"auto" help:"Name buckets in the path of addresses (always), in the host (never), or in the path if an endpoint is set (auto)."`
	S3AccessKeyID    string     `name:"s3-access-key-id" hidden:"" help:"The access key for S3, if it is another one than that for DynamoDB."`
	S3SecretKey      Secret     `name:"s3-secret-access-key" hidden:"" help:"Secret of that access key."`

	AWSTimeout time.Duration `name:"aws-timeout" hidden:"" default:"10s" placeholder:"TIME" help:"How long DynamoDB may take to answer, and S3 may neither send nor take anything, before a call is tried again."`
}

// serviceURL is the address of a service, with nothing behind the host.
type serviceURL string

// UnmarshalText accepts http and https addresses.
func (s *serviceURL) UnmarshalText(text []byte) error {
	u, err := url.Parse(string(text))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.User != nil {
		return fmt.Errorf("%q is not an address such as http://127.0.0.1:4566", text)
	}
	*s = serviceURL(strings.TrimSuffix(u.String(), "/"))
	return nil
}

// base is the address in the SDK's terms; nil is Amazon's.
func (s serviceURL) base() *string {
	if s == "" {
		return nil
	}
	return aws.String(string(s))
}

// credentialsTimeout bounds the search for credentials, which may ask the network.
const credentialsTimeout = 20 * time.Second

// open makes the clients of the services. Nothing is asked of the services yet.
func (s remoteSettings) open(ctx context.Context, log *slog.Logger) (*store, error) {
	if s.AWSTimeout <= 0 {
		return nil, errs.New(errs.Usage, "--aws-timeout must be more than nothing")
	}
	if (s.S3AccessKeyID == "") != (s.S3SecretKey == "") {
		return nil, errs.New(errs.Usage, "an access key needs its secret: set both --s3-access-key-id and --s3-secret-access-key, or neither")
	}
	ctx, cancel := context.WithTimeout(ctx, credentialsTimeout)
	defer cancel()
	c, err := s.config(ctx, log)
	if err != nil {
		return nil, err
	}
	return &store{
		log: log,
		db: dynamodb.NewFromConfig(c, func(o *dynamodb.Options) {
			if base := s.DynamoDBEndpoint.base(); base != nil {
				o.BaseEndpoint = base
			}
		}),
		streams: dynamodbstreams.NewFromConfig(c, s.streamsOptions),
		client:  s3.NewFromConfig(c, s.s3Options),
	}, nil
}

// config finds region and credentials, and says what to do if there are none.
func (s remoteSettings) config(ctx context.Context, log *slog.Logger) (aws.Config, error) {
	load := []func(*config.LoadOptions) error{
		config.WithHTTPClient(answeringClient(s.AWSTimeout)), config.WithRetryMaxAttempts(5),
		config.WithLogger(logging.LoggerFunc(func(_ logging.Classification, format string, v ...any) {
			log.Debug("the AWS SDK says: " + fmt.Sprintf(format, v...)) // what fails, it returns as an error too
		})),
	}
	if s.AWSRegion != "" {
		load = append(load, config.WithRegion(s.AWSRegion))
	}
	c, err := config.LoadDefaultConfig(ctx, load...)
	if err != nil {
		return c, errs.Wrap(err, errs.Unavailable, "cannot read the AWS settings: %v", err)
	}
	if c.Region == "" {
		if s.DynamoDBEndpoint == "" && c.BaseEndpoint == nil {
			return c, errs.New(errs.Usage, "--store aws needs a region: set --aws-region or AWS_REGION, or name other services with --dynamodb-endpoint and --s3-endpoint")
		}
		c.Region = "us-east-1" // it is part of signatures, and services of one's own do not look at it
	}
	if _, err := c.Credentials.Retrieve(ctx); err != nil {
		return c, errs.Wrap(err, errs.Unavailable, "cannot find AWS credentials: %v; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or sign in with the AWS tools", err)
	}
	return c, nil
}

func (s remoteSettings) streamsOptions(o *dynamodbstreams.Options) {
	base := s.StreamsEndpoint.base()
	if base == nil {
		base = s.DynamoDBEndpoint.base()
	}
	if base != nil {
		o.BaseEndpoint = base
	}
}

func (s remoteSettings) s3Options(o *s3.Options) {
	// Bodies may take long; what must not happen is that nothing happens.
	dialer := &net.Dialer{Timeout: s.AWSTimeout, KeepAlive: 30 * time.Second}
	o.HTTPClient = steadyClient(s.AWSTimeout, dialer.DialContext)
	if base := s.S3Endpoint.base(); base != nil {
		o.BaseEndpoint = base
	}
	if s.S3Region != "" {
		o.Region = s.S3Region
	}
	if s.S3AccessKeyID != "" {
		o.Credentials = credentials.NewStaticCredentialsProvider(s.S3AccessKeyID, s.S3SecretKey.Reveal(), "")
	}
	o.UsePathStyle = s.S3PathStyle == "always" || s.S3PathStyle != "never" && o.BaseEndpoint != nil
}

// answeringClient gives up a request whose whole answer is not there in time.
func answeringClient(limit time.Duration) *awshttp.BuildableClient {
	return awshttp.NewBuildableClient().WithTimeout(limit).WithTransportOptions(pooled)
}

// steadyClient gives up a request on whose connection nothing moves for that
// long, in either direction. The answer to a request that was sent may take three
// times as long, since S3 puts the parts of large objects together before it answers.
func steadyClient(limit time.Duration, dial func(ctx context.Context, network, addr string) (net.Conn, error)) *awshttp.BuildableClient {
	return awshttp.NewBuildableClient().WithTransportOptions(pooled, func(t *http.Transport) {
		t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dial(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return &steadyConn{conn, 3 * limit}, nil
		}
		t.ResponseHeaderTimeout = 3 * limit
	})
}

// pooled keeps enough connections open for a busy process.
func pooled(t *http.Transport) {
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 256, 128
}

// steadyConn is a connection that breaks when nothing moves. A byte in one
// direction is a sign of life for the other: an answer is waited for as long as its
// request is being sent.
type steadyConn struct {
	net.Conn
	limit time.Duration
}

func (c *steadyConn) Read(p []byte) (int, error) {
	return c.alive(func() (int, error) { return c.Conn.Read(p) })
}

func (c *steadyConn) Write(p []byte) (int, error) {
	return c.alive(func() (int, error) { return c.Conn.Write(p) })
}

func (c *steadyConn) alive(move func() (int, error)) (int, error) {
	if err := c.SetDeadline(time.Now().Add(c.limit)); err != nil {
		return 0, err
	}
	return move()
}

// where names the place of the data, for the log.
func (s targetSettings) where() string {
	if !s.remote() {
		return s.Data
	}
	tables, objects := string(s.DynamoDBEndpoint), string(s.S3Endpoint)
	if tables == "" {
		tables = "dynamodb"
	}
	if objects == "" {
		objects = "s3"
	}
	return tables + " " + objects
}
