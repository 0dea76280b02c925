package transfer

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"

	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
	"pressroom/internal/outbound"
)

// shelf takes the pictures of an import into the library, each once.
type shelf struct {
	im      *Importer
	tree    *tree
	base    *url.URL
	preview bool

	mu   sync.Mutex
	seen map[string]*got // by id
}

// got is what became of a picture.
type got struct {
	once sync.Once
	id   string
	what string // made, same, failed
	why  string
	keep bool // it may be had another time, or by readers, at its address
	err  error
}

var inlineImage = regexp.MustCompile(`!\[((?:[^\]\\]|\\.)*)\]\(\s*<?([^)\s>]+)>?((?:\s+(?:"[^"]*"|'[^']*'))?\s*)\)`)

// eachPicture puts another address in the place of each that blocks have as a picture.
func eachPicture(blocks []blog.Block, fn func(address string) string) {
	for n := range blocks {
		b := &blocks[n]
		switch b.Type {
		case blog.Image:
			b.Content = fn(b.Content)
		case blog.Text, blog.Quote:
			b.Content = inlineImage.ReplaceAllStringFunc(b.Content, func(s string) string {
				m := inlineImage.FindStringSubmatch(s)
				to := fn(m[2])
				if to == m[2] {
					return s
				}
				return "![" + m[1] + "](" + to + m[3] + ")"
			})
		}
	}
}

// take brings the pictures of a post into the library and lets the post show those. It
// reports false if one may still be had another time.
func (s *shelf) take(ctx context.Context, i *Item) (whole bool, err error) {
	whole = true
	g := &i.Given
	alts := map[string]string{}
	for _, b := range g.Blocks {
		if b.Type == blog.Image {
			alts[b.Content] = b.Alt
		}
	}
	find := func(address string) string {
		if err != nil {
			return address
		}
		var f *got
		if f, err = s.get(ctx, address, alts[address]); err != nil {
			return address
		}
		switch {
		case f.what != Failed:
			return "media:" + f.id
		case f.keep:
			i.lose("the picture %s stays at its old address: %s", cutName(address), f.why)
			whole = false
			return address
		}
		i.lose("the picture %s is left out: %s", cutName(address), f.why)
		return ""
	}
	eachPicture(g.Blocks, find)
	if g.Thumbnail != "" && err == nil {
		g.Thumbnail = find(g.Thumbnail)
	}
	var blocks []blog.Block
	for _, b := range g.Blocks {
		if b.Type == blog.Image && b.Content == "" { // its words are all that is left of it
			words := strings.TrimSpace(b.Alt + "\n\n" + b.Caption)
			if words == "" {
				continue
			}
			b = blog.Block{Type: blog.Text, Content: escape(words), Layout: b.Layout}
		}
		if b.Type == blog.Text || b.Type == blog.Quote {
			if b.Content = gonePicture.ReplaceAllString(b.Content, "$1"); strings.TrimSpace(b.Content) == "" {
				continue
			}
		}
		blocks = append(blocks, b)
	}
	g.Blocks = blocks
	if len(blocks) == 0 && g.Status == blog.Published {
		g.Status = blog.Draft
		i.lose("it has no text and stays a draft")
	}
	return whole, err
}

var gonePicture = regexp.MustCompile(`!\[((?:[^\]\\]|\\.)*)\]\(\s*\)`)

// count notes the pictures of a post that is here already.
func (s *shelf) count(ctx context.Context, g *blog.Given) {
	look := func(address string) string {
		id := s.idOf(address)
		if m, err := s.im.Desk.GetMedia(ctx, id); err == nil {
			f := s.slot(id)
			f.once.Do(func() { f.id, f.what = m.ID, Same })
		}
		return address
	}
	eachPicture(g.Blocks, look)
	if g.Thumbnail != "" {
		look(g.Thumbnail)
	}
}

func (s *shelf) slot(id string) *got {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil {
		s.seen = map[string]*got{}
	}
	if s.seen[id] == nil {
		s.seen[id] = &got{id: id}
	}
	return s.seen[id]
}

var ourMedia = regexp.MustCompile(`/media/([0-9A-HJKMNP-TV-Z]{26})\.[a-z]+$|/([0-9A-HJKMNP-TV-Z]{26})/full$`)

// idOf is the id that a picture has in the library, for ever the same.
func (s *shelf) idOf(address string) string {
	if m := ourMedia.FindStringSubmatch(address); m != nil { // an export of Pressroom
		return m[1] + m[2]
	}
	if id, ok := strings.CutPrefix(address, "media:"); ok {
		return id
	}
	site := ""
	if s.base != nil && strings.HasPrefix(address, localScheme) {
		site = s.base.Host
	}
	return ulidOf(time.Time{}, "media/"+site+"/"+original(address))
}

var scaled = regexp.MustCompile(`-\d{2,5}x\d{2,5}(\.[A-Za-z]{3,4})$`)

// original is the address of a picture from which WordPress made one of another size.
func original(address string) string {
	if strings.Contains(address, "/wp-content/") || strings.Contains(address, "/files/") {
		address, _, _ = strings.Cut(address, "?")
		return scaled.ReplaceAllString(address, "$1")
	}
	return address
}

// get takes a picture into the library. An error ends the import; what is wrong with the
// picture is in the answer.
func (s *shelf) get(ctx context.Context, address, alt string) (*got, error) {
	f := s.slot(s.idOf(address))
	f.once.Do(func() { s.fetch(ctx, f, address, alt) })
	return f, f.err
}

