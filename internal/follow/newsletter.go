package follow

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"pressroom/internal/deliver"
	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/model"
)

// Newsletter is the kind, and the name, of what readers of newsletters follow: they come by
// the same button and leave by the same link as everybody else.
const Newsletter = deliver.Newsletter

// LetterState is how far a newsletter has come.
type LetterState string

// The states of a newsletter.
const (
	Draft     LetterState = "draft"
	Scheduled LetterState = "scheduled" // it goes when it is due
	Mailing   LetterState = "mailing"   // its deliveries are being written down; nobody changes it any more
	Mailed    LetterState = "sent"      // all its deliveries are in the ledger
)

// Letter is a newsletter that an editor puts together from stories. It holds no text of
// theirs: what is sent, and shown later, is what they are then.
type Letter struct {
	ID      string      `dynamodbav:"letter"`
	State   LetterState `dynamodbav:"state"`
	At      string      `dynamodbav:"at"` // when it was changed, is due, or was sent
	Title   string      `dynamodbav:"title"`
	Intro   string      `dynamodbav:"intro"`             // plain text, with empty lines between paragraphs
	Stories []string    `dynamodbav:"stories,omitempty"` // as "desk/id", in their order
	Segment []Subject   `dynamodbav:"segment,omitempty"` // only those who follow one of them too; all if empty
	By      string      `dynamodbav:"by"`                // who changed it last
	Version int         `dynamodbav:"version"`
}

// Limits of a newsletter.
const (
	MostStories = 50
	MostSegment = 20
	letterTitle = 200
	letterIntro = 5000
)

// Ref names the newsletter in the ledger.
func (l *Letter) Ref() story.Ref { return story.Ref{Desk: Newsletter, ID: l.ID} }

func (l *Letter) out() bool { return l.State == Mailing || l.State == Mailed }

// Refs are its stories.
func (l *Letter) Refs() []story.Ref {
	var all []story.Ref
	for _, text := range l.Stories {
		desk, id, _ := strings.Cut(text, "/")
		all = append(all, story.Ref{Desk: desk, ID: id})
	}
	return all
}

// Paragraphs are the words before the stories.
func (l *Letter) Paragraphs() []string {
	var all []string
	for p := range strings.SplitSeq(strings.ReplaceAll(l.Intro, "\r\n", "\n"), "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			all = append(all, p)
		}
	}
	return all
}

func (l *Letter) check() error {
	switch {
	case strings.TrimSpace(l.Title) == "" || utf8.RuneCountInString(l.Title) > letterTitle:
		return errs.Validation(errs.Field{Name: "title", Message: "is missing or too long"})
	case utf8.RuneCountInString(l.Intro) > letterIntro:
		return errs.Validation(errs.Field{Name: "intro", Message: "is too long"})
	case len(l.Stories) > MostStories || slices.ContainsFunc(l.Stories, func(s string) bool {
		desk, id, ok := strings.Cut(s, "/")
		return !ok || desk == "" || id == "" || len(s) > nameMax
	}):
		return errs.Validation(errs.Field{Name: "stories", Message: "are too many, or none of this newsroom's"})
	case len(l.Segment) > MostSegment || slices.ContainsFunc(l.Segment, func(s Subject) bool { return !slices.Contains(Kinds, s.Kind) || s.Name == "" || len(s.Name) > nameMax }):
		return errs.Validation(errs.Field{Name: "segment", Message: "names something that cannot be followed"})
	}
	return nil
}

// NewLetter begins a newsletter.
func (f *Follows) NewLetter(ctx context.Context, l Letter) (Letter, error) {
	l.ID, l.State, l.At, l.Version = f.ids.New(), Draft, model.FormatTime(f.now()), 0
	if err := l.check(); err != nil {
		return l, err
	}
	return l, f.letters.Create(ctx, &l)
}

