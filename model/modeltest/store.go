package modeltest

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"pressroom/dynamo"
	"pressroom/model"
	"pressroom/model/deploy"
)

var (
	endpoint = flag.String("endpoint", "", "run on the DynamoDB at this URL instead of the embedded one")
	size     = flag.Int("items", 1500, "compare a page among 1,000 items (two thirds of these, if they are fewer) with one among so many")
)

// store is where the proofs run.
type store struct {
	db      dynamo.API
	foreign bool
}

func open(t *testing.T) store {
	t.Helper()
	if *endpoint != "" {
		return store{db: client(*endpoint), foreign: true}
	}
	db, err := dynamo.OpenMemory(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return store{db: db}
}

// connections is how many a test has with another server at once. DynamoDB Local
// has a thread for each request that it reads, 200 in all, and stops for good when
// more requests than that come in slowly, as on a busy machine.
const connections = 100

// client is the SDK's client for an endpoint that takes any credentials.
func client(url string, options ...func(*dynamodb.Options)) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: &url, RetryMaxAttempts: 10,
		HTTPClient: awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
			t.MaxConnsPerHost, t.MaxIdleConnsPerHost = connections, connections
		}),
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	}, options...)
}

// streamsClient is the SDK's client for the streams of such an endpoint.
func streamsClient(url string) *dynamodbstreams.Client {
	return dynamodbstreams.New(dynamodbstreams.Options{Region: "us-east-1", BaseEndpoint: &url, Credentials: credentials.NewStaticCredentialsProvider("local", "local", "")})
}

var tables atomic.Int64

// table makes an empty table like t, under a name of its own. It goes with the
// test.
func (s store) table(t *testing.T, like *model.Table) *model.Table {
	t.Helper()
	own := *like
	own.Name = fmt.Sprintf("modeltest-%d-%d-%d-%s", os.Getpid(), time.Now().UnixMilli(), tables.Add(1), like.Name)
	if s.foreign {
		// Emulators differ in these, and the proofs do not need them.
		own.Stream, own.Encrypted, own.RecoveryDays, own.TTL, own.Tags = "", false, 0, "", nil
	}
	if err := deploy.Apply(t.Context(), deploy.Store{Tables: s.db}, nil, model.Schema{Name: "modeltest", Tables: []model.Table{own}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The test's own context is over by now.
		_, err := s.db.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &own.Name})
		if err != nil {
			t.Error(err)
		}
	})
	return &own
}

// put writes items in batches; of several with one key the last counts.
func (s store) put(t *testing.T, table *model.Table, items []model.Raw) {
	t.Helper()
	for chunk := range slices.Chunk(lastOfEach(table, items), 25) {
		var requests []types.WriteRequest
		for _, item := range chunk {
			requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
		}
		for len(requests) > 0 {
			out, err := s.db.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table.Name: requests}})
			if err != nil {
				t.Fatal(err)
			}
			requests = out.UnprocessedItems[table.Name]
		}
	}
}

func lastOfEach(table *model.Table, items []model.Raw) []model.Raw {
	at := map[string]int{}
	var kept []model.Raw
	for _, item := range items {
		id := ""
		for _, name := range table.KeyNames() {
			id += fmt.Sprintf("%q", text(item[name]))
		}
		if i, twice := at[id]; twice {
			kept[i] = item
			continue
		}
		at[id] = len(kept)
		kept = append(kept, item)
	}
	return kept
}

func text(value types.AttributeValue) string {
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return v.Value
	}
	return ""
}
