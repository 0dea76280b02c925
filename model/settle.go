package model

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo"
)

// Attributes of items that a [Saver] saves.
const (
	// SaveAttribute is the save that has an item, until it is tidied up; in a head,
	// the last save that was committed.
	SaveAttribute = "saveId"
	// NextAttribute is what an item becomes with that save: an empty map if it goes.
	// An item without it is new with the save.
	NextAttribute = "next"
)

// settleTries is how often items are read again whose save ends while they are read.
const settleTries = 20

var errUnsettled = errors.New("the items change all the time")

// settle returns what items are for readers: those that a save has are asked about
// at their heads. Items that are in no save cost nothing.
func (t *Table) settle(ctx context.Context, db dynamo.API, items []Raw) ([]Raw, error) {
	var held []*heldItem
	for i, item := range items {
		if item[SaveAttribute] == nil {
			continue
		}
		if e, m, ok := t.entityOf(item); ok && e.Head != "" {
			held = append(held, &heldItem{at: i, entity: e, values: m.Values, item: item})
		}
	}
	if len(held) == 0 {
		return items, nil
	}
	for open, try := t.decide(items, held), 1; len(open) > 0; try++ {
		var err error
		if open, err = t.ask(ctx, db, open); err == nil && len(open) > 0 {
			open, err = t.reread(ctx, db, open)
		}
		if err != nil {
			return nil, err
		}
		if try == settleTries {
			return nil, errUnsettled
		}
	}
	settled := slices.Clone(items)
	for _, h := range held {
		settled[h.at] = h.item
	}
	return slices.DeleteFunc(settled, func(item Raw) bool { return item == nil }), nil
}

// settled is settle for one item, nil for none.
func (t *Table) settled(ctx context.Context, db dynamo.API, item Raw) (Raw, error) {
	if item[SaveAttribute] == nil {
		return item, nil
	}
	items, err := t.settle(ctx, db, []Raw{item})
	if err != nil || len(items) == 0 {
		return nil, err
	}
	return items[0], nil
}

// heldItem is an item that a save has; once settled, what it is, nil for nothing.
type heldItem struct {
	at     int
	entity *Entity
	values Values
	item   Raw
}

// decide settles the items whose heads are in the same answer, which was read at one
// time, and returns the others.
func (t *Table) decide(items []Raw, held []*heldItem) []*heldItem {
	named := map[string]string{}
	for _, item := range items {
		if _, isItem := item[NextAttribute]; !isItem {
			named[t.keyID(item)], _ = textOf(item[SaveAttribute])
		}
	}
	var open []*heldItem
	for _, h := range held {
		head, _ := t.Entity(h.entity.Head)
		key, err := t.Key(head, h.values)
		saved, there := named[t.keyID(key)]
		if err != nil || !there {
			open = append(open, h)
			continue
		}
		saveID, _ := textOf(h.item[SaveAttribute])
		h.item = t.formOf(h, saved == saveID)
	}
	return open
}

// ask settles what the heads decide, and otherwise the saves' own first parts. It
// returns the items whose save has ended since they were read.
func (t *Table) ask(ctx context.Context, db dynamo.API, held []*heldItem) ([]*heldItem, error) {
	heads, parts := make([]Raw, len(held)), make([]Raw, len(held))
	part, ok := t.Entity("SavePart")
	if !ok {
		return nil, fmt.Errorf("table %s has no SavePart", t.Name)
	}
	for i, h := range held {
		var err, err2 error
		head, _ := t.Entity(h.entity.Head)
		saveID, _ := textOf(h.item[SaveAttribute])
		heads[i], err = t.Key(head, h.values)
		parts[i], err2 = t.Key(part, Values{"saveId": saveID, "part": "0"})
		if err := errors.Join(err, err2); err != nil {
			return nil, err
		}
	}
	saves, err := t.savesOf(ctx, db, heads)
	if err != nil {
		return nil, err
	}
	// A part is read after the head: a save that the head does not name, and that is
	// undecided now, had not happened when the item was read.
	found, err := t.batchGet(ctx, db, parts, true)
	if err != nil {
		return nil, err
	}
	decided := map[string]Raw{}
	for _, p := range found {
		decided[t.keyID(p)] = p
	}
	var open []*heldItem
	for i, h := range held {
		saveID, _ := textOf(h.item[SaveAttribute])
		named, there := saves[t.keyID(heads[i])]
		p := decided[t.keyID(parts[i])]
		committed, _ := p["committed"].(*types.AttributeValueMemberBOOL)
		switch {
		case !there:
			h.item = nil // without its head an item is nothing
		case named == saveID || committed != nil && committed.Value:
			h.item = t.formOf(h, true)
		case p != nil:
			h.item = t.formOf(h, false)
		default:
			open = append(open, h)
		}
	}
	return open, nil
}

// formOf returns what an item is whose save was committed or not; nil for nothing.
func (t *Table) formOf(h *heldItem, committed bool) Raw {
	next, staged := h.item[NextAttribute].(*types.AttributeValueMemberM)
	switch {
	case committed && staged:
		return t.become(h.entity, h.item, next.Value)
	case committed == staged: // new with a save that did not happen
		return nil
	}
	return h.item
}

// reread reads items again, and returns those that another save has by now. One that
// the same save still has is an orphan: parts go after the items are tidied up.
func (t *Table) reread(ctx context.Context, db dynamo.API, held []*heldItem) ([]*heldItem, error) {
	keys := make([]Raw, len(held))
	for i, h := range held {
		keys[i] = only(h.item, t.KeyNames())
	}
	read, err := t.batchGet(ctx, db, keys, true)
	if err != nil {
		return nil, err
	}
	byKey := map[string]Raw{}
	for _, item := range read {
		byKey[t.keyID(item)] = item
	}
	var left []*heldItem
	for i, h := range held {
		was, _ := textOf(h.item[SaveAttribute])
		h.item = byKey[t.keyID(keys[i])]
		switch is, held := textOf(h.item[SaveAttribute]); {
		case held && is == was:
			h.item = t.formOf(h, false)
		case held:
			left = append(left, h)
		}
	}
	return left, nil
}

// savesOf returns the last save of each head that is there, "" for none, by its key.
func (t *Table) savesOf(ctx context.Context, db dynamo.API, heads []Raw) (map[string]string, error) {
	found, err := t.batchGet(ctx, db, heads, true)
	saves := map[string]string{}
	for _, h := range found {
		saves[t.keyID(h)], _ = textOf(h[SaveAttribute])
	}
	return saves, err
}

// become returns the item with its next form in place of the present one; nil if it
// goes.
func (t *Table) become(e *Entity, item, next Raw) Raw {
	head, _ := t.Entity(e.Head)
	for _, name := range slices.Concat(head.PK.Vars(), head.SK.Vars()) {
		if id, _ := textOf(next[name]); id == "" {
			return nil
		}
	}
	became := maps.Clone(next)
	maps.Copy(became, only(item, t.KeyNames()))
	for _, f := range e.Fields {
		// An earlier version kept in the next form only what changes.
		if value, there := item[f.Name]; there && !f.Optional && became[f.Name] == nil {
			became[f.Name] = value
		}
	}
	delete(became, SaveAttribute)
	delete(became, NextAttribute)
	return became
}
