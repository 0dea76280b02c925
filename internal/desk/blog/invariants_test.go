package blog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"pressroom/internal/desk/blog"
	"pressroom/model"
	"pressroom/model/modeltest"
)

// exhibit is a room with everything that the check looks at: a published post
// with tags and an image, a draft, and one that is too long for a transaction.
type exhibit struct {
	*room
	modeltest.Damage
	post, draft, long blog.Post
	media             blog.Media
}

func openExhibit(t *testing.T) *exhibit {
	t.Helper()
	e := &exhibit{room: openRoom(t)}
	e.untold = true
	e.Damage = modeltest.Damage{T: t, DB: e.db, Table: &blog.Schema.Tables[0]}
	e.media = e.addPhoto(t, 40, 30)
	c := content("news", 3, "tea", "rain")
	c.Blocks = append(c.Blocks, imageBlock(e.media))
	e.post = e.publish(t, c)
	e.draft = must(e.Create(t.Context(), content("draft", 2, "tea")))(t)
	e.long = must(e.Create(t.Context(), content("long", 150)))(t)
	return e
}

func (e *exhibit) key() string { return "POST#" + e.post.ID }

func TestCheckFindsNothing(t *testing.T) {
	e := openExhibit(t)
	modeltest.WantSound(t, e.Check)
	must(e.Archive(t.Context(), e.post.ID, blog.AnyVersion))(t)
	check(t, e.Desk.Delete(t.Context(), e.long.ID, blog.AnyVersion), nil)
	modeltest.WantSound(t, e.Check)
}

func TestCheckFinds(t *testing.T) {
	for _, tt := range []struct {
		name   string
		damage func(*testing.T, *exhibit)
		words  []string
	}{
		{"post gone", func(_ *testing.T, e *exhibit) { e.Damage.Delete(e.key(), "METADATA") }, []string{"BLOCK#00001", "there is no post"}},
		{"state gone", func(_ *testing.T, e *exhibit) { e.Damage.Delete(e.key(), "STATUS#published") }, []string{"METADATA", "not listed under the state published"}},
		{"second state", func(_ *testing.T, e *exhibit) {
			e.Copy([]string{e.key(), "STATUS#published"}, []string{e.key(), "STATUS#draft"})
			e.Set("status", "draft", e.key(), "STATUS#draft")
		}, []string{"listed under the state draft, which it does not have"}},
		{"state says something else", func(_ *testing.T, e *exhibit) { e.Set("title", "other", e.key(), "STATUS#published") }, []string{"item under the state published says something else"}},
		{"tag gone", func(_ *testing.T, e *exhibit) { e.Damage.Delete(e.key(), "TAG#rain") }, []string{"not listed under the tag rain"}},
		{"tag says something else", func(_ *testing.T, e *exhibit) { e.Set("status", "draft", e.key(), "TAG#tea") }, []string{"item under the tag tea says something else"}},
		{"tag too many", func(_ *testing.T, e *exhibit) {
			e.Copy([]string{e.key(), "TAG#tea"}, []string{e.key(), "TAG#snow"})
			e.Set("tagName", "snow", e.key(), "TAG#snow")
		}, []string{"listed under the tag snow, which it does not have"}},
		{"block gone", func(_ *testing.T, e *exhibit) { e.Damage.Delete(e.key(), "BLOCK#00002") }, []string{"number 2 is missing"}},
		{"last block gone", func(_ *testing.T, e *exhibit) { e.Damage.Delete(e.key(), "BLOCK#00004") }, []string{"its 3 blocks are not those that were saved"}},
		{"block changed", func(_ *testing.T, e *exhibit) { e.Set("content", "other", e.key(), "BLOCK#00001") }, []string{"are not those that were saved"}},
		{"part without its first", func(t *testing.T, e *exhibit) {
			e.half(t)
			e.Damage.Delete("SAVE#S", "PART#00000")
		}, []string{"SAVE#S", "PART#00001", "whose first part is gone"}},
		{"block of a save that is gone", func(_ *testing.T, e *exhibit) { e.Set("saveId", "S", e.key(), "BLOCK#00002") },
			[]string{"BLOCK#00002", "waits for save S, whose first part is gone"}},
		{"published without blocks", func(_ *testing.T, e *exhibit) {
			for i := range 4 {
				e.Damage.Delete(e.key(), fmt.Sprintf("BLOCK#%05d", i+1))
			}
		}, []string{"published and has no blocks"}},
		{"published without date", func(_ *testing.T, e *exhibit) { e.Set("publishedAt", nil, e.key(), "METADATA") }, []string{"no date of publication"}},
		{"use not noted", func(_ *testing.T, e *exhibit) { e.Damage.Delete("MEDIA#"+e.media.ID, e.key()) }, []string{"the image does not know"}},
		{"image gone", func(_ *testing.T, e *exhibit) { e.Damage.Delete("MEDIA#"+e.media.ID, "METADATA") }, []string{"blocks[3].content", "which the library does not have"}},
		{"image's file gone", func(t *testing.T, e *exhibit) {
			key := "images/" + e.media.ID + "/full"
			_, err := e.objects.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: aws.String("blog-media"), Key: &key})
			check(t, err, nil)
		}, []string{"MEDIA#", "/full is missing"}},
		{"image expires", func(_ *testing.T, e *exhibit) { e.Set("ttl", 9999999999, "MEDIA#"+e.media.ID, "METADATA") }, []string{"will expire"}},
		{"image without full size", func(_ *testing.T, e *exhibit) { e.Set("sizes", []blog.Size{}, "MEDIA#"+e.media.ID, "METADATA") }, []string{"no full size"}},
		{"upload for ever", func(_ *testing.T, e *exhibit) { e.Set("state", "pending", "MEDIA#"+e.media.ID, "METADATA") }, []string{"awaited for ever"}},
		{"tag not counted", func(_ *testing.T, e *exhibit) { e.Damage.Delete("COUNT#tag", "NAME#rain") }, []string{"tag rain is not counted"}},
		{"tag counted wrong", func(_ *testing.T, e *exhibit) { e.Set("count", 7, "COUNT#tag", "NAME#tea") }, []string{"COUNT#tag", "says 7, and there are 1"}},
		{"month counted wrong", func(_ *testing.T, e *exhibit) { e.Set("count", 7, "COUNT#month", "NAME#2026-11") }, []string{"COUNT#month", "says 7"}},
		{"month not counted", func(_ *testing.T, e *exhibit) { e.Damage.Delete("COUNT#month", "NAME#2026-11") }, []string{"months count 0 published posts, and there are 1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := openExhibit(t)
			tt.damage(t, e)
			modeltest.WantFinding(t, e.Check, tt.words...)
		})
	}
}

