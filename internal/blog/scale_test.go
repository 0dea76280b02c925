package blog_test

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"pressroom/internal/blog"
)

var posts = flag.Int("posts", 1500, "how many posts the large blog has")

// TestScale wants the pages that everybody opens to be as fast with many posts as
// with a hundred. What is compared is the faster half of many reads, so that a
// busy machine does not decide. In full:
//
//	go test ./internal/blog -run Scale -posts 100000 -timeout 30m
func TestScale(t *testing.T) {
	few, many := scaled(t, 100), scaled(t, *posts)
	for name, read := range map[string]func(r *room) error{
		"first page": func(r *room) error { return second(r.Public().Latest(t.Context(), blog.ListOptions{})) },
		"tag page":   func(r *room) error { return second(r.Public().ByTag(t.Context(), "even", blog.ListOptions{})) },
		"month":      func(r *room) error { return second(r.Public().ByMonth(t.Context(), "2026-11", blog.ListOptions{})) },
		"admin list": func(r *room) error { return second(r.List(t.Context(), blog.ListOptions{})) },
		"drafts":     func(r *room) error { return second(r.ListByStatus(t.Context(), blog.Draft, blog.ListOptions{})) },
		"by tag":     func(r *room) error { return second(r.ListByTag(t.Context(), "even", blog.ListOptions{})) },
	} {
		a, b := timed(t, few, read), timed(t, many, read)
		t.Logf("%s: %v with 100 posts, %v with %d (%+.0f %%)", name, a, b, *posts, 100*(float64(b)/float64(a)-1))
		if *posts > 10000 && float64(b) > 1.5*float64(a) {
			t.Errorf("%s: %v with 100 posts, %v with %d", name, a, b, *posts)
		}
	}
}

// scaled is a blog of n posts, every fourth of them a draft.
func scaled(t *testing.T, n int) *room {
	t.Helper()
	r := openRoom(t, func(o *blog.Options) { o.OnChange = nil })
	for i := range n {
		c := content(fmt.Sprint("Post ", i), 2, []string{"even", "odd"}[i%2], fmt.Sprint("t", i%50))
		p := must(r.Create(t.Context(), c))(t)
		if i%4 != 1 {
			must(r.Publish(t.Context(), p.ID, p.Version))(t)
		}
	}
	return r
}

// timed is the median time of a read.
func timed(t *testing.T, r *room, read func(*room) error) time.Duration {
	t.Helper()
	var times []time.Duration
	for range 60 {
		begin := time.Now()
		check(t, read(r), nil)
		times = append(times, time.Since(begin))
	}
	slices.Sort(times)
	return times[len(times)/4]
}

// BenchmarkOpen opens a post of 2,000 blocks: as an editor, as the first reader
// after a change, and as any other. It should take less than 200 ms.
func BenchmarkOpen(b *testing.B) {
	r := openRoom(b)
	c := content("Large", 0, "a")
	for i := range 2000 {
		block := blog.Block{Type: blog.Text, Content: fmt.Sprintf("## Part %d\n\n%s", i, lorem)}
		if i%10 == 0 {
			block = blog.Block{Type: blog.Code, Content: "func main() {\n\tfmt.Println(\"hello\")\n}\n", Language: "go"}
		}
		c.Blocks = append(c.Blocks, block)
	}
	p := r.publish(b, c)
	b.Run("edit", func(b *testing.B) {
		for b.Loop() {
			must(r.Get(b.Context(), p.ID))(b)
		}
	})
	b.Run("read first", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			fresh := r.open(b, r.db)
			b.StartTimer()
			must(fresh.Public().Post(b.Context(), p.ID))(b)
		}
	})
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			must(r.Public().Post(b.Context(), p.ID))(b)
		}
	})
}

// BenchmarkSave saves a post of 2,000 blocks: one block changed, and all of them.
func BenchmarkSave(b *testing.B) {
	r := openRoom(b)
	p := must(r.Create(b.Context(), content("Large", 2000)))(b)
	n := 0
	b.Run("one block", func(b *testing.B) {
		for b.Loop() {
			n++
			c := p.Content
			c.Blocks = slices.Clone(c.Blocks)
			c.Blocks[1000].Content = fmt.Sprint("Change ", n)
			p = must(r.Save(b.Context(), p.ID, p.Version, c))(b)
		}
	})
	b.Run("all blocks", func(b *testing.B) {
		for b.Loop() {
			n++
			p = must(r.Save(b.Context(), p.ID, p.Version, content(fmt.Sprint("Change ", n), 2000)))(b)
		}
	})
}

const lorem = "Some words of a usual paragraph, with *emphasis*, a [link](https://example.org/page), and `code`; " +
	"then a sentence in Japanese: 吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。 " +
	"And a few more words, so that the block is as long as blocks usually are when people write them."
