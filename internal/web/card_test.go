package web_test

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pressroom/internal/auth"
	"pressroom/internal/story"
	"pressroom/internal/web/webtest"
)

// Every story has a picture with its title, whatever the title is written in.
func TestCard(t *testing.T) {
	s := webtest.Open(t)
	desk := mount(t, s, "a", 1)
	path := func(id string) string { return "/stories/a/" + id + "/card.png" }
	drawn := map[string]int{}
	for id, title := range map[string]string{
		"en":   "A title of a few words that needs more than one line on the card",
		"ja":   "図書館連携法案を可決　賛成204・反対25",
		"rare": "𠮷野家の𩸽",
		"long": strings.Repeat("とても長い題名、", 60),
		"none": "",
	} {
		desk.Put(t, story.Text{Story: story.Story{Ref: story.Ref{ID: id}, Title: title, Language: "ja"}})
		got := s.Get(t, auth.Everyone, path(id)).Want(http.StatusOK)
		card, err := png.Decode(bytes.NewReader([]byte(got.Body)))
		if err != nil || got.Header.Get("Content-Type") != "image/png" {
			t.Fatalf("%s: a %s, %v", id, got.Header.Get("Content-Type"), err)
		}
		drawn[id] = dark(card)
		if tag := got.Header.Get("ETag"); tag == "" {
			t.Errorf("%s has no tag", id)
		} else {
			again := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path(id), nil)
			again.Header.Set("If-None-Match", tag)
			s.Do(t, auth.Everyone, again).Want(http.StatusNotModified)
		}
	}
	for _, id := range []string{"en", "ja", "rare", "long"} {
		if drawn[id] <= drawn["none"] {
			t.Errorf("nothing of the title %q is drawn", id)
		}
	}
	desk.TakeBack(t, "en")
	for _, id := range []string{"en", "nothing"} {
		s.Get(t, auth.Everyone, path(id)).Want(http.StatusNotFound)
	}
}

// dark counts the dark points where the title is.
func dark(card image.Image) (n int) {
	for y := 20; y < 510; y++ {
		for x := range card.Bounds().Dx() {
			if r, _, _, _ := card.At(x, y).RGBA(); r < 0x8000 {
				n++
			}
		}
	}
	return n
}
