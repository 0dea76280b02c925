// Package dynamotest is for tests of programs that use DynamoDB, and of DynamoDBs.
//
// [Start] gives a test an empty DynamoDB of its own, with an endpoint and clients:
//
//	s := dynamotest.Start(t)
//	s.Client.CreateTable(ctx, …)
//
// [StartProgram] does the same out of process, with S3 beside it.
//
// The rest is the conformance suite of DynamoDB: what every
// operation and parameter does, with which words it refuses, and what it
// costs. It runs on the embedded engine in memory, on disk and over HTTP, and
// on anything else that calls itself DynamoDB:
//
//	go test ./dynamo/dynamotest -run Endpoint -endpoint http://127.0.0.1:8000
//
// with credentials from the environment, or made-up ones where there are
// none. On an endpoint it makes tables of its own, whose names begin with
// "dynamotest-", and removes them.
//
// There is a group of cases per operation or subject, and a file for each.
// What reads best as requests and answers is a script, testdata/<group>.txt;
// script.go says how to read one. What needs a loop, a clock or arithmetic is
// Go, in <group>.go. [Run] runs both. A case promises what Amazon documents;
// one that shows where the embedded engine promises more, or something else,
// is marked so and skipped elsewhere.
//
// To read the suite, start with groups.go, then read a script, testdata/putitem.txt.
package dynamotest

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"pressroom/dynamo"
)

// Target is a DynamoDB to be tested.
type Target struct {
	API     dynamo.API
	Streams dynamo.StreamsAPI

	// Post sends a request that no SDK sends: target is the X-Amz-Target.
	// Nil if there is no HTTP, and the cases that need it are skipped.
	Post func(target string, header http.Header, body []byte) (*http.Response, error)

	// Advance moves the clock forward and does what is then due. Nil if
	// time cannot be moved, and the cases that need it are skipped.
	Advance func(t testing.TB, d time.Duration)

	// Backups says that tables can be backed up and restored, in seconds.
	Backups bool

	// Embedded says that this is the engine of this module, so that the
	// cases of its deliberate differences hold.
	Embedded bool

	// Slow says that tables take time to become active and that indexes
	// and reads may be behind: cases wait and look again before they fail,
	// and run beside each other.
	Slow bool
}

// Run runs the suite. open is called for each group of cases; what it opens
// is closed by t's cleanup.
func Run(t *testing.T, open func(t testing.TB) Target) { run(t, open, nil) }

// RunGroups runs the groups of these names only.
func RunGroups(t *testing.T, open func(t testing.TB) Target, names ...string) { run(t, open, names) }

// Names lists the cases as Run's subtests are called: "Group/case".
func Names(t testing.TB) []string {
	var names []string
	for _, g := range groups {
		for _, c := range g.all(t) {
			names = append(names, g.name+"/"+subtest(c.name))
		}
	}
	return names
}

// subtest is a case's name as the testing package spells it.
func subtest(name string) string { return strings.ReplaceAll(name, " ", "_") }
