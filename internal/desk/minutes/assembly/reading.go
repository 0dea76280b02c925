package assembly

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
)

// Format reads files of one kind. Its methods are called from one goroutine.
type Format interface {
	// Takes tells by its name whether a file may hold something for the format.
	Takes(name string) bool
	// People adds what a file says of people and organisations beyond its own
	// meetings. A file that says nothing of them adds nothing.
	People(f File, into *Register) error
	// Meetings yields the meetings of a file, each when it is whole. After an error
	// there are no more. A meeting without a day gets that of its file's name.
	Meetings(f File) iter.Seq2[*Meeting, error]
}

// Source is a folder of files in one format.
type Source struct {
	Folder fs.FS
	Format Format
	// Files are patterns of names to read, by path.Match on the name's last part;
	// none is all that the format takes. Skip are patterns of those to leave out.
	Files, Skip []string
}

func (s *Source) takes(name string) bool {
	match := func(pattern string) bool {
		ok, _ := path.Match(pattern, path.Base(name))
		return ok
	}
	return s.Format.Takes(name) && (len(s.Files) == 0 || slices.ContainsFunc(s.Files, match)) && !slices.ContainsFunc(s.Skip, match)
}

// Reading reads the sources of an assembly: first everybody, then the meetings.
type Reading struct {
	// ID gives a meeting its id; nil leaves the format's.
	ID       func(*Meeting) string
	Sources  []Source
	Register Register
}

// People reads what all files say of people and organisations. It yields what
// cannot be read, keeps nothing of such a file, and goes on.
func (r *Reading) People(ctx context.Context) iter.Seq[error] {
	return func(yield func(error) bool) {
		for _, s := range r.Sources {
			for f, err := range Files(s.Folder) {
				if ctx.Err() != nil {
					yield(ctx.Err())
					return
				}
				if err == nil && s.Format.Takes(f.Name) {
					var said Register
					if err = s.Format.People(f, &said); err == nil {
						if err = r.Register.merge(&said); err != nil {
							err = &FileError{File: f.Name, Err: err}
						}
					}
				}
				if err != nil && !yield(err) {
					return
				}
			}
		}
	}
}

// Meetings yields the meetings of all sources in the order of their files, with
// names, offices and parties from the register. Neighbouring files whose meetings
// have the same id hold one meeting. A file that cannot be read is an error in the
// place of its meetings; what follows it is read.
func (r *Reading) Meetings(ctx context.Context) iter.Seq2[*Meeting, error] {
	return func(yield func(*Meeting, error) bool) {
		seen := map[string]string{}
		var last *Meeting
		flush := func() bool {
			m := last
			if last = nil; m == nil {
				return true
			}
			if before, ok := seen[m.ID]; ok {
				m.warn("the id %s was also that of %s", m.ID, before)
			} else if len(m.Files) > 0 {
				seen[m.ID] = m.Files[0]
			}
			r.Register.Resolve(m)
			return yield(m, nil)
		}
		for m, err := range r.all(ctx) {
			switch {
			case err != nil:
				if !flush() || !yield(nil, err) {
					return
				}
			case last != nil && last.ID == m.ID:
				if err := last.join(m); err != nil {
					if last = nil; !yield(nil, err) {
						return
					}
				}
			default:
				if !flush() {
					return
				}
				last = m
			}
		}
		flush()
	}
}

// all yields the meetings as the files have them.
func (r *Reading) all(ctx context.Context) iter.Seq2[*Meeting, error] {
	return func(yield func(*Meeting, error) bool) {
		for i := range r.Sources {
			s := &r.Sources[i]
			for f, err := range Files(s.Folder) {
				if ctx.Err() != nil {
					yield(nil, ctx.Err())
					return
				}
				if err != nil {
					if !yield(nil, err) {
						return
					}
					continue
				}
				if !s.takes(f.Name) {
					continue
				}
				for m, err := range s.Format.Meetings(f) {
					if err == nil {
						m.Files = []string{f.Name}
						if m.Date == "" {
							m.Date = dayIn.FindString(f.Name)
						}
						if r.ID != nil {
							m.ID = r.ID(m)
						}
						err = m.check()
					}
					if err != nil {
						m = nil
					}
					if !yield(m, err) {
						return
					}
				}
			}
		}
	}
}

// check refuses a meeting that cannot be kept.
func (m *Meeting) check() error {
	fault := func(format string, args ...any) error {
		return &FileError{File: m.Files[0], Err: fmt.Errorf(format, args...)}
	}
	switch {
	case m.ID == "":
		return fault("the meeting has no id")
	case len(m.ID) > 200:
		return fault("the meeting's id has more than 200 bytes: %.60q", m.ID)
	case !isDay(m.Date):
		return fault("the meeting's date is not a day: %.40q", m.Date)
	}
	return nil
}

// join adds the next part of the same meeting.
func (m *Meeting) join(next *Meeting) error {
	b := Builder{Meeting: *m}
	b.orders = len(m.Speeches())
	size := 0
	for _, of := range []*Meeting{m, next} {
		for _, s := range of.Speeches() {
			for _, p := range s.Paragraphs {
				size += 128 + len(p.Text)
			}
		}
		size += 600 * len(of.Parts)
	}
	if !b.take(size) {
		return &FileError{File: m.Files[0], Err: b.err}
	}
	for _, p := range next.Parts {
		if p.Speech != nil {
			b.orders++
			p.Speech.Order = b.orders
		}
		m.Parts = append(m.Parts, p)
	}
	m.Files = append(m.Files, next.Files...)
	for _, w := range next.Warnings {
		m.warn("%s", w)
	}
	if next.Title != m.Title {
		m.Attrs = m.Attrs.Put(fmt.Sprintf("title.%d", len(m.Files)), next.Title)
	}
	m.Extra = append(m.Extra, next.Extra...)
	return nil
}
