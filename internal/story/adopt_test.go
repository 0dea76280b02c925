package story

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"pressroom/internal/errs"
	"pressroom/model"
	"pressroom/model/modeltest"
)

// adopting is a desk whose items other programs write as well, and who adopts them.
type adopting struct {
	*process
	adopter *Adopter
	t       *testing.T
	loads   int
	failed  error // what the desk answers, if it is not nil
}

func openAdopting(t *testing.T) *adopting {
	t.Helper()
	s := modeltest.OpenStores(t, nil, Schema, toySchema)
	s.Embedded(t, "it reads the stream of the engine")
	a := &adopting{process: newProcess(t, s.Tables, Options{}), t: t}
	a.adopter = &Adopter{Stories: a.Stories, Streams: s.DB.Streams(), Track: s.DB.Track, Log: slog.New(slog.DiscardHandler), Shelves: []*Shelf{{
		Desk: "toys", Tables: []string{"Toys"}, All: a.all, Load: a.load,
		Affected: Keyed(func(keys model.Raw) (string, bool) {
			return strings.CutPrefix(keys["pk"].(*types.AttributeValueMemberS).Value, "TOY#toys#")
		}),
	}}}
	return a
}

func (a *adopting) load(ctx context.Context, id string) (Text, error) {
	a.loads++
	if a.failed != nil {
		return Text{}, a.failed
	}
	v, err := a.toys.Get(ctx, model.Values{"desk": "toys", "id": id})
	if errors.Is(err, model.ErrNotFound) || err == nil && !v.Visible {
		return Text{}, errs.NotFound
	}
	return Text{Story: card(v.Ref, v.Title)}, err
}

func (a *adopting) all(ctx context.Context) iter.Seq2[Text, error] {
	return func(yield func(Text, error) bool) {
		out, err := a.db.Scan(ctx, &dynamodb.ScanInput{TableName: aws.String("Toys")})
		if err != nil {
			yield(Text{}, err)
			return
		}
		for _, item := range out.Items {
			text, err := a.load(ctx, item["id"].(*types.AttributeValueMemberS).Value)
			if errors.Is(err, errs.NotFound) {
				continue
			}
			if !yield(text, err) {
				return
			}
		}
	}
}

// foreign writes a toy as a program does that knows nothing of stories.
func (a *adopting) foreign(id, title string, visible bool) {
	a.t.Helper()
	must(a.t, a.toys.Delete(a.t.Context(), model.Values{"desk": "toys", "id": id}))
	if title != "" {
		must(a.t, a.toys.Create(a.t.Context(), &toy{Ref: Ref{"toys", id}, Title: title, Visible: visible}))
	}
}

// told returns what happened to a story so far.
func (a *adopting) told(id string) []string {
	a.t.Helper()
	must(a.t, a.RelayOnce(a.t.Context()))
	var told []string
	for _, e := range a.logged(a.t, 0) {
		if e.ID == id {
			told = append(told, string(e.What))
		}
	}
	return told
}

func (a *adopting) expect(what, id string, want ...string) {
	a.t.Helper()
	if diff := cmp.Diff(want, a.told(id)); diff != "" {
		a.t.Errorf("%s: %s", what, diff)
	}
}

// What other programs write, change, hide and delete becomes stories; what the desk
// itself writes has been told already, and what was there before anyone looked is
// found.
func TestAdopt(t *testing.T) {
	a := openAdopting(t)
	ctx := t.Context()
	a.foreign("old", "Old", true)
	a.foreign("draft", "Draft", false)
	must(t, a.adopter.Once(ctx))
	a.expect("there before anyone looked", "old", "published")
	a.expect("hidden", "draft")

	must(t, a.show(ctx, card(Ref{"toys", "own"}, "Own"), a.Publish))
	a.foreign("new", "New", true)
	must(t, a.adopter.Once(ctx))
	a.expect("its own", "own", "published")
	a.expect("new", "new", "published")

	a.foreign("new", "Newer", true)
	a.foreign("old", "", false)
	must(t, a.adopter.Once(ctx))
	a.expect("changed", "new", "published", "changed")
	a.expect("deleted", "old", "published", "withdrawn")
	before := a.loads
	must(t, a.adopter.Once(ctx))
	if a.loads != before {
		t.Errorf("%d stories were looked at again", a.loads-before)
	}

	// A change is not lost while the desk cannot be asked, nor does one that can never
	// be read keep the others.
	a.foreign("new", "", false)
	a.failed = errors.New("the table does not answer")
	if err := a.adopter.Once(ctx); !errors.Is(err, a.failed) {
		t.Errorf("a desk that does not answer: %v", err)
	}
	a.failed = fmt.Errorf("%w: it is garbage", ErrUnreadable)
	a.foreign("own", "Own", true)
	must(t, a.adopter.Once(ctx))
	a.failed = nil
	a.foreign("new", "", false)
	must(t, a.adopter.Once(ctx))
	a.expect("after a failure", "own", "published")
}

