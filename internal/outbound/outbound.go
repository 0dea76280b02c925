// Package outbound is the one way out of Pressroom to other people's HTTP
// servers. Addresses that it is given come from strangers (sites to crawl,
// redirects, feeds), so it makes sure that they lead out of the house.
//
// It promises:
//
//   - A connection is made only to an address that was checked after the name
//     was resolved, in the dialer itself. A name that resolves to another
//     address a moment later, a redirect, a new connection of the pool: each is
//     checked again. What is refused is a [*Refused] that says why.
//   - Nothing goes through a proxy that the environment names.
//   - An answer has bounds: of time as a whole, of header bytes, of body bytes
//     as they come and as they are after decompression. Beyond a bound, reading
//     ends with [ErrTooLarge] or [ErrBomb].
//
// Start with [New]; address.go has the table of addresses, body.go the bounds.
package outbound

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Options adjust a Client. The zero value, and nil, are usable.
type Options struct {
	// UserAgent is sent with requests that name none; default "Pressroom".
	UserAgent string
	// Timeout bounds a request from its beginning to the last byte of the
	// body; default 30 s.
	Timeout time.Duration
	// DialTimeout bounds resolving and connecting; default 10 s.
	DialTimeout time.Duration
	// HeaderTimeout bounds the wait for the answer's header; default 15 s.
	HeaderTimeout time.Duration
	// MaxBody is the most bytes of a body, after decompression and before;
	// default 8 MiB.
	MaxBody int64
	// MaxRatio is how many times larger than its compressed form a body may
	// become, once it is over 1 MiB; default 100.
	MaxRatio int64
	// MaxRedirects is how many redirects are followed; default 5, negative
	// none: the redirect itself is then the answer.
	MaxRedirects int
	// MaxConns bounds the connections to one host; default 16.
	MaxConns int
	// Ports are the ports that may be spoken to; default 80, 443, 8080 and
	// 8443.
	Ports []string
	// Allow lists what is exempt from the checks of addresses and ports:
	// host names ("localhost"), hosts with a port ("127.0.0.1:8080"),
	// addresses and prefixes ("10.1.0.0/16"). It is for tests and for sites
	// of one's own.
	Allow []string
	// Resolve looks up a name; default is the system's resolver.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	// Dial connects to a checked address; default is the system's.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Client makes requests to other people's servers. It may be used from many
// goroutines.
type Client struct {
	opt   Options
	allow allowed
	http  *http.Client
}

// New returns a client. It is an error if Allow has an entry that is neither a
// host nor an address nor a prefix.
func New(o *Options) (*Client, error) {
	c := &Client{}
	if o != nil {
		c.opt = *o
	}
	c.defaults()
	var err error
	if c.allow, err = parseAllow(c.opt.Allow); err != nil {
		return nil, err
	}
	c.http = &http.Client{
		Transport:     &guard{client: c, next: c.transport()},
		CheckRedirect: c.redirect,
		Timeout:       c.opt.Timeout,
	}
	return c, nil
}

func (c *Client) defaults() {
	o := &c.opt
	o.UserAgent = or(o.UserAgent, "Pressroom")
	o.Timeout = or(o.Timeout, 30*time.Second)
	o.DialTimeout = or(o.DialTimeout, 10*time.Second)
	o.HeaderTimeout = or(o.HeaderTimeout, 15*time.Second)
	o.MaxBody = or(o.MaxBody, 8<<20)
	o.MaxRatio = or(o.MaxRatio, 100)
	o.MaxRedirects = or(o.MaxRedirects, 5)
	o.MaxConns = or(o.MaxConns, 16)
	if o.Ports == nil {
		o.Ports = []string{"80", "443", "8080", "8443"}
	}
	if o.Resolve == nil {
		o.Resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{KeepAlive: 30 * time.Second}).DialContext
	}
}

