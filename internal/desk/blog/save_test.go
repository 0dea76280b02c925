package blog_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
	"pressroom/model"
)

// items counts the items of the table by the beginning of their keys. The history of a
// post that is there is looked at in revision_test.go; of one that is gone it counts.
func (r *room) items(t testing.TB) map[string]int {
	t.Helper()
	found := map[string]int{}
	posts, history := map[string]bool{}, map[string][]string{}
	var from model.Raw
	for {
		out, err := r.db.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("blog"), ExclusiveStartKey: from})
		check(t, err, nil)
		for _, item := range out.Items {
			pk, id, _ := strings.Cut(item["pk"].(*types.AttributeValueMemberS).Value, "#")
			sk, _, _ := strings.Cut(item["sk"].(*types.AttributeValueMemberS).Value, "#")
			posts[id] = posts[id] || pk+"/"+sk == "POST/METADATA"
			if pk == "ADDRESS" { // which no other post ever gets
				continue
			}
			if pk == "REVISIONS" {
				history[id] = append(history[id], pk+"/"+sk)
				continue
			}
			found[pk+"/"+sk]++
		}
		if from = out.LastEvaluatedKey; from == nil {
			break
		}
	}
	for id, kinds := range history {
		for _, kind := range kinds {
			if !posts[id] {
				found[kind]++
			}
		}
	}
	return found
}

func TestSizes(t *testing.T) {
	// Around what one transaction takes, and far beyond.
	sizes := []int{0, 1, 40, 50, 51, 52, 53, 54, 55, 99, 100, 101, 2000, 100, 1, 700, 0}
	r := openRoom(t)
	ctx := t.Context()
	p := must(r.Create(ctx, content("Start", 3, "a", "b")))(t)
	for i, n := range sizes {
		c := content(fmt.Sprint("Size", i), n, "a", "c")
		saved := must(r.Save(ctx, p.ID, p.Version, c))(t)
		if saved.Version != p.Version+1 {
			t.Errorf("%d blocks: the version went from %d to %d", n, p.Version, saved.Version)
		}
		got := must(r.Get(ctx, p.ID))(t)
		if diff := cmp.Diff(saved, got); diff != "" {
			t.Fatalf("%d blocks: %s", n, diff)
		}
		want := map[string]int{"POST/METADATA": 1, "POST/STATUS": 1, "POST/TAG": 2, "POST/BLOCK": n, "COUNTED/POST": 1}
		if n == 0 {
			delete(want, "POST/BLOCK")
		}
		if diff := cmp.Diff(want, r.items(t)); diff != "" {
			t.Fatalf("%d blocks leave behind: %s", n, diff)
		}
		p = got
	}
	check(t, r.Delete(ctx, p.ID, p.Version), nil)
	if left := r.items(t); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestDeleteLarge(t *testing.T) {
	r := openRoom(t)
	p := r.publish(t, content("Large", 2000, "a"))
	check(t, r.Delete(t.Context(), p.ID, p.Version), nil)
	if left := r.items(t); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// Blocks of the largest size pass the limits of items, parts and transactions by
// their bytes, not by their number.
func TestHeavyBlocks(t *testing.T) {
	r := openRoom(t)
	c := content("Heavy", 0)
	for range 60 {
		c.Blocks = append(c.Blocks, blog.Block{Type: blog.Code, Layout: blog.Full, Content: strings.Repeat("\"\n", blog.MaxContent/2)})
	}
	p := must(r.Create(t.Context(), c))(t)
	got := must(r.Get(t.Context(), p.ID))(t)
	if !cmp.Equal(p.Blocks, got.Blocks) {
		t.Error("the blocks came back different")
	}
}

// A change of one block of many is written as such, in one transaction.
func TestSmallChangeOfALargePost(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	p := must(r.Create(ctx, content("Large", 500)))(t)
	db := &mortal{DB: r.db, left: 1 << 30}
	c := p.Content
	c.Blocks = slices.Clone(c.Blocks)
	c.Blocks[250].Content = "Another."
	must(r.open(t, db).Save(ctx, p.ID, p.Version, c))(t)
	if n := 1<<30 - db.left; n != 1 {
		t.Errorf("%d writes for one changed block", n)
	}
	if got := must(r.Get(ctx, p.ID))(t); got.Blocks[250].Content != "Another." || len(got.Blocks) != 500 {
		t.Error("the change is not there")
	}
}

var errDied = errors.New("the process died")

// mortal is a store whose client dies before a write: it does that many, and then
// nothing any more.
type mortal struct {
	model.DB
	mu   sync.Mutex
	left int
	dead bool
}

func (m *mortal) write() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left == 0 {
		m.dead = true
	}
	if m.dead {
		return errDied
	}
	m.left--
	return nil
}

func (m *mortal) read() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return errDied
	}
	return nil
}

func (m *mortal) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	if err := m.write(); err != nil {
		return nil, err
	}
	return m.DB.PutItem(ctx, in, o...)
}

