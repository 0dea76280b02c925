package lexicon

import (
	"context"
	"errors"
	"iter"
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/model"
)

// adopts are the tables of terms and submissions, which other programs write as well,
// and which have indexes of our own or stand in lists.
func (d *Desk) adopts() []*model.Table {
	var all []*model.Table
	for i := range d.o.Schema.Tables {
		if t := &d.o.Schema.Tables[i]; t.Env == terms.Env || t.Env == submissions.Env {
			all = append(all, t)
		}
	}
	return all
}

// Adopt takes over a term and its submissions as another program left them: the term can
// be found by its names, and lists have it. What has all that is not touched. A term that
// is gone leaves lists and names too.
func (d *Desk) Adopt(ctx context.Context, slug string) error {
	for s, err := range d.submissions.All(ctx, "SubmissionsOfTerm", model.Values{"slug": slug}) {
		if err == nil {
			err = d.adoptSubmission(ctx, &s)
		}
		if err != nil {
			return failure(err)
		}
	}
	return d.adoptTerm(ctx, slug)
}

// adoptSubmission records how a submission of another program came to be what it is:
// whose votes it has, and that it was submitted. The step is written last, and shows
// that the rest is done.
func (d *Desk) adoptSubmission(ctx context.Context, s *Submission) error {
	for _, err := range d.audits.All(ctx, "AuditOfSubmission", model.Values{"slug": s.Slug, "audited_submission": s.ID}) {
		return failure(err)
	}
	if len(s.UpvotedBy) > 0 {
		votes := make([]vote, len(s.UpvotedBy))
		for i, name := range s.UpvotedBy {
			votes[i] = vote{Slug: s.Slug, Submission: s.ID, VoterID: name, VotedAt: s.CreatedAt}
		}
		if err := d.votes.BatchPut(ctx, votes); err != nil {
			return failure(err)
		}
		// Names can be added to a set alone, and it may be a list.
		if _, err := d.submissions.Modify(ctx, s.key(), func(*Submission) error { return nil }); err != nil {
			return failure(err)
		}
	}
	step := d.step(s, "submitted", s.UserID, "")
	step.At = s.CreatedAt
	return failure(d.audits.Put(ctx, &step))
}

func (d *Desk) adoptTerm(ctx context.Context, slug string) error {
	t, err := d.Term(ctx, slug)
	if errors.Is(err, errs.NotFound) {
		return nil // what was left of it went when it was heard of
	}
	if err != nil {
		return err
	}
	pieces, err := d.missingOf(ctx, &t)
	if err != nil || len(pieces) == 0 {
		return err
	}
	err = d.transact(ctx, pieces...)
	if errors.Is(err, model.ErrCondition) {
		return nil // another term looks the same; this one is found by its slug
	}
	if err != nil {
		return failure(err)
	}
	return d.termsChanged(ctx)
}

// missingOf are the names and places in lists that a term lacks.
func (d *Desk) missingOf(ctx context.Context, t *Term) ([]model.Piece, error) {
	var pieces []model.Piece
	main := spelling{Name: skeletonOf(t.Slug), Spells: t.Slug}
	_, err := d.spellings.Get(ctx, model.Values{"name": main.Name})
	switch {
	case errors.Is(err, model.ErrNotFound):
		pieces = append(pieces, d.spellings.PutPiece(&main, expression.AttributeNotExists(expression.Name("PK"))))
	case err != nil:
		return nil, failure(err)
	}
	var names []model.Values
	for _, name := range t.names() {
		names = append(names, model.Values{"name": name, "slug": t.Slug})
	}
	there, err := d.variants.BatchGet(ctx, names)
	if err != nil {
		return nil, failure(err)
	}
	for _, n := range names {
		v := variant{Name: n["name"], Slug: t.Slug}
		if !slices.Contains(there, v) {
			pieces = append(pieces, d.variants.PutPiece(&v))
		}
	}
	places := t.listings()
	keys := make([]model.Values, len(places))
	for i, l := range places {
		keys[i] = l.key()
	}
	listed, err := d.listings.BatchGet(ctx, keys)
	if err != nil {
		return nil, failure(err)
	}
	for i, l := range places {
		if !slices.ContainsFunc(listed, func(o Listing) bool { return o.samePlace(l) && o.Gloss == l.Gloss && o.Term == l.Term }) {
			pieces = append(pieces, d.listings.PutPiece(&places[i]))
		}
	}
	return pieces, nil
}

