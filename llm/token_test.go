package llm

import (
	"encoding/base64"
	"encoding/hex"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
)

const (
	japanese = `委員長　これより会議を開きます。内閣提出、地方税法等の一部を改正する法律案を議題といたします。趣旨の説明を聴取いたします。総務大臣。
ただいま議題となりました法律案につきまして、その提案の理由及び内容の概要を御説明申し上げます。デジタル化の進展に伴い、エモい・ヤバいといった若者言葉もサーバーに記録されています。２０２６年度の予算は１兆２，３００億円（前年度比３．５％増）です。`
	english = `The committee met at 10:00 a.m. to consider the bill on local taxation. Ms. O'Neill asked whether the estimate of $1,234.5 million (up 3.5%) was right; the minister said that it was, "as far as we know". Antidisestablishmentarianism was not discussed.`
	markup  = `{"order": 12, "speaker": "議長", "summary_sections": [{"title": "開会", "bullets": []}], "url": "https://example.com/a/b?c=d&e=%E3%81%82"}`
	program = "func main() {\n\t\tfor i := range 10 {\n\t\t\tfmt.Println(i, x[i] != nil)\n\t\t}\n}\n"
	emoji   = "👩‍👩‍👧‍👦 よき 🎉🎉🎉 𠮷野家で 🍜"
	mixed   = "Привет мир, как дела? Ελληνικά κείμενο. สวัสดีครับ  안녕하세요 여러분. Ça va très bien, où êtes-vous ?"
)

var corpus = map[string]string{"japanese": japanese, "english": english, "markup": markup, "program": program, "emoji": emoji, "mixed": mixed}

// codes are what is no language.
func codes() map[string]string {
	random := rand.New(rand.NewPCG(5, 6))
	data := make([]byte, 4000)
	for i := range data {
		data[i] = byte(random.UintN(256))
	}
	letters := make([]byte, 4000)
	for i := range letters {
		letters[i] = 'a' + data[i]%26
	}
	return map[string]string{
		"base64": base64.StdEncoding.EncodeToString(data), "hex": hex.EncodeToString(data), "letters": string(letters),
		"constants": strings.Repeat("MAX_RETRY_COUNT = xmlHttpRequest2; ", 50),
	}
}

// truth is what the vocabularies of two generations count.
var truth = map[string]struct{ newer, older int }{
	"japanese": {147, 208}, "english": {70, 69}, "markup": {52, 54}, "program": {27, 27}, "emoji": {29, 42}, "mixed": {32, 56},
	"base64": {3634, 3828}, "hex": {4563, 4542}, "letters": {2074, 2159}, "constants": {501, 401},
}

// The estimates are hardly ever below the truth, and not far above it.
func TestEstimates(t *testing.T) {
	texts := codes()
	maps.Copy(texts, corpus)
	for name, text := range texts {
		real := truth[name]
		for counter, want := range map[*Counter]int{&o200k: real.newer, &cl100k: real.older} {
			if got := counter.Count(text); got < want || got > 22*want/10 {
				t.Errorf("%s, %s: %d, really %d", name, counter.Name, got, want)
			}
		}
		if got := Estimate.Count(text); got < real.newer || got < real.older || got > 3*real.newer {
			t.Errorf("%s: %d, really %d and %d", name, got, real.newer, real.older)
		}
	}
}

func TestEstimateOfNothing(t *testing.T) {
	for text, want := range map[string]int{"": 0, " ": 0, "a": 2, "abcd": 2, "日本": 5, "\xff": 1} {
		if got := Estimate.Count(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestCounterFor(t *testing.T) {
	tests := map[string]string{
		"gpt-4o-mini": "o200k_base", "gpt-4.1": "o200k_base", "gpt-5-nano": "o200k_base", "o3": "o200k_base", "openai/gpt-oss-20b": "o200k_base",
		"gpt-4": "cl100k_base", "gpt-4-turbo": "cl100k_base", "gpt-35-turbo": "cl100k_base",
		"gemini-2.5-pro": "estimate", "claude-sonnet-4-5": "estimate", "llama3.3": "estimate", "": "estimate", "extractive-1": "estimate",
	}
	for model, want := range tests {
		c := CounterFor(model)
		if c.Name != want {
			t.Errorf("%s: %s, want %s", model, c.Name, want)
		}
	}
}

func TestCountInputCountsEverything(t *testing.T) {
	req := ask("hello")
	last := CountInput("m", req)
	steps := map[string]func(){
		"system":   func() { req.System = "Be brief." },
		"passages": func() { req.Passages = []Passage{{Order: 1, Text: japanese}} },
		"glossary": func() { req.Glossary = []Gloss{{Term: "エモい", Meaning: "moving"}} },
		"schema":   func() { req.Schema = personSchema },
	}
	for name, step := range steps {
		step()
		if n := CountInput("m", req); n <= last {
			t.Errorf("%s: %d tokens after %d", name, n, last)
		} else {
			last = n
		}
	}
}

// A request is counted once on its way; another one, or another model, is not
// taken for it.
func TestCountIsRemembered(t *testing.T) {
	ctx := withCount(t.Context())
	short, long := ask("x"), ask(japanese)
	if countInput(ctx, "m", short) != CountInput("m", short) || countInput(ctx, "m", long) != CountInput("m", long) ||
		countInput(ctx, "gpt-4o", long) != CountInput("gpt-4o", long) || countInput(t.Context(), "m", short) != CountInput("m", short) {
		t.Error("a remembered count is not the count")
	}
	before := countInput(ctx, "m", short)
	short.System = japanese // Which nobody may do; it shows that the count is not made again.
	if countInput(ctx, "m", short) != before {
		t.Error("it was counted again")
	}
}

// A hostile text must not take quadratic time.
func TestCountOfLongRuns(t *testing.T) {
	for _, text := range []string{strings.Repeat("あ", 200_000), strings.Repeat("a", 500_000), strings.Repeat(" ", 200_000)} {
		if n := o200k.Count(text); n == 0 {
			t.Error("no tokens")
		}
	}
}

func FuzzEstimate(f *testing.F) {
	for _, text := range corpus {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if n := Estimate.Count(text); n < 0 || n > 4*len(text) {
			t.Errorf("%d tokens of %d bytes", n, len(text))
		}
	})
}

func BenchmarkCount(b *testing.B) {
	text := strings.Repeat(japanese, 20)
	for _, c := range []Counter{Estimate, o200k} {
		b.Run(c.Name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				c.Count(text)
			}
		})
	}
}
