package rights

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pressroom/internal/rights/robots"
)

// source is all that a site and a page of it can say, as it looks on the wire.
type source struct {
	robots   string   // robots.txt
	tdm      string   // tdmrep.json
	licence  string   // what robots.txt names
	header   []string // lines
	meta     []string // name=content
	path     string   // of the page; default /news/1
	basis    Basis
	answered int // the status of robots.txt; default 200
}

// agent is the crawler of the tests.
const agent = "PressroomBot"

// heard is what a crawler makes of it, with the parsers that it has.
func (s source) heard() []Said {
	path := s.path
	if path == "" {
		path = "/news/1"
	}
	status := s.answered
	if status == 0 {
		status = 200
	}
	rules, _ := robots.Answered(status, []byte(s.robots))
	group := rules.For(agent)
	said, _ := Robots(group)
	if ok, because := group.Allowed(path); !ok {
		_, pattern, _ := strings.Cut(because, ": ")
		said = append(said, Said{Signal: Disallow, Value: pattern, Where: InRobots})
	}
	if s.tdm != "" {
		said = append(said, TDMFile([]byte(s.tdm))...)
	}
	if s.licence != "" {
		said = append(said, ReadRSL([]byte(s.licence), "paper.example")...)
	}
	said = Apply(said, path)
	h := http.Header{}
	for _, line := range s.header {
		name, value, _ := strings.Cut(line, ": ")
		h.Add(name, value)
	}
	said = append(said, Header(h, agent)...)
	for _, m := range s.meta {
		name, content, _ := strings.Cut(m, "=")
		said = append(said, Meta(name, content, agent)...)
	}
	return said
}

// decided writes a decision in one line: what stops which uses, in the order of the
// uses, without what a quotation never has.
func decided(d Decision) string {
	var reasons []Reason
	uses := map[Reason][]string{}
	for _, u := range Uses() {
		why := d.Why(u)
		if d.May(u) || why.Basis == Quotation || why.Basis == Permission {
			continue
		}
		if !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
		}
		uses[why] = append(uses[why], string(u))
	}
	var parts []string
	for _, r := range reasons {
		list := strings.Join(uses[r], " ")
		list = strings.Replace(list, "keep copy text summarise excerpt search picture agents", "all", 1)
		parts = append(parts, r.String()+" stops "+list)
	}
	if d.Most >= 0 {
		parts = append(parts, fmt.Sprintf("%s shows %d", d.Why(Excerpt), d.Most))
	}
	if d.May(Text) {
		parts = append(parts, string(d.Basis.Kind)+" shows text")
	}
	if d.May(Picture) {
		parts = append(parts, string(d.Basis.Kind)+" shows pictures")
	}
	return strings.Join(parts, "; ")
}

func rsl(inner string) string {
	return `<?xml version="1.0"?><rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>` + inner + `</license></content></rsl>`
}

