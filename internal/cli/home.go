package cli

import (
	_ "embed"
	"html/template"
	"log/slog"
	"net/http"
)

//go:embed home.html
var homeHTML string

//go:embed home.css
var homeCSS []byte

var homeTemplate = template.Must(template.New("home").Parse(homeHTML))

// home is what the home page shows.
type home struct {
	Demo    bool
	Version string
}

// newSite returns the pages: today a home page that says what is here.
func newSite(page home, log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if err := homeTemplate.Execute(w, page); err != nil {
			log.Debug("home page not sent", "error", err)
		}
	})
	mux.HandleFunc("GET /home.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		if _, err := w.Write(homeCSS); err != nil {
			log.Debug("style sheet not sent", "error", err)
		}
	})
	return withSecurityHeaders(mux)
}

// withSecurityHeaders lets a page load its own style and nothing else.
func withSecurityHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}
