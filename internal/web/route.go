package web

import (
	"net/http"

	"pressroom/internal/auth"
	"pressroom/internal/front"
)

// guessing limits those who try set-up links, providers and the passwords of
// sessions. Sign-in has limits of its own, by which known devices get past others at
// their address: see package auth.
var guessing = front.Rate{PerSecond: 0.5, Burst: 20}

// routes registers the shell's own pages.
func (s *Site) routes() {
	s.Get("/{$}", auth.Everyone, s.Kept(s.showHome))
	s.Get("/feed.atom", auth.Everyone, s.serveFeed)
	s.Get("/feed.json", auth.Everyone, s.serveFeed)
	if s.o.Stories != nil {
		s.Get("/stories/{desk}/{id}/card.png", auth.Everyone, s.serveCard)
		s.Get("/corrections", auth.Everyone, s.Kept(s.showCorrections))
		s.Get("/corrections/feed.atom", auth.Everyone, s.feedCorrections)
		s.Get("/corrections/feed.json", auth.Everyone, s.feedCorrections)
		s.paperRoutes()
		s.frontRoutes()
		s.Get("/report", auth.Everyone, s.showReport)
		s.Route(front.Route{Pattern: "POST /report", Rate: reporting, MaxBody: 32 << 10}, s.sendReport)
	}
	s.sitemapRoutes()
	s.Get(assetPath+"{file}", auth.Everyone, s.serveAsset)
	s.Get("/favicon.ico", auth.Everyone, s.serveIcon)
	s.Post("/preferences", auth.Everyone, s.savePreference)
	if s.o.Demo {
		s.Get("/styleguide", auth.Everyone, s.showStyleguide)
		s.Get("/styleguide/more", auth.Everyone, s.showStyleguide)
		s.Get("/styleguide/failure/{code}", auth.Everyone, s.showFailure)
	}
	if s.o.Auth == nil {
		return
	}
	s.Get("/sign-in", auth.Everyone, s.showSignIn)
	if s.o.Auth.Passwords() {
		s.Get("/setup", auth.Everyone, s.showSetup)
		s.Route(front.Route{Pattern: "POST /setup", Rate: guessing}, s.setUp)
		s.Post("/sign-in", auth.Everyone, s.signIn)
		s.Route(front.Route{Pattern: "POST /account/password", Access: auth.Reader, Rate: guessing}, s.changePassword)
		s.Get("/invited", auth.Everyone, s.showInvited)
		s.Route(front.Route{Pattern: "POST /invited", Rate: guessing}, s.acceptInvited)
		s.Post("/office/users", auth.Operator, s.addUser)
		s.Post("/office/users/invite", auth.Operator, s.inviteUser)
		s.Post("/office/users/{id}/password", auth.Operator, s.setUserPassword)
	}
	s.Post("/sign-out", auth.Everyone, s.signOut)
	if s.o.Auth.HasOIDC() {
		s.Route(front.Route{Pattern: "POST /sign-in/provider", Rate: guessing}, s.startProvider)
		s.Get("/sign-in/callback", auth.Everyone, s.finishProvider)
	}
	s.Get("/account", auth.Reader, s.showAccount)
	s.Post("/account/sessions/revoke", auth.Reader, s.revokeSession)
	s.Post("/account/tokens", auth.Reader, s.addToken)
	s.Post("/account/tokens/revoke", auth.Reader, s.revokeToken)

	s.officeRoutes()
	s.Nav(NavItem{Path: "/office/users", Key: "users.nav", Order: 90, Access: auth.Operator, Office: true})
	s.Get("/office/users", auth.Operator, s.showUsers)
	s.Post("/office/users/{id}/role", auth.Operator, s.setUserRole)
	s.Post("/office/users/{id}/disabled", auth.Operator, s.setUserDisabled)
}

// serveIcon answers browsers that look for an icon without reading the page.
func (s *Site) serveIcon(w http.ResponseWriter, r *http.Request) error {
	link, err := s.assets.url("icon.svg")
	if err != nil {
		return err
	}
	http.Redirect(w, r, link, http.StatusFound)
	return nil
}
