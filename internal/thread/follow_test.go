package thread

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/internal/story/storytest"
	"pressroom/model"
	"pressroom/model/deploy"
)

func text(id, title, body string) story.Text {
	return story.Text{Story: story.Story{Ref: story.Ref{ID: id}, Title: title, Language: "en", Source: story.Source{Name: "The " + id}}, Body: body}
}

// newsroom is two desks and the threads of their stories.
type newsroom struct {
	t       *testing.T
	stories *storytest.Stories
	threads *Threads
	wire    *storytest.Desk
	blog    *storytest.Desk
	f       *Follower
}

const account = "Boats carried families out of Rope Lane in Harrowmere after the Wend came over its wall by 3.4 metres. Ada Finch, the mayor, said that two people had not been found."

// open returns a newsroom with a flood that two papers print, and eight other stories.
func open(t *testing.T) *newsroom {
	t.Helper()
	n := &newsroom{t: t, stories: storytest.Open(t)}
	if err := deploy.Apply(t.Context(), deploy.Store{Tables: n.stories.DB}, nil, Schema); err != nil {
		t.Fatal(err)
	}
	var err error
	if n.threads, err = New(n.stories.DB, n.stories.Stories, nil); err != nil {
		t.Fatal(err)
	}
	n.wire = n.stories.Desk("wire", text("a", "Two missing as River Wend floods Harrowmere", report), text("b", "River Wend floods Harrowmere", report))
	for i, w := range []string{"bakery", "chapel", "museum", "ferry", "orchard", "castle", "garden", "station"} {
		n.wire.Put(t, text(w, "The "+w+" opens", "The "+w+" of "+string(rune('A'+i))+"town opens again after the winter."))
	}
	n.blog = n.stories.Desk("blog")
	n.restart()
	return n
}

// restart is a new process.
func (n *newsroom) restart() { n.f = NewFollower(n.threads, &n.wire.Shelf, &n.blog.Shelf) }

// catchUp lets what happened come into the threads.
func (n *newsroom) catchUp() {
	n.t.Helper()
	if err := n.stories.RelayOnce(n.t.Context()); err != nil {
		n.t.Fatal(err)
	}
	if err := n.stories.CatchUp(n.t.Context(), n.f.Consumer()); err != nil {
		n.t.Fatal(err)
	}
	if err := n.threads.Check(n.t.Context(), func(where, what string) { n.t.Errorf("%s: %s", where, what) }); err != nil {
		n.t.Fatal(err)
	}
}

// of is the thread of a story as readers see it, and its stories in their alphabet's order.
func (n *newsroom) of(id string) (*View, []string) {
	n.t.Helper()
	v, err := n.threads.OfStory(n.t.Context(), refOf(id))
	if err != nil {
		n.t.Fatal(err)
	}
	if v == nil {
		return nil, nil
	}
	var ids []string
	for i := range v.Items {
		ids = append(ids, v.Items[i].Ref.String())
	}
	slices.Sort(ids)
	return v, ids
}

func (n *newsroom) want(step, id string, want ...string) {
	n.t.Helper()
	if _, got := n.of(id); !cmp.Equal(got, want) {
		n.t.Errorf("%s: %s is with %v, want %v", step, id, got, want)
	}
}

