package text

import "github.com/ikawaha/kagome/v2/tokenizer"

// Word is a word of a Japanese text as the dictionary reads it.
type Word struct {
	Text       string // as it is written
	Base       string // its dictionary form
	Class, Sub string // its part of speech, in the dictionary's words: 名詞, 固有名詞
	Kind       string // of what the part of speech names: 人名, 地域, 組織
	Start, End int    // in characters
}

// Analyse returns every word of a Japanese sentence, particles and signs among them. It
// loads the dictionary, and waits for it.
func Analyse(sentence string) ([]Word, error) {
	a, err := load()
	if err != nil {
		return nil, err
	}
	tokens := a.Tokenize(sentence)
	words := make([]Word, len(tokens))
	for i := range tokens {
		t := &tokens[i]
		w := Word{Text: t.Surface, Base: t.Surface, Start: t.Start, End: t.End}
		for at, into := range []*string{&w.Class, &w.Sub, &w.Kind} {
			*into, _ = t.FeatureAt(at)
		}
		if t.Class == tokenizer.KNOWN {
			if base := a.forms.of(t.ID); base != "" && base != "*" {
				w.Base = base
			}
		}
		words[i] = w
	}
	return words, nil
}
