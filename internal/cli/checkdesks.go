package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/auth"
	"pressroom/internal/ops"
	"pressroom/internal/thread"
	"pressroom/model"
)

// deskCheckers are the checks that the desks make of their own data, and the accounts and
// threads of theirs.
func deskCheckers(ctx context.Context, db model.DB, objects *s3.Client, names tableNames, log *slog.Logger) ([]ops.NamedChecker, error) {
	all, err := askedAlone(ctx, db, objects, names, log)
	if err != nil {
		return nil, err
	}
	var checkers []ops.NamedChecker
	for i, parts := range all {
		if parts.Check != nil {
			checkers = append(checkers, ops.DeskChecker(desks[i].Name(), parts.Check))
		}
	}
	accounts, err := auth.New(db, &auth.Options{Table: names.table(auth.Schema)})
	if err != nil {
		return nil, err
	}
	stories, err := names.stories(db)
	if err != nil {
		return nil, err
	}
	threads, err := names.threads(db, stories)
	if err != nil {
		return nil, err
	}
	return append(checkers, ops.DeskChecker(auth.Schema.Name, accounts.Check), ops.DeskChecker(thread.Schema.Name, threads.Check)), nil
}

// indexLag is how long an index of a service may be behind its table.
const indexLag = 2 * time.Second

// confirmed makes a check a second time if it found something, and reports what is
// then wrong in the same places: an index that was behind its table has followed.
type confirmed struct {
	ops.Checker
	pause time.Duration // before the second time
}

// Check makes the check once, or twice. What it found before it failed is reported
// as it is.
func (c confirmed) Check(ctx context.Context, report func(ops.Finding)) error {
	var found []ops.Finding
	suspect := map[string]bool{}
	err := c.Checker.Check(ctx, func(f ops.Finding) {
		found = append(found, f)
		suspect[f.Where] = true
	})
	if err != nil {
		for _, f := range found {
			report(f)
		}
		return err
	}
	if len(found) == 0 {
		return nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(c.pause):
	}
	return c.Checker.Check(ctx, func(f ops.Finding) {
		if suspect[f.Where] {
			report(f)
		}
	})
}

// checkProgress says how far a check is.
type checkProgress struct {
	Check  string `json:"check"`  // what is being checked
	Number int    `json:"number"` // of so many
	Of     int    `json:"of"`
	Items  int64  `json:"items"` // that were read for it; 0 where they are not counted
}

func (p checkProgress) String() string {
	text := fmt.Sprintf("checking %s (%d of %d)", p.Check, p.Number, p.Of)
	if p.Items > 0 {
		text += fmt.Sprintf(", %d items", p.Items)
	}
	return text
}

// watched is a store that tells how many items of a check were read.
type watched struct {
	model.DB
	now  checkProgress
	tell func(checkProgress)
}

// Scan reads a page and tells of it.
func (w *watched) Scan(ctx context.Context, in *dynamodb.ScanInput, o ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	out, err := w.DB.Scan(ctx, in, o...)
	if err == nil {
		w.now.Items += int64(len(out.Items))
		w.tell(w.now)
	}
	return out, err
}

// watch lets the checkers, which are made one after the other, say when they begin.
func (w *watched) watch(checkers []ops.NamedChecker) []ops.NamedChecker {
	all := make([]ops.NamedChecker, len(checkers))
	for i, c := range checkers {
		all[i] = ops.NamedChecker{Name: c.Name, Checker: ops.CheckFunc(func(ctx context.Context, report func(ops.Finding)) error {
			w.now = checkProgress{Check: c.Name, Number: i + 1, Of: len(checkers)}
			w.tell(w.now)
			return c.Check(ctx, report)
		})}
	}
	return all
}

// lineProgress shows the progress of a check on one line, if somebody looks.
type lineProgress struct {
	w    io.Writer
	show bool
	last time.Time
	wide int
}

func newLineProgress(w io.Writer) *lineProgress {
	return &lineProgress{w: w, show: newProgress(w).show}
}

func (l *lineProgress) tell(p checkProgress) {
	if !l.show || p.Items > 0 && time.Since(l.last) < 100*time.Millisecond {
		return
	}
	l.last = time.Now()
	text := p.String()
	fmt.Fprintf(l.w, "\r%-*s", l.wide, text)
	l.wide = max(l.wide, len(text))
}

// clear makes room for a line of something else.
func (l *lineProgress) clear() {
	if l.wide > 0 {
		fmt.Fprintf(l.w, "\r%*s\r", l.wide, "")
	}
	l.wide = 0
}