// Letter returns a newsletter, or [errs.NotFound].
func (f *Follows) Letter(ctx context.Context, id string) (Letter, error) {
	l, err := f.letters.Get(ctx, model.Values{"letter": id})
	if errors.Is(err, model.ErrNotFound) {
		err = fmt.Errorf("newsletter %s: %w", id, errs.NotFound)
	}
	return l, err
}

// Letters returns newsletters in a state, the last first, at most so many.
func (f *Follows) Letters(ctx context.Context, state LetterState, most int) ([]Letter, error) {
	var all []Letter
	for l, err := range f.letters.All(ctx, "LettersIn", model.Values{"state": string(state)}) {
		if err != nil {
			return nil, err
		}
		if all = append(all, l); len(all) == most {
			break
		}
	}
	return all, nil
}

// ChangeLetter changes a newsletter that has not been sent; one that has is an
// [errs.Conflict]. A change makes a draft of it, unless it says otherwise.
func (f *Follows) ChangeLetter(ctx context.Context, id string, change func(*Letter) error) (Letter, error) {
	l, err := f.letters.Modify(ctx, model.Values{"letter": id}, func(l *Letter) error {
		if l.out() {
			return errs.New(errs.Conflict, "The newsletter has been sent.")
		}
		l.State, l.At = Draft, model.FormatTime(f.now())
		if err := change(l); err != nil {
			return err
		}
		l.ID = id
		return l.check()
	})
	if errors.Is(err, model.ErrNotFound) {
		err = fmt.Errorf("newsletter %s: %w", id, errs.NotFound)
	}
	return l, err
}

// Schedule lets a newsletter go at a time, at once if that has passed.
func (f *Follows) Schedule(ctx context.Context, id, by string, at time.Time) (Letter, error) {
	return f.ChangeLetter(ctx, id, func(l *Letter) error {
		if len(l.Stories) == 0 {
			return errs.Validation(errs.Field{Name: "stories", Message: "are missing"})
		}
		l.State, l.At, l.By = Scheduled, model.FormatTime(at), by
		return nil
	})
}

// LocalTime is how editors write a time without its zone.
const LocalTime = "2006-01-02T15:04"

