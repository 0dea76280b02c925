package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/desk/blog"
	"pressroom/internal/rights/erase"
)

// stored is everything that a store has, in lower case: items, and objects as they are
// when they are unzipped.
func stored(t testing.TB, st *store) string {
	t.Helper()
	var b strings.Builder
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	tables, err := st.db.ListTables(ctx, &dynamodb.ListTablesInput{})
	must(err)
	for _, table := range tables.TableNames {
		in := &dynamodb.ScanInput{TableName: &table}
		for {
			out, err := st.db.Scan(ctx, in)
			must(err)
			for _, item := range out.Items {
				fmt.Fprintf(&b, "%s %q\n", table, flat(item))
			}
			if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
				break
			}
		}
	}
	buckets, err := st.client.ListBuckets(ctx, &s3.ListBucketsInput{})
	must(err)
	for _, bucket := range buckets.Buckets {
		list, err := st.client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: bucket.Name})
		must(err)
		for _, o := range list.Contents {
			out, err := st.client.GetObject(ctx, &s3.GetObjectInput{Bucket: bucket.Name, Key: o.Key})
			must(err)
			body, err := io.ReadAll(out.Body)
			must(err)
			if z, err := gzip.NewReader(bytes.NewReader(body)); err == nil {
				body, err = io.ReadAll(z)
				must(err)
			}
			fmt.Fprintf(&b, "%s/%s %s %v\n", *bucket.Name, *o.Key, body, out.Metadata)
		}
	}
	return strings.ToLower(b.String())
}

// A name in what every desk has, in drafts and in what nobody saved, in archived pages
// and in what models were asked and answered, is gone from all of it; everything that
// desks promise of their data still holds.
func TestErasePerson(t *testing.T) {
	r := openTaken(t)
	ctx := t.Context()
	post := r.create("zqposted")
	r.set(post, blog.Published)
	r.create("zqposted") // a draft
	_, err := r.blog.PutAutosave(ctx, blog.Autosave{PostID: post.id, Editor: "ann", Content: blog.Content{Facts: blog.Facts{Title: "not saved zqpostedtitle"}}})
	r.check(err)
	r.saveTerm("zqlexical", "some-term")
	r.check(r.site.ops.scheduler.Pause(ctx, "rights-erase", "zqpostedtitle", "zqtopicalbody asked"))
	names := []string{"zqtopicalbody", "zqtopicaltitle", "zqreplaceddescription", "zqreplacedkeyword", "zqpostedtitle", "zqpostedtag", "zqlexicalexample", "zqlexicaltag"}
	before := stored(t, r.store)
	for _, name := range names {
		if !strings.Contains(before, name) {
			t.Fatalf("%s was not planted", name)
		}
	}
	veil := r.site.erasures.Veil(r.site.mux)
	paths := []string{"/", "/feed.atom", "/newswire", "/minutes", "/blog", "/lexicon", "/blog/posts/" + post.id, "/lexicon/terms/some-term", "/api/v1/newswire/articles", "/sitemap.xml", "/search?q=" + names[0]}
	shows := func() (found []string) {
		for i, path := range paths {
			w := httptest.NewRecorder()
			req := httptest.NewRequest("GET", path, nil)
			req.RemoteAddr = fmt.Sprintf("198.51.100.%d:1", i+1)
			veil.ServeHTTP(w, req)
			body := strings.ToLower(w.Body.String())
			for _, name := range names {
				if strings.Contains(strings.ReplaceAll(body, `value="`+name, ""), name) {
					found = append(found, path+" "+name)
				}
			}
		}
		return found
	}
	if len(shows()) < 8 {
		t.Fatalf("nothing shows the names: %v", shows())
	}
	for _, name := range names {
		_, err := r.site.erasures.Begin(ctx, erase.Subject{Kind: erase.Person, Text: name}, "ann", "asked")
		r.check(err)
	}
	if found := shows(); found != nil {
		t.Errorf("with the next request: %v", found)
	}
	r.check(r.site.erasures.Run(ctx, nil))
	after := stored(t, r.store)
	for _, name := range names {
		if i := strings.Index(after, name); i >= 0 {
			t.Errorf("%s is left: …%s…", name, after[max(0, i-300):min(len(after), i+100)])
		}
	}
	paths = paths[:len(paths)-1] // the last one repeats what it was asked for
	if found := shows(); found != nil {
		t.Errorf("afterwards: %v", found)
	}
	if hits := r.get("/api/v1/search?q=" + names[0]); strings.Contains(hits, "/newswire/") {
		t.Errorf("it is still found: %s", hits)
	}
	if page := r.ask("/blog/posts/" + post.id); page.status != 200 || strings.Contains(strings.ToLower(page.body), "/blog/posts/%5b") || strings.Contains(page.body, "/blog/posts/[") {
		t.Errorf("the post's address has a sign in it, %d: %s", page.status, page.body)
	}
	r.wantSound()
	modelled := new(bytes.Buffer)
	r.check(r.site.erasures.Export(ctx, erase.Subject{Kind: erase.Person, Text: names[0]}, modelled))
	if strings.Contains(modelled.String(), "zqtopicaltitle") {
		t.Error("something is still held about an erased name")
	}
}

