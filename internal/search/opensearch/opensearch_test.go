package opensearch

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/errs"
	"pressroom/internal/search"
	"pressroom/internal/search/text"
)

var now = time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)

// cluster speaks as much of OpenSearch's HTTP as the package uses: it keeps
// indexes, aliases and documents. It does not analyse text: a search answers what
// its level filter lets pass, and the test looks at what was asked.
type cluster struct {
	t       *testing.T
	indexes map[string]map[string]document
	meta    map[string]any
	aliases map[string]string
	asked   map[string]any // the last search
	named   string         // the indexes it named
	refuse  string         // an id that bulk requests are refused for
}

func (c *cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		c.t.Error(err)
	}
	var in map[string]any
	if len(body) > 0 && r.Header.Get("Content-Type") == "application/json" {
		if err := json.Unmarshal(body, &in); err != nil {
			c.t.Errorf("%s %s: %v", r.Method, r.URL, err)
		}
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	status, out := c.answer(r.Method, parts, in, string(body))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		if err := json.NewEncoder(w).Encode(out); err != nil {
			c.t.Error(err)
		}
	}
}

func (c *cluster) answer(method string, path []string, in map[string]any, body string) (int, any) {
	missing := object{"status": 404, "error": object{"type": "index_not_found_exception", "reason": "no such index"}}
	last := path[len(path)-1]
	switch {
	case path[0] == "_alias":
		out := object{}
		for _, alias := range strings.Split(last, ",") {
			if name := c.aliases[alias]; name != "" {
				out[name] = object{"aliases": object{alias: object{}}}
			}
		}
		if len(out) == 0 {
			return 404, missing
		}
		return 200, out
	case path[0] == "_aliases":
		for _, a := range in["actions"].([]any) {
			for verb, v := range a.(map[string]any) {
				index := v.(map[string]any)["index"].(string)
				if verb == "add" {
					c.aliases[v.(map[string]any)["alias"].(string)] = index
				} else {
					delete(c.indexes, index)
				}
			}
		}
		return 200, object{"acknowledged": true}
	case path[0] == "_bulk":
		return 200, c.bulk(body)
	case last == "_mapping" && method == http.MethodPut:
		name := c.resolve(path[0])
		if c.indexes[name] == nil {
			return 404, missing
		}
		c.meta[name] = in["_meta"]
		return 200, object{"acknowledged": true}
	case last == "_mapping":
		name := c.resolve(path[0])
		if c.indexes[name] == nil {
			return 404, missing
		}
		return 200, object{name: object{"mappings": object{"_meta": c.meta[name]}}}
	case last == "_search":
		c.asked, c.named = in, path[0]
		return 200, c.search()
	case len(path) == 3 && path[1] == "_stats":
		return 200, object{"_all": object{"primaries": object{
			"docs": object{"count": len(c.indexes[c.resolve(path[0])])}, "store": object{"size_in_bytes": 10},
		}}}
	case method == http.MethodPut:
		c.indexes[last] = map[string]document{}
		return 200, object{"acknowledged": true}
	case method == http.MethodDelete:
		for _, name := range strings.Split(last, ",") {
			delete(c.indexes, name)
		}
		return 200, object{"acknowledged": true}
	}
	c.t.Errorf("%s %v is not expected", method, path)
	return 400, object{}
}

func (c *cluster) resolve(name string) string {
	if real := c.aliases[name]; real != "" {
		return real
	}
	return name
}

func (c *cluster) bulk(body string) any {
	items, failed := []any{}, false
	lines := bufio.NewScanner(strings.NewReader(body))
	for lines.Scan() {
		var action map[string]struct {
			Index string `json:"_index"`
			ID    string `json:"_id"`
		}
		if err := json.Unmarshal(lines.Bytes(), &action); err != nil {
			c.t.Fatal(err)
		}
		for verb, a := range action {
			index, status := c.indexes[c.resolve(a.Index)], 200
			switch {
			case verb == "delete" && index[a.ID].Key == "":
				status = 404
			case verb == "delete":
				delete(index, a.ID)
			default:
				var d document
				lines.Scan()
				if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
					c.t.Fatal(err)
				}
				if a.ID == c.refuse {
					status = 429
				} else {
					index[a.ID] = d
				}
			}
			failed = failed || status >= 300
			items = append(items, object{verb: object{"_id": a.ID, "status": status, "error": object{"reason": "test"}}})
		}
	}
	return object{"errors": failed, "items": items}
}

