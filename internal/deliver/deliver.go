// Package deliver is the ledger of what readers are sent: each story, in each of its
// revisions, to each recipient by each channel once. It knows neither readers nor what
// a letter says; whoever opens it says so by [Options.Compose].
//
// It promises that nothing is sent that is not in the ledger, and that nothing in the
// ledger is lost: a delivery is written down before it is sent ([Ledger.Add]), marked as
// being sent before the channel is asked, and ends as sent, dropped or failed, with a
// reason. If a process dies between the channel's answer and the mark, the delivery is
// sent again under the same id, and says in Doubtful how often that may have made it
// twice. So there are at most as many doubles as sends were under way at a crash.
//
// Deliveries lie in partitions by their recipient. One process at a time works on a
// partition (partition.go). Which one that is does not depend on clocks that agree: a
// holder counts a number up, and is gone when somebody else has seen the same number for
// as long as a lease lasts. Even if two processes believe that they hold a partition, a
// delivery is marked only over the version that was read.
//
// Whoever got a story, and nobody else, is told of its correction and its withdrawal
// ([Ledger.Tell]): a delivery is marked before its text is composed, so that one which
// was not marked when the correction came composes the corrected text.
//
// Start with this file and schema.go; add.go writes down, work.go sends, outcome.go says
// what becomes of a delivery, list.go answers readers and operators.
package deliver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"pressroom/internal/story"
	"pressroom/model"
)

// State is what has become of a delivery.
type State string

// The states of a delivery.
const (
	Waiting  State = "waiting"  // it will be sent when it is due
	Sending  State = "sending"  // the channel is being asked, or was when a process died
	Sent     State = "sent"     // the channel took it
	Gathered State = "gathered" // it is part of a digest, and has become what that has
	Dropped  State = "dropped"  // nobody wants it any more
	Failed   State = "failed"   // given up
)

// Channels that the ledger knows something about. All others are what a newsroom has.
const (
	// Feed is read, not sent: a delivery by it is sent as soon as it is written down.
	Feed = "feed"
	// Digest is the desk of deliveries that have several stories. No desk is called so.
	Digest = "digest"
	// Newsletter is the desk of newsletters, whose stories are written down by [Within]. No
	// desk is called so.
	Newsletter = "newsletter"
	// Account is the desk of letters about accounts. No desk is called so.
	Account = "account"
)

// Kinds are the kinds of channels that a newsroom sends by, whose addresses can be
// suppressed.
var Kinds = []string{"mail", "webhook", "chat", "push"}

// Delivery is one story that one recipient is sent by one channel, in one revision.
type Delivery struct {
	story.Ref
	Recipient string     `dynamodbav:"recipient"`
	Channel   string     `dynamodbav:"channel"`
	Revision  int        `dynamodbav:"revision"`
	What      story.What `dynamodbav:"what"`  // that happened to the story
	Title     string     `dynamodbav:"title"` // of the story when it was written down, for lists

	State    State  `dynamodbav:"state"`
	Due      string `dynamodbav:"due"`      // when it is tried next; "" if it will not be
	Attempts int    `dynamodbav:"attempts"` // since it was written down, or replayed
	Doubtful int    `dynamodbav:"doubtful"` // sends of which nobody knows the end
	Reason   string `dynamodbav:"reason"`   // why it was not sent, or not yet
	Created  string `dynamodbav:"created"`
	SentAt   string `dynamodbav:"sentAt"`

	Digest  string   `dynamodbav:"digest"`            // the id of the digest that it was gathered into
	Stories []string `dynamodbav:"stories,stringset"` // of a digest, what is in it, as [Delivery.Entry] writes it

	Part    string `dynamodbav:"part"`
	Queue   string `dynamodbav:"queue"`
	TTL     int64  `dynamodbav:"ttl"`
	Version int    `dynamodbav:"version"`
}

// kind is what the channel is called among the ledger's: a recipient who has several
// addresses of one kind is told by "push:a" and "push:b".
func (d *Delivery) kind() string {
	kind, _, _ := strings.Cut(d.Channel, ":")
	return kind
}

// ID names the delivery to the channel and whoever is behind it. It is the same each
// time that the delivery is sent, and tells nothing about the recipient.
func (d *Delivery) ID() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d %q", d.Recipient, d.Desk, d.Ref.ID, d.Revision, d.Channel))
	return hex.EncodeToString(sum[:16])
}

// Entry names a story in a digest, with its revision.
func (d *Delivery) Entry() string { return fmt.Sprintf("%d %s %s", d.Revision, d.Desk, d.Ref.ID) }

// Message is what a channel sends.
type Message struct {
	ID       string // the delivery's: the same for each repetition
	To       string // an address of the channel's kind
	Language string
	Subject  string
	Text     string // plain
	HTML     string // the same with markup; "" for none
	Link     string // to the story; "" for none
	// Leave is where one POST ends what the message comes from, and LeavePage the page
	// on which a person does; "" if neither is possible.
	Leave, LeavePage string
	// Payload is the same for programs, as JSON; nil for none.
	Payload []byte
	// Secret signs the payload for its recipient, or has the keys to encrypt it with; nil
	// for none.
	Secret []byte
}

