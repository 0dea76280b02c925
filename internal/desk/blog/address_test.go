package blog_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
	"pressroom/internal/rights/erase"
	"pressroom/internal/story"
	"pressroom/model"
	"pressroom/model/modeltest"
)

func TestSlug(t *testing.T) {
	for title, want := range map[string]string{
		"The county's budget, 2026":       "the-countys-budget-2026",
		"  Déjà vu — again? ":             "déjà-vu-again",
		"予算案が可決　賛成二百四":                    "予算案が可決-賛成二百四",
		"データセンターの電力":                      "データセンターの電力",
		"ＦＵＬＬ　ｗｉｄｔｈ":                      "full-width",
		"???":                             "",
		strings.Repeat("long title ", 20): "long-title-long-title-long-title-long-title-long-title-long-title-long-title-lon",
	} {
		if got := blog.Slug(title); got != want {
			t.Errorf("%q is %q, not %q", title, got, want)
		}
	}
}

// A post has a readable address from its first publication, keeps those that it had, and
// nobody else ever gets them.
func TestAddresses(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	public := r.Public()
	p := r.publish(t, content("The budget", 1))
	other := r.publish(t, content("The Budget!", 1))
	if p.Slug != "the-budget" || other.Slug != "the-budget-2" {
		t.Fatalf("addresses %q and %q", p.Slug, other.Slug)
	}
	c := p.Content
	c.Title, c.Slug = "The budget, amended", "Amended 予算"
	p = must(r.Save(ctx, p.ID, p.Version, c))(t)
	if p.Slug != "amended-予算" {
		t.Errorf("changed to %q", p.Slug)
	}
	for _, address := range []string{p.ID, "the-budget", "amended-予算", "AMENDED-予算"} {
		if a, err := public.At(ctx, address); err != nil || a.ID != p.ID || a.Slug != p.Slug {
			t.Errorf("%s: %v", address, err)
		}
	}
	// An address that a person chose stays; one made from a title goes with its words.
	c = p.Content
	c.Title = "The budget, amended twice"
	if p = must(r.Save(ctx, p.ID, p.Version, c))(t); p.Slug != "amended-予算" {
		t.Errorf("with another title it is %q", p.Slug)
	}
	third := r.publish(t, content("Wrong name", 1))
	c = third.Content
	c.Title = "Right name"
	if third = must(r.Save(ctx, third.ID, third.Version, c))(t); third.Slug != "right-name" {
		t.Errorf("with another title it is %q", third.Slug)
	}
	if a, err := public.At(ctx, "wrong-name"); err != nil || a.Slug != "right-name" {
		t.Errorf("the old address: %v", err)
	}
	_, err := public.At(ctx, "never")
	check(t, err, errs.NotFound)

	c = other.Content
	c.Slug = "the-budget"
	_, err = r.Save(ctx, other.ID, other.Version, c)
	if check(t, err, errs.Invalid); fields(err) != "slug" {
		t.Errorf("taking another's: %v", err)
	}
	check(t, r.Delete(ctx, p.ID, blog.AnyVersion), nil)
	_, err = r.Save(ctx, other.ID, other.Version, c)
	check(t, err, errs.Invalid)
	_, err = public.At(ctx, "the-budget")
	check(t, err, errs.NotFound)

	c.Slug = "" // what is left out stays
	if got := must(r.Save(ctx, other.ID, other.Version, c))(t); got.Slug != "the-budget-2" {
		t.Errorf("left out, it is %q", got.Slug)
	}
	for _, bad := range []string{"a/b", "a--b", "-a", "a b c?", "01arz3ndektsv4rrffq69g5fav", strings.Repeat("x", 101)} {
		c.Slug = bad
		_, err := r.Create(ctx, c)
		if fields(err) != "slug" {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// Posts of the same title that are published at the same time get different addresses.
func TestAddressRace(t *testing.T) {
	r := openRoom(t)
	var all sync.WaitGroup
	slugs := make([]string, 8)
	for i := range slugs {
		p := must(r.Create(t.Context(), content("Same", 1)))(t)
		all.Go(func() {
			got, err := r.Publish(t.Context(), p.ID, p.Version)
			if err != nil {
				t.Error(err)
			}
			slugs[i] = got.Slug
		})
	}
	all.Wait()
	seen := map[string]bool{}
	for _, s := range slugs {
		if seen[s] || !strings.HasPrefix(s, "same") {
			t.Errorf("addresses %v", slugs)
		}
		seen[s] = true
	}
}

func TestPresence(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	p := must(r.Create(ctx, content("Shared", 1)))(t)
	ann, ben := blog.Present{Person: "1", Tab: "a", Name: "Ann"}, blog.Present{Person: "2", Tab: "b", Name: "Ben"}
	if got := must(r.Here(ctx, p.ID, ann))(t); len(got) != 0 {
		t.Errorf("alone, and there is %v", got)
	}
	if got := must(r.Here(ctx, p.ID, ben))(t); len(got) != 1 || got[0] != ann {
		t.Errorf("Ben sees %v", got)
	}
	if got := must(r.Here(ctx, p.ID, ann))(t); len(got) != 1 || got[0] != ben {
		t.Errorf("Ann sees %v", got)
	}
	check(t, r.Gone(ctx, p.ID, ben), nil)
	if got := must(r.Here(ctx, p.ID, ann))(t); len(got) != 0 {
		t.Errorf("Ben is gone, and Ann sees %v", got)
	}
	must(r.Here(ctx, p.ID, ben))(t)
	r.clock.Advance(time.Minute)
	if got := must(r.Here(ctx, p.ID, ann))(t); len(got) != 0 {
		t.Errorf("Ben is silent, and Ann sees %v", got)
	}
	_, err := r.Here(ctx, "none", ann)
	check(t, err, errs.NotFound)
	_, err = r.Here(ctx, p.ID, blog.Present{Person: "1", Tab: "a#b"})
	check(t, err, errs.Invalid)
}

// A proposal waits until the post is published or sent back; what is said of a block
// finds it wherever it has gone.
func TestProposal(t *testing.T) {
	r := openRoom(t, named)
	ann, ed := as(t, "Ann"), as(t, "Ed")
	c := content("Proposed", 0)
	c.Blocks = blocks("one", "two", "three")
	p := must(r.Create(ann, c))(t)
	check(t, r.Propose(ann, p.ID, "Please look at the figures."), nil)
	if list := must(r.Proposals(ed, 10))(t); len(list) != 1 || list[0].ID != p.ID || list[0].By != "Ann" || list[0].Note == "" {
		t.Fatalf("proposals: %+v", list)
	}
	_, err := r.AddComment(ed, p.ID, 9, "?")
	check(t, err, errs.Invalid)
	said := must(r.AddComment(ed, p.ID, 2, "Two of what?"))(t)
	check(t, r.Decline(ed, p.ID, "See my comment."), nil)
	if _, there, err := r.Proposed(ann, p.ID); there || err != nil {
		t.Errorf("sent back, and it waits: %v", err)
	}
	c.Blocks = blocks("zero", "one", "two", "three")
	p = must(r.Save(ann, p.ID, p.Version, c))(t)
	list := must(r.Comments(ann, p.ID, blog.PageOptions{}))(t).Items
	if len(list) != 2 || list[0].Block != 3 || list[0].About != "two" || list[0].By != "Ed" || list[1].Text != "See my comment." {
		t.Fatalf("comments: %+v", list)
	}
	check(t, r.SettleComment(ann, p.ID, said.ID), nil)
	if list := must(r.Comments(ann, p.ID, blog.PageOptions{}))(t).Items; list[0].Done != "Ann" {
		t.Errorf("settled: %+v", list[0])
	}
	check(t, r.SettleComment(ann, p.ID, "01ARZ3NDEKTSV4RRFFQ69G5FAV"), errs.NotFound)

	check(t, r.Propose(ann, p.ID, ""), nil)
	must(r.Publish(ed, p.ID, p.Version))(t)
	if _, there, err := r.Proposed(ann, p.ID); there || err != nil {
		t.Errorf("published, and it waits: %v", err)
	}
	if err := r.Propose(ann, p.ID, ""); !errors.Is(err, errs.Conflict) {
		t.Errorf("proposing what is published: %v", err)
	}
	check(t, r.Delete(ann, p.ID, blog.AnyVersion), nil)
	for kind, n := range r.items(t) {
		if strings.HasPrefix(kind, "REVISIONS") || strings.HasPrefix(kind, "PROPOSAL") || strings.HasPrefix(kind, "PLAN") {
			t.Error(fmt.Sprint("left behind: ", n, " of ", kind))
		}
	}
}

// An erased name is in no address of a post, which is then read at its id and gets
// another address when it is saved; the addresses of an erased post are gone.
func TestAddressErased(t *testing.T) {
	r := openRoom(t)
	r.untold = true
	c := content("Quentin Zzyzx speaks", 2, "about Quentin Zzyzx", "harbour")
	c.Series, c.CoAuthors = "The life of Quentin Zzyzx", "Ann, Quentin Zzyzx"
	c.Blocks[1].Content = "It was Quentin Zzyzx who said so."
	p := must(r.Create(t.Context(), c))(t)
	p = must(r.Publish(t.Context(), p.ID, p.Version))(t)
	if p.Slug != "quentin-zzyzx-speaks" {
		t.Fatalf("its address is %q", p.Slug)
	}
	for _, old := range []string{"/2019/quentin-zzyzx", "/2019/harbour"} {
		must(r.Redirect(t.Context(), old, p.ID))(t)
	}
	stories, err := story.New(r.db, nil)
	check(t, err, nil)
	e, err := erase.New(r.db, erase.Options{
		Objects: r.objects, Stories: stories, Desks: []*erase.Traces{r.Traces()}, Schemas: []model.Schema{blog.Schema, story.Schema},
		Registers: []string{t.TempDir() + "/register"}, Now: r.clock.Now,
	})
	check(t, err, nil)
	count := func() (addresses, paths int) {
		t.Helper()
		out, err := r.db.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("blog")})
		check(t, err, nil)
		for _, item := range out.Items {
			switch pk := item["pk"].(*types.AttributeValueMemberS).Value; {
			case strings.HasPrefix(pk, "ADDRESS#"):
				addresses++
			case strings.HasPrefix(pk, "PATH#"):
				paths++
			}
		}
		return addresses, paths
	}
	erased := func(s erase.Subject) {
		t.Helper()
		_, err := e.Begin(t.Context(), s, "op", "asked")
		check(t, err, nil)
		check(t, e.Run(t.Context(), nil), nil)
		modeltest.WantSound(t, r.Check)
	}
	erased(erase.Subject{Kind: erase.Person, Text: "Quentin Zzyzx"})
	got := must(r.Public().At(t.Context(), p.ID))(t)
	if text := fmt.Sprintf("%+v", *got); got.Slug != "" || strings.Contains(text, "Zzyzx") {
		t.Errorf("after the erasure: %s", text)
	}
	if addresses, paths := count(); addresses != 0 || paths != 1 {
		t.Errorf("after the erasure there are %d addresses and %d paths", addresses, paths)
	}
	p = must(r.Get(t.Context(), p.ID))(t)
	p = must(r.Save(t.Context(), p.ID, p.Version, p.Content))(t)
	if p.Slug != "erased-speaks" {
		t.Errorf("its next address is %q", p.Slug)
	}
	erased(erase.Subject{Kind: erase.Story, Text: "blog/" + p.ID})
	if addresses, paths := count(); addresses+paths != 0 {
		t.Errorf("the post is erased, and there are %d addresses and %d paths", addresses, paths)
	}
}
