package minutes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"pressroom/model"
	"pressroom/model/modeltest"
)

// dying is a store whose process dies at a write: that one and all that follow, reads
// too, are not made.
type dying struct {
	model.DB
	left atomic.Int64
}

var errDied = errors.New("the process has died")

func (d *dying) alive(writes int64) error {
	if d.left.Add(-writes) < 0 {
		return errDied
	}
	return nil
}

func (d *dying) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	if err := d.alive(1); err != nil {
		return nil, err
	}
	return d.DB.PutItem(ctx, in, o...)
}

func (d *dying) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	if err := d.alive(1); err != nil {
		return nil, err
	}
	return d.DB.DeleteItem(ctx, in, o...)
}

func (d *dying) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	if err := d.alive(1); err != nil {
		return nil, err
	}
	return d.DB.TransactWriteItems(ctx, in, o...)
}

func (d *dying) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if err := d.alive(0); err != nil {
		return nil, err
	}
	return d.DB.GetItem(ctx, in, o...)
}

func (d *dying) Query(ctx context.Context, in *dynamodb.QueryInput, o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if err := d.alive(0); err != nil {
		return nil, err
	}
	return d.DB.Query(ctx, in, o...)
}

// wide is an article with n persons from the first on.
func wide(title, date string, first, n int) *Article {
	a := &Article{
		Type: "ARTICLE", AssetURL: "s3://politopics-articles/x", ID: "121X", Title: title, Date: date, Month: date[:7], ImageKind: "会議録", Session: 219,
		House: "衆議院", Meeting: "本会議", Categories: []string{"財政"}, Description: "説明", Keywords: []string{"税", title}, Terms: []Term{},
		Issues: []string{"税制改正法案"}, PublishedAt: "2026-11-15T00:00:00.000Z", UpdatedAt: "2026-11-15T00:00:00.000Z",
	}
	for i := range n {
		a.Participants = append(a.Participants, Participant{Name: fmt.Sprintf("議員%d", first+i)})
	}
	return a
}

// seen returns what readers find of an article: for each of the values, the title.
func seen(t *testing.T, d *Desk, of ...*Article) map[string]string {
	t.Helper()
	out := map[string]string{}
	if a, err := d.GetArticle(t.Context(), of[0].ID); err == nil {
		out["article"] = a.Title
	}
	for _, a := range of {
		for _, e := range a.entries() {
			for l, err := range d.listOf(t.Context(), condition{kind: e.Kind, value: e.Value}, model.Window{}) {
				noErr(t, err)
				out[fmt.Sprint(e.Kind, " ", e.Value, " ", l.Date)] = l.Title
			}
		}
	}
	return out
}

func expected(a *Article) map[string]string {
	out := map[string]string{}
	if a == nil {
		return out
	}
	out["article"] = a.Title
	for _, e := range a.entries() {
		out[fmt.Sprint(e.Kind, " ", e.Value, " ", e.Date)] = a.Title
	}
	return out
}

// A save that dies at any of its writes is seen whole or not at all, and afterwards
// there is neither too much nor too little.
func TestSaveDiesAtAnyWrite(t *testing.T) {
	t.Parallel()
	before, after := wide("旧", "2026-11-01", 0, 110), wide("新", "2026-11-02", 95, 105)
	small, smaller := wide("小", "2026-11-01", 0, 5), wide("別", "2026-11-01", 3, 5)
	tests := []struct {
		name      string
		old, next *Article
	}{
		{"new, many", nil, before}, {"new, few", nil, small}, {"many to many, other date", before, after},
		{"many to few", before, small}, {"few to many", small, after}, {"few to few", small, smaller}, {"same date, many", before, wide("新", "2026-11-01", 60, 100)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for writes := int64(0); ; writes++ {
				if dead := dieAt(t, writes, tt.old, tt.next); !dead {
					if writes < 1 {
						t.Error("nothing was written")
					}
					return
				}
			}
		})
	}
}

