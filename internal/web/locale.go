package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"pressroom/internal/auth"
)

// Languages are those that pages are written in, the default first.
var Languages = []string{"en", "ja"}

var matcher = language.NewMatcher([]language.Tag{language.English, language.Japanese})

// saying marks keys of ja.json that translate a sentence which the code says in
// English: the kinds' messages and what is wrong with a field. Runs of digits in
// the sentence are written as {n}.
const saying = "say:"

// catalog holds all words of the site: by language, then by key.
type catalog map[string]map[string]string

// add reads locales/<language>.json of a package. A key may be given once, and in
// all languages or none.
func (c catalog) add(fsys fs.FS) error {
	var all []error
	fresh := map[string]map[string]string{}
	for _, lang := range Languages {
		words, err := readWords(fsys, lang)
		if err != nil {
			return err
		}
		if c[lang] == nil {
			c[lang] = map[string]string{}
		}
		for key := range words {
			if _, known := c[lang][key]; known && !strings.HasPrefix(key, saying) {
				all = append(all, fmt.Errorf("locales/%s.json: %s is given a second time", lang, key))
			}
		}
		maps.Copy(c[lang], words)
		fresh[lang] = words
	}
	for _, lang := range Languages {
		for _, other := range Languages {
			for _, key := range slices.Sorted(maps.Keys(fresh[other])) {
				if _, ok := fresh[lang][key]; !ok && !strings.HasPrefix(key, saying) {
					all = append(all, fmt.Errorf("locales/%s.json lacks %s", lang, key))
				}
			}
		}
	}
	return errors.Join(all...)
}

func readWords(fsys fs.FS, lang string) (map[string]string, error) {
	name := path.Join("locales", lang+".json")
	data, err := fs.ReadFile(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var words map[string]string
	if err := json.Unmarshal(data, &words); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return words, nil
}

// text returns the words of a key with args put in: {0}, {1} … in their order.
func (s *Site) text(lang, key string, args ...any) string {
	words, ok := s.words[lang][key]
	if !ok {
		s.o.Missing(lang, key)
		return "⟦" + key + "⟧"
	}
	return fill(words, args)
}

func fill(words string, args []any) string {
	if len(args) == 0 || !strings.Contains(words, "{") {
		return words
	}
	pairs := make([]string, 0, 2*len(args))
	for i, arg := range args {
		pairs = append(pairs, fmt.Sprintf("{%d}", i), fmt.Sprint(arg))
	}
	return strings.NewReplacer(pairs...).Replace(words)
}

// T returns words in the reader's language, for titles and messages that a
// handler makes. {0}, {1} … in them are replaced by args.
func (s *Site) T(r *http.Request, key string, args ...any) string {
	return s.text(s.Lang(r), key, args...)
}

// Tor is T for keys made of data, with what to show for one that has no words. Desks
// bring those of what they name.
func (s *Site) Tor(r *http.Request, key, otherwise string) string {
	return s.textOr(s.Lang(r), key, otherwise)
}

func (s *Site) textOr(lang, key, otherwise string) string {
	if words, ok := s.words[lang][key]; ok {
		return words
	}
	return otherwise
}

var digits = regexp.MustCompile(`\d+`)

// say returns an English sentence of the program in another language, or as it
// is if nobody translated it.
func (s *Site) say(lang, sentence string) string {
	words, ok := s.words[lang][saying+digits.ReplaceAllString(sentence, "{n}")]
	if !ok {
		return sentence
	}
	for _, n := range digits.FindAllString(sentence, -1) {
		words = strings.Replace(words, "{n}", n, 1)
	}
	return words
}

// Lang returns the language for the reader: what the address asks for (?lang=),
// what the reader chose before (on the account, in the browser), what the browser accepts, English.
func (s *Site) Lang(r *http.Request) string {
	if lang := known(r.URL.Query().Get("lang")); lang != "" {
		return lang
	}
	if account := auth.From(r.Context()); account != nil {
		if lang := known(account.Language); lang != "" {
			return lang
		}
	}
	if cookie, err := r.Cookie(langCookie); err == nil {
		if lang := known(cookie.Value); lang != "" {
			return lang
		}
	}
	return accepted(r.Header.Get("Accept-Language"))
}

// known returns lang if pages are written in it.
func known(lang string) string {
	if slices.Contains(Languages, lang) {
		return lang
	}
	return ""
}

// accepted returns the best of our languages for an Accept-Language header.
func accepted(header string) string {
	if header == "" {
		return Languages[0]
	}
	tags, _, err := language.ParseAcceptLanguage(header)
	if err != nil {
		return Languages[0]
	}
	_, index, confidence := matcher.Match(tags...)
	if confidence == language.No {
		return Languages[0]
	}
	return Languages[index]
}
