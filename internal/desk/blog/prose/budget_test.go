package prose

import (
	"context"
	"html"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/chroma/v2/lexers"
)

// hostile are texts whose parsing takes the square of their length, each so long as
// it is told.
var hostile = map[string]func(n int) string{
	"link destinations":   func(n int) string { return strings.Repeat("[a](", n/4) },
	"angled":              func(n int) string { return strings.Repeat("[a](<", n/5) },
	"link titles":         func(n int) string { return strings.Repeat(`[a](b "`, n/7) },
	"references":          func(n int) string { return strings.Repeat("[a][", n/4) },
	"references in lines": func(n int) string { return strings.Repeat("[a][\n", n/5) },
	"brackets":            func(n int) string { return strings.Repeat("[", n/2) + strings.Repeat("]", n/2) },
	"images in links":     func(n int) string { return strings.Repeat("![[]()", n/6) },
	"images in images":    func(n int) string { return strings.Repeat("![a", n/7) + strings.Repeat("](b)", n/7) },
	"definitions":         func(n int) string { return strings.Repeat("[a]:\n", n/5) },
	"two kinds of marks":  func(n int) string { return strings.Repeat("*a_ ", n/4) },
	"marks in words":      func(n int) string { return strings.Repeat("a**b", n/4) + strings.Repeat("c* ", n/8) },
	"open marks":          func(n int) string { return strings.Repeat("**a *a ", n/7) },
	"marks in marks":      func(n int) string { return strings.Repeat("*a _b ", n/12) + strings.Repeat("b_ a* ", n/12) },
	"strikes":             func(n int) string { return strings.Repeat("~a ", n/6) + strings.Repeat("b~ ", n/6) },
	"backticks": func(n int) string {
		var b strings.Builder
		for i := 1; b.Len() < n/2; i++ {
			b.WriteString("e" + strings.Repeat("`", i) + "\n")
		}
		return b.String() + strings.Repeat("a\n", n/4)
	},
	"comments":       func(n int) string { return "a " + strings.Repeat("<!--", n/4) },
	"instructions":   func(n int) string { return "a " + strings.Repeat("<?", n/2) },
	"declarations":   func(n int) string { return "a " + strings.Repeat("<!A ", n/4) },
	"character data": func(n int) string { return "a " + strings.Repeat("<![CDATA[", n/9) },
	"attributes":     func(n int) string { return "a " + strings.Repeat(`<a x="`, n/6) },
	"lists in lists": func(n int) string { return strings.Repeat("- ", n/2) + "a" },
	"numbers":        func(n int) string { return strings.Repeat("1. ", n/3) + "a" },
	"tabs":           func(n int) string { return strings.Repeat("- \t", n/3) + "a" },
	"quotes":         func(n int) string { return strings.Repeat(">", n) },
	"lazy lines":     func(n int) string { return strings.Repeat(">", n/2) + "a\n" + strings.Repeat("a\n", n/4) },
	"blank lines":    func(n int) string { return strings.Repeat("- ", n/4) + "a\n" + strings.Repeat("\n", n/2) },
	"columns": func(n int) string {
		return strings.Repeat("|a", n/8) + "|\n" + strings.Repeat("|-", n/8) + "|\n" + strings.Repeat("|\n", n/4)
	},
	"wide table": func(n int) string {
		return strings.Repeat("|a", 200) + "|\n" + strings.Repeat("|-", 200) + "|\n" + strings.Repeat("|\n", n/2)
	},
}

// Each of these took seconds, or gigabytes, and nobody could stop it.
func TestHostileText(t *testing.T) {
	for name, make := range hostile {
		t.Run(name, func(t *testing.T) {
			source := make(128 << 10)
			w := NewWriter(t.Context(), pictures)
			if got := w.Text(source); got != paragraphs(source) {
				t.Errorf("it was parsed, with %d steps left", w.budget.steps)
			}
			if w.Words() != squeeze(source) {
				t.Error("its words are lost")
			}
			// The page goes on without more work.
			left := w.budget.steps
			if got := w.Text("*a* <b>"); got != "<p>*a* &lt;b&gt;</p>\n" || w.budget.steps != left {
				t.Errorf("the next text: %q", got)
			}
			if Plain(source) != squeeze(source) {
				t.Error("it was parsed for its words")
			}
		})
	}
}

