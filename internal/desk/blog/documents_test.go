package blog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/internal/story/storytest"
	"pressroom/model"
	"pressroom/model/modeltest"
)

// row is an item as a document writes it down.
type row map[string]any

// documentRows are the rows of the document's own example, and a draft and an archived
// post of the same form.
func documentRows() []row {
	post := func(id, title, state, created string, more ...row) []row {
		pk := "POST#" + id
		rows := []row{
			{"pk": pk, "sk": "METADATA", "title": title, "status": state, "createdAt": created, "updatedAt": created,
				"summary": title + "の概要", "thumbnail": "https://s3.example/thumb.jpg"},
			{"pk": pk, "sk": "STATUS#" + state, "title": title, "status": state, "createdAt": created,
				"summary": title + "の概要", "thumbnail": "https://s3.example/thumb.jpg"},
		}
		for _, r := range more {
			r["pk"] = pk
			rows = append(rows, r)
		}
		return rows
	}
	return slices.Concat(
		post("p123", "アイルランド移住記", "published", "2024-01-15T10:00:00Z",
			row{"sk": "BLOCK#00001", "type": "image", "content": "https://s3.example/img.jpg", "layout": "half_left"},
			row{"sk": "BLOCK#00002", "type": "text", "content": "ダブリンに到着しました。", "layout": "half_right"},
			row{"sk": "TAG#Ireland"}, row{"sk": "TAG#Travel", "tagName": "Travel"}),
		post("p456", "AWS CDK入門", "published", "2024-01-20T14:30:00Z",
			row{"sk": "BLOCK#00001", "type": "text", "content": "CDK とは", "layout": "full"}, row{"sk": "TAG#AWS", "tagName": "AWS"}),
		post("p124", "次の記事の下書き", "draft", "2024-01-26T11:00:00Z",
			row{"sk": "BLOCK#00001", "type": "text", "content": "まだ", "layout": "full"}, row{"sk": "TAG#AWS", "tagName": "AWS"}),
		post("p111", "古い記事", "archived", "2023-12-01T00:00:00Z",
			row{"sk": "BLOCK#00001", "type": "text", "content": "昔", "layout": "full"}),
	)
}

// foreign writes rows as a program does that knows the document alone.
func (r *room) foreign(t testing.TB, rows ...row) {
	t.Helper()
	for _, row := range rows {
		item := must(attributevalue.MarshalMap(map[string]any(row)))(t)
		must(r.db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("blog"), Item: item}))(t)
	}
}

func (r *room) adopt(t testing.TB) {
	t.Helper()
	storytest.Adopt(t, r.stores, must(story.New(r.db, nil))(t), r.Shelf())
}

// sound wants nothing to be wrong.
func (r *room) sound(t testing.TB) {
	t.Helper()
	check(t, r.Check(t.Context(), func(where, what string) { t.Errorf("%s: %s", where, what) }), nil)
}

// literal asks an index the document's own question, and returns what it answers.
func (r *room) literal(t testing.TB, index, pk string, descending bool) []model.Raw {
	t.Helper()
	in := &dynamodb.QueryInput{TableName: aws.String("blog"), ScanIndexForward: aws.Bool(!descending),
		KeyConditionExpression: aws.String("#k = :k"), ExpressionAttributeNames: map[string]string{"#k": "pk"},
		ExpressionAttributeValues: model.Raw{":k": &types.AttributeValueMemberS{Value: pk}}}
	if index != "" {
		in.IndexName, in.ExpressionAttributeNames = &index, map[string]string{"#k": index + "_PK"}
	}
	return must(r.db.Query(t.Context(), in))(t).Items
}

func of(items []model.Raw, name string) string {
	var all []string
	for _, item := range items {
		text, _ := item[name].(*types.AttributeValueMemberS)
		if text == nil {
			all = append(all, "-")
			continue
		}
		all = append(all, text.Value)
	}
	return strings.Join(all, " ")
}

// Before anybody has added anything, a post of another program is found by its id and
// by the document's own keys, and can be edited, published and deleted.
func TestDocumentPostsUntaken(t *testing.T) {
	modeltest.EachWay(t, documentPostsUntaken)
}

