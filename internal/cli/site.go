package cli

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"pressroom/internal/agent"
	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/front"
	"pressroom/internal/ops/replay"
	"pressroom/internal/rights/erase"
	"pressroom/internal/setting"
	"pressroom/internal/story"
	"pressroom/internal/thread"
	"pressroom/internal/web"
)

// siteSettings say how the outside reaches the pages and the JSON.
type siteSettings struct {
	PublicURL      publicURL `name:"public-url" placeholder:"URL" help:"The address that readers use, such as https://news.example, for links in feeds and for sign-in; by default the one that a request names."`
	TrustedProxies []network `name:"trusted-proxies" hidden:"" placeholder:"NETWORK" help:"Networks of the proxies in front, such as 10.0.0.0/8, whose X-Forwarded-For and X-Forwarded-Proto are believed."`

	RateLimit int `name:"rate-limit" hidden:"" default:"50" help:"Requests a second that one address, or one account, may make; four times as many at once. 0 is no limit."`

	secretSettings

	OIDCIssuer       string `name:"oidc-issuer" hidden:"" placeholder:"URL" help:"Let people sign in through this OpenID Connect provider; needs --public-url."`
	OIDCClientID     string `name:"oidc-client-id" hidden:"" help:"Our id at the provider."`
	OIDCClientSecret Secret `name:"oidc-client-secret" hidden:"" help:"Our secret at the provider; a public client has none."`
	OIDCOnly         bool   `name:"oidc-only" hidden:"" help:"Let people sign in through the provider alone: no passwords, no registration here."`
	OIDCRolesClaim   string `name:"oidc-roles-claim" hidden:"" default:"cognito:groups" help:"The claim with the groups that make roles; a group called reader, author, moderator or operator is that role."`
}

// publicURL is a scheme and a host, with nothing behind them.
type publicURL string

// UnmarshalText accepts http and https addresses without a path.
func (p *publicURL) UnmarshalText(text []byte) error {
	u, err := url.Parse(string(text))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil {
		return fmt.Errorf("%q is not an address such as https://news.example", text)
	}
	*p = publicURL(u.Scheme + "://" + u.Host)
	return nil
}

