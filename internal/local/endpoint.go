package local

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"pressroom/dynamo/wire"
	"pressroom/internal/edge"
	"pressroom/internal/errs"
	"pressroom/internal/setting"
	"pressroom/sigv4"
)

// EndpointSettings are where outside programs speak DynamoDB and S3 to
// Pressroom, and the credentials that they must sign with.
type EndpointSettings struct {
	AWSAddr            setting.Address `name:"aws-addr" default:"127.0.0.1:4566" help:"Serve DynamoDB and S3 on this address. Without credentials only programs on this machine are served, and no web pages."`
	AWSAccessKeyID     string          `name:"aws-access-key-id" hidden:"" placeholder:"KEY" help:"Access key that callers of the DynamoDB and S3 endpoint sign with."`
	AWSSecretAccessKey setting.Secret  `name:"aws-secret-access-key" hidden:"" placeholder:"SECRET" help:"Secret of that access key."`
	AWSTLSCert         string          `name:"aws-tls-cert" hidden:"" placeholder:"FILE" help:"Serve DynamoDB and S3 over TLS with this certificate, in PEM, with those that it depends on."`
	AWSTLSKey          string          `name:"aws-tls-key" hidden:"" placeholder:"FILE" help:"Key of that certificate, in PEM."`
	AWSTLSMake         bool            `name:"aws-tls-make" hidden:"" help:"Make a certificate of its own and its key in those two files, if they are not there."`
}

// Credentials returns the access keys that callers must sign with; none if
// none are configured.
func (s EndpointSettings) Credentials() map[string]string {
	if s.AWSAccessKeyID == "" {
		return nil
	}
	return map[string]string{s.AWSAccessKeyID: s.AWSSecretAccessKey.Reveal()}
}