// affected yields the slug of a term or a submission that changed, after what another
// program took away of it went from lists and names, votes and steps: what these were is
// in the change alone.
func (d *Desk) affected(ctx context.Context, table string, change streams.Record) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for slug, err := range story.Keyed(changedTerm)(ctx, table, change) {
			if err == nil {
				err = d.hear(ctx, table, slug, change.Dynamodb)
			}
			if !yield(slug, err) {
				return
			}
		}
	}
}

func (d *Desk) hear(ctx context.Context, table, slug string, change *streams.StreamRecord) error {
	old, err := attributevalue.FromDynamoDBStreamsMap(change.OldImage)
	now, err2 := attributevalue.FromDynamoDBStreamsMap(change.NewImage)
	if err != nil || err2 != nil || len(old) == 0 {
		return nil
	}
	if table != d.terms.Table() {
		var s Submission
		if len(now) > 0 || attributevalue.UnmarshalMap(old, &s) != nil {
			return nil
		}
		return d.forgetSubmission(ctx, slug, s.ID)
	}
	if now["version"] != nil && !reflect.DeepEqual(now["version"], old["version"]) {
		return nil // this desk counts its changes, and has changed lists and names with them
	}
	var was struct{ Variants, Tags, Regions, Categories []string }
	if attributevalue.UnmarshalMap(old, &was) != nil {
		return nil
	}
	return d.unlist(ctx, &Term{Slug: slug, Variants: was.Variants, Tags: was.Tags, Regions: was.Regions, Categories: was.Categories})
}

// unlist takes a term out of the lists and names that it had, and has no longer.
func (d *Desk) unlist(ctx context.Context, was *Term) error {
	t, err := d.Term(ctx, was.Slug)
	gone := errors.Is(err, errs.NotFound)
	if err != nil && !gone {
		return err
	}
	var pieces []model.Piece
	for _, name := range was.names() {
		if !slices.Contains(t.names(), name) {
			pieces = append(pieces, d.variants.DeletePiece(model.Values{"name": name, "slug": was.Slug}))
		}
	}
	for _, l := range was.listings() {
		if !slices.ContainsFunc(t.listings(), l.samePlace) {
			pieces = append(pieces, d.listings.DeletePiece(l.key()))
		}
	}
	// It must be as it was read, or whoever wrote it meanwhile would lose places.
	slug := model.Values{"slug": was.Slug}
	same := d.terms.DeletePiece(slug, expression.AttributeNotExists(expression.Name("PK")))
	if gone {
		pieces = append(pieces, d.spellings.DeletePiece(model.Values{"name": skeletonOf(was.Slug)},
			expression.AttributeNotExists(expression.Name("PK")).Or(expression.Name("spells").Equal(expression.Value(was.Slug)))))
	} else {
		same = d.terms.CheckPiece(slug, expression.Name("last_updated").Equal(expression.Value(t.LastUpdated)))
	}
	if len(pieces) == 0 {
		return nil
	}
	err = d.transact(ctx, append(pieces, same)...)
	if errors.Is(err, model.ErrCondition) {
		return nil // whoever changed it will be heard of
	}
	if err != nil {
		return failure(err)
	}
	return d.termsChanged(ctx)
}

// forgetSubmission removes the votes for a submission that is gone, and its steps.
func (d *Desk) forgetSubmission(ctx context.Context, slug, id string) error {
	_, err := d.submissions.Get(ctx, model.Values{"slug": slug, "submission_id": id})
	if !errors.Is(err, model.ErrNotFound) {
		return failure(err)
	}
	for v, err := range d.votes.All(ctx, "VotesOfSubmission", model.Values{"slug": slug, "voted_submission": id}) {
		if err == nil {
			err = d.votes.Delete(ctx, v.key())
		}
		if err != nil {
			return failure(err)
		}
	}
	for a, err := range d.audits.All(ctx, "AuditOfSubmission", model.Values{"slug": slug, "audited_submission": id}) {
		if err == nil {
			err = d.audits.Delete(ctx, model.Values{"slug": slug, "audited_submission": id, "audit_id": a.ID})
		}
		if err != nil {
			return failure(err)
		}
	}
	return nil
}
