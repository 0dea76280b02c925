package remote

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

	"pressroom/llm"
)

// maxFailure bounds what is read of an answer that reports a failure.
const maxFailure = 64 << 10

// post sends body as JSON and returns the answer's. The error is an *llm.Error, or
// wraps the context's own if the caller has gone.
func (p *Provider) post(ctx context.Context, header http.Header, body any) ([]byte, error) {
	payload, err := json.Marshal(body)
	if err != nil {
		return nil, p.fail(llm.BadRequest, "", err)
	}
	call, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(call, http.MethodPost, p.url, bytes.NewReader(payload))
	if err != nil {
		return nil, p.fail(llm.BadRequest, "the address cannot be used", nil)
	}
	req.Header = header.Clone()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "pressroom")
	resp, err := p.client.Do(req)
	if err != nil {
		return nil, p.transport(ctx, call, err)
	}
	defer resp.Body.Close()
	limit := p.maxBody
	if resp.StatusCode != http.StatusOK {
		limit = maxFailure
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	switch {
	case resp.StatusCode != http.StatusOK:
		return nil, p.Failure(resp.StatusCode, resp.Header, answer)
	case err != nil:
		return nil, p.transport(ctx, call, err)
	case int64(len(answer)) > limit:
		return nil, p.fail(llm.Malformed, fmt.Sprintf("the answer is longer than %d bytes", limit), nil)
	}
	return answer, nil
}

// transport tells why there is no whole answer.
func (p *Provider) transport(ctx, call context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", p.info.Provider, ctx.Err())
	}
	var address *url.Error
	if errors.As(err, &address) {
		err = address.Err // Without the URL, which may hold what is not to be shown.
	}
	var timeout net.Error
	if call.Err() != nil || errors.As(err, &timeout) && timeout.Timeout() {
		return p.fail(llm.Timeout, "no whole answer in time", nil)
	}
	e := p.fail(llm.Disconnected, "", err)
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

func (p *Provider) fail(kind llm.Kind, message string, err error) *llm.Error {
	return &llm.Error{Kind: kind, Provider: p.info.Provider, Model: p.info.Model, Message: message, Err: err}
}