// half leaves parts of a save of the long post.
func (e *exhibit) half(t *testing.T) {
	t.Helper()
	for i := range 2 {
		e.Put(map[string]any{"pk": "SAVE#S", "sk": fmt.Sprintf("PART#%05d", i), "saveId": "S", "part": i, "id": e.long.ID, "createdAt": "2026-11-15T09:00:00.000Z", "items": [][]string{{"POST#" + e.long.ID, "BLOCK#00001"}}})
	}
}

// A check beside editors finds nothing.
func TestCheckBesideEditors(t *testing.T) {
	e := openExhibit(t)
	ctx, stop := context.WithCancel(t.Context())
	var editors sync.WaitGroup
	for i := range 3 {
		editors.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				p, err := e.Create(ctx, content(fmt.Sprint("editor ", i), 2+n%3, "tea", fmt.Sprint("tag", n%2)))
				if err == nil {
					p, err = e.Publish(ctx, p.ID, p.Version)
				}
				if err == nil && n%2 == 0 {
					err = e.Desk.Delete(ctx, p.ID, p.Version)
				}
				if err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	for range 5 {
		modeltest.WantSound(t, e.Check)
	}
	stop()
	editors.Wait()
	modeltest.WantSound(t, e.Check)
}

// A check that takes longer than editors need for a post finds nothing, though
// what it reads first never fits what it reads then.
func TestCheckSlowerThanEditors(t *testing.T) {
	e := openExhibit(t)
	db := &hurried{DB: e.db}
	db.edit = func() {
		p, err := e.Create(t.Context(), content("meanwhile", 1, "tea"))
		if err == nil {
			_, err = e.Publish(t.Context(), p.ID, p.Version)
		}
		check(t, err, nil)
	}
	modeltest.WantSound(t, e.open(t, db).Check)
	if db.edits == 0 {
		t.Error("nobody published while the posts were counted")
	}
	modeltest.WantSound(t, e.Check)
}

// hurried is a store with editors who publish a post before and after each list
// of the published posts.
type hurried struct {
	model.DB
	edit  func()
	edits int
}

func (h *hurried) Query(ctx context.Context, in *dynamodb.QueryInput, o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	published := func(v types.AttributeValue) bool {
		text, ok := v.(*types.AttributeValueMemberS)
		return ok && text.Value == "STATUS#published"
	}
	if !slices.ContainsFunc(slices.Collect(maps.Values(in.ExpressionAttributeValues)), published) {
		return h.DB.Query(ctx, in, o...)
	}
	h.edits++
	h.edit()
	defer h.edit()
	return h.DB.Query(ctx, in, o...)
}

// What an earlier version left in a journal when it was killed is read, checked and
// moved into the blocks; a journal that was never committed goes.
func TestJournalOfAnEarlierVersion(t *testing.T) {
	for _, read := range []bool{true, false} {
		e := openExhibit(t)
		ctx := t.Context()
		want, err := e.Desk.Get(ctx, e.long.ID)
		check(t, err, nil)
		half := len(want.Blocks) / 2
		for i, blocks := range [][]blog.Block{want.Blocks[:half], want.Blocks[half:]} {
			body, err := json.Marshal(map[string]any{"parts": 2, "blocks": blocks})
			check(t, err, nil)
			for save, id := range map[string]string{"S": want.ID, "T": "nothing"} {
				part := map[string]any{"pk": "SAVE#" + save, "sk": fmt.Sprintf("PART#%05d", i), "saveId": save, "part": i, "id": id, "createdAt": "2026-11-15T09:00:00.000Z", "blocks": body, "schemaVersion": 1}
				if i == 0 {
					part["committed"], part["GSI2_PK"], part["GSI2_SK"] = save == "S", "SAVES", "2026-11-15T09:00:00.000Z#"+save
				}
				e.Put(part)
			}
		}
		e.Set("saveId", "S", "POST#"+want.ID, "METADATA")
		e.Set("content", "as it was before", "POST#"+want.ID, "BLOCK#00003")
		e.Damage.Delete("POST#"+want.ID, fmt.Sprintf("BLOCK#%05d", len(want.Blocks)))
		modeltest.WantSound(t, e.Check)
		if !read {
			must(e.SweepSaves(ctx, time.Minute))(t)
		}
		got, err := e.Desk.Get(ctx, want.ID)
		check(t, err, nil)
		if !cmp.Equal(got.Blocks, want.Blocks) {
			t.Errorf("read first: %v: the body is not that of the journal", read)
		}
		must(e.SweepSaves(ctx, time.Minute))(t)
		modeltest.WantSound(t, e.Check)
		if left := e.items(t)["SAVE/PART"]; left != 0 {
			t.Errorf("%d parts are left", left)
		}
	}
}
