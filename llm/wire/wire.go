// Package wire is what the providers that speak JSON over HTTP have in common: one
// POST, a bounded answer, and a failure told in the terms of package llm.
//
// It promises that a call ends within its timeout, that an answer takes no more
// memory than its bound, that no redirect is followed (which could carry a key to
// another host), and that no error contains one of the caller's secrets.
//
// Start with [Caller.Post]; failure.go has the table from status to kind.
package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"pressroom/llm"
)

// Defaults for callers that do not say.
const (
	// DefaultTimeout is long, because answers are not streamed.
	DefaultTimeout = 3 * time.Minute
	// DefaultMaxBody is far above what any model answers.
	DefaultMaxBody = 16 << 20
)

// maxFailure bounds what is read of an answer that reports a failure.
const maxFailure = 64 << 10

// Caller posts requests to one service.
type Caller struct {
	// Provider and Model name the caller in errors.
	Provider string
	Model    string
	// HTTP is used without its redirects; nil means a client of its own.
	HTTP *http.Client
	// Timeout bounds a call from its start to the last byte; 0 means DefaultTimeout.
	Timeout time.Duration
	// MaxBody bounds an answer in bytes; 0 means DefaultMaxBody.
	MaxBody int64
	// Secrets are cut out of messages.
	Secrets []string
	// Explain reads the failure that a body reports, in the service's own format: it
	// refines e, which has the kind that the status stands for. It may be nil.
	Explain func(e *llm.Error, body []byte)
}

// Post sends body as JSON to the address and decodes the answer. The error is an
// *llm.Error, or wraps the context's own if the caller has gone.
func (c *Caller) Post(ctx context.Context, address string, header http.Header, body, answer any) error {
	payload, err := json.Marshal(body)
	if err != nil {
		return c.fail(llm.BadRequest, "", err)
	}
	timeout := c.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	call, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(call, http.MethodPost, address, bytes.NewReader(payload))
	if err != nil {
		return c.fail(llm.BadRequest, "the address cannot be used", nil)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "pressroom")
	resp, err := c.client().Do(req)
	if err != nil {
		return c.transport(ctx, call, err)
	}
	defer resp.Body.Close()
	return c.read(ctx, call, resp, answer)
}

// client is the caller's, without redirects.
func (c *Caller) client() *http.Client {
	client := http.Client{}
	if c.HTTP != nil {
		client = *c.HTTP
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

func (c *Caller) read(ctx, call context.Context, resp *http.Response, answer any) error {
	limit := c.MaxBody
	if limit == 0 {
		limit = DefaultMaxBody
	}
	if resp.StatusCode != http.StatusOK {
		limit = maxFailure
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if resp.StatusCode != http.StatusOK {
		return c.Failure(resp.StatusCode, resp.Header, body)
	}
	if err != nil {
		return c.transport(ctx, call, err)
	}
	if int64(len(body)) > limit {
		return c.fail(llm.Malformed, fmt.Sprintf("the answer is longer than %d bytes", limit), nil)
	}
	if err := json.Unmarshal(body, answer); err != nil {
		return c.fail(llm.Malformed, "the answer is not JSON of this protocol", err)
	}
	return nil
}

// transport tells why there is no whole answer.
func (c *Caller) transport(ctx, call context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", c.Provider, ctx.Err())
	}
	var address *url.Error
	if errors.As(err, &address) {
		err = address.Err // Without the URL, which may hold what is not to be shown.
	}
	var timeout net.Error
	if call.Err() != nil || errors.As(err, &timeout) && timeout.Timeout() {
		return c.fail(llm.Timeout, "no whole answer in time", nil)
	}
	e := c.fail(llm.Disconnected, "", err)
	e.Unsent = Unsent(err)
	return e
}

// Unsent tells whether a connection could not be made at all, so that no request
// was sent.
func Unsent(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	return errors.As(err, &op) && op.Op == "dial" || errors.As(err, &dns)
}

func (c *Caller) fail(kind llm.Kind, message string, err error) *llm.Error {
	return &llm.Error{Kind: kind, Provider: c.Provider, Model: c.Model, Message: message, Err: err}
}

// Malformed returns an error for an answer that is JSON but lacks what the
// protocol promises.
func (c *Caller) Malformed(message string) *llm.Error { return c.fail(llm.Malformed, message, nil) }