// Every signal, alone and with others, with the decision that follows. The first
// column is only a name.
func TestDecide(t *testing.T) {
	const everyone = "User-agent: *\n"
	permitted := Basis{Kind: Permission, From: "The Paper", Until: "2026-12-31", Scope: []Use{Text, Summarise}}
	for _, c := range []struct {
		name string
		in   source
		want string
	}{
		{"nothing said", source{}, ""},

		// robots.txt
		{"disallowed", source{robots: everyone + "Disallow: /news/"}, "Disallow: /news/ (robots) stops fetch all"},
		{"disallowed elsewhere", source{robots: everyone + "Disallow: /private/"}, ""},
		{"the longest rule decides", source{robots: everyone + "Disallow: /\nAllow: /news/"}, ""},
		{"between equals allow does", source{robots: everyone + "Disallow: /news/\nAllow: /news/"}, ""},
		{"our own group alone", source{robots: everyone + "Disallow: /\nUser-agent: pressroombot\nAllow: /"}, ""},
		{"our groups together", source{robots: "User-agent: PressroomBot\nAllow: /\n\nUser-agent: PressroomBot\nDisallow: /news"}, "Disallow: /news (robots) stops fetch all"},
		{"another's group", source{robots: "User-agent: GPTBot\nDisallow: /"}, ""},
		{"a byte order mark", source{robots: "\ufeff" + everyone + "Disallow: /"}, "Disallow: / (robots) stops fetch all"},
		{"no file", source{robots: "User-agent: *\nDisallow: /", answered: 404}, ""},
		{"forbidden file", source{robots: "x", answered: 403}, ""},
		{"broken server", source{answered: 503}, "Disallow: / (robots) stops fetch all"},
		{"too many requests", source{answered: 429}, "Disallow: / (robots) stops fetch all"},
		{"a page in its place", source{robots: "<!doctype html><p>Disallow: /"}, ""},
		{"a file that is too long", source{robots: everyone + strings.Repeat("Disallow: /x\n", robots.MaxBytes/13) + "Allow: /\nDisallow: /news"}, ""},

		// X-Robots-Tag and meta robots
		{"noindex", source{meta: []string{"robots=noindex"}}, "noindex (meta) stops all"},
		{"none", source{header: []string{"X-Robots-Tag: none"}}, "noindex (header) stops all"},
		{"all", source{meta: []string{"robots=all"}}, ""},
		{"the usual", source{meta: []string{"robots=index, follow, max-image-preview:large, max-snippet:-1, max-video-preview:-1"}}, ""},
		{"noarchive", source{meta: []string{"robots=noarchive"}}, "noarchive (meta) stops copy text"},
		{"nocache", source{header: []string{"X-Robots-Tag: nocache"}}, "noarchive (header) stops copy text"},
		{"nosnippet", source{meta: []string{"robots=nosnippet"}}, "nosnippet (meta) stops text summarise excerpt agents"},
		{"max-snippet", source{meta: []string{"robots=max-snippet:50"}}, "max-snippet: 50 (meta) shows 50"},
		{"max-snippet of nothing", source{meta: []string{"robots=max-snippet:0"}}, "max-snippet: 0 (meta) stops text summarise excerpt agents"},
		{"max-snippet that is no number", source{meta: []string{"robots=max-snippet:short"}}, "max-snippet: short (meta) stops text summarise excerpt agents"},
		{"the smaller of two", source{meta: []string{"robots=max-snippet:80"}, header: []string{"X-Robots-Tag: max-snippet: 40"}}, "max-snippet: 40 (header) shows 40"},
		{"nosnippet and max-snippet", source{meta: []string{"robots=max-snippet:80, nosnippet"}}, "nosnippet (meta) stops text summarise excerpt agents; nosnippet (meta) shows 80"},
		{"noai", source{meta: []string{"robots=noai, noimageai"}}, "noai (meta) stops summarise agents; noimageai (meta) stops picture"},
		{"noai in a header", source{header: []string{"X-Robots-Tag: noai"}}, "noai (header) stops summarise agents"},
		{"for us by name", source{header: []string{"X-Robots-Tag: PressroomBot: noindex, noarchive"}}, "noindex (header) stops all"},
		{"for another by name", source{header: []string{"X-Robots-Tag: googlebot: noindex, nofollow"}}, ""},
		{"for another, and for all", source{header: []string{"X-Robots-Tag: googlebot: noindex", "X-Robots-Tag: noarchive"}}, "noarchive (header) stops copy text"},
		{"two names in one line", source{header: []string{"X-Robots-Tag: otherbot: none, pressroombot: noai"}}, "noai (header) stops summarise agents"},
		{"a meta for us", source{meta: []string{"PressroomBot=nosnippet"}}, "nosnippet (meta) stops text summarise excerpt agents"},
		{"a meta for another", source{meta: []string{"googlebot=noindex"}}, ""},
		{"available until tomorrow", source{header: []string{"X-Robots-Tag: unavailable_after: Tue, 17 Nov 2026 00:00:00 GMT"}}, ""},
		{"available until yesterday", source{header: []string{"X-Robots-Tag: unavailable_after: Sun, 15 Nov 2026 00:00:00 GMT, noai"}}, "unavailable_after: Sun, 15 Nov 2026 00:00:00 GMT (header) stops all"},
		{"available until an ISO date", source{meta: []string{"robots=unavailable_after: 2026-11-15"}}, "unavailable_after: 2026-11-15 (meta) stops all"},
		{"available until whenever", source{meta: []string{"robots=unavailable_after: soon"}}, "unavailable_after: soon (meta) stops all"},
		{"capitals, hyphens and blanks", source{meta: []string{"robots=NO-INDEX NoFollow"}}, "noindex (meta) stops all"},
		{"semicolons", source{meta: []string{"robots=nofollow; noarchive"}}, "noarchive (meta) stops copy text"},
		{"words that nobody knows", source{meta: []string{"robots=noodp, somethingelse"}}, ""},
		{"no pictures", source{meta: []string{"robots=noimageindex"}, basis: Basis{Kind: PublicDomain}}, "noimageindex (meta) stops picture; public_domain shows text"},
		{"no picture at all", source{meta: []string{"robots=max-image-preview:none"}, basis: Basis{Kind: PublicDomain}}, "max-image-preview: none (meta) stops picture; public_domain shows text"},

		// TDM Reservation Protocol
		{"reserved by the file", source{tdm: `[{"location":"/","tdm-reservation":1}]`}, "tdm-reservation: 1 (tdmrep) stops summarise agents"},
		{"not reserved", source{tdm: `[{"location":"/","tdm-reservation":0}]`}, ""},
		{"reserved elsewhere", source{tdm: `[{"location":"/pictures/*.jpg$","tdm-reservation":1}]`}, ""},
		{"the first that fits", source{tdm: `[{"location":"/news/","tdm-reservation":0},{"location":"/","tdm-reservation":1}]`}, ""},
		{"the first that fits, if it reserves", source{tdm: `[{"location":"/","tdm-reservation":1},{"location":"/news/","tdm-reservation":0}]`}, "tdm-reservation: 1 (tdmrep) stops summarise agents"},
		{"a policy", source{header: []string{"TDM-Reservation: 1", "TDM-Policy: https://paper.example/p.json"}}, "tdm-reservation: 1 https://paper.example/p.json (header) stops summarise agents"},
		{"reserved by a meta", source{meta: []string{"tdm-reservation=1"}}, "tdm-reservation: 1 (meta) stops summarise agents"},
		{"reserved as a string", source{tdm: `[{"location":"/","tdm-reservation":"1"}]`}, "tdm-reservation: 1 (tdmrep) stops summarise agents"},
		{"a value that is none", source{header: []string{"TDM-Reservation: true"}}, "tdm-reservation: 1 (header) stops summarise agents"},
		{"a file that is broken", source{tdm: `[{"location":`}, "tdm-reservation: 1 (tdmrep) stops summarise agents"},
		{"a file of another form", source{tdm: `{"tdm-reservation":0}`}, "tdm-reservation: 1 (tdmrep) stops summarise agents"},
		{"a page in place of the file", source{tdm: `<html>Not found`}, ""},
		{"a page does not take back what its site reserves", source{tdm: `[{"location":"/","tdm-reservation":1}]`, meta: []string{"tdm-reservation=0"}}, "tdm-reservation: 1 (tdmrep) stops summarise agents"},

		// AIPREF
		{"no search", source{header: []string{"Content-Usage: search=n"}}, "Content-Usage: search=n (header) stops search"},
		{"no training", source{header: []string{"Content-Usage: train-ai=n"}}, ""},
		{"both, with parameters", source{header: []string{`Content-Usage: train-ai=n;x="a,b", search=n;why=1.5`}}, "Content-Usage: search=n (header) stops search"},
		{"two lines", source{header: []string{"Content-Usage: train-ai=y", "Content-Usage: search=n"}}, "Content-Usage: search=n (header) stops search"},
		{"in robots.txt", source{robots: everyone + "Content-Usage: search=n"}, "Content-Usage: search=n (robots) stops search"},
		{"the longest path", source{robots: everyone + "Content-Usage: search=n\nContent-Usage: /news/ search=y"}, ""},
		{"the same path twice", source{robots: everyone + "Content-Usage: /news/ search=y\nContent-Usage: /news/ search=n"}, "Content-Usage: search=n (robots) stops search"},
		{"before any group", source{robots: "Content-Usage: search=n\n" + everyone + "Allow: /"}, "Content-Usage: search=n (robots) stops search"},
		{"said twice", source{header: []string{"Content-Usage: search=n, search=y"}}, "Content-Usage: search=n (header) stops search"},
		{"a string for a token", source{header: []string{`Content-Usage: search="y"`}}, "Content-Usage: search=n (header) stops search"},
		{"no dictionary", source{header: []string{"Content-Usage: Search=N"}}, "Content-Usage: Search=N (header) stops summarise search agents"},
		{"a comma too many", source{header: []string{"Content-Usage: search=y,"}}, "Content-Usage: search=y, (header) stops summarise search agents"},
		{"a label of an earlier draft", source{header: []string{"Content-Usage: all=n, ai-use=n"}}, "Content-Usage: all=n (header) stops summarise search agents"},
		{"a label that nobody knows", source{header: []string{"Content-Usage: dream=n"}}, ""},

		// Content Signals
		{"the managed default", source{robots: everyone + "Content-Signal: search=yes,ai-train=no\nAllow: /"}, ""},
		{"no input", source{robots: everyone + "Content-Signal: search=yes, ai-input=no, ai-train=no"}, "Content-Signal: ai-input=no (robots) stops summarise agents"},
		{"no search by signal", source{robots: everyone + "Content-signal: search=no"}, "Content-Signal: search=no (robots) stops search"},
		{"a signal that is neither", source{robots: everyone + "Content-Signal: ai-input=maybe"}, "Content-Signal: ai-input=no (robots) stops summarise agents"},
		{"a signal that cannot be read", source{robots: everyone + "Content-Signal: none of it"}, "Content-Signal: none of it (robots) stops summarise search agents"},
		{"signals of another's group", source{robots: "User-agent: other\nContent-Signal: ai-input=no\n\n" + everyone + "Allow: /"}, ""},
		{"a signal in a header", source{header: []string{"Content-Signal: ai-input=no"}}, "Content-Signal: ai-input=no (header) stops summarise agents"},

		// Really Simple Licensing
		{"no AI", source{licence: rsl(`<prohibits type="usage">ai-all</prohibits>`)}, "RSL: ai-input=no (licence) stops summarise agents"},
		{"nothing at all", source{licence: rsl(`<prohibits type="usage">all</prohibits>`)}, "RSL: all=no (licence) stops all"},
		{"training alone is prohibited", source{licence: rsl(`<prohibits type="usage">ai-train</prohibits>`)}, ""},
		{"search alone is permitted", source{licence: rsl(`<permits type="usage">search</permits>`)}, "RSL: ai-input=no (licence) stops summarise agents"},
		{"for attribution", source{licence: rsl(`<permits type="usage">search ai-input</permits><payment type="attribution"/>`)}, ""},
		{"for money", source{licence: rsl(`<permits type="usage">ai-all search</permits><payment type="subscription"/>`)}, "RSL: ai-input=no (licence) stops summarise agents; RSL: search=no (licence) stops search"},
		{"for some people", source{licence: rsl(`<permits type="usage">all</permits><permits type="user">education</permits>`)}, "RSL: ai-input=no (licence) stops summarise agents; RSL: search=no (licence) stops search"},
		{"a licence that is broken", source{licence: `<rsl><content url="/">`}, "RSL: unread (licence) stops summarise search agents"},
		{"another page's licence", source{licence: strings.Replace(rsl(`<prohibits type="usage">all</prohibits>`), `url="/"`, `url="/shop/"`, 1)}, ""},
		{"another host's licence", source{licence: strings.Replace(rsl(`<prohibits type="usage">all</prohibits>`), `url="/"`, `url="https://other.example/*"`, 1)}, ""},
		{"the licence of the longest path", source{licence: strings.Replace(rsl(`<prohibits type="usage">all</prohibits>`), "</rsl>", `<content url="https://paper.example/news/*"><license><permits type="usage">all</permits></license></content></rsl>`, 1)}, ""},

		// Precedence
		{"the strictest wins, use by use", source{
			robots: everyone + "Content-Signal: search=yes, ai-input=yes", tdm: `[{"location":"/","tdm-reservation":0}]`,
			header: []string{"Content-Usage: search=n", "X-Robots-Tag: noarchive"}, meta: []string{"robots=noai, max-snippet:20"},
		}, "noarchive (header) stops copy text; noai (meta) stops summarise agents; Content-Usage: search=n (header) stops search; max-snippet: 20 (meta) shows 20"},
		{"what may not be fetched is first", source{robots: everyone + "Disallow: /", meta: []string{"robots=noindex, noai"}}, "Disallow: / (robots) stops fetch all"},
		{"a yes takes nothing back", source{robots: everyone + "Content-Signal: ai-input=yes", licence: rsl(`<permits type="usage">all</permits>`), meta: []string{"robots=noai"}}, "noai (meta) stops summarise agents"},

		// Bases
		{"our own, whatever it says", source{basis: Basis{Kind: OwnWork}, meta: []string{"robots=noindex, noai"}}, "own shows text; own shows pictures"},
		{"our own door", source{basis: Basis{Kind: OwnWork}, robots: everyone + "Disallow: /"}, "Disallow: / (robots) stops fetch; own shows text; own shows pictures"},
		{"public domain", source{basis: Basis{Kind: PublicDomain}}, "public_domain shows text; public_domain shows pictures"},
		{"public domain, signals hold", source{basis: Basis{Kind: PublicDomain}, meta: []string{"robots=noai, noarchive"}}, "noarchive (meta) stops copy text; noai (meta) stops summarise agents; public_domain shows pictures"},
		{"an open licence", source{basis: Basis{Kind: OpenLicence, Licence: "CC-BY-SA-4.0"}}, "licence shows text; licence shows pictures"},
		{"an open licence and TDM", source{basis: Basis{Kind: OpenLicence, Licence: "CC-BY-4.0"}, meta: []string{"tdm-reservation=1"}}, "tdm-reservation: 1 (meta) stops summarise agents; licence shows text; licence shows pictures"},
		{"not for money", source{basis: Basis{Kind: OpenLicence, Licence: "CC-BY-NC-4.0"}}, "licence stops text picture"},
		{"a licence that is not known", source{basis: Basis{Kind: OpenLicence, Licence: "Proprietary"}}, ""},
		{"permission for what it says", source{basis: permitted, meta: []string{"robots=noai, nosnippet"}}, "nosnippet (meta) stops excerpt agents; permission shows text"},
		{"a permission does not open the door", source{basis: permitted, robots: everyone + "Disallow: /"}, "Disallow: / (robots) stops fetch copy excerpt search picture agents; permission shows text"},
		{"a permission that has run out", source{basis: Basis{Kind: Permission, From: "The Paper", Until: "2026-11-15", Scope: []Use{Text}}, meta: []string{"robots=noai"}}, "noai (meta) stops summarise agents"},
		{"a permission on its last day", source{basis: Basis{Kind: Permission, From: "The Paper", Until: "2026-11-16", Scope: []Use{Text}}}, "permission shows text"},
		{"a permission with a date that is none", source{basis: Basis{Kind: Permission, From: "The Paper", Until: "always", Scope: []Use{Text}}}, ""},
		{"a basis that nobody knows", source{basis: Basis{Kind: "friendship"}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
			said := c.in.heard()
			if got := decided(Decide(c.in.basis, said, now)); got != c.want {
				t.Errorf("decided\n %s, want\n %s\nsaid %+v", got, c.want, said)
			}
			slices.Reverse(said) // the order in which it is heard makes no difference to what is stopped
			reversed, forward := Decide(c.in.basis, said, now), Decide(c.in.basis, c.in.heard(), now)
			for _, u := range Uses() {
				if reversed.May(u) != forward.May(u) || reversed.Most != forward.Most {
					t.Errorf("%s depends on the order", u)
				}
			}
		})
	}
}
