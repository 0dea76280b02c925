package cli

import (
	"net/http/httptest"
	"strings"
	"testing"

	"pressroom/internal/auth"
)

// What a desk names for operators has words in both languages, which the desk brings.
func TestDesksHaveWords(t *testing.T) {
	set, st := openTestStore(t)
	s, err := openSite(t.Context(), set, false, st, quiet)
	if err != nil {
		t.Fatal(err)
	}
	account, err := s.auth.Add(t.Context(), auth.NewAccount{Name: "op", Password: "correct horse battery", Role: auth.Operator})
	if err != nil {
		t.Fatal(err)
	}
	token, _, err := s.auth.AddToken(t.Context(), account.ID, auth.NewToken{Name: "test", Scopes: []auth.Scope{"admin"}})
	if err != nil {
		t.Fatal(err)
	}
	for lang, words := range map[string][]string{
		"en": {"Minutes: summaries", "Newswire: pages to fetch again", "Lexicon: moderation", "Blog: readers’ messages"},
		"ja": {"議事録：要約", "ニュース：再取得", "用語集：審査", "ブログ：読者の便り"},
	} {
		r := httptest.NewRequest("GET", "/office/operations?lang="+lang, nil)
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		s.mux.ServeHTTP(w, r)
		for _, word := range words {
			if !strings.Contains(w.Body.String(), word) {
				t.Errorf("%s: %q is not on the page (%d)", lang, word, w.Code)
			}
		}
	}
}
