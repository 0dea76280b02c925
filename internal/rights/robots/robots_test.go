package robots

import (
	"strings"
	"testing"
	"time"
)

const sample = "\ufeff# comment\r\n" + `
User-agent: ExampleBot
User-agent: PressroomBot/1.0
Disallow: /private/
Allow: /private/press$
Disallow: /*.pdf$
Disallow: /tie
Allow: /tie
Crawl-delay: 1.5
Sitemap: https://news.example/sitemap.xml
Disallow: /日本
Disallow: /a%3cd.html
Disallow: /search?*q=

User-agent: *
Disallow: /

user-agent: pressroombot
disallow: /second # a second group of the same name counts too
Crawl-delay: nonsense
nonsense
Unknown: line
`

func TestAllowed(t *testing.T) {
	mine := Parse([]byte(sample)).For("PressroomBot")
	for path, want := range map[string]bool{
		"":                        true,
		"/":                       true,
		"/news/1":                 true,
		"/private/x":              false,
		"/private":                true,
		"/private/press":          true,
		"/private/press/":         false,
		"/a/b.pdf":                false,
		"/a/b.pdf?x":              true,
		"/tie/1":                  true, // equally long: allow
		"/second/1":               false,
		"/%E6%97%A5%E6%9C%AC/1":   false,
		"/%e6%97%a5%e6%9c%ac/1":   false,
		"/日本/1":                   false,
		"/a%3Cd.html":             false,
		"/search?page=2&q=x":      false,
		"/search?page=2":          true,
		"/%70rivate/x":            false, // %70 is p
		"/robots.txt":             true,
		"/Private/x":              true, // paths keep case
		"/private/press/../other": false,
	} {
		if got, because := mine.Allowed(path); got != want {
			t.Errorf("%s: %v (%s), want %v", path, got, because, want)
		}
	}
	if mine.Delay != 1500*time.Millisecond {
		t.Errorf("the delay is %v", mine.Delay)
	}
}

func TestGroups(t *testing.T) {
	rules := Parse([]byte(sample))
	if ok, _ := rules.For("Other").Allowed("/news"); ok {
		t.Error("another crawler is not under *")
	}
	if ok, _ := rules.For("PressroomBotX").Allowed("/news"); ok {
		t.Error("a longer name is taken for ours")
	}
	if ok, _ := rules.For("examplebot").Allowed("/second"); !ok {
		t.Error("a group of another name counts")
	}
	if len(rules.Sitemaps) != 1 || rules.Sitemaps[0] != "https://news.example/sitemap.xml" {
		t.Errorf("sitemaps %v", rules.Sitemaps)
	}
	if ok, _ := Parse(nil).For("x").Allowed("/"); !ok {
		t.Error("an empty file forbids")
	}
	if ok, _ := Parse([]byte("Disallow: /")).For("x").Allowed("/"); !ok {
		t.Error("a rule without an agent forbids")
	}
	if ok, _ := Parse([]byte("User-agent: *\nDisallow:")).For("x").Allowed("/"); !ok {
		t.Error("an empty rule forbids")
	}
	if ok, because := DenyAll().For("x").Allowed("/a"); ok || because != "disallow: /" {
		t.Error("DenyAll allows")
	}
	if d := Parse([]byte("User-agent: *\nCrawl-delay: 99999999999")).For("x").Delay; d != 5*time.Minute {
		t.Errorf("an endless delay is %v", d)
	}
}

// A matcher that tried every way to divide a path among many stars would never come
// to an end of this one.
func TestManyStars(t *testing.T) {
	rules := Parse([]byte("User-agent: *\nDisallow: /" + strings.Repeat("*a", 2000) + "$")).For("x")
	for path, want := range map[string]bool{
		"/" + strings.Repeat("a", 4000) + "b": true,
		"/" + strings.Repeat("a", 4000):       false,
		"/" + strings.Repeat("a", 1999):       true,
	} {
		if got, _ := rules.Allowed(path); got != want {
			t.Errorf("%d letters: %v", len(path)-1, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(sample), "/private/x")
	f.Add([]byte("User-agent:*\nDisallow:*%$"), "/%zz")
	f.Fuzz(func(t *testing.T, text []byte, path string) {
		g := Parse(text).For("PressroomBot")
		if ok, _ := g.Allowed("/robots.txt"); !ok {
			t.Error("robots.txt itself is forbidden")
		}
		if n := normal(path); normal(n) != n {
			t.Errorf("%q is normal, and %q after", n, normal(n))
		}
		g.Allowed(path)
	})
}

// What a status means, and which line of a file that is too long counts.
func TestAnswered(t *testing.T) {
	forbids := []byte("User-agent: *\nDisallow: /")
	for status, want := range map[int]bool{200: false, 204: false, 301: true, 400: true, 401: true, 403: true, 404: true, 410: true, 429: false, 500: false, 503: false} {
		rules, err := Answered(status, forbids)
		if ok, _ := rules.For("x").Allowed("/a"); ok != want || (err != nil) != (status == 429 || status >= 500) {
			t.Errorf("status %d: %v, %v", status, ok, err)
		}
	}
	long := func(last string) bool {
		text := "User-agent: *\nDisallow: /\n"
		text += strings.Repeat("#", MaxBytes-len(text)-len("Disallow: /new")-1) + "\n" + last
		ok, _ := Parse([]byte(text)).For("x").Allowed("/news")
		return ok
	}
	if long("   Allow: /news and more") {
		t.Error("a line that allows and is cut off counts")
	}
	text := "User-agent: *\n" + strings.Repeat("#", MaxBytes-14-len("Disallow: /new")-1) + "\nDisallow: /news/letters/"
	if ok, _ := Parse([]byte(text)).For("x").Allowed("/news"); ok {
		t.Error("a line that forbids and is cut off does not count")
	}
}
