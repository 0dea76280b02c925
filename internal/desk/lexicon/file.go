package lexicon

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"pressroom/internal/errs"
)

// File is the form of terms outside of the tables, in JSON.
type File struct {
	Version     string `json:"version"`
	GeneratedAt Stamp  `json:"generated_at"`
	Count       int    `json:"count"`
	// Items are [Item]s, with whatever else they have.
	Items []json.RawMessage `json:"items"`
	// QuizPools are wrong answers by category; not every file has them.
	QuizPools map[string][]string `json:"quiz_pools,omitempty"`
}

// Item is a term of a file. Term, gloss, examples, tags, categories, confidence
// and momentum must be there. Fields that nobody here knows are kept and given back.
type Item struct {
	Term            string            `json:"term"`
	Gloss           string            `json:"gloss"`
	Variants        []string          `json:"variants,omitempty"`
	Examples        []string          `json:"examples"`
	Tags            []string          `json:"tags"`
	Categories      []string          `json:"categories"`
	Regions         []string          `json:"regions,omitempty"`
	Sources         fileSources       `json:"sources,omitzero"`
	FirstAttested   string            `json:"first_attested,omitempty"`
	AttestationNote string            `json:"attestation_note,omitempty"`
	Confidence      *float64          `json:"confidence"`
	Momentum        *float64          `json:"momentum"`
	QuizEligible    *bool             `json:"is_quiz_eligible,omitempty"` // default true
	Language        string            `json:"language,omitempty"`
	Glosses         map[string]string `json:"glosses,omitempty"`
	Plain           map[string]string `json:"plain,omitempty"`
	PlainWord       bool              `json:"plain_word,omitempty"`

	Pos                     string   `json:"pos,omitempty"`
	Status                  string   `json:"status,omitempty"`
	AgeRating               string   `json:"age_rating,omitempty"`
	ContentFlags            []string `json:"content_flags,omitempty"`
	FirstSeen               string   `json:"first_seen,omitempty"`
	LastSeen                string   `json:"last_seen,omitempty"`
	FirstAttestedConfidence string   `json:"first_attested_confidence,omitempty"`
}

// ItemError is what is wrong with one place of a file.
type ItemError struct {
	Line    int    `json:"line"`  // from 1
	Field   string `json:"field"` // "items[3].gloss", "count"
	Message string `json:"message"`
}

func (e ItemError) Error() string { return fmt.Sprintf("line %d: %s %s", e.Line, e.Field, e.Message) }

// maxImported is how many bytes of a file a term keeps.
const maxImported = 48 << 10

// maxFile bounds a file: a hundred thousand terms have some 60 MB.
const maxFile = 512 << 20

// parsed is a file that was read: its good terms, each with its place.
type parsed struct {
	terms  []Term
	places []ItemError // of the terms, without a message
	pools  []QuizPool
	errors []ItemError
	merged []ItemError // items that look the same as others before them
}

// parseFile reads a file. What is wrong with items is among its errors; what is
// no such file at all is an error of kind Malformed.
func parseFile(r io.Reader) (*parsed, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read lexicon: %w", err)
	}
	if len(raw) > maxFile {
		return nil, errs.New(errs.TooLarge, "The file is larger than %d MB.", maxFile>>20)
	}
	p := &fileParser{raw: raw, dec: json.NewDecoder(bytes.NewReader(raw)), out: &parsed{}, skeletons: map[string]int{}}
	if err := p.file(); err != nil {
		return nil, p.malformed(err)
	}
	return p.out, nil
}

type fileParser struct {
	raw       []byte
	dec       *json.Decoder
	out       *parsed
	items     int
	counted   int // bytes up to which lines were counted
	lines     int
	skeletons map[string]int // to the term that looks so
}

// malformed says where a file stops being one.
func (p *fileParser) malformed(err error) error {
	at := p.dec.InputOffset()
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		at = syntax.Offset
	}
	line := 1 + bytes.Count(p.raw[:min(int(at), len(p.raw))], []byte("\n"))
	return errs.Wrap(err, errs.Malformed, "The file is no lexicon: line %d: %v.", line, err)
}