func or[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

func (c *Client) transport() *http.Transport {
	return &http.Transport{
		DialContext:            c.dial,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    c.opt.DialTimeout,
		ResponseHeaderTimeout:  c.opt.HeaderTimeout,
		MaxResponseHeaderBytes: 256 << 10,
		MaxConnsPerHost:        c.opt.MaxConns,
		MaxIdleConnsPerHost:    c.opt.MaxConns,
		MaxIdleConns:           256,
		IdleConnTimeout:        90 * time.Second,
		// The guard decompresses, and counts while it does.
		DisableCompression: true,
	}
}

// HTTP returns the client for code that wants an *http.Client. It has all the
// guards, and must not be changed.
func (c *Client) HTTP() *http.Client { return c.http }

// Do sends the request and returns the answer, whose body is decompressed and
// bounded. The caller closes the body.
func (c *Client) Do(req *http.Request) (*http.Response, error) { return c.http.Do(req) }

// CloseIdle closes connections that nobody uses.
func (c *Client) CloseIdle() { c.http.CloseIdleConnections() }

func (c *Client) redirect(_ *http.Request, via []*http.Request) error {
	if c.opt.MaxRedirects < 0 {
		return http.ErrUseLastResponse
	}
	if len(via) > c.opt.MaxRedirects {
		return fmt.Errorf("more than %d redirects", c.opt.MaxRedirects)
	}
	return nil // the guard looks at each new request
}

// guard looks at every request, redirected ones too, before it goes to the
// transport, and bounds what comes back.
type guard struct {
	client *Client
	next   *http.Transport
}

// CloseIdleConnections lets http.Client reach the transport.
func (g *guard) CloseIdleConnections() { g.next.CloseIdleConnections() }

func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := g.client.CheckURL(req.URL); err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", g.client.opt.UserAgent)
	}
	if req.Header.Get("Accept-Encoding") == "" && req.Header.Get("Range") == "" && req.Method != http.MethodHead {
		req.Header.Set("Accept-Encoding", "gzip")
	}
	resp, err := g.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	g.client.bound(resp)
	return resp, nil
}

// CheckURL refuses an address that no request may go to, as far as can be seen
// without resolving its name: other schemes than http and https, user names,
// ports that are not listed, literal addresses that lead inside.
func (c *Client) CheckURL(u *url.URL) error {
	host := strings.ToLower(u.Hostname())
	refuse := func(reason string) error { return &Refused{Host: host, Reason: reason} }
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return refuse("the scheme " + u.Scheme + " is neither http nor https")
	case host == "":
		return refuse("there is no host")
	case u.User != nil:
		return refuse("the address has a user name")
	}
	port := portOf(u)
	if c.allow.host(host, port) {
		return nil
	}
	if a, err := netip.ParseAddr(host); err == nil {
		if c.allow.addr(a) {
			return nil
		}
		if err := checkLiteral(host, a); err != nil {
			return err
		}
	}
	if !slices.Contains(c.opt.Ports, port) && !c.allow.anyAddr() {
		return refuse("port " + port + " is not one of " + strings.Join(c.opt.Ports, ", "))
	}
	return nil
}

func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "http" {
		return "80"
	}
	return "443"
}

// dial resolves, checks and connects. Only addresses that passed are dialled, by
// number, so that nothing is resolved a second time.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	host = strings.ToLower(host)
	ctx, cancel := context.WithTimeout(ctx, c.opt.DialTimeout)
	defer cancel()
	addrs, err := c.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	good, err := c.passing(host, port, addrs)
	if err != nil {
		return nil, err
	}
	var failed error
	for _, a := range good {
		conn, err := c.opt.Dial(ctx, network, net.JoinHostPort(a.String(), port))
		if err == nil {
			return conn, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, failed
}

func (c *Client) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	addrs, err := c.opt.Resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	for i, a := range addrs {
		addrs[i] = a.Unmap() // resolvers give IPv4 in either form
	}
	if len(addrs) == 0 {
		return nil, &net.DNSError{Err: "no addresses", Name: host, IsNotFound: true}
	}
	return addrs, nil
}

// passing returns the addresses that may be dialled; if there are none, why the
// first may not.
func (c *Client) passing(host, port string, addrs []netip.Addr) ([]netip.Addr, error) {
	if c.allow.host(host, port) {
		return addrs, nil
	}
	var good []netip.Addr
	var refused error
	for _, a := range addrs {
		err := Check(a)
		if err == nil && !slices.Contains(c.opt.Ports, port) {
			err = fmt.Errorf("port %s is not one of %s", port, strings.Join(c.opt.Ports, ", "))
		}
		if err == nil || c.allow.addr(a) {
			good = append(good, a)
		} else if refused == nil {
			refused = &Refused{Host: host, Addr: a, Reason: err.Error()}
		}
	}
	if len(good) == 0 {
		return nil, refused
	}
	return good, nil
}