func documentPostsUntaken(t *testing.T, o *modeltest.StoreOptions) {
	r := openRoomOn(t, o)
	ctx := t.Context()
	r.foreign(t, documentRows()...)
	p := must(r.Get(ctx, "p123"))(t)
	if diff := cmp.Diff([]string{"Ireland", "Travel"}, p.Tags); diff != "" || len(p.Blocks) != 2 || p.Status != blog.Published || p.PublishedAt.Year() != 2024 {
		t.Errorf("it is read as %+v", p)
	}
	if a := must(r.Public().Post(ctx, "p123"))(t); len(a.Rows) != 1 || len(a.Rows[0].Cells) != 2 {
		t.Errorf("readers see the rows %+v", a.Rows)
	}
	_, err := r.Public().Post(ctx, "p124")
	check(t, err, errs.NotFound)
	c := p.Content
	c.Title, c.Tags = "Edited", []string{"Travel", "New"}
	_, err = r.Save(ctx, "p123", p.Version-1, c)
	check(t, err, errs.Stale)
	saved := must(r.Save(ctx, "p123", p.Version, c))(t)
	if saved.Version != 1 {
		t.Errorf("its version is %d", saved.Version)
	}
	if got := of(r.literal(t, "", "POST#p123", false), "sk"); got != "BLOCK#00001 BLOCK#00002 METADATA STATUS#published TAG#New TAG#Travel" {
		t.Errorf("the post has %s", got)
	}
	draft := must(r.Get(ctx, "p124"))(t)
	must(r.Publish(ctx, "p124", draft.Version))(t)
	if got := titles(must(r.Public().Latest(ctx, blog.PageOptions{}))(t).Items); got != "次の記事の下書き Edited" {
		t.Errorf("readers' list has %q", got)
	}
	check(t, r.Delete(ctx, "p123", saved.Version), nil)
	check(t, r.Delete(ctx, "p111", blog.AnyVersion), nil)
	if left := r.literal(t, "", "POST#p123", false); len(left) > 0 {
		t.Errorf("left of a deleted post: %v", of(left, "sk"))
	}
}

// After adoption every list has what other programs wrote, the document's own queries
// answer as the document says, and nothing is wrong.
func TestDocumentPosts(t *testing.T) {
	modeltest.EachWay(t, documentPosts)
}

func documentPosts(t *testing.T, o *modeltest.StoreOptions) {
	for name, adopt := range map[string]func(*room, *testing.T){
		"stream": func(r *room, t *testing.T) { r.adopt(t) },
		"migrate": func(r *room, t *testing.T) {
			if n := storytest.Migrate(t, r.stores, r.Shelf()); n != len(documentRows()) {
				t.Errorf("%d items adopted, of %d", n, len(documentRows()))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := openRoomOn(t, o)
			ctx := t.Context()
			r.adopt(t) // so that the streams are followed
			r.foreign(t, documentRows()...)
			opened := must(r.Get(ctx, "p456"))(t)
			check(t, r.Check(ctx, func(where, what string) {
				if !strings.HasSuffix(what, model.Untaken) {
					t.Errorf("before: %s: %s", where, what)
				}
			}), nil)
			adopt(r, t)
			r.sound(t)
			pub := r.Public()
			for what, want := range map[string][2]string{
				"latest":  {titles(must(pub.Latest(ctx, blog.PageOptions{}))(t).Items), "AWS CDK入門 アイルランド移住記"},
				"Ireland": {titles(must(pub.ByTag(ctx, "Ireland", blog.PageOptions{}))(t).Items), "アイルランド移住記"},
				"AWS":     {titles(must(pub.ByTag(ctx, "AWS", blog.PageOptions{}))(t).Items), "AWS CDK入門"},
				"month":   {titles(must(pub.ByMonth(ctx, "2024-01", blog.PageOptions{}))(t).Items), "AWS CDK入門 アイルランド移住記"},
				"all":     {titles(must(r.List(ctx, blog.PageOptions{}))(t).Items), "次の記事の下書き AWS CDK入門 アイルランド移住記 古い記事"},
				"drafts":  {titles(must(r.ListByStatus(ctx, blog.Draft, blog.PageOptions{}))(t).Items), "次の記事の下書き"},
				"tags":    {fmt.Sprint(must(pub.Tags(ctx, blog.PageOptions{}))(t).Items), "[{AWS 1} {Ireland 1} {Travel 1}]"},
				"months":  {fmt.Sprint(must(pub.Months(ctx, blog.PageOptions{}))(t).Items), "[{2024-01 2}]"},

				// The document's literal queries.
				"STATUS#published": {of(r.literal(t, "GSI1", "STATUS#published", false), "GSI1_SK"), "POST#p123 POST#p456"},
				"STATUS#draft":     {of(r.literal(t, "GSI1", "STATUS#draft", false), "title"), "次の記事の下書き"},
				"STATUS#archived":  {of(r.literal(t, "GSI1", "STATUS#archived", false), "status"), "archived"},
				"TAG#AWS":          {of(r.literal(t, "GSI1", "TAG#AWS", false), "title"), "次の記事の下書き AWS CDK入門"},
				"TAG#Ireland":      {of(r.literal(t, "GSI1", "TAG#Ireland", false), "createdAt"), "2024-01-15T10:00:00Z"},
			} {
				if want[0] != want[1] {
					t.Errorf("%s: %q, want %q", what, want[0], want[1])
				}
			}
			// Whoever opened it before can save it.
			c := opened.Content
			c.Title = "CDK"
			must(r.Save(ctx, "p456", opened.Version, c))(t)
			r.adopt(t)
			r.sound(t)
		})
	}
}

