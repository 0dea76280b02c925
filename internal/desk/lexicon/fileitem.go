package lexicon

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/model"
)

// Sources are where a term is from. Files and other programs have them as a list, or as
// an object that counts how often each was met; then the names come in that order, and
// [Term].SourceCounts has the counts.
type Sources []string

// UnmarshalDynamoDBAttributeValue reads either form.
func (s *Sources) UnmarshalDynamoDBAttributeValue(value types.AttributeValue) error {
	*s = Sources{}
	switch v := value.(type) {
	case *types.AttributeValueMemberL:
		for _, member := range v.Value {
			if text, ok := member.(*types.AttributeValueMemberS); ok {
				*s = append(*s, text.Value)
			}
		}
	case *types.AttributeValueMemberSS:
		*s = slices.Clone(v.Value)
	case *types.AttributeValueMemberM:
		counts := map[string]float64{}
		for name, member := range v.Value {
			var count float64
			if n, ok := member.(*types.AttributeValueMemberN); ok {
				count, _ = strconv.ParseFloat(n.Value, 64) // a number that is none counts nothing
			}
			counts[name] = count
		}
		*s = byCount(counts)
	}
	return nil
}

// byCount returns names, those with the highest counts first.
func byCount(counts map[string]float64) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

// fileSources are sources in a file, in either form.
type fileSources struct {
	names  []string
	counts map[string]float64
}

func (s *fileSources) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		err := json.Unmarshal(text, &s.counts)
		s.names = byCount(s.counts)
		return err
	}
	return json.Unmarshal(text, &s.names)
}

func (s fileSources) MarshalJSON() ([]byte, error) {
	if s.counts != nil {
		return json.Marshal(s.counts)
	}
	return json.Marshal(s.names)
}

func (s fileSources) IsZero() bool { return s.counts == nil && len(s.names) == 0 }

// missingOfTerm is what follows from the rest of a term that another program wrote.
func missingOfTerm(item model.Raw) {
	if item["origin"] == nil {
		item["origin"] = &types.AttributeValueMemberS{Value: OriginLexicon}
		if source, ok := item["source"].(*types.AttributeValueMemberS); ok && source.Value == "SOURCE#"+OriginSubmission {
			item["origin"] = &types.AttributeValueMemberS{Value: OriginSubmission}
		}
	}
	if counts, ok := item["sources"].(*types.AttributeValueMemberM); ok && item["source_counts"] == nil {
		item["source_counts"] = counts
	}
}

// missingOfSubmission is what follows from the rest of a submission that another
// program wrote.
func missingOfSubmission(item model.Raw) {
	if item["queue_rank"] == nil {
		item["queue_rank"] = &types.AttributeValueMemberS{Value: "1"}
	}
	if item["queue_at"] == nil && item["created_at"] != nil {
		item["queue_at"] = item["created_at"]
	}
}

// mature are the ratings of terms that are not for young readers.
var mature = []string{"T", "TEEN", "13+", "PG-13", "PG13", "16+", "17+", "18+", "M", "MATURE", "R", "R15", "R18", "A", "AO", "ADULT", "X", "NSFW"}

// Mature reports whether a term is not for young readers: by its rating, or because of
// what it is flagged for.
func (t *Term) Mature() bool {
	return len(t.ContentFlags) > 0 || slices.Contains(mature, strings.ToUpper(strings.TrimSpace(t.AgeRating)))
}

// inFile returns the term as files have it: what was imported, word for word, with what
// has changed since. A term that others were merged into gives them back.
func (t *Term) inFile() []json.RawMessage {
	now, err := json.Marshal(t.item())
	if err != nil || len(t.Imported) == 0 {
		return []json.RawMessage{now}
	}
	all := make([]json.RawMessage, len(t.Imported))
	for i, text := range t.Imported {
		all[i] = json.RawMessage(text)
	}
	var was Item
	if json.Unmarshal(all[0], &was) != nil {
		return append([]json.RawMessage{now}, all[1:]...)
	}
	imported, _ := was.term()
	for _, text := range all[1:] {
		var other Item
		if json.Unmarshal(text, &other) == nil {
			o, _ := other.term()
			imported.merge(&o)
		}
	}
	all[0] = overlay(all[0], imported.item(), t.item())
	return all
}

// overlay puts the fields that differ between two items over an imported one. Fields
// that nobody knows, and the form of all that has not changed, stay.
func overlay(raw json.RawMessage, was, now Item) json.RawMessage {
	before, after := fieldsOf(was), fieldsOf(now)
	changed := map[string]json.RawMessage{}
	for name, value := range after {
		if !bytes.Equal(before[name], value) {
			changed[name] = value
		}
	}
	for name := range before {
		if after[name] == nil {
			changed[name] = nil
		}
	}
	if len(changed) == 0 {
		return raw
	}
	all := map[string]json.RawMessage{}
	if json.Unmarshal(raw, &all) != nil {
		return raw
	}
	for name, value := range changed {
		if all[name] = value; value == nil {
			delete(all, name)
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return raw
	}
	return text
}

func fieldsOf(i Item) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	if text, err := json.Marshal(i); err == nil {
		_ = json.Unmarshal(text, &all) // it was just written
	}
	return all
}

// merge adds what another term says that looks the same. What does not fit stays in the
// imported text.
func (t *Term) merge(other *Term) {
	add := func(into *[]string, most int, more ...string) {
		for _, text := range more {
			if len(*into) < most && !slices.Contains(*into, text) {
				*into = append(*into, text)
			}
		}
	}
	if other.Term != t.Term {
		add(&t.Variants, maxVariants, other.Term)
	}
	add(&t.Variants, maxVariants, slices.DeleteFunc(slices.Clone(other.Variants), func(v string) bool { return v == t.Term })...)
	add(&t.Examples, maxExamples, other.Examples...)
	add(&t.Tags, maxTags, other.Tags...)
	add(&t.Categories, maxCategories, other.Categories...)
	add(&t.Regions, maxRegions, other.Regions...)
	add(&t.ContentFlags, maxTags, other.ContentFlags...)
	sources := []string(t.Sources)
	add(&sources, maxSources, other.Sources...)
	t.Sources = sources
	size := 0
	for _, text := range t.Imported {
		size += len(text)
	}
	for _, text := range other.Imported {
		if size += len(text); size <= maxImported && !slices.Contains(t.Imported, text) {
			t.Imported = append(t.Imported, text)
		}
	}
	var p problems
	p.normalise(t)
}
