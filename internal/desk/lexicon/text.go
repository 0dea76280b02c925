package lexicon

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"pressroom/internal/errs"
)

// markup is the beginning of a tag, a comment or an entity: nothing that plain
// text about words needs.
var markup = regexp.MustCompile(`<[a-zA-Z/!?]|&(#[xX]?[0-9a-fA-F]+|[a-zA-Z]{2,8});`)

// problems gathers what is wrong with an input, field by field.
type problems struct{ fields []errs.Field }

func (p *problems) add(field, format string, args ...any) {
	p.fields = append(p.fields, errs.Field{Name: field, Message: fmt.Sprintf(format, args...)})
}

// err returns all that was found, or nil.
func (p *problems) err() error {
	if len(p.fields) == 0 {
		return nil
	}
	return errs.Validation(p.fields...)
}

// text cleans a text of one paragraph: composed, with single spaces. What is
// longer than most characters, hidden or markup is a problem of the field.
func (p *problems) text(field, value string, most int, required bool) string {
	clean, problem := cleanText(value, most)
	switch {
	case problem != "":
		p.add(field, "%s", problem)
	case clean == "" && required:
		p.add(field, "must not be empty")
	}
	return clean
}

func cleanText(value string, most int) (clean, problem string) {
	if !utf8.ValidString(value) {
		return "", "is not valid text"
	}
	if len(value) > 4*most*utf8.UTFMax {
		return "", fmt.Sprintf("must be at most %d characters", most)
	}
	clean = strings.Join(strings.Fields(norm.NFC.String(value)), " ")
	if utf8.RuneCountInString(clean) > most {
		return "", fmt.Sprintf("must be at most %d characters", most)
	}
	if strings.ContainsFunc(clean, isHidden) {
		return "", "has an invisible character"
	}
	if markup.MatchString(clean) {
		return "", "must be plain text, without markup"
	}
	return clean, ""
}

// isHidden tells what can turn around or hide text. The joiner of emoji is not
// among it.
func isHidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200D' || unicode.Is(unicode.Co, r)
}

// texts cleans a list: no entry empty, none twice, not more than so many.
func (p *problems) texts(field string, values []string, entries, most int) []string {
	if len(values) > entries {
		p.add(field, "must have at most %d entries", entries)
		return nil
	}
	clean := []string{}
	seen := map[string]bool{}
	for i, v := range values {
		v = p.text(fmt.Sprintf("%s[%d]", field, i), v, most, true)
		if v != "" && !seen[v] {
			seen[v] = true
			clean = append(clean, v)
		}
	}
	return clean
}

// label is the form of tags, regions and categories, by which they are listed.
func label(text string) string {
	return strings.ReplaceAll(strings.ToLower(strings.Join(strings.Fields(norm.NFKC.String(text)), " ")), " ", "-")
}

func (p *problems) labels(field string, values []string, entries int) []string {
	values = p.texts(field, values, entries, 30)
	clean := []string{}
	seen := map[string]bool{}
	for _, v := range values {
		if v = label(v); !seen[v] {
			seen[v] = true
			clean = append(clean, v)
		}
	}
	return clean
}

// share checks a number from 0 to 1; what is no number is not in it either.
func (p *problems) share(field string, v float64) {
	if !(v >= 0 && v <= 1) {
		p.add(field, "must be from 0 to 1")
	}
}
