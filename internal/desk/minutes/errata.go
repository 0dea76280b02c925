package minutes

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/desk/minutes/proceedings"
	"pressroom/internal/errs"
)

// supplements are what the library's API lists beside records of meetings (会議録): a table of
// contents, an index, an appendix, a supplement. None of them is a meeting, so none becomes an
// article; misprints that they list are corrected.
var supplements = []string{"目次", "索引", "附録", "追録"}

func (m Meeting) supplement() bool { return slices.Contains(supplements, m.ImageKind) }

// errata corrects, in the open, the articles of the records whose misprints another one lists.
// It may be repeated: a correction is noted once.
func (d *Desk) errata(ctx context.Context, m Meeting, found []proceedings.Correction) error {
	of := map[string][]proceedings.Correction{}
	for _, c := range found {
		if c.Of != "" {
			of[c.Of] = append(of[c.Of], c)
		}
	}
	for issue, list := range of {
		id, err := d.numbered(ctx, m, issue)
		if err != nil {
			return err
		}
		if id == "" || id == m.IssueID {
			continue
		}
		if err := d.amend(ctx, id, m, list); err != nil {
			return err
		}
	}
	return nil
}

var issueIn = regexp.MustCompile(`^([0-9]+X)([0-9]{3})`)

// numbered is the id of the article about the meeting of the same house, session and committee
// whose record has a number, such as 第三号; "" if there is not exactly one.
func (d *Desk) numbered(ctx context.Context, m Meeting, issue string) (string, error) {
	own := issueIn.FindStringSubmatch(m.IssueID)
	n, ok := proceedings.Number(strings.TrimSuffix(strings.TrimPrefix(issue, "第"), "号"))
	if own == nil || !ok {
		return "", nil
	}
	found := ""
	for cursor := ""; ; {
		page, err := d.Articles(ctx, Filter{House: m.House, Meeting: m.Name, Session: fmt.Sprint(m.Session)}, PageOptions{Limit: maxLimit, Cursor: cursor})
		if err != nil {
			return "", err
		}
		for _, a := range page.Items {
			if at := issueIn.FindStringSubmatch(a.ID); at != nil && at[1] == own[1] && at[2] == fmt.Sprintf("%03d", n) {
				if found != "" {
					return "", nil
				}
				found = a.ID
			}
		}
		if cursor = page.Next; cursor == "" {
			return found, nil
		}
	}
}

// amend notes corrections on an article, and takes what is wrong out of its texts unless a person
// wrote them.
func (d *Desk) amend(ctx context.Context, id string, by Meeting, list []proceedings.Correction) error {
	full, err := d.GetFull(ctx, id)
	if err != nil {
		return known(err, "correct article %s", id)
	}
	version, was := full.Version, d.ownAsset(&full.Article)
	now := d.now()
	known := len(full.Asset.Corrections)
	for _, c := range list {
		one := Correction{At: now, Item: strings.TrimSpace(by.Name + by.Issue), By: by.IssueID, Wrong: c.Wrong, Right: c.Right}
		if !slices.ContainsFunc(full.Asset.Corrections, func(o Correction) bool { return o.By == one.By && o.Wrong == one.Wrong && o.Right == one.Right }) {
			full.Asset.Corrections = append(full.Asset.Corrections, one)
		}
	}
	if len(full.Asset.Corrections) == known {
		return nil
	}
	if !full.made().Edited {
		full.correct()
	}
	a := full.Article
	a.UpdatedAt = now
	key, err := d.putAsset(ctx, &a, full.Asset)
	if err != nil {
		return err
	}
	err = d.save(ctx, &a, saving{over: func(old *Article) error {
		if old.Version != version {
			return fmt.Errorf("correct article %s: %w", id, errs.Stale)
		}
		return nil
	}})
	if err == nil && was != "" && was != key {
		d.dropAsset(ctx, was)
	}
	return err
}

// correct takes what misprints say out of an article's texts: headings get the right words, and
// sentences and points that are made of the wrong ones are left out.
func (f *Full) correct() {
	for _, c := range f.Asset.Corrections {
		if c.Wrong == "" {
			continue
		}
		wrong := func(text string) bool { return strings.Contains(bare(text), bare(c.Wrong)) }
		without := func(text string) string {
			var left []string
			for _, s := range strings.SplitAfter(text, "。") {
				if !wrong(s) {
					left = append(left, s)
				}
			}
			return strings.Join(left, "")
		}
		f.Title = strings.ReplaceAll(f.Title, c.Wrong, c.Right)
		f.Description = strings.ReplaceAll(f.Description, c.Wrong, c.Right)
		a := &f.Asset
		for _, cited := range []*Cited{&a.Summary, &a.SoftSummary} {
			if rest := without(cited.Summary); rest != "" {
				cited.Summary = rest
			} else {
				cited.Summary = strings.ReplaceAll(cited.Summary, c.Wrong, c.Right)
			}
		}
		a.KeyPoints = slices.DeleteFunc(a.KeyPoints, wrong)
		a.MiddleSummary = slices.DeleteFunc(a.MiddleSummary, func(m Cited) bool { return wrong(m.Summary) })
		for i := range a.Dialogs {
			sections := a.Dialogs[i].Sections
			for j := range sections {
				sections[j].Bullets = slices.DeleteFunc(sections[j].Bullets, func(b Bullet) bool { return wrong(b.Point) || wrong(b.Quote) })
			}
			a.Dialogs[i].Sections = slices.DeleteFunc(sections, func(s Section) bool { return len(s.Bullets) == 0 })
		}
	}
}

// takeSupplement reads what a supplement corrects. It makes no task.
func (d *Desk) takeSupplement(ctx context.Context, m Meeting, speeches []diet.Speech, r *CollectReport) error {
	r.Supplements++
	return d.errata(ctx, m, Proceedings(m, speeches).Corrections)
}
