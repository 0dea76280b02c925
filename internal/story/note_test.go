package story

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pressroom/internal/errs"
	"pressroom/model"
)

// What people correct and withdraw is noted with the change, listed in pages, and says
// no more than may still be read.
func TestNotes(t *testing.T) {
	p, c := open(t)
	ctx := t.Context()
	must(t, p.show(ctx, card(robot, "Robot"), p.Publish))
	if all, err := p.Notes(ctx, robot); err != nil || len(all) != 0 {
		t.Errorf("a new story has %d notes, %v", len(all), err)
	}
	for i := range 5 {
		c.Advance(1e9)
		must(t, p.show(ctx, card(robot, fmt.Sprint("Robot ", i)), p.correct))
	}
	c.Advance(1e9)
	must(t, p.retract(ctx, robot))
	note, gone, err := p.Gone(ctx, robot)
	must(t, err)
	if !gone || note.By != "mika" || note.Reason != "it is false" || note.At != p.now() {
		t.Errorf("it is gone %t, with %+v", gone, note)
	}
	missing := p.Missing(ctx, robot, errs.NotFound)
	if errs.KindOf(missing) != errs.Gone || !errors.Is(missing, errs.NotFound) || !strings.Contains(errs.Message(missing), "it is false") {
		t.Errorf("it is missing as %v: %s", missing, errs.Message(missing))
	}
	if err := p.Missing(ctx, Ref{"toys", "never"}, errs.NotFound); errs.KindOf(err) != errs.NotFound {
		t.Errorf("what never was is %v", err)
	}
	if err := p.show(ctx, card(robot, "Robot 9"), p.Publish); !errors.Is(err, ErrWithdrawn) {
		t.Errorf("a machine brings back what a person withdrew: %v", err)
	}
	var listed []Noted
	for cursor, pages := "", 0; ; pages++ {
		page, err := p.Corrections(ctx, cursor, 4)
		must(t, err)
		if listed = append(listed, page.Items...); page.Next == "" {
			break
		}
		if cursor = page.Next; pages > 3 {
			t.Fatal("the list has no end")
		}
	}
	if len(listed) != 6 || listed[0].What != Withdrawn || listed[0].Reason == "" {
		t.Fatalf("the list is %+v", listed)
	}
	for i, n := range listed {
		if n.Story != nil || i > 0 && (n.Reason != "" || n.What != Corrected || n.Revision != 7-i) {
			t.Errorf("of a story that is gone the list has %+v", n)
		}
	}
	c.Advance(1e9)
	must(t, p.show(ctx, card(robot, "Robot again"), p.correct))
	if _, gone, err := p.Gone(ctx, robot); err != nil || gone {
		t.Errorf("what a person brought back is gone: %v", err)
	}
	page, err := p.Corrections(ctx, "", 3)
	must(t, err)
	if n := page.Items[0]; n.What != Published || n.Story == nil || n.Story.Title != "Robot again" || page.Items[2].Reason == "" {
		t.Errorf("the list is %+v", page.Items)
	}
	for _, cursor := range []string{"!", "YQ", page.Next + "x"} {
		if _, err := p.Corrections(ctx, cursor, 3); cursor != page.Next+"x" && !errors.Is(err, model.ErrCursor) {
			t.Errorf("cursor %q: %v", cursor, err)
		}
	}
	p.audit(t, []Ref{robot})
}

// Of a story that is forgotten nothing is left of what people said about it, in notes,
// reports, events or the log; that it is withdrawn stays.
func TestForget(t *testing.T) {
	p, c := open(t)
	ctx := t.Context()
	other := Ref{"toys", "other"}
	for _, ref := range []Ref{robot, other} {
		must(t, p.show(ctx, card(ref, "Robot"), p.Publish))
		c.Advance(1e9)
		must(t, p.show(ctx, card(ref, "Robot 2"), p.correct))
		must(t, p.ReportMistake(ctx, ref, "it is a doll"))
		c.Advance(1e9)
		must(t, p.retract(ctx, ref))
	}
	must(t, p.RelayOnce(ctx))
	must(t, p.Forget(ctx, robot))
	must(t, p.Forget(ctx, robot)) // as whoever was cut off does
	said := map[Ref]int{}
	entries, _, err := p.Since(ctx, 0)
	must(t, err)
	for _, e := range entries {
		if e.Reason != "" {
			said[e.Ref]++
		}
	}
	for _, ref := range []Ref{robot, other} {
		for e, err := range p.story.All(ctx, ref.key(), model.Window{}) {
			if must(t, err); e.Reason != "" {
				said[ref]++
			}
		}
		notes, err := p.Notes(ctx, ref)
		must(t, err)
		said[ref] += len(notes)
		if _, err := p.GetReport(ctx, ref); err == nil {
			said[ref]++
		}
		note, gone, err := p.Gone(ctx, ref)
		if must(t, err); !gone {
			t.Errorf("%s is not withdrawn any more", ref)
		}
		if note.Reason != "" {
			said[ref]++
		}
	}
	if said[robot] != 0 || said[other] < 8 {
		t.Errorf("%v is left", said)
	}
	p.audit(t, []Ref{other})
}
