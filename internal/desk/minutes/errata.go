package minutes

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
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

// errata corrects, in the open, the articles of the records whose misprints this one lists, and
// the article of this one by what records printed soon after it list: they may have been read
// before it. It may be repeated: a correction is noted once.
func (d *Desk) errata(ctx context.Context, m Meeting, found []proceedings.Correction) error {
	own := issueIn.FindStringSubmatch(m.IssueID)
	if own == nil {
		return nil
	}
	ids, err := d.siblings(ctx, m, own[1])
	if err != nil {
		return err
	}
	for number, list := range byNumber(found) {
		if id := ids[number]; id != "" && id != m.IssueID {
			if err := d.amend(ctx, id, m, list); err != nil {
				return err
			}
		}
	}
	n, _ := strconv.Atoi(own[2])
	for later := n + 1; later <= n+soon && ids[n] == m.IssueID; later++ {
		if ids[later] == "" {
			continue
		}
		full, err := d.GetFull(ctx, ids[later])
		if err != nil {
			return known(err, "errata in article %s", ids[later])
		}
		if list := byNumber(full.misprints())[n]; len(list) > 0 {
			if err := d.amend(ctx, m.IssueID, Meeting{IssueID: full.ID, Name: full.Meeting}, list); err != nil {
				return err
			}
		}
	}
	return nil
}

// soon is how many records later misprints are looked for.
const soon = 10

var issueIn = regexp.MustCompile(`^([0-9]+X)([0-9]{3})`)

// byNumber sorts corrections by the number of the record that they name.
func byNumber(found []proceedings.Correction) map[int][]proceedings.Correction {
	out := map[int][]proceedings.Correction{}
	for _, c := range found {
		if n, ok := proceedings.Number(strings.TrimSuffix(strings.TrimPrefix(c.Of, "第"), "号")); ok {
			out[n] = append(out[n], c)
		}
	}
	return out
}

// siblings are the articles about meetings of the same house, session and committee, by the
// numbers of their records. A number that two have is left out.
func (d *Desk) siblings(ctx context.Context, m Meeting, prefix string) (map[int]string, error) {
	ids := map[int]string{}
	twice := map[int]bool{}
	for cursor := ""; ; {
		page, err := d.Articles(ctx, Filter{House: m.House, Meeting: m.Name, Session: strconv.Itoa(m.Session)}, PageOptions{Limit: maxLimit, Cursor: cursor})
		if err != nil {
			return nil, err
		}
		for _, a := range page.Items {
			if at := issueIn.FindStringSubmatch(a.ID); at != nil && at[1] == prefix {
				n, _ := strconv.Atoi(at[2])
				twice[n] = twice[n] || ids[n] != ""
				ids[n] = a.ID
			}
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	for n := range twice {
		if twice[n] {
			delete(ids, n)
		}
	}
	return ids, nil
}

// misprints are what the article's record corrects of others.
func (f *Full) misprints() []proceedings.Correction {
	var speeches []diet.Speech
	for _, s := range f.Asset.Dialogs {
		if strings.Contains(s.OriginalText, "誤") {
			speeches = append(speeches, diet.Speech{Order: s.Order, Speaker: s.Speaker, Position: s.Position, Text: s.OriginalText})
		}
	}
	if len(speeches) == 0 {
		return nil
	}
	return Proceedings(Meeting{House: f.House, Name: f.Meeting}, speeches).Corrections
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
		one := Correction{At: now, Item: by.Name + numberOf(by.IssueID), By: by.IssueID, Wrong: c.Wrong, Right: c.Right}
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

// numberOf is what a record is called by the number in its id.
func numberOf(id string) string {
	m := issueIn.FindStringSubmatch(id)
	if m == nil {
		return ""
	}
	n, _ := strconv.Atoi(m[2])
	return "第" + strconv.Itoa(n) + "号"
}

// lone matches what stands in sentences that have nothing to do with a misprint as well: a sign
// or two, or a number.
var lone = regexp.MustCompile(`^(.{0,2}|[\p{N}〇一二三四五六七八九十百千万億兆、，,.・]+)$`)

// correct takes what misprints say out of an article's texts: headings get the right words, and
// sentences and points that are made of the wrong ones are left out. A misprint that says too
// little by itself is noted, and the texts stay.
func (f *Full) correct() {
	for _, c := range f.Asset.Corrections {
		if lone.MatchString(bare(c.Wrong)) {
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
