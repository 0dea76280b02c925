package page

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

// storyPage is a page as news sites have them: much around a text of 5 KB.
func storyPage() []byte {
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><head><title>Story</title><meta property="og:type" content="article"><meta property="article:published_time" content="2026-11-10T09:00:00Z"></head><body><aside>`)
	for range 120 {
		b.WriteString(`<div class="teaser"><img src="/img/x.jpg" alt=""><h3>Another headline of the day that is not the story</h3><p class="kicker">Section</p></div>`)
	}
	b.WriteString(`</aside><article><h1>Story</h1>`)
	for i := range 30 {
		fmt.Fprintf(&b, "<p>Paragraph %d of the story tells what the council decided about roads, schools, the harbour &amp; the budget of the coming year, and who spoke against it.</p>", i)
	}
	b.WriteString("</article></body></html>")
	return []byte(b.String())
}

func BenchmarkRead(b *testing.B) {
	body := storyPage()
	at, err := url.Parse("https://paper.test/news/1")
	if err != nil {
		b.Fatal(err)
	}
	o := Options{ContentType: "text/html; charset=utf-8", Now: time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC)}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if p := Read(body, at, o); p.Title != "Story" {
			b.Fatal(p.Title)
		}
	}
}

func BenchmarkText(b *testing.B) {
	at, err := url.Parse("https://paper.test/news/1")
	if err != nil {
		b.Fatal(err)
	}
	p := Read(storyPage(), at, Options{ContentType: "text/html; charset=utf-8"})
	b.ReportAllocs()
	for b.Loop() {
		if len(p.Text(false)) < 4000 {
			b.Fatal("too short")
		}
	}
}

func BenchmarkWords(b *testing.B) {
	at, err := url.Parse("https://paper.test/news/1")
	if err != nil {
		b.Fatal(err)
	}
	text := Read(storyPage(), at, Options{ContentType: "text/html; charset=utf-8"}).Text(false)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if Words(text) < 700 {
			b.Fatal("too few")
		}
	}
}
