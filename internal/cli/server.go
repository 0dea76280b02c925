package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"pressroom/internal/local"
)

// Limits of one request, and of the end of the server's life. A handler that
// streams sets its own deadlines through http.ResponseController.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = time.Minute
	writeTimeout      = time.Minute
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10

	// requestGrace is what running requests get once the server stops, drain
	// included; the rest of shutdownLimit is the store's.
	requestGrace  = local.RequestGrace
	shutdownLimit = local.ShutdownLimit
)

// server is the HTTP server from the moment it listens until its last request.
// It answers the health endpoints all that time, and everything else once it has
// a site.
type server struct {
	log    *slog.Logger
	health *health
	site   atomic.Pointer[http.Handler]
	http   *http.Server
	addr   net.Addr
	failed chan error         // the error that ended serving, if it was not stop
	cancel context.CancelFunc // ends the context of all requests
}

// startServer serves on the listener, which it owns from now on.
func startServer(listener net.Listener, log *slog.Logger) *server {
	requests, cancel := context.WithCancel(context.Background())
	s := &server{
		log:    log,
		health: newHealth(log),
		addr:   listener.Addr(),
		failed: make(chan error, 1),
		cancel: cancel,
	}
	s.http = &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		BaseContext:       func(net.Listener) context.Context { return requests },
	}
	go func() {
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	}()
	return s
}

// handler routes to the health endpoints and to the site, if there is one yet.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", s.health.serveAlive)
	mux.HandleFunc("GET /readyz", s.health.serveReady)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		site := s.site.Load()
		if site == nil {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "Pressroom is starting.", http.StatusServiceUnavailable)
			return
		}
		(*site).ServeHTTP(w, r)
	})
	return mux
}

// open puts the site up and turns ready.
func (s *server) open(site http.Handler, checks []check) {
	s.site.Store(&site)
	s.health.set(ready, checks...)
}

// stop turns not ready, goes on serving for the drain, then takes no new requests
// and waits for the running ones. Those still running after grace are cut off,
// which is an error.
func (s *server) stop(drain, grace time.Duration) error {
	defer s.cancel()
	s.health.set(stopping)
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	select {
	case <-time.After(drain):
	case <-ctx.Done():
	}
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.Join(fmt.Errorf("requests still running after %s were cut off", grace), s.http.Close())
	}
	return err
}

// url returns the address as one would type it into a browser.
func (s *server) url() string { return local.URLOf(s.addr) }