func TestFollow(t *testing.T) {
	n := open(t)
	n.want("before", "wire/a")
	n.catchUp()
	n.want("two printings", "wire/a", "wire/a", "wire/b")
	n.want("another story", "wire/chapel")
	first, _ := n.of("wire/a")
	n.blog.Put(t, text("c", "How the Wend flooded Harrowmere", account))
	n.catchUp()
	n.want("a story came", "wire/a", "blog/c", "wire/a", "wire/b")
	v, _ := n.of("blog/c")
	if v.ID != first.ID {
		t.Errorf("the thread was %s and is %s", first.ID, v.ID)
	}
	if reports := v.Reports(); len(reports) != 2 || len(reports[0].Also)+len(reports[1].Also) != 1 {
		t.Errorf("the printings are not folded: %+v", reports)
	}
	if v.Name != v.Items[0].Title || v.Named {
		t.Errorf("it is called %q", v.Name)
	}
	var shared []string
	for _, s := range v.Shared {
		shared = append(shared, s.Text)
	}
	for _, want := range []string{"Ada Finch", "Harrowmere", "3.4"} {
		if !slices.Contains(shared, want) {
			t.Errorf("they share %v, and not %q", shared, want)
		}
	}
	page, err := n.threads.List(t.Context(), "", 10)
	if err != nil || len(page.Items) != 1 || page.Items[0].ID != v.ID {
		t.Errorf("the list has %v, %v", page, err)
	}

	// What is withdrawn is gone with the next request, before anybody has followed.
	n.wire.TakeBack(t, "b")
	n.want("withdrawn", "wire/a", "blog/c", "wire/a")
	n.catchUp()
	n.want("withdrawn, and followed", "wire/a", "blog/c", "wire/a")
	if th, err := n.threads.get(t.Context(), v.ID); err != nil || th.at("wire/b") >= 0 {
		t.Errorf("the table still has what was withdrawn: %+v, %v", th, err)
	}
	n.wire.TakeBack(t, "a")
	if v, _ := n.of("blog/c"); v != nil {
		t.Errorf("one story is a thread: %+v", v)
	}
	if v, err := n.threads.Get(t.Context(), v.ID); err != nil || len(v.Shared) != 0 {
		t.Errorf("words are shown that only one story has: %+v, %v", v.Shared, err)
	}
	n.catchUp()
	n.wire.Put(t, text("a", "Two missing as River Wend floods Harrowmere", report))
	n.catchUp()
	n.want("published again", "wire/a", "blog/c", "wire/a")
	if again, _ := n.of("wire/a"); again.ID != v.ID {
		t.Errorf("the thread was %s and is %s", v.ID, again.ID)
	}
	n.wire.TakeBack(t, "a")
	n.blog.TakeBack(t, "c")
	if _, err := n.threads.Get(t.Context(), v.ID); !errors.Is(err, errs.NotFound) {
		t.Errorf("a thread without stories: %v", err)
	}
	n.catchUp()
}

// A word that was corrected away is no longer shown as shared, with the next request.
func TestCorrectedWords(t *testing.T) {
	n := open(t)
	n.blog.Put(t, text("c", "How the Wend flooded Harrowmere", account))
	n.catchUp()
	n.wire.TakeBack(t, "b")
	n.blog.Put(t, text("c", "How the Wend flooded Harrowmere", strings.ReplaceAll(account, "Ada Finch", "Somebody")))
	v, err := n.threads.Get(t.Context(), firstID(t, n))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range v.Shared {
		if strings.Contains(s.Text, "Finch") {
			t.Errorf("%q is shown, and only one story has it", s.Text)
		}
	}
}

func firstID(t *testing.T, n *newsroom) string {
	t.Helper()
	page, err := n.threads.List(t.Context(), "", 1)
	if err != nil || len(page.Items) != 1 {
		t.Fatal(page, err)
	}
	return page.Items[0].ID
}

