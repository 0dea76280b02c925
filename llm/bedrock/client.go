package bedrock

import (
	"errors"
	"io"
	"net/http"
)

// errTooLarge is what reading past the bound of an answer gives.
var errTooLarge = errors.New("the answer is longer than its bound")

// client is an HTTP client that follows no redirects and reads no more than max.
type client struct {
	http http.Client
	max  int64
}

func newClient(h *http.Client, limit int64) *client {
	c := &client{max: limit}
	if h != nil {
		c.http = *h
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c
}

// Do implements the SDK's HTTPClient.
func (c *client) Do(req *http.Request) (*http.Response, error) {
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	resp.Body = &bounded{resp.Body, c.max}
	return resp, nil
}

// bounded fails when there is more to read than its bound.
type bounded struct {
	io.ReadCloser
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}