func dieAt(t *testing.T, writes int64, old, next *Article) (dead bool) {
	now := newClock()
	d := newDesk(t, nil, Options{Now: now.now})
	noErr(t, d.objects.put(t.Context(), next.AssetURL, Asset{}))
	if old != nil {
		noErr(t, d.save(t.Context(), copied(old), saving{}))
	}
	mortal := &dying{DB: d.db}
	mortal.left.Store(writes)
	d2, err := New(mortal, nil, nil, &Options{Now: now.now})
	noErr(t, err)
	err = d2.save(t.Context(), copied(next), saving{})
	dead = err != nil
	if dead && !errors.Is(err, errDied) {
		t.Fatalf("after %d writes: %v", writes, err)
	}
	all := []*Article{next}
	if old != nil {
		all = append(all, old)
	}
	check := func(when string) {
		t.Helper()
		got := seen(t, d, all...)
		if cmp.Equal(got, expected(next)) || dead && cmp.Equal(got, expected(old)) {
			return
		}
		t.Fatalf("died after %d writes, %s: neither old nor new:\nnew %s\nold %s", writes, when, cmp.Diff(expected(next), got), cmp.Diff(expected(old), got))
	}
	check("before recovery")
	if writes%4 == 0 { // it takes as long as all the rest
		modeltest.WantSound(t, d.Check)
	}
	now.t = now.t.Add(time.Hour)
	_, err = d.Recover(t.Context())
	noErr(t, err)
	check("after recovery")
	a, _ := d.GetArticle(t.Context(), next.ID)
	checkRows(t, d, a)
	// The same save again ends as if nothing had happened.
	noErr(t, d.save(t.Context(), copied(next), saving{}))
	dead2 := dead
	dead = false
	check("saved again")
	a, err = d.GetArticle(t.Context(), next.ID)
	noErr(t, err)
	checkRows(t, d, a)
	return dead2
}

func copied(a *Article) *Article {
	c := *a
	return &c
}

// checkRows holds the article table against the articles: each has exactly its
// index items, and there is nothing else.
func checkRows(t testing.TB, d *Desk, articles ...Article) {
	t.Helper()
	var want, got []string
	for _, a := range articles {
		if a.ID == "" {
			continue
		}
		want = append(want, "A#"+a.ID+" META")
		for _, e := range a.entries() {
			name := map[Kind]string{ByImageKind: "IMAGEKIND"}[e.Kind]
			if name == "" {
				name = upper(string(e.Kind))
			}
			value := strings.NewReplacer("#", "%23", "%23", "%2523", "%25", "%2525").Replace(e.Value)
			want = append(want, fmt.Sprintf("%s#%s Y#%s#M#%s#D#%s#A#%s", name, value, e.Date[:4], e.Date[5:7], e.Date, a.ID))
		}
	}
	for _, item := range rows(t, d) {
		pk, sk := item["PK"].(*types.AttributeValueMemberS).Value, item["SK"].(*types.AttributeValueMemberS).Value
		got = append(got, pk+" "+sk)
		if sk != "META" && (item["saveId"] != nil || item["next"] != nil) {
			t.Errorf("%s %s is not tidied up", pk, sk)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("rows (-want +got):\n%s", diff)
	}
}

func upper(s string) string {
	b := []byte(s)
	for i := range b {
		if b[i] >= 'a' && b[i] <= 'z' {
			b[i] -= 'a' - 'A'
		}
	}
	return string(b)
}

// Saves of one article that meet end with one of them, whole.
func TestSavesThatMeet(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil, Options{SaveAge: time.Millisecond})
	done := make(chan *Article)
	for i := range 4 {
		go func() {
			a := wide(fmt.Sprint("版", i), fmt.Sprintf("2026-11-%02d", i+1), i*40, 150)
			if d.save(t.Context(), a, saving{}) != nil {
				a = nil
			}
			done <- a
		}()
	}
	saved := 0
	for range 4 {
		if a := <-done; a != nil {
			saved++
		}
	}
	time.Sleep(5 * time.Millisecond)
	_, err := d.Recover(t.Context())
	noErr(t, err)
	a, err := d.GetArticle(t.Context(), "121X")
	noErr(t, err)
	if saved == 0 {
		t.Error("none of the saves succeeded")
	}
	checkRows(t, d, a)
}
