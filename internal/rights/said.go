package rights

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"pressroom/internal/rights/robots"
)

// Said is one thing that a source says about the use of its pages. What restricts
// nothing by its definition, such as index, is not recorded.
type Said struct {
	Signal Signal `dynamodbav:"signal" json:"signal"`
	Value  string `dynamodbav:"value,omitempty" json:"value,omitempty"` // as it was said, at most 200 bytes
	Where  Where  `dynamodbav:"where" json:"where"`
	// Path is the pattern of the pages that it is about, as in robots.txt; "" for all
	// of the site, or for the page that it stands with.
	Path string `dynamodbav:"path,omitempty" json:"path,omitempty"`
	// Since is when it was first read, RFC 3339.
	Since string `dynamodbav:"since,omitempty" json:"since,omitempty"`
}

// Signal is a way of saying something.
type Signal string

// The signals. What each stops is in decide.go and docs/rights.md.
const (
	Disallow         Signal = "disallow"
	NoIndex          Signal = "noindex"
	NoFollow         Signal = "nofollow" // stops no use: a crawler leaves the page's links alone
	UnavailableAfter Signal = "unavailable_after"
	NoArchive        Signal = "noarchive"
	NoSnippet        Signal = "nosnippet"
	MaxSnippet       Signal = "max-snippet"
	NoAI             Signal = "noai"
	NoImageAI        Signal = "noimageai"
	NoImageIndex     Signal = "noimageindex"
	MaxImagePreview  Signal = "max-image-preview"
	TDM              Signal = "tdm-reservation"
	ContentUsage     Signal = "content-usage"
	ContentSignal    Signal = "content-signal"
	RSL              Signal = "rsl"
)

// Where is where a source says something.
type Where string

// The places.
const (
	InRobots  Where = "robots" // robots.txt
	InHeader  Where = "header" // of the answer
	InMeta    Where = "meta"   // of the page: meta and link elements
	InTDMFile Where = "tdmrep" // /.well-known/tdmrep.json
	InLicence Where = "licence"
	InErasure Where = "erasure" // here: something of it was erased
)

// OfPage reports whether it was said by a page itself, rather than by its site.
func (w Where) OfPage() bool { return w == InHeader || w == InMeta }

// Quote is what was said, about as it was written there.
func (s Said) Quote() string {
	switch s.Signal {
	case Disallow:
		return "Disallow: " + s.Value
	case ContentUsage:
		return "Content-Usage: " + s.Value
	case ContentSignal:
		return "Content-Signal: " + s.Value
	case RSL:
		return "RSL: " + s.Value
	}
	if s.Value == "" {
		return string(s.Signal)
	}
	return string(s.Signal) + ": " + s.Value
}

// Restricts reports whether it stops or limits any use, now or at some time.
func (s Said) Restricts() bool {
	uses, most := s.stops(time.Time{})
	return len(uses) > 0 || most >= 0 || s.Signal == UnavailableAfter
}

// maxValue is how much of a value is recorded, in bytes.
const maxValue = 200

// recorded is a text as it is recorded: in one line and not too long.
func recorded(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if len(text) > maxValue {
		text = strings.ToValidUTF8(text[:maxValue], "")
	}
	return text
}

// Same reports whether two records say the same, whenever they were made.
func (s Said) Same(other Said) bool {
	s.Since, other.Since = "", ""
	return s == other
}

// Renew returns what is said now. What was said before has been in force since then,
// the rest is since now. Nothing is in it twice, and the order is always the same.
func Renew(before, now []Said, since string) (said []Said, changed bool) {
	for _, s := range now {
		s.Since = since
		if i := slices.IndexFunc(before, s.Same); i >= 0 {
			s.Since = before[i].Since
		}
		if !slices.ContainsFunc(said, s.Same) {
			said = append(said, s)
		}
	}
	slices.SortStableFunc(said, func(a, b Said) int {
		return cmp.Or(cmp.Compare(rank(a.Signal), rank(b.Signal)), cmp.Compare(a.Where, b.Where), cmp.Compare(a.Value, b.Value))
	})
	changed = len(said) != len(before)
	for i := range said {
		changed = changed || !said[i].Same(before[i])
	}
	return said, changed
}

// order is the one in which signals are named if several stop the same use.
var order = []Signal{Disallow, NoIndex, UnavailableAfter, NoSnippet, MaxSnippet, NoArchive, NoAI, NoImageAI, NoImageIndex, MaxImagePreview, TDM, ContentUsage, ContentSignal, RSL}

func rank(s Signal) int {
	if i := slices.Index(order, s); i >= 0 {
		return i
	}
	return len(order)
}

// Apply returns what of a site's words is about a page: for each word of a signal
// what the longest pattern that fits says, and all of them if there are several. In
// tdmrep.json the first that fits decides, as its specification wants.
func Apply(said []Said, path string) []Said {
	longest := map[string]int{}
	var fits []Said
	var lengths []int
	for _, s := range said {
		n := 0
		if s.Path != "" {
			var ok bool
			if n, ok = robots.Match(s.Path, path); !ok {
				continue
			}
		}
		id := s.subject()
		if most, ok := longest[id]; !ok || n > most && s.Where != InTDMFile {
			longest[id] = n
		} else if s.Where == InTDMFile {
			continue
		}
		s.Path = ""
		fits, lengths = append(fits, s), append(lengths, n)
	}
	var all []Said
	for i, s := range fits {
		if lengths[i] == longest[s.subject()] {
			all = append(all, s)
		}
	}
	return all
}

// subject is what several lines of one file may say different things about.
func (s Said) subject() string {
	key, _, _ := strings.Cut(s.Value, "=")
	switch s.Signal {
	case ContentUsage, ContentSignal, RSL:
		return string(s.Where) + " " + string(s.Signal) + " " + strings.TrimSpace(key)
	}
	return string(s.Where) + " " + string(s.Signal)
}