// If the streams no longer have what nobody has read, all is compared.
func TestAdoptAfterGap(t *testing.T) {
	a := openAdopting(t)
	ctx := t.Context()
	a.foreign("a", "A", true)
	a.foreign("b", "B", true)
	must(t, a.adopter.Once(ctx))
	// The stream is another one by now.
	for _, on := range []bool{false, true} {
		spec := &types.StreamSpecification{StreamEnabled: aws.Bool(on)}
		if on {
			spec.StreamViewType = types.StreamViewTypeNewAndOldImages
		}
		_, err := a.db.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: aws.String("Toys"), StreamSpecification: spec})
		must(t, err)
		if !on {
			a.foreign("a", "", false)
			a.foreign("b", "Other", true)
			a.foreign("c", "C", true)
		}
	}
	must(t, a.adopter.Once(ctx))
	a.expect("deleted", "a", "published", "withdrawn")
	a.expect("changed", "b", "published", "changed")
	a.expect("new", "c", "published")
}

// A change by the desk itself, made while somebody adopts what it was before, is never
// written over.
func TestAdoptMeetsTheDesk(t *testing.T) {
	a := openAdopting(t)
	ctx := t.Context()
	a.foreign("a", "Foreign", true)
	must(t, a.adopter.Once(ctx))
	a.foreign("a", "Other", true)
	shelf := a.adopter.Shelves[0]
	once := shelf.Load
	shelf.Load = func(ctx context.Context, id string) (Text, error) {
		shelf.Load = once
		text, err := once(ctx, id)
		must(t, a.show(ctx, card(Ref{"toys", "a"}, "Own"), a.Publish))
		return text, err
	}
	must(t, a.adopter.Once(ctx))
	got, err := a.Get(ctx, Ref{"toys", "a"})
	must(t, err)
	if len(got) != 1 || got[0].Title != "Own" {
		t.Errorf("the card is %+v", got)
	}
	a.expect("told", "a", "published", "changed")
}

// One process adopts at a time, and another goes on where it stopped, wherever it
// died.
func TestAdoptAfterDeath(t *testing.T) {
	a := openAdopting(t)
	ctx := t.Context()
	must(t, a.adopter.Once(ctx))
	for n := range 30 {
		a.foreign(fmt.Sprint("t", n), fmt.Sprint("Toy ", n), true)
	}
	died := errors.New("died")
	for n := 1; ; n++ {
		left := n
		once := a.adopter.Shelves[0].Load
		a.adopter.Shelves[0].Load = func(ctx context.Context, id string) (Text, error) {
			if left--; left < 0 {
				return Text{}, died
			}
			return once(ctx, id)
		}
		err := a.adopter.Once(ctx)
		a.adopter.Shelves[0].Load = once
		if err == nil {
			break
		}
		if !errors.Is(err, died) {
			t.Fatal(err)
		}
	}
	var titles []string
	for st, err := range a.All(ctx, "toys") {
		must(t, err)
		titles = append(titles, st.Title)
	}
	slices.Sort(titles)
	if len(titles) != 30 || len(slices.Compact(titles)) != 30 {
		t.Errorf("%d stories: %v", len(titles), titles)
	}
	for n := range 30 {
		a.expect("once", fmt.Sprint("t", n), "published")
	}
}

// Who reads after another program wrote sees it, if this process adopts; nobody waits
// while all is compared.
func TestAdoptCurrent(t *testing.T) {
	a := openAdopting(t)
	a.o.Poll = time.Hour // what is adopted is adopted for whoever reads
	shelf := a.adopter.Shelves[0]
	all, compared, goOn := shelf.All, make(chan struct{}), make(chan struct{})
	shelf.All = func(ctx context.Context) iter.Seq2[Text, error] {
		close(compared)
		<-goOn
		return all(ctx)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := a.adopter.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	<-compared
	if a.adopter.Current(ctx) {
		t.Error("it is current while all is compared")
	}
	close(goOn)
	await := func() { // who reads waits only so long for it
		for !a.adopter.Current(ctx) {
			time.Sleep(time.Millisecond)
		}
	}
	await()
	for n := range 3 {
		a.foreign("a", fmt.Sprint("A", n), true)
		await()
		if got, err := a.Get(ctx, Ref{"toys", "a"}); err != nil || len(got) != 1 || got[0].Title != fmt.Sprint("A", n) {
			t.Errorf("round %d: %+v, %v", n, got, err)
		}
	}
	cancel()
	running.Wait()
	if a.adopter.Current(t.Context()) {
		t.Error("it is current and adopts no longer")
	}
}
