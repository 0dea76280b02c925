package blog_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/internal/desk/blog"
	"pressroom/model"
)

var posts = flag.Int("posts", 500, "how many posts the large blog has")

// TestScale wants the pages that everybody opens to read as little with many posts as
// with a hundred. With very many it also compares the time, of the faster half of
// many reads:
//
//	go test ./internal/desk/blog -run Scale -posts 100000 -timeout 30m
func TestScale(t *testing.T) {
	few, many := scaled(t, 100), scaled(t, *posts)
	for name, read := range map[string]func(d *blog.Desk) error{
		"first page": func(d *blog.Desk) error { return second(d.Public().Latest(t.Context(), blog.PageOptions{})) },
		"tag page":   func(d *blog.Desk) error { return second(d.Public().ByTag(t.Context(), "even", blog.PageOptions{})) },
		"month": func(d *blog.Desk) error {
			return second(d.Public().ByMonth(t.Context(), "2026-11", blog.PageOptions{}))
		},
		"admin list": func(d *blog.Desk) error { return second(d.List(t.Context(), blog.PageOptions{})) },
		"drafts":     func(d *blog.Desk) error { return second(d.ListByStatus(t.Context(), blog.Draft, blog.PageOptions{})) },
		"by tag":     func(d *blog.Desk) error { return second(d.ListByTag(t.Context(), "even", blog.PageOptions{})) },
	} {
		if a, b := items(t, few, read), items(t, many, read); a == 0 || b > a {
			t.Errorf("%s reads %d items with 100 posts, %d with %d", name, a, b, *posts)
		}
		if *posts > 10000 {
			a, b := timed(t, few, read), timed(t, many, read)
			t.Logf("%s: %v with 100 posts, %v with %d (%+.0f %%)", name, a, b, *posts, 100*(float64(b)/float64(a)-1))
			if float64(b) > 1.5*float64(a) {
				t.Errorf("%s: %v with 100 posts, %v with %d", name, a, b, *posts)
			}
		}
	}
}

// items is how many items a desk that knows nothing yet gets from its store for a
// read.
func items(t *testing.T, r *room, read func(*blog.Desk) error) int {
	t.Helper()
	db := &counted{DB: r.db}
	check(t, read(r.open(t, db)), nil)
	return int(db.items.Load())
}

// counted is a store that counts the items that it gives out.
type counted struct {
	model.DB
	items atomic.Int64
}

func (c *counted) Query(ctx context.Context, in *dynamodb.QueryInput, o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	out, err := c.DB.Query(ctx, in, o...)
	if err == nil {
		c.items.Add(int64(out.ScannedCount))
	}
	return out, err
}

func (c *counted) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	c.items.Add(1)
	return c.DB.GetItem(ctx, in, o...)
}

func (c *counted) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	for _, keys := range in.RequestItems {
		c.items.Add(int64(len(keys.Keys)))
	}
	return c.DB.BatchGetItem(ctx, in, o...)
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
func timed(t *testing.T, r *room, read func(*blog.Desk) error) time.Duration {
	t.Helper()
	var times []time.Duration
	for range 60 {
		begin := time.Now()
		check(t, read(r.Desk), nil)
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
