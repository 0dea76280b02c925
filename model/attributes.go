package model

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
)

// attributesOf returns the attributes that the SDK reads and writes for a struct
// type, and false if the type is no struct.
func attributesOf(t reflect.Type) ([]string, bool) {
	if t.Kind() != reflect.Struct {
		return nil, false
	}
	var names []string
	for i := range t.NumField() {
		f := t.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("dynamodbav"), ",")
		embedded := f.Type
		if embedded.Kind() == reflect.Pointer {
			embedded = embedded.Elem()
		}
		switch {
		case tag == "-", !f.IsExported() && !f.Anonymous:
		case f.Anonymous && tag == "" && embedded.Kind() == reflect.Struct:
			more, _ := attributesOf(embedded)
			names = append(names, more...)
		case tag != "":
			names = append(names, tag)
		default:
			names = append(names, f.Name)
		}
	}
	return names, true
}

// checkType holds a struct type against an entity: each of its attributes is a
// field, and each field that a key needs is one of its attributes.
func checkType(t reflect.Type, e *Entity) error {
	names, ok := attributesOf(t)
	if !ok {
		return fmt.Errorf("%s: %s is no struct", e.Name, t)
	}
	for _, name := range names {
		if _, ok := e.Field(name); !ok {
			return fmt.Errorf("%s: %s has the attribute %s, which is no field", e.Name, t, name)
		}
	}
	needed := slices.Concat(e.PK.Vars(), e.SK.Vars(), nonEmpty(e.Version))
	for _, k := range e.Keys {
		needed = append(needed, slices.Concat(k.PK.Vars(), k.SK.Vars())...)
		if k.When != nil {
			needed = append(needed, k.When.Field)
		}
	}
	for _, name := range needed {
		if !slices.Contains(names, name) {
			return fmt.Errorf("%s: %s lacks %s, which the entity's keys need", e.Name, t, name)
		}
	}
	return nil
}

// encode turns a value into an item with its keys.
func (t *Table) encode(e *Entity, v any) (Raw, error) {
	item, err := attributevalue.MarshalMap(v)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", e.Name, err)
	}
	for _, f := range e.Fields {
		if f.Optional && isNothing(item[f.Name]) {
			delete(item, f.Name)
		}
	}
	item[SchemaVersionAttribute] = number(e.SchemaVersion())
	if err := t.Fill(e, item); err != nil {
		return nil, fmt.Errorf("encode %w", err)
	}
	for _, f := range e.Fields {
		if f.InKey {
			delete(item, f.Name)
		}
	}
	return item, nil
}

// decode turns an item into a value. whole tells that the item is complete, so
// that it can be upgraded.
func (t *Table) decode(e *Entity, item Raw, whole bool, into any) error {
	if whole {
		t.versioned(e, item)
	}
	if err := t.complete(e, item, whole); err != nil {
		return err
	}
	if err := attributevalue.UnmarshalMap(item, into); err != nil {
		return fmt.Errorf("decode %s: %w", e.Name, err)
	}
	return nil
}

// complete upgrades a whole item, adds what another program left out, and the fields
// that its keys hold.
func (t *Table) complete(e *Entity, item Raw, whole bool) error {
	if whole {
		if Foreign(item) && e.Missing != nil {
			e.Missing(item)
		}
		if _, err := e.Upgrade(item); err != nil {
			return err
		}
	}
	if !t.fits(e, item) {
		pk, _ := textOf(item[t.PK.Name])
		sk, _ := textOf(item[t.SK.Name])
		return fmt.Errorf("an item under %q, %q is no %s", pk, sk, e.Name)
	}
	restore(e, item, t.PK, t.SK, e.PK, e.SK)
	for _, k := range e.Keys {
		if x, ok := t.Index(k.Index); ok {
			restore(e, item, x.PK, x.SK, k.PK, k.SK)
		}
	}
	return nil
}

// restore adds the fields that a key holds and the item lacks. Most items lack
// none, and their keys are not read.
func restore(e *Entity, item Raw, pk, sk Key, pkForm, skForm Template) {
	var values Values
	for _, form := range [...]Template{pkForm, skForm} {
		if form == "" {
			continue // no sort key
		}
		c, err := compile(form)
		if err != nil {
			continue
		}
		for _, name := range append(c.whole[:len(c.whole):len(c.whole)], nonEmpty(c.optional)...) {
			if _, there := item[name]; there {
				continue
			}
			f, ok := e.Field(name)
			if !ok || name == c.optional && !f.InKey {
				continue
			}
			if values == nil {
				m, ok := meaning(item, pk, sk, pkForm, skForm)
				if !ok {
					return
				}
				values = m.Values
			}
			if value, ok := values[name]; ok {
				item[name] = typed(f.Kind, value)
			}
		}
	}
}
