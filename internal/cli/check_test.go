package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/desk/blog"
	"pressroom/internal/ops"
	"pressroom/internal/search/embedded"
)

// Nobody serves the directory: the command looks at it by itself, and names each
// damage with the desk that it concerns.
func TestCheckDirectory(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	ctx := context.Background()
	st, err := openStore(storeSettings{Data: data}, endpointSettings{}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := tableNames(nil).schemas()
	if err != nil {
		t.Fatal(err)
	}
	if err := st.prepare(ctx, schemas...); err != nil {
		t.Fatal(err)
	}
	post := aPost(t, st)
	if out := ok(t, "check", "--data", data); out != "no findings\n" { // by the process that has it open, which is this one
		t.Errorf("sound data: %s", out)
	}
	want := damage(t, st, post)
	for _, served := range []bool{true, false} {
		if !served {
			if err := st.Close(); err != nil {
				t.Fatal(err)
			}
		}
		r := runIn(t, nil, "check", "--data", data)
		if r.Code != 1 || !strings.Contains(r.Stderr, "2 findings") {
			t.Errorf("served %t: status %d, %s", served, r.Code, r.Stderr)
		}
		for _, line := range want {
			if !strings.Contains(r.Stdout, line+"\n") {
				t.Errorf("served %t: no %q in\n%s", served, line, r.Stdout)
			}
		}
	}
	if r := runIn(t, nil, "check", "--data", data, "--json"); !strings.Contains(r.Stdout, `{"check":"blog","where":"blog pk=POST#`) {
		t.Errorf("as JSON: %s", r.Stdout)
	}
}

// aPost makes a post in a store.
func aPost(t *testing.T, st *store) blog.Post {
	t.Helper()
	desk, err := blog.New(st.db, st.client, nil)
	if err != nil {
		t.Fatal(err)
	}
	post, err := desk.Create(t.Context(), blog.Content{Facts: blog.Facts{Title: "News", Summary: "About"}, Blocks: []blog.Block{{Type: blog.Text, Layout: blog.Full, Content: "Text."}}})
	if err != nil {
		t.Fatal(err)
	}
	return post
}

// damage changes a store behind the desks' backs, and returns what a check says of
// it.
func damage(t *testing.T, st *store, post blog.Post) []string {
	t.Helper()
	_, err := st.db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("blog"), Key: map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: "POST#" + post.ID}, "sk": &types.AttributeValueMemberS{Value: "STATUS#draft"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = st.db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("summanow"), Item: map[string]types.AttributeValue{
		"PK": &types.AttributeValueMemberS{Value: "NOTHING"}, "SK": &types.AttributeValueMemberS{Value: "NOTHING"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return []string{
		"blog blog pk=POST#" + post.ID + " sk=METADATA: Post: it is not listed under the state draft",
		"items summanow PK=NOTHING SK=NOTHING: no entity of the schema has such a key",
	}
}

// The data are in services elsewhere: what the desks promise and the design are
// checked all the same, with a word on what is not.
func TestCheckRemote(t *testing.T) {
	t.Chdir(t.TempDir())
	at := startLocal(t)
	st := remoteAt(t, at, 10*time.Second)
	args := []string{"--store=aws", "--dynamodb-endpoint=" + at, "--s3-endpoint=" + at}
	run := func(more ...string) result {
		return runIn(t, nil, append(append([]string{"check"}, more...), args...)...)
	}
	ok(t, append([]string{"schema", "apply"}, args...)...)
	post := aPost(t, st)
	r := run()
	if r.Code != 0 || r.Stdout != "no findings\n" {
		t.Errorf("sound data: status %d, %s%s", r.Code, r.Stdout, r.Stderr)
	}
	if r.Stderr != "The services' own storage is not checked, only what is kept in it.\n" {
		t.Errorf("what is not checked: %q", r.Stderr)
	}
	want := damage(t, st, post)
	_, err := st.client.DeleteBucket(t.Context(), &s3.DeleteBucketInput{Bucket: aws.String("blog-media")})
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, "schema: not done yet: create bucket blog-media (pressroom schema apply)")
	r = run()
	if r.Code != 1 || !strings.Contains(r.Stderr, "findings") {
		t.Errorf("damaged data: status %d, %s", r.Code, r.Stderr)
	}
	for _, line := range want {
		if !strings.Contains(r.Stdout, line+"\n") {
			t.Errorf("no %q in\n%s", line, r.Stdout)
		}
	}
	if r := run("--json"); !strings.Contains(r.Stdout, `{"check":"blog","where":"blog pk=POST#`) {
		t.Errorf("as JSON: %s", r.Stdout)
	}
}

// What an index shows late is no finding, and what stays wrong is one.
func TestCheckConfirms(t *testing.T) {
	for _, tt := range []struct {
		name  string
		rest  error
		times [][]string // where it is wrong, each time
		want  []string
	}{
		{"nothing", nil, [][]string{{}}, nil},
		{"one of two stays", nil, [][]string{{"a", "b"}, {"b"}}, []string{"b second"}},
		{"another one comes", nil, [][]string{{"a"}, {"c"}}, nil},
		{"it fails", io.ErrUnexpectedEOF, [][]string{{"a"}}, []string{"a first"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			n := 0
			c := confirmed{Checker: ops.CheckFunc(func(_ context.Context, report func(ops.Finding)) error {
				for _, where := range tt.times[n] {
					report(ops.Finding{Where: where, What: []string{"first", "second"}[n]})
				}
				n++
				return tt.rest
			})}
			err := c.Check(t.Context(), func(f ops.Finding) { got = append(got, f.Where+" "+f.What) })
			if !errors.Is(err, tt.rest) || n != len(tt.times) || !slices.Equal(got, tt.want) {
				t.Errorf("%q after %d times, %v; want %q after %d", got, n, err, tt.want, len(tt.times))
			}
		})
	}
}

// What the demo shows of all desks is sound, while its jobs go on and afterwards.
func TestCheckDemo(t *testing.T) {
	dir := t.TempDir()
	d := startDemo(t, dir)
	d.complete(t)
	// What another program wrote is taken over a moment later, and is no damage until then.
	waits := func() bool { return strings.Contains(ok(t, "check", "--data", dir), "not taken over yet") }
	d.await(t, "what another program wrote is taken over", func() bool { return !waits() })
	if out := ok(t, "check", "--data", dir); out != "no findings\n" {
		t.Errorf("the demo's data: %s", out)
	}
}

// flipFile flips a bit in the middle of the only file that a pattern names.
func flipFile(t *testing.T, pattern string) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %v, %v", pattern, names, err)
	}
	b, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(names[0], b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Damage on disk is named with what to do about it, and the parts without are named
// too. A part that cannot be opened does not keep the others from being read.
func TestCheckDamagedFiles(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	st, err := openStore(storeSettings{Data: data}, endpointSettings{}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	for _, bucket := range []string{"one", "two"} {
		if _, err := st.client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &bucket}); err != nil {
			t.Fatal(err)
		}
	}
	body := strings.Repeat("all about whales and ships ", 10_000)
	if _, err := st.client.PutObject(t.Context(), &s3.PutObjectInput{Bucket: aws.String("one"), Key: aws.String("k"), Body: strings.NewReader(body)}); err != nil {
		t.Fatal(err)
	}
	index, err := embedded.Open(st.searchDir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(index.Close(), st.Close()); err != nil {
		t.Fatal(err)
	}
	if out := ok(t, "check", "--data", data); out != "no findings\n" {
		t.Fatalf("sound data: %s", out)
	}
	expect := func(findings, sound string, lines ...string) {
		t.Helper()
		r := runIn(t, nil, "check", "--data", data)
		if r.Code != 1 || !strings.Contains(r.Stderr, findings) || sound != "" && !strings.Contains(r.Stderr, "Nothing was found in: "+sound+".") {
			t.Errorf("status %d, %s", r.Code, r.Stderr)
		}
		for _, line := range lines {
			if !strings.Contains(r.Stdout, line) {
				t.Errorf("no %q in\n%s", line, r.Stdout)
			}
		}
		if strings.Contains(r.Stdout+r.Stderr, "goroutine ") {
			t.Errorf("a stack:\n%s%s", r.Stdout, r.Stderr)
		}
	}
	flipFile(t, filepath.Join(data, "objects", "data", "*", "*"))
	expect("1 findings", "tables, search", "objects one: one/k: its bytes after the first ", "put it again, or restore it from a backup")
	flipFile(t, filepath.Join(data, "search", "index-*", "public", "store", "root.bolt"))
	expect("2 findings", "tables", "search: ", "pressroom search rebuild")
	flipFile(t, filepath.Join(data, "tables", "MANIFEST-*"))
	expect("3 findings", "", "tables: cannot open the tables", "pressroom restore", "objects one: one/k: ", "search: ")
}
