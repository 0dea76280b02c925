package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
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

// markup is text as HTML if one of the arguments is; the words and the other arguments
// are escaped then.
func (s *Site) markup(lang, key string, args []any) any {
	if !slices.ContainsFunc(args, isHTML) {
		return s.text(lang, key, args...)
	}
	safe := make([]any, len(args))
	for i, arg := range args {
		if safe[i] = arg; !isHTML(arg) {
			safe[i] = template.HTMLEscapeString(fmt.Sprint(arg))
		}
	}
	words := template.HTMLEscapeString(s.text(lang, key))
	return template.HTML(fill(words, safe)) //nolint:gosec // all of it is escaped, or was HTML
}

func isHTML(v any) bool { _, ok := v.(template.HTML); return ok }

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

// TIn is T in a language, for what is said to somebody who is not asking: letters. A
// language that is not written here is the first one.
func (s *Site) TIn(lang, key string, args ...any) string {
	if known(lang) == "" {
		lang = Languages[0]
	}
	return s.text(lang, key, args...)
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
// what the reader chose before (on the account, in the browser), what the browser accepts, the
// paper's first one. It is always one that the paper is shown in.
func (s *Site) Lang(r *http.Request) string {
	l := s.look.Load()
	if lang := l.known(r.URL.Query().Get("lang")); lang != "" {
		return lang
	}
	if account := auth.From(r.Context()); account != nil {
		if lang := l.known(account.Language); lang != "" {
			return lang
		}
	}
	if cookie, err := r.Cookie(langCookie); err == nil {
		if lang := l.known(cookie.Value); lang != "" {
			return lang
		}
	}
	return l.accepted(r.Header.Get("Accept-Language"))
}

// known returns lang if pages are written in it.
func known(lang string) string {
	if slices.Contains(Languages, lang) {
		return lang
	}
	return ""
}

// known returns lang if pages are shown in it.
func (l *look) known(lang string) string {
	if slices.Contains(l.languages, lang) {
		return lang
	}
	return ""
}

// accepted returns the best of the paper's languages for an Accept-Language header.
func (l *look) accepted(header string) string {
	if header == "" {
		return l.languages[0]
	}
	tags, _, err := language.ParseAcceptLanguage(header)
	if err != nil {
		return l.languages[0]
	}
	_, index, confidence := l.matcher.Match(tags...)
	if confidence == language.No {
		return l.languages[0]
	}
	return l.languages[index]
}
