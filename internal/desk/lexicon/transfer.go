package lexicon

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"pressroom/internal/errs"
	"pressroom/model"
)

// ImportOptions adjust an import. The zero value is usable.
type ImportOptions struct {
	// Partial writes the good items of a file that has bad ones. Without it,
	// nothing of such a file is written.
	Partial bool
	// CSV reads a table whose first row names the columns, instead of JSON.
	CSV bool
	// Preview says what would happen, and writes nothing.
	Preview bool
	// Progress, if set, is told after each term how many are written; it may be
	// called from many goroutines, one at a time.
	Progress func(done, total int)
}

// ImportReport is what came of an import.
type ImportReport struct {
	Items   int         `json:"items"`   // good items in the file
	Written int         `json:"written"` // terms that were new or changed
	Same    int         `json:"same"`    // terms that were there just so
	Pools   int         `json:"pools"`   // quiz pools written
	Errors  []ItemError `json:"errors"`  // what was wrong, by line
	Merged  []ItemError `json:"merged"`  // items that look the same as others, which have them now
}

// Import writes the terms of a file, over those of the same slug, and checks
// through LexiconSourceIndex that all of them are there. A file with bad items is
// an Invalid error, and nothing of it is written unless o says so; the report has
// what is wrong in either case. Doing it again after an interruption is safe.
func (d *Desk) Import(ctx context.Context, r io.Reader, o ImportOptions) (ImportReport, error) {
	if o.CSV {
		var err error
		if r, err = fileOfCSV(r); err != nil {
			return ImportReport{}, err
		}
	}
	f, err := parseFile(r)
	if err != nil {
		return ImportReport{}, err
	}
	report := ImportReport{Items: len(f.terms), Errors: f.errors, Merged: f.merged}
	if len(f.errors) > 0 && !o.Partial {
		return report, errs.New(errs.Invalid, "%d things are wrong with the file; nothing was written.", len(f.errors))
	}
	i := importer{desk: d, file: f, report: &report, progress: o.Progress, failed: map[string]bool{}}
	if err := i.compare(ctx); err != nil {
		return report, err
	}
	if len(report.Errors) > 0 && !o.Partial {
		return report, errs.New(errs.Invalid, "%d terms look the same as others that are there; nothing was written.", len(report.Errors))
	}
	if o.Preview {
		return report, i.preview(ctx)
	}
	if err := i.run(ctx); err != nil {
		return report, err
	}
	return report, i.verify(ctx)
}

// preview counts what would be written.
func (i *importer) preview(ctx context.Context) error {
	for _, t := range i.file.terms {
		if i.failed[t.Slug] {
			continue
		}
		old, err := i.desk.Term(ctx, t.Slug)
		if err != nil && !errors.Is(err, errs.NotFound) {
			return err
		}
		t.Version, t.SubmissionID = old.Version, old.SubmissionID
		if err == nil && sameTerm(old, t) {
			i.report.Same++
		} else {
			i.report.Written++
		}
	}
	i.report.Pools = len(i.file.pools)
	return nil
}

// importers is how many terms are written at once.
const importers = 8

type importer struct {
	desk     *Desk
	file     *parsed
	progress func(done, total int)

	mu     sync.Mutex
	report *ImportReport
	done   int
	failed map[string]bool // slugs
	err    error
}

// compare looks for terms in the tables that look the same as others in the file.
func (i *importer) compare(ctx context.Context) error {
	keys := make([]model.Values, len(i.file.terms))
	bySkeleton := map[string]int{}
	for n, t := range i.file.terms {
		skeleton := skeletonOf(t.Slug)
		keys[n], bySkeleton[skeleton] = model.Values{"name": skeleton}, n
	}
	there, err := i.desk.spellings.BatchGet(ctx, keys)
	if err != nil {
		return failure(err)
	}
	for _, s := range there {
		n := bySkeleton[s.Name]
		if s.Spells == i.file.terms[n].Slug {
			continue
		}
		old, err := i.desk.Term(ctx, s.Spells)
		if errors.Is(err, errs.NotFound) {
			i.refuse(n)
			continue
		}
		if err != nil {
			return err
		}
		place := i.file.places[n]
		i.report.Merged = append(i.report.Merged, ItemError{place.Line, place.Field + ".term", fmt.Sprintf("looks the same as “%s”, which is there, and is merged into it", old.Term)})
		old.merge(&i.file.terms[n])
		i.file.terms[n] = old
	}
	return nil
}

// refuse reports a term as one that looks the same as another.
func (i *importer) refuse(n int) {
	place := i.file.places[n]
	i.report.Errors = append(i.report.Errors, ItemError{place.Line, place.Field + ".term", "looks the same as a term that is there"})
	i.failed[i.file.terms[n].Slug] = true
}