// line returns the line of the value that comes next.
func (p *fileParser) line() int {
	at := int(p.dec.InputOffset())
	for at < len(p.raw) && strings.IndexByte(" \t\r\n,:", p.raw[at]) >= 0 {
		at++
	}
	p.lines += bytes.Count(p.raw[p.counted:at], []byte("\n"))
	p.counted = at
	return p.lines + 1
}

func (p *fileParser) report(line int, field, format string, args ...any) {
	p.out.errors = append(p.out.errors, ItemError{line, field, fmt.Sprintf(format, args...)})
}

func (p *fileParser) expect(delim json.Delim) error {
	token, err := p.dec.Token()
	if err != nil {
		return err
	}
	if token != delim {
		return fmt.Errorf("%v where %v was expected", token, delim)
	}
	return nil
}

// file reads the outer object; its fields may come in any order.
func (p *fileParser) file() error {
	if err := p.expect('{'); err != nil {
		return err
	}
	count, countLine, listed := -1, 0, false
	for p.dec.More() {
		key, err := p.dec.Token()
		if err != nil {
			return err
		}
		line := p.line()
		switch key {
		case "items":
			listed = true
			err = p.list()
		case "count":
			countLine = line
			err = p.dec.Decode(&count)
		case "quiz_pools":
			err = p.pools(line)
		case "version", "generated_at":
			var text string
			err = p.dec.Decode(&text)
		default: // some other program's
			var skipped json.RawMessage
			err = p.dec.Decode(&skipped)
		}
		if err != nil {
			return fmt.Errorf("%v: %w", key, err)
		}
	}
	if !listed {
		return errors.New("it has no items")
	}
	if count >= 0 && count != p.items {
		p.report(countLine, "count", "is %d, and there are %d items", count, p.items)
	}
	if err := p.expect('}'); err != nil {
		return err
	}
	if _, err := p.dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows its end")
	}
	return nil
}

func (p *fileParser) list() error {
	if err := p.expect('['); err != nil {
		return err
	}
	for ; p.dec.More(); p.items++ {
		line := p.line()
		var raw json.RawMessage
		if err := p.dec.Decode(&raw); err != nil {
			return err
		}
		p.item(line, raw)
	}
	return p.expect(']')
}

// item reads one term and reports all that is wrong with it.
func (p *fileParser) item(line int, raw json.RawMessage) {
	at := fmt.Sprintf("items[%d]", p.items)
	var item Item
	if err := json.Unmarshal(raw, &item); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) && wrong.Field != "" {
			p.report(line+lineOf(raw, wrong.Offset), at+"."+wrong.Field, "must not be a %s", wrong.Value)
			return
		}
		p.report(line, at, "cannot be read: %s", strings.TrimPrefix(err.Error(), "json: "))
		return
	}
	t, found := item.term()
	for _, f := range found.fields {
		p.report(line+fieldLine(raw, f.Name), at+"."+f.Name, "%s", f.Message)
	}
	if len(found.fields) > 0 {
		return
	}
	var compact bytes.Buffer
	if json.Compact(&compact, raw) == nil { // it was just read
		t.Imported = []string{compact.String()}
	}
	if compact.Len() > maxImported/4 {
		p.report(line, at, "has %d bytes; at most %d are allowed", compact.Len(), maxImported/4)
		return
	}
	skeleton := skeletonOf(t.Slug)
	if first, same := p.skeletons[skeleton]; same {
		into := &p.out.terms[first]
		p.out.merged = append(p.out.merged, ItemError{line, at + ".term", fmt.Sprintf("looks the same as “%s” in line %d, and is merged into it", into.Term, p.out.places[first].Line)})
		into.merge(&t)
		return
	}
	p.skeletons[skeleton] = len(p.out.terms)
	p.out.terms = append(p.out.terms, t)
	p.out.places = append(p.out.places, ItemError{Line: line, Field: at})
}

func lineOf(raw []byte, offset int64) int {
	return bytes.Count(raw[:min(int(offset), len(raw))], []byte("\n"))
}

