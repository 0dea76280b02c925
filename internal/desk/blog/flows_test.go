package blog_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/google/go-cmp/cmp"

	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
)

func TestSpans(t *testing.T) {
	layouts := map[rune]blog.Layout{'F': blog.Full, 'L': blog.HalfLeft, 'R': blog.HalfRight}
	tests := map[string]string{
		"": "", "F": "full", "LR": "pair", "L": "half_left", "R": "half_right",
		"FLRF": "full pair full", "LLR": "half_left pair", "LRR": "pair half_right",
		"RL": "half_right half_left", "RLR": "half_right pair", "LFR": "half_left full half_right", "LRLR": "pair pair",
	}
	for in, want := range tests {
		var blocks []blog.Block
		for _, r := range in {
			blocks = append(blocks, blog.Block{Layout: layouts[r]})
		}
		var rows []string
		next := 0
		for _, s := range blog.Spans(blocks) {
			rows = append(rows, string(s.Layout))
			if s.First != next {
				t.Errorf("%s: a row begins at %d, not %d", in, s.First, next)
			}
			next += s.N
		}
		if got := strings.Join(rows, " "); got != want || next != len(blocks) {
			t.Errorf("%s: %q over %d blocks, want %q", in, got, next, want)
		}
	}
}

func TestArticle(t *testing.T) {
	r := openRoom(t)
	c := content("Title", 0, "a")
	c.Blocks = []blog.Block{
		{Type: blog.Text, Content: "# One\n\nHello *world*."},
		{Type: blog.Image, Content: "https://example.org/a.png", Alt: "A picture", Layout: blog.HalfLeft},
		{Type: blog.Text, Content: "## Two\n\nこんにちは。", Layout: blog.HalfRight},
		{Type: blog.Code, Content: "x := secretName", Language: "go"},
		{Type: blog.Quote, Content: "To be.", Caption: "W. S."},
		{Type: blog.Video, Content: "https://youtu.be/dQw4w9WgXcQ", Caption: "A song"},
	}
	p := r.publish(t, c)
	a := must(r.Public().Post(t.Context(), p.ID))(t)
	if len(a.Rows) != 5 || a.Rows[1].Layout != blog.RowPair || len(a.Rows[1].Cells) != 2 {
		t.Errorf("rows: %+v", a.Rows)
	}
	if len(a.Contents) != 2 || a.Contents[0].Text != "One" || a.Contents[1].Level != 3 {
		t.Errorf("contents: %+v", a.Contents)
	}
	if diff := cmp.Diff("One\nHello world.\nA picture\nTwo\nこんにちは。\nTo be.\nW. S.\nA song", a.Text); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(c.Text(), a.Text); diff != "" {
		t.Errorf("the article has other words than the post: %s", diff)
	}
	if a.Image != "https://example.org/a.png" {
		t.Errorf("image %q", a.Image)
	}
	if got := c.Summarise(); !strings.HasPrefix(got, "One Hello world.") {
		t.Errorf("summary %q", got)
	}
}

func TestPreview(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	p := must(r.Create(ctx, content("Draft", 150)))(t)
	token, expires, err := r.PreviewToken(ctx, p.ID, time.Hour)
	check(t, err, nil)
	a, until, err := r.Preview(ctx, token)
	check(t, err, nil)
	if a.Title != "Draft" || len(a.Rows) != 150 || !until.Equal(expires) {
		t.Errorf("%q with %d rows until %v", a.Title, len(a.Rows), until)
	}
	// It shows what was saved since, in any state.
	saved := must(r.Save(ctx, p.ID, p.Version, content("Later", 1)))(t)
	must(r.Archive(ctx, p.ID, saved.Version))(t)
	if a, _, err := r.Preview(ctx, token); err != nil || a.Title != "Later" {
		t.Errorf("later: %v", err)
	}
	other, _, err := r.PreviewToken(ctx, must(r.Create(ctx, content("Other", 1)))(t).ID, time.Hour)
	check(t, err, nil)
	claim, _, _ := strings.Cut(other, ".")
	_, mac, _ := strings.Cut(token, ".")
	for _, forged := range []string{"", ".", token + "x", token[1:], claim + "." + mac, "x." + mac, strings.ToUpper(token)} {
		_, _, err := r.Preview(ctx, forged)
		check(t, err, errs.NotFound)
	}
	stranger := r.open(t, r.db, func(o *blog.Options) { o.Secret = []byte("another secret of 16") })
	_, _, err = stranger.Preview(ctx, token)
	check(t, err, errs.NotFound)
	r.clock.Advance(time.Hour)
	_, _, err = r.Preview(ctx, token)
	check(t, err, errs.NotFound)
	long, until, err := r.PreviewToken(ctx, p.ID, 1000*time.Hour*24)
	check(t, err, nil)
	if left := until.Sub(r.clock.Now()); left > blog.MaxPreview {
		t.Errorf("a link works for %v", left)
	}
	check(t, r.Delete(ctx, p.ID, blog.AnyVersion), nil)
	_, _, err = r.Preview(ctx, long)
	check(t, err, errs.NotFound)
}

