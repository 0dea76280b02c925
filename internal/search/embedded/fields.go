package embedded

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2/document"
	index "github.com/blevesearch/bleve_index_api"

	"pressroom/internal/search"
	"pressroom/internal/search/text"
)

// version is that of the fields below, of their analysis and of what they may show;
// an index of another version is built again.
const version = "7"

// The fields of a document in the index.
const (
	fieldDesk       = "desk"
	fieldKind       = "kind"
	fieldLanguage   = "language"
	fieldTag        = "tag"
	fieldLevel      = "level"
	fieldMonth      = "month" // 2026-11
	fieldDay        = "day"   // 2026-11-15
	fieldDate       = "date"  // milliseconds, for sorting
	fieldTitle      = "title" // terms of the title
	fieldText       = "text"  // terms of everything, with positions
	fieldOften      = "often" // those of them that occur several times
	fieldLength     = "length"
	fieldTitleBases = "titlebases"
	fieldTextBases  = "textbases"
	fieldOftenBases = "oftenbases"
	fieldLetters    = "letters"  // single letters of Japanese
	fieldStarts     = "starts"   // what may be typed to get the title
	fieldPrefixes   = "prefixes" // the first letters of it
	fieldWords      = "words"    // words of the title as they are spelt
	fieldSounds     = "sounds"   // how the title and the summary are read
	fieldSource     = "source"
	fieldForms      = "forms" // of names
	fieldNames      = "names" // forms with the names that they are of
	fieldNamed      = "named" // the names; only stored
	fieldShown      = "shown" // what a hit shows; only stored
)

// Limits of what is kept of one document.
const (
	maxIndexed = 200_000 // bytes of the body that can be found
	maxShown   = 6_000   // bytes of the body that excerpts are taken from
	maxStarts  = 5
	startSize  = 16
	prefixSize = 4
)

// shown is what a hit needs of its document.
type shown struct {
	Desk     string   `json:"d"`
	ID       string   `json:"i"`
	Kind     string   `json:"k"`
	Language string   `json:"l,omitempty"`
	Title    string   `json:"t"`
	Summary  string   `json:"s,omitempty"`
	Body     string   `json:"b,omitempty"`
	Tags     []string `json:"g,omitempty"`
	URL      string   `json:"u"`
	Revision int      `json:"r,omitempty"`
}

// fields turns a document into bleve's form.
func fields(d *search.Document) (*document.Document, error) {
	kept, err := json.Marshal(shown{
		Desk: d.Desk, ID: d.ID, Kind: d.Kind, Language: d.Language, Title: d.Title, Summary: d.Summary,
		Body: cut(d.Body, maxShown), Tags: d.Tags, URL: d.URL, Revision: d.Revision,
	})
	if err != nil {
		return nil, fmt.Errorf("index %s: %w", d.Key, err)
	}
	day := d.Date.UTC().Format(time.DateOnly)
	doc := document.NewDocument(d.String())
	add := func(name string, o index.FieldIndexingOptions, values ...string) {
		values = slices.DeleteFunc(values, func(v string) bool { return v == "" })
		doc.AddField(&termField{name: name, options: o, terms: func() index.TokenFrequencies { return distinct(values) }})
	}
	add(fieldDesk, filterOptions, d.Desk)
	add(fieldKind, filterOptions, d.Kind)
	add(fieldLanguage, filterOptions, d.Language)
	add(fieldTag, valueOptions, folded(d.Tags)...)
	add(fieldLevel, filterOptions, strconv.Itoa(int(d.Level)))
	add(fieldMonth, filterOptions, day[:7])
	add(fieldDay, filterOptions, day)
	add(fieldDate, valueOptions, encodeDate(d.Date))
	for _, f := range newContent(d).fields() {
		doc.AddField(f)
	}
	starts := text.Starts(d.Title, maxStarts, startSize)
	add(fieldPrefixes, filterOptions, prefixes(starts)...)
	add(fieldStarts, filterOptions, starts...)
	add(fieldWords, filterOptions, text.Words(d.Title)...)
	add(fieldSource, filterOptions, foldTag(d.Source))
	if names := d.AllNames(); len(names) > 0 {
		forms, terms := nameTerms(names)
		add(fieldForms, filterOptions, forms...)
		add(fieldNames, filterOptions, terms...)
		named, err := json.Marshal(names)
		if err != nil {
			return nil, fmt.Errorf("index the names of %s: %w", d.Key, err)
		}
		doc.AddField(document.NewTextFieldCustom(fieldNamed, nil, named, index.StoreField, nil))
	}
	doc.AddField(document.NewTextFieldCustom(fieldShown, nil, kept, index.StoreField, nil))
	return doc, nil
}

// prefixes returns the first letters of starts: one, two and so on.
func prefixes(starts []string) []string {
	var out []string
	for _, s := range starts {
		n := 0
		for i := range s {
			if n > 0 {
				out = append(out, s[:i])
			}
			if n++; n > prefixSize {
				break
			}
		}
		if n <= prefixSize && s != "" {
			out = append(out, s)
		}
	}
	return out
}

// folded is the form in which tags compare, without line breaks.
func folded(tags []string) []string {
	out := make([]string, len(tags))
	for i, t := range tags {
		out[i] = foldTag(t)
	}
	return out
}

func foldTag(t string) string {
	return strings.ReplaceAll(strings.TrimSpace(string(text.Fold(t).Runes)), "\n", " ")
}

// cut shortens a text to a number of bytes, between letters.
func cut(s string, size int) string {
	if len(s) <= size {
		return s
	}
	for size > 0 && s[size]&0xc0 == 0x80 {
		size--
	}
	return s[:size]
}

// encodeDate keeps the order of dates in text, before 1970 too.
func encodeDate(t time.Time) string {
	return fmt.Sprintf("%016x", uint64(t.UnixMilli())^1<<63) //nolint:gosec // the sign is flipped for the order
}

func decodeDate(b []byte) (int64, error) {
	n, err := strconv.ParseUint(string(b), 16, 64)
	return int64(n ^ 1<<63), err //nolint:gosec // the sign is flipped back
}
