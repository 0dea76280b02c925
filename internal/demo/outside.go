package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"
)

// library is the server of the minutes; all others are news sites, by id.
const library = "library"

// Outside is the world that the demo's desks ask: the library with the minutes, and
// news sites, each a server on this machine with an address of its own. It is
// served from the moment it is open.
type Outside struct {
	mark     *Mark
	now      func() time.Time
	meetings []meeting
	sites    []*newsSite
	servers  []*http.Server
	hosts    map[string]string // host and port, by server
}

// OpenOutside serves the world outside, on the ports that it had the last time if
// they are free, so that what was crawled stays where it was. now is the clock; nil
// means time.Now.
func OpenOutside(ctx context.Context, mark *Mark, now func() time.Time) (*Outside, error) {
	if now == nil {
		now = time.Now
	}
	o := &Outside{mark: mark, now: now, hosts: map[string]string{}}
	var err error
	if o.meetings, err = readMeetings(mark); err != nil {
		return nil, fmt.Errorf("read the demo's meetings: %w", err)
	}
	if o.sites, err = readSites(mark); err != nil {
		return nil, fmt.Errorf("read the demo's sites: %w", err)
	}
	if err := o.listen(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("serve the demo's sites: %w", err), o.Close())
	}
	return o, nil
}

func (o *Outside) listen(ctx context.Context) error {
	if err := o.serve(ctx, library, o.libraryHandler()); err != nil {
		return err
	}
	for _, s := range o.sites {
		if err := o.serve(ctx, s.ID, s.handler(func() string { return o.URL(s.ID) }, o.now)); err != nil {
			return err
		}
	}
	return o.mark.change(func(d *markData) {
		for name, host := range o.hosts {
			_, port, _ := net.SplitHostPort(host) // it is a listener's
			d.Ports[name], _ = strconv.Atoi(port)
		}
	})
}

func (o *Outside) serve(ctx context.Context, name string, h http.Handler) error {
	listener, err := listenAt(ctx, o.mark.port(name))
	if err != nil {
		return err
	}
	o.hosts[name] = listener.Addr().String()
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	o.servers = append(o.servers, server)
	go func() { _ = server.Serve(listener) }() // until Close
	return nil
}

// listenAt takes the port, or any other if that is taken.
func listenAt(ctx context.Context, port int) (net.Listener, error) {
	var config net.ListenConfig
	if port != 0 {
		if l, err := config.Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			return l, nil
		}
	}
	return config.Listen(ctx, "tcp", "127.0.0.1:0")
}

// URL is the address of a server, with a slash at its end.
func (o *Outside) URL(name string) string { return "http://" + o.hosts[name] + "/" }

// Library is the address of the minutes.
func (o *Outside) Library() string { return "http://" + o.hosts[library] }

// Hosts are the hosts and ports of all servers: what a crawler may ask although
// it is inside.
func (o *Outside) Hosts() []string {
	all := []string{o.hosts[library]}
	for _, s := range o.sites {
		all = append(all, o.hosts[s.ID])
	}
	return all
}

// client asks the library.
func (o *Outside) client() *http.Client { return &http.Client{Timeout: 30 * time.Second} }

// Close ends all servers.
func (o *Outside) Close() error {
	var all []error
	for _, s := range o.servers {
		all = append(all, s.Close())
	}
	return errors.Join(all...)
}

// shown reports whether something that appears so many minutes after the directory
// was made is there by now.
func (o *Outside) shown(minutes int) bool { return visible(o.mark, o.now, minutes) }

func visible(mark *Mark, now func() time.Time, minutes int) bool {
	return minutes == 0 || !now().Before(mark.Began().Add(time.Duration(minutes)*time.Minute))
}
