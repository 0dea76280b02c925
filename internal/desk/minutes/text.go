package minutes

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// keyText is the form that text has in keys: NFKC, one space for many, none at the
// ends, not longer than a key may be. Different ways to type one name find the same
// list.
func keyText(s string) string {
	s = strings.Join(strings.Fields(norm.NFKC.String(strings.ToValidUTF8(s, ""))), " ")
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
	return cut(s, nameMax)
}

// keywordText is keyText in lower case.
func keywordText(s string) string { return keyText(strings.ToLower(norm.NFKC.String(s))) }

// cut shortens a text to a number of bytes, between characters.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return strings.TrimSpace(s[:most])
}

// plain makes one paragraph of a model's text: valid, without control characters
// other than line breaks, trimmed.
func plain(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return cut(strings.TrimSpace(s), most)
}

// bare is text for comparison with the record: NFKC without white space, so that
// line breaks and full-width spaces of print do not count, and words do.
func bare(s string) string {
	s = norm.NFKC.String(strings.ToValidUTF8(s, ""))
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
}

// unquoted is bare without the quotation marks that models put around quotes.
func unquoted(s string) string {
	return strings.Trim(bare(s), `"'「」『』“”‘’`)
}

// honorifics may follow a speaker's name.
var honorifics = []string{"君", "さん", "氏", "議員", "委員長", "委員", "議長", "大臣", "国務大臣", "政府参考人", "参考人"}

// sentences cuts text after the marks that end sentences, and at line breaks. Joined
// they are the text again.
func sentences(text string) []string {
	var out []string
	start := 0
	for i, r := range text {
		switch r {
		case '。', '！', '？', '!', '?', '\n':
		case '.':
			next, _ := utf8.DecodeRuneInString(text[i+1:])
			if !unicode.IsSpace(next) {
				continue
			}
		default:
			continue
		}
		end := i + utf8.RuneLen(r)
		out = append(out, text[start:end])
		start = end
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}