func (s *shelf) fetch(ctx context.Context, f *got, address, alt string) {
	f.what = Failed
	if m, err := s.im.Desk.GetMedia(ctx, f.id); err == nil {
		f.what, f.id = Same, m.ID
		return
	} else if !errors.Is(err, errs.NotFound) {
		f.err = err
		return
	}
	data, err := s.open(ctx, address)
	if err == nil && data == nil && s.preview { // an address that is not asked yet
		f.what = Made
		return
	}
	switch {
	case ctx.Err() != nil:
		f.err = ctx.Err()
		return
	case err != nil:
		f.why, f.keep = cutName(err.Error()), retryable(err) && !strings.HasPrefix(address, localScheme) && !strings.HasPrefix(address, "data:")
		if u, err := url.Parse(address); err != nil || u.Host == "" || u.User != nil {
			f.keep = false
		}
		return
	case s.preview:
		f.what = Made
		return
	}
	name := fileName(address)
	if strings.HasPrefix(address, "data:") {
		name = "picture"
	}
	m, err := s.im.Desk.TakeMedia(ctx, f.id, blog.NewMedia{Name: cleanLine(name), Alt: cutAlt(alt)}, data)
	switch {
	case errors.Is(err, errs.Invalid), errors.Is(err, errs.TooLarge):
		f.why = problem(err)
	case err != nil:
		f.err = err
	default:
		f.what, f.id = Made, m.ID
	}
}

func cutAlt(s string) string {
	if r := []rune(clean(s)); len(r) > blog.MaxAlt {
		return string(r[:blog.MaxAlt])
	}
	return clean(s)
}

// lasting is an error that will be the same the next time.
type lasting struct{ error }

func retryable(err error) bool {
	_, final := errors.AsType[lasting](err)
	_, refused := errors.AsType[*outbound.Refused](err)
	return !final && !refused
}

// open reads a picture: from the folder or archive if it is there, otherwise from its
// address. In a preview nothing is asked outside: nil.
func (s *shelf) open(ctx context.Context, address string) ([]byte, error) {
	if rest, ok := strings.CutPrefix(address, "data:"); ok {
		return dataOf(rest)
	}
	if name, ok := strings.CutPrefix(address, localScheme); ok {
		data, err := s.tree.read(name, blog.MaxUpload)
		if err != nil {
			return nil, lasting{err}
		}
		return data, nil
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, lasting{err}
	}
	if data, ok, err := s.beside(u); ok || err != nil {
		return data, err
	}
	if u.Host == "" {
		return nil, lasting{errors.New("it is not in the file, and nobody says at which site it is")}
	}
	if s.im.Client == nil {
		return nil, errors.New("pictures are not fetched")
	}
	if err := s.im.Client.CheckURL(u); err != nil {
		return nil, err
	}
	if s.preview {
		return nil, nil
	}
	return s.download(ctx, original(address), address)
}

// beside finds a picture in the folder or archive by the path of its address.
func (s *shelf) beside(u *url.URL) ([]byte, bool, error) {
	if s.tree.only != "" {
		return nil, false, nil
	}
	p := strings.TrimLeft(path.Clean("/"+u.Path), "/")
	for _, name := range []string{p, strings.TrimPrefix(p, "content/"), strings.TrimPrefix(p, "wp-content/"), path.Join("static", p)} {
		for _, name := range []string{original("/" + name)[1:], name} {
			if !fs.ValidPath(name) || name == "." {
				continue
			}
			data, err := s.tree.read(name, blog.MaxUpload)
			if errors.Is(err, errLarge) {
				return nil, true, lasting{err}
			}
			if err == nil {
				return data, true, nil
			}
		}
	}
	return nil, false, nil
}

func dataOf(rest string) ([]byte, error) {
	kind, data, ok := strings.Cut(rest, ",")
	if !ok || !strings.HasSuffix(kind, ";base64") || len(data) > blog.MaxUpload*4/3+4 {
		return nil, lasting{errors.New("its address cannot be read")}
	}
	picture, err := base64.StdEncoding.DecodeString(strings.TrimSpace(data))
	if err != nil {
		return nil, lasting{err}
	}
	return picture, nil
}

// download fetches the first of some addresses that answers.
func (s *shelf) download(ctx context.Context, addresses ...string) (data []byte, err error) {
	for n, address := range addresses {
		if n > 0 && address == addresses[n-1] {
			break
		}
		if data, err = s.download1(ctx, address); err == nil {
			return data, nil
		}
	}
	return nil, err
}

func (s *shelf) download1(ctx context.Context, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, lasting{err}
	}
	resp, err := s.im.Client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	switch {
	case resp.StatusCode == http.StatusNotFound, resp.StatusCode == http.StatusGone, resp.StatusCode == http.StatusForbidden:
		return nil, lasting{fmt.Errorf("the old site answers %s", resp.Status)}
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the old site answers %s", resp.Status)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, blog.MaxUpload+1))
	if errors.Is(err, outbound.ErrTooLarge) || errors.Is(err, outbound.ErrBomb) || len(data) > blog.MaxUpload {
		return nil, lasting{fmt.Errorf("it is larger than %d MB", blog.MaxUpload>>20)}
	}
	return data, err
}

// counts are how many pictures there are, and what became of them.
func (s *shelf) counts() (all, made, same, failed int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.seen {
		all++
		switch f.what {
		case Made:
			made++
		case Same:
			same++
		default:
			failed++
		}
	}
	return all, made, same, failed
}
