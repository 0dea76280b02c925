// Tokens holds the estimates of package llm against the vocabularies of OpenAI's models,
// on stretches of the files that it is given.
package main

import (
	"fmt"
	"log"
	"os"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"

	"pressroom/llm"
)

// The stated error. Of a hundred stretches, one may lie below and one above.
const (
	stretch = 1500 // characters
	least   = 1.0
	most    = 1.5
)

func main() {
	log.SetFlags(0)
	good := true
	for model, encoding := range map[string]tokenizer.Encoding{"gpt-4o": tokenizer.O200kBase, "gpt-4": tokenizer.Cl100kBase} {
		codec, err := tokenizer.Get(encoding)
		if err != nil {
			log.Fatal(err)
		}
		for kind, texts := range map[string][]string{"Japanese": stretches(true), "other": stretches(false)} {
			var ratios []float64
			for _, text := range texts {
				n, err := codec.Count(text)
				if err != nil {
					log.Fatal(err)
				}
				ratios = append(ratios, float64(llm.CounterFor(model).Count(text))/float64(n))
			}
			slices.Sort(ratios)
			at := func(percent int) float64 { return ratios[(len(ratios)-1)*percent/100] }
			fmt.Printf("%-6s %-8s %5d stretches: %.2f to %.2f of the truth, one in a hundred outside %.2f to %.2f, half below %.2f\n", model, kind, len(ratios), ratios[0], ratios[len(ratios)-1], at(1), at(99), at(50))
			good = good && at(1) >= least && at(99) <= most
		}
	}
	if !good {
		log.Fatalf("an estimate is to lie between %.1f and %.1f of the truth", least, most)
	}
}

func stretches(japanese bool) []string {
	var all []string
	for _, name := range os.Args[1:] {
		data, err := os.ReadFile(name)
		if err != nil {
			log.Fatal(err)
		}
		text := []rune(string(data))
		for from := 0; from+stretch/3 < len(text); from += stretch {
			part := text[from:min(from+stretch, len(text))]
			written := 0
			for _, r := range part {
				if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
					written++
				}
			}
			if utf8.Valid(data) && (3*written > len(part)) == japanese {
				all = append(all, string(part))
			}
		}
	}
	return all
}
