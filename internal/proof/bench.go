package proof

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

//go:embed testdata
var ownSet embed.FS

// Set is the set of true sentences that comes with the program, for [Bench].
func Set() fs.FS {
	sub, err := fs.Sub(ownSet, "testdata")
	if err != nil {
		panic("proof: " + err.Error()) // it is part of the program
	}
	return sub
}

// Sample is one file of a set: a record, and sentences that are true of it.
type Sample struct {
	Lang      string         `json:"lang"`
	Kind      string         `json:"kind"`
	Style     string         `json:"style"` // plain or paraphrase
	Date      string         `json:"date"`
	Meeting   string         `json:"meeting"`
	Passages  []Passage      `json:"passages"`
	Sentences []TrueSentence `json:"sentences"`

	file, group string
}

// TrueSentence is a sentence that the passages it cites support, and lies that somebody made of it.
type TrueSentence struct {
	Text   string `json:"text"`
	Orders []int  `json:"orders"`
	Lies   []Lie  `json:"lies,omitempty"`
}

// Lie is a sentence that is false in one way.
type Lie struct {
	Class  Class  `json:"class"`
	Text   string `json:"text"`
	Orders []int  `json:"orders,omitempty"` // those of the true sentence if empty
}

// Result is what a bench found.
type Result struct {
	True []TrueRate `json:"true"`
	Lies []LieRate  `json:"lies"`
	// Missed lists lies that were taken for true, and Alarms true sentences that were not; neither is counted here
	// unless they were asked for.
	Missed []Finding `json:"missed,omitempty"`
	Alarms []Finding `json:"alarms,omitempty"`
}

// TrueRate is how true sentences of a kind fared.
type TrueRate struct {
	Group        string  `json:"group"` // the folder of the set that they are from; "own" at its top
	Lang         string  `json:"lang"`
	Style        string  `json:"style"`
	Sentences    int     `json:"sentences"`
	Contradicted int     `json:"contradicted"`
	NotFound     int     `json:"not_found"`
	ContraRate   float64 `json:"contradicted_rate"`
	MissRate     float64 `json:"not_found_rate"`
}

// LieRate is how lies of a class fared.
type LieRate struct {
	Group  string  `json:"group"`
	Lang   string  `json:"lang"`
	Class  Class   `json:"class"`
	By     string  `json:"by"` // rule: made by a rule here; hand: by a person
	Lies   int     `json:"lies"`
	Caught int     `json:"caught"`
	Rate   float64 `json:"rate"`
	// OfSupported counts those whose true sentence is found supported: the others are caught without merit.
	OfSupported     int     `json:"of_supported"`
	CaughtSupported int     `json:"caught_of_supported"`
	SupportedRate   float64 `json:"rate_of_supported"`
}

// Finding is a sentence that was judged wrongly.
type Finding struct {
	File   string  `json:"file"`
	Class  Class   `json:"class,omitempty"`
	By     string  `json:"by,omitempty"`
	True   string  `json:"true"`
	Text   string  `json:"text"`
	Orders []int   `json:"orders"`
	Claims []Claim `json:"claims"`
}

// ReadSet reads the samples of a directory: every file that ends in .json. Those of each folder in it are a group.
func ReadSet(dir fs.FS) ([]Sample, error) {
	var all []Sample
	err := fs.WalkDir(dir, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".json") {
			return err
		}
		data, err := fs.ReadFile(dir, path)
		if err != nil {
			return err
		}
		var s Sample
		if err := json.Unmarshal(data, &s); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		s.file, s.group = path, "own"
		if folder, _, ok := strings.Cut(path, "/"); ok {
			s.group = folder
		}
		for _, t := range s.Sentences {
			for _, o := range t.Orders {
				if !slices.ContainsFunc(s.Passages, func(p Passage) bool { return p.Order == o }) {
					return fmt.Errorf("%s: %.60q cites %d, which is no passage", path, t.Text, o)
				}
			}
		}
		all = append(all, s)
		return nil
	})
	return all, err
}

