package minutes

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/errs"
	"pressroom/llm"
	"pressroom/llm/builtin"
	"pressroom/model/modeltest"
)

const island = `code = "CODE"
name = { en = "Parliament of CODE", ja = "CODE議会" }
zone = "Europe/London"
languages = ["en"]
licence = { name = "Public domain" }
[[source]]
format = "parlparse"
SOURCE
`

// islandDay is a day's record, with a division.
func islandDay(day string, ayes, noes int, text string) string {
	var names strings.Builder
	for i := range ayes {
		fmt.Fprintf(&names, `<mpname id="m/%d" vote="aye">Member A%d</mpname>`, i, i)
	}
	var against strings.Builder
	for i := range noes {
		fmt.Fprintf(&against, `<mpname id="n/%d" vote="no">Member N%d</mpname>`, i, i)
	}
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<publicwhip>
<major-heading id="i/debate/%[1]s.1">Lighthouse Repair Bill</major-heading>
<speech id="i/debate/%[1]s.2" speakerid="m/0" speakername="Ada Reef"><p>I beg to move that the lighthouses be repaired.</p></speech>
<speech id="i/debate/%[1]s.3" speakerid="n/0" speakername="Ben Shoal"><p>%[2]s</p></speech>
<division id="i/division/%[1]s.4" divdate="%[1]s" divnumber="1" time="16:00:00">
<divisioncount ayes="%[3]d" noes="%[4]d" tellerayes="0" tellernoes="0"/>
<mplist vote="aye">%[5]s</mplist><mplist vote="no">%[6]s</mplist>
</division>
<major-heading id="i/debate/%[1]s.5">Adjournment</major-heading>
<speech id="i/debate/%[1]s.6" speakerid="m/0" speakername="Ada Reef"><p>The House will meet tomorrow.</p></speech>
</publicwhip>`, day, text, ayes, noes, names.String(), against.String())
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	noErr(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}

func added(t testing.TB, d *Desk, code, src string) Declared {
	t.Helper()
	text := strings.NewReplacer("CODE", code, "SOURCE", src).Replace(island)
	one, err := Declare(code+".toml", []byte(text), "")
	noErr(t, err)
	_, err = d.AddAssembly(t.Context(), one)
	noErr(t, err)
	return one
}

func collect(t testing.TB, d *Desk, code string) AssemblyReport {
	t.Helper()
	r, err := d.CollectAssembly(t.Context(), code, nil)
	noErr(t, err)
	return r
}

func folderSource(dir string) string { return fmt.Sprintf("folder = %q", dir) }

func titles(t testing.TB, d *Desk, f Filter) []string {
	t.Helper()
	page, err := d.Articles(t.Context(), f, PageOptions{})
	noErr(t, err)
	var out []string
	for _, l := range page.Items {
		out = append(out, l.ID)
	}
	return out
}

// Two assemblies and the Diet, with the same names in all: nothing of one is in a list of
// another, and each meeting is an article with its votes.
func TestAssembliesNeverMix(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llm.Validated(builtin.New()), Options{Now: newClock().now})
	for _, code := range []string{"xa", "xb"} {
		dir := t.TempDir()
		write(t, dir, "debates2026-03-02.xml", islandDay("2026-03-02", 3, 2, "I am of "+code+"."))
		write(t, dir, "debates2026-03-03.xml", islandDay("2026-03-03", 1, 2, "Still "+code+"."))
		added(t, d, code, folderSource(dir))
		if r := collect(t, d, code); r.New != 2 || r.Meetings != 2 || !r.Done || len(r.Problems) > 0 {
			t.Fatalf("%s: %+v", code, r)
		}
		if r := collect(t, d, code); r.New != 0 || r.Unchanged != 2 {
			t.Fatalf("%s again: %+v", code, r)
		}
	}
	m := sample(1, "2026-03-02", 4, 2)
	m.Speeches[1].Speaker = "Ada Reef"
	m.Raw = rawOf(m)
	take(t, d, m)
	if r := work(t, d); r.Completed != 5 {
		t.Fatalf("%+v", r)
	}
	if got := titles(t, d, Filter{}); !slices.Equal(got, []string{m.IssueID}) {
		t.Errorf("the Diet has %v", got)
	}
	if got := titles(t, d, Filter{Person: "Ada Reef"}); !slices.Equal(got, []string{m.IssueID}) {
		t.Errorf("Ada Reef of the Diet: %v", got)
	}
	want := []string{"@xa:debates2026-03-03", "@xa:debates2026-03-02"}
	for name, f := range map[string]Filter{
		"latest": {}, "person": {Person: "Ada Reef"}, "issue": {Issue: "Lighthouse Repair Bill"}, "kind": {ImageKind: KindVotes},
		"house": {House: "Parliament of xa"}, "month": {Month: "2026-03"}, "two": {Person: "Ben Shoal", Issue: "Lighthouse Repair Bill"},
	} {
		f.Assembly = "xa"
		if got := titles(t, d, f); !slices.Equal(got, want) {
			t.Errorf("%s of xa: %v", name, got)
		}
	}
	if got := titles(t, d, Filter{Assembly: "xa", House: "Parliament of xb"}); got != nil {
		t.Errorf("a house of another: %v", got)
	}
	line, err := d.In("xb").Timeline(t.Context(), "Lighthouse Repair Bill", PageOptions{})
	noErr(t, err)
	if len(line.Items) != 2 || line.Items[0].Progress == nil || line.Items[0].Progress.Vote.For != 3 {
		t.Errorf("timeline: %+v", line.Items)
	}
	person, err := d.In("xb").GetPerson(t.Context(), "Ben Shoal", PageOptions{})
	noErr(t, err)
	for _, a := range person.Appearances {
		if AssemblyOf(a.ID) != "xb" {
			t.Errorf("Ben Shoal of xb in %s", a.ID)
		}
	}
	if _, err := d.In("").GetPerson(t.Context(), "Ben Shoal", PageOptions{}); !errors.Is(err, errs.NotFound) {
		t.Errorf("Ben Shoal of the Diet: %v", err)
	}
	facets, err := d.In("xa").Facets(t.Context())
	noErr(t, err)
	if f := facets[ByPerson]; len(f) != 2 || f[0].Count != 2 {
		t.Errorf("people of xa: %+v", f)
	}
	full, err := d.GetFull(t.Context(), "@xa:debates2026-03-02")
	noErr(t, err)
	v := full.Asset.Votes
	if len(v) != 1 || v[0].Of("aye") != 3 || v[0].Of("no") != 2 || len(v[0].Positions) != 5 || v[0].Item != "Lighthouse Repair Bill" || full.Language != "en" {
		t.Errorf("votes: %+v, language %s", v, full.Language)
	}
	if full.Title != "Lighthouse Repair Bill and Adjournment" || !strings.Contains(full.Asset.Summary.Summary, "aye 3, no 2") {
		t.Errorf("%q: %q", full.Title, full.Asset.Summary.Summary)
	}
	n := 0
	for _, err := range d.All(t.Context()) {
		noErr(t, err)
		n++
	}
	if n != 5 {
		t.Errorf("%d articles in all", n)
	}
	keys(t, d, "A#@xa:debates2026-03-02", "PERSON#@xa#Ada Reef", "ISSUE#@xb#Lighthouse Repair Bill", "PERSON#Ada Reef")
	noErr(t, d.Check(t.Context(), func(where, what string) { t.Errorf("check: %s: %s", where, what) }))
}

// keys wants partitions to be there, and the indexes to have the assemblies' own.
func keys(t testing.TB, d *Desk, want ...string) {
	t.Helper()
	there := map[string]bool{}
	for _, item := range rows(t, d) {
		for _, name := range []string{"PK", "GSI1PK", "GSI2PK"} {
			if v, ok := item[name].(*types.AttributeValueMemberS); ok {
				there[v.Value] = true
			}
		}
	}
	for _, key := range append(want, "ARTICLE", "ARTICLE#@xa", "ARTICLE#@xb", "Y#2026#M#03", "Y#2026#M#03#@xa") {
		if !there[key] {
			t.Errorf("nothing under %s", key)
		}
	}
}

// A record that its parliament revises replaces the article, which says what was wrong.
func TestRevisedRecord(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llm.Validated(builtin.New()), Options{Now: newClock().now})
	dir := t.TempDir()
	write(t, dir, "debates2026-03-02.xml", islandDay("2026-03-02", 3, 2, "No."))
	added(t, d, "xa", folderSource(dir))
	collect(t, d, "xa")
	work(t, d)
	write(t, dir, "debates2026-03-02.xml", islandDay("2026-03-02", 3, 4, "No."))
	if r := collect(t, d, "xa"); r.Changed != 1 || r.New != 0 {
		t.Fatalf("%+v", r)
	}
	work(t, d)
	full, err := d.GetFull(t.Context(), "@xa:debates2026-03-02")
	noErr(t, err)
	c := full.Asset.Corrections
	if full.Version != 2 || len(c) != 1 || c[0].Was.Vote.Against != 2 || c[0].Is.Vote.Against != 4 {
		t.Errorf("version %d, corrections %+v", full.Version, c)
	}
	if got := titles(t, d, Filter{Assembly: "xa"}); len(got) != 1 {
		t.Errorf("articles %v", got)
	}
}

// A collection that dies at any write is begun again: in the end every meeting has one
// task, and nothing else is there.
func TestCollectionDiesAtAnyWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for day := range 4 {
		date := fmt.Sprintf("2026-03-%02d", day+1)
		write(t, dir, "debates"+date+".xml", islandDay(date, 2, 1, "No."))
	}
	for left := int64(0); ; left++ {
		stores := modeltest.OpenStores(t, nil, Schema)
		o := Options{Now: newClock().now, Log: quietLog}
		whole, err := New(stores.Tables, stores.Objects, nil, &o)
		noErr(t, err)
		added(t, whole, "xa", folderSource(dir))
		db := &dying{DB: stores.Tables}
		db.left.Store(left)
		d, err := New(db, stores.Objects, nil, &o)
		noErr(t, err)
		_, died := d.CollectAssembly(t.Context(), "xa", nil)
		r := collect(t, whole, "xa")
		if r.New+r.Unchanged != 4 || !r.Done {
			t.Fatalf("after %d writes: %+v", left, r)
		}
		tasks, err := whole.GetNextPending(t.Context(), 100)
		noErr(t, err)
		if len(tasks) != 4 {
			t.Fatalf("after %d writes: %d tasks", left, len(tasks))
		}
		noErr(t, whole.Check(t.Context(), func(where, what string) { t.Errorf("after %d writes: %s: %s", left, where, what) }))
		if died == nil {
			if left < 4 {
				t.Fatalf("it never died: %d", left)
			}
			return
		}
	}
}

// A server is asked politely: on condition, with pauses, by its robots.txt; what it broke
// off is taken up again.
func TestCollectFromServer(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"debates2026-03-02.xml": islandDay("2026-03-02", 3, 2, "No."),
		"debates2026-03-03.xml": islandDay("2026-03-03", 3, 2, "No."),
		"private.xml":           "secret",
	}
	var asked, unchanged []string
	broken := true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		name := strings.TrimPrefix(r.URL.Path, "/records/")
		switch {
		case r.URL.Path == "/robots.txt":
			fmt.Fprint(w, "User-agent: *\nDisallow: /records/private\n")
		case name == "":
			fmt.Fprint(w, `<a href="../">Up</a> <a href="debates2026-03-02.xml">2</a> <a href="/records/debates2026-03-03.xml">3</a> <a href="https://elsewhere.example/records/debates2026-03-09.xml">no</a> <a href="list.txt">no</a>`)
		case files[name] == "":
			http.NotFound(w, r)
		default:
			w.Header().Set("ETag", fmt.Sprintf(`"%d"`, len(files[name])))
			if r.Header.Get("If-None-Match") != "" && strings.Contains(w.Header().Get("ETag"), r.Header.Get("If-None-Match")) {
				unchanged = append(unchanged, name)
			}
			if broken && name == "debates2026-03-02.xml" && r.Header.Get("Range") == "" {
				broken = false
				w.Header().Set("Content-Length", fmt.Sprint(len(files[name])))
				fmt.Fprint(w, files[name][:100])
				panic(http.ErrAbortHandler)
			}
			http.ServeContent(w, r, name, time.Time{}, strings.NewReader(files[name]))
		}
	}))
	defer server.Close()
	d := newDesk(t, llm.Validated(builtin.New()), Options{Now: newClock().now})
	one := added(t, d, "xa", fmt.Sprintf("address = %q", server.URL+"/records/"))
	p, err := d.PreviewAssembly(t.Context(), one, 0, 10)
	noErr(t, err)
	if p.Meetings != 2 || p.Votes != 2 || p.Speakers != 2 || len(p.Errors) > 0 {
		t.Errorf("preview %+v", p)
	}
	if got := rows(t, d); len(got) != 1 {
		t.Errorf("a preview kept something: %d items", len(got))
	}
	broken = true
	if r := collect(t, d, "xa"); r.Fetched != 2 || r.New != 2 || len(r.Problems) > 0 {
		t.Fatalf("%+v", r)
	}
	if r := collect(t, d, "xa"); r.Fetched != 0 || r.Unchanged != 2 || len(unchanged) != 2 {
		t.Errorf("%+v; on condition: %v", r, unchanged)
	}
	files["debates2026-03-03.xml"] = islandDay("2026-03-03", 30, 2, "No.")
	if r := collect(t, d, "xa"); r.Fetched != 1 || r.Changed != 1 {
		t.Errorf("%+v", r)
	}
	if slices.Contains(asked, "/records/list.txt") || asked[0] != "/robots.txt" {
		t.Errorf("asked for %v", asked)
	}
	secret := added(t, d, "xs", fmt.Sprintf("address = %q", server.URL+"/records/private.xml"))
	if _, err := d.PreviewAssembly(t.Context(), secret, 0, 10); !errors.Is(err, errs.Forbidden) || slices.Contains(asked, "/records/private.xml") {
		t.Errorf("what robots.txt forbids: %v", err)
	}
}

// Files in a bucket are read as those in a folder, archives included.
func TestCollectFromBucket(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llm.Validated(builtin.New()), Options{Now: newClock().now})
	bucket := d.schema.Buckets[0].Name
	put := func(key string, body []byte) {
		_, err := d.objects.client.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &bucket, Key: aws.String(key), Body: strings.NewReader(string(body))})
		noErr(t, err)
	}
	put("mine/2026/debates2026-03-02.xml", []byte(islandDay("2026-03-02", 3, 2, "No.")))
	put("mine/more.zip", zipped(t, "debates2026-03-04.xml", islandDay("2026-03-04", 3, 2, "No.")))
	added(t, d, "xa", fmt.Sprintf("bucket = %q", "s3://"+bucket+"/mine"))
	if r := collect(t, d, "xa"); r.New != 2 || len(r.Problems) > 0 {
		t.Errorf("%+v", r)
	}
}

// Assemblies are due by their schedule, in their own time.
func TestDueAssemblies(t *testing.T) {
	t.Parallel()
	clock := newClock() // 9:00 in London
	d := newDesk(t, nil, Options{Now: clock.now, Assemblies: t.TempDir()})
	write(t, d.o.Assemblies, "xf.toml", strings.NewReplacer("CODE", "xf", "SOURCE", folderSource(t.TempDir())+"\nschedule = \"0 10 * * *\"").Replace(island))
	write(t, d.o.Assemblies, "wrong.toml", "code = 1")
	due := func() []string {
		codes, err := d.DueAssemblies(context.Background())
		noErr(t, err)
		return codes
	}
	if got := due(); !slices.Equal(got, []string{"xf"}) {
		t.Fatalf("at first: %v", got)
	}
	collect(t, d, "xf")
	if got := due(); got != nil {
		t.Errorf("at once: %v", got)
	}
	clock.t = clock.t.Add(time.Hour)
	if got := due(); !slices.Equal(got, []string{"xf"}) {
		t.Errorf("at ten: %v", got)
	}
}

var quietLog = slog.New(slog.DiscardHandler)

func zipped(t testing.TB, name, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	noErr(t, err)
	_, err = w.Write([]byte(text))
	noErr(t, err)
	noErr(t, z.Close())
	return b.Bytes()
}