// wantSound checks what the desks promise of their data.
func (r *takenRoom) wantSound() {
	r.t.Helper()
	for desk, check := range map[string]func(context.Context, func(where, what string)) error{"newswire": r.newswire.Check, "minutes": r.minutes.Check, "blog": r.blog.Check, "lexicon": r.lexicon.Check} {
		r.check(check(r.t.Context(), func(where, what string) { r.t.Errorf("%s: %s: %s", desk, where, what) }))
	}
}

// A site that asks to be forgotten is gone with all its articles, and is not crawled
// again; a page is not kept again.
func TestEraseSite(t *testing.T) {
	r := openTaken(t)
	ctx := t.Context()
	dropped := r.wired("zqdropped")
	_, err := r.site.erasures.Begin(ctx, erase.Subject{Kind: erase.Page, Text: dropped.URL}, "ann", "asked")
	r.check(err)
	if r.ask("/newswire/articles/" + dropped.ArticleID); r.ask("/newswire/articles/"+dropped.ArticleID).status != 404 {
		t.Error("the page is still seen")
	}
	r.check(r.site.erasures.Run(ctx, nil))
	if text := stored(t, r.store); strings.Contains(text, "zqdroppedbody") || strings.Contains(text, "zqdroppedtitle") {
		t.Error("the page is still stored")
	}
	r.wantSound()
	host := strings.Split(strings.TrimPrefix(dropped.URL, "http://"), "/")[0]
	_, err = r.site.erasures.Begin(ctx, erase.Subject{Kind: erase.Site, Text: "http://" + host}, "ann", "asked")
	r.check(err)
	if page := r.get("/newswire"); strings.Contains(page, "zqtopical") {
		t.Error("the site is still seen")
	}
	r.check(r.site.erasures.Run(ctx, nil))
	if text := stored(t, r.store); strings.Contains(text, "zqtopical") || strings.Contains(text, "zqexpired") {
		t.Errorf("the site is still stored")
	}
	r.wantSound()
	gone, err := r.site.erasures.Gone(ctx, host)
	if err != nil || !gone {
		t.Errorf("%s may be crawled again: %v", host, err)
	}
}

// What was erased after a backup is not there after it was restored.
func TestEraseRestore(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	run := func(want int, args ...string) string {
		t.Helper()
		res := runIn(t, nil, args...)
		if res.Code != want {
			t.Fatalf("%q ends with %d: %s%s", args, res.Code, res.Stdout, res.Stderr)
		}
		return res.Stdout + res.Stderr
	}
	write := func() {
		set := testSettings(t)
		set.Data = "data"
		st, err := openStore(set.storeSettings, set.endpointSettings, quiet)
		if err != nil {
			t.Fatal(err)
		}
		if err := prepareStore(t.Context(), set, st); err != nil {
			t.Fatal(err)
		}
		stories, err := set.names().stories(st.db)
		if err != nil {
			t.Fatal(err)
		}
		d, err := blog.New(st.db, st.client, &blog.Options{Stories: stories, Log: quiet})
		if err == nil {
			_, err = d.Create(t.Context(), blog.Content{Facts: blog.Facts{Title: "About Zelda Quixote", Summary: "Zelda Quixote said so."}})
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
	}
	write()
	run(0, "backup", "--data=data", "backups/first")
	out := run(0, "erase", "person", "--data=data", "--why=asked", "--yes", "Zelda Quixote")
	if !strings.Contains(out, "Receipt") || !strings.Contains(out, "backups until") {
		t.Errorf("the receipt is %s", out)
	}
	run(2, "erase", "person", "--data=data", "--why=asked", "Zelda Quixote")
	run(0, "backup", "--data=data", "backups/second") // brings the register along
	run(0, "restore", "--data=back", "backups/first")
	st, err := openStore(storeSettings{Data: "back"}, endpointSettings{}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	text := stored(t, st)
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, "zelda") || !strings.Contains(text, "about [erased]") {
		t.Errorf("after the restore: %s", text)
	}
	if err := os.Remove(filepath.Join("backups", erase.RegisterName)); err != nil {
		t.Fatal(err)
	}
	if out := run(2, "restore", "--data=other", "backups/first"); !strings.Contains(out, "no register of erasures") {
		t.Errorf("without a register: %s", out)
	}
	run(0, "restore", "--data=other", "--erasures=data/erasures.jsonl", "backups/first")
	run(0, "restore", "--data=third", "--without-erasures", "backups/first")
}
