package minutes

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"pressroom/model"
)

// cursors makes cursors of lists that are joined from several, for which one
// table's position is not enough: the date and id of the last article shown, signed
// together with the list that they belong to.
type cursors struct{ key []byte }

// position is an article's place in every list of index items.
type position struct {
	Date string `json:"d"`
	ID   string `json:"i"`
}

// after tells whether an item comes after the position in a list, the newest first.
func (p position) after(l *Light) bool {
	return l.Date < p.Date || l.Date == p.Date && l.ID < p.ID
}

func (c *cursors) sign(payload []byte, scope string) []byte {
	h := hmac.New(sha256.New, c.key)
	h.Write([]byte("minutes list\x00" + scope + "\x00"))
	h.Write(payload)
	return h.Sum(nil)[:16]
}

func (c *cursors) seal(p position, scope string) string {
	payload, _ := json.Marshal(p) // two strings always marshal
	return base64.RawURLEncoding.EncodeToString(append(c.sign(payload, scope), payload...))
}

// open reads a cursor of the list, or answers model.ErrCursor.
func (c *cursors) open(cursor, scope string) (position, error) {
	var p position
	data, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(data) < 16 || !hmac.Equal(data[:16], c.sign(data[16:], scope)) {
		return p, model.ErrCursor
	}
	if json.Unmarshal(data[16:], &p) != nil {
		return p, model.ErrCursor
	}
	return p, nil
}
