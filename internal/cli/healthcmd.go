package cli

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// healthTimeout is for one question: /readyz answers in less.
const healthTimeout = 3 * checkTimeout

// maxReport bounds what is printed of an answer.
const maxReport = 16 << 10

// healthCmd asks a running newsroom whether it is ready. It is for supervisors that can run a
// program and cannot ask over HTTP, as in an image that holds nothing else.
type healthCmd struct {
	Addr address `default:"127.0.0.1:8080" help:"Where the newsroom serves pages and JSON."`
}

// Help is the long form of the command's help.
func (c *healthCmd) Help() string {
	return `Prints what /readyz says. The exit status is 0 if the newsroom is ready for requests, and 1
if it is not, or cannot be reached.`
}

// Run asks once.
func (c *healthCmd) Run(r *run) error {
	ctx, cancel := context.WithTimeout(r.ctx, healthTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+reachable(string(c.Addr))+"/readyz", http.NoBody)
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true}}
	began := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("nothing answers on %s: %w", c.Addr, err)
	}
	defer func() { _ = resp.Body.Close() }()
	report, err := io.ReadAll(io.LimitReader(resp.Body, maxReport))
	if err != nil {
		return fmt.Errorf("the answer of %s broke off after %s: %w", c.Addr, time.Since(began).Round(time.Millisecond), err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s is not ready: %s", c.Addr, strings.TrimSpace(string(report)))
	}
	_, err = r.Stdout.Write(report)
	return err
}

// reachable is an address to call for one to listen on: one that listens everywhere is asked
// on loopback.
func reachable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return listen
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
		if ip.Is6() {
			host = "::1"
		}
	}
	return net.JoinHostPort(host, port)
}
