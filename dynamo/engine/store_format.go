package engine

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// format is the version of the layout. A store with a higher one is refused;
// one with a lower one would be upgraded here.
const format = 1

type metaFormat struct{ Format int }

var formatKey = append([]byte{spaceMeta}, "format"...)

// checkFormat marks a new store and refuses one that a later program wrote.
func (e *Engine) checkFormat() error {
	value, closer, err := e.db.Get(formatKey)
	if errors.Is(err, pebble.ErrNotFound) {
		raw, err := json.Marshal(metaFormat{format})
		if err != nil {
			return err
		}
		b := e.db.NewBatch()
		defer func() { _ = b.Close() }()
		if err := b.Set(formatKey, raw, nil); err != nil {
			return err
		}
		return e.commit(b)
	}
	if err != nil {
		return fmt.Errorf("read format: %w", err)
	}
	defer func() { _ = closer.Close() }()
	var m metaFormat
	if err := json.Unmarshal(value, &m); err != nil {
		return fmt.Errorf("read format: %w", err)
	}
	if m.Format > format {
		return fmt.Errorf("the data were written by a newer program (format %d, this one knows %d): use that program", m.Format, format)
	}
	return nil
}
