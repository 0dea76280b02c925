package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"pressroom/dynamo/wire"
	"pressroom/internal/edge"
	"pressroom/internal/errs"
)

// localCmd serves the stores alone, to programs written for AWS.
type localCmd struct {
	fileSettings
	endpointSettings
	commonSettings
}

// Help is the text under the command's usage line.
func (localCmd) Help() string {
	return `Point a program at it with AWS_ENDPOINT_URL=http://127.0.0.1:4566, or with the variable
that it uses for LocalStack; any credentials will do as long as none are set here.

Without credentials it serves programs on this machine and no web pages. With
--aws-access-key-id and --aws-secret-access-key it serves whoever signs with them, pages and other
machines included; --aws-tls-cert and --aws-tls-key keep what they send from being read on the way.

What is written stays in the data directory. Ctrl-C ends it.`
}

// Run serves until the run is interrupted.
func (c *localCmd) Run(r *run) error {
	log := r.logger(c.commonSettings)
	st, err := openStore(c.storeSettings, c.endpointSettings, log)
	if err != nil {
		return err
	}
	end, err := startEndpoint(r.ctx, c.endpointSettings, st, log)
	if err != nil {
		return errors.Join(err, st.Close())
	}
	fmt.Fprintf(r.Stdout, "DynamoDB and S3 on %s with data in %s. Ctrl-C stops it.\n", end.url(), c.Data)
	var broken error
	select {
	case <-r.ctx.Done():
		log.Info("stopping; a second signal ends at once")
	case err := <-end.failed:
		broken = fmt.Errorf("serve: %w", err)
	}
	return errors.Join(broken, within(shutdownLimit, func() error {
		return errors.Join(end.stop(requestGrace), st.Close())
	}))
}

// credentials returns the access keys that callers must sign with; none if
// none are configured.
func (s endpointSettings) credentials() map[string]string {
	if s.AWSAccessKeyID == "" {
		return nil
	}
	return map[string]string{s.AWSAccessKeyID: s.AWSSecretAccessKey.Reveal()}
}

// tls returns how connections are encrypted; nil if they are not.
func (s endpointSettings) tls() (*tls.Config, error) {
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
func (s endpointSettings) check() error {
	if (s.AWSAccessKeyID == "") != (s.AWSSecretAccessKey == "") {
		return errs.New(errs.Usage, "an access key needs its secret: set both --aws-access-key-id and --aws-secret-access-key, or neither")
	}
	if err := edge.CheckAddr(string(s.AWSAddr), s.AWSAccessKeyID != ""); err != nil {
		return errs.Wrap(err, errs.Usage, "%v", err)
	}
	return nil
}

// endpoint is the HTTP server of the stores.
type endpoint struct {
	http   *http.Server
	lane   *wire.Lane
	addr   net.Addr
	tls    bool
	failed chan error
}

// stallLimit is how long a peer may neither send nor take anything.
const stallLimit = time.Minute

// startEndpoint serves the stores to outside programs.
func startEndpoint(ctx context.Context, set endpointSettings, st *store, log *slog.Logger) (*endpoint, error) {
	if err := set.check(); err != nil {
		return nil, err
	}
	encryption, err := set.tls()
	if err != nil {
		return nil, err
	}
	listener, err := listen(ctx, set.AWSAddr, "--aws-addr")
	if err != nil {
		return nil, err
	}
	info, _ := debug.ReadBuildInfo()
	tables := wire.New(st.tables, &wire.Options{Credentials: secretOf(set.credentials()), Logger: log})
	h := &edge.Handler{
		Dynamo:  tables,
		S3:      edge.Stall(st.objects.Handler(), stallLimit),
		Version: buildOf(info).Version, Credentials: set.AWSAccessKeyID != "",
	}
	e := &endpoint{lane: wire.NewLane(listener, tables), addr: listener.Addr(), tls: encryption != nil, failed: make(chan error, 1)}
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
	log.Info("serving DynamoDB and S3", "url", e.url())
	return e, nil
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

// failures tells of the error that ended serving; never, if nothing is served.
func (e *endpoint) failures() <-chan error {
	if e == nil {
		return nil
	}
	return e.failed
}

func (e *endpoint) url() string {
	url := urlOf(e.addr)
	if e.tls {
		url = "https" + strings.TrimPrefix(url, "http")
	}
	return url
}

// stop takes no new requests and waits for the running ones.
func (e *endpoint) stop(grace time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := e.http.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) {
		return errors.Join(fmt.Errorf("requests still running after %s were cut off", grace), e.http.Close())
	} else if err != nil {
		return err
	}
	return e.lane.Wait(ctx)
}
