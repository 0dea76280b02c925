package blog_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
	"pressroom/internal/rights/erase"
	"pressroom/internal/story"
	"pressroom/model"
)

type whoKey struct{}

// as is the context of a person.
func as(t testing.TB, name string) context.Context {
	return context.WithValue(t.Context(), whoKey{}, name)
}

func named(o *blog.Options) {
	o.Who = func(ctx context.Context) string { name, _ := ctx.Value(whoKey{}).(string); return name }
}

// history are all revisions of a post, the last first.
func (r *room) history(t testing.TB, id string, limit int) []blog.Revision {
	t.Helper()
	var all []blog.Revision
	for o := (blog.PageOptions{Limit: limit}); ; {
		page := must(r.Revisions(t.Context(), id, o))(t)
		all = append(all, page.Items...)
		if o.Cursor = page.Next; o.Cursor == "" {
			return all
		}
	}
}

// Every save, publication and restoration is a revision, with who and when; what was
// comes back whole; and all of it goes with the post.
func TestRevisions(t *testing.T) {
	r := openRoom(t, named)
	ann, ben := as(t, "Ann"), as(t, "Ben")
	first := content("First", 3, "one")
	p := must(r.Create(ann, first))(t)
	second := content("Second", 2500, "two", "three") // more than a transaction takes
	p = must(r.Save(ben, p.ID, p.Version, second))(t)
	p = must(r.Publish(ann, p.ID, p.Version))(t)

	list := r.history(t, p.ID, 2)
	var told []string
	for i, one := range list {
		told = append(told, fmt.Sprintf("%d %s %s %s %s %d", one.Of, one.What, one.By, one.Title, one.Status, one.Blocks))
		if one.At.IsZero() || i > 0 && one.ID >= list[i-1].ID {
			t.Errorf("revision %d: at %v, id %s", i, one.At, one.ID)
		}
	}
	want := []string{"3 published Ann Second published 2500", "2 saved Ben Second draft 2500", "1 created Ann First draft 3"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Fatal(diff)
	}
	for i, c := range []blog.Content{second, second, first} {
		_, got, err := r.Revision(t.Context(), p.ID, list[i].ID)
		check(t, err, nil)
		whole(t, blog.Post{Content: got}, c, c)
	}
	before, ok, err := r.Before(t.Context(), p.ID, list[0].ID)
	if err != nil || !ok || before != list[1] {
		t.Errorf("before the last: %+v %v %v", before, ok, err)
	}
	if _, ok, err := r.Before(t.Context(), p.ID, list[2].ID); ok || err != nil {
		t.Errorf("before the first: %v %v", ok, err)
	}

	restored := must(r.Restore(ben, p.ID, p.Version, list[2].ID))(t)
	if restored.Status != blog.Published || !restored.PublishedAt.Equal(p.PublishedAt) {
		t.Errorf("restored, it is %s of %v", restored.Status, restored.PublishedAt)
	}
	whole(t, must(r.Get(t.Context(), p.ID))(t), first, first)
	if last := r.history(t, p.ID, 50)[0]; last.What != blog.Restored || last.From != list[2].ID || last.By != "Ben" {
		t.Errorf("the restoration is told as %+v", last)
	}
	_, err = r.Restore(ben, p.ID, p.Version, list[1].ID)
	check(t, err, errs.Stale)
	_, _, err = r.Revision(t.Context(), p.ID, "01ARZ3NDEKTSV4RRFFQ69G5FAV")
	check(t, err, errs.NotFound)
	_, _, err = r.Revision(t.Context(), p.ID, "x")
	check(t, err, errs.NotFound)

	// A reader of the post's partition gets the post and nothing else.
	if got := r.items(t); got["POST/METADATA"] != 1 || got["POST/BLOCK"] != 3 || got["POST/STATUS"] != 1 || got["POST/TAG"] != 1 {
		t.Errorf("beside the post lie %v", got)
	}
	check(t, r.Delete(t.Context(), p.ID, blog.AnyVersion), nil)
	if got := r.items(t); got["REVISIONS/REVISION"]+got["REVISIONS/PART"] > 0 {
		t.Errorf("deleted, and there is %v", got)
	}
	_, err = r.Revisions(t.Context(), p.ID, blog.PageOptions{})
	check(t, err, errs.NotFound)
}

