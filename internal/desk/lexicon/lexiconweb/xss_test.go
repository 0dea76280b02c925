package lexiconweb_test

import (
	"net/url"
	"strings"
	"testing"

	"pressroom/internal/auth"
	"pressroom/internal/web/webtest"
)

// corpus are texts that want to be more than texts. Those without a tag get past
// the desk's own checks.
var corpus = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `" autofocus onfocus="alert(1)`,
	`javascript:alert(1)`, `</textarea><svg onload=alert(1)>`, `{{.Data}}`, `<a href="javascript:alert(1)">x</a>`, `-->x<!--`,
	`&lt;script&gt;`, `\u003cscript\u003e`, "x\u202Ey", `https://example.org/" onclick="alert(1)`,
}

// harmless fails if anything on a page is more than a text.
func harmless(t *testing.T, what string, r *webtest.Reply) {
	t.Helper()
	if r.StatusCode >= 500 {
		t.Errorf("%s answers %d", what, r.StatusCode)
	}
	for _, bad := range []string{"script:not([src]):not([type='application/ld+json'])", "main img", "main svg", "[onerror]", "[onload]", "[onfocus]", "[onclick]", "[onmouseover]", `[href^="javascript"]`} {
		if n := r.Count(bad); n != 0 {
			t.Errorf("%s has %d %s", what, n, bad)
		}
	}
}

func TestHostileTexts(t *testing.T) {
	p := open(t)
	p.premium(id(auth.Moderator))
	s := p.propose(id(auth.Reader), "zorp")
	review := "/lexicon/moderation/" + s.ID
	for _, text := range corpus {
		escaped := url.QueryEscape(text)
		for _, path := range []string{
			"/lexicon/terms?q=" + escaped, "/lexicon/propose?term=" + escaped, "/lexicon/translate?text=" + escaped, "/lexicon/write?term=" + escaped,
			"/lexicon/users?name=" + escaped, "/lexicon/users?model=" + escaped, "/lexicon/moderation?state=" + escaped, "/lexicon/users?tier=" + escaped,
			"/lexicon/browse/tag/" + url.PathEscape(text), "/lexicon/trending/" + url.PathEscape(text), "/lexicon/terms/" + url.PathEscape(text),
			"/lexicon/proposals?cursor=" + escaped,
		} {
			harmless(t, path, p.Get(t, auth.Operator, path))
		}
		for path, fields := range map[string]string{
			"/lexicon/propose":                     "slang_term meaning example_usage context",
			review + "/edit":                       "slang_term meaning example_usage context reason",
			review + "/approve":                    "slang_term meaning example_usage context reason categories tags variants regions",
			review + "/undo":                       "reason",
			"/lexicon/translate":                   "text direction language",
			"/lexicon/quiz":                        "difficulty category questions",
			"/lexicon/write":                       "term gloss gloss_en gloss_ja plain_en plain_ja examples variants categories tags regions sources first_attested attestation_note confidence momentum language",
			"/lexicon/proposals/" + s.ID + "/vote": "return",
		} {
			for field := range strings.FieldsSeq(fields) {
				f := form("slang_term", "zorp", "meaning", "m", "example_usage", "e", "text", "rizz", "term", "glorp", "gloss", "g", "confidence", "1", "momentum", "1", "questions", "5")
				f.Set(field, text)
				r := p.Post(t, auth.Moderator, path, f)
				harmless(t, path+" "+field, r)
				if to := r.Header.Get("Location"); to != "" {
					if !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") {
						t.Errorf("%s %s leads to %s", path, field, to)
					}
					harmless(t, to, p.Get(t, auth.Moderator, to))
				}
				if path == "/lexicon/write" && r.StatusCode == 303 {
					harmless(t, "an entry with "+field, p.Get(t, auth.Everyone, "/lexicon/terms/glorp"))
					p.Post(t, auth.Moderator, "/lexicon/terms/glorp/delete", nil)
				}
			}
		}
		harmless(t, "review", p.Get(t, auth.Moderator, review))
		harmless(t, "proposal", p.Get(t, auth.Moderator, "/lexicon/proposals/"+s.ID))
		harmless(t, "home", p.Get(t, auth.Everyone, "/lexicon"))
	}
}
