package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"

	"pressroom/internal/search"
	"pressroom/internal/search/text"
)

// generation is one index in its own directory: the public documents and the
// others. The file CURRENT names the one that is searched.
type generation struct {
	dir     string // "" in memory
	name    string
	public  *part
	private *part
	damaged atomic.Bool // it is not searched, and is to be made again
}

const (
	currentFile = "CURRENT"
	prefix      = "index-"
)

var (
	checkpointsKey = []byte("checkpoints")
	versionKey     = []byte("version")
)

// newGeneration makes an empty index under a new name.
func newGeneration(dir string) (*generation, error) {
	g := &generation{dir: dir}
	if dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		path, err := os.MkdirTemp(dir, prefix)
		if err != nil {
			return nil, err
		}
		g.name = filepath.Base(path)
	}
	var err error
	if g.public, err = create(g.path("public")); err != nil {
		return nil, err
	}
	if g.private, err = create(g.path("private")); err != nil {
		return nil, errors.Join(err, g.public.Close())
	}
	g.allowMerges()
	return g, nil
}

func create(path string) (*part, error) {
	x, err := bleve.NewUsing(path, bleve.NewIndexMapping(), scorch.Name, scorch.Name, settings())
	if err != nil {
		return nil, err
	}
	if err := x.SetInternal(versionKey, []byte(version)); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return newPart(x, path)
}

// currentName returns the index that CURRENT names, not open; nil and no error if
// there has never been one.
func currentName(dir string) (*generation, error) {
	if dir == "" {
		return nil, nil
	}
	b, err := os.ReadFile(filepath.Join(dir, currentFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	g := &generation{dir: dir, name: strings.TrimSpace(string(b))}
	if !strings.HasPrefix(g.name, prefix) || filepath.Base(g.name) != g.name {
		return nil, fmt.Errorf("%s names %q", currentFile, g.name)
	}
	return g, nil
}

// openCurrent opens the index that CURRENT names, likewise, if its notes do not
// say that it is damaged.
func openCurrent(dir string) (*generation, error) {
	g, err := currentName(dir)
	if g == nil || err != nil {
		return nil, err
	}
	for _, name := range []string{"public", "private"} {
		if err := (&note{part: g.path(name)}).check(); err != nil {
			return nil, err
		}
	}
	if g.public, err = open(g.path("public")); err != nil {
		return nil, err
	}
	if g.private, err = open(g.path("private")); err != nil {
		return nil, errors.Join(err, g.public.Close())
	}
	return g, nil
}

func open(path string) (p *part, err error) {
	defer func() {
		if damage := recover(); damage != nil { // out of a file that is cut off
			p, err = nil, fmt.Errorf("open %s: %v", path, damage)
		}
	}()
	x, err := bleve.OpenUsing(path, settings())
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	got, err := x.GetInternal(versionKey)
	if err == nil && string(got) != version {
		err = fmt.Errorf("open %s: version %q, want %q", path, got, version)
	}
	if err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return newPart(x, path)
}

func (g *generation) path(part string) string {
	if g.dir == "" {
		return ""
	}
	return filepath.Join(g.dir, g.name, part)
}

// makeCurrent lets CURRENT name the generation, all at once.
func (g *generation) makeCurrent() error {
	if g.dir == "" {
		return nil
	}
	name := filepath.Join(g.dir, currentFile)
	f, err := os.CreateTemp(g.dir, currentFile+".")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, g.name)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return err
	}
	return syncDir(g.dir)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// removeOthers removes generations that are not the named one, and what a crash
// left behind.
func removeOthers(dir, name string) error {
	if dir == "" {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if n := e.Name(); n != name && (strings.HasPrefix(n, prefix) || strings.HasPrefix(n, currentFile+".")) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, n)))
		}
	}
	return err
}

// batchText is how many bytes of text are written at once: being analysed, they
// take some hundred times as much memory.
const batchText = 1 << 19

func textSize(d *search.Document) int {
	return len(d.Title) + len(d.Summary) + min(len(d.Body), maxIndexed) + min(len(d.Hidden), maxIndexed)
}

func japanese(d search.Document) bool {
	return text.IsJapanese(d.Title) || text.IsJapanese(d.Summary) || text.IsJapanese(d.Body) || text.IsJapanese(d.Hidden)
}

// apply writes a change in pieces of a bounded size. Deletions come first and the
// checkpoints last: what a crash leaves half done is done again.
func (g *generation) apply(ctx context.Context, b search.Batch) error {
	if slices.ContainsFunc(b.Put, japanese) {
		if err := text.Load(ctx); err != nil {
			return err
		}
	}
	if err := prepare(b.Put); err != nil {
		return err
	}
	for {
		size, n := 0, 0
		for ; n < len(b.Put) && size < batchText; n++ {
			size += textSize(&b.Put[n])
		}
		piece := search.Batch{Put: b.Put[:n], Delete: b.Delete}
		if b.Put, b.Delete = b.Put[n:], nil; len(b.Put) == 0 {
			piece.Checkpoints = b.Checkpoints
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := g.write(piece); err != nil {
			return fmt.Errorf("write the search index: %w", err)
		}
		if len(b.Put) == 0 {
			return nil
		}
	}
}

// write writes the private index first and the public one, with the checkpoints,
// last.
func (g *generation) write(b search.Batch) error {
	public, private := g.public.NewBatch(), g.private.NewBatch()
	for _, k := range b.Delete {
		public.Delete(k.String())
		private.Delete(k.String())
	}
	for i := range b.Put {
		d := &b.Put[i]
		in, out := public, private
		if d.Level != search.Public {
			in, out = private, public
		}
		doc, err := fields(d)
		if err != nil {
			return err
		}
		out.Delete(d.String())
		if err := in.IndexAdvanced(doc); err != nil {
			return fmt.Errorf("index %s: %w", d.Key, err)
		}
	}
	if b.Checkpoints != nil {
		value, err := json.Marshal(b.Checkpoints)
		if err != nil {
			return err
		}
		public.SetInternal(checkpointsKey, value)
	}
	if private.Size() > 0 {
		if err := g.private.Batch(private); err != nil {
			return err
		}
	}
	return g.public.Batch(public)
}

// size is what the generation takes on disk.
func (g *generation) size() int64 {
	var total int64
	if g.dir != "" {
		_ = filepath.WalkDir(filepath.Join(g.dir, g.name), func(_ string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return nil // files come and go while segments are merged
			}
			if info, err := e.Info(); err == nil {
				total += info.Size()
			}
			return nil
		})
	}
	return total
}

func (g *generation) close() error { return errors.Join(g.public.Close(), g.private.Close()) }

func (g *generation) remove() error {
	if g.dir == "" {
		return nil
	}
	return os.RemoveAll(filepath.Join(g.dir, g.name))
}