func (m *mortal) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	if err := m.write(); err != nil {
		return nil, err
	}
	return m.DB.UpdateItem(ctx, in, o...)
}

func (m *mortal) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	if err := m.write(); err != nil {
		return nil, err
	}
	return m.DB.DeleteItem(ctx, in, o...)
}

func (m *mortal) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	if err := m.write(); err != nil {
		return nil, err
	}
	return m.DB.BatchWriteItem(ctx, in, o...)
}

func (m *mortal) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	if err := m.write(); err != nil {
		return nil, err
	}
	return m.DB.TransactWriteItems(ctx, in, o...)
}

func (m *mortal) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if err := m.read(); err != nil {
		return nil, err
	}
	return m.DB.GetItem(ctx, in, o...)
}

func (m *mortal) Query(ctx context.Context, in *dynamodb.QueryInput, o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if err := m.read(); err != nil {
		return nil, err
	}
	return m.DB.Query(ctx, in, o...)
}

// deaths runs a change with a store that dies before its first write, its second,
// and so on, until it survives; then checks what each left.
func deaths(t *testing.T, change func(d *blog.Desk, p blog.Post) error, after func(t *testing.T, r *room, p blog.Post, died bool)) {
	t.Helper()
	for n := 0; ; n++ {
		r := openRoom(t)
		p := r.publish(t, content("Old", 250, "a", "b"))
		db := &mortal{DB: r.db, left: n}
		// A save that happened and was not finished is no error.
		if err := change(r.open(t, db), p); err != nil && !errors.Is(err, errDied) {
			t.Fatal(err)
		}
		t.Run(fmt.Sprint("write", n), func(t *testing.T) { after(t, r, p, db.dead) })
		if !db.dead {
			if n < 5 {
				t.Errorf("only %d writes", n)
			}
			return
		}
		if n > 200 {
			t.Fatal("it never survives")
		}
	}
}

// whole fails unless the body is one of the two, and returns which.
func whole(t *testing.T, p blog.Post, old, next blog.Content) string {
	t.Helper()
	for _, c := range []blog.Content{old, next} {
		if p.Title == c.Title && cmp.Equal(p.Blocks, c.Blocks) && cmp.Equal(p.Tags, c.Tags) {
			return c.Title
		}
	}
	t.Fatalf("neither old nor new: %q with %d blocks and tags %v", p.Title, len(p.Blocks), p.Tags)
	return ""
}

func TestDeathInSave(t *testing.T) {
	next := content("New", 320, "b", "c")
	deaths(t, func(d *blog.Desk, p blog.Post) error {
		_, err := d.Save(context.Background(), p.ID, p.Version, next)
		return err
	}, func(t *testing.T, r *room, p blog.Post, died bool) {
		ctx := t.Context()
		got := must(r.Get(ctx, p.ID))(t)
		is := whole(t, got, p.Content, next)
		if !died && is != "New" {
			t.Error("a save that survived did not happen")
		}
		// Lists, tags and counts say the same.
		tag := map[string]string{"Old": "a", "New": "c"}[is]
		page := must(r.Public().ByTag(ctx, tag, blog.PageOptions{}))(t)
		if titles(page.Items) != is {
			t.Errorf("the post is %s, the list by tag has %q", is, titles(page.Items))
		}
		if a := must(r.Public().Post(ctx, p.ID))(t); a.Title != is || len(a.Rows) != len(got.Blocks) {
			t.Errorf("readers see %q with %d rows", a.Title, len(a.Rows))
		}
		// The next save works, whatever is left to be finished.
		again := must(r.Save(ctx, p.ID, got.Version, content("Again", 260, "a")))(t)
		if got := must(r.Get(ctx, p.ID))(t); !cmp.Equal(got, again) {
			t.Error(cmp.Diff(again, got))
		}
		r.nothingLeft(t, map[string]int{"POST/METADATA": 1, "POST/STATUS": 1, "POST/TAG": 1, "POST/BLOCK": 260, "COUNT/NAME": 2, "COUNTED/POST": 1})
	})
}

// nothingLeft sweeps and compares what the table then holds.
func (r *room) nothingLeft(t *testing.T, want map[string]int) {
	t.Helper()
	r.clock.Advance(time.Hour)
	must(r.SweepSaves(t.Context(), time.Minute))(t)
	if diff := cmp.Diff(want, r.items(t)); diff != "" {
		t.Errorf("after the sweep: %s", diff)
	}
}

func TestDeathThenSweep(t *testing.T) {
	next := content("New", 320, "b", "c")
	deaths(t, func(d *blog.Desk, p blog.Post) error {
		_, err := d.Save(context.Background(), p.ID, p.Version, next)
		return err
	}, func(t *testing.T, r *room, p blog.Post, _ bool) {
		is := whole(t, must(r.Get(t.Context(), p.ID))(t), p.Content, next)
		n := map[string]int{"Old": 250, "New": 320}[is]
		r.nothingLeft(t, map[string]int{"POST/METADATA": 1, "POST/STATUS": 1, "POST/TAG": 2, "POST/BLOCK": n, "COUNT/NAME": 3, "COUNTED/POST": 1})
		whole(t, must(r.Get(t.Context(), p.ID))(t), p.Content, next)
	})
}