// Sender hands messages over to a channel. It may be called from many goroutines.
type Sender interface {
	// Send returns nil when the other side has taken the message. An error is tried
	// again, but for a [*Refusal] that says otherwise.
	Send(ctx context.Context, m *Message) error
}

// Refusal is an answer of the other side that says what to do next.
type Refusal struct {
	Reason string
	Final  bool          // it will not take this message, however often it is asked
	Dead   bool          // nor any other to this address, which is then suppressed
	Strike bool          // it counts against the address; see [Ledger.Strike]
	After  time.Duration // when it may be asked again; 0 if it did not say
}

func (r *Refusal) Error() string { return r.Reason }

// Unwanted is the error of a composer for a delivery that must not be sent any more: the
// reader has left, the story is gone.
type Unwanted struct{ Reason string }

func (u *Unwanted) Error() string { return u.Reason }

// Channel is a way to reach recipients.
type Channel struct {
	Sender
	// PerSecond bounds what all processes together send by it; 0 is no bound.
	PerSecond float64
	// Timeout is how long one send may take; default 30 seconds.
	Timeout time.Duration
}

// Options adjust a Ledger. Compose and Channels are needed by those who send.
type Options struct {
	Table    string // default Deliveries
	Channels map[string]Channel
	// Compose makes the message of a delivery, of the present text of its story. Its
	// reads must be consistent. An [*Unwanted] drops the delivery.
	Compose func(context.Context, *Delivery) (*Message, error)

	// Ended is told that the address of a delivery takes nothing any more, perhaps several
	// times; nil if nobody wants to know.
	Ended func(context.Context, *Delivery) error

	Lease    time.Duration    // how long a process that died keeps others waiting; default 15 seconds
	Poll     time.Duration    // how often work is looked for; default a second
	Turn     time.Duration    // how long a process keeps a partition that has more work; default 5 seconds
	Parallel int              // sends at a time; default 32
	Tries    int              // sends before a delivery is given up; default 12, which takes about a day
	Now      func() time.Time // default time.Now
	Log      *slog.Logger     // default none
}

// Ledger is the table of deliveries. It may be used from many goroutines.
type Ledger struct {
	db         model.DB
	o          Options
	deliveries *model.Repo[Delivery]
	partitions *model.Repo[partition]
	suppressed *model.Repo[Suppression]
	strikes    *model.Repo[strikes]
	due        *model.View[Delivery]
	about      *model.View[Delivery]
	waits      *model.View[waits]
	sends      chan struct{} // a token for each send under way
	limits     *limits
	watched    watched
}

// waits is what the queue itself has of a delivery.
type waits struct {
	Recipient string `dynamodbav:"recipient"`
	Due       string `dynamodbav:"due"`
}

// parts is how many partitions there are. It is part of the keys and cannot change.
const parts = 16

func partOf(recipient string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(recipient)) // never fails
	return strconv.Itoa(int(h.Sum32() % parts))
}

// New returns the ledger in a table of that [Schema].
func New(db model.DB, o *Options) (*Ledger, error) {
	l := &Ledger{db: db}
	if o != nil {
		l.o = *o
	}
	l.o.defaults()
	for name := range l.o.Channels {
		if name == Feed || l.o.Compose == nil {
			return nil, fmt.Errorf("a ledger cannot send by %q, or has nothing to say", name)
		}
	}
	l.sends, l.limits, l.watched = make(chan struct{}, l.o.Parallel), newLimits(l.o.Channels), watched{at: map[string]sight{}}
	t := table
	t.Name = l.o.Table
	var err error
	if l.deliveries, err = model.NewRepo[Delivery](db, &t, "Delivery", nil); err != nil {
		return nil, err
	}
	if l.partitions, err = model.NewRepo[partition](db, &t, "Partition", nil); err != nil {
		return nil, err
	}
	if l.suppressed, err = model.NewRepo[Suppression](db, &t, "Suppression", nil); err != nil {
		return nil, err
	}
	if l.strikes, err = model.NewRepo[strikes](db, &t, "Strikes", nil); err != nil {
		return nil, err
	}
	if l.waits, err = model.NewView[waits](db, &t, "Waits", nil); err != nil {
		return nil, err
	}
	var err2 error
	l.due, err = l.deliveries.View("Due")
	l.about, err2 = l.deliveries.View("About")
	return l, errors.Join(err, err2)
}

func (o *Options) defaults() {
	if o.Table == "" {
		o.Table = table.Name
	}
	if o.Lease == 0 {
		o.Lease = 15 * time.Second
	}
	if o.Poll == 0 {
		o.Poll = time.Second
	}
	if o.Turn == 0 {
		o.Turn = 5 * time.Second
	}
	if o.Parallel == 0 {
		o.Parallel = 32
	}
	if o.Tries == 0 {
		o.Tries = 12
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

func (l *Ledger) now() string { return model.FormatTime(l.o.Now()) }
