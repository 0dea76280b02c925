package web

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"pressroom/internal/errs"
)

// streamFilter says which stories of the stream are wanted; zero for all.
type streamFilter struct {
	Desk     string
	Language string
}

// streamPage is a part of the stream.
type streamPage struct {
	Stories []Story
	Desks   []string // of each story
	Next    string   // the cursor of what follows; "" at the end
	Broken  []string // desks that could not be asked
}

// frontTimeout is what one desk may take before the page goes out without it.
const frontTimeout = 3 * time.Second

// maxPulls is how often one desk is asked for one page. A filter that lets little
// through gives a short page and a cursor rather than a slow one.
const maxPulls = 6

// mark is how far a desk's list was shown: up to the story at Path, which is on
// the page that begins at Cursor.
type mark struct {
	Cursor string    `json:"c,omitempty"`
	Path   string    `json:"p,omitempty"`
	Date   time.Time `json:"d,omitzero"`
	Ended  bool      `json:"e,omitempty"`
}

// streamCursor is a place in the stream. The desks' own cursors are sealed by them.
type streamCursor struct {
	Filter streamFilter    `json:"f"`
	Date   time.Time       `json:"d"` // of the last story
	Marks  map[string]mark `json:"m"`
}

func (c streamCursor) seal() (string, error) {
	data, err := json.Marshal(c)
	return base64.RawURLEncoding.EncodeToString(data), err
}

func openStreamCursor(text string, f streamFilter) (streamCursor, error) {
	c := streamCursor{Filter: f, Marks: map[string]mark{}}
	if text == "" {
		return c, nil
	}
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil {
		return c, errs.Wrap(err, errs.Malformed, "The cursor cannot be read. Begin with the first page.")
	}
	if c.Filter != f {
		return c, errs.New(errs.Malformed, "The cursor belongs to another query. Begin with the first page.")
	}
	if c.Marks == nil {
		c.Marks = map[string]mark{}
	}
	return c, nil
}

// puller reads one desk's list, a few stories at a time.
type puller struct {
	section FrontSection
	filter  streamFilter
	lang    string
	limit   int
	since   time.Time // stories after it have no place any more; zero for all

	at    mark    // what was shown
	heads []Story // read and not shown
	ahead string  // the cursor after what was read
	begun bool
	pulls int
	err   error
}

// fill reads on until there is a story to show, or none is left. It reports false
// if it gave up before it knew.
func (p *puller) fill(ctx context.Context) bool {
	for p.err == nil && len(p.heads) == 0 && !p.at.Ended {
		if p.begun {
			if p.ahead == "" {
				p.at = mark{Ended: true}
				return true
			}
			p.at.Cursor, p.at.Path = p.ahead, ""
		}
		if p.pulls == maxPulls {
			p.begun = false // the next page of the stream begins here
			return false
		}
		p.pull(ctx)
	}
	return true
}

// pull reads a page of the list, and leaves out what was shown and what the
// filter does not let through.
func (p *puller) pull(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, frontTimeout)
	defer cancel()
	p.pulls++
	stories, next, err := p.section.Load(ctx, p.lang, p.at.Cursor, p.limit)
	if err != nil {
		p.err = err
		return
	}
	p.begun, p.ahead = true, next
	if shown := slices.IndexFunc(stories, func(s Story) bool { return p.at.Path != "" && s.Path == p.at.Path }); shown >= 0 {
		stories = stories[shown+1:]
	} else if p.at.Path != "" {
		// The last one is gone, or others came before it.
		stories = slices.DeleteFunc(slices.Clone(stories), func(s Story) bool { return s.Date.After(p.at.Date) })
	}
	for _, s := range stories {
		switch {
		case !p.since.IsZero() && s.Date.After(p.since):
		case p.filter.Language != "" && s.language() != p.filter.Language:
		default:
			p.heads = append(p.heads, s)
		}
	}
}

// take returns the first story.
func (p *puller) take() Story {
	s := p.heads[0]
	p.heads = p.heads[1:]
	p.at.Path, p.at.Date = s.Path, s.Date
	return s
}

// stream merges the lists of all desks, the newest first. It reads of each no more
// than the page may need. A desk that fails is named and left out: one desk's
// trouble is not the whole paper's. Only a bad cursor is an error.
func (s *Site) stream(ctx context.Context, lang string, f streamFilter, cursor string, limit int) (streamPage, error) {
	var page streamPage
	at, err := openStreamCursor(cursor, f)
	if err != nil {
		return page, err
	}
	pullers := s.pullers(lang, f, at, limit)
	var wg sync.WaitGroup
	for _, p := range pullers {
		wg.Go(func() { p.fill(ctx) })
	}
	wg.Wait()
	for {
		first, known := newest(ctx, pullers)
		if known && first == nil {
			return s.broken(ctx, page, pullers, cursor)
		}
		if !known || len(page.Stories) == limit {
			break
		}
		page.Stories = append(page.Stories, first.take())
		page.Desks = append(page.Desks, first.section.Desk)
		at.Date = page.Stories[len(page.Stories)-1].Date
	}
	for _, p := range pullers {
		if p.err == nil {
			at.Marks[p.section.Desk] = p.at
		}
	}
	if page.Next, err = at.seal(); err != nil {
		return page, err
	}
	return s.broken(ctx, page, pullers, cursor)
}

// newest returns the desk whose next story is the newest; nil if there is no more.
// It reports false if that cannot be said without more reading than is allowed.
func newest(ctx context.Context, pullers []*puller) (*puller, bool) {
	var first *puller
	for _, p := range pullers {
		if !p.fill(ctx) {
			return nil, false
		}
		if p.err == nil && len(p.heads) > 0 && (first == nil || p.heads[0].Date.After(first.heads[0].Date)) {
			first = p
		}
	}
	return first, true
}

func (s *Site) pullers(lang string, f streamFilter, at streamCursor, limit int) []*puller {
	var all []*puller
	for _, section := range s.front {
		if f.Desk != "" && f.Desk != section.Desk {
			continue
		}
		// What is newer than the last story came after that was shown.
		all = append(all, &puller{section: section, filter: f, lang: lang, limit: limit, at: at.Marks[section.Desk], since: at.Date})
	}
	return all
}

// broken notes the desks that failed. If the cursor is to blame, that is the
// reader's to know.
func (s *Site) broken(ctx context.Context, page streamPage, pullers []*puller, cursor string) (streamPage, error) {
	for _, p := range pullers {
		switch {
		case p.err == nil:
		case cursor != "" && errs.KindOf(p.err) == errs.Malformed:
			return page, p.err
		default:
			s.o.Log.ErrorContext(ctx, "a desk is missing on the front page", "desk", p.section.Desk, "error", p.err)
			page.Broken = append(page.Broken, p.section.Desk)
		}
	}
	return page, nil
}
