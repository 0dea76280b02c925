package minutes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/errs"
	"pressroom/internal/proof"
	"pressroom/internal/story"
	"pressroom/model"
)

// Text is a text of an article, or of an answer, that a person may change. Quotations
// are the record's and none of them.
type Text struct {
	Where  string // its place, as findings and claims name it: "key_points[0]"
	Text   string
	Orders []int // the speeches that it rests on; nil if it does not say
}

// place of a text that may be changed.
type editable struct {
	where  string
	text   *string
	orders []int
	most   int // bytes
}

// editables are the texts of an answer, in the order in which they are read.
func (r *Result) editables() []editable {
	all := []editable{
		{"title", &r.Title, nil, maxTitle}, {"description", &r.Description, nil, maxDescription},
		{"summary.summary", &r.Summary.Summary, r.Summary.BasedOnOrders, maxSummary},
		{"soft_language_summary.summary", &r.SoftSummary.Summary, r.SoftSummary.BasedOnOrders, maxSummary},
	}
	for i := range r.KeyPoints {
		all = append(all, editable{fmt.Sprintf("key_points[%d]", i), &r.KeyPoints[i], nil, maxTermBytes * 2})
	}
	for i := range r.MiddleSummary {
		c := &r.MiddleSummary[i]
		all = append(all, editable{fmt.Sprintf("middle_summary[%d].summary", i), &c.Summary, c.BasedOnOrders, maxSummary})
	}
	for i := range r.Dialogs {
		d := &r.Dialogs[i]
		where, orders := fmt.Sprintf("dialogs[%d]", i), []int{d.Order}
		all = append(all, editable{where + ".reaction", &d.Reaction, orders, maxSummary})
		for j := range d.Sections {
			section := &d.Sections[j]
			part := fmt.Sprintf("%s.summary_sections[%d]", where, j)
			all = append(all, editable{part + ".title", &section.Title, orders, maxTitle})
			for k := range section.Bullets {
				b, point := &section.Bullets[k], fmt.Sprintf("%s.bullets[%d]", part, k)
				all = append(all, editable{point + ".point", &b.Point, orders, maxSummary}, editable{point + ".detail", &b.Detail, orders, maxSummary})
			}
		}
		all = append(all, editable{where + ".soft_language", &d.SoftLanguage, orders, maxSummary})
	}
	return all
}

// Texts returns what of the answer a person may change, without what is empty.
func (r *Result) Texts() []Text {
	var out []Text
	for _, e := range r.editables() {
		if *e.text != "" {
			out = append(out, Text{e.where, *e.text, e.orders})
		}
	}
	return out
}

// change puts texts in their places and returns which are others than before. A place
// that there is not is an errs.Validation.
func (r *Result) change(texts map[string]string) ([]string, error) {
	places := map[string]editable{}
	for _, e := range r.editables() {
		places[e.where] = e
	}
	var changed []string
	var wrong []errs.Field
	for where, text := range texts {
		e, ok := places[where]
		if !ok {
			wrong = append(wrong, errs.Field{Name: where, Message: "is no text of this article"})
			continue
		}
		if text = plain(text, e.most); text != *e.text {
			*e.text, changed = text, append(changed, where)
		}
	}
	if _, ok := texts["title"]; ok && r.Title == "" {
		wrong = append(wrong, errs.Field{Name: "title", Message: "must not be empty"})
	}
	if len(wrong) > 0 {
		slices.SortFunc(wrong, func(a, b errs.Field) int { return strings.Compare(a.Name, b.Name) })
		return nil, errs.Validation(wrong...)
	}
	slices.Sort(changed)
	return changed, nil
}

// tidy removes what has become empty.
func (r *Result) tidy() {
	r.KeyPoints = slices.DeleteFunc(r.KeyPoints, func(p string) bool { return p == "" })
	r.MiddleSummary = slices.DeleteFunc(r.MiddleSummary, func(c Cited) bool { return c.Summary == "" })
	for i := range r.Dialogs {
		d := &r.Dialogs[i]
		for j := range d.Sections {
			d.Sections[j].Bullets = slices.DeleteFunc(d.Sections[j].Bullets, func(b Bullet) bool { return b.Point == "" })
		}
		d.Sections = slices.DeleteFunc(d.Sections, func(s Section) bool { return len(s.Bullets) == 0 })
	}
}

// Answer returns what the article says, in the form of an answer.
func (f *Full) Answer() *Result {
	return &Result{
		Title: f.Title, Description: f.Description, KeyPoints: f.Asset.KeyPoints, Summary: f.Asset.Summary, SoftSummary: f.Asset.SoftSummary,
		MiddleSummary: f.Asset.MiddleSummary, Dialogs: f.Asset.Dialogs,
	}
}

