// Package story is what any desk publishes, and what happened to it: one card for
// each story, and one log of events over all desks. It knows no desk. The text of a
// story stays with its desk.
//
// It promises that nothing becomes visible, changes or goes without an event, and
// that no event tells of what did not happen: a desk adds the pieces that
// [Stories.Publish], [Stories.Correct] and [Stories.Withdraw] return to the
// transaction that makes its own change visible. Each consumer then sees every event
// at least once, and those of a story in the order of its revisions, whichever process
// dies at whatever moment. Reads of cards are consistent: what was withdrawn is gone
// with the next read, also where an index is behind.
//
// An event goes this way. It is written with its head and waits in the outbox
// (publish.go). One relay at a time moves it into the log and gives it the next number
// of a sequence without gaps (relay.go). Each consumer reads the log from its own
// cursor on (follow.go), or rebuilds from the heads (list.go) if it was away for
// longer than the log is kept. Who may move a cursor is in cursor.go.
//
// What other programs write into a desk's tables has no event. One process at a time
// reads the tables' streams (tables.go) and asks the desk, by its [Shelf], what has
// become of the story (adopt.go).
//
// It works on any DynamoDB. Start with this file and schema.go.
package story

import (
	"crypto/rand"
	"errors"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"pressroom/model"
)

// Keep is how long events are in the log.
const Keep = 35 * 24 * time.Hour

// Ref names a story: its desk, and its id there.
type Ref struct {
	Desk string `dynamodbav:"desk"`
	ID   string `dynamodbav:"id"`
}

func (r Ref) String() string { return r.Desk + "/" + r.ID }

// shards is how many partitions the stories of a desk lie in. It is part of the keys
// and cannot change.
const shards = 16

// key returns the variables of the keys of a story's items.
func (r Ref) key() model.Values {
	return model.Values{"desk": r.Desk, "shard": r.shard(), "id": r.ID}
}

func (r Ref) shard() string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(r.ID)) // never fails
	return strconv.Itoa(int(h.Sum32() % shards))
}

// Story is the card of a story. Times are ISO 8601, as [model.FormatTime] writes them.
type Story struct {
	Ref
	Kind     string `dynamodbav:"kind"` // what it is for its desk: post, article, term
	Path     string `dynamodbav:"path"` // of its page, below the site
	Title    string `dynamodbav:"title"`
	Summary  string `dynamodbav:"summary"`  // plain text
	Language string `dynamodbav:"language"` // ja, en; "" if unknown
	// Summaries are the summary in languages that readers may prefer, where there are
	// several.
	Summaries map[string]string `dynamodbav:"summaries"`
	// Section is what stands above the title: a category, a committee; may be empty.
	Section string `dynamodbav:"section"`

	Published string `dynamodbav:"published"`
	Updated   string `dynamodbav:"updated"` // "" if never
	Listed    string `dynamodbav:"listed"`  // the date that lists go by; Published if empty

	People []string `dynamodbav:"people"`
	Topics []string `dynamodbav:"topics"`
	// Subjects are what else it is about: a committee, a bill, a site.
	Subjects []Subject `dynamodbav:"subjects,omitempty"`

	Source     Source     `dynamodbav:"source"`
	Picture    Picture    `dynamodbav:"picture"`
	Provenance Provenance `dynamodbav:"provenance"`

	// Unfound says that search leaves it out: its source wants that.
	Unfound bool `dynamodbav:"unfound,omitempty"`
	// Unread says that programs which act for others get title and address alone: its
	// source wants that.
	Unread bool `dynamodbav:"unread,omitempty"`

	// Digest stands for the text, which is not in the card: a version or a hash that
	// is another when the text is. Without it a change of the text alone is no event.
	Digest string `dynamodbav:"digest"`
	// Revision counts the changes, from 1. It is never given to a story twice, not even
	// after a withdrawal. What a desk sets here is ignored.
	Revision int `dynamodbav:"revision"`
}

// Subject is something that stories are about, and that readers follow.
type Subject struct {
	Kind string `dynamodbav:"kind"` // party, committee, assembly, bill, site, term
	Name string `dynamodbav:"name"`
}

// Source is who said it first; zero for the newsroom's own.
type Source struct {
	Name    string `dynamodbav:"name,omitempty"`
	URL     string `dynamodbav:"url,omitempty"`
	Basis   string `dynamodbav:"basis,omitempty"`   // why it may be shown
	Licence string `dynamodbav:"licence,omitempty"` // under which it may be
}