func (i *importer) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	work := make(chan int)
	var group sync.WaitGroup
	for range importers {
		group.Go(func() {
			for n := range work {
				written, err := i.desk.replace(ctx, i.file.terms[n])
				if i.finished(n, written, err) != nil {
					cancel()
				}
			}
		})
	}
	for n := range i.file.terms {
		if ctx.Err() != nil {
			break
		}
		if !i.failed[i.file.terms[n].Slug] {
			work <- n
		}
	}
	close(work)
	group.Wait()
	if i.err != nil {
		return i.err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, pool := range i.file.pools {
		if err := i.desk.PutQuizPool(ctx, pool); err != nil {
			return err
		}
		i.report.Pools++
	}
	return i.desk.termsChanged(ctx)
}

// finished notes what became of a term. A term that cannot be, because another
// looks the same, is reported; any other error ends the import.
func (i *importer) finished(n int, written bool, err error) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case errors.Is(err, errs.Duplicate):
		i.refuse(n)
		return nil
	case err != nil:
		if i.err == nil {
			i.err = fmt.Errorf("import %s: %w", i.file.terms[n].Slug, err)
		}
		return err
	case written:
		i.report.Written++
	default:
		i.report.Same++
	}
	i.done++
	if i.progress != nil {
		i.progress(i.done, len(i.file.terms))
	}
	return nil
}

// verify reads the slugs back through the index of sources.
func (i *importer) verify(ctx context.Context) error {
	there := map[string]bool{}
	for t, err := range i.desk.terms.All(ctx, "ExportBySource", model.Values{"origin": OriginLexicon}) {
		if err != nil {
			return failure(err)
		}
		there[t.Slug] = true
	}
	for _, t := range i.file.terms {
		if !there[t.Slug] && !i.failed[t.Slug] {
			return errs.New(errs.Internal, "“%s” was written and is not there.", t.Term)
		}
	}
	return nil
}

// replaceTries is how often a term that others change is read again.
const replaceTries = 5

// replace writes a term over the one of its slug, and reports whether that
// changed anything.
func (d *Desk) replace(ctx context.Context, t Term) (bool, error) {
	for try := 1; ; try++ {
		old, err := d.Term(ctx, t.Slug)
		switch {
		case err == nil:
			t.Version, t.SubmissionID = old.Version, old.SubmissionID
			if sameTerm(old, t) {
				return false, nil
			}
		case errors.Is(err, errs.NotFound):
			t.Version = 0
		default:
			return false, err
		}
		err = d.write(ctx, &t)
		raced := errors.Is(err, errs.Stale) || errors.Is(err, model.ErrExists)
		if !raced || try == replaceTries {
			return err == nil, err
		}
	}
}

func sameTerm(a, b Term) bool {
	a.LastUpdated, b.LastUpdated = "", ""
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && slices.Equal(x, y) && slices.Equal(a.Imported, b.Imported)
}

// Export writes the terms of an origin, "lexicon", "submission" or "" for all,
// and the quiz pools of their categories as a file that Import reads. It returns
// how many terms it wrote.
func (d *Desk) Export(ctx context.Context, w io.Writer, origin string) (int, error) {
	origins := []string{origin}
	switch origin {
	case "":
		origins = []string{OriginLexicon, OriginSubmission}
	case OriginLexicon, OriginSubmission:
	default:
		return 0, invalid("origin", "must be lexicon or submission")
	}
	file := File{Version: "1", GeneratedAt: d.now(), Items: []json.RawMessage{}, QuizPools: map[string][]string{}}
	categories := map[string]bool{}
	for _, o := range origins {
		for t, err := range d.terms.All(ctx, "ExportBySource", model.Values{"origin": o}) {
			if err != nil {
				return 0, failure(err)
			}
			file.Items = append(file.Items, t.inFile()...)
			categories[t.category()] = true
		}
	}
	file.Count = len(file.Items)
	if err := d.exportPools(ctx, categories, file.QuizPools); err != nil {
		return 0, err
	}
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(file); err != nil {
		return 0, fmt.Errorf("export: %w", err)
	}
	return file.Count, out.Flush()
}

func (d *Desk) exportPools(ctx context.Context, categories map[string]bool, into map[string][]string) error {
	for category := range categories {
		pool, err := d.QuizPool(ctx, category)
		if errors.Is(err, errs.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		into[category] = pool.WrongAnswers
	}
	return nil
}

//go:embed starter.json
var starter string

// Starter returns the terms and quiz pools that come with the program, as a file
// that Import reads.
func Starter() io.Reader { return strings.NewReader(starter) }

// Init loads the starter lexicon if there is no term yet, and reports whether it
// did.
func (d *Desk) Init(ctx context.Context, o ImportOptions) (ImportReport, bool, error) {
	empty, err := d.Empty(ctx)
	if err != nil || !empty {
		return ImportReport{}, false, err
	}
	report, err := d.Import(ctx, Starter(), o)
	return report, err == nil, err
}
