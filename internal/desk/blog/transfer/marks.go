package transfer

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"pressroom/internal/desk/blog"
)

// Exported Markdown has a comment before each block that says what the text alone does
// not: its layout, its caption. The word in these comments is none that a block holds.

// markWord returns a word that no block holds.
func markWord(blocks []blog.Block) string {
	sum := sha256.New()
	for _, b := range blocks {
		sum.Write([]byte(b.Content))
	}
	for {
		word := hex.EncodeToString(sum.Sum(nil))[:8]
		found := false
		for _, b := range blocks {
			found = found || strings.Contains(b.Content, word)
		}
		if !found {
			return word
		}
		sum.Write([]byte{0})
	}
}

// mark writes blocks as Markdown with comments. src is the address of a picture.
func mark(blocks []blog.Block, word string, src func(ref string) string) string {
	var out strings.Builder
	for _, b := range blocks {
		facts := b
		facts.Content = ""
		if b.Type == blog.Image {
			facts.Content = src(b.Content)
		}
		if b.Type == blog.Video {
			facts.Content = b.Content
		}
		head, _ := json.Marshal(facts) // of strings; > is escaped, so that nothing ends the comment
		out.WriteString("<!-- " + word + " " + strings.ReplaceAll(string(head), "--", `-\u002d`) + " -->\n")
		switch b.Type {
		case blog.Quote:
			out.WriteString("> " + strings.ReplaceAll(b.Content, "\n", "\n> "))
		case blog.Code:
			fence := fenceFor(b.Content)
			out.WriteString(fence + b.Language + "\n" + b.Content + "\n" + fence)
		case blog.Image:
			out.WriteString("![" + escape(strings.Join(strings.Fields(b.Alt), " ")) + "](" + destination(facts.Content) + ")")
		case blog.Video:
			out.WriteString("<" + b.Content + ">")
		default:
			out.WriteString(b.Content)
		}
		out.WriteString("\n\n")
	}
	return out.String()
}

// unmark reads what mark wrote.
func unmark(b *builder, text, word string) bool {
	if word == "" {
		return strings.TrimSpace(text) == ""
	}
	parts := strings.Split("\n"+text, "\n<!-- "+word+" ")
	for n, part := range parts[1:] {
		head, body, ok := strings.Cut(part, " -->\n")
		var block blog.Block
		if !ok || json.Unmarshal([]byte(head), &block) != nil {
			return false
		}
		body = strings.TrimSuffix(body, "\n")
		if n == len(parts)-2 {
			body = strings.TrimSuffix(body, "\n")
		}
		switch block.Type {
		case blog.Quote:
			block.Content = strings.ReplaceAll(strings.TrimPrefix(body, "> "), "\n> ", "\n")
		case blog.Code:
			_, code, _ := strings.Cut(body, "\n")
			if cut := strings.LastIndexByte(code, '\n'); cut >= 0 {
				block.Content = code[:cut]
			}
		case blog.Text:
			block.Content = body
		}
		b.add(block)
	}
	return true
}
