package engine

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"

	"pressroom/dynamo/attr"
)

// PutItem puts an item in the place of the one with its key, if any.
func (e *Engine) PutItem(ctx context.Context, r *PutItem) (*WriteAnswer, error) {
	return e.writeItem(ctx, r.TableName, &r.Conditional, r.layer(r.Invalid.Err), r.validate, r.fit, r.decide)
}

func (r *PutItem) tableName() string { return aws.ToString(r.TableName) }

// fit checks the item against the table and returns its row's key.
func (r *PutItem) fit(t *table, p *prepared) ([]byte, error) {
	s := t.shape.Load()
	if err := t.checkItem(s, r.Item); err != nil {
		return nil, err
	}
	if err := p.checkPaths(s); err != nil {
		return nil, err
	}
	return t.rowKey(make([]byte, 0, 96), s, r.Item), nil
}

func (r *PutItem) decide(s *shape, p *prepared, old attr.Item, w *write) (attr.Item, error) {
	// An index may have come since fit looked.
	if err := checkIndexKeys(s, r.Item, nil, nil); err != nil {
		return nil, err
	}
	if err := p.met(old); err != nil {
		return nil, err
	}
	w.note(old, r.Item)
	if w.returns == "ALL_OLD" && old != nil {
		w.out.Attributes = old.Clone()
	}
	return r.Item, nil
}
