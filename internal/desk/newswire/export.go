package newswire

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/errs"
	"pressroom/model"
)

// ExportDue exports the months of runs that are over and not exported yet, and
// returns their objects' keys. Runs expire after 90 days, so that two months back
// are always there. Last month waits while one of its runs is still running.
func (d *Desk) ExportDue(ctx context.Context) ([]string, error) {
	var keys []string
	now := d.now().UTC()
	first := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	for back := 2; back >= 1; back-- {
		month := first.AddDate(0, -back, 0).Format("2006-01")
		key, err := d.objectKey("RunExport", model.Values{"month": month})
		if err != nil {
			return keys, err
		}
		_, err = d.objects.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &d.bucket.Name, Key: &key})
		if err == nil {
			continue
		}
		if !isMissing(err) {
			return keys, fmt.Errorf("look for export of %s: %w", month, err)
		}
		runs, err := d.runsOfMonth(ctx, month)
		if err != nil {
			return keys, err
		}
		if back == 1 && slices.ContainsFunc(runs, func(r CrawlRun) bool { return r.Status == Running }) {
			continue
		}
		if key, err = d.export(ctx, month, runs); err != nil {
			return keys, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// ExportRuns writes the runs that began in a month ("2026-10"), the oldest first,
// as zipped NDJSON, over an older export, and returns the object's key.
func (d *Desk) ExportRuns(ctx context.Context, month string) (string, error) {
	if !monthForm.MatchString(month) {
		return "", errs.Validation(errs.Field{Name: "month", Message: "must be as 2026-10"})
	}
	runs, err := d.runsOfMonth(ctx, month)
	if err != nil {
		return "", err
	}
	return d.export(ctx, month, runs)
}

// runsOfMonth returns the runs that began in a month, the oldest first.
func (d *Desk) runsOfMonth(ctx context.Context, month string) ([]CrawlRun, error) {
	view, err := d.runs.View("RunsByStatus")
	if err != nil {
		return nil, err
	}
	var runs []CrawlRun
	for _, status := range runStates {
		for r, err := range view.All(ctx, model.Values{"status": status}, model.Window{From: month, To: month}) {
			if err != nil {
				return nil, told(err, "list runs of %s", month)
			}
			runs = append(runs, r)
		}
	}
	slices.SortFunc(runs, func(a, b CrawlRun) int {
		return cmp.Or(cmp.Compare(a.StartedAt, b.StartedAt), cmp.Compare(a.RunID, b.RunID))
	})
	return runs, nil
}

func (d *Desk) export(ctx context.Context, month string, runs []CrawlRun) (string, error) {
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	enc.SetEscapeHTML(false)
	for _, r := range runs {
		if err := enc.Encode(r); err != nil {
			return "", err
		}
	}
	zipped, err := zip(lines.Bytes())
	if err != nil {
		return "", err
	}
	return d.put(ctx, object{kind: "RunExport", vars: model.Values{"month": month}, body: zipped, mime: "application/gzip", source: "summanow:crawl-runs/" + month})
}
