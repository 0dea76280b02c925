package thread

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"pressroom/internal/story"
	"pressroom/internal/story/storytest"
	"pressroom/model"
	"pressroom/model/deploy"
)

// gold returns the stories of the gold set.
func gold(b *testing.B) []Story {
	b.Helper()
	files, err := filepath.Glob("testdata/gold/stories-*.jsonl")
	if err != nil || len(files) == 0 {
		b.Fatal(files, err)
	}
	var all []Story
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
			var s Story
			if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
				b.Fatal(err)
			}
			all = append(all, s)
		}
	}
	return all
}

// What the index keeps of a story in memory.
func BenchmarkMemory(b *testing.B) {
	stories := gold(b)
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		x := NewIndex()
		for i := range stories {
			x.Add(&stories[i])
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(len(stories)), "B/story")
		runtime.KeepAlive(x)
	}
}

// What a story costs from the log into the table, which is in memory.
func BenchmarkFollow(b *testing.B) {
	stories := storytest.Open(b)
	if err := deploy.Apply(b.Context(), deploy.Store{Tables: stories.DB}, nil, Schema); err != nil {
		b.Fatal(err)
	}
	threads, err := New(stories.DB, stories.Stories, nil)
	if err != nil {
		b.Fatal(err)
	}
	desk := stories.Desk("wire")
	f := NewFollower(threads, &desk.Shelf)
	all := gold(b)
	var entries []story.Entry
	for i := range all {
		s := &all[i]
		desk.Put(b, story.Text{Story: story.Story{
			Ref: story.Ref{ID: s.ID}, Title: s.Title, Summary: s.Summary, Language: s.Language, Source: story.Source{Name: s.Source}, Published: model.FormatTime(s.Published), Topics: s.Topics,
		}, Body: s.Text})
		entries = append(entries, story.Entry{Event: story.Event{Ref: story.Ref{Desk: "wire", ID: s.ID}}, Sequence: int64(i + 1)})
	}
	if _, err := threads.counted(b.Context()); err != nil {
		b.Fatal(err)
	}
	took, began := 0, processor()
	for b.Loop() {
		if took%len(entries) == 0 {
			f.index, f.at = NewIndex(), 0
		}
		e := entries[took%len(entries)]
		if err := f.handle(b.Context(), []story.Entry{e}); err != nil {
			b.Fatal(fmt.Errorf("story %d: %w", took, err))
		}
		took++
	}
	b.ReportMetric(float64(processor()-began)/float64(b.N), "cpu-ns/op")
}
