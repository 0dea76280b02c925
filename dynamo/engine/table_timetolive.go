package engine

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/pebble/v2"
)

// DescribeTimeToLive tells whether the items of a table expire, and by which
// attribute.
func (e *Engine) DescribeTimeToLive(ctx context.Context, in *dynamodb.DescribeTimeToLiveInput) (*dynamodb.DescribeTimeToLiveOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	if err := checkTableName(in.TableName); err != nil {
		return nil, err
	}
	t, err := e.describedTable(*in.TableName)
	if err != nil {
		return nil, err
	}
	return &dynamodb.DescribeTimeToLiveOutput{TimeToLiveDescription: t.shape.Load().def.TTL.describe()}, nil
}

func (d ttlDef) describe() *types.TimeToLiveDescription {
	if !d.Enabled {
		return &types.TimeToLiveDescription{TimeToLiveStatus: types.TimeToLiveStatusDisabled}
	}
	return &types.TimeToLiveDescription{TimeToLiveStatus: types.TimeToLiveStatusEnabled, AttributeName: aws.String(d.Attribute)}
}

// UpdateTimeToLive turns the expiry of items on or off. The service allows it
// twice in an hour at most; here it may be changed at any time.
func (e *Engine) UpdateTimeToLive(ctx context.Context, in *dynamodb.UpdateTimeToLiveInput) (*dynamodb.UpdateTimeToLiveOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	if err := validateTTL(in); err != nil {
		return nil, err
	}
	t, err := e.describedTable(*in.TableName)
	if err != nil {
		return nil, err
	}
	spec := in.TimeToLiveSpecification
	err = e.alter(t, func(def *tableDef) error {
		return def.TTL.change(*spec.Enabled, *spec.AttributeName)
	}, func(b *pebble.Batch) error {
		if *spec.Enabled {
			return nil
		}
		prefix := appendTable(nil, spaceExpiry, t.id)
		return b.DeleteRange(prefix, prefixEnd(prefix), nil)
	})
	if err != nil {
		return nil, err
	}
	if *spec.Enabled {
		e.startExpiryFill(t)
	}
	return &dynamodb.UpdateTimeToLiveOutput{TimeToLiveSpecification: spec}, nil
}

func validateTTL(in *dynamodb.UpdateTimeToLiveInput) error {
	if err := checkTableName(in.TableName); err != nil {
		return err
	}
	var c checks
	if s := in.TimeToLiveSpecification; s == nil {
		c.present("timeToLiveSpecification", false)
	} else {
		c.attribute("timeToLiveSpecification.attributeName", s.AttributeName)
		c.present("timeToLiveSpecification.enabled", s.Enabled != nil)
	}
	return c.err()
}

func (d *ttlDef) change(on bool, attribute string) error {
	switch {
	case d.Enabled && d.Attribute != attribute:
		return invalid("TimeToLive is active on a different AttributeName: current AttributeName is %s", d.Attribute)
	case on && d.Enabled:
		return invalid("TimeToLive is already enabled")
	case !on && !d.Enabled:
		return invalid("TimeToLive is already disabled")
	case on:
		*d = ttlDef{Enabled: true, Attribute: attribute, Filling: true}
	default:
		*d = ttlDef{}
	}
	return nil
}

// startExpiryFill enters, in the background, the items that were there before
// TTL was turned on.
func (e *Engine) startExpiryFill(t *table) {
	attribute := t.shape.Load().ttl
	e.background(func() {
		err := e.backfillExpiry(t)
		if err == nil {
			err = e.alter(t, func(def *tableDef) error {
				if def.TTL.Attribute == attribute {
					def.TTL.Filling = false
				}
				return nil
			}, nil)
		}
		if own, ok := AsError(err); ok && own.Type == NotFound {
			return // the table was deleted
		}
		if err != nil && !errors.Is(err, errStopped) && e.store.GoOn() == nil {
			e.opts.Logger.Error("enter expiry of items", "table", t.name, "err", err)
		}
	})
}
