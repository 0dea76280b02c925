package web_test

import (
	"testing"

	"pressroom/internal/auth"
	"pressroom/internal/front/fronttest"
	"pressroom/internal/web/webtest"
)

// Who may what in the shell. The table is written out by hand: a route that is
// opened or closed by accident differs from it.
func TestAccess(t *testing.T) {
	s := webtest.Open(t)
	fronttest.Matrix(t, s.Mux, map[string]auth.Role{
		"GET /{$}":                          auth.Everyone,
		"GET /feed.atom":                    auth.Everyone,
		"GET /feed.json":                    auth.Everyone,
		"GET /corrections":                  auth.Everyone,
		"GET /corrections/feed.atom":        auth.Everyone,
		"GET /corrections/feed.json":        auth.Everyone,
		"GET /report":                       auth.Everyone,
		"POST /report":                      auth.Everyone,
		"GET /sitemap.xml":                  auth.Everyone,
		"GET /stories/{desk}/{id}/card.png": auth.Everyone,
		"GET /sitemaps/{desk}/{file}":       auth.Everyone,
		"GET /robots.txt":                   auth.Everyone,
		"GET /assets/{file}":                auth.Everyone,
		"GET /favicon.ico":                  auth.Everyone,
		"POST /preferences":                 auth.Everyone,
		"GET /styleguide":                   auth.Everyone,
		"GET /styleguide/more":              auth.Everyone,
		"GET /styleguide/failure/{code}":    auth.Everyone,
		"GET /setup":                        auth.Everyone,
		"POST /setup":                       auth.Everyone,
		"GET /invited":                      auth.Everyone,
		"POST /invited":                     auth.Everyone,
		"POST /office/users/invite":         auth.Operator,
		"GET /sign-in":                      auth.Everyone,
		"POST /sign-in":                     auth.Everyone,
		"POST /sign-out":                    auth.Everyone,
		"GET /account":                      auth.Reader,
		"POST /account/password":            auth.Reader,
		"POST /account/sessions/revoke":     auth.Reader,
		"POST /account/tokens":              auth.Reader,
		"POST /account/tokens/revoke":       auth.Reader,
		"GET /office":                       auth.Author,
		"GET /office/front":                 auth.Moderator,
		"POST /office/front":                auth.Moderator,
		"GET /office/front/preview":         auth.Moderator,
		"POST /office/steps":                auth.Operator,
		"GET /office/paper":                 auth.Operator,
		"POST /office/paper":                auth.Operator,
		"GET /paper/logo/{digest}":          auth.Everyone,
		"GET /paper/accent/{file}":          auth.Everyone,
		"GET /office/users":                 auth.Operator,
		"POST /office/users":                auth.Operator,
		"POST /office/users/{id}/role":      auth.Operator,
		"POST /office/users/{id}/disabled":  auth.Operator,
		"POST /office/users/{id}/password":  auth.Operator,
	})
}