// What other programs do to posts of ours is seen: text, tags, states, deletions.
func TestDocumentChanges(t *testing.T) {
	modeltest.EachWay(t, documentChanges)
}

func documentChanges(t *testing.T, o *modeltest.StoreOptions) {
	r := openRoomOn(t, o)
	ctx := t.Context()
	r.adopt(t)
	p := r.publish(t, content("Ours", 3, "a", "b"))
	other := r.publish(t, content("Other", 1, "a"))
	must(r.Public().Post(ctx, p.ID))(t) // it is rendered once
	pk := "POST#" + p.ID
	r.foreign(t, row{"pk": pk, "sk": "BLOCK#00002", "type": "text", "content": "Changed by another program.", "layout": "full"},
		row{"pk": pk, "sk": "TAG#c"})
	check(t, r.Check(ctx, func(where, what string) {
		if !strings.HasSuffix(what, model.Untaken) {
			t.Errorf("before: %s: %s", where, what)
		}
	}), nil)
	r.remove(t, pk, "TAG#a")
	got := must(r.Get(ctx, p.ID))(t)
	if got.Blocks[1].Content != "Changed by another program." || strings.Join(got.Tags, " ") != "b c" {
		t.Errorf("it is read as %+v", got)
	}
	r.adopt(t)
	r.sound(t)
	if a := must(r.Public().Post(ctx, p.ID))(t); !strings.Contains(a.Text, "Changed by another program.") {
		t.Errorf("readers still see %q", a.Text)
	}
	if got := fmt.Sprint(must(r.Public().Tags(ctx, blog.PageOptions{}))(t).Items); got != "[{a 1} {b 1} {c 1}]" {
		t.Errorf("the tags are %s", got)
	}
	_, err := r.Save(ctx, p.ID, p.Version, p.Content)
	check(t, err, errs.Stale)

	// A title, by a program that counts no versions.
	before := must(r.Get(ctx, other.ID))(t)
	must(r.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: aws.String("blog"), UpdateExpression: aws.String("SET title = :t, note = :n"),
		Key:                       model.Raw{"pk": &types.AttributeValueMemberS{Value: "POST#" + other.ID}, "sk": &types.AttributeValueMemberS{Value: "METADATA"}},
		ExpressionAttributeValues: model.Raw{":t": &types.AttributeValueMemberS{Value: "Retitled"}, ":n": &types.AttributeValueMemberS{Value: "of no interest here"}}}))(t)
	r.adopt(t)
	r.sound(t)
	if got := titles(must(r.Public().ByTag(ctx, "a", blog.PageOptions{}))(t).Items); got != "Retitled" {
		t.Errorf("the list has %q", got)
	}
	_, err = r.Save(ctx, other.ID, before.Version, before.Content)
	check(t, err, errs.Stale)
	after := must(r.Get(ctx, other.ID))(t)
	must(r.Save(ctx, other.ID, after.Version, after.Content))(t)
	if got := of(r.literal(t, "", "POST#"+other.ID, false), "note"); !strings.Contains(got, "of no interest here") {
		t.Errorf("an attribute that nobody knows is gone: %s", got)
	}

	// Unpublished, then deleted, item by item.
	r.foreign(t, row{"pk": pk, "sk": "METADATA", "title": "Ours", "status": "draft", "createdAt": "2024-01-15T10:00:00Z", "updatedAt": "2024-01-15T10:00:00Z"})
	r.adopt(t)
	r.sound(t)
	if got := titles(must(r.Public().Latest(ctx, blog.PageOptions{}))(t).Items); got != "Retitled" {
		t.Errorf("readers' list has %q", got)
	}
	for _, item := range r.literal(t, "", pk, false) {
		r.remove(t, pk, item["sk"].(*types.AttributeValueMemberS).Value)
	}
	r.adopt(t)
	r.sound(t)
	if got := fmt.Sprint(must(r.Public().Tags(ctx, blog.PageOptions{}))(t).Items); got != "[{a 1}]" {
		t.Errorf("the tags are %s", got)
	}
}

