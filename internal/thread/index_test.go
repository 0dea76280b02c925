package thread

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var day = time.Date(2026, 9, 12, 6, 0, 0, 0, time.UTC)

func flood(id, source, text string) *Story {
	return &Story{ID: id, Desk: "newswire", Source: source, Language: "en", Published: day, Title: "Two missing as River Wend floods Harrowmere", Text: text}
}

const report = "Two people are missing after the River Wend burst its banks in Harrowmere on Friday night. The water rose by 3.4 metres in an hour. Mayor Ada Finch asked people to stay indoors."

// others are stories that have nothing to do with any, so that it shows which words are rare.
func others(x *Index, n int) {
	words := strings.Fields("council market bridge school harbour garden winter engine letter window orchard station museum concert ferry bakery chapel meadow castle forest")
	r := rand.New(rand.NewPCG(1, 1))
	for i := range n {
		var text []string
		for range 12 {
			text = append(text, words[r.IntN(len(words))])
		}
		x.Add(&Story{ID: "other" + strconv.Itoa(i), Desk: "newswire", Source: "Elsewhere " + strconv.Itoa(i), Language: "en", Published: day.AddDate(0, 0, -i), Title: text[0] + strconv.Itoa(i), Text: strings.Join(text, " ") + ".", Summary: text[1]})
	}
}

func threadOf(x *Index, id string) []string {
	for _, t := range x.Threads() {
		if slices.Contains(t, id) {
			return t
		}
	}
	return nil
}

func TestPrintings(t *testing.T) {
	for _, c := range []struct {
		name, other string
		want        bool
	}{
		{"word for word", report, true},
		{"cut", "Two people are missing after the River Wend burst its banks in Harrowmere on Friday night. The water rose by 3.4 metres in an hour.", true},
		{"another order and a local line", "The water rose by 3.4 metres in an hour. Two people are missing after the River Wend burst its banks in Harrowmere late on Friday. Mayor Ada Finch asked people to stay indoors. Fenwick sent two boats.", true},
		{"another toll", strings.Replace(report, "Two people are missing", "Four people are dead", 1), false},
		{"another figure", strings.Replace(report, "3.4 metres", "4.3 metres", 1), false},
		{"another day", strings.Replace(report, "Friday", "Wednesday", 1), false},
		{"another reporter", "Boats carried families out of Rope Lane in Harrowmere after the Wend came over its wall. Ada Finch, the mayor, said that two people had not been found.", false},
	} {
		x := NewIndex()
		others(x, 40)
		x.Add(flood("a", "Meridian Wire", report))
		x.Add(flood("b", "Northmoor Post", c.other))
		if got := len(x.Printings([]string{"a", "b"})) == 1; got != c.want {
			t.Errorf("%s: one report: %v, want %v", c.name, got, c.want)
		}
		if got := threadOf(x, "a"); !cmp.Equal(got, []string{"a", "b"}) {
			t.Errorf("%s: the thread is %v", c.name, got)
		}
	}
}

func TestRemove(t *testing.T) {
	x := NewIndex()
	others(x, 40)
	before := x.Threads()
	x.Add(flood("a", "Meridian Wire", report))
	x.Add(flood("b", "Northmoor Post", report))
	x.Join("a", "other1")
	x.Join("a", "other2")
	x.Remove("a")
	if got := threadOf(x, "other1"); !cmp.Equal(got, []string{"other1"}) {
		t.Errorf("after what held them together was removed, other1 is with %v", got)
	}
	if got := threadOf(x, "b"); !cmp.Equal(got, []string{"b"}) {
		t.Errorf("after a was removed, b is with %v", got)
	}
	x.Remove("b")
	x.Remove("b")
	if diff := cmp.Diff(before, x.Threads()); diff != "" {
		t.Errorf("what was removed left traces:\n%s", diff)
	}
	x.Forget("a", "other1")
	x.Forget("a", "other2")
	x.Add(flood("a", "Meridian Wire", report))
	x.Add(flood("a", "Meridian Wire", "The museum opens."))
	if got := threadOf(x, "a"); !cmp.Equal(got, []string{"a"}) {
		t.Errorf("a story that came twice is in %v", got)
	}
}

