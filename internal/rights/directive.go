package rights

import (
	"net/http"
	"strings"
	"time"
)

// valued are the directives that have a value behind a colon.
var valued = map[string]Signal{
	"max-snippet": MaxSnippet, "max-image-preview": MaxImagePreview, "unavailable_after": UnavailableAfter, "max-video-preview": "",
}

var bare = map[string][]Signal{
	"none": {NoIndex, NoFollow}, "noindex": {NoIndex}, "nofollow": {NoFollow}, "noarchive": {NoArchive}, "nocache": {NoArchive}, "nosnippet": {NoSnippet},
	"noai": {NoAI}, "noimageai": {NoImageAI}, "noimageindex": {NoImageIndex},
}

// Directives reads the words of a robots meta element or of the lines of an
// X-Robots-Tag header that are for everyone or for a crawler, by its product token.
// Words that nobody here knows are skipped, those that are merely misspelt with a
// hyphen or divided wrongly are not.
func Directives(where Where, agent string, lines ...string) []Said {
	var said []Said
	for _, line := range lines {
		mine := true
		parts := strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ';' })
		for i := 0; i < len(parts); i++ {
			name, value, colon := strings.Cut(strings.TrimSpace(parts[i]), ":")
			name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
			if signal, ok := valued[name]; ok && colon {
				for ; signal == UnavailableAfter && i+1 < len(parts) && !isWord(parts[i+1]); i++ {
					value += "," + parts[i+1] // a date may have a comma
				}
				if mine && signal != "" {
					said = append(said, restricting(signal, value, where)...)
				}
				continue
			}
			if colon {
				mine = strings.EqualFold(name, agent) || name == "robots" || name == "*"
				name = strings.ToLower(value)
			}
			for word := range strings.FieldsSeq(name) {
				for _, signal := range bare[plain(word)] {
					if mine {
						said = append(said, Said{Signal: signal, Where: where})
					}
				}
			}
		}
	}
	return said
}

// restricting is a directive with a value, unless the value restricts nothing.
func restricting(signal Signal, value string, where Where) []Said {
	s := Said{Signal: signal, Value: strings.ToLower(recorded(value)), Where: where}
	if signal == UnavailableAfter {
		s.Value = recorded(value)
	}
	if !s.Restricts() {
		return nil
	}
	return []Said{s}
}

// plain is a word as it is known: without the hyphens that some put into it.
func plain(word string) string { return hyphens.Replace(word) }

var hyphens = strings.NewReplacer("-", "", "_", "")

// isWord reports whether a part of a line begins with a directive, rather than being
// the rest of a date.
func isWord(part string) bool {
	name, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(part)), ":")
	name = strings.TrimSpace(name)
	if _, ok := valued[name]; ok {
		return true
	}
	switch word := plain(name); word {
	case "all", "index", "follow", "notranslate", "indexifembedded":
		return true
	default:
		_, ok := bare[word]
		return ok
	}
}

var dateForms = []string{
	time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05", time.DateOnly,
	time.RFC1123, time.RFC1123Z, time.RFC850, time.RFC822, time.RFC822Z,
	"2 Jan 2006 15:04:05 MST", "2 Jan 2006 15:04:05 -0700", "2-Jan-2006 15:04:05 MST", "2-Jan-2006 15:04:05 -0700", "02-Jan-06 15:04:05 MST", "2 Jan 2006", "2-Jan-2006",
}

// readDate reads a date as unavailable_after has it. An abbreviated zone that is not
// known counts as UTC.
func readDate(text string) (time.Time, bool) {
	for _, form := range dateForms {
		if t, err := time.Parse(form, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// Header reads the signals in the header of an answer that are for everyone or for a
// crawler.
func Header(h http.Header, agent string) []Said {
	said := Directives(InHeader, agent, h["X-Robots-Tag"]...)
	if values := h["Tdm-Reservation"]; len(values) > 0 {
		for _, v := range values {
			said = append(said, Reservation(InHeader, v, h.Get("Tdm-Policy")))
		}
	}
	if values := h["Content-Usage"]; len(values) > 0 { // several lines are one field
		said = append(said, ReadUsage(InHeader, "", strings.Join(values, ","))...)
	}
	for _, v := range h["Content-Signal"] {
		said = append(said, ReadSignal(InHeader, "", v)...)
	}
	return said
}

// Meta reads a meta element of a page: robots, or the crawler's own name, and
// tdm-reservation.
func Meta(name, content, agent string) []Said {
	switch {
	case strings.EqualFold(name, "robots"), strings.EqualFold(name, agent):
		return Directives(InMeta, agent, content)
	case strings.EqualFold(name, "tdm-reservation"):
		return []Said{Reservation(InMeta, content, "")}
	}
	return nil
}
