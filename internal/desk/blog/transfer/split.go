package transfer

import (
	"regexp"
	"strings"

	"pressroom/internal/desk/blog"
)

var (
	openFence  = regexp.MustCompile("^(```+|~~~+)\\s*([^`]*)$")
	imageLine  = regexp.MustCompile(`^!\[((?:[^\]\\]|\\.)*)\]\(\s*<?([^)\s>]+)>?(?:\s+(?:"([^"]*)"|'([^']*)'))?\s*\)(?:\{[^}]*\})?$`)
	htmlLine   = regexp.MustCompile(`^</?[A-Za-z][A-Za-z0-9-]*(?:[\s>/]|$)|^<!--`)
	refLine    = regexp.MustCompile(`^ {0,3}\[([^\]]+)\]:\s+\S`)
	htmlInline = regexp.MustCompile(`(?i)<(script|iframe|svg|object|embed|style|form)\b`)
)

// markdown adds Markdown: code, quotes and pictures that stand alone become blocks, HTML
// is read as such, and the rest stays as it is.
func (b *builder) markdown(text string) {
	if len(text) > maxText {
		b.lose("its text was longer than %d MB; the rest is left out", maxText>>20)
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	lines := strings.Split(strings.ReplaceAll(clean(text), "\r", "\n"), "\n")
	refs, lines := references(lines)
	s := &splitter{builder: b, refs: refs}
	for at := 0; at < len(lines); {
		at = s.next(lines, at)
	}
	s.end()
}

// splitter splits Markdown into blocks.
type splitter struct {
	*builder
	refs map[string]string // definitions of links, by their names in lower case
	text []string
}

// references takes the definitions of links out: a block that uses one gets it back.
func references(lines []string) (map[string]string, []string) {
	refs := map[string]string{}
	var rest []string
	fence := ""
	for _, l := range lines {
		fence = fenced(fence, l)
		if m := refLine.FindStringSubmatch(l); m != nil && fence == "" && !strings.HasPrefix(m[1], "^") {
			refs[strings.ToLower(m[1])] = strings.TrimSpace(l)
			continue
		}
		rest = append(rest, l)
	}
	return refs, rest
}

// fenced returns the fence that a line is within, "" for none, given that of the line
// before.
func fenced(fence, line string) string {
	trimmed := strings.TrimSpace(line)
	if fence != "" {
		if strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, fence[:1]) == "" {
			return ""
		}
		return fence
	}
	if m := openFence.FindStringSubmatch(trimmed); m != nil {
		return m[1]
	}
	return ""
}

// end adds the text so far as paragraphs.
func (s *splitter) end() {
	text := strings.Trim(strings.Join(s.text, "\n"), "\n")
	s.text = nil
	if strings.TrimSpace(text) == "" {
		return
	}
	if m := htmlInline.FindStringSubmatch(text); m != nil {
		s.lose("a %s element is left out", strings.ToLower(m[1]))
	}
	s.para(text + s.used(text))
}

// used are the definitions that a text uses.
func (s *splitter) used(text string) string {
	var b strings.Builder
	folded := strings.ToLower(text)
	for name, line := range s.refs {
		if strings.Contains(folded, "["+name+"]") {
			b.WriteString("\n" + line)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n" + b.String()
}

// next reads a part that begins at a line, and returns the line after it.
func (s *splitter) next(lines []string, at int) int {
	line := lines[at]
	fresh := at == 0 || strings.TrimSpace(lines[at-1]) == ""
	switch {
	case openFence.MatchString(line):
		return s.fence(lines, at)
	case fresh && strings.HasPrefix(line, ">"):
		return s.quoted(lines, at)
	case fresh && imageLine.MatchString(strings.TrimSpace(line)) && !strings.HasPrefix(line, "    ") && (at+1 == len(lines) || strings.TrimSpace(lines[at+1]) == ""):
		m := imageLine.FindStringSubmatch(strings.TrimSpace(line))
		s.end()
		s.picture(m[2], unescape(m[1]), m[3]+m[4])
		return at + 1
	case fresh && htmlLine.MatchString(line):
		return s.raw(lines, at)
	}
	// A fence within a list is part of the list.
	if fence := fenced("", line); fence != "" {
		for end := at; end < len(lines); end++ {
			s.text = append(s.text, lines[end])
			if end > at && fenced(fence, lines[end]) == "" {
				return end + 1
			}
		}
		return len(lines)
	}
	s.text = append(s.text, line)
	return at + 1
}

func (s *splitter) fence(lines []string, at int) int {
	m := openFence.FindStringSubmatch(lines[at])
	end := at + 1
	for end < len(lines) && fenced(m[1], lines[end]) != "" {
		end++
	}
	language, _, _ := strings.Cut(strings.Trim(m[2], " {}."), " ")
	language, _, _ = strings.Cut(language, "{")
	if code := strings.Join(lines[at+1:end], "\n"); strings.TrimSpace(code) != "" {
		s.end()
		s.add(blog.Block{Type: blog.Code, Content: code, Language: codeLanguage(language)})
	}
	return end + 1
}

func (s *splitter) quoted(lines []string, at int) int {
	end := at
	var text []string
	for end < len(lines) && strings.TrimSpace(lines[end]) != "" {
		text = append(text, strings.TrimPrefix(strings.TrimPrefix(lines[end], ">"), " "))
		end++
	}
	s.end()
	quote := strings.Trim(strings.Join(text, "\n"), "\n")
	if quote != "" {
		s.add(blog.Block{Type: blog.Quote, Content: quote + s.used(quote)})
	}
	return end
}

// raw reads HTML up to an empty line, or the end of what a first line opens.
func (s *splitter) raw(lines []string, at int) int {
	end := at + 1
	name := strings.ToLower(strings.TrimLeft(strings.FieldsFunc(lines[at]+" ", func(r rune) bool { return r == ' ' || r == '>' || r == '/' })[0], "</"))
	long := map[string]bool{"script": true, "style": true, "pre": true, "textarea": true, "svg": true, "table": true, "figure": true, "iframe": true, "ul": true, "ol": true, "div": true}
	switch {
	case strings.HasPrefix(lines[at], "<!--"):
		for end <= len(lines) && !strings.Contains(lines[end-1], "-->") {
			end++
		}
	case long[name]:
		open := 0
		for end = at; end < len(lines); end++ {
			l := strings.ToLower(lines[end])
			open += strings.Count(l, "<"+name) - strings.Count(l, "</"+name)
			if open <= 0 {
				end++
				break
			}
		}
	default:
		for end < len(lines) && strings.TrimSpace(lines[end]) != "" {
			end++
		}
	}
	end = min(end, len(lines))
	s.end()
	inner := strings.Join(lines[at:end], "\n")
	// Markdown between tags of a block stays Markdown if the tags stand alone.
	s.html(inner)
	return end
}

var escaped = regexp.MustCompile(`\\([!-/:-@\[-` + "`" + `{-~])`)

func unescape(s string) string { return escaped.ReplaceAllString(s, "$1") }