// Picture is shown with a card; zero for none.
type Picture struct {
	Path string `dynamodbav:"path,omitempty"`
	Text string `dynamodbav:"text,omitempty"` // what it shows, for those who cannot see it
	Set  string `dynamodbav:"set,omitempty"`  // the sizes that there are, as an img's srcset has them
	// Focus is the point that stays in sight where the picture is cut, as in "30 70":
	// percent from the left and from the top. The middle if empty.
	Focus string `dynamodbav:"focus,omitempty"`
}

// Focus reads a point of a picture, as in "30 70": percent from the left and from the top.
func Focus(point string) (x, y int, ok bool) {
	left, top, _ := strings.Cut(point, " ")
	x, err := strconv.Atoi(left)
	y, err2 := strconv.Atoi(top)
	return x, y, err == nil && err2 == nil && min(x, y) >= 0 && max(x, y) <= 100
}

// Provenance is who wrote the text and who looked at it.
type Provenance struct {
	Author     string   `dynamodbav:"author,omitempty" json:"author,omitempty" doc:"the person who wrote it"`
	CoAuthors  []string `dynamodbav:"coAuthors,omitempty" json:"co_authors,omitempty" doc:"who wrote it with the author"`
	Model      string   `dynamodbav:"model,omitempty" json:"model,omitempty" doc:"the language model or program that wrote it, as provider/model; empty if a person did"`
	Prompt     string   `dynamodbav:"prompt,omitempty" json:"prompt,omitempty" doc:"the version of the prompt"`
	Made       string   `dynamodbav:"made,omitempty" json:"made,omitempty" doc:"when the model wrote it"`
	Extractive bool     `dynamodbav:"extractive,omitempty" json:"extractive,omitempty" doc:"no model wrote: a program chose and arranged words of the source"`
	Reviewer   string   `dynamodbav:"reviewer,omitempty" json:"reviewer,omitempty" doc:"the person who looked at it last"`
	Reviewed   string   `dynamodbav:"reviewed,omitempty" json:"reviewed,omitempty" doc:"when"`
	Version    int      `dynamodbav:"version,omitempty" json:"version,omitempty" doc:"of the text, that came of the review"`
	Edited     bool     `dynamodbav:"edited,omitempty" json:"edited,omitempty" doc:"the reviewer changed the text"`
}

// Authors are all who wrote it, the first first.
func (p *Provenance) Authors() []string {
	if p.Author == "" {
		return nil
	}
	return append([]string{p.Author}, p.CoAuthors...)
}

// Digital is the IPTC's term for how a text came about, from its vocabulary of digital
// source types; "" for what a person wrote.
func (p *Provenance) Digital() string {
	switch {
	case p.Model == "":
		return ""
	case p.Edited:
		return digitalSource + "compositeWithTrainedAlgorithmicMedia"
	case p.Extractive:
		return digitalSource + "algorithmicMedia"
	}
	return digitalSource + "trainedAlgorithmicMedia"
}

const digitalSource = "http://cv.iptc.org/newscodes/digitalsourcetype/"

// What is what happened to a story.
type What string

// What can happen.
const (
	Published What = "published" // it became visible, for the first time or again
	Changed   What = "changed"
	Corrected What = "corrected" // it said something wrong before
	Withdrawn What = "withdrawn" // it is no longer visible
)

// Event is one thing that happened to a story. It has none of the card: whoever needs
// that reads it as it is now.
type Event struct {
	Ref
	Kind     string `dynamodbav:"kind"`     // the story's
	Revision int    `dynamodbav:"revision"` // that the story then had
	What     What   `dynamodbav:"what"`
	Reason   string `dynamodbav:"reason"`
	At       string `dynamodbav:"at"`
}

// Entry is an event in the log.
type Entry struct {
	Event
	Sequence int64 `dynamodbav:"sequence"` // from 1, without gaps
	TTL      int64 `dynamodbav:"ttl"`
}

// head is what is stored of a story.
type head struct {
	Story
	Shard     string `dynamodbav:"shard"`
	Order     string `dynamodbav:"order"`     // its place in lists; "" if it was withdrawn
	Withdrawn string `dynamodbav:"withdrawn"` // when; "" if it is visible
	HeldBy    string `dynamodbav:"heldBy"`    // the person who withdrew it; "" if none did
	HeldFor   string `dynamodbav:"heldFor"`   // that person's reason
}

// event is an event until it is in the log, and beside it.
type event struct {
	Event
	Shard   string `dynamodbav:"shard"`
	Waiting string `dynamodbav:"waiting"` // since when it waits for the relay; "" if it is in the log
	TTL     int64  `dynamodbav:"ttl,omitempty"`
}

