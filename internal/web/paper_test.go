package web_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pressroom/internal/auth"
	"pressroom/internal/front"
	"pressroom/internal/web"
	"pressroom/internal/web/webtest"
)

// paperOf is the form of the paper's settings, with what a test changes.
func paperOf(change map[string]string) map[string]string {
	form := map[string]string{"version": "0", "name": "The Harbour Post", "description-en": "News of the harbour.", "description-ja": "港のニュース。", "languages": "ja,en", "zone": "Asia/Tokyo", "accent": "#0b5d3b"}
	for name, value := range change {
		form[name] = value
	}
	return form
}

// savePaper sends the form as a browser does, with a file if there is one.
func savePaper(t *testing.T, s *webtest.Site, form map[string]string, logo []byte) *webtest.Reply {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range form {
		if err := w.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile("logo", "logo.png")
	if err == nil {
		_, err = part.Write(logo)
	}
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/office/paper", &body)
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return s.Do(t, auth.Operator, r)
}

func testLogo(t *testing.T) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 900, 300))
	for i := range img.Pix {
		img.Pix[i] = uint8(i)
	}
	img.Set(0, 0, color.Transparent)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What an operator saves is on the next page, in a process that has kept the page of
// before and in one that did not save it.
func TestPaper(t *testing.T) {
	s := webtest.Open(t)
	other := front.New(&front.Options{PerAddress: front.Rate{PerSecond: -1}})
	if _, err := web.New(other, &web.Options{Stories: s.Stories.Stories, Now: s.Now}); err != nil {
		t.Fatal(err)
	}
	elsewhere := func() string {
		rec := httptest.NewRecorder()
		other.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
		return rec.Body.String()
	}
	for range 2 { // the second one is kept
		if got := s.Get(t, auth.Everyone, "/").Want(200); got.Text(".nameplate") != "Pressroom" || got.Attr("html", "lang") != "en" || !strings.Contains(got.Text(".today"), "15 November") {
			t.Fatalf("before: %q", got.Text("header"))
		}
	}
	if !strings.Contains(elsewhere(), ">Pressroom</a>") {
		t.Fatal("the other process has another name")
	}
	s.Clock(webtest.Now.Add(6 * 3600e9))           // 15:30 UTC is the next day in Tokyo
	s.Get(t, auth.Everyone, "/?lang=en").Want(200) // is kept
	savePaper(t, s, paperOf(nil), testLogo(t)).Want(303)
	got := s.Get(t, auth.Everyone, "/").Want(200)
	if got.Text(".nameplate") != "The Harbour Post" || got.Attr("html", "lang") != "ja" || got.Attr("meta[name=description]", "content") != "港のニュース。" {
		t.Errorf("after: %q, %q", got.Text("header"), got.Attr("meta[name=description]", "content"))
	}
	if name := s.Get(t, auth.Everyone, "/?lang=en").Want(200).Text(".nameplate"); name != "The Harbour Post" {
		t.Errorf("a kept page says %q", name)
	}
	if day := got.Attr(".today time", "datetime"); day != "2026-11-16" {
		t.Errorf("the masthead has %s, want the day in Tokyo", day)
	}
	if body := elsewhere(); !strings.Contains(body, "The Harbour Post") || !strings.Contains(body, `lang="ja"`) {
		t.Error("the other process shows the old name")
	}
	if feed := s.Get(t, auth.Everyone, "/feed.atom?lang=en").Want(200).Body; !strings.Contains(feed, "The Harbour Post") {
		t.Error("the feed has the old name")
	}
	if missing := s.Get(t, auth.Everyone, "/nothing").Want(404); missing.Text(".nameplate") != "The Harbour Post" {
		t.Error("the error page has the old name")
	}
	// The colour, for both themes.
	sheet := s.Get(t, auth.Everyone, got.Attr("link[href^='/paper/accent/']", "href")).Want(200)
	if !strings.Contains(sheet.Body, "light-dark(#0b5d3b, #") || sheet.Header.Get("Content-Type") != "text/css; charset=utf-8" {
		t.Errorf("the style sheet is %q", sheet.Body)
	}
	s.Get(t, auth.Everyone, "/paper/accent/ff0000.css").Want(404)
	// The logo is made anew, small, and is what the page says.
	logo := got.Attr(".nameplate img", "src")
	served := s.Get(t, auth.Everyone, logo).Want(200)
	made, err := png.DecodeConfig(strings.NewReader(served.Body))
	if err != nil || made.Width > 512 || got.Attr(".nameplate img", "width") == "" {
		t.Errorf("the logo is %v, %v", made, err)
	}
	// One language: no choice, and no other page.
	savePaper(t, s, paperOf(map[string]string{"version": "1", "languages": "en", "no-logo": "true", "accent": "#9a1f1a"}), nil).Want(303)
	got = s.Get(t, auth.Everyone, "/?lang=ja").Want(200)
	if got.Attr("html", "lang") != "en" || got.Count("button[name=lang]") != 0 || got.Count("link[hreflang=ja]") != 0 || got.Count(".nameplate img") != 0 || got.Count("link[href^='/paper/accent/']") != 0 {
		t.Errorf("a page in English alone has lang=%s", got.Attr("html", "lang"))
	}
}

func TestPaperRefuses(t *testing.T) {
	s := webtest.Open(t)
	tests := map[string]struct {
		change map[string]string
		logo   string
		field  string
	}{
		"no name":       {map[string]string{"name": "  "}, "", "name"},
		"a long name":   {map[string]string{"name": strings.Repeat("x", 65)}, "", "name"},
		"a zone":        {map[string]string{"zone": "Tokyo"}, "", "zone"},
		"this machine":  {map[string]string{"zone": "Local"}, "", "zone"},
		"a language":    {map[string]string{"languages": "fr"}, "", "languages"},
		"a light shade": {map[string]string{"accent": "#ffcc00"}, "", "accent"},
		"no colour":     {map[string]string{"accent": "#fff;}"}, "", "accent"},
		"a script":      {nil, `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`, "logo"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := savePaper(t, s, paperOf(tt.change), []byte(tt.logo)).Want(422)
			if got.Count("#"+tt.field+"-error, [name="+tt.field+"] ~ .wrong, fieldset .wrong") == 0 && !strings.Contains(got.Text(".notice.bad"), tt.field) {
				t.Errorf("nothing is said of %s: %s", tt.field, got.Text(".notice"))
			}
		})
	}
	if p, err := s.Stories.Paper(t.Context()); err != nil || p.Version != 0 {
		t.Errorf("something was saved: %+v, %v", p, err)
	}
	// Two who edit at once: the second is told.
	savePaper(t, s, paperOf(nil), nil).Want(303)
	savePaper(t, s, paperOf(map[string]string{"name": "Another"}), nil).Want(412)
	if got := s.Get(t, auth.Everyone, "/"); got.Text(".nameplate") != "The Harbour Post" {
		t.Errorf("the name is %q", got.Text(".nameplate"))
	}
}