// fieldLine is how many lines below the item's first its field stands; 0 for one
// that is not there.
func fieldLine(raw []byte, field string) int {
	field, _, _ = strings.Cut(field, "[")
	field, _, _ = strings.Cut(field, ".")
	at := bytes.Index(raw, []byte(`"`+field+`"`))
	if at < 0 {
		return 0
	}
	return lineOf(raw, int64(at))
}

// term turns an item into a normalised term.
func (i *Item) term() (Term, problems) {
	var p problems
	for _, f := range []struct {
		name    string
		missing bool
	}{
		{"examples", i.Examples == nil}, {"tags", i.Tags == nil}, {"categories", i.Categories == nil},
		{"confidence", i.Confidence == nil}, {"momentum", i.Momentum == nil},
	} {
		if f.missing {
			p.add(f.name, "is missing")
		}
	}
	t := Term{
		Term: i.Term, Gloss: i.Gloss, Variants: i.Variants, Examples: i.Examples, Tags: i.Tags, Categories: i.Categories,
		Regions: i.Regions, Sources: i.Sources.names, SourceCounts: i.Sources.counts, FirstAttested: i.FirstAttested, AttestationNote: i.AttestationNote,
		Pos: i.Pos, Status: i.Status, AgeRating: i.AgeRating, ContentFlags: i.ContentFlags, FirstSeen: i.FirstSeen, LastSeen: i.LastSeen,
		FirstAttestedConfidence: i.FirstAttestedConfidence,
		QuizEligible:            i.QuizEligible == nil || *i.QuizEligible, Language: i.Language, Glosses: i.Glosses, Plain: i.Plain,
		PlainWord: i.PlainWord, Origin: OriginLexicon,
	}
	if i.Confidence != nil {
		t.Confidence = *i.Confidence
	}
	if i.Momentum != nil {
		t.Momentum = *i.Momentum
	}
	t.shorten()
	p.normalise(&t)
	return t, p
}

// shorten leaves out what is more than a term can show. The imported text has it.
func (t *Term) shorten() {
	for _, list := range []struct {
		of   *[]string
		most int
	}{
		{&t.Variants, maxVariants}, {&t.Examples, maxExamples}, {&t.Tags, maxTags}, {&t.Regions, maxRegions},
		{&t.Categories, maxCategories}, {(*[]string)(&t.Sources), maxSources}, {&t.ContentFlags, maxTags},
	} {
		*list.of = (*list.of)[:min(len(*list.of), list.most)]
	}
}

// item is the term as files have it.
func (t *Term) item() Item {
	return Item{
		Term: t.Term, Gloss: t.Gloss, Variants: t.Variants, Examples: t.Examples, Tags: t.Tags, Categories: t.Categories,
		Regions: t.Regions, Sources: fileSources{t.Sources, t.SourceCounts}, FirstAttested: t.FirstAttested, AttestationNote: t.AttestationNote,
		Pos: t.Pos, Status: t.Status, AgeRating: t.AgeRating, ContentFlags: t.ContentFlags, FirstSeen: t.FirstSeen, LastSeen: t.LastSeen,
		FirstAttestedConfidence: t.FirstAttestedConfidence,
		Confidence:              &t.Confidence, Momentum: &t.Momentum, QuizEligible: &t.QuizEligible, Language: t.Language,
		Glosses: t.Glosses, Plain: t.Plain, PlainWord: t.PlainWord,
	}
}

func (p *fileParser) pools(line int) error {
	var all map[string][]string
	if err := p.dec.Decode(&all); err != nil {
		return err
	}
	for category, answers := range all {
		var found problems
		pool := QuizPool{Category: label(category)}
		pool.WrongAnswers = found.texts("quiz_pools."+category, answers, maxPool, maxGloss)
		if pool.Category == "" || len(pool.Category) > idMax {
			found.add("quiz_pools", "has a category without a name, or with a name that is too long")
		}
		for _, f := range found.fields {
			p.report(line, f.Name, "%s", f.Message)
		}
		if len(found.fields) == 0 {
			p.out.pools = append(p.out.pools, pool)
		}
	}
	return nil
}