func (f *Full) take(r *Result) {
	f.Title, f.Description = r.Title, r.Description
	f.Asset.KeyPoints, f.Asset.Summary, f.Asset.SoftSummary, f.Asset.MiddleSummary, f.Asset.Dialogs = r.KeyPoints, r.Summary, r.SoftSummary, r.MiddleSummary, r.Dialogs
}

// Passages returns the record of the article's meeting.
func (f *Full) Passages() []proof.Passage {
	var all []proof.Passage
	for _, d := range f.Asset.Dialogs {
		speaker := d.Speaker
		if speaker == header {
			speaker = ""
		}
		all = append(all, proof.Passage{Order: d.Order, Speaker: speaker, Party: d.Group, Office: d.Position, Role: d.Role, Text: d.OriginalText})
	}
	return all
}

// Claims checks what an answer says at some places, nil for all, against the record.
func Claims(ctx context.Context, record *proof.Record, r *Result, places []string) ([]proof.Claim, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	answer, err := proof.ReadAnswer(data)
	if err != nil {
		return nil, err
	}
	if places == nil {
		return record.CheckAnswer(ctx, answer)
	}
	return record.CheckAll(ctx, slices.DeleteFunc(answer.Sentences(), func(s proof.Sentence) bool {
		where, _, _ := strings.Cut(s.Where, "#")
		return !slices.Contains(places, where)
	}))
}

