package thread

import (
	"context"
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"unicode"

	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/model"
)

// View is a thread as it may be shown now: made of the cards of its stories as they are.
type View struct {
	ID    string
	Name  string // an editor's, a bill's, or the first story's headline
	Named bool   // by an editor
	Lang  string // of a name that is a headline; "" if it cannot be told
	// Items are the stories, the first one first.
	Items []Item
	// Shared is what at least two of them share, the most telling first.
	Shared []Shared
	Was    []string // ids of threads that became part of it
}

// Item is a story of a thread.
type Item struct {
	story.Story
	// Of is the story whose report it prints; zero if it tells by itself.
	Of story.Ref
	// Shares is what it shares with others, the most telling first.
	Shares []Shared
}

// Report is an item that tells by itself, with the stories that print the same.
type Report struct {
	Item
	Also []story.Story
}

// Reports folds the printings of one report into one.
func (v *View) Reports() []Report {
	var out []Report
	at := map[story.Ref]int{}
	for _, item := range v.Items {
		first := item.Of
		if first == (story.Ref{}) {
			first = item.Ref
		}
		if i, met := at[first]; met {
			out[i].Also = append(out[i].Also, item.Story)
			continue
		}
		at[first] = len(out)
		out = append(out, Report{Item: item})
	}
	return out
}

// Last is when the last story was listed.
func (v *View) Last() string {
	last := ""
	for i := range v.Items {
		last = max(last, v.Items[i].Listed)
	}
	return last
}

// Get returns a thread, or the one that it became part of. One of which no story can be
// seen is errs.NotFound.
func (t *Threads) Get(ctx context.Context, id string) (*View, error) {
	th, err := t.get(ctx, id)
	if err != nil {
		return nil, err
	}
	views, err := t.Show(ctx, th)
	if err != nil {
		return nil, err
	}
	if len(views) == 0 {
		return nil, fmt.Errorf("thread %s: %w", id, errs.NotFound)
	}
	return views[0], nil
}

// OfStory returns the thread of a story; nil if it stands alone, or cannot be seen.
func (t *Threads) OfStory(ctx context.Context, ref story.Ref) (*View, error) {
	of, err := t.Of(ctx, ref)
	if err != nil || of[ref] == nil {
		return nil, err
	}
	views, err := t.Show(ctx, of[ref])
	if err != nil || len(views) == 0 || len(views[0].Items) < 2 || !slices.ContainsFunc(views[0].Items, func(i Item) bool { return i.Ref == ref }) {
		return nil, err
	}
	return views[0], nil
}

// Page is a part of the list of threads.
type Page = model.Page[*View]

// List returns a page of the threads of at least two stories, those with the newest
// stories first, and the cursor of the page that follows. A cursor that it did not write
// is [story.ErrCursor].
func (t *Threads) List(ctx context.Context, after string, limit int) (Page, error) {
	var page Page
	if limit <= 0 {
		limit = story.DefaultLimit
	}
	from, err := base64.RawURLEncoding.DecodeString(after)
	if err != nil {
		return page, fmt.Errorf("list threads: %w", story.ErrCursor)
	}
	var ids []string
	last := ""
	for one, err := range t.latest.All(ctx, nil, model.Window{To: string(from)}) {
		if err != nil {
			return page, fmt.Errorf("list threads: %w", err)
		}
		if after != "" && one.Order >= string(from) {
			continue
		}
		if len(ids) == limit {
			page.Next = base64.RawURLEncoding.EncodeToString([]byte(last))
			break
		}
		ids, last = append(ids, one.ID), one.Order
	}
	found, err := t.byID(ctx, ids)
	if err != nil {
		return page, err
	}
	var threads []*Thread
	for _, id := range ids {
		if th := found[id]; th != nil {
			threads = append(threads, th)
		}
	}
	views, err := t.Show(ctx, threads...)
	for _, v := range views {
		if len(v.Items) > 1 {
			page.Items = append(page.Items, v)
		}
	}
	return page, err
}