// What can become of a call.
var (
	// ErrChanged is a transaction that met another change of the same story. The desk
	// asks for the pieces again, and tries again.
	ErrChanged = errors.New("the story was changed in the meantime")
	// ErrWithdrawn is a story that a person withdrew, and that only a person may bring
	// back.
	ErrWithdrawn = errors.New("a person withdrew the story")
	// ErrBehind is a consumer that needs events which the log no longer has.
	ErrBehind = errors.New("the log no longer goes back so far")
	// ErrHeld is a cursor that another process has.
	ErrHeld = errors.New("another process is at it")
)

// Options adjust Stories. The zero value, and nil, are usable.
type Options struct {
	Table string           // default Stories
	Owner string           // names this process to operators; default a random text
	Lease time.Duration    // how long a process that died keeps others waiting; default 15 seconds
	Poll  time.Duration    // how often the relay and consumers look for news; default half a second
	Now   func() time.Time // default time.Now
}

// Stories is the table of stories. It may be used from many goroutines.
type Stories struct {
	db          model.DB
	o           Options
	heads       *model.Repo[head]
	events      *model.Repo[event]
	entries     *model.Repo[Entry]
	cursors     *model.Repo[cursor]
	takes       *model.Repo[taken]
	papers      *model.Repo[paperItem]
	emblems     *model.Repo[emblem]
	fronts      *model.Repo[Front]
	reports     *model.Repo[Report]
	reported    *model.View[listedReport]
	notes       *model.Repo[noted]
	corrections *model.View[listedNote]
	newest      *model.View[listed]
	outbox      *model.View[mark]
	story       *model.View[event]
}

// SummaryIn returns the summary in a language, or the one there is.
func (st *Story) SummaryIn(language string) string {
	if text := st.Summaries[language]; text != "" {
		return text
	}
	return st.Summary
}

// Labels are the values of several lists, each once, such as a story's topics.
func Labels(lists ...[]string) []string {
	var all []string
	for _, label := range slices.Concat(lists...) {
		if label != "" && !slices.Contains(all, label) {
			all = append(all, label)
		}
	}
	return all
}

// New returns the stories in a table of that [Schema]. The store must be the one in
// which desks do their transactions.
func New(db model.DB, o *Options) (*Stories, error) {
	s := &Stories{db: db}
	if o != nil {
		s.o = *o
	}
	s.o.defaults()
	t := table
	t.Name = s.o.Table
	var err error
	if s.heads, err = model.NewRepo[head](db, &t, "Head", nil); err != nil {
		return nil, err
	}
	if s.events, err = model.NewRepo[event](db, &t, "Event", nil); err != nil {
		return nil, err
	}
	if s.entries, err = model.NewRepo[Entry](db, &t, "Entry", nil); err != nil {
		return nil, err
	}
	if s.cursors, err = model.NewRepo[cursor](db, &t, "Cursor", nil); err != nil {
		return nil, err
	}
	if s.takes, err = model.NewRepo[taken](db, &t, "Taken", nil); err != nil {
		return nil, err
	}
	if s.papers, err = model.NewRepo[paperItem](db, &t, "Paper", nil); err != nil {
		return nil, err
	}
	if s.emblems, err = model.NewRepo[emblem](db, &t, "Emblem", nil); err != nil {
		return nil, err
	}
	if s.fronts, err = model.NewRepo[Front](db, &t, "Front", nil); err != nil {
		return nil, err
	}
	if s.reports, err = model.NewRepo[Report](db, &t, "Report", nil); err != nil {
		return nil, err
	}
	if s.reported, err = model.NewView[listedReport](db, &t, "Reports", nil); err != nil {
		return nil, err
	}
	if s.notes, err = model.NewRepo[noted](db, &t, "Note", nil); err != nil {
		return nil, err
	}
	if s.corrections, err = model.NewView[listedNote](db, &t, "Corrections", nil); err != nil {
		return nil, err
	}
	if s.newest, err = model.NewView[listed](db, &t, "Newest", nil); err != nil {
		return nil, err
	}
	if s.outbox, err = model.NewView[mark](db, &t, "Outbox", nil); err != nil {
		return nil, err
	}
	s.story, err = s.events.View("EventsOf")
	return s, err
}

func (o *Options) defaults() {
	if o.Table == "" {
		o.Table = table.Name
	}
	if o.Owner == "" {
		o.Owner = rand.Text()
	}
	if o.Lease == 0 {
		o.Lease = 15 * time.Second
	}
	if o.Poll == 0 {
		o.Poll = 500 * time.Millisecond
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}
