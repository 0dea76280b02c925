package story_test

import (
	"testing"

	"pressroom/internal/story"
)

func TestLanguageOf(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "42": "",
		"予算委員会": "ja", "エモい": "ja", "A crawler with manners と、その理由について": "ja",
		"Footbridge to the island opens in April":                        "en",
		"What エモい means to those who say it, and how it is used today":   "en",
		"Le conseil municipal adopte le budget des routes et des écoles": "",
		"Kawasemi": "",
	} {
		if got := story.LanguageOf(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	if got := story.LanguageOf("rizz", "charm that is noticed by others"); got != "en" {
		t.Errorf("a term with its gloss is %q", got)
	}
}
