package web

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
)

// What a browser remembers of its reader's choices.
const (
	langCookie  = "pressroom_lang"
	themeCookie = "pressroom_theme"
	yearSeconds = int(365 * 24 * time.Hour / time.Second)
)

// Themes are the choices of a reader; auto follows the system.
var Themes = []string{"auto", "light", "dark"}

// themeOf returns how pages look for the reader: as chosen before, on the account
// or in the browser.
func themeOf(r *http.Request) string {
	if account := auth.From(r.Context()); account != nil && slices.Contains(Themes, account.Theme) {
		return account.Theme
	}
	cookie, err := r.Cookie(themeCookie)
	if err != nil || !slices.Contains(Themes, cookie.Value) {
		return Themes[0]
	}
	return cookie.Value
}

// savePreference remembers a language or a theme and leads back. It works as a
// plain form; the script sends the same form and shows a theme at once.
func (s *Site) savePreference(w http.ResponseWriter, r *http.Request) error {
	lang, theme := r.PostFormValue("lang"), r.PostFormValue("theme")
	switch {
	case lang != "" && s.look.Load().known(lang) == "":
		return errs.Validation(errs.Field{Name: "lang", Message: "is not a language of this site"})
	case theme != "" && !slices.Contains(Themes, theme):
		return errs.Validation(errs.Field{Name: "theme", Message: "is not light, dark or auto"})
	}
	if lang != "" {
		s.remember(w, r, langCookie, lang)
	}
	if theme != "" {
		s.remember(w, r, themeCookie, theme)
	}
	if err := s.rememberAccount(r, lang, theme); err != nil {
		return err
	}
	if r.Header.Get("X-Requested-With") == "fetch" {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return s.Redirect(w, r, withoutLang(r.PostFormValue("return")))
}

// rememberAccount keeps a choice for every browser of a signed-in reader.
func (s *Site) rememberAccount(r *http.Request, lang, theme string) error {
	account := auth.From(r.Context())
	if account == nil || s.o.Auth == nil {
		return nil
	}
	if lang != "" && account.Language != lang {
		if err := s.o.Auth.SetLanguage(r.Context(), account.ID, lang); err != nil {
			return err
		}
	}
	if theme != "" && account.Theme != theme {
		return s.o.Auth.SetTheme(r.Context(), account.ID, theme)
	}
	return nil
}

// withoutLang removes a language from the address, because it would win over the
// choice.
func withoutLang(path string) string {
	u, err := url.Parse(auth.LocalPath(path))
	if err != nil {
		return "/"
	}
	query := u.Query()
	query.Del("lang")
	u.RawQuery = query.Encode()
	return u.String()
}

func (s *Site) remember(w http.ResponseWriter, r *http.Request, name, value string) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: yearSeconds,
		HttpOnly: true, Secure: auth.Secure(r), SameSite: http.SameSiteLaxMode,
	})
}
