package story

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Report is what readers say is wrong with a story. Nobody but staff reads it. Texts that
// say the same are one, and beyond [MaxReports] they are only counted.
type Report struct {
	Ref
	Shard   string     `dynamodbav:"shard"`
	Order   string     `dynamodbav:"reportOrder"` // "" if nothing waits
	Since   string     `dynamodbav:"since"`
	Texts   []Reported `dynamodbav:"texts"`
	More    int        `dynamodbav:"more"`    // how many were not kept
	Settled []string   `dynamodbav:"settled"` // digests of texts that a person has seen lately
	Version int        `dynamodbav:"version"`
	TTL     int64      `dynamodbav:"ttl,omitempty"`
}

// Reported is one mistake, as a reader put it, and how many did.
type Reported struct {
	Text   string `dynamodbav:"text" json:"text"`
	At     string `dynamodbav:"at" json:"at"`
	Count  int    `dynamodbav:"count" json:"count"`
	Digest string `dynamodbav:"digest" json:"-"`
}

type listedReport struct {
	Ref
	Order string `dynamodbav:"reportOrder"`
}

// Bounds of what readers report.
const (
	MaxReport   = 1000 // characters of a text
	MaxReports  = 20   // texts of a story that wait
	maxSettled  = 200
	settledFor  = 30 * 24 * time.Hour
	countedMost = 1_000_000
)

// ReportMistake keeps what a reader says is wrong with a visible story, for a person to
// look at. A text that is empty or too long is an errs.Validation.
func (s *Stories) ReportMistake(ctx context.Context, ref Ref, text string) error {
	text = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "")))
	if n := utf8.RuneCountInString(text); n == 0 || n > MaxReport {
		return errs.Validation(errs.Field{Name: "text", Message: fmt.Sprintf("must have 1 to %d characters", MaxReport)})
	}
	cards, err := s.Get(ctx, ref)
	if err != nil {
		return err
	}
	if len(cards) == 0 {
		return s.Missing(ctx, ref, fmt.Errorf("story %s: %w", ref, errs.NotFound))
	}
	one := Reported{Text: text, At: s.now(), Count: 1, Digest: digestOf(text)}
	for range tries {
		_, err = s.reports.Modify(ctx, ref.key(), func(r *Report) error { s.heard(r, one); return nil })
		if errors.Is(err, model.ErrNotFound) {
			r := Report{Ref: ref, Shard: ref.shard()}
			s.heard(&r, one)
			err = s.reports.Create(ctx, &r)
		}
		if !errors.Is(err, model.ErrExists) {
			break
		}
	}
	if errors.Is(err, model.ErrStale) {
		return errs.Wrap(err, errs.RateLimited, "Many readers report this story right now. Try again shortly.")
	}
	return err
}

// heard adds a text to what waits, unless it is there or was seen lately.
func (s *Stories) heard(r *Report, one Reported) {
	if slices.Contains(r.Settled, one.Digest) {
		return
	}
	at := slices.IndexFunc(r.Texts, func(t Reported) bool { return t.Digest == one.Digest })
	switch {
	case at >= 0:
		r.Texts[at].Count = min(r.Texts[at].Count+1, countedMost)
	case len(r.Texts) == MaxReports:
		r.More = min(r.More+1, countedMost)
	default:
		r.Texts = append(r.Texts, one)
	}
	if r.Order == "" {
		r.Since, r.TTL = one.At, 0
		r.Order = fmt.Sprintf("%s#%s#%s", r.Since, r.Desk, r.ID)
	}
}

// digestOf is the same for texts that differ in spaces, case and punctuation alone.
func digestOf(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.IsSymbol(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(text))
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// Reports returns a page of the stories of which mistakes are reported, the oldest report
// first; after is the cursor of the page before.
func (s *Stories) Reports(ctx context.Context, after string, limit int) (model.Page[Report], error) {
	var page model.Page[Report]
	var keys []model.Values
	last := ""
	for one, err := range s.reported.All(ctx, nil, model.Window{From: after}) {
		if err != nil {
			return page, fmt.Errorf("list reports: %w", err)
		}
		if one.Order <= after {
			continue
		}
		if len(keys) == limit {
			page.Next = last
			break
		}
		keys, last = append(keys, one.key()), one.Order
	}
	if len(keys) == 0 {
		return page, nil
	}
	found, err := s.reports.BatchGet(ctx, keys)
	for _, r := range found {
		if r.Order != "" { // the index may be behind
			page.Items = append(page.Items, r)
		}
	}
	return page, err
}

// GetReport returns what readers report of a story, or errs.NotFound if nothing waits.
func (s *Stories) GetReport(ctx context.Context, ref Ref) (Report, error) {
	r, err := s.reports.Get(ctx, ref.key())
	if errors.Is(err, model.ErrNotFound) || err == nil && r.Order == "" {
		return Report{}, fmt.Errorf("report of %s: %w", ref, errs.NotFound)
	}
	return r, err
}

// SettleReport ends what waits of a story: a person has looked at it, in the version that
// they read. The same texts are not heard again for 30 days.
func (s *Stories) SettleReport(ctx context.Context, ref Ref, version int) error {
	_, err := s.reports.Modify(ctx, ref.key(), func(r *Report) error {
		if r.Version != version || r.Order == "" {
			return fmt.Errorf("report of %s: %w", ref, errs.Stale)
		}
		for _, t := range r.Texts {
			r.Settled = append(r.Settled, t.Digest)
		}
		r.Settled = r.Settled[max(0, len(r.Settled)-maxSettled):]
		r.Texts, r.More, r.Since, r.Order = nil, 0, "", ""
		r.TTL = s.o.Now().Add(settledFor).Unix()
		return nil
	})
	if errors.Is(err, model.ErrNotFound) {
		return fmt.Errorf("report of %s: %w", ref, errs.NotFound)
	}
	return err
}