func (c *cluster) search() any {
	raw, err := json.Marshal(c.asked)
	if err != nil {
		c.t.Fatal(err)
	}
	if !strings.Contains(string(raw), `"range":{"level":{"lte":`) {
		c.t.Errorf("a search without a level: %s", raw)
	}
	var hits []object
	for _, alias := range strings.Split(c.named, ",") {
		for _, d := range c.indexes[c.resolve(alias)] {
			hits = append(hits, object{
				"_score": 1.5, "_source": d,
				"highlight": object{"title": []string{"<b>" + markOn + d.Title + markOff}},
			})
		}
	}
	slices.SortFunc(hits, func(a, b object) int {
		return strings.Compare(a["_source"].(document).Key, b["_source"].(document).Key)
	})
	return object{
		"hits":         object{"total": object{"value": len(hits), "relation": "eq"}, "hits": hits},
		"aggregations": object{"desk": object{"values": object{"buckets": []object{{"key": "blog", "doc_count": len(hits)}}}}},
	}
}

func open(t *testing.T) (*Index, *cluster) {
	t.Helper()
	c := &cluster{t: t, indexes: map[string]map[string]document{}, meta: map[string]any{}, aliases: map[string]string{}}
	srv := httptest.NewServer(c)
	t.Cleanup(srv.Close)
	at := now
	x, err := Open(t.Context(), srv.URL+"/", &Options{Now: func() time.Time { at = at.Add(time.Second); return at }})
	if err != nil {
		t.Fatal(err)
	}
	return x, c
}

func doc(id string, level search.Level) search.Document {
	return search.Document{Key: search.Key{Desk: "blog", ID: id}, Kind: "post", Title: "title of " + id, Date: now, Level: level}
}

func ids(t *testing.T, x *Index, q search.Query) []string {
	t.Helper()
	r, err := x.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, h := range r.Hits {
		out = append(out, h.ID)
	}
	return out
}