// What another program wrote, or an earlier version, is in the history once the desk
// saves over it.
func TestRevisionOfOthers(t *testing.T) {
	r := openRoom(t)
	r.untold = true
	p := must(r.Create(t.Context(), content("Ours", 2)))(t)
	_, err := r.db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String("blog"), Key: model.Raw{"pk": &types.AttributeValueMemberS{Value: "POST#" + p.ID}, "sk": &types.AttributeValueMemberS{Value: "BLOCK#00001"}},
		UpdateExpression: aws.String("SET content = :c"), ExpressionAttributeValues: model.Raw{":c": &types.AttributeValueMemberS{Value: "Theirs"}},
	})
	check(t, err, nil)
	p = must(r.Save(t.Context(), p.ID, p.Version, content("Ours again", 1)))(t)
	list := r.history(t, p.ID, 50)
	if len(list) != 3 || list[1].What != blog.Found {
		t.Fatalf("the history is %+v", list)
	}
	_, c, err := r.Revision(t.Context(), p.ID, list[1].ID)
	if err != nil || c.Blocks[0].Content != "Theirs" {
		t.Errorf("found: %+v %v", c.Blocks, err)
	}
}

// An erased name is in no revision, and the rest of the revision stays; an erased post
// has none.
func TestRevisionErased(t *testing.T) {
	r := openRoom(t, named)
	r.untold = true
	c := content("About Quentin Zzyzx", 2)
	c.Blocks[1].Content = "It was Quentin Zzyzx who said so."
	p := must(r.Create(as(t, "Quentin Zzyzx"), c))(t)
	p = must(r.Save(t.Context(), p.ID, p.Version, content("Nobody", 1)))(t)
	stories, err := story.New(r.db, nil)
	check(t, err, nil)
	e, err := erase.New(r.db, erase.Options{
		Objects: r.objects, Stories: stories, Desks: []*erase.Traces{r.Traces()}, Schemas: []model.Schema{blog.Schema},
		Registers: []string{t.TempDir() + "/register"}, Now: r.clock.Now,
	})
	check(t, err, nil)
	_, err = e.Begin(t.Context(), erase.Subject{Kind: erase.Person, Text: "Quentin Zzyzx"}, "op", "asked")
	check(t, err, nil)
	check(t, e.Run(t.Context(), nil), nil)
	// An import brings neither the name back nor, later, the post.
	taking := must(blog.New(r.db, r.objects, &blog.Options{Erased: e, Now: r.clock.Now}))(t)
	given := blog.Given{ID: "01ARZ3NDEKTSV4RRFFQ69G5FAV", Content: c, Status: blog.Draft, CreatedAt: r.clock.Now().AddDate(-1, 0, 0), UpdatedAt: r.clock.Now()}
	taken := must(taking.Take(t.Context(), given, 0))(t)
	if text := fmt.Sprint(taken); strings.Contains(text, "Zzyzx") || !strings.Contains(text, "who said so") {
		t.Errorf("an import brings back %s", text)
	}
	list := r.history(t, p.ID, 50)
	_, got, err := r.Revision(t.Context(), p.ID, list[1].ID)
	check(t, err, nil)
	if text := fmt.Sprint(list, got); strings.Contains(text, "Zzyzx") || !strings.Contains(text, "who said so") {
		t.Errorf("after the erasure: %s", text)
	}
	_, err = e.Begin(t.Context(), erase.Subject{Kind: erase.Story, Text: "blog/" + p.ID}, "op", "asked")
	check(t, err, nil)
	check(t, e.Run(t.Context(), nil), nil)
	if got := r.items(t); got["REVISIONS/REVISION"]+got["REVISIONS/PART"] > 0 {
		t.Errorf("the post is erased, and there is %v", got)
	}
	given.ID = p.ID
	_, err = taking.Take(t.Context(), given, 0)
	check(t, err, errs.Gone)
}

func blocks(texts ...string) []blog.Block {
	all := []blog.Block{}
	for _, text := range texts {
		all = append(all, blog.Block{Type: blog.Text, Layout: blog.Full, Content: text})
	}
	return all
}

