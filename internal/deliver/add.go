package deliver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/internal/story"
	"pressroom/model"
)

const (
	perWrite = 50 // deliveries that are written down together
	perPage  = 50 // deliveries that are read together
	keep     = 400 * 24 * time.Hour
)

func (d *Delivery) key() model.Values {
	return model.Values{
		"desk": d.Desk, "id": d.Ref.ID, "part": partOf(d.Recipient), "recipient": d.Recipient,
		"revision": strconv.Itoa(d.Revision), "channel": d.Channel,
	}
}

// begin fills in what a new delivery has. Without a time it is due at once.
func (l *Ledger) begin(d *Delivery) error {
	if d.Desk == "" || d.Ref.ID == "" || d.Recipient == "" || d.Channel == "" {
		return fmt.Errorf("delivery of %s by %q to %q names too little", d.Ref, d.Channel, d.Recipient)
	}
	now := l.o.Now()
	d.Part, d.Created, d.TTL = partOf(d.Recipient), model.FormatTime(now), now.Add(keep).Unix()
	d.Attempts, d.Doubtful, d.Version, d.Title = 0, 0, 0, cut(d.Title, titleMax)
	switch {
	case d.Digest != "":
		d.State, d.Queue, d.Due = Gathered, "", ""
	case d.Channel == Feed:
		d.State, d.Queue, d.Due, d.SentAt = Sent, "", "", d.Created
	default:
		d.State, d.Queue = Waiting, d.Part
		if d.Due == "" {
			d.Due = d.Created
		}
	}
	return nil
}

// Add writes down what is to be sent, and returns how many of the deliveries were not
// in the ledger yet. Those that were stay as they are. After an error, some are written
// down; the same call again does the rest.
func (l *Ledger) Add(ctx context.Context, all ...Delivery) (int, error) {
	added := 0
	for chunk := range slices.Chunk(all, perWrite) {
		n, err := l.add(ctx, chunk)
		added += n
		if err != nil {
			return added, fmt.Errorf("write deliveries down: %w", err)
		}
	}
	return added, nil
}

func (l *Ledger) add(ctx context.Context, chunk []Delivery) (int, error) {
	met := map[string]bool{}
	var pieces []model.Piece
	for i := range chunk {
		d := chunk[i]
		if met[d.ID()] {
			continue
		}
		met[d.ID()] = true
		if err := l.begin(&d); err != nil {
			return 0, err
		}
		pieces = append(pieces, l.deliveries.CreatePiece(&d))
	}
	for len(pieces) > 0 {
		err := model.Transact(ctx, l.db, pieces...)
		var refused *model.TransactionError
		if !errors.As(err, &refused) || !errors.Is(err, model.ErrExists) {
			return len(pieces), err
		}
		// What is there already does not keep the rest from being written.
		for _, i := range slices.Backward(refused.Pieces) {
			pieces = slices.Delete(pieces, i, i+1)
		}
	}
	return 0, nil
}

// ErrClosed is a digest that takes no more stories: it has been sent, or is being sent.
var ErrClosed = errors.New("the digest is closed")

// Gather puts a delivery into a digest of its recipient, which is written down if it is
// the first, and is then due at the given time. It reports false if the delivery is in
// the ledger already, and [ErrClosed] if the digest has been sent in the meantime: then
// it belongs into the next one.
func (l *Ledger) Gather(ctx context.Context, d Delivery, digest string, due time.Time) (bool, error) {
	whole := Delivery{
		Ref: story.Ref{Desk: Digest, ID: digest}, Recipient: d.Recipient, Channel: d.Channel, What: story.Published,
		Due: model.FormatTime(due), Stories: []string{d.Entry()},
	}
	d.Digest = digest
	if err := errors.Join(l.begin(&d), l.begin(&whole)); err != nil {
		return false, err
	}
	row := l.deliveries.CreatePiece(&d)
	open := expression.Name("state").Equal(expression.Value(string(Waiting)))
	joins := expression.Add(expression.Name("stories"), expression.Value(&types.AttributeValueMemberSS{Value: []string{d.Entry()}}))
	for {
		err := model.Transact(ctx, l.db, row, l.deliveries.UpdatePiece(whole.key(), joins, open).Means(ErrClosed))
		if errors.Is(err, model.ErrExists) {
			return false, nil
		}
		if !errors.Is(err, ErrClosed) {
			return err == nil, err
		}
		err = model.Transact(ctx, l.db, row, l.deliveries.CreatePiece(&whole).Means(ErrClosed))
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, model.ErrExists):
			return false, nil
		case !errors.Is(err, ErrClosed):
			return false, err
		}
		// It is there: another process made it just now, or it has been sent.
		now, err := l.deliveries.Get(ctx, whole.key())
		if err != nil {
			return false, err
		}
		if now.State != Waiting {
			return false, fmt.Errorf("gather %s for %s: %w", d.Ref, d.Recipient, ErrClosed)
		}
	}
}