// tls returns how connections are encrypted; nil if they are not.
func (s EndpointSettings) tls() (*tls.Config, error) {
	if (s.AWSTLSCert == "") != (s.AWSTLSKey == "") {
		return nil, errs.New(errs.Usage, "a certificate needs its key: set both --aws-tls-cert and --aws-tls-key, or neither")
	}
	if s.AWSTLSMake && s.AWSTLSCert == "" {
		return nil, errs.New(errs.Usage, "--aws-tls-make needs to know where: set --aws-tls-cert and --aws-tls-key")
	}
	if s.AWSTLSCert == "" {
		return nil, nil
	}
	if s.AWSTLSMake {
		host, _, _ := net.SplitHostPort(string(s.AWSAddr))
		if err := edge.MakeCertificate(s.AWSTLSCert, s.AWSTLSKey, host); err != nil {
			return nil, errs.Wrap(err, errs.Usage, "cannot make the certificate of --aws-tls-make: %v", err)
		}
	}
	pair, err := tls.LoadX509KeyPair(s.AWSTLSCert, s.AWSTLSKey)
	if err != nil {
		return nil, errs.Wrap(err, errs.Usage, "the certificate of --aws-tls-cert and --aws-tls-key: %v", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// check refuses half a credential, and an address that others can reach
// without any.
func (s EndpointSettings) check() error {
	if (s.AWSAccessKeyID == "") != (s.AWSSecretAccessKey == "") {
		return errs.New(errs.Usage, "an access key needs its secret: set both --aws-access-key-id and --aws-secret-access-key, or neither")
	}
	if err := edge.CheckAddr(string(s.AWSAddr), s.AWSAccessKeyID != ""); err != nil {
		return errs.Wrap(err, errs.Usage, "%v", err)
	}
	return nil
}

// Endpoint is the HTTP server of the stores.
type Endpoint struct {
	http    *http.Server
	tables  http.Handler
	objects atomic.Pointer[http.Handler]

	lane   *wire.Lane
	addr   net.Addr
	tls    bool
	failed chan error
}

const (
	// stallLimit is how long a peer may neither send nor take anything.
	stallLimit = time.Minute

	readHeaderTimeout = 5 * time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10
)

// Serve serves the stores to outside programs.
func Serve(ctx context.Context, set EndpointSettings, st *Stores, log *slog.Logger) (*Endpoint, error) {
	return serve(ctx, set, st, log, nil)
}

// serve is Serve, with a state that tests can go back to, if there is one.
func serve(ctx context.Context, set EndpointSettings, st *Stores, log *slog.Logger, memory *state) (*Endpoint, error) {
	if err := set.check(); err != nil {
		return nil, err
	}
	encryption, err := set.tls()
	if err != nil {
		return nil, err
	}
	listener, err := Listen(ctx, set.AWSAddr, "--aws-addr")
	if err != nil {
		return nil, err
	}
	e := &Endpoint{addr: listener.Addr(), tls: encryption != nil, failed: make(chan error, 1)}
	e.tables = wire.New(st.Tables, &wire.Options{Credentials: secretOf(set.Credentials()), Logger: log})
	e.swap(st)
	h := &edge.Handler{
		Dynamo:  e.tables,
		S3:      http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*e.objects.Load()).ServeHTTP(w, r) }),
		Version: setting.ThisBuild().Version, Credentials: set.AWSAccessKeyID != "", Verify: set.verify(),
	}
	if memory != nil {
		memory.end, h.State = e, memory
	}
	e.lane = wire.NewLane(listener, e.tables)
	accept := net.Listener(e.lane)
	if e.tls {
		accept = tls.NewListener(listener, encryption) // the lane reads what is plain
	}
	e.http = &http.Server{
		Handler:           h,
		TLSConfig:         encryption,
		ReadHeaderTimeout: readHeaderTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	go func() {
		if err := e.http.Serve(accept); !errors.Is(err, http.ErrServerClosed) {
			e.failed <- err
		}
	}()
	log.Info("serving DynamoDB and S3", "url", e.URL())
	return e, nil
}

// swap serves other stores from the next request on.
func (e *Endpoint) swap(st *Stores) {
	wire.Swap(e.tables, st.Tables)
	objects := edge.Stall(st.Objects.Handler(), stallLimit)
	e.objects.Store(&objects)
}

// verify checks the signature of requests that concern neither service; they have no
// body.
func (s EndpointSettings) verify() func(*http.Request) error {
	v := &sigv4.Verifier{Secret: secretOf(s.Credentials())}
	return func(r *http.Request) error {
		if r.ContentLength != 0 {
			return errors.New("a request to this path has no body")
		}
		_, err := v.VerifyBody(r, sha256.Sum256(nil))
		return err
	}
}

// secretOf looks secrets up; nil if there are none, which checks nothing.
func secretOf(credentials map[string]string) func(string) (string, bool) {
	if len(credentials) == 0 {
		return nil
	}
	return func(id string) (string, bool) {
		secret, ok := credentials[id]
		return secret, ok
	}
}

// Listen opens the address that flag sets. A port that is taken is one sentence.
func Listen(ctx context.Context, addr setting.Address, flag string) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", string(addr))
	switch {
	case err == nil:
		return listener, nil
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, errs.Wrap(err, errs.Unavailable,
			"address %s is in use by another program; stop that one, or choose another address with %s", addr, flag)
	case errors.Is(err, syscall.EACCES):
		return nil, errs.Wrap(err, errs.Unavailable,
			"address %s may not be used by this user; choose a port above 1023 with %s", addr, flag)
	}
	return nil, errs.Wrap(err, errs.Unavailable, "cannot listen on %s: %v; choose another address with %s", addr, err, flag)
}

// Failed tells of the error that ended serving; never, if nothing is served.
func (e *Endpoint) Failed() <-chan error {
	if e == nil {
		return nil
	}
	return e.failed
}

// Addr is where it listens.
func (e *Endpoint) Addr() net.Addr { return e.addr }

// URL is what clients are to be given.
func (e *Endpoint) URL() string {
	url := URLOf(e.addr)
	if e.tls {
		url = "https" + strings.TrimPrefix(url, "http")
	}
	return url
}

// URLOf returns the address as one would type it into a browser.
func URLOf(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return "http://" + addr.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// Stop takes no new requests and waits for the running ones.
func (e *Endpoint) Stop(grace time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := e.http.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) {
		return errors.Join(fmt.Errorf("requests still running after %s were cut off", grace), e.http.Close())
	} else if err != nil {
		return err
	}
	return e.lane.Wait(ctx)
}
