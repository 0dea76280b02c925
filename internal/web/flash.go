package web

import (
	"encoding/base64"
	"encoding/json"
	"net/http"

	"pressroom/internal/auth"
)

// Tone is how a message is meant.
type Tone string

// The tones of notices and badges.
const (
	Good Tone = "good"
	Note Tone = "note"
	Warn Tone = "warn"
	Bad  Tone = "bad"
)

const flashCookie = "pressroom_flash"

// flash is a message for the next page. The cookie holds a key and not the words,
// so that nobody can make the site say something of their own.
type flash struct {
	Tone Tone     `json:"t"`
	Key  string   `json:"k"`
	Args []string `json:"a,omitempty"`
}

// FlashText has the words of the message from the page before; "" if there is
// none.
func (v *View) FlashText() string {
	if v.Flash == nil {
		return ""
	}
	args := make([]any, len(v.Flash.Args))
	for i, arg := range v.Flash.Args {
		args[i] = arg
	}
	return v.site.text(v.Lang, v.Flash.Key, args...)
}

// Flash shows a message on the next page that this browser loads; call it before
// Redirect. Args are put in as by T.
func (s *Site) Flash(w http.ResponseWriter, r *http.Request, tone Tone, key string, args ...string) {
	data, err := json.Marshal(flash{tone, key, args})
	if err != nil {
		return // strings always marshal
	}
	http.SetCookie(w, &http.Cookie{
		Name: flashCookie, Value: base64.RawURLEncoding.EncodeToString(data), Path: "/", MaxAge: 60,
		HttpOnly: true, Secure: auth.Secure(r), SameSite: http.SameSiteLaxMode,
	})
}

// takeFlash returns the message, if there is one, and forgets it.
func (s *Site) takeFlash(w http.ResponseWriter, r *http.Request) *flash {
	cookie, err := r.Cookie(flashCookie)
	if err != nil {
		return nil
	}
	http.SetCookie(w, &http.Cookie{Name: flashCookie, Path: "/", MaxAge: -1, HttpOnly: true, Secure: auth.Secure(r), SameSite: http.SameSiteLaxMode})
	data, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil {
		return nil
	}
	var f flash
	if json.Unmarshal(data, &f) != nil {
		return nil
	}
	if _, ok := s.words[Languages[0]][f.Key]; !ok {
		return nil
	}
	switch f.Tone {
	case Good, Note, Warn, Bad:
		return &f
	}
	return nil
}