// What people write is far from the limit.
func TestOrdinaryText(t *testing.T) {
	const sentence, japanese = "Some *words* with a [link](https://example.org) and `code` of <the> day.", "委員会は**開会**し、[法案](https://example.org)を審議した。"
	for name, source := range map[string]string{
		"paragraphs":         strings.Repeat(sentence+"\n\n", 1700),
		"one long line":      strings.Repeat(sentence+" ", 1700),
		"one long paragraph": strings.Repeat(sentence+"\n", 1700),
		"japanese":           strings.Repeat(japanese, 1600),
		"list":               strings.Repeat("- "+sentence+"\n", 1700),
		"nested":             strings.Repeat("- "+sentence+"\n  - > "+sentence+"\n", 800),
		"table":              "|a|b|c|\n|-|-|-|\n" + strings.Repeat("|one|two|three|\n", 8000),
		"words":              strings.Repeat("word ", 26000),
		"code":               "```\n" + strings.Repeat("if a[i] < b[j] { *c = `d` }\n", 4500) + "```",
	} {
		w := NewWriter(t.Context(), pictures)
		w.Text(source)
		if took := freeSteps + stepsPerByte*len(source) - w.budget.steps; w.budget.spent || took > freeSteps {
			t.Errorf("%s: %d steps for %d bytes", name, took, len(source))
		}
	}
}

// leaving is a context whose reader leaves when it was asked so often.
type leaving struct {
	context.Context
	asked, stays int
}

func (l *leaving) Err() error {
	if l.asked++; l.asked > l.stays {
		return context.Canceled
	}
	return nil
}

func TestReaderLeaves(t *testing.T) {
	source := strings.Repeat("Some *words* with a [link](https://example.org).\n\n", 2500)
	w := NewWriter(&leaving{t.Context(), 0, 2}, pictures)
	w.Text(source)
	if took := freeSteps + stepsPerByte*len(source) - w.budget.steps; !w.budget.spent || took > 3*lookEvery {
		t.Errorf("%d steps for nobody", took)
	}
	reader := &leaving{t.Context(), 0, 10}
	w = NewWriter(reader, pictures)
	if got := w.Code(strings.Repeat("x := 1\n", 1000), "go", ""); strings.Contains(got, "<span") || reader.asked > 11 {
		t.Errorf("coloured %d tokens for nobody", reader.asked)
	}
}

// Colouring ends when its time is over, whatever the lexer would still do, and
// shows the code as it is.
func TestHostileCode(t *testing.T) {
	for language, source := range map[string]string{
		"go":     strings.Repeat("\"\\", 25_000),
		"c":      strings.Repeat("/*", 25_000),
		"python": strings.Repeat("\"\\", 25_000),
		"js":     strings.Repeat("`${", 20_000),
	} {
		w := NewWriter(t.Context(), pictures)
		looks, now := 0, time.Unix(0, 0)
		w.budget.now = func() time.Time { looks++; now = now.Add(codeTime / 50); return now }
		got := w.Code(source, language, "")
		if want := `<figure class="code"><pre class="chroma"><code>` + html.EscapeString(source) + `</code></pre></figure>`; got != want {
			t.Errorf("%s: %.200s", language, got)
		}
		if looks > 60 {
			t.Errorf("%s: %d tokens", language, looks)
		}
		looks = 0
		if got := w.Text("```go\nfunc f() {}\n```"); strings.Contains(got, "<span") || looks > 0 {
			t.Errorf("%s: the page goes on colouring: %s", language, got)
		}
	}
}

// Lexers that cannot be stopped get little to read.
func TestLexersThatReadAll(t *testing.T) {
	for _, name := range nesting {
		if lexer := lexers.Get(name); lexer == nil || lexer.Config().Name != name {
			t.Errorf("there is no lexer %s", name)
		}
	}
	for _, language := range []string{"phtml", "svelte", "markdown", "go-html-template"} {
		if lexerOf(language, maxWhole) == nil || lexerOf(language, maxWhole+1) != nil {
			t.Errorf("%s colours what it likes", language)
		}
	}
	if lexerOf("go", maxHighlight) == nil || lexerOf("go", maxHighlight+1) != nil {
		t.Error("go")
	}
}