func TestCompare(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		was, is    []string
	}{
		{"same", "=a =b", []string{"a", "b"}, []string{"a", "b"}},
		{"word", "=a ~one[-two-][+three+] four", []string{"a", "one two four"}, []string{"a", "one three four"}},
		{"japanese", "~予算は[-可-][+否+]決された", []string{"予算は可決された"}, []string{"予算は否決された"}},
		{"added", "=a +new =b", []string{"a", "b"}, []string{"a", "new", "b"}},
		{"gone", "=a -b =c", []string{"a", "b", "c"}, []string{"a", "c"}},
		{"changed beside new", "~one two three[+ four+] +something else", []string{"one two three"}, []string{"one two three four", "something else"}},
		{"new before changed", "+something else ~one two three[+ four+]", []string{"one two three"}, []string{"something else", "one two three four"}},
		{"all", "-a", []string{"a"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := blog.Compare(blog.Content{Blocks: blocks(tt.was...)}, blog.Content{Blocks: blocks(tt.is...)})
			var got []string
			for _, b := range d.Blocks {
				switch b.Mark {
				case blog.Same:
					got = append(got, "="+b.Is.Content)
				case blog.Gone:
					got = append(got, "-"+b.Was.Content)
				case blog.Fresh:
					got = append(got, "+"+b.Is.Content)
				case blog.Changed:
					text := "~"
					for _, run := range b.Words {
						text += map[blog.Mark]string{blog.Same: run.Text, blog.Gone: "[-" + run.Text + "-]", blog.Fresh: "[+" + run.Text + "+]"}[run.Mark]
					}
					got = append(got, strings.ReplaceAll(text, " [-", "[-"))
				}
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%s, want %s", strings.Join(got, " "), tt.want)
			}
			if d.Unchanged() != (tt.name == "same") {
				t.Errorf("unchanged: %v", d.Unchanged())
			}
		})
	}
	d := blog.Compare(blog.Content{Facts: blog.Facts{Title: "A b"}, Tags: []string{"x"}}, blog.Content{Facts: blog.Facts{Title: "A c"}, Tags: []string{"x", "y"}})
	if len(d.Facts) != 2 || d.Facts[0].Name != "title" || d.Facts[1].Name != "tags" {
		t.Errorf("facts: %+v", d.Facts)
	}
}

// FuzzCompare puts together what a comparison took apart.
func FuzzCompare(f *testing.F) {
	f.Add("a\nb c\nd", "a\nb x\nd\ne")
	f.Add("予算\n\n可決", "予算案\n可決")
	f.Fuzz(func(t *testing.T, was, is string) {
		a, b := blocks(strings.Split(was, "\n")...), blocks(strings.Split(is, "\n")...)
		var first, second []blog.Block
		for _, c := range blog.Compare(blog.Content{Blocks: a}, blog.Content{Blocks: b}).Blocks {
			if c.Was != nil {
				first = append(first, *c.Was)
			}
			if c.Is != nil {
				second = append(second, *c.Is)
			}
			var before, after string
			for _, run := range c.Words {
				if run.Mark != blog.Fresh {
					before += run.Text
				}
				if run.Mark != blog.Gone {
					after += run.Text
				}
			}
			if c.Mark == blog.Changed && (before != c.Was.Content || after != c.Is.Content) {
				t.Errorf("%q and %q, not %q and %q", before, after, c.Was.Content, c.Is.Content)
			}
		}
		if !slices.Equal(first, a) || !slices.Equal(second, b) {
			t.Errorf("%q to %q is %v to %v", was, is, first, second)
		}
	})
}

func TestMerge(t *testing.T) {
	for _, tt := range []struct{ name, base, mine, theirs, want string }{
		{"neighbours", "a b c", "a B c", "a b C", "a B C"},
		{"both add", "a b", "a x b", "a y b", "a y x b"},
		{"both add the same", "a b", "a x b", "a x b", "a x b"},
		{"mine goes", "a b c", "a c", "a b C", "a C"},
		{"both go", "a b c", "a c", "a c", "a c"},
		{"at the ends", "a", "x a", "a y", "x a y"},
		{"clash", "a b c", "a B c", "a BB c", "a BB c !B/BB"},
		{"gone and changed", "a b c", "a c", "a B c", "a B c !-/B"},
		{"changed and gone", "a b c", "a B c", "a c", "a c !B/-"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := openRoom(t, named)
			c := content("T", 0)
			c.Blocks = blocks(strings.Fields(tt.base)...)
			p := must(r.Create(t.Context(), c))(t)
			c.Blocks = blocks(strings.Fields(tt.theirs)...)
			must(r.Save(as(t, "Ben"), p.ID, p.Version, c))(t)
			c.Blocks, c.Summary = blocks(strings.Fields(tt.mine)...), "Mine"
			got, with, err := r.SaveMerged(as(t, "Ann"), p.ID, p.Version, c)
			merged := got.Content
			clashes := ""
			var clash *blog.ClashError
			if errors.As(err, &clash) {
				check(t, err, errs.Stale)
				merged = clash.Merged
				for _, one := range clash.Clashes {
					text := func(b *blog.Block) string {
						if b == nil {
							return "-"
						}
						return b.Content
					}
					clashes += " !" + text(one.MyBlock) + "/" + text(one.TheirBlock)
				}
				if clash.By != "Ben" || clash.Version != 2 || must(r.Version(t.Context(), p.ID))(t) != 2 {
					t.Errorf("a clash with %s, version %d", clash.By, clash.Version)
				}
			} else if err != nil || !slices.Equal(with, []string{"Ben"}) {
				t.Fatalf("merged with %v: %v", with, err)
			}
			var texts []string
			for _, b := range merged.Blocks {
				texts = append(texts, b.Content)
			}
			if got := strings.Join(texts, " ") + clashes; got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			if merged.Summary != "Mine" {
				t.Errorf("the summary is %q", merged.Summary)
			}
		})
	}
}

