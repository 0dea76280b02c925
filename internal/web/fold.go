package web

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/internal/thread"
)

// Also is somebody who prints the same report.
type Also struct{ Name, Path string }

// ThreadLink leads to the thread of a story.
type ThreadLink struct {
	Path  string
	Title string
	Lang  string // of the title, if it is not the page's
	Count int    // of its stories
}

// threads are the threads of some stories, as they may be shown now.
type threads map[story.Ref]*thread.View

// around returns the threads of stories. Those that stand alone have none.
func (s *Site) around(ctx context.Context, stories []story.Story) (threads, error) {
	if s.o.Threads == nil || len(stories) == 0 {
		return nil, nil
	}
	refs := make([]story.Ref, len(stories))
	for i := range stories {
		refs[i] = stories[i].Ref
	}
	of, err := s.o.Threads.Of(ctx, refs...)
	if err != nil {
		return nil, err
	}
	var all []*thread.Thread
	for _, ref := range refs {
		if th := of[ref]; th != nil && !slices.Contains(all, th) {
			all = append(all, th)
		}
	}
	views, err := s.o.Threads.Show(ctx, all...)
	out := threads{}
	for _, v := range views {
		for i := range v.Items {
			if len(v.Items) > 1 {
				out[v.Items[i].Ref] = v
			}
		}
	}
	return out, err
}

// printings are the others that print the report of a story.
func (t threads) printings(ref story.Ref) []*thread.Item {
	v := t[ref]
	if v == nil {
		return nil
	}
	first := func(i *thread.Item) story.Ref {
		if i.Of != (story.Ref{}) {
			return i.Of
		}
		return i.Ref
	}
	var own story.Ref
	for i := range v.Items {
		if v.Items[i].Ref == ref {
			own = first(&v.Items[i])
		}
	}
	var out []*thread.Item
	for i := range v.Items {
		if v.Items[i].Ref != ref && first(&v.Items[i]) == own {
			out = append(out, &v.Items[i])
		}
	}
	return out
}

// others are all other stories of the thread of a story.
func (t threads) others(ref story.Ref) []*thread.Item {
	v := t[ref]
	if v == nil {
		return nil
	}
	var out []*thread.Item
	for i := range v.Items {
		if v.Items[i].Ref != ref {
			out = append(out, &v.Items[i])
		}
	}
	return out
}

// on says on a card who else prints it, and which thread it is part of.
func (t threads) on(s *Site, lang string, ref story.Ref, card *Story) {
	v := t[ref]
	if v == nil {
		return
	}
	for _, p := range t.printings(ref) {
		name := p.Source.Name
		if name == "" {
			name = s.nameOf(lang, p.Desk)
		}
		card.Also = append(card.Also, Also{name, p.Path})
	}
	card.Thread = linkOf(lang, v)
}

func linkOf(lang string, v *thread.View) *ThreadLink {
	link := &ThreadLink{Path: ThreadPath(v.ID), Title: v.Name, Lang: v.Lang, Count: len(v.Items)}
	if link.Lang == lang {
		link.Lang = ""
	}
	return link
}

// ThreadPath is where the page of a thread is.
func ThreadPath(id string) string { return "/threads/" + url.PathEscape(id) }

// folding says what takes one place in a list.
type folding func(threads, story.Ref) []*thread.Item

// rounds is how often more stories are read for a page from which some are folded.
const rounds = 4

// foldedStream is a page of the stream in which those that a folding puts together take
// one place: that of the newest of them which the filter lets through, on whatever page it
// is. Those for which skip is true are left out; nil is none.
func (s *Site) foldedStream(ctx context.Context, f streamFilter, cursor string, limit int, fold folding, skip func(story.Ref) bool) (story.Page, threads, error) {
	var out story.Page
	all := threads{}
	out.Next = cursor
	for round := 0; round == 0 || out.Next != "" && len(out.Items) < limit && round < rounds; round++ {
		page, err := s.stream(ctx, f, out.Next, limit-len(out.Items))
		if err != nil {
			return page, nil, err
		}
		around, err := s.around(ctx, page.Items)
		if err != nil {
			return page, nil, err
		}
		for i := range page.Items {
			st := &page.Items[i]
			newer := func(o *thread.Item) bool { return s.passes(f, &o.Story) && later(&o.Story, st) }
			if skip != nil && skip(st.Ref) || slices.ContainsFunc(fold(around, st.Ref), newer) {
				continue
			}
			out.Items = append(out.Items, *st)
			all[st.Ref] = around[st.Ref]
		}
		out.Next = page.Next
	}
	return out, all, nil
}

// passes tells whether a story has a place of its own in the stream.
func (s *Site) passes(f streamFilter, st *story.Story) bool {
	section, ok := s.section(st.Desk)
	if !ok || f.Desk == "" && section.Minor {
		return false
	}
	return (f.Desk == "" || f.Desk == st.Desk) && (f.Language == "" || f.Language == st.Language)
}

// later tells whether one story comes before another in lists.
func later(a, b *story.Story) bool {
	if c := strings.Compare(a.Listed+"#"+a.ID, b.Listed+"#"+b.ID); c != 0 {
		return c > 0
	}
	return a.Desk < b.Desk
}

// threadOf is the thread that a story is part of; nil if it stands alone. Without it the page
// goes out all the same.
func (s *Site) threadOf(ctx context.Context, lang string, ref story.Ref) (*ThreadLink, error) {
	if s.o.Threads == nil {
		return nil, nil
	}
	v, err := s.o.Threads.OfStory(ctx, ref)
	if v == nil || err != nil {
		if errors.Is(err, errs.NotFound) {
			err = nil
		}
		return nil, err
	}
	return linkOf(lang, v), nil
}