// Bench measures the rules on samples: their true sentences, the lies that come with them, and those that the rules in
// this package make of them. With details, what was judged wrongly is listed.
func Bench(samples []Sample, details bool) Result {
	b := &bench{details: details, trues: map[[3]string]*TrueRate{}, lies: map[[4]string]*LieRate{}}
	for i := range samples {
		b.sample(&samples[i])
	}
	return b.result()
}

type bench struct {
	details bool
	trues   map[[3]string]*TrueRate
	lies    map[[4]string]*LieRate
	out     Result
}

func (b *bench) sample(s *Sample) {
	r := NewRecord(s.Date, s.Meeting, s.Passages)
	style := s.Style
	if style == "" {
		style = "plain"
	}
	key := [3]string{s.group, s.Lang, style}
	if b.trues[key] == nil {
		b.trues[key] = &TrueRate{Group: s.group, Lang: s.Lang, Style: style}
	}
	rate := b.trues[key]
	for _, t := range s.Sentences {
		claims := r.Check(Sentence{Text: t.Text, Orders: t.Orders})
		verdict := Overall(claims)
		rate.Sentences++
		switch verdict {
		case Contradicted:
			rate.Contradicted++
		case NotFound:
			rate.NotFound++
		}
		if verdict != Supported && b.details {
			b.out.Alarms = append(b.out.Alarms, Finding{File: s.file, True: t.Text, Text: t.Text, Orders: t.Orders, Claims: unsupported(claims)})
		}
		for _, lie := range t.Lies {
			b.lie(s, r, t, lie, "hand", verdict)
		}
		for _, lie := range Lies(s, t) {
			b.lie(s, r, t, lie, "rule", verdict)
		}
	}
}

func unsupported(claims []Claim) []Claim {
	return slices.DeleteFunc(slices.Clone(claims), func(c Claim) bool { return c.Verdict == Supported })
}

func (b *bench) lie(s *Sample, r *Record, t TrueSentence, lie Lie, by string, truth Verdict) {
	key := [4]string{s.group, s.Lang, string(lie.Class), by}
	if b.lies[key] == nil {
		b.lies[key] = &LieRate{Group: s.group, Lang: s.Lang, Class: lie.Class, By: by}
	}
	rate := b.lies[key]
	orders := lie.Orders
	if len(orders) == 0 {
		orders = t.Orders
	}
	claims := r.Check(Sentence{Text: lie.Text, Orders: orders})
	caught := Overall(claims) != Supported
	rate.Lies++
	if truth == Supported {
		rate.OfSupported++
	}
	if caught {
		rate.Caught++
		if truth == Supported {
			rate.CaughtSupported++
		}
	} else if b.details {
		b.out.Missed = append(b.out.Missed, Finding{File: s.file, Class: lie.Class, By: by, True: t.Text, Text: lie.Text, Orders: orders, Claims: claims})
	}
}

func (b *bench) result() Result {
	for _, r := range b.trues {
		r.ContraRate, r.MissRate = share(r.Contradicted, r.Sentences), share(r.NotFound, r.Sentences)
		b.out.True = append(b.out.True, *r)
	}
	for _, r := range b.lies {
		r.Rate, r.SupportedRate = share(r.Caught, r.Lies), share(r.CaughtSupported, r.OfSupported)
		b.out.Lies = append(b.out.Lies, *r)
	}
	slices.SortFunc(b.out.True, func(x, y TrueRate) int { return strings.Compare(x.Group+x.Lang+x.Style, y.Group+y.Lang+y.Style) })
	slices.SortFunc(b.out.Lies, func(x, y LieRate) int {
		if c := strings.Compare(x.Group+x.Lang+x.By, y.Group+y.Lang+y.By); c != 0 {
			return c
		}
		return slices.Index(Classes, x.Class) - slices.Index(Classes, y.Class)
	})
	return b.out
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}
