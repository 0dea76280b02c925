package model

import (
	"fmt"
	"reflect"
	"slices"
)

// Merge makes one table of those that several schemas declare under one name: it
// has the indexes, entities and patterns of all. It stays in the first schema that
// declares it and leaves the others; a schema of which nothing is left is left
// out. It is an error if they disagree on the table itself, or on an index that
// both declare. The schemas that are given are not changed.
func Merge(schemas ...Schema) ([]Schema, error) {
	var merged []Schema
	at := map[string][2]int{} // where a table is: schema, then table
	for _, s := range schemas {
		tables := s.Tables
		s.Tables = nil
		for _, t := range tables {
			if place, there := at[t.Name]; there {
				first := &merged[place[0]].Tables[place[1]]
				if err := first.merge(&t); err != nil {
					return nil, fmt.Errorf("table %s of %s and of %s: %w", t.Name, merged[place[0]].Name, s.Name, err)
				}
				continue
			}
			at[t.Name] = [2]int{len(merged), len(s.Tables)}
			s.Tables = append(s.Tables, t)
		}
		if len(s.Tables)+len(s.Buckets) > 0 {
			merged = append(merged, s)
		}
	}
	return merged, nil
}

// merge adds what another declaration of the table has.
func (t *Table) merge(other *Table) error {
	if t.Env != other.Env || t.PK != other.PK || t.SK != other.SK || t.TTL != other.TTL || t.RecoveryDays != other.RecoveryDays ||
		t.Encrypted != other.Encrypted || t.Stream != other.Stream || !reflect.DeepEqual(t.Tags, other.Tags) {
		return fmt.Errorf("they differ in keys, time to live, recovery, encryption, stream or tags")
	}
	t.Purpose += "; " + other.Purpose
	t.Indexes = slices.Clip(t.Indexes)
	for _, x := range other.Indexes {
		same, there := t.Index(x.Name)
		if there && !reflect.DeepEqual(*same, x) {
			return fmt.Errorf("they differ in index %s", x.Name)
		}
		if !there {
			t.Indexes = append(t.Indexes, x)
		}
	}
	t.Entities = slices.Concat(t.Entities, other.Entities)
	t.Patterns = slices.Concat(t.Patterns, other.Patterns)
	return nil
}
