package proof

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// Locales has the words of reasons, in the form of the site's own.
//
//go:embed locales
var Locales embed.FS

// Reason says why a claim has its verdict.
type Reason struct {
	Key  string   `json:"key" doc:"the reason's name: proof.reason.number_other"`
	Args []string `json:"args" doc:"what is put in for {0}, {1} …"`
	En   string   `json:"en" doc:"in English"`
	Ja   string   `json:"ja" doc:"in Japanese"`
}

var reasonWords = sync.OnceValue(func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, lang := range []string{"en", "ja"} {
		data, err := Locales.ReadFile("locales/" + lang + ".json")
		words := map[string]string{}
		if err == nil {
			err = json.Unmarshal(data, &words)
		}
		if err != nil {
			panic("proof: " + err.Error()) // they are part of the program
		}
		all[lang] = words
	}
	return all
})

func because(key string, args ...string) Reason {
	key = "proof.reason." + key
	pairs := make([]string, 0, 2*len(args))
	for i, a := range args {
		pairs = append(pairs, fmt.Sprintf("{%d}", i), a)
	}
	fill := strings.NewReplacer(pairs...)
	words := reasonWords()
	if args == nil {
		args = []string{}
	}
	return Reason{Key: key, Args: args, En: fill.Replace(words["en"][key]), Ja: fill.Replace(words["ja"][key])}
}
