package builtin

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// text returns a string for a property, within its bounds.
func (f *filler) text(s *jsonschema.Schema, p place) (string, bool) {
	text, known := f.named(p)
	if s.Format == "date" || is(dateNames, p.name) {
		text = f.doc.date()
		known = text != ""
	}
	if s.MinLength != nil && utf8.RuneCountInString(text) < *s.MinLength {
		text = f.longer(p, *s.MinLength)
	}
	if s.MaxLength != nil {
		text = within(text, *s.MaxLength)
	}
	if s.Pattern != "" {
		if re, err := regexp.Compile(s.Pattern); err == nil && !re.MatchString(text) {
			return f.doc.date(), false
		}
	}
	return text, known
}

// named returns the text that a property of that name stands for.
func (f *filler) named(p place) (string, bool) {
	pick := p.pick
	if pick == nil && !is(titleNames, p.name) {
		pick = p.scope.best(f.count(p.name))
	}
	switch name := p.name; {
	case p.speaker != "" && is(speakerNames, name):
		return p.speaker, true
	case p.gloss != nil && (is(termNames, name) || is(speakerNames, name)):
		return p.gloss.Term, true
	case p.gloss != nil && is(meaningNames, name):
		return p.gloss.Meaning, true
	case f.doc.translated != "" && (is(translationNames, name) || name == ""):
		return f.doc.translated, true
	case is(titleNames, name):
		title := f.title(p)
		return title, title != ""
	case is(quoteNames, name):
		best := diverse(pick, 1)
		if len(best) == 0 {
			return "", false
		}
		return best[0].text, true
	case is(detailNames, name):
		detail := f.following(p)
		return detail, detail != ""
	case is(speakerNames, name):
		speaker := f.speaker(p)
		return speaker, speaker != ""
	case is(sourceNames, name):
		return f.source(p), true
	case is(languageNames, name):
		return f.doc.language(), true
	case is(textNames, name), is(pointNames, name), name == "":
		text := join(pick)
		return text, text != ""
	}
	return "", false
}

func (f *filler) title(p place) string {
	if len(p.pick) > 0 {
		return headline(p.pick)
	}
	return headline(p.scope.sentences)
}

// speaker is who said what the place is about, if that is one person.
func (f *filler) speaker(p place) string {
	if len(p.pick) > 0 {
		return f.doc.passages[p.pick[0].passage].Speaker
	}
	if p.scope.to-p.scope.from == 1 {
		return f.doc.passages[p.scope.from].Speaker
	}
	return ""
}

// source is the whole text of the passage that the place is about.
func (f *filler) source(p place) string {
	switch {
	case p.scope.to-p.scope.from == 1:
		return f.doc.passages[p.scope.from].Text
	case len(p.pick) > 0:
		return f.doc.passages[p.pick[0].passage].Text
	}
	return f.doc.text()
}

// following is the sentence after a quoted one, in the same passage, unless it is
// quoted itself beside it.
func (f *filler) following(p place) string {
	if len(p.pick) == 0 {
		return ""
	}
	last := p.pick[len(p.pick)-1]
	if last.index+1 >= len(f.doc.all.sentences) {
		return ""
	}
	next := f.doc.all.sentences[last.index+1]
	if next.passage != last.passage || slices.Contains(p.beside, next) {
		return ""
	}
	return join([]*sentence{next})
}

// longer joins more and more sentences until there are enough characters.
func (f *filler) longer(p place, runes int) string {
	text := ""
	for n := 1; n <= 64; n *= 2 {
		if text = join(p.scope.best(n)); utf8.RuneCountInString(text) >= runes {
			return text
		}
	}
	return text
}

// within cuts a text to so many characters, after a sentence if that leaves half.
func within(text string, runes int) string {
	if utf8.RuneCountInString(text) <= runes {
		return text
	}
	cut := string([]rune(text)[:runes])
	end := 0
	for _, s := range split(cut) {
		if strings.HasSuffix(cut[:s.end], "。") || strings.HasSuffix(cut[:s.end], ".") {
			end = s.end
		}
	}
	if end > len(cut)/2 {
		return cut[:end]
	}
	return cut
}

// number returns the order of the passage for properties that are called so, else
// the allowed number nearest to zero.
func (f *filler) number(s *jsonschema.Schema, p place) (any, bool) {
	if is(orderNames, p.name) {
		if len(p.pick) > 0 {
			return p.pick[0].order, true
		}
		if p.scope.to > p.scope.from {
			return f.doc.passages[p.scope.from].Order, true
		}
	}
	low, high := math.Inf(-1), math.Inf(1)
	if s.Minimum != nil {
		low = *s.Minimum
	}
	if s.ExclusiveMinimum != nil {
		low = max(low, math.Floor(*s.ExclusiveMinimum)+1)
	}
	if s.Maximum != nil {
		high = *s.Maximum
	}
	if s.ExclusiveMaximum != nil {
		high = min(high, math.Ceil(*s.ExclusiveMaximum)-1)
	}
	n := min(max(0, low), high)
	if s.MultipleOf != nil && *s.MultipleOf > 0 {
		n = math.Ceil(n/(*s.MultipleOf)) * *s.MultipleOf
	}
	return n, false
}
