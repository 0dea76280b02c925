package newswire

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/errs"
	"pressroom/internal/rights"
)

// photo is a picture of a size.
func photo(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// album is a host of pictures, which may be another than that of the pages.
type album struct {
	file    []byte
	robots  string
	headers map[string]string
}

func (a *album) serve(w *world) {
	w.host("pictures.example", map[string]any{
		"/robots.txt": func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, a.robots) },
		"/1.png": func(w http.ResponseWriter, _ *http.Request) {
			for name, value := range a.headers {
				w.Header().Set(name, value)
			}
			_, _ = w.Write(a.file)
		},
		"/moved.png": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/1.png", http.StatusFound) },
	})
}

func copies(t *testing.T, d *Desk) []string {
	t.Helper()
	prefix := "pictures/"
	out, err := d.objects.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: &d.bucket.Name, Prefix: &prefix})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, o := range out.Contents {
		all = append(all, *o.Key)
	}
	return all
}

const pictured = `<meta property="og:image" content="http://pictures.example/%s"><meta property="og:image:alt" content="The harbour">`

var free = rights.Basis{Kind: rights.OpenLicence, Licence: "CC-BY-4.0"}

// Pictures are fetched and shown only where page, picture and their hosts let us.
func TestPictures(t *testing.T) {
	large := photo(t, 2000, 1000)
	for name, tt := range map[string]struct {
		basis rights.Basis
		at    string
		meta  string
		album album
		asked int // for the picture
		shown int // copies
	}{
		"quotation":           {at: "1.png"},
		"open licence":        {basis: free, at: "1.png", asked: 1, shown: 3},
		"moved":               {basis: free, at: "moved.png", asked: 1, shown: 3},
		"own permission":      {basis: rights.Basis{Kind: rights.Permission, From: "The Paper", Until: "2027-01-01", Scope: []rights.Use{rights.Picture}}, at: "1.png", asked: 1, shown: 3},
		"another permission":  {basis: rights.Basis{Kind: rights.Permission, From: "The Paper", Until: "2027-01-01", Scope: []rights.Use{rights.Text}}, at: "1.png"},
		"the page forbids":    {basis: free, at: "1.png", meta: `<meta name="robots" content="noimageindex">`},
		"the picture forbids": {basis: free, at: "1.png", album: album{headers: map[string]string{"X-Robots-Tag": "noimageai"}}, asked: 1},
		"its host forbids":    {basis: free, at: "1.png", album: album{robots: "User-agent: *\nDisallow: /"}},
		"no picture":          {basis: free, at: "1.png", album: album{file: []byte("<svg onload='alert(1)'/>")}, asked: 1},
		"too many pixels":     {basis: free, at: "1.png", album: album{file: bomb}, asked: 1},
		"not there":           {basis: free, at: "2.png"},
		"inside the network":  {basis: free, at: "1.png"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w, st := newWorld(t), newStores(t)
				if tt.album.file == nil {
					tt.album.file = large
				}
				tt.album.serve(w)
				meta := fmt.Sprintf(pictured, tt.at) + tt.meta
				if name == "inside the network" {
					meta = `<meta property="og:image" content="http://169.254.169.254/latest">`
				}
				p := &paper{meta: meta}
				p.serve(w, "paper.example", "/news/1")
				d := st.desk(t, w, func(o *Options) { st.telling(t, o) })
				addSite(t, d, "paper", "paper.example", func(s *Site) { s.Basis = tt.basis })
				crawlNow(t, d, "paper")
				a := articlesOf(t, d, "paper")["/news/1"]
				shown, err := d.ReadArticle(t.Context(), a.ArticleID, rights.Readers)
				if err != nil {
					t.Fatal(err)
				}
				heads, err := d.opt.Stories.Get(t.Context(), a.ref())
				if err != nil || len(heads) != 1 {
					t.Fatal(heads, err)
				}
				if n := w.count("pictures.example", "/1.png"); n != tt.asked {
					t.Errorf("the picture was asked for %d times, want %d", n, tt.asked)
				}
				if n := len(copies(t, d)); n != tt.shown {
					t.Errorf("%d copies, want %d", n, tt.shown)
				}
				if path := heads[0].Picture.Path; (path != "") != (tt.shown > 0) || (shown.Picture != nil) != (tt.shown > 0) {
					t.Errorf("the card has %q, the page %+v", path, shown.Picture)
				}
				if tt.shown > 0 {
					c, data, err := d.PictureOf(t.Context(), a.ArticleID, 640, rights.Readers)
					if err != nil || c.Type != "image/jpeg" || c.Height != 320 || len(data) == 0 || shown.Picture.Text != "The harbour" {
						t.Errorf("%+v, %d bytes, %v", c, len(data), err)
					}
				}
				check(t, d)
			})
		})
	}
}

