// Package pipetest is a network within a test: its connections are [net.Pipe].
//
// It promises that a bubble of testing/synctest sees when everybody waits, which it
// does not with sockets. Deadlines, timeouts and pauses then take no time and come in
// their order, however slow the machine is. Start with [Serve].
package pipetest

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
)

// Listener accepts the connections that its Dial makes.
type Listener struct {
	conns  chan net.Conn
	closed chan struct{}
	close  func()
}

// Listen returns a listener. Dial works until it is closed.
func Listen() *Listener {
	l := &Listener{conns: make(chan net.Conn), closed: make(chan struct{})}
	l.close = sync.OnceFunc(func() { close(l.closed) })
	return l
}

// Accept waits for a call of Dial.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept and Dial; connections stay.
func (l *Listener) Close() error {
	l.close()
	return nil
}

// Addr is an address that leads nowhere.
func (l *Listener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// Dial connects to the listener, whatever the address.
func (l *Listener) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case l.conns <- there:
		return here, nil
	case <-l.closed:
		return nil, &net.OpError{Op: "dial", Net: "pipe", Err: net.ErrClosed}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Client returns a client whose requests all go to the listener. It keeps no
// connection that it does not use.
func (l *Listener) Client() *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: l.Dial, DisableKeepAlives: true}}
}

// Serve serves the handler until the test ends, and waits for what it does then.
func Serve(t testing.TB, h http.Handler) *Listener {
	t.Helper()
	l := Listen()
	var running sync.WaitGroup
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		running.Add(1)
		defer running.Done()
		h.ServeHTTP(w, r)
	})}
	running.Go(func() { _ = s.Serve(l) })
	t.Cleanup(func() {
		_ = s.Close()
		running.Wait()
	})
	return l
}