func (r *room) remove(t testing.TB, pk, sk string) {
	t.Helper()
	must(r.db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("blog"),
		Key: model.Raw{"pk": &types.AttributeValueMemberS{Value: pk}, "sk": &types.AttributeValueMemberS{Value: sk}}}))(t)
}

// Images of the library have addresses that other programs can fetch; where that is may
// change later, and old references are understood.
func TestAddressesOfImages(t *testing.T) {
	at := "https://news.example/blog/media/"
	r := openRoom(t, func(o *blog.Options) { o.PublicMedia = at })
	ctx := t.Context()
	m := r.addPhoto(t, 800, 600)
	c := content("Pictures", 1)
	c.Thumbnail = m.Ref
	c.Blocks = append(c.Blocks, blog.Block{Type: blog.Image, Layout: blog.Full, Content: m.Ref, Alt: "a"})
	p := r.publish(t, c)
	stored := func() string {
		return of(r.literal(t, "", "POST#"+p.ID, false), "content") + " " + of(r.literal(t, "GSI1", "STATUS#published", false), "thumbnail")
	}
	want := "Pictures, block 0. " + at + m.ID + "/full"
	if got := stored(); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, at+m.ID+"/full") {
		t.Errorf("stored is %q", got)
	}
	a := must(r.Public().Post(ctx, p.ID))(t)
	if !strings.Contains(string(a.Rows[1].Cells[0].HTML), "/blog/media/"+m.ID+"/w") {
		t.Errorf("the page shows %s", a.Rows[1].Cells[0].HTML)
	}
	if err := r.DeleteMedia(ctx, m.ID); errs.KindOf(err) != errs.Conflict {
		t.Errorf("an image that a post shows is deleted: %v", err)
	}
	moved := r.open(t, r.db, func(o *blog.Options) { o.PublicMedia = "https://cdn.example/pictures" })
	check(t, moved.Readdress(ctx), nil)
	if got := stored(); strings.Contains(got, at) || !strings.Contains(got, "https://cdn.example/pictures/"+m.ID+"/full") {
		t.Errorf("after the move stored is %q", got)
	}
	now := must(moved.Get(ctx, p.ID))(t)
	check(t, moved.Readdress(ctx), nil)
	if again := must(moved.Get(ctx, p.ID))(t); again.Version != now.Version {
		t.Error("what is right was written again")
	}
	r.sound(t)
}

// Lists have what another program wrote within five seconds.
func TestDocumentPostsInTime(t *testing.T) {
	if modeltest.Foreign() {
		t.Skip("other servers are outside of any bubble")
	}
	synctest.Test(t, func(t *testing.T) {
		r := openRoom(t)
		storytest.Within(t, r.stores, must(story.New(r.db, nil))(t), r.Shelf(), 5*time.Second, func() { r.foreign(t, documentRows()...) }, func() bool {
			return titles(must(r.Public().Latest(t.Context(), blog.PageOptions{}))(t).Items) == "AWS CDK入門 アイルランド移住記" &&
				titles(must(r.Public().ByTag(t.Context(), "Ireland", blog.PageOptions{}))(t).Items) == "アイルランド移住記" &&
				len(must(r.List(t.Context(), blog.PageOptions{}))(t).Items) == 4
		})
	})
}
