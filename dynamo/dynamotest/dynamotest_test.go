package dynamotest_test

import (
	"flag"
	"log/slog"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"pressroom/dynamo"
	"pressroom/dynamo/dynamotest"
	"pressroom/dynamo/wire"
)

var (
	endpoint = flag.String("endpoint", "", "run the suite on the DynamoDB at this `URL`, with the credentials in the environment or made-up ones")
	region   = flag.String("region", "us-east-1", "the `region` to sign for at -endpoint")
	slow     = flag.Bool("slow", false, "the endpoint takes time to make tables and its indexes may be behind, as Amazon's")
	rewrite  = flag.Bool("rewrite", false, "record what the engine answers in testdata")
)

// embedded opens a database for the suite, with a clock that it can move.
func embedded(t testing.TB, dir string, o dynamo.Options) (*dynamo.DB, dynamotest.Target) {
	t.Helper()
	var ahead atomic.Int64
	o.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	o.SweepEvery = -1
	o.Logger = slog.New(slog.DiscardHandler)
	db, err := dynamo.Open(dir, &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db, dynamotest.Target{
		API:      db,
		Streams:  db.Streams(),
		Embedded: true,
		Backups:  true,
		Advance: func(t testing.TB, d time.Duration) {
			t.Helper()
			ahead.Add(int64(d))
			if err := db.Engine().Sweep(); err != nil {
				t.Fatal(err)
			}
		},
	}
}

func TestMemory(t *testing.T) {
	if *rewrite {
		dynamotest.Rewrite(t)
	}
	dynamotest.Run(t, func(t testing.TB) dynamotest.Target {
		_, target := embedded(t, "memory", dynamo.Options{Memory: true})
		return target
	})
}

// TestDisk runs what has to do with storing on a directory.
func TestDisk(t *testing.T) {
	dynamotest.RunGroups(t, func(t testing.TB) dynamotest.Target {
		_, target := embedded(t, t.TempDir(), dynamo.Options{})
		return target
	}, "PutItem", "UpdateItem", "Indexes", "MultiAttributeKeys", "BatchWriteItem", "TransactWriteItems", "Streams", "Expiry", "Backups", "Recovery", "UpdateTable")
}

// TestHTTP runs the suite with the SDK's clients on the engine's endpoint.
func TestHTTP(t *testing.T) {
	if *rewrite {
		dynamotest.Rewrite(t)
	}
	dynamotest.Run(t, func(t testing.TB) dynamotest.Target {
		db, inside := embedded(t, "memory", dynamo.Options{Memory: true})
		server := httptest.NewServer(wire.New(db, &wire.Options{
			Credentials: func(id string) (string, bool) { return "the secret", id == "DYNAMOTEST" },
		}))
		t.Cleanup(server.Close)
		target := dynamotest.Endpoint(server.URL, "us-east-1", credentials.NewStaticCredentialsProvider("DYNAMOTEST", "the secret", ""))
		target.Embedded, target.Backups, target.Advance = true, true, inside.Advance
		return target
	})
}

// TestEndpoint runs the suite on any DynamoDB.
func TestEndpoint(t *testing.T) {
	if *endpoint == "" {
		t.Skip("no -endpoint")
	}
	id, secret := os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
	if id == "" {
		id, secret = "DYNAMOTEST", "made-up"
	}
	keys := aws.NewCredentialsCache(credentials.NewStaticCredentialsProvider(id, secret, os.Getenv("AWS_SESSION_TOKEN")))
	dynamotest.Run(t, func(testing.TB) dynamotest.Target {
		target := dynamotest.Endpoint(*endpoint, *region, keys)
		target.Slow = *slow
		return target
	})
}