func TestDecisions(t *testing.T) {
	n := open(t)
	n.blog.Put(t, text("c", "How the Wend flooded Harrowmere", account))
	n.catchUp()
	v, _ := n.of("wire/a")
	ctx := t.Context()

	split, err := n.threads.Split(ctx, "mika", v.ID, []string{"blog/c"})
	if err != nil {
		t.Fatal(err)
	}
	n.want("split, at once", "wire/a", "wire/a", "wire/b")
	n.want("split, at once", "blog/c")
	n.catchUp()
	n.blog.Put(t, text("c", "How the River Wend flooded Harrowmere", account))
	n.catchUp()
	n.want("split, and it came again", "wire/a", "wire/a", "wire/b")
	n.blog.Put(t, text("d", "More on the Harrowmere flood", report))
	n.catchUp()
	if _, with := n.of("wire/a"); slices.Contains(with, "blog/c") {
		t.Errorf("another story came, and what was split is together: %v", with)
	}
	n.restart()
	n.catchUp()
	if _, with := n.of("wire/a"); slices.Contains(with, "blog/c") || !slices.Contains(with, "wire/b") {
		t.Errorf("a new process forgets what was decided: %v", with)
	}
	n.blog.TakeBack(t, "d")
	n.catchUp()

	if err := n.threads.Merge(ctx, "mika", v.ID, "wire/chapel"); err != nil {
		t.Fatal(err)
	}
	n.want("merged, at once", "wire/chapel", "wire/a", "wire/b", "wire/chapel")
	n.catchUp()
	n.restart()
	n.catchUp()
	n.want("merged, and a new process", "wire/chapel", "wire/a", "wire/b", "wire/chapel")
	if err := n.threads.Merge(ctx, "mika", v.ID, split); err != nil {
		t.Fatal(err)
	}
	n.want("merged what was split", "blog/c", "blog/c", "wire/a", "wire/b", "wire/chapel")
	n.catchUp()
	n.want("merged what was split, and followed", "blog/c", "blog/c", "wire/a", "wire/b", "wire/chapel")
	if moved, err := n.threads.Get(ctx, split); err != nil || moved.ID != v.ID {
		t.Errorf("the old address leads to %v, %v", moved, err)
	}
	if err := n.threads.Rename(ctx, "mika", v.ID, "  The flood  "); err != nil {
		t.Fatal(err)
	}
	n.wire.Put(t, text("b", "River Wend floods Harrowmere again", report))
	n.catchUp()
	if got, _ := n.of("wire/a"); got.Name != "The flood" || !got.Named {
		t.Errorf("it is called %q", got.Name)
	}

	// Everything is undone as easily, the last first.
	steps := []struct {
		what string
		want []string
	}{
		{ToName, []string{"blog/c", "wire/a", "wire/b", "wire/chapel"}},
		{ToMerge, []string{"wire/a", "wire/b", "wire/chapel"}},
		{ToMerge, []string{"wire/a", "wire/b"}},
		{ToSplit, []string{"blog/c", "wire/a", "wire/b"}},
	}
	var decisions []Decision
	for d, err := range n.threads.Decisions(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		decisions = append(decisions, d)
	}
	for i, step := range steps {
		if decisions[i].What != step.what || decisions[i].By != "mika" {
			t.Fatalf("decision %d is %+v", i, decisions[i])
		}
		if err := n.threads.Undo(ctx, "noor", decisions[i].ID); err != nil {
			t.Fatal(err)
		}
		n.want(fmt.Sprintf("undone %d, at once", i), "wire/a", step.want...)
		n.catchUp()
		n.want(fmt.Sprintf("undone %d, and followed", i), "wire/a", step.want...)
		if err := n.threads.Undo(ctx, "noor", decisions[i].ID); !errors.Is(err, errs.Conflict) {
			t.Errorf("undone twice: %v", err)
		}
	}
	if got, _ := n.of("wire/a"); got.Named || got.ID != v.ID {
		t.Errorf("after all was undone: %+v", got)
	}

	for name, err := range map[string]error{
		"merge with itself": n.threads.Merge(ctx, "mika", v.ID, v.ID),
		"merge with a lie":  n.threads.Merge(ctx, "mika", v.ID, "wire/nobody"),
		"split nothing":     second(n.threads.Split(ctx, "mika", v.ID, nil)),
		"split all":         second(n.threads.Split(ctx, "mika", v.ID, []string{"blog/c", "wire/a", "wire/b"})),
		"too long":          n.threads.Rename(ctx, "mika", v.ID, strings.Repeat("x", 500)),
	} {
		if !errors.Is(err, errs.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := n.threads.Rename(ctx, "mika", "nobody", "x"); !errors.Is(err, errs.NotFound) {
		t.Errorf("an unknown thread: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// A decision that comes while the follower computes is not written over.
func TestDecisionMeanwhile(t *testing.T) {
	n := open(t)
	n.catchUp()
	const strike = "Tram drivers of Sundhaven walk out for 48 hours from Monday over shifts, says Olaf Brandt of the Tramway Union."
	n.wire.Put(t, text("s", "Sundhaven trams stand still", strike))
	n.blog.Put(t, text("u", "Sundhaven tram drivers strike", strike))
	n.catchUp()
	trams, _ := n.of("wire/s")
	if trams == nil {
		t.Fatal("there is no second thread")
	}
	n.blog.Put(t, text("c", "How the Wend flooded Harrowmere", account))
	once := true
	n.f.Told = func(ctx context.Context, ref story.Ref, _ []string) error {
		if once && ref.ID == "c" { // it is about to come to a and b
			once = false
			if err := n.threads.Merge(ctx, "mika", trams.ID, "blog/c"); err != nil {
				t.Error(err)
			}
		}
		return nil
	}
	n.catchUp()
	if once {
		t.Fatal("nobody was told of c")
	}
	if _, with := n.of("wire/s"); !slices.Contains(with, "blog/c") {
		t.Errorf("what was decided meanwhile is gone: %v", with)
	}
}

// Whichever write a process dies at, the next one brings the threads to the same.
func TestKilled(t *testing.T) {
	for at := 0; ; at++ {
		n := open(t)
		n.blog.Put(t, text("c", "How the Wend flooded Harrowmere", account))
		dying := &mortal{DB: n.stories.DB, left: at}
		if err := n.stories.RelayOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		threads, err := New(dying, n.stories.Stories, nil)
		if err != nil {
			t.Fatal(err)
		}
		f := NewFollower(threads, &n.wire.Shelf, &n.blog.Shelf)
		err = n.stories.CatchUp(t.Context(), f.Consumer())
		if err == nil {
			if at < 3 {
				t.Fatalf("it lived through %d writes", at)
			}
			return
		}
		n.wire.TakeBack(t, "b")
		n.catchUp()
		n.want(fmt.Sprintf("killed at write %d", at), "wire/a", "blog/c", "wire/a")
	}
}

// mortal is a store at which a process dies after so many writes.
type mortal struct {
	model.DB
	left int
}

var errDead = errors.New("dead")

// The last write that it does is done, and not answered.
func (m *mortal) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	if m.left--; m.left < 0 {
		return nil, errDead
	}
	out, err := m.DB.TransactWriteItems(ctx, in, o...)
	if m.left == 0 {
		err = errDead
	}
	return out, err
}

func (m *mortal) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	if m.left--; m.left < 0 {
		return nil, errDead
	}
	out, err := m.DB.BatchWriteItem(ctx, in, o...)
	if m.left == 0 {
		err = errDead
	}
	return out, err
}

// Another process takes over, and the first one comes back: neither misses what happened
// in between.
func TestTakenOver(t *testing.T) {
	n := open(t)
	n.catchUp()
	first := n.f
	n.restart()
	n.blog.Put(t, text("c", "How the Wend flooded Harrowmere", account))
	n.catchUp()
	n.catchUp()
	n.f = first
	n.wire.Put(t, text("museum", "The museum of Ctown is open", "The museum of Ctown opens again after the winter."))
	n.catchUp()
	n.want("the first one is back", "wire/a", "blog/c", "wire/a", "wire/b")
	if _, known := first.index.numbers["blog/c"]; !known {
		t.Error("it does not know what happened meanwhile")
	}
}

// A consumer that was away for longer than the log is kept compares everything.
func TestGap(t *testing.T) {
	n := open(t)
	n.blog.Put(t, text("c", "How the Wend flooded Harrowmere", account))
	n.catchUp()
	n.wire.TakeBack(t, "b")
	n.blog.Put(t, text("d", "The orchard of Etown opens", "The orchard of Etown opens again after the winter."))
	if err := n.stories.RelayOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	n.restart()
	if err := n.f.build(t.Context()); err != nil {
		t.Fatal(err)
	}
	th, err := n.threads.get(t.Context(), firstID(t, n))
	if err != nil || th.at("wire/b") >= 0 {
		t.Errorf("after a gap the table has %+v, %v", th, err)
	}
}

// The order in which stories come changes nothing: neither the threads nor what is shared.
func TestOrder(t *testing.T) {
	var first map[string][]string
	for _, order := range [][]string{{"a", "b", "c"}, {"c", "b", "a"}, {"b", "c", "a"}} {
		n := open(t)
		for _, id := range []string{"a", "b"} {
			n.wire.TakeBack(t, id)
		}
		n.catchUp()
		for _, id := range order {
			n.wire.Put(t, text(id, "Harrowmere flooded by the River Wend", map[string]string{"a": report, "b": report, "c": account}[id]))
			n.catchUp()
		}
		v, ids := n.of("wire/a")
		if v == nil {
			t.Fatalf("%v: a stands alone", order)
		}
		got := map[string][]string{"stories": ids}
		for _, s := range v.Shared {
			got["shared"] = append(got["shared"], s.Text)
		}
		slices.Sort(got["shared"])
		if first == nil {
			first = maps.Clone(got)
		}
		if diff := cmp.Diff(first, got); diff != "" {
			t.Errorf("%v: %s", order, diff)
		}
	}
}

func TestTold(t *testing.T) {
	n := open(t)
	var told []string
	n.f.Told = func(_ context.Context, ref story.Ref, threads []string) error {
		told = append(told, ref.String()+" "+strings.Join(threads, ","))
		return nil
	}
	n.catchUp()
	if len(told) > 0 {
		t.Errorf("somebody was told of a thread that was new: %v", told)
	}
	v, _ := n.of("wire/a")
	n.blog.Put(t, text("c", "How the Wend flooded Harrowmere", account))
	n.catchUp()
	if want := []string{"blog/c " + v.ID}; !cmp.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
}
