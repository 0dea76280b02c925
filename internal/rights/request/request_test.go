package request

import (
	"context"
	"errors"
	"net/mail"
	"strings"
	"testing"
	"time"

	"pressroom/dynamo"
	"pressroom/internal/errs"
	"pressroom/internal/rights/erase"
	"pressroom/internal/story"
	"pressroom/model"
	"pressroom/model/deploy"
	"pressroom/model/modeltest"
)

func TestSchema(t *testing.T) { modeltest.Run(t, Schema, "../../../docs/design/requests.md") }

type letter struct{ to, subject, body string }

type office struct {
	*Requests
	t       *testing.T
	db      *dynamo.DB
	clock   *modeltest.Clock
	letters []letter
	files   map[string]string
	records map[string][]string
	taken   []string
}

func openOffice(t *testing.T) *office {
	t.Helper()
	clock := modeltest.NewClock(time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC))
	db, err := dynamo.OpenMemory(&dynamo.Options{Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	o := &office{t: t, db: db, clock: clock, files: map[string]string{}, records: map[string][]string{}}
	t.Cleanup(func() { o.check(db.Close()) })
	merged, err := model.Merge(erase.Schema, Schema, story.Schema)
	o.check(err)
	o.check(deploy.Apply(t.Context(), deploy.Store{Tables: db}, nil, merged...))
	erasures, err := erase.New(db, erase.Options{Now: o.clock.Now})
	o.check(err)
	erasures.Add(&erase.Traces{Desk: "notes", Take: func(_ context.Context, id string) error {
		o.taken = append(o.taken, id)
		return nil
	}})
	o.Requests, err = From(db, Options{
		Key: []byte("0123456789abcdef"), Erasures: erasures, Address: "https://news.example", Now: o.clock.Now,
		Mail: func(_ context.Context, to mail.Address, subject, body string) error {
			o.letters = append(o.letters, letter{to.Address, subject, body})
			return nil
		},
		Fetch: func(_ context.Context, address string) (string, error) {
			if text, ok := o.files[address]; ok {
				return text, nil
			}
			return "", errs.NotFound
		},
		Lookup: func(_ context.Context, name string) ([]string, error) { return o.records[name], nil },
	})
	o.check(err)
	return o
}

func (o *office) check(err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
}

func asked() New {
	return New{Kind: Erasure, Name: "花子", Email: "hanako@mail.example", About: "https://paper.example/a", Text: "Please.", Language: "ja"}
}

func (o *office) ask(n New) Request {
	o.t.Helper()
	one, err := o.Ask(o.t.Context(), "192.0.2.1", n)
	o.check(err)
	return one
}

// link is the one in the last letter.
func (o *office) link() string {
	o.t.Helper()
	_, after, ok := strings.Cut(o.letters[len(o.letters)-1].body, "confirm?link=")
	if !ok {
		o.t.Fatalf("there is no link in %v", o.letters)
	}
	return strings.Fields(after)[0]
}

func TestConfirmAndDecide(t *testing.T) {
	o := openOffice(t)
	ctx := t.Context()
	one := o.ask(asked())
	if one.State != Unproven || len(o.letters) != 1 || o.letters[0].to != "hanako@mail.example" {
		t.Fatalf("%+v, %v", one, o.letters)
	}
	if _, err := o.Decide(ctx, one.ID, "ann", Decision{Granted: true, Reasons: "yes", Erase: erase.Subject{Kind: erase.Story, Text: "notes/1"}}); !errors.Is(err, errs.Conflict) || o.taken != nil {
		t.Errorf("what nobody proved is decided: %v, %v", err, o.taken)
	}
	link := o.link()
	o.clock.Advance(24 * time.Hour)
	for _, forged := range []string{"", ".", one.ID, one.ID + ".", one.ID + ".x", link + "x", "01J" + link[3:], strings.ToUpper(link[:26]) + ".AAAA"} {
		if _, err := o.Confirm(ctx, forged); !errors.Is(err, errs.NotFound) {
			t.Errorf("the link %q: %v", forged, err)
		}
	}
	one, err := o.Confirm(ctx, link)
	o.check(err)
	if one.State != Open || one.Proof != ByMail || one.Due != "2026-12-16T09:00:00.000Z" || one.Token != "" {
		t.Errorf("%+v", one)
	}
	if _, err := o.Confirm(ctx, link); !errors.Is(err, errs.NotFound) {
		t.Errorf("a link works twice: %v", err)
	}
	if _, err := o.Decide(ctx, one.ID, "ann", Decision{Granted: true}); !errors.Is(err, errs.Invalid) {
		t.Errorf("without reasons: %v", err)
	}
	one, err = o.Decide(ctx, one.ID, "ann", Decision{Granted: true, Reasons: "ご本人の情報です。", Erase: erase.Subject{Kind: erase.Story, Text: "notes/1"}})
	o.check(err)
	last := o.letters[len(o.letters)-1].body
	if one.State != Decided || one.Erasure == "" || len(o.taken) != 1 || !strings.Contains(last, "ご本人の情報です。") || !strings.Contains(last, "2026-12-21") || !strings.Contains(last, "2027-01-25") {
		t.Errorf("%+v, %v, %s", one, o.taken, last)
	}
	if _, err := o.Decide(ctx, one.ID, "ann", Decision{Reasons: "no"}); !errors.Is(err, errs.Conflict) {
		t.Errorf("it is decided twice: %v", err)
	}
}

func TestRefused(t *testing.T) {
	o := openOffice(t)
	n := asked()
	n.Language, n.Kind = "en", Takedown
	one := o.ask(n)
	_, err := o.Confirm(t.Context(), o.link())
	o.check(err)
	_, err = o.Decide(t.Context(), one.ID, "ann", Decision{Reasons: "It is true.", Erase: erase.Subject{Kind: erase.Story, Text: "notes/1"}})
	o.check(err)
	if last := o.letters[len(o.letters)-1].body; o.taken != nil || !strings.Contains(last, "do not grant") || !strings.Contains(last, "It is true.") {
		t.Errorf("%v, %s", o.taken, last)
	}
}

func TestProveDomain(t *testing.T) {
	o := openOffice(t)
	ctx := t.Context()
	byFile, byDNS, neither := o.ask(asked()), o.ask(asked()), o.ask(asked())
	o.files["https://paper.example"+FilePath] = "hello\n" + o.Code(&byFile) + "\n"
	o.records["_pressroom.paper.example"] = []string{"other", o.Code(&byDNS)}
	o.files["https://evil.example"+FilePath] = o.Code(&neither)
	for id, want := range map[string]string{byFile.ID: ByFile, byDNS.ID: ByDNS} {
		if one, err := o.ProveDomain(ctx, id); err != nil || one.Proof != want || one.State != Open {
			t.Errorf("%s: %+v, %v", want, one, err)
		}
	}
	if _, err := o.ProveDomain(ctx, neither.ID); !errors.Is(err, errs.Invalid) {
		t.Errorf("by another's code: %v", err)
	}
	person := asked()
	person.About = "山田太郎"
	if one, err := o.ProveDomain(ctx, o.ask(person).ID); !errors.Is(err, errs.Invalid) || one.Domain() != "" {
		t.Errorf("of a person: %v", err)
	}
	if _, err := o.Judge(ctx, neither.ID, "ann", " "); !errors.Is(err, errs.Invalid) {
		t.Errorf("without reasons: %v", err)
	}
	if one, err := o.Judge(ctx, neither.ID, "ann", "She came by."); err != nil || one.Proof != ByOperator || one.Reasons != "ann: She came by." {
		t.Errorf("%+v, %v", one, err)
	}
}

func TestMalformed(t *testing.T) {
	o := openOffice(t)
	for name, change := range map[string]func(*New){
		"kind":  func(n *New) { n.Kind = "other" },
		"name":  func(n *New) { n.Name = "a\r\nBcc: x@y.example" },
		"email": func(n *New) { n.Email = "Hanako <hanako@mail.example>" },
		"about": func(n *New) { n.About = strings.Repeat("長", maxAbout+1) },
		"text":  func(n *New) { n.Text = "\x00\xff" },
	} {
		n := asked()
		change(&n)
		_, err := o.Ask(t.Context(), "192.0.2.1", n)
		if fields := errs.Fields(err); len(fields) != 1 || fields[0].Name != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	if o.letters != nil {
		t.Errorf("letters were sent: %v", o.letters)
	}
	machine := asked()
	machine.Website = "https://spam.example"
	if one := o.ask(machine); o.letters != nil {
		t.Errorf("a machine's request is taken: %+v", one)
	}
	if page, err := o.List(t.Context(), Unproven, model.PageOptions{Limit: 10}); err != nil || len(page.Items) != 0 {
		t.Errorf("%+v, %v", page, err)
	}
}

func TestFlood(t *testing.T) {
	o := openOffice(t)
	taken := 0
	for i := range 200 {
		_, err := o.Ask(t.Context(), "192.0.2."+string(rune('a'+i%40)), asked())
		switch {
		case err == nil:
			taken++
		case errs.KindOf(err) != errs.RateLimited:
			t.Fatal(err)
		}
	}
	if taken != 60 {
		t.Errorf("%d are taken", taken)
	}
	o.clock.Advance(time.Hour)
	o.ask(asked())
	// Unproven ones are not in the queue.
	if page, err := o.List(t.Context(), Open, model.PageOptions{Limit: 10}); err != nil || len(page.Items) != 0 {
		t.Errorf("%+v, %v", page, err)
	}
}