func TestEditors(t *testing.T) {
	x := NewIndex()
	others(x, 40)
	x.Add(flood("a", "Meridian Wire", report))
	x.Part("a", "b") // b is not there yet
	x.Add(flood("b", "Northmoor Post", report))
	x.Add(flood("c", "Harrowmere Courier", report))
	if slices.Contains(threadOf(x, "a"), "b") {
		t.Error("a and b were put apart and are together")
	}
	x.Join("other1", "a")
	x.Join("other2", "other1")
	together := func(step string) {
		t.Helper()
		got := threadOf(x, "a")
		if !slices.Contains(got, "other1") || !slices.Contains(got, "other2") || slices.Contains(got, "b") {
			t.Errorf("%s: %v", step, got)
		}
	}
	together("two were joined to a")
	x.Add(flood("d", "The Sund Chronicle", report))
	together("another printing came")
	x.Remove("a")
	x.Add(flood("a", "Meridian Wire", report))
	together("a was withdrawn and published again")
	x.Join("a", "b")
	if !slices.Contains(threadOf(x, "a"), "b") {
		t.Error("an editor thought better of it, and b is still apart")
	}
	x.Forget("other1", "a")
	if slices.Contains(threadOf(x, "a"), "other1") {
		t.Error("what was forgotten is still obeyed")
	}
}

func TestWhy(t *testing.T) {
	x := NewIndex()
	others(x, 40)
	x.Add(flood("a", "Meridian Wire", report))
	x.Add(flood("b", "Northmoor Post", "Ada Finch thanked the boats."))
	why := x.Why("a", "b")
	if !slices.Contains(why, Term{Phrase, "ada finch"}) {
		t.Errorf("they share %v", why)
	}
	if x.Why("a", "nobody") != nil {
		t.Error("nobody shares something")
	}
}

// The words in the stories of this benchmark come as often as words do. How many stories are
// there before says PRESSROOM_THREAD_STORIES; the default is 20,000. They are put there unread, for
// reading a million texts would take most of the time.
func BenchmarkAdd(b *testing.B) {
	stories := 20_000
	if n, err := strconv.Atoi(os.Getenv("PRESSROOM_THREAD_STORIES")); err == nil {
		stories = n
	}
	r := rand.New(rand.NewPCG(1, 1))
	zipf := rand.NewZipf(r, 1.1, 8, 400_000)
	x := NewIndex()
	for i := range stories {
		d := &doc{id: strconv.Itoa(i), desk: "newswire", source: strconv.Itoa(i % 31), published: day.Add(time.Duration(i) * time.Minute)}
		for range 80 {
			word := zipf.Uint64()
			d.terms = append(d.terms, use{x.id(Term{Word, stem("w" + letters(word))}), Word, body})
			if word%5 == 0 {
				d.terms = append(d.terms, use{x.id(Term{Name, "n" + letters(word)}), Name, body})
			}
		}
		slices.SortFunc(d.terms, func(a, b use) int { return int(a.id) - int(b.id) })
		d.terms = slices.Clip(slices.CompactFunc(d.terms, func(a, b use) bool { return a.id == b.id }))
		x.insert(d)
	}
	b.ResetTimer()
	began := processor()
	for next := stories; b.Loop(); next++ {
		var text strings.Builder
		for range 6 {
			for range 13 {
				word := zipf.Uint64()
				text.WriteString(map[bool]string{true: "N", false: "w"}[word%5 == 0] + letters(word) + " ")
			}
			text.WriteString(strconv.Itoa(r.IntN(3000)) + ". ")
		}
		all := text.String()
		x.Add(&Story{
			ID: strconv.Itoa(next), Desk: "newswire", Source: strconv.Itoa(next % 31), Language: "en", Published: day.Add(time.Duration(next) * time.Minute),
			Title: all[:60], Summary: all[:120], Text: all,
		})
	}
	b.ReportMetric(float64(processor()-began)/float64(b.N), "cpu-ns/op")
}

// processor is the time that the processor gave to this process: on a busy machine the clock
// says little.
func processor() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // never fails
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func letters(n uint64) string {
	var out []byte
	for ; n > 0; n /= 26 {
		out = append(out, byte('a'+n%26))
	}
	return string(out)
}
