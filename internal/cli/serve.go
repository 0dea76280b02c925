package cli

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime/debug"
	"time"

	"pressroom/caller"
	"pressroom/internal/local"
)

// serveCmd runs the newsroom.
type serveCmd struct {
	serverSettings
}

// Help is the text under the command's usage line.
func (serveCmd) Help() string {
	return `Ctrl-C or SIGTERM ends it: running requests are finished, the data directory is
closed, all within ten seconds. A second signal ends it at once.

With --store aws the data are in DynamoDB and S3, or in services that speak their protocols,
and any number of processes share them; --run says what each of them does. See docs/aws.md.

"pressroom config" lists every setting, with those that are left out here.`
}

// Run serves until the run is interrupted.
func (c *serveCmd) Run(r *run) error {
	announce := func(a addresses) {
		if a.setup != "" {
			// Not through the log: whoever has the link is the operator.
			fmt.Fprintf(r.Stderr, "\nThere is no operator yet. Open this link once to make the first account:\n\n  %s\n\n", a.setup)
		}
	}
	return newsroom{settings: c.serverSettings, announce: announce}.run(r)
}

// newsroom is one run of the whole product.
type newsroom struct {
	settings serverSettings
	demo     bool
	announce func(addresses) // called once, when it is ready
}

// addresses are where a running newsroom can be reached.
type addresses struct {
	pages string
	aws   string
	setup string // the link for the first operator; "" if there is one
}

// run opens everything, serves until interrupted, and closes everything. It
// listens before it opens the store, so that a supervisor can watch the start.
func (n newsroom) run(r *run) error {
	log := r.logger(n.settings.commonSettings)
	if n.settings.remote() { // before anything is asked of the services
		if _, err := n.settings.key("serve"); err != nil {
			return err
		}
	}
	listener, err := local.Listen(r.ctx, n.settings.Addr, "--addr")
	if err != nil {
		return err
	}
	srv := startServer(listener, log)
	st, err := n.settings.targetSettings.open(r.ctx, n.settings.endpointSettings, log)
	if err != nil {
		return errors.Join(err, srv.stop(0, requestGrace))
	}
	var end *local.Endpoint // only what is here can be served to others
	if !st.remote() {
		if end, err = st.serve(r.ctx, n.settings.endpointSettings); err != nil {
			return errors.Join(err, srv.stop(0, requestGrace), st.Close())
		}
	}
	site, err := openSite(r.ctx, n.settings, n.demo, st, log)
	if err != nil {
		if r.ctx.Err() != nil {
			log.Info("stopping; it was interrupted while it started")
			err = nil
		}
		return errors.Join(err, shutdown(srv, end, st, 0))
	}
	srv.open(n.guardHost(n.handler(site), srv.addr), st.checks)
	log.Info("serving", "url", srv.url(), "duties", n.settings.Run.String(), "data", n.settings.where())
	n.announce(n.addresses(srv, end, site))
	go giveBack(r.ctx, debug.FreeOSMemory)

	var broken error
	select {
	case <-r.ctx.Done():
		log.Info("stopping; a second signal ends at once")
	case err := <-srv.failed:
		broken = fmt.Errorf("serve: %w", err)
	case err := <-end.Failed():
		broken = fmt.Errorf("serve DynamoDB and S3: %w", err)
	}
	return errors.Join(broken, local.Within(shutdownLimit, func() error {
		return shutdown(srv, end, st, n.settings.Drain)
	}))
}

func (n newsroom) addresses(srv *server, end *local.Endpoint, site *site) addresses {
	a := addresses{pages: srv.url()}
	if end != nil {
		a.aws = end.URL()
	}
	if base := n.settings.PublicURL; base != "" {
		a.pages = string(base)
	}
	if site.setup != "" {
		a.setup = a.pages + site.setup
	}
	return a
}

// handler is what is served on --addr besides the health endpoints, by a process
// for pages. One for other work tells where not to look.
func (n newsroom) handler(s *site) http.Handler {
	if n.settings.Run.has(webDuty) {
		return s.erasures.Veil(s.mux)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "This process of Pressroom serves no pages: it was started with --run "+n.settings.Run.String()+".", http.StatusNotFound)
	})
}

// guardHost refuses requests for other hosts while only this machine is served and
// nothing says that another name leads here: a page whose name was rebound to
// 127.0.0.1 would read the site as its own.
func (n newsroom) guardHost(h http.Handler, addr net.Addr) http.Handler {
	if !caller.Here(addr.String()) || n.settings.PublicURL != "" || len(n.settings.TrustedProxies) > 0 {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !caller.Local(r.Host) {
			http.Error(w, "Pressroom serves this machine alone and does not answer for this host. "+
				"If a name or a proxy is to lead here, start it with --public-url.", http.StatusMisdirectedRequest)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// shutdown stops the servers side by side, then closes the store.
func shutdown(srv *server, end *local.Endpoint, st *store, drain drainDelay) error {
	stopped := make(chan error, 1)
	go func() {
		if end == nil {
			stopped <- nil
			return
		}
		stopped <- end.Stop(requestGrace)
	}()
	return errors.Join(srv.stop(time.Duration(drain), requestGrace), <-stopped, st.Close())
}
