package lexicon

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/dynamo"
	"pressroom/internal/errs"
	"pressroom/llm"
	"pressroom/model"
	"pressroom/model/deploy"
)

// clock is a time that only tests move.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// fixture is a desk on tables of its own.
type fixture struct {
	*Desk
	t     *testing.T
	clock *clock
	store model.DB
}

// begin is a moment from which a day is left.
var begin = time.Date(2026, 11, 15, 1, 0, 0, 0, time.UTC)

var fixtures atomic.Int64

// open makes a desk on the embedded tables, or with -endpoint on those of any
// DynamoDB, whose items do not expire then.
func open(t *testing.T, provider llm.Provider, o Options) *fixture {
	t.Helper()
	f := &fixture{t: t, clock: &clock{t: begin}}
	schema := Schema
	if url := endpointOf(); url != "" {
		f.store = foreign(url)
		prefix := fmt.Sprintf("lexicon-%d-%d-", os.Getpid(), fixtures.Add(1))
		schema.Tables = append([]model.Table(nil), Schema.Tables...)
		for i := range schema.Tables {
			table := &schema.Tables[i]
			table.Name = prefix + table.Name
			// Emulators differ in these, and these tests do not need them.
			table.Stream, table.Encrypted, table.RecoveryDays, table.TTL, table.Tags = "", false, 0, "", nil
		}
	} else {
		db, err := dynamo.OpenMemory(&dynamo.Options{Now: f.clock.now, SweepEvery: 20 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		f.store = db
	}
	if err := deploy.Apply(t.Context(), deploy.Store{Tables: f.store}, nil, schema); err != nil {
		t.Fatal(err)
	}
	if endpointOf() != "" {
		t.Cleanup(func() {
			for _, table := range schema.Tables {
				_, _ = f.store.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &table.Name})
			}
		})
	}
	o.Schema = &schema
	if o.Now == nil {
		o.Now = f.clock.now
	}
	o.Log = slog.New(slog.DiscardHandler)
	var err error
	if f.Desk, err = New(f.store, provider, &o); err != nil {
		t.Fatal(err)
	}
	return f
}

func endpointOf() string { return flag.Lookup("endpoint").Value.String() }

func foreign(url string) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: &url, RetryMaxAttempts: 10,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
		}),
	})
}

// user makes a user on a tier.
func (f *fixture) user(id, tier string) string {
	f.t.Helper()
	if _, err := f.EnsureUser(f.t.Context(), id, id+"@example.org"); err != nil {
		f.t.Fatal(err)
	}
	if tier != Free {
		if _, err := f.SetTier(f.t.Context(), id, tier); err != nil {
			f.t.Fatal(err)
		}
	}
	return id
}

// propose makes a submission by a premium user.
func (f *fixture) propose(userID, term string) Submission {
	f.t.Helper()
	s, err := f.Submit(f.t.Context(), userID, Draft{Term: term, Meaning: "what " + term + " means", Example: "so " + term, Context: "chat"})
	if err != nil {
		f.t.Fatal(err)
	}
	return s
}

// term writes a term.
func (f *fixture) term(t Term) Term {
	f.t.Helper()
	if t.Gloss == "" {
		t.Gloss = "what " + t.Term + " means"
	}
	if t.Confidence == 0 {
		t.Confidence, t.Momentum = 0.9, 0.9
	}
	if err := f.SaveTerm(f.t.Context(), &t); err != nil {
		f.t.Fatal(err)
	}
	return t
}

// want fails unless the error is of the kind; nil is success.
func want(t *testing.T, err error, kind error) {
	t.Helper()
	if kind == nil && err != nil || kind != nil && !errors.Is(err, kind) {
		t.Fatalf("error %v, want %v", err, kind)
	}
}

// fields are the fields that an error complains about.
func fields(err error) []string {
	var names []string
	for _, f := range errs.Fields(err) {
		names = append(names, f.Name)
	}
	return names
}

// together runs so many goroutines at once and returns how many had no error. An
// error of none of the kinds fails the test.
func together(t *testing.T, n int, kinds []errs.Kind, do func(i int) error) int {
	t.Helper()
	start := make(chan struct{})
	var group sync.WaitGroup
	var good atomic.Int64
	for i := range n {
		group.Go(func() {
			<-start
			err := do(i)
			if err == nil {
				good.Add(1)
				return
			}
			for _, kind := range kinds {
				if errors.Is(err, kind) {
					return
				}
			}
			t.Errorf("%d: %v", i, err)
		})
	}
	close(start)
	group.Wait()
	return int(good.Load())
}