func TestAutosave(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	p := must(r.Create(ctx, content("Post", 1)))(t)
	_, err := r.GetAutosave(ctx, p.ID, "ann")
	check(t, err, errs.NotFound)
	unsaved := blog.Content{Facts: blog.Facts{Title: ""}, Blocks: []blog.Block{{Type: "text", Content: "half a sen"}}} // not fit to be saved
	kept := must(r.PutAutosave(ctx, blog.Autosave{PostID: p.ID, Editor: "ann", Version: p.Version, Content: unsaved}))(t)
	got := must(r.GetAutosave(ctx, p.ID, "ann"))(t)
	if diff := cmp.Diff(kept, got); diff != "" {
		t.Error(diff)
	}
	_, err = r.GetAutosave(ctx, p.ID, "bob")
	check(t, err, errs.NotFound)
	must(r.PutAutosave(ctx, blog.Autosave{Editor: "../ann/ö", Content: unsaved}))(t)
	if got := must(r.GetAutosave(ctx, "", "../ann/ö"))(t); got.PostID != "" || got.Editor != "../ann/ö" {
		t.Errorf("%+v", got)
	}
	check(t, r.DropAutosave(ctx, "", "../ann/ö"), nil)
	check(t, r.DropAutosave(ctx, "", "../ann/ö"), nil)
	_, err = r.GetAutosave(ctx, "", "../ann/ö")
	check(t, err, errs.NotFound)
	if post := must(r.Get(ctx, p.ID))(t); post.Title != "Post" || post.Version != 1 {
		t.Errorf("the post became %+v", post)
	}
	_, err = r.PutAutosave(ctx, blog.Autosave{PostID: p.ID})
	if check(t, err, errs.Invalid); fields(err) != "editor" {
		t.Errorf("fields %q", fields(err))
	}
	for _, id := range []string{"a/b", "..", strings.Repeat("x", 200)} {
		_, err = r.PutAutosave(ctx, blog.Autosave{PostID: id, Editor: "ann"})
		check(t, err, errs.NotFound)
	}
	check(t, r.Delete(ctx, p.ID, p.Version), nil)
	_, err = r.GetAutosave(ctx, p.ID, "ann")
	check(t, err, errs.NotFound)
}

func TestAbout(t *testing.T) {
	r := openRoom(t, func(o *blog.Options) {
		o.Profile = blog.Profile{
			Name: "Ann", Bio: "Hello, *I* write. <script>alert(1)</script>", Avatar: "https://example.org/ann.jpg",
			Links: []blog.Link{{Label: "Mail", URL: "mailto:ann@example.org"}, {Label: "Home", URL: "https://example.org"}},
		}
	})
	a := r.Public().About()
	if a.Name != "Ann" || a.Avatar != "https://example.org/ann.jpg" || len(a.Links) != 2 || a.Text != "Hello, I write. alert(1)" {
		t.Errorf("%+v", a)
	}
	if bad := dangers(string(a.Bio)); bad != "" || !strings.Contains(string(a.Bio), "<em>I</em>") {
		t.Errorf("%s in %s", bad, a.Bio)
	}
}

func TestDocuments(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	r.publish(t, content("One", 1, "a"))
	p := r.publish(t, content("Two", 120, "b"))
	must(r.Create(ctx, content("Draft", 1)))(t)
	var got []string
	for text, err := range r.Shelf().All(ctx) {
		check(t, err, nil)
		got = append(got, text.Title)
		if !strings.HasPrefix(text.Body, text.Title+", block 0.") {
			t.Errorf("%s: %.40q", text.Title, text.Body)
		}
	}
	if diff := cmp.Diff([]string{"Two", "One"}, got); diff != "" {
		t.Error(diff)
	}
	affected := func(pk, sk string) (id string, ok bool) {
		keys := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: pk}, "sk": &types.AttributeValueMemberS{Value: sk}}
		for id, err := range r.Shelf().Affected(ctx, "blog", types.Record{Dynamodb: &types.StreamRecord{Keys: keys}}) {
			check(t, err, nil)
			return id, true
		}
		return "", false
	}
	for sk, want := range map[string]bool{"METADATA": true, "STATUS#published": true, "TAG#a": true, "BLOCK#00001": true} {
		if id, ok := affected("POST#"+p.ID, sk); ok != want || id != p.ID {
			t.Errorf("%s: %q, %v", sk, id, ok)
		}
	}
	for pk, sk := range map[string]string{"SAVE#x": "PART#00000", "COUNT#tag": "NAME#a", "X": "Y"} {
		if id, ok := affected(pk, sk); ok {
			t.Errorf("%s %s is of post %q", pk, sk, id)
		}
	}
}

// What the API gives out has stable names.
func TestJSON(t *testing.T) {
	r := openRoom(t)
	p := must(r.Create(t.Context(), content("One", 1, "a")))(t)
	text, err := json.Marshal(p)
	check(t, err, nil)
	var back blog.Post
	check(t, json.Unmarshal(text, &back), nil)
	if diff := cmp.Diff(p, back); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{`"id":`, `"title":"One"`, `"tags":["a"]`, `"blocks":[{"type":"text"`, `"status":"draft"`, `"version":1`, `"created_at":"2026-11-15T`} {
		if !strings.Contains(string(text), name) {
			t.Errorf("no %s in %s", name, text)
		}
	}
	if strings.Contains(string(text), "published_at") {
		t.Errorf("a draft has a date of publication: %s", text)
	}
}

// Rendering ends with whoever waits for it, and text that would take too long is
// shown as it is.
func TestRenderingEnds(t *testing.T) {
	r := openRoom(t)
	hostile := strings.Repeat("[a](", 30_000)
	c := blog.Content{Blocks: []blog.Block{{Type: blog.Text, Content: hostile}, {Type: blog.Code, Language: "go", Content: "func f() {}"}}}
	a, err := r.Render(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(a.Rows[0].Cells[0].HTML); got != "<p>"+hostile+"</p>\n" || a.Text != hostile {
		t.Errorf("%.200s", got)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := r.Render(gone, c); !errors.Is(err, context.Canceled) {
		t.Errorf("rendered for nobody: %v", err)
	}
}
