package text

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"

	"github.com/ikawaha/kagome-dict/ipa"
	"github.com/ikawaha/kagome/v2/tokenizer"
)

// analyser cuts Japanese text into words, whose dictionary forms and readings it knows.
type analyser struct {
	*tokenizer.Tokenizer
	forms    forms
	readings forms // in katakana
}

// forms are something that the dictionary tells of all words, one after the other. All that
// it tells of them is 59 MB of strings, most of which nobody asks for.
type forms struct {
	text string
	ends []uint32 // by the word's id
}

// dictionary is the analyser, once it has been loaded.
var dictionary struct {
	once   sync.Once
	loaded atomic.Pointer[analyser]
	err    error
}

// load loads the dictionary, once for the process, and returns it. The
// dictionary is part of the program: that it cannot be read is a broken build.
func load() (*analyser, error) {
	dictionary.once.Do(func() {
		d := ipa.Dict()
		// The contents follow the parts of speech in the list of a word's features.
		take := func(feature int) forms {
			return formsOf(d.Contents, func(id int) int { return feature - len(d.POSTable.POSs[id]) })
		}
		a := &analyser{forms: take(ipa.BaseForm), readings: take(ipa.Reading)}
		d.Contents = nil
		a.Tokenizer, dictionary.err = tokenizer.New(d, tokenizer.OmitBosEos())
		dictionary.loaded.Store(a)
	})
	return dictionary.loaded.Load(), dictionary.err
}

// formsOf takes the strings at a place out of what a dictionary tells of its words.
func formsOf(contents [][]string, place func(id int) int) forms {
	var text strings.Builder
	ends := make([]uint32, len(contents))
	for id, content := range contents {
		if i := place(id); i >= 0 && i < len(content) {
			text.WriteString(content[i])
		}
		ends[id] = uint32(text.Len())
	}
	return forms{strings.Clone(text.String()), ends} // the builder has room to spare
}

// of returns the form of a word, "" if the dictionary has none for it.
func (f forms) of(id int) string {
	start := uint32(0)
	if id > 0 {
		start = f.ends[id-1]
	}
	return f.text[start:f.ends[id]]
}

// Load has the Japanese dictionary in memory when it returns nil. Loading takes
// seconds on a busy machine and cannot be stopped: when ctx ends, Load leaves it.
func Load(ctx context.Context) error {
	if Loaded() {
		return nil
	}
	done := make(chan error, 1)
	go func() {
		_, err := load()
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Loaded tells whether the Japanese dictionary is in memory.
func Loaded() bool { return dictionary.loaded.Load() != nil }

// IsJapanese tells whether a text has letters that the dictionary knows.
func IsJapanese(s string) bool {
	for _, r := range s {
		if r >= 0x3041 && unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han) {
			return true
		}
	}
	return false
}

// Bases returns the dictionary forms of the words in the Japanese parts of a
// text, without particles and auxiliaries. It loads the dictionary if there is
// Japanese to read, and waits for it.
func Bases(s string) ([]Token, error) {
	if !IsJapanese(s) {
		return nil, nil
	}
	t, err := load()
	if err != nil {
		return nil, err
	}
	return bases(t, s, nil), nil
}

// TryBases is Bases for whoever cannot wait: while the dictionary is not there it
// begins to load it and reports false.
func TryBases(s string) ([]Token, bool) { return tryBases(s, nil) }

// tryBases is TryBases of the runs of Japanese letters that want picks, folded;
// nil is all. A run is read by itself, so that those picked give the same.
func tryBases(s string, want func(run string) bool) ([]Token, bool) {
	if !IsJapanese(s) {
		return nil, true
	}
	t := dictionary.loaded.Load()
	if t == nil {
		go func() { _, _ = load() }() // who waits for it gets the error
		return nil, false
	}
	return bases(t, s, want), true
}

// longestPiece bounds what is analysed at once; the cost grows with the length.
const longestPiece = 200

func bases(t *analyser, s string, want func(run string) bool) []Token {
	f := Fold(s)
	var out []Token
	pos := 1
	for i := 0; i < len(f.Runes); {
		if classOf(f.Runes[i]) != cjk {
			i++
			continue
		}
		j := i + 1
		for j < len(f.Runes) && j-i < longestPiece && classOf(f.Runes[j]) == cjk {
			j++
		}
		run := string(f.Runes[i:j])
		if want != nil && !want(run) {
			i = j
			continue
		}
		for _, tok := range t.Analyze(run, tokenizer.Search) {
			if base, ok := t.meaning(&tok); ok {
				found := f.token(i+tok.Start, i+tok.End, pos)
				found.Text, found.Inflects = base, inflects(&tok)
				out = append(out, found)
				pos++
			}
		}
		i = j
	}
	return out
}

// inflects tells of verbs and adjectives. Parts of speech are asked for one by
// one: the list of them is made anew each time.
func inflects(t *tokenizer.Token) bool {
	pos, _ := t.FeatureAt(0)
	return pos == "動詞" || pos == "形容詞"
}

// meaning returns the dictionary form of a word that means something by itself.
func (a *analyser) meaning(t *tokenizer.Token) (string, bool) {
	pos, ok := t.FeatureAt(0)
	if !ok {
		return t.Surface, true
	}
	switch pos {
	case "助詞", "助動詞", "記号", "フィラー", "接続詞":
		return "", false
	}
	if sub, _ := t.FeatureAt(1); sub == "非自立" || pos == "動詞" && sub == "接尾" {
		return "", false
	}
	base, ok := t.BaseForm()
	if t.Class == tokenizer.KNOWN {
		base = a.forms.of(t.ID)
		ok = base != ""
	}
	if ok && base != "*" {
		return base, true
	}
	return t.Surface, true
}
