package opensearch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"pressroom/internal/errs"
	"pressroom/internal/search"
)

// names are those of the two indexes that belong together, or their aliases.
type names struct{ public, private string }

func (n names) both() string { return n.public + "," + n.private }

// Apply writes documents and then the checkpoints: what is lost in between is
// written again.
func (x *Index) Apply(ctx context.Context, b search.Batch) error { return x.apply(ctx, x.current, b) }

func (x *Index) apply(ctx context.Context, to names, b search.Batch) error {
	var lines bytes.Buffer
	e := json.NewEncoder(&lines)
	add := func(action, index, id string, doc any) error {
		if err := e.Encode(object{action: object{"_index": index, "_id": id}}); err != nil || doc == nil {
			return err
		}
		return e.Encode(doc)
	}
	var bad error
	for _, k := range b.Delete {
		bad = errors.Join(bad, add("delete", to.public, k.String(), nil), add("delete", to.private, k.String(), nil))
	}
	for i := range b.Put {
		d := &b.Put[i]
		in, out := to.public, to.private
		if d.Level != search.Public {
			in, out = out, in
		}
		bad = errors.Join(bad, add("delete", out, d.String(), nil), add("index", in, d.String(), toDocument(d)))
	}
	if bad != nil {
		return bad
	}
	if lines.Len() > 0 {
		if err := x.bulk(ctx, lines.Bytes()); err != nil {
			return err
		}
	}
	if b.Checkpoints == nil {
		return nil
	}
	// An index that took the place of the one that these are of has its own.
	place := to.public
	if own := b.Checkpoints[search.PlaceMark]; own != "" && to == x.current {
		place = escape(own)
	}
	// The mapping carries them: they move with the index, and no search sees them.
	return x.call(ctx, http.MethodPut, "/"+place+"/_mapping", object{"_meta": object{"checkpoints": b.Checkpoints}}, nil)
}

// bulk sends changes, and looks at the answer to each: the request succeeds also
// if some of them do not.
func (x *Index) bulk(ctx context.Context, lines []byte) error {
	var answer struct {
		Errors bool                         `json:"errors"`
		Items  []map[string]json.RawMessage `json:"items"`
	}
	if err := x.send(ctx, http.MethodPost, "/_bulk?refresh=wait_for", "application/x-ndjson", lines, &answer); err != nil {
		return err
	}
	if !answer.Errors {
		return nil
	}
	for _, item := range answer.Items {
		for action, raw := range item {
			var r struct {
				ID     string `json:"_id"`
				Status int    `json:"status"`
				Error  struct {
					Reason string `json:"reason"`
				} `json:"error"`
			}
			if err := json.Unmarshal(raw, &r); err != nil {
				return err
			}
			if r.Status >= 300 && (action != "delete" || r.Status != http.StatusNotFound) {
				return errs.Wrap(fmt.Errorf("%s %s: %d %s", action, r.ID, r.Status, r.Error.Reason), errs.Unavailable, "The search cluster did not take a document.")
			}
		}
	}
	return nil
}

// Checkpoints returns the last ones that were applied.
func (x *Index) Checkpoints(ctx context.Context) (search.Checkpoints, error) {
	var answer map[string]struct {
		Mappings struct {
			Meta struct {
				Checkpoints search.Checkpoints `json:"checkpoints"`
			} `json:"_meta"`
		} `json:"mappings"`
	}
	err := x.call(ctx, http.MethodGet, "/"+x.current.public+"/_mapping", nil, &answer)
	if errors.Is(err, errs.NotFound) {
		return nil, nil // lost: it is built again
	}
	for name, m := range answer {
		points := m.Mappings.Meta.Checkpoints
		if points != nil {
			points[search.PlaceMark] = name
		}
		return points, err
	}
	return nil, err
}

// Counts returns the size of the indexes.
func (x *Index) Counts(ctx context.Context) (search.Counts, error) {
	var out search.Counts
	for _, name := range []string{x.current.public, x.current.private} {
		var s struct {
			All struct {
				Primaries struct {
					Docs struct {
						Count int `json:"count"`
					} `json:"docs"`
					Store struct {
						Bytes int64 `json:"size_in_bytes"`
					} `json:"store"`
				} `json:"primaries"`
			} `json:"_all"`
		}
		if err := x.call(ctx, http.MethodGet, "/"+name+"/_stats/docs,store", nil, &s); err != nil {
			return out, err
		}
		out.Documents += s.All.Primaries.Docs.Count
		out.Bytes += s.All.Primaries.Store.Bytes
		if name == x.current.private {
			out.Private = s.All.Primaries.Docs.Count
		}
	}
	return out, nil
}

// build is a pair of indexes without an alias.
type build struct {
	index *Index
	names names
	done  bool
}

// Rebuild makes two empty indexes with new names.
func (x *Index) Rebuild(ctx context.Context) (search.Build, error) {
	at := x.o.Now().UTC().Format("20060102150405.000000000")
	at = strings.ReplaceAll(at, ".", "-")
	b := &build{index: x, names: names{public: x.current.public + "-" + at, private: x.current.private + "-" + at}}
	for _, name := range []string{b.names.public, b.names.private} {
		if err := x.call(ctx, http.MethodPut, "/"+escape(name), settings(), nil); err != nil {
			return nil, errors.Join(fmt.Errorf("make index %s: %w", name, err), b.Abort())
		}
	}
	return b, nil
}

// Apply writes into the new indexes.
func (b *build) Apply(ctx context.Context, batch search.Batch) error {
	return b.index.apply(ctx, b.names, batch)
}

// Commit moves both aliases in one request, and removes the indexes that had them
// and those of the version before.
func (b *build) Commit(ctx context.Context) error {
	c := b.index.current
	old, err := b.index.behind(ctx, c)
	if err != nil {
		return err
	}
	former, err := b.index.behind(ctx, b.index.former)
	if err != nil {
		return err
	}
	actions := []object{
		{"add": object{"index": b.names.public, "alias": c.public}},
		{"add": object{"index": b.names.private, "alias": c.private}},
	}
	for _, name := range append(old, former...) {
		actions = append(actions, object{"remove_index": object{"index": name}})
	}
	if err := b.index.call(ctx, http.MethodPost, "/_aliases", object{"actions": actions}, nil); err != nil {
		return fmt.Errorf("switch the search index: %w", err)
	}
	b.done = true
	return nil
}

// behind returns the indexes that two aliases name.
func (x *Index) behind(ctx context.Context, n names) ([]string, error) {
	var answer map[string]json.RawMessage
	err := x.call(ctx, http.MethodGet, "/_alias/"+n.both(), nil, &answer)
	if errors.Is(err, errs.NotFound) {
		return nil, nil
	}
	var out []string
	for name := range answer {
		out = append(out, name)
	}
	return out, err
}

// Abort removes the new indexes. It may be called when the context is over.
func (b *build) Abort() error {
	if b.done {
		return nil
	}
	b.done = true
	err := b.index.call(context.Background(), http.MethodDelete, "/"+b.names.both()+"?ignore_unavailable=true", nil, nil)
	if errors.Is(err, errs.NotFound) {
		return nil
	}
	return err
}