// Show reads the cards of the stories of threads as they are now, in one batch. Stories
// that are not to be seen are left out, with what only they said, and threads that have
// none left.
func (t *Threads) Show(ctx context.Context, threads ...*Thread) ([]*View, error) {
	var refs []story.Ref
	for _, th := range threads {
		for i := range th.Stories {
			refs = append(refs, th.Stories[i].ref())
		}
	}
	found, err := t.stories.Get(ctx, refs...)
	if err != nil {
		return nil, err
	}
	cards := map[story.Ref]*story.Story{}
	for i := range found {
		cards[found[i].Ref] = &found[i]
	}
	var views []*View
	for _, th := range threads {
		if v := th.view(cards); len(v.Items) > 0 {
			views = append(views, v)
		}
	}
	return views, nil
}

// view is the thread with the cards that can be seen.
func (t *Thread) view(cards map[story.Ref]*story.Story) *View {
	v := &View{ID: t.ID, Was: t.Was}
	at := map[int]int{} // of items that say what they said, by place in the thread
	for i := range t.Stories {
		m := &t.Stories[i]
		card := cards[m.ref()]
		if card == nil {
			continue
		}
		if m.Mark == markOf(card) {
			at[i] = len(v.Items)
		}
		item := Item{Story: *card}
		if cards[refOf(m.Of)] != nil {
			item.Of = refOf(m.Of)
		}
		v.Items = append(v.Items, item)
	}
	words := v.words()
	for _, s := range t.Shared {
		shown := Shared{Kind: s.Kind, Text: surface(s, words)}
		for _, i := range s.In {
			if j, ok := at[i]; ok {
				shown.In = append(shown.In, j)
			}
		}
		if len(shown.In) < 2 || shown.Text == "" {
			continue
		}
		v.Shared = append(v.Shared, shown)
		for _, j := range shown.In {
			v.Items[j].Shares = append(v.Items[j].Shares, shown)
		}
	}
	v.Name, v.Named = t.Name, t.Name != ""
	if !v.Named && len(v.Items) > 0 {
		v.Name, v.Lang = v.headline()
	}
	return v
}

// billKind is the kind of subject that a bill is.
const billKind = "bill"

// headline names a thread that nobody named: by its bill, if its stories have one, or by the
// headline of the first story that is no entry of a glossary.
func (v *View) headline() (name, lang string) {
	var bills []string
	first := -1
	for i := range v.Items {
		item := &v.Items[i]
		for _, s := range item.Subjects {
			if s.Kind == billKind && !slices.Contains(bills, s.Name) {
				bills, lang = append(bills, s.Name), item.Language
			}
		}
		if first < 0 && item.Kind != "term" {
			first = i
		}
	}
	if len(bills) == 1 {
		return bills[0], lang
	}
	lead := &v.Items[max(first, 0)]
	return lead.Title, lead.Language
}

// words is what the cards of the items say.
func (v *View) words() string {
	var b strings.Builder
	for i := range v.Items {
		item := &v.Items[i]
		b.WriteString(item.Title + "\n" + item.Summary + "\n" + strings.Join(item.People, "\n") + "\n" + strings.Join(item.Topics, "\n") + "\n")
		for _, s := range item.Subjects {
			b.WriteString(s.Name + "\n")
		}
	}
	return normal(b.String())
}

// surface is a term as its stories write it, or with capitals where it cannot be found.
func surface(s Shared, words string) string {
	if !isLatin(s.Text) || s.Kind == Number {
		return s.Text
	}
	if i := strings.Index(strings.ToLower(words), s.Text); i >= 0 && i+len(s.Text) <= len(words) && strings.EqualFold(words[i:i+len(s.Text)], s.Text) {
		return words[i : i+len(s.Text)]
	}
	if s.Kind == Title {
		return s.Text
	}
	return capitals(s.Text)
}

// capitals gives each word a capital.
func capitals(text string) string {
	begins := true
	return strings.Map(func(r rune) rune {
		was := begins
		begins = r == ' ' || r == '-'
		if was {
			return unicode.ToUpper(r)
		}
		return r
	}, text)
}

// markOf stands for what a story says: its card as it is stored, and the digest of its text.
func markOf(st *story.Story) uint32 {
	h := fnv.New32a()
	for _, text := range []string{st.Title, st.Summary, st.Digest} {
		_, _ = h.Write([]byte(text + "\x00")) // never fails
	}
	return h.Sum32()
}
