package minutes

import (
	"context"
	"errors"
	"slices"

	"pressroom/internal/desk/minutes/hansard"
	"pressroom/internal/desk/minutes/proceedings"
)

// Progress is what a meeting did with one item of its agenda, as the record states it.
type Progress struct {
	Item string `dynamodbav:"item" json:"item"`
	Kind string `dynamodbav:"kind" json:"kind" doc:"bill, approval, budget, resolution, petition, election, investigation, report, personnel or other"`
	// Stage is the last thing that happened to it, Outcome what was decided, "" if nothing.
	Stage    string `dynamodbav:"stage" json:"stage" doc:"taken_up, explained, questioned, debated, reported, referred or voted; of a bill in English also first_reading, second_reading, committee, report, third_reading or royal_assent; presented, deferred"`
	Outcome  string `dynamodbav:"outcome,omitempty" json:"outcome,omitempty"`
	Amended  bool   `dynamodbav:"amended,omitempty" json:"amended,omitempty" doc:"it was changed"`
	Proposed bool   `dynamodbav:"proposed,omitempty" json:"proposed,omitempty" doc:"a committee says what the house should decide"`
	Vote     *Vote  `dynamodbav:"vote,omitempty" json:"vote,omitempty"`
	Order    int    `dynamodbav:"order" json:"order" doc:"of the speech that states it"`
}

// Vote is how something was decided. Numbers are there if the record states them.
type Vote struct {
	Method  string `dynamodbav:"method" json:"method" doc:"standing, hands, no_objection, ballot, buttons or recorded"`
	Result  string `dynamodbav:"result" json:"result" doc:"unanimous, majority, minority or numbers"`
	For     int    `dynamodbav:"for,omitempty" json:"for,omitempty"`
	Against int    `dynamodbav:"against,omitempty" json:"against,omitempty"`
	Total   int    `dynamodbav:"total,omitempty" json:"total,omitempty"`
}

// maxItems is how many items an article has at most.
const maxItems = 60

// later is the order of stages in the life of an item.
var later = []proceedings.Stage{
	proceedings.TakenUp, proceedings.Explained, proceedings.Reported, proceedings.Questioned, proceedings.Debated, proceedings.Referred, proceedings.Voted,
	hansard.Presented, hansard.FirstReading, hansard.SecondReading, hansard.Committee, hansard.Report, hansard.ThirdReading, hansard.Deferred, hansard.RoyalAssent,
}

// progress is what the meeting did with the items that it took up.
func (r *record) progress(m Meeting) []Progress {
	var out []Progress
	for _, it := range r.proceedings(m).Items {
		d := Progress{
			Item: plain(it.Name, 300), Kind: it.Kind, Outcome: string(it.Outcome), Amended: it.Amended, Proposed: it.Proposed, Order: it.Decision.Order,
		}
		for _, stage := range later {
			if slices.Contains(it.Stages, stage) {
				d.Stage = string(stage)
			}
		}
		for _, at := range it.Passages {
			if d.Outcome == "" && d.Order == 0 { // the head, which only lists it
				d.Order = at.Order
			}
		}
		if v := it.Vote; v != nil {
			d.Vote = &Vote{Method: v.Method, Result: v.Result, For: v.For, Against: v.Against, Total: v.Total}
		}
		if d.Item != "" && d.Stage != "" && len(out) < maxItems {
			out = append(out, d)
		}
	}
	return out
}

// proceedings are what the record states, read once.
func (r *record) proceedings(m Meeting) *proceedings.Proceedings {
	switch {
	case r.read != nil:
	case m.japanese():
		r.read = Proceedings(m, r.speeches)
	case m.english() && r.of != nil:
		r.read = &hansard.Read(r.of).Proceedings
	default:
		r.read = &proceedings.Proceedings{} // the forms of other languages are not those
	}
	return r.read
}

// progressOf is what the meeting did with an item, nil if the record does not say.
func (a *Article) progressOf(item string) *Progress {
	for i := range a.Progress {
		if keyText(a.Progress[i].Item) == keyText(item) {
			return &a.Progress[i]
		}
	}
	return nil
}

// Correction is what a later version of a record changed about an item: its outcome, its
// vote, or that it is there at all. Or it is a misprint that another record lists: then Item
// is what that record is called.
type Correction struct {
	At    string    `json:"at"`
	Item  string    `json:"item"`
	Was   *Progress `json:"was,omitempty"`
	Is    *Progress `json:"is,omitempty"`
	By    string    `json:"by,omitempty" doc:"the id of the record that lists the misprint"`
	Wrong string    `json:"wrong,omitempty"`
	Right string    `json:"right,omitempty"`
}

// correct returns the asset of an article that replaces another, with what the record said
// before. Texts that are only told otherwise are no corrections.
func (d *Desk) correct(ctx context.Context, old, article *Article, asset Asset) ([]byte, error) {
	var before Asset
	if err := d.getAsset(ctx, old, &before); err != nil && !errors.Is(err, errNoObject) {
		return nil, err
	}
	asset.Corrections = before.Corrections
	for i := range old.Progress {
		was := &old.Progress[i]
		if is := article.progressOf(was.Item); !was.same(is) {
			asset.Corrections = append(asset.Corrections, Correction{At: article.UpdatedAt, Item: was.Item, Was: was, Is: is})
		}
	}
	for i := range article.Progress {
		if is := &article.Progress[i]; len(old.Progress) > 0 && old.progressOf(is.Item) == nil {
			asset.Corrections = append(asset.Corrections, Correction{At: article.UpdatedAt, Item: is.Item, Is: is})
		}
	}
	full := Full{*article, asset}
	full.correct() // misprints that another record listed stay corrected
	*article = full.Article
	return encode(full.Asset)
}

// same tells whether two say the same was decided, by the same vote.
func (p *Progress) same(o *Progress) bool {
	if o == nil || p.Outcome != o.Outcome || p.Amended != o.Amended || (p.Vote == nil) != (o.Vote == nil) {
		return false
	}
	return p.Vote == nil || *p.Vote == *o.Vote
}
