package model

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Limits of DynamoDB on the bytes of keys.
const (
	maxPartitionKey = 2048
	maxSortKey      = 1024
)

// valuesOf returns the attributes of an item that can stand in a key.
func valuesOf(item Raw) Values {
	v := make(Values, len(item))
	for name, value := range item {
		if text, ok := textOf(value); ok {
			v[name] = text
		}
	}
	return v
}

func textOf(value types.AttributeValue) (string, bool) {
	switch a := value.(type) {
	case *types.AttributeValueMemberS:
		return a.Value, true
	case *types.AttributeValueMemberN:
		return a.Value, true
	case *types.AttributeValueMemberBOOL:
		return strconv.FormatBool(a.Value), true
	}
	return "", false
}

// keyValue is the attribute value of a rendered key.
func keyValue(k Key, text string, limit int) (types.AttributeValue, error) {
	if len(text) > limit {
		return nil, fmt.Errorf("%s has %d bytes, more than %d", k.Name, len(text), limit)
	}
	switch k.Kind.DynamoDB() {
	case "N":
		return &types.AttributeValueMemberN{Value: text}, nil
	case "B":
		return &types.AttributeValueMemberB{Value: []byte(text)}, nil
	}
	return &types.AttributeValueMemberS{Value: text}, nil
}

// Key returns the table's key of the entity with these values.
func (t *Table) Key(e *Entity, v Values) (Raw, error) {
	key := Raw{}
	if err := place(key, t.PK, e.PK, v, maxPartitionKey); err != nil {
		return nil, err
	}
	if t.SK.Name == "" {
		return key, nil
	}
	return key, place(key, t.SK, e.SK, v, maxSortKey)
}

func place(item Raw, k Key, template Template, v Values, limit int) error {
	text, err := template.Render(v)
	if err != nil {
		return err
	}
	item[k.Name], err = keyValue(k, text, limit)
	return err
}

// Fill writes the key attributes of table and indexes into an item of the
// entity, from its other attributes, and takes out those of indexes that it is
// not in. Attributes that are fields of their own stay as they are.
func (t *Table) Fill(e *Entity, item Raw) error {
	v := valuesOf(item)
	key, err := t.Key(e, v)
	if err != nil {
		return fmt.Errorf("%s: %w", e.Name, err)
	}
	maps.Copy(item, key)
	for _, x := range t.Indexes {
		k, ok := e.Key(x.Name)
		in := ok && k.When.holds(v)
		if in {
			in = hasAll(v, slices.Concat(k.PK.Vars(), k.SK.Vars()), e)
		}
		if in {
			err = fillIndex(item, &x, k, v)
		} else if ok {
			err = t.leaveIndex(item, &x, e, v)
		}
		if err != nil {
			return fmt.Errorf("%s in %s: %w", e.Name, x.Name, err)
		}
	}
	return nil
}

func fillIndex(item Raw, x *Index, k *IndexKey, v Values) error {
	if err := place(item, x.PK, k.PK, v, maxPartitionKey); err != nil {
		return err
	}
	if x.SK.Name == "" {
		return nil
	}
	return place(item, x.SK, k.SK, v, maxSortKey)
}

// leaveIndex removes key attributes that are nothing else than that. If all of
// them are fields or other keys too, the item cannot be kept out.
func (t *Table) leaveIndex(item Raw, x *Index, e *Entity, v Values) error {
	for _, name := range x.KeyNames() {
		if _, isField := e.Field(name); isField {
			if v[name] == "" {
				delete(item, name) // an empty text is refused as a key
			}
			continue
		}
		if !t.keyElsewhere(e, x.Name, name, v) {
			delete(item, name)
		}
	}
	for _, name := range x.KeyNames() {
		if _, there := item[name]; !there {
			return nil
		}
	}
	return fmt.Errorf("all key attributes are there, though it does not belong into the index")
}

// keyElsewhere reports whether the attribute is also a key of the table or of
// another index that the item is in.
func (t *Table) keyElsewhere(e *Entity, except, name string, v Values) bool {
	if slices.Contains(t.KeyNames(), name) {
		return true
	}
	for _, x := range t.Indexes {
		k, ok := e.Key(x.Name)
		if ok && x.Name != except && slices.Contains(x.KeyNames(), name) &&
			k.When.holds(v) && hasAll(v, slices.Concat(k.PK.Vars(), k.SK.Vars()), e) {
			return true
		}
	}
	return false
}

// hasAll reports whether no optional field among the names is missing. That a
// required one is missing is for rendering to say.
func hasAll(v Values, names []string, e *Entity) bool {
	for _, name := range names {
		if f, ok := e.Field(name); ok && f.Optional && v[name] == "" {
			return false
		}
	}
	return true
}

func (c *Condition) holds(v Values) bool {
	return c == nil || slices.Contains(c.In, v[c.Field])
}

// Identity is what an item's keys say about it.
type Identity struct {
	Entity *Entity
	Values Values       // the fields that the table's key holds
	Keys   []KeyMeaning // the table's key first, then the indexes that it is in
}

// KeyMeaning is one key of an item, read back.
type KeyMeaning struct {
	Index  string // "" for the table
	PK, SK string // as they are stored; SK is "" if there is none
	Form   string // the templates that they were written from
	Values Values // what they say
}

// Identify tells of which entity an item is, and what its keys mean. Keys of
// indexes are told only if they have their template's form.
func (t *Table) Identify(item Raw) (Identity, bool) {
	e, m, ok := t.entityOf(item)
	if !ok {
		return Identity{}, false
	}
	id := Identity{Entity: e, Values: m.Values, Keys: []KeyMeaning{m}}
	for _, k := range e.Keys {
		x, ok := t.Index(k.Index)
		if !ok {
			continue
		}
		if m, ok := meaning(item, x.PK, x.SK, k.PK, k.SK); ok {
			m.Index = x.Name
			id.Keys = append(id.Keys, m)
		}
	}
	return id, true
}

// fits reports whether the item's key could be one of the entity.
func (t *Table) fits(e *Entity, item Raw) bool {
	pk, ok := textOf(item[t.PK.Name])
	if !ok || !e.PK.fits(pk) {
		return false
	}
	if t.SK.Name == "" {
		return true
	}
	sk, ok := textOf(item[t.SK.Name])
	return ok && e.SK.fits(sk)
}

// entityOf returns the entity that the item's key is of.
func (t *Table) entityOf(item Raw) (*Entity, KeyMeaning, bool) {
	for i := range t.Entities {
		e := &t.Entities[i]
		if m, ok := meaning(item, t.PK, t.SK, e.PK, e.SK); ok {
			return e, m, true
		}
	}
	return nil, KeyMeaning{}, false
}

func meaning(item Raw, pk, sk Key, pkForm, skForm Template) (KeyMeaning, bool) {
	m := KeyMeaning{Form: string(pkForm)}
	var ok bool
	if m.PK, ok = textOf(item[pk.Name]); !ok {
		return m, false
	}
	if sk.Name != "" {
		if m.SK, ok = textOf(item[sk.Name]); !ok || !skForm.fits(m.SK) {
			return m, false
		}
	}
	if m.Values, ok = pkForm.parse(m.PK); !ok || sk.Name == "" {
		return m, ok
	}
	more, ok := skForm.parse(m.SK)
	if !ok {
		return m, false
	}
	for name, value := range more {
		if old, twice := m.Values[name]; twice && old != value && len(old) >= len(value) {
			continue
		}
		m.Values[name] = value
	}
	m.Form += ", " + string(skForm)
	return m, true
}
