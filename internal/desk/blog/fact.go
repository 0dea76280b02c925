package blog

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"pressroom/internal/story"
)

// Facts is what an editor says of a post besides its body, tags and date. A fact is
// declared here: its attribute, its JSON, what is accepted of it, and its place in the
// editor's form come from the tags. It further needs its row in the schema, and its name
// in the words of each language, "blog.field." and its name in JSON; tests miss either.
//
// The tag fact says what it is, how many characters it has at most, and what else holds:
//
//	line, text, picture  one line, several lines, or an address of a picture (or "media:" and an id)
//	names                several names, divided by commas
//	post                 another post, by its id or an address
//	slug                 the end of a readable address
//	focus                a point of a picture, as in "30 70": percent from the left and from the top
//	needed               nothing is saved without it
//	proposed             nor without this, but the editor proposes one
//	first                the form shows it above the others
//	hint                 the form says more of it, in the words "blog.field." name ".hint"
type Facts struct {
	Title      string `json:"title" dynamodbav:"title" fact:"line,200,needed,first" doc:"1 to 200 characters"`
	Summary    string `json:"summary" dynamodbav:"summary" fact:"text,500,proposed,first,hint" doc:"1 to 500 characters"`
	Author     string `json:"author,omitempty" dynamodbav:"author" fact:"line,50" doc:"at most 50 characters; of a new post, the account's name if it is not there"`
	Thumbnail  string `json:"thumbnail,omitempty" dynamodbav:"thumbnail" fact:"picture,2048,hint" doc:"an address, or media: and an id of the library"`
	CoAuthors  string `json:"co_authors,omitempty" dynamodbav:"coAuthors,omitempty" fact:"names,400,hint" doc:"who wrote it with the author: at most 7 names of at most 50 characters, divided by commas"`
	Series     string `json:"series,omitempty" dynamodbav:"series,omitempty" fact:"line,100,hint" doc:"the series that it is a part of, at most 100 characters; its parts stand in the order of their publication"`
	Translates string `json:"translates,omitempty" dynamodbav:"translates,omitempty" fact:"post,2048,hint" doc:"the post that it is a translation of: an id, or an address; the id is kept"`
	// ThumbnailAlt and ThumbnailFocus are about the thumbnail.
	ThumbnailAlt   string `json:"thumbnail_alt,omitempty" dynamodbav:"thumbnailAlt,omitempty" fact:"line,500,hint" doc:"what the picture shows, at most 500 characters"`
	ThumbnailFocus string `json:"thumbnail_focus,omitempty" dynamodbav:"thumbnailFocus,omitempty" fact:"focus,7,hint" doc:"the point of the picture that stays in sight where it is cut: percent from the left and from the top; the middle if it is not there" example:"30 70"`
	Slug           string `json:"slug,omitempty" dynamodbav:"slug,omitempty" fact:"slug,100,hint" doc:"the readable address: letters, digits and hyphens; made from the title at the first publication if it is not there, and kept if it is left out later"`
}

// Fact is one of a post's facts.
type Fact struct {
	Name string // in JSON, in forms and in what is said of mistakes
	Kind string // line, text, names, post, picture, slug or focus
	Max  int    // characters

	says []string
}

// Is reports whether the declaration has the word.
func (f Fact) Is(word string) bool { return slices.Contains(f.says, word) }

var allFacts = readFacts()

func readFacts() []Fact {
	all := make([]Fact, reflect.TypeFor[Facts]().NumField())
	for i := range all {
		f := reflect.TypeFor[Facts]().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		says := strings.Split(f.Tag.Get("fact"), ",")
		if len(says) < 2 {
			panic("blog: Facts." + f.Name + " does not say what it is")
		}
		most, err := strconv.Atoi(says[1])
		if err != nil {
			panic(fmt.Sprintf("blog: Facts.%s: %v", f.Name, err))
		}
		all[i] = Fact{Name: name, Kind: says[0], Max: most, says: says[2:]}
	}
	return all
}

// All yields each fact with its text, which can be changed.
func (f *Facts) All(yield func(Fact, *string) bool) {
	v := reflect.ValueOf(f).Elem()
	for i, fact := range allFacts {
		if !yield(fact, v.Field(i).Addr().Interface().(*string)) {
			return
		}
	}
}

// normal puts the facts into the form that is stored.
func (f *Facts) normal() {
	for fact, text := range f.All {
		if fact.Kind != "picture" { // whose address stays as it is
			*text = normalText(*text)
		}
		*text = strings.TrimSpace(*text)
		if fact.Kind == "names" {
			*text = strings.Join(splitNames(*text), ", ")
		}
		if fact.Kind == "focus" {
			*text = strings.Join(strings.Fields(*text), " ")
		}
		if fact.Kind == "slug" {
			*text = strings.ToLower(strings.Join(strings.Fields(*text), "-"))
		}
	}
}

func (f *Facts) check(p *problems) {
	for fact, text := range f.All {
		least := 0
		if fact.Is("needed") || fact.Is("proposed") {
			least = 1
		}
		switch fact.Kind {
		case "line", "post":
			p.line(fact.Name, *text, least, fact.Max)
		case "text":
			p.text(fact.Name, *text, least, fact.Max)
		case "slug":
			p.slug(fact.Name, *text, fact.Max)
		case "names":
			p.names(fact.Name, *text, fact.Max)
		case "focus":
			if _, _, ok := story.Focus(*text); *text != "" && !ok {
				p.add(fact.Name, "must be two numbers from 0 to 100, as in 30 70")
			}
		case "picture":
			if *text != "" {
				p.image(fact.Name, *text)
			}
		default:
			panic(fmt.Sprintf("blog: a fact of the kind %q", fact.Kind))
		}
	}
}

// Authors are all who wrote the post, the first first.
func (f *Facts) Authors() []string {
	var all []string
	for _, name := range append([]string{f.Author}, splitNames(f.CoAuthors)...) {
		if name != "" && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// splitNames reads names that are divided by commas of any script.
func splitNames(text string) []string {
	var names []string
	for _, name := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(NameDividers, r) }) {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// NameDividers are the commas that divide names.
const NameDividers = ",、，"

// Limits of names, in number and in characters, and of a series' name.
const (
	MaxCoAuthors  = 7
	MaxAuthorName = 50
	MaxSeries     = 100
)

func (p *problems) names(field, text string, most int) {
	p.line(field, text, 0, most)
	names := splitNames(text)
	if len(names) > MaxCoAuthors {
		p.add(field, "are %d names; at most %d are allowed", len(names), MaxCoAuthors)
	}
	for _, name := range names {
		if n := utf8.RuneCountInString(name); n > MaxAuthorName {
			p.add(field, "have a name of %d characters; at most %d are allowed", n, MaxAuthorName)
		}
	}
}