// Within returns what is written down of a story that a newsletter holds, before the
// newsletter goes to anybody: once for all its recipients, who are found by the newsletter.
func Within(letter string, st *story.Story) Delivery {
	return Delivery{
		Ref: st.Ref, Recipient: Newsletter + ":" + letter, Channel: Newsletter, Revision: st.Revision, What: story.Published, Title: st.Title,
		Digest: letter,
	}
}

// Tell writes down the correction or the withdrawal of a story for those who got it, by
// the channels by which they did. Who may have got it counts: a send of which nobody
// knows the end. Who has not been sent it yet will be sent it as it is now. A newsletter
// that held the story counts as well.
func (l *Ledger) Tell(ctx context.Context, e story.Event) (int, error) {
	type way struct{ recipient, channel string }
	got, last := map[way]bool{}, map[way]Delivery{}
	var within []Delivery
	for d, err := range l.About(ctx, e.Ref) {
		if err != nil {
			return 0, err
		}
		if d.Revision >= e.Revision {
			continue
		}
		if d.Channel == Newsletter {
			within = append(within, d)
			continue
		}
		has, err := l.got(ctx, &d)
		if err != nil {
			return 0, err
		}
		if w := (way{d.Recipient, d.Channel}); has {
			got[w], last[w] = true, d
		}
	}
	for _, part := range within {
		if part.State == Dropped {
			continue
		}
		for d, err := range l.About(ctx, story.Ref{Desk: Newsletter, ID: part.Digest}) {
			if err != nil {
				return 0, err
			}
			has, err := l.got(ctx, &d)
			if err != nil {
				return 0, err
			}
			if w := (way{d.Recipient, d.Channel}); has && !got[w] {
				got[w], last[w] = true, part
			}
		}
	}
	var told []Delivery
	for w := range got {
		if d := last[w]; d.What == story.Withdrawn && e.What == story.Withdrawn {
			continue // knows it
		}
		told = append(told, Delivery{Ref: e.Ref, Recipient: w.recipient, Channel: w.channel, Revision: e.Revision, What: e.What, Title: last[w].Title})
	}
	n, err := l.Add(ctx, told...)
	if err != nil || e.What != story.Withdrawn {
		return n, err
	}
	// Who is sent the newsletter from now on does not get the story, and all others have
	// deliveries of their own.
	for i := range within {
		if err := l.Drop(ctx, &within[i], "the story was withdrawn"); err != nil {
			return n, err
		}
	}
	return n, nil
}

// got reports whether the recipient has been sent it, or may have been.
func (l *Ledger) got(ctx context.Context, d *Delivery) (bool, error) {
	if d.State != Gathered {
		return d.State == Sent || d.State == Sending || d.Doubtful > 0, nil
	}
	whole := Delivery{Ref: story.Ref{Desk: Digest, ID: d.Digest}, Recipient: d.Recipient, Channel: d.Channel}
	now, err := l.deliveries.Get(ctx, whole.key())
	if errors.Is(err, model.ErrNotFound) {
		return false, nil
	}
	return now.State == Sent || now.State == Sending || now.Doubtful > 0, err
}
