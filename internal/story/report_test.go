package story

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"pressroom/internal/errs"
)

// Readers are heard, once for each thing that they say, and cannot fill the store.
func TestReports(t *testing.T) {
	p, c := open(t)
	ctx := t.Context()
	if err := p.ReportMistake(ctx, robot, "It is wrong."); errs.KindOf(err) != errs.NotFound {
		t.Errorf("a story that there is not: %v", err)
	}
	other := Ref{"toys", "other"}
	for _, ref := range []Ref{robot, other} {
		must(t, p.show(ctx, card(ref, "Robot"), p.Publish))
	}
	for _, text := range []string{"", " \n ", "\x00", strings.Repeat("あ", MaxReport+1)} {
		if err := p.ReportMistake(ctx, robot, text); errs.KindOf(err) != errs.Invalid {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	must(t, p.ReportMistake(ctx, robot, "It is wrong."))
	must(t, p.ReportMistake(ctx, robot, " it is  WRONG!"))
	c.Advance(1e9)
	var many sync.WaitGroup
	for i := range 60 {
		many.Go(func() {
			if err := p.ReportMistake(ctx, robot, fmt.Sprint("Number ", i)); err != nil && errs.KindOf(err) != errs.RateLimited {
				t.Error(err)
			}
		})
	}
	many.Wait()
	must(t, p.ReportMistake(ctx, other, "This too."))
	page, err := p.Reports(ctx, "", 1)
	must(t, err)
	if len(page.Items) != 1 || page.Items[0].Ref != robot || page.Next == "" {
		t.Fatalf("the list is %+v", page)
	}
	r := page.Items[0]
	if len(r.Texts) != MaxReports || r.Texts[0].Count != 2 || r.More == 0 {
		t.Errorf("%d texts, the first %+v, %d more", len(r.Texts), r.Texts[0], r.More)
	}
	if page, err = p.Reports(ctx, page.Next, 1); err != nil || len(page.Items) != 1 || page.Items[0].Ref != other || page.Next != "" {
		t.Errorf("the second page is %+v, %v", page, err)
	}
	if err := p.SettleReport(ctx, robot, r.Version-1); !errors.Is(err, errs.Stale) {
		t.Errorf("settled without having read it: %v", err)
	}
	must(t, p.SettleReport(ctx, robot, r.Version))
	must(t, p.ReportMistake(ctx, robot, "It is wrong"))
	if _, err := p.GetReport(ctx, robot); !errors.Is(err, errs.NotFound) {
		t.Errorf("what a person has seen waits again: %v", err)
	}
	must(t, p.ReportMistake(ctx, robot, "Something else."))
	if r, err := p.GetReport(ctx, robot); err != nil || len(r.Texts) != 1 {
		t.Errorf("what is new: %+v, %v", r, err)
	}
}