// address is where readers reach the newsroom: the public one, or the one that it
// listens on.
func (s serverSettings) address() string {
	if s.PublicURL != "" {
		return string(s.PublicURL)
	}
	host, port, err := net.SplitHostPort(string(s.Addr))
	if err != nil || port == "0" {
		return ""
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// network is a range of addresses.
type network netip.Prefix

// UnmarshalText accepts a range, or a single address.
func (n *network) UnmarshalText(text []byte) error {
	if addr, err := netip.ParseAddr(string(text)); err == nil {
		*n = network(netip.PrefixFrom(addr, addr.BitLen()))
		return nil
	}
	prefix, err := netip.ParsePrefix(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a network such as 10.0.0.0/8", text)
	}
	*n = network(prefix.Masked())
	return nil
}

func (n network) String() string { return netip.Prefix(n).String() }

// rate is the limit for each address and each account.
func (s siteSettings) rate() front.Rate {
	if s.RateLimit <= 0 {
		return front.Rate{PerSecond: -1}
	}
	return front.Rate{PerSecond: float64(s.RateLimit), Burst: 4 * s.RateLimit}
}

// oidc returns the provider that is configured, or nil.
func (s siteSettings) oidc() (*auth.OIDC, error) {
	if s.OIDCIssuer == "" {
		if s.OIDCOnly {
			return nil, errs.New(errs.Usage, "--oidc-only needs --oidc-issuer: nobody could sign in")
		}
		return nil, nil
	}
	if s.PublicURL == "" || s.OIDCClientID == "" {
		return nil, errs.New(errs.Usage, "sign-in through %s needs --public-url, to come back to, and --oidc-client-id", s.OIDCIssuer)
	}
	return &auth.OIDC{
		Issuer: s.OIDCIssuer, ClientID: s.OIDCClientID, ClientSecret: s.OIDCClientSecret.Reveal(),
		RedirectURL: string(s.PublicURL) + "/sign-in/callback", RolesClaim: s.OIDCRolesClaim, Only: s.OIDCOnly,
	}, nil
}

// site is everything that answers on --addr, besides the health endpoints: the
// door, and pages and JSON behind it.
type site struct {
	mux      *front.Mux
	auth     *auth.Auth
	ops      *operations
	stories  *story.Stories
	threads  *thread.Threads
	erasures *erase.Erasures
	adopted  func(context.Context) bool // see story.Adopter.Current; nil where nothing is adopted
	// setup is the path of the first-run page; "" once there is an operator.
	setup string
}

// openSite brings the store to the present schema and puts everything behind the
// door.
func openSite(ctx context.Context, set serverSettings, demo bool, st *store, log *slog.Logger) (*site, error) {
	if err := prepareStore(ctx, set, st); err != nil {
		return nil, err
	}
	provider, err := set.oidc()
	if err != nil {
		return nil, err
	}
	key, err := set.key("auth")
	if err != nil {
		return nil, err
	}
	s := &site{}
	if s.ops, err = openOperations(ctx, set, st, log); err != nil {
		return nil, err
	}
	s.auth, err = auth.New(st.db, &auth.Options{
		Table: set.names().table(auth.Schema), Desks: deskNames(every), Secret: key, OIDC: provider, Log: log, Secure: strings.HasPrefix(string(set.PublicURL), "https:"),
	})
	if err != nil {
		return nil, err
	}
	if s.stories, err = set.names().stories(st.db); err != nil {
		return nil, err
	}
	if s.threads, err = set.names().threads(st.db, s.stories); err != nil {
		return nil, err
	}
	replays, err := replay.New(st.db, &replay.Options{Table: set.names().table(replay.Schema)})
	if err != nil {
		return nil, err
	}
	if err := s.mount(ctx, set, demo, st, replays, log); err != nil {
		return nil, err
	}
	if !set.Run.has(webDuty) {
		return s, nil
	}
	return s, s.checkFirstRun(ctx)
}

// prepareStore sees to it that the tables and buckets are there.
func prepareStore(ctx context.Context, set serverSettings, st *store) error {
	schemas, err := set.names().schemas()
	if err != nil {
		return err
	}
	if st.remote() { // what others work on is their business, and may be out of reach
		schemas = set.Run.needs(schemas)
	}
	return st.prepare(ctx, schemas...)
}

func (s *site) mount(ctx context.Context, set serverSettings, demo bool, st *store, replays api.Replays, log *slog.Logger) error {
	version := setting.ThisBuild().Version
	var pages *web.Site
	s.mux = front.New(&front.Options{
		Authenticate:   s.auth.Authenticate,
		Fail:           func(w http.ResponseWriter, r *http.Request, err error) { pages.Fail(w, r, err) },
		TrustedProxies: prefixes(set.TrustedProxies),
		PerAddress:     set.rate(),
		PerAccount:     set.rate(),
		Registry:       s.ops.registry,
		// What other programs wrote is seen by whoever asks after them.
		Before: func(ctx context.Context) {
			if s.adopted != nil {
				s.adopted(ctx)
			}
		},
		Log: log,
	})
	zone, err := set.zone()
	if err != nil {
		return err
	}
	if pages, err = web.New(s.mux, &web.Options{
		Location: zone, Auth: s.auth, Base: string(set.PublicURL), Demo: demo, Version: version, Log: log, Track: st.track(), Stories: s.stories, Threads: s.threads,
	}); err != nil {
		return err
	}
	json := api.New(s.mux, &api.Options{Version: version, Auth: s.auth, Replays: replays, Log: log, Track: st.track()})
	// Numbers tell how a newsroom is doing, which is not everyone's business; a
	// scraper comes with an operator's token.
	s.mux.Handle(front.Route{
		Pattern: "GET /metrics", Access: auth.Operator, Hidden: true, Quiet: true,
		Handler: s.mux.Metrics(), Fail: pages.Fail,
	})
	if err := s.mountDesks(ctx, set, demo, st, pages, json, log); err != nil {
		return err
	}
	agent.New(s.mux, agent.Options{API: json, Version: version, Base: string(set.PublicURL), Handler: s.mux})
	return nil
}

func prefixes(networks []network) []netip.Prefix {
	all := make([]netip.Prefix, len(networks))
	for i, n := range networks {
		all[i] = netip.Prefix(n)
	}
	return all
}

// checkFirstRun makes the link for the first operator, if there is none.
func (s *site) checkFirstRun(ctx context.Context) error {
	token, needed, err := s.auth.SetupToken(ctx)
	if err != nil || !needed {
		return err
	}
	s.setup = "/setup?" + url.Values{"token": {token}}.Encode()
	return nil
}