// ParseTime reads when a newsletter is to go: with its zone, or by the clock of the paper;
// now if there is no text. What is no time is an errs.Validation.
func ParseTime(text string, paper *time.Location, now time.Time) (time.Time, error) {
	if text == "" {
		return now, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	at, err := time.ParseInLocation(LocalTime, text, paper)
	if err != nil {
		return at, errs.Validation(errs.Field{Name: "at", Message: "is not a time such as 2026-11-16T07:00"})
	}
	return at, nil
}

// DeleteLetter deletes one that has not been sent.
func (f *Follows) DeleteLetter(ctx context.Context, id string) error {
	l, err := f.Letter(ctx, id)
	if err != nil {
		return err
	}
	if l.out() {
		return errs.New(errs.Conflict, "The newsletter has been sent.")
	}
	return f.letters.Delete(ctx, model.Values{"letter": id})
}

// Recipients returns who gets a newsletter.
func (f *Follows) Recipients(ctx context.Context, l *Letter) ([]string, error) {
	all, err := f.following(ctx, []Subject{{Kind: Newsletter, Name: Newsletter}})
	if err != nil || len(l.Segment) == 0 {
		return slices.Sorted(maps.Keys(all)), err
	}
	subjects := make([]Subject, len(l.Segment))
	for i, s := range l.Segment {
		subjects[i] = normal(s)
	}
	some, err := f.following(ctx, subjects)
	maps.DeleteFunc(all, func(reader string, _ []Subject) bool { return some[reader] == nil })
	return slices.Sorted(maps.Keys(all)), err
}

// Mail writes down the deliveries of newsletters that are due, and returns how many
// newsletters went. A process that dies on the way leaves the rest to the next one: the
// ledger takes each recipient once. It also takes which stories the newsletter holds, so
// that its recipients are told of their corrections.
func (f *Follows) Mail(ctx context.Context, ledger *deliver.Ledger, stories *story.Stories) (int, error) {
	due, err := f.Letters(ctx, Scheduled, 0)
	begun, err2 := f.Letters(ctx, Mailing, 0)
	if err := errors.Join(err, err2); err != nil {
		return 0, err
	}
	n := 0
	for _, l := range slices.Concat(begun, due) {
		if l.At > model.FormatTime(f.now()) || l.State != Scheduled && l.State != Mailing {
			continue
		}
		l.State = Mailing
		if err := f.letters.Put(ctx, &l); errors.Is(err, model.ErrStale) {
			continue // somebody changed it, or another process is at it
		} else if err != nil {
			return n, err
		}
		to, err := f.Recipients(ctx, &l)
		if err != nil {
			return n, err
		}
		cards, err := stories.Get(ctx, l.Refs()...)
		if err != nil {
			return n, err
		}
		var all []deliver.Delivery
		for i := range cards { // first: nobody gets a story that is not written down
			all = append(all, deliver.Within(l.ID, &cards[i]))
		}
		for _, reader := range to {
			all = append(all, deliver.Delivery{Ref: l.Ref(), Recipient: reader, Channel: "mail", Revision: 1, What: story.Published, Title: l.Title})
		}
		if _, err := ledger.Add(ctx, all...); err != nil {
			return n, err
		}
		l.State = Mailed
		if err := f.letters.Put(ctx, &l); err != nil && !errors.Is(err, model.ErrStale) {
			return n, err
		}
		n++
	}
	return n, nil
}

// RunLetters mails newsletters when they are due, until ctx ends.
func (f *Follows) RunLetters(ctx context.Context, ledger *deliver.Ledger, stories *story.Stories) error {
	for {
		if _, err := f.Mail(ctx, ledger, stories); err != nil {
			return err
		}
		if model.Sleep(ctx, 10*time.Second) != nil {
			return nil
		}
	}
}

// newsletter is what a delivery of a newsletter says, of its stories as they are now.
func (c *Composer) newsletter(ctx context.Context, d *deliver.Delivery, l *letter) error {
	_, err := c.Follows.follows.Get(ctx, model.Values{"reader": d.Recipient, "kind": Newsletter, "name": Newsletter})
	if errors.Is(err, model.ErrNotFound) {
		return &deliver.Unwanted{Reason: "the reader no longer wants newsletters"}
	}
	if err != nil {
		return err
	}
	whole, err := c.Follows.Letter(ctx, d.Ref.ID)
	if errors.Is(err, errs.NotFound) {
		return &deliver.Unwanted{Reason: "the newsletter is gone"}
	}
	if err != nil {
		return err
	}
	return c.fill(ctx, &whole, l)
}

// fill puts a newsletter into the frame of letters.
func (c *Composer) fill(ctx context.Context, whole *Letter, l *letter) error {
	cards, err := c.Stories.Get(ctx, whole.Refs()...)
	if err != nil {
		return err
	}
	l.Subject = oneLine(whole.Title)
	l.Intro = whole.Paragraphs()
	for i := range cards {
		l.Items = append(l.Items, c.item(&cards[i], "", l.Language))
	}
	if len(l.Items) == 0 {
		return &deliver.Unwanted{Reason: "all its stories are gone"}
	}
	return nil
}

// Sample is a newsletter as one person sees it before it goes.
func (c *Composer) Sample(ctx context.Context, whole *Letter, to, language string) (*deliver.Message, error) {
	if words[language].New == "" {
		language = "en"
	}
	paper, err := c.Stories.Paper(ctx)
	if err != nil {
		return nil, err
	}
	l := letter{Language: language, Name: cmp.Or(paper.Name, c.Name), Manage: words[language].Manage, ManageLink: c.Base + "/follows"}
	if err := c.fill(ctx, whole, &l); err != nil {
		return nil, err
	}
	var html bytes.Buffer
	if err := letters.Execute(&html, &l); err != nil {
		return nil, err
	}
	return &deliver.Message{To: to, Language: language, Subject: l.Subject, Text: l.text(), HTML: html.String()}, nil
}