// An index of the version before, whose fields showed other things, is not searched
// and goes when this one is made.
func TestFormerVersion(t *testing.T) {
	x, c := open(t)
	c.aliases["pressroom-public-3"], c.indexes["old"] = "old", map[string]document{"blog/a": {}}
	b, err := x.Rebuild(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c.indexes["old"] != nil || c.indexes[c.aliases["pressroom-public-4"]] == nil {
		t.Errorf("there are %v, named %v", c.indexes, c.aliases)
	}
}

func TestLevels(t *testing.T) {
	x, c := open(t)
	points := search.Checkpoints{"arn/shard": "17"}
	if err := x.Apply(t.Context(), search.Batch{Put: []search.Document{doc("a", 0), doc("b", 2)}, Checkpoints: points}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a"}, ids(t, x, search.Query{Text: "title"})); diff != "" {
		t.Error(diff)
	}
	if c.named != "pressroom-public-4" {
		t.Errorf("a public search names %s", c.named)
	}
	if diff := cmp.Diff([]string{"a", "b"}, ids(t, x, search.Query{Text: "title", Level: 2})); diff != "" {
		t.Error(diff)
	}
	if err := x.Apply(t.Context(), search.Batch{Put: []search.Document{doc("a", 2), doc("b", 0)}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"b"}, ids(t, x, search.Query{})); diff != "" {
		t.Error(diff)
	}
	got, err := x.Checkpoints(t.Context())
	if err != nil || got["arn/shard"] != "17" || got[search.PlaceMark] != c.aliases["pressroom-public-4"] {
		t.Errorf("checkpoints %v, %v", got, err)
	}
	counts, err := x.Counts(t.Context())
	if err != nil || counts != (search.Counts{Documents: 2, Private: 1, Bytes: 20}) {
		t.Errorf("counts %+v, %v", counts, err)
	}
}

func TestRebuild(t *testing.T) {
	x, c := open(t)
	if err := x.Apply(t.Context(), search.Batch{Put: []search.Document{doc("old", 0)}, Checkpoints: search.Checkpoints{"a/b": "1"}}); err != nil {
		t.Fatal(err)
	}
	b, err := x.Rebuild(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Apply(t.Context(), search.Batch{Put: []search.Document{doc("new", 0)}, Checkpoints: search.Checkpoints{"a/b": "2"}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"old"}, ids(t, x, search.Query{})); diff != "" {
		t.Error(diff)
	}
	if err := errors.Join(b.Commit(t.Context()), b.Abort()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"new"}, ids(t, x, search.Query{})); diff != "" {
		t.Error(diff)
	}
	if len(c.indexes) != 2 {
		t.Errorf("%d indexes are left, want 2", len(c.indexes))
	}
	if got, err := x.Checkpoints(t.Context()); err != nil || got["a/b"] != "2" {
		t.Errorf("checkpoints %v, %v", got, err)
	}
	b, err = x.Rebuild(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Abort(); err != nil || len(c.indexes) != 2 {
		t.Errorf("%d indexes after Abort, %v", len(c.indexes), err)
	}
}

// A process that feeds an index while another one makes it again does not mark
// the new one as having what only the old one has.
func TestRebuildUnderFeeder(t *testing.T) {
	x, c := open(t)
	if err := x.Apply(t.Context(), search.Batch{Checkpoints: search.Checkpoints{"a/b": "1"}}); err != nil {
		t.Fatal(err)
	}
	old, err := x.Checkpoints(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b, err := x.Rebuild(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Apply(t.Context(), search.Batch{Checkpoints: search.Checkpoints{"a/b": "2"}}); err != nil {
		t.Fatal(err)
	}
	old["a/b"] = "3"
	if err := x.Apply(t.Context(), search.Batch{Checkpoints: old}); err != nil {
		t.Errorf("before the new one is there: %v", err)
	}
	if err := b.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	old["a/b"] = "4"
	if err := x.Apply(t.Context(), search.Batch{Checkpoints: old}); errs.KindOf(err) != errs.NotFound {
		t.Errorf("after it took its place: %v", err)
	}
	if got, err := x.Checkpoints(t.Context()); err != nil || got["a/b"] != "2" || got[search.PlaceMark] != c.aliases["pressroom-public-4"] {
		t.Errorf("checkpoints %v, %v", got, err)
	}
}

func TestSearchRequest(t *testing.T) {
	x, c := open(t)
	if err := x.Apply(t.Context(), search.Batch{Put: []search.Document{doc("a", 0), doc("b", 0)}}); err != nil {
		t.Fatal(err)
	}
	day := now.Truncate(search.Day)
	q := search.Query{
		Text: "訪れる -東京 としょかん", Desks: []string{"blog"}, Tags: []string{"旅"}, Sources: []string{"みなと新報"}, From: day, To: day, Limit: 2,
		Synonyms: []text.Synonyms{{Words: "訪れる", Or: []string{"訪問"}}},
	}
	r, err := x.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if want := "&lt;b&gt;<mark>title of a</mark>"; string(r.Hits[0].TitleHTML) != want {
		t.Errorf("title %q, want %q", r.Hits[0].TitleHTML, want)
	}
	if diff := cmp.Diff([]search.Count{{Value: "blog", Count: 2}}, r.Facets.Desks); diff != "" {
		t.Error(diff)
	}
	q.Cursor = r.Next
	ids(t, x, q)
	if diff := cmp.Diff([]any{1.5, float64(now.UnixMilli()), "blog/b"}, c.asked["search_after"]); diff != "" {
		t.Errorf("search_after: %s", diff)
	}
	raw, err := json.Marshal(c.asked)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"analyzer":"bases","fields":["title.bases^3","summary.bases","body.bases","hidden.bases"],"operator":"and","query":"訪れる"`,
		`"must_not":[{"multi_match":{"fields":["title^3","summary","body","hidden"],"query":"東京","type":"phrase"}}]`,
		`{"term":{"tags":"旅"}}`, `"gte":"2026-11-15T00:00:00.000Z","lt":"2026-11-16T00:00:00.000Z"`, `{"terms":{"source":["みなと新報"]}}`,
		`{"multi_match":{"fields":["title^3","summary","body","hidden"],"query":"訪問","type":"phrase"}}`,
		`{"multi_match":{"fields":["title.sounds^3","summary.sounds"],"query":"としょかん","type":"phrase"}}`,
		`"post_filter":{"bool":{"filter":[{"terms":{"desk":["blog"]}}]}}`,
		`"desk":{"aggs":{"values":{"terms":{"field":"desk","size":20}}},"filter":{"bool":{"filter":[]}}}`,
	} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("the request lacks %s:\n%s", want, raw)
		}
	}
	// What is hidden is looked for, and neither marked nor sent.
	if marked, _ := json.Marshal(c.asked["highlight"]); strings.Contains(string(marked), "hidden") {
		t.Errorf("marks are asked for in %s", marked)
	}
	if kept, _ := json.Marshal(c.asked["_source"]); !strings.Contains(string(kept), `"hidden"`) {
		t.Errorf("of a document is sent %s", kept)
	}
}

func TestRefused(t *testing.T) {
	x, c := open(t)
	c.refuse = "blog/a"
	err := x.Apply(t.Context(), search.Batch{Put: []search.Document{doc("a", 0)}, Checkpoints: search.Checkpoints{"a/b": "1"}})
	if errs.KindOf(err) != errs.Unavailable {
		t.Errorf("a refused document: %v", err)
	}
	if got, err := x.Checkpoints(t.Context()); err != nil || got != nil {
		t.Errorf("checkpoints %v after a refused batch, %v", got, err)
	}
	c.indexes = map[string]map[string]document{}
	if got, err := x.Checkpoints(t.Context()); err != nil || got != nil {
		t.Errorf("checkpoints %v of an index that is gone, %v", got, err)
	}
}

func TestSuggest(t *testing.T) {
	x, c := open(t)
	if err := x.Apply(t.Context(), search.Batch{Put: []search.Document{doc("a", 0), doc("b", 2)}}); err != nil {
		t.Fatal(err)
	}
	list, err := x.Suggest(t.Context(), "ti", search.Public, 5)
	if err != nil || len(list) != 1 || list[0].ID != "a" || c.named != "pressroom-public-4" {
		t.Errorf("suggested %v from %s, %v", list, c.named, err)
	}
}

// Names come out of the documents that everyone may see, each once, and only those that were
// asked for.
func TestNames(t *testing.T) {
	x, c := open(t)
	named := func(id string, level search.Level, names ...search.Name) search.Document {
		d := doc(id, level)
		d.Names = names
		return d
	}
	kuonji := search.Name{Kind: "person", Name: "久遠寺剛", Reading: "くおんじつよし", Path: "/p/kuonji"}
	if err := x.Apply(t.Context(), search.Batch{Put: []search.Document{
		named("a", 0, kuonji, search.Name{Kind: "person", Name: "波多野航", Path: "/p/hatano"}), named("b", 0, kuonji),
		named("c", 4, search.Name{Kind: "person", Name: "久遠寺剛", Path: "/p/secret"}),
	}}); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		form string
		how  search.Nearness
		ask  string
	}{
		{"久遠寺剛", search.Whole, `{"term":{"forms":"久遠寺剛"}}`}, {"~kuonji", search.Begins, `{"prefix":{"forms":"~kuonji"}}`},
		{"久遠時剛", search.Near, `{"fuzzy":{"forms":{"fuzziness":1,"prefix_length":1,"value":"久遠時剛"}}}`},
	} {
		got, err := x.Names(t.Context(), []string{"", tc.form}, tc.how, search.Public)
		if err != nil || len(got) != 1 || got[0].Path != "/p/kuonji" || got[0].ID != "a" {
			t.Errorf("%s: %+v, %v", tc.form, got, err)
		}
		if raw, err := json.Marshal(c.asked); err != nil || !strings.Contains(string(raw), tc.ask) {
			t.Errorf("asked %s, want %s: %v", raw, tc.ask, err)
		}
	}
	if got, err := x.Names(t.Context(), []string{""}, search.Whole, search.Public); err != nil || got != nil {
		t.Errorf("no form: %+v, %v", got, err)
	}
}