func TestDeathInDelete(t *testing.T) {
	deaths(t, func(d *blog.Desk, p blog.Post) error {
		return d.Delete(context.Background(), p.ID, p.Version)
	}, func(t *testing.T, r *room, p blog.Post, died bool) {
		got, err := r.Get(t.Context(), p.ID)
		switch {
		case errors.Is(err, errs.NotFound):
			r.nothingLeft(t, map[string]int{})
		case err != nil || !died:
			t.Fatalf("survived: %v, error: %v", !died, err)
		default:
			whole(t, got, p.Content, p.Content)
			r.nothingLeft(t, map[string]int{"POST/METADATA": 1, "POST/STATUS": 1, "POST/TAG": 2, "POST/BLOCK": 250, "COUNT/NAME": 3, "COUNTED/POST": 1})
		}
	})
}

// A save that the sweep gave up cannot happen afterwards: it is begun again as another
// one, and nothing is left of it.
func TestSweptSaveBeginsAgain(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	p := must(r.Create(ctx, content("Old", 250)))(t)
	db := &hook{DB: r.db}
	db.before = func() {
		r.clock.Advance(time.Hour)
		must(r.SweepSaves(ctx, time.Minute))(t)
	}
	_, err := r.open(t, db).Save(ctx, p.ID, p.Version, content("New", 320))
	check(t, err, nil)
	if got := must(r.Get(ctx, p.ID))(t); got.Title != "New" || len(got.Blocks) != 320 || got.Version != p.Version+1 {
		t.Errorf("got %q with %d blocks, version %d", got.Title, len(got.Blocks), got.Version)
	}
	if left := r.items(t); left["SAVE/PART"] != 0 {
		t.Errorf("left: %v", left)
	}
}

// hook runs something before the first transaction.
type hook struct {
	model.DB
	once   sync.Once
	before func()
}

func (h *hook) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	h.once.Do(h.before)
	return h.DB.TransactWriteItems(ctx, in, o...)
}

// Editors write over each other only if they know what they write over, and
// readers see no mixture of two saves.
func TestConcurrentEditors(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	p := r.publish(t, uniform(0))
	var saves, stales atomic.Int64
	var editors, readers sync.WaitGroup
	done := make(chan struct{})
	for e := range 4 {
		editors.Go(func() {
			for i := range 6 {
				got, err := r.Get(ctx, p.ID)
				if err == nil {
					_, err = r.Save(ctx, p.ID, got.Version, uniform(100*e+i+1))
				}
				switch {
				case err == nil:
					saves.Add(1)
				case errors.Is(err, errs.Stale):
					stales.Add(1)
				default:
					t.Error(err)
				}
			}
		})
	}
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				got, err := r.Get(ctx, p.ID)
				if err != nil {
					t.Error(err)
					return
				}
				if !cmp.Equal(got.Blocks, uniformOf(got.Title).Blocks) {
					t.Errorf("%q has blocks of others", got.Title)
					return
				}
			}
		})
	}
	editors.Wait()
	close(done)
	readers.Wait()
	got := must(r.Get(ctx, p.ID))(t)
	if want := 2 + int(saves.Load()); got.Version != want || saves.Load() == 0 {
		t.Errorf("%d saves and %d refusals; version %d, want %d", saves.Load(), stales.Load(), got.Version, want)
	}
	if left := r.items(t); left["SAVE/PART"] != 0 {
		t.Errorf("left: %v", left)
	}
}

// uniform is content whose size and blocks follow from its number.
func uniform(n int) blog.Content { return content(fmt.Sprint("N", n), 90+n%7*30, "x") }

func uniformOf(title string) blog.Content {
	var n int
	if _, err := fmt.Sscanf(title, "N%d", &n); err != nil {
		panic(err)
	}
	return uniform(n)
}

// Counts are right when many publish at once.
func TestConcurrentCounts(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	r.clock.Advance(0)
	desk := r.open(t, r.db, func(o *blog.Options) { o.OnChange = nil })
	var ids []string
	for i := range 24 {
		ids = append(ids, must(r.Create(ctx, content(fmt.Sprint("P", i), 1, "all", fmt.Sprint("t", i%3))))(t).ID)
	}
	var wg sync.WaitGroup
	for i, id := range ids {
		wg.Go(func() {
			if _, err := desk.Publish(ctx, id, blog.AnyVersion); err != nil {
				t.Error(err)
			}
			if i%4 == 0 {
				if _, err := desk.Archive(ctx, id, blog.AnyVersion); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	want := []blog.Count{{Name: "all", Count: 18}, {Name: "t0", Count: 6}, {Name: "t1", Count: 6}, {Name: "t2", Count: 6}}
	if diff := cmp.Diff(want, must(r.Public().Tags(ctx, blog.PageOptions{}))(t).Items); diff != "" {
		t.Error(diff)
	}
}