// contradicted is an errs.Validation of what the record contradicts; nil if that is
// nothing.
func contradicted(claims []proof.Claim) error {
	var wrong []errs.Field
	for _, c := range claims {
		if c.Verdict == proof.Contradicted {
			where, _, _ := strings.Cut(c.Where, "#")
			wrong = append(wrong, errs.Field{Name: where, Message: c.Reason.En})
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return errs.Validation(wrong...)
}

// CheckEdit says how an article's texts would stand to the record with some of them
// changed. Nothing is saved.
func (d *Desk) CheckEdit(ctx context.Context, id string, texts map[string]string) ([]proof.Claim, error) {
	full, err := d.GetFull(ctx, id)
	if err != nil {
		return nil, err
	}
	_, claims, err := full.edited(ctx, texts)
	return claims, err
}

// CheckHeld is CheckEdit for what is in review.
func (d *Desk) CheckHeld(ctx context.Context, id string, texts map[string]string) ([]proof.Claim, error) {
	h, err := d.GetHeld(ctx, id)
	if err != nil {
		return nil, err
	}
	changed, err := h.Answer.change(texts)
	if err != nil {
		return nil, err
	}
	return Claims(ctx, h.Record(), &h.Answer, append([]string{}, changed...))
}

// edited changes texts and checks those that are others now.
func (f *Full) edited(ctx context.Context, texts map[string]string) ([]string, []proof.Claim, error) {
	answer := f.Answer()
	changed, err := answer.change(texts)
	if err != nil {
		return nil, nil, err
	}
	record := proof.NewRecord(f.Date, f.House+f.Meeting, f.Passages())
	claims, err := Claims(ctx, record, answer, append([]string{}, changed...))
	f.take(answer)
	return changed, claims, err
}

// Edit changes texts of a published article, by their places, as a correction of a
// person: with a name and a reason, which readers see. The version is the one that the
// person read; another one is errs.Stale. What the record contradicts is refused as an
// errs.Validation, and so is an edit that changes nothing.
func (d *Desk) Edit(ctx context.Context, id string, version int, texts map[string]string, w story.Word) (Article, error) {
	if w.Reason = strings.TrimSpace(w.Reason); w.Reason == "" {
		return Article{}, errs.Validation(errs.Field{Name: "reason", Message: "must not be empty: readers see it"})
	}
	full, err := d.GetFull(ctx, id)
	if err != nil {
		return Article{}, err
	}
	if full.Version != version || full.foreign() {
		return Article{}, fmt.Errorf("edit article %s: %w", id, errs.Stale)
	}
	was := d.ownAsset(&full.Article)
	changed, claims, err := full.edited(ctx, texts)
	if err != nil {
		return Article{}, err
	}
	if len(changed) == 0 {
		return Article{}, errs.Validation(errs.Field{Name: "texts", Message: "change nothing"})
	}
	if err := contradicted(claims); err != nil {
		return Article{}, err
	}
	answer := full.Answer()
	answer.tidy()
	full.take(answer)
	a := full.Article
	a.UpdatedAt = d.now()
	p := a.made()
	if p.Model == "" {
		p = full.Asset.GeneratedBy.provenance(a.PublishedAt)
	}
	p.Reviewer, p.Reviewed, p.Version, p.Edited = w.By, a.UpdatedAt, version+1, true
	a.Provenance, a.Shares = &p, full.Shares()
	key, err := d.putAsset(ctx, &a, full.Asset)
	if err != nil {
		return Article{}, err
	}
	err = d.save(ctx, &a, saving{
		over: func(old *Article) error {
			if old.Version != version {
				return fmt.Errorf("edit article %s: %w", id, errs.Stale)
			}
			return nil
		},
		tell: func(ctx context.Context, st story.Story) ([]model.Piece, error) {
			return d.o.Stories.Correct(ctx, st, w)
		},
	})
	if err != nil {
		return Article{}, err
	}
	if was != "" && was != key {
		d.dropAsset(ctx, was)
	}
	return a, nil
}

// putAsset writes the asset of an article under an address of its own, and tells the
// article.
func (d *Desk) putAsset(ctx context.Context, a *Article, asset Asset) (string, error) {
	heavy, err := encode(asset)
	if err != nil {
		return "", err
	}
	at, err := place(d.objects.assets, "Asset", model.Values{"id": a.ID, "version": digest(append([]byte(a.UpdatedAt), heavy...))[:32]})
	if err != nil {
		return "", err
	}
	_, key, err := d.objects.split(at)
	if err != nil {
		return "", err
	}
	a.AssetURL = d.assetURL(key)
	return key, d.objects.writeNew(ctx, at, heavy)
}

func (d *Desk) dropAsset(ctx context.Context, key string) {
	if err := d.objects.delete(ctx, url(d.objects.assets.Name, key)); err != nil {
		d.o.Log.Warn("an asset that is no longer used stays", "key", key, "error", err)
	}
}

// Withdraw takes an article back, by a person, with the reason that its page shows from
// then on. Done again, it removes what a crash may have left in the bucket, where
// nobody is led any more. An article that there never was is errs.NotFound.
func (d *Desk) Withdraw(ctx context.Context, id string, w story.Word) error {
	if w.Reason = strings.TrimSpace(w.Reason); w.Reason == "" {
		return errs.Validation(errs.Field{Name: "reason", Message: "must not be empty: readers see it"})
	}
	err := d.saver.Retry(ctx, id, func() error {
		old, err := d.articles.Get(ctx, model.Values{"id": id})
		if err != nil {
			return known(err, "article %s", id)
		}
		return overtaken(d.withdraw(ctx, &old, w))
	})
	if errors.Is(err, errs.NotFound) {
		if _, gone, failed := d.o.Stories.Gone(ctx, refOf(id)); failed != nil || !gone {
			return errors.Join(err, failed)
		}
		err = nil
	}
	if err != nil {
		return known(err, "withdraw article %s", id)
	}
	return d.dropAssets(ctx, id)
}

func (d *Desk) withdraw(ctx context.Context, old *Article, w story.Word) error {
	var changes []model.Change
	for _, e := range old.entries() {
		changes = append(changes, d.thins[e.Kind].goes(e, old.ID))
	}
	unchanged := expression.Name("version").Equal(expression.Value(old.Version))
	if old.foreign() {
		unchanged = expression.AttributeNotExists(expression.Name("version"))
	}
	return d.saver.Save(ctx, old.ID, old.SaveID, d.ids.New(), changes, func(_ string, also []model.Piece) error {
		told, err := d.o.Stories.Retract(ctx, refOf(old.ID), w)
		if err != nil {
			return err
		}
		gone := d.articles.DeletePiece(old.key(), unchanged).Means(model.ErrStale)
		return model.Transact(ctx, d.db, slices.Concat([]model.Piece{gone}, also, told)...)
	})
}

// dropAssets removes all versions of an article's asset.
func (d *Desk) dropAssets(ctx context.Context, id string) error {
	at, err := place(d.objects.assets, "Asset", model.Values{"id": id, "version": "v"})
	if err != nil {
		return err
	}
	bucket, key, err := d.objects.split(at)
	if err != nil {
		return err
	}
	prefix := strings.TrimSuffix(key, "v/asset.json")
	pages := s3.NewListObjectsV2Paginator(d.objects.client, &s3.ListObjectsV2Input{Bucket: &bucket, Prefix: &prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("list assets of article %s: %w", id, err)
		}
		for _, o := range page.Contents {
			if err := d.objects.delete(ctx, url(bucket, *o.Key)); err != nil {
				return err
			}
		}
	}
	return nil
}

// passagesOf are speeches as proof reads them.
func passagesOf(speeches []diet.Speech) []proof.Passage {
	var all []proof.Passage
	for _, s := range speeches {
		speaker := s.Speaker
		if speaker == header {
			speaker = ""
		}
		all = append(all, proof.Passage{Order: s.Order, Speaker: speaker, Party: s.Group, Office: s.Position, Role: s.Role, Text: s.Text})
	}
	return all
}
