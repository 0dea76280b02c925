package search

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"pressroom/internal/errs"
)

// Position is a place in the results of a query: the last hit that was shown.
type Position struct {
	Score float64   `json:"s,omitempty"`
	Date  time.Time `json:"d"`
	ID    string    `json:"i"`
	// AsOf is the moment for which newness was judged on the first page.
	AsOf  time.Time `json:"a"`
	Query string    `json:"q"` // that of the same query
}

// Cursor seals a position in the results of a query.
func (q Query) SealCursor(p Position) (string, error) {
	p.Query = q.fingerprint()
	b, err := json.Marshal(p)
	return base64.RawURLEncoding.EncodeToString(b), err
}

// OpenCursor returns the position that the query continues from; nil on the
// first page. A cursor of another query, or none, is errs.Malformed.
func (q Query) OpenCursor() (*Position, error) {
	if q.Cursor == "" {
		return nil, nil
	}
	var p Position
	b, err := base64.RawURLEncoding.DecodeString(q.Cursor)
	if err == nil {
		err = json.Unmarshal(b, &p)
	}
	if err != nil {
		return nil, errs.Wrap(err, errs.Malformed, "The cursor cannot be read. Begin with the first page.")
	}
	if p.Query != q.fingerprint() {
		return nil, errs.New(errs.Malformed, "The cursor belongs to another query. Begin with the first page.")
	}
	return &p, nil
}

// fingerprint tells queries apart; who asks and how many at once do not count.
func (q Query) fingerprint() string {
	parts, err := json.Marshal([]any{
		strings.TrimSpace(q.Text), q.Desks, q.Kinds, q.Languages, q.Sources, q.Tags, q.From.Unix(), q.To.Unix(), q.Sort,
	})
	if err != nil {
		panic(err) // strings and numbers
	}
	sum := sha256.Sum256(parts)
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}