// bomb claims more pixels than anyone can hold.
var bomb = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x01\x86\xa0\x00\x01\x86\xa0\x08\x02\x00\x00\x00\x00\x00\x00\x00")

// A picture goes with the permission, comes with it, changes with the page and is
// erased with the article.
func TestPictureGoes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, st := newWorld(t), newStores(t)
		shots := &album{file: photo(t, 700, 400)}
		shots.serve(w)
		p := &paper{meta: fmt.Sprintf(pictured, "1.png")}
		p.serve(w, "paper.example", "/news/1")
		d := st.desk(t, w, func(o *Options) { o.Recheck = 1000 * time.Hour; st.telling(t, o) })
		addSite(t, d, "paper", "paper.example", func(s *Site) { s.Basis = free })
		visit := func() []string {
			t.Helper()
			st.clock.forward(24 * time.Hour)
			crawlNow(t, d, "paper")
			check(t, d)
			return copies(t, d)
		}
		first := visit()
		if len(first) != 3 {
			t.Fatalf("copies %q", first)
		}
		asked := w.count("pictures.example", "/1.png")
		if again := visit(); strings.Join(again, " ") != strings.Join(first, " ") || w.count("pictures.example", "/1.png") != asked {
			t.Errorf("a known picture was fetched again: %q", again)
		}
		a := articlesOf(t, d, "paper")["/news/1"]
		show := func() error {
			_, _, err := d.PictureOf(t.Context(), a.ArticleID, 640, rights.Readers)
			return err
		}
		if err := show(); err != nil {
			t.Fatal(err)
		}
		// The site takes its leave back: gone within a day, without a crawl.
		p.robots = "User-agent: *\nDisallow: /"
		st.clock.forward(24 * time.Hour)
		if _, _, err := d.ReadSignalsDue(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := show(); errs.KindOf(err) != errs.NotFound {
			t.Errorf("a picture that is not to be shown: %v", err)
		}
		if left := copies(t, d); len(left) != 0 {
			t.Errorf("copies are left: %q", left)
		}
		p.robots = ""
		if back := visit(); len(back) != 3 {
			t.Errorf("it comes back as %q", back)
		}
		gone := func(why string) {
			t.Helper()
			heads, err := d.opt.Stories.Get(t.Context(), a.ref())
			if err != nil || len(heads) != 1 {
				t.Fatal(heads, err)
			}
			if heads[0].Picture.Path != "" {
				t.Errorf("%s: the card shows %s", why, heads[0].Picture.Path)
			}
			if err := show(); errs.KindOf(err) != errs.NotFound {
				t.Errorf("%s: the picture is served: %v", why, err)
			}
			if left := copies(t, d); len(left) != 0 {
				t.Errorf("%s: copies are left: %q", why, left)
			}
		}
		// An operator has it no longer.
		rest := func(basis rights.Basis) {
			t.Helper()
			s, err := d.GetSite(t.Context(), "paper")
			if err != nil {
				t.Fatal(err)
			}
			s.Basis = basis
			if err := d.UpdateSite(t.Context(), &s); err != nil {
				t.Fatal(err)
			}
		}
		rest(rights.Basis{Kind: rights.Quotation})
		gone("quotation only")
		rest(rights.Basis{Kind: rights.Permission, From: "The Paper", Until: st.clock.now().Add(48 * time.Hour).Format(time.DateOnly), Scope: []rights.Use{rights.Picture}})
		if back := visit(); len(back) != 3 {
			t.Errorf("with permission it is %q", back)
		}
		st.clock.forward(48 * time.Hour)
		if _, _, err := d.ReadSignalsDue(t.Context()); err != nil {
			t.Fatal(err)
		}
		gone("permission that has ended")
		rest(free)
		if back := visit(); len(back) != 3 {
			t.Errorf("it comes back as %q", back)
		}
		shots.file, p.meta = photo(t, 500, 400), fmt.Sprintf(pictured, "moved.png")
		if other := visit(); len(other) != 2 || strings.Contains(strings.Join(other, " "), first[0]) {
			t.Errorf("another picture is kept as %q", other)
		}
		p.meta += `<meta name="robots" content="noimageai">`
		if none := visit(); len(none) != 0 {
			t.Errorf("a page that forbids it keeps %q", none)
		}
		p.meta = fmt.Sprintf(pictured, "1.png")
		if len(visit()) == 0 {
			t.Fatal("it does not come back")
		}
		if err := d.take(context.Background(), a.StoryID()); err != nil {
			t.Fatal(err)
		}
		if left := copies(t, d); len(left) != 0 {
			t.Errorf("an erased article leaves %q", left)
		}
	})
}
