package blog_test

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pressroom/internal/desk/blog"
	"pressroom/model"
	"pressroom/model/modeltest"
)

var shown = []string{"title", "status", "createdAt", "summary", "thumbnail"}

// document is the blog's, section 3 and the layouts that follow it.
var document = modeltest.Document{
	Tables: []modeltest.DocumentTable{{
		Name: "blog", Env: "BLOG_TABLE", PK: "pk", SK: "sk",
		Indexes: []modeltest.DocumentIndex{{Name: "GSI1", PK: "sk", SK: "pk", Projection: model.Include, Include: shown}}, // 3.2
		Entities: []modeltest.DocumentEntity{
			{Name: "Post", PK: "POST#{id}", SK: "METADATA", Fields: append([]string{"updatedAt"}, shown...), Optional: []string{"thumbnail"}},
			// The layout of the table, and "STATUS# items are added for the index".
			{Name: "Status", PK: "POST#{id}", SK: "STATUS#{status}", Fields: shown, Optional: []string{"thumbnail"}},
			{Name: "Block", PK: "POST#{id}", SK: "BLOCK#{order:05}", Fields: []string{"type", "content", "layout"}},
			// The layout of the index has what a list shows on tags as well.
			{Name: "Tag", PK: "POST#{id}", SK: "TAG#{tagName}", Fields: append([]string{"tagName"}, shown...), Optional: []string{"thumbnail"}},
		},
	}},
	Differs: map[string]string{"GSI1": "keys on the attributes `GSI1_PK`, `GSI1_SK`, not on `sk`, `pk`"},
}

// The schema is the document's, row by row; what is not says so.
func TestDocumentSchema(t *testing.T) {
	modeltest.WantDocument(t, &document, blog.Schema, "../../../docs/design/blog.md")
}

// A program that knows the document alone finds in what the desk wrote all that the
// document lists, and its queries answer, word for word.
func TestDocumentQueries(t *testing.T) {
	modeltest.EachWay(t, documentQueries)
}

func documentQueries(t *testing.T, o *modeltest.StoreOptions) {
	r := openRoomOn(t, o, func(o *blog.Options) { o.PublicMedia = "https://news.example/blog/media/" })
	ctx := t.Context()
	m := r.addPhoto(t, 80, 60)
	ireland := content("Ireland", 2, "Ireland", "Travel")
	ireland.Thumbnail = m.Ref
	ireland.Blocks[0] = blog.Block{Type: blog.Image, Layout: blog.HalfLeft, Content: m.Ref, Alt: "x"}
	ireland.Blocks[1].Layout = blog.HalfRight
	posts := map[string]blog.Post{"Ireland": r.publish(t, ireland), "CDK": r.publish(t, content("CDK", 1, "AWS")), "Tips": r.publish(t, content("Tips", 1, "AWS", "TypeScript"))}
	posts["Draft"] = must(r.Create(ctx, content("Draft", 1, "AWS")))(t)
	old := r.publish(t, content("Old", 1))
	posts["Old"] = must(r.Archive(ctx, old.ID, old.Version))(t)

	// "Query(PK="POST#p123")": everything of a post, in one answer.
	all := r.literal(t, "", "POST#"+posts["Ireland"].ID, false)
	if got := of(all, "sk"); got != "BLOCK#00001 BLOCK#00002 METADATA STATUS#published TAG#Ireland TAG#Travel" {
		t.Errorf("a post is %s", got)
	}
	for i, entity := range []string{"Block", "Block", "Post", "Status", "Tag", "Tag"} {
		document.WantWritten(t, entity, all[i])
	}
	if got := of(all[:2], "layout"); got != "half_left half_right" {
		t.Errorf("the layouts are %s", got)
	}
	for _, at := range []string{of(all[:1], "content"), of(all[2:3], "thumbnail")} {
		if u, err := url.Parse(at); err != nil || u.Scheme != "https" {
			t.Errorf("an image is at %q", at)
		}
	}

	// The uses of GSI1, and its layout.
	for key, want := range map[string][]string{
		"STATUS#published": {"CDK", "Ireland", "Tips"}, "STATUS#draft": {"Draft"}, "STATUS#archived": {"Old"},
		"TAG#AWS": {"CDK", "Draft", "Tips"}, "TAG#Ireland": {"Ireland"}, "TAG#Travel": {"Ireland"}, "TAG#TypeScript": {"Tips"},
	} {
		items := r.literal(t, "GSI1", key, false)
		var titles []string
		for i, item := range items {
			title := of(items[i:i+1], "title")
			titles = append(titles, title)
			if got := of(items[i:i+1], "GSI1_PK") + " " + of(items[i:i+1], "GSI1_SK"); got != key+" POST#"+posts[title].ID {
				t.Errorf("%s: %s stands under %s", key, title, got)
			}
			for _, name := range shown {
				if item[name] == nil && (name != "thumbnail" || title == "Ireland") {
					t.Errorf("%s: %s has no %s", key, title, name)
				}
			}
			if got := of(items[i:i+1], "status"); got != string(posts[title].Status) {
				t.Errorf("%s: %s is %s", key, title, got)
			}
		}
		if slices.Sort(titles); !slices.Equal(titles, want) {
			t.Errorf("%s: %q, want %q", key, titles, want)
		}
		if !slices.IsSorted(strings.Fields(of(items, "GSI1_SK"))) {
			t.Errorf("%s is not in the order of its key: %s", key, of(items, "GSI1_SK"))
		}
	}
	// METADATA and BLOCK# are in no list.
	for _, key := range []string{"METADATA", "BLOCK#00001"} {
		if got := r.literal(t, "GSI1", key, false); len(got) > 0 {
			t.Errorf("%s: %v", key, got)
		}
	}
	// By date, and by the last change: the rulings' queries.
	if got := of(r.literal(t, "GSI2", "STATUS#published", true), "title"); got != "Tips CDK Ireland" {
		t.Errorf("by date: %s", got)
	}
	if got := len(r.literal(t, "GSI2", "POSTS", true)); got != len(posts) {
		t.Errorf("of all states: %d", got)
	}
	for _, id := range slices.Sorted(maps.Keys(posts)) {
		check(t, r.Delete(ctx, posts[id].ID, blog.AnyVersion), nil)
		if left := r.literal(t, "", "POST#"+posts[id].ID, false); len(left) > 0 {
			t.Errorf("left of %s: %s", id, fmt.Sprint(left))
		}
	}
}
