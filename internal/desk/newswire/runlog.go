package newswire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/aws/smithy-go"

	"pressroom/model"
)

// maxLog bounds a run's log. Beyond the first part, only problems are written.
const (
	maxLog      = 4 << 20
	maxProblems = 5 << 20
)

// LogLine is one line of a run's log.
type LogLine struct {
	Time   string `json:"time"`
	Level  string `json:"level"` // info or error
	Event  string `json:"event"`
	URL    string `json:"url,omitempty"`
	Status int    `json:"status,omitempty"`
	Detail string `json:"detail,omitempty"`
	Took   int64  `json:"tookMs,omitempty"`
}

// runLog collects the lines of a run, and writes them to the bucket now and then.
// An object cannot be added to, so the whole log is in memory; it is bounded.
type runLog struct {
	desk *Desk
	run  string
	from string // the site's address, for the object's metadata

	mu    sync.Mutex
	buf   bytes.Buffer
	left  int // lines that were left out
	dirty bool
}

// openLog begins a log, or goes on with the one that a killed process left.
func (d *Desk) openLog(ctx context.Context, run *CrawlRun, source string) (*runLog, error) {
	l := &runLog{desk: d, run: run.RunID, from: source}
	old, err := d.get(ctx, run.S3LogKey)
	if err != nil && !isMissing(err) {
		return nil, err
	}
	l.buf.Write(old)
	return l, nil
}

func isMissing(err error) bool {
	return isCoded(err, "NoSuchKey", "NotFound")
}

// isCoded reports whether the store answered with one of these codes.
func isCoded(err error, codes ...string) bool {
	var coded smithy.APIError
	return errors.As(err, &coded) && slices.Contains(codes, coded.ErrorCode())
}

func (l *runLog) info(event string, line LogLine)    { l.add("info", event, line) }
func (l *runLog) problem(event string, line LogLine) { l.add("error", event, line) }

func (l *runLog) add(level, event string, line LogLine) {
	line.Time, line.Level, line.Event = stamp(l.desk.now()), level, event
	line.Detail = cutBytes(line.Detail, 1<<10)
	text, err := json.Marshal(line)
	if err != nil {
		return // strings and numbers can be marshalled
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	limit := maxLog
	if level == "error" {
		limit = maxProblems
	}
	l.dirty = true
	if l.buf.Len() > limit {
		l.left++
		return
	}
	l.buf.Write(text)
	l.buf.WriteByte('\n')
}

// flush writes the log as it is.
func (l *runLog) flush(ctx context.Context) error {
	l.mu.Lock()
	if !l.dirty {
		l.mu.Unlock()
		return nil
	}
	body := bytes.Clone(l.buf.Bytes())
	if l.left > 0 {
		text, _ := json.Marshal(map[string]any{"time": stamp(l.desk.now()), "level": "info", "event": "left out", "lines": l.left})
		body = append(append(body, text...), '\n')
	}
	l.dirty = false
	l.mu.Unlock()
	_, err := l.desk.put(ctx, object{kind: "Log", vars: model.Values{"runId": l.run}, body: body, mime: "application/x-ndjson", source: l.from})
	return err
}

// keepFlushing writes the counts every second or two, for whoever watches, and
// the log now and then, until ctx ends.
func (c *crawl) keepFlushing(ctx context.Context) {
	tick := time.NewTicker(1500 * time.Millisecond)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := c.desk.saveCounts(ctx, c.snapshot()); err != nil && ctx.Err() == nil {
			c.desk.opt.Log.Warn("newswire: counts were not saved", "run", c.run.RunID, "error", err)
		}
		if n%8 != 0 {
			continue
		}
		if err := c.log.flush(ctx); err != nil && ctx.Err() == nil {
			c.desk.opt.Log.Warn("newswire: a log was not written", "run", c.run.RunID, "error", err)
		}
	}
}
