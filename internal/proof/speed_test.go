package proof

import (
	"fmt"
	"strings"
	"testing"
)

// long is a record of about a megabyte, with one speech of a third of it, and an answer that tells every speech of it.
func long(t testing.TB) (day, name string, passages []Passage, a *Answer) {
	samples, err := ReadSet(Set())
	if err != nil {
		t.Fatal(err)
	}
	var speeches []Passage
	for _, s := range samples {
		if s.Lang == "ja" && s.Style == "plain" && s.group == "own" {
			speeches = append(speeches, s.Passages...)
		}
	}
	a = &Answer{Title: "予算委員会で質疑", Description: "予算委員会で質疑を行った。"}
	size, told := 0, 0
	tell := func(p Passage) {
		one := Dialog{Order: p.Order, Speaker: p.Speaker}
		for i, s := range Split("", p.Text, nil) {
			if i%3 > 0 || i == 0 || told >= 300 {
				continue
			}
			told++
			said, err := ReadAnswer(fmt.Appendf(nil, `{"dialogs": [{"summary_sections": [{"bullets": [{"point": %q, "quote": %q}]}]}]}`, strings.TrimSuffix(s.Text, "。")+"と述べた。", s.Text))
			if err != nil {
				t.Fatal(err)
			}
			one.Sections = append(one.Sections, said.Dialogs[0].Sections...)
		}
		a.Dialogs = append(a.Dialogs, one)
	}
	for i := 0; size < 1_000_000; i++ {
		p := speeches[i%len(speeches)]
		p.Order = i + 1
		p.Text = strings.ReplaceAll(p.Text, "。", fmt.Sprintf("（%d）。", i))
		if i == 40 {
			var text strings.Builder
			for j := 0; text.Len() < 300_000; j++ {
				text.WriteString(strings.ReplaceAll(speeches[j%len(speeches)].Text, "。", fmt.Sprintf("（第%d項）。", j)))
			}
			p.Text = text.String()
		}
		size += len(p.Text)
		passages = append(passages, p)
		tell(p)
		if i%25 == 24 {
			cited := Cited{Summary: Split("", p.Text, nil)[0].Text}
			for o := i - 20; o <= i+1; o++ {
				cited.BasedOnOrders = append(cited.BasedOnOrders, o)
			}
			a.MiddleSummary = append(a.MiddleSummary, cited)
			if len(a.KeyPoints) < 10 {
				a.KeyPoints = append(a.KeyPoints, cited.Summary)
			}
		}
	}
	return "2026-04-16", "衆議院予算委員会", passages, a
}

// BenchmarkAnswer proves an answer of three hundred points with their quotes against a record of a megabyte.
func BenchmarkAnswer(b *testing.B) {
	day, name, passages, a := long(b)
	b.ResetTimer()
	for b.Loop() {
		r := NewRecord(day, name, passages)
		claims, err := r.CheckAnswer(b.Context(), a)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(a.Sentences())), "sentences")
		b.ReportMetric(float64(len(claims)), "claims")
	}
}

// BenchmarkRead reads the record alone, on one core.
func BenchmarkRead(b *testing.B) {
	day, name, passages, _ := long(b)
	for b.Loop() {
		r := NewRecord(day, name, passages)
		for _, s := range r.sources {
			s.read()
		}
	}
}