// Facts and tags merge, too.
func TestMergeFacts(t *testing.T) {
	r := openRoom(t)
	c := content("T", 1, "a", "b")
	p := must(r.Create(t.Context(), c))(t)
	theirs := content("Theirs", 1, "b", "c")
	theirs.Blocks, theirs.Summary = c.Blocks, c.Summary
	must(r.Save(t.Context(), p.ID, p.Version, theirs))(t)
	mine := c
	mine.Tags = []string{"a", "b", "d"}
	got, _, err := r.SaveMerged(t.Context(), p.ID, p.Version, mine)
	check(t, err, nil)
	if got.Title != "Theirs" || strings.Join(got.Tags, " ") != "b c d" {
		t.Errorf("%q with %v", got.Title, got.Tags)
	}
	mine.Title = "Mine"
	_, _, err = r.SaveMerged(t.Context(), p.ID, p.Version, mine)
	var clash *blog.ClashError
	if !errors.As(err, &clash) || len(clash.Clashes) != 1 || clash.Clashes[0].Mine != "Mine" || clash.Clashes[0].Theirs != "Theirs" {
		t.Errorf("two titles: %v", err)
	}
}

// Two people edit one post at random. Whatever either saved is in the post or in its
// history, and what a merged save brought from both is in it.
func TestTwoEditors(t *testing.T) {
	for seed := range uint64(8) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		r := openRoom(t, named)
		c := content("Shared", 6)
		p := must(r.Create(t.Context(), c))(t)
		type editor struct {
			name string
			base blog.Post
			mine blog.Content
		}
		editors := []*editor{{"Ann", p, p.Content}, {"Ben", p, p.Content}}
		saved := map[string]bool{}
		n, merges, clashes := 0, 0, 0
		for range 120 {
			e := editors[rnd.IntN(2)]
			e.mine.Blocks = slices.Clone(e.mine.Blocks)
			for range 1 + rnd.IntN(2) {
				n++
				text := fmt.Sprintf("%s wrote %d", e.name, n)
				at := rnd.IntN(len(e.mine.Blocks) + 1)
				switch what := rnd.IntN(4); {
				case what == 0 || at == len(e.mine.Blocks):
					e.mine.Blocks = slices.Insert(e.mine.Blocks, at, blocks(text)...)
				case what == 1 && len(e.mine.Blocks) > 3:
					e.mine.Blocks = slices.Delete(e.mine.Blocks, at, at+1)
				default:
					e.mine.Blocks[at].Content = text
				}
			}
			if rnd.IntN(2) == 0 {
				continue
			}
			theirs := must(r.Get(t.Context(), p.ID))(t)
			got, with, err := r.SaveMerged(as(t, e.name), p.ID, e.base.Version, e.mine)
			var clash *blog.ClashError
			if errors.As(err, &clash) {
				clashes++
				kept := clash.Merged
				for _, one := range slices.Backward(clash.Clashes) { // keeps both
					if one.MyBlock != nil {
						kept.Blocks = slices.Insert(kept.Blocks, one.At, *one.MyBlock)
					}
				}
				got, err = r.Save(as(t, e.name), p.ID, clash.Version, kept)
			}
			check(t, err, nil)
			if with != nil {
				merges++
			}
			for _, side := range []blog.Content{e.mine, theirs.Content} {
				for _, b := range side.Blocks {
					if !slices.Contains(e.base.Blocks, b) && !slices.Contains(got.Blocks, b) {
						t.Fatalf("seed %d: %q is lost", seed, b.Content)
					}
				}
			}
			for _, b := range e.mine.Blocks {
				saved[b.Content] = true
			}
			e.base, e.mine = got, got.Content
		}
		if merges == 0 || clashes == 0 {
			t.Errorf("seed %d: %d merges, %d clashes", seed, merges, clashes)
		}
		there := map[string]bool{}
		for _, one := range r.history(t, p.ID, 100) {
			_, c, err := r.Revision(t.Context(), p.ID, one.ID)
			check(t, err, nil)
			for _, b := range c.Blocks {
				there[b.Content] = true
			}
		}
		for text := range saved {
			if !there[text] {
				t.Errorf("seed %d: %q was saved and is in no revision", seed, text)
			}
		}
	}
}
