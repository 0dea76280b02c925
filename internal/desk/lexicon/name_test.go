package lexicon

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/story"
)

// A term's story carries its name, so that the term and what else it is called lead to its page.
func TestStoryNamesTerm(t *testing.T) {
	term := Term{Slug: "hansoku kin", Term: "反則金", Variants: []string{"青切符"}, Gloss: "軽い違反で納める金。"}
	want := []story.Name{{Kind: story.Term, Name: "反則金", Path: "/lexicon/terms/hansoku%20kin", Aliases: []string{"青切符"}, Note: "軽い違反で納める金。"}}
	if diff := cmp.Diff(want, term.text().Names); diff != "" {
		t.Error(diff)
	}
}
