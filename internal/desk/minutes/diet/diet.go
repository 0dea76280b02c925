// Package diet reads the minutes API of the National Diet Library
// (/api/meeting, recordPacking=json): one page of meetings at a time.
//
// It promises never to make two calls at once, to pause between calls, to accept
// numbers that come as strings and a single record that comes as an object, and to
// say so when an answer was cut short ([ErrTruncated]) instead of passing off a part
// for the whole. What it could not read of a meeting stands in the meeting's
// Problems; the meeting itself is never dropped.
//
// Start with [Client.Page]; parse.go reads the answers.
package diet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// BaseURL is the library's own address.
const BaseURL = "https://kokkai.ndl.go.jp"

// MaxRecords is the most meetings that the API gives in one answer.
const MaxRecords = 10

// ErrTruncated is an answer that ends before its time. Asking for less may help.
var ErrTruncated = errors.New("the answer was cut short")

// Error is a refusal by the API.
type Error struct {
	Status  int
	Message string
}

func (e *Error) Error() string {
	return fmt.Sprintf("minutes API answered %d: %s", e.Status, e.Message)
}

// Client asks the API. Its fields are not changed after the first call; the zero
// value works, with the defaults of the fields.
type Client struct {
	// HTTP sends the requests; nil means http.DefaultClient.
	HTTP *http.Client
	// BaseURL is where the API is; "" means the library.
	BaseURL string
	// Pause is the least time between the end of a call and the next; 0 means 3 s,
	// negative none.
	Pause time.Duration
	// Timeout bounds one call; 0 means 1 minute.
	Timeout time.Duration
	// Attempts is how often a call is made that fails for a reason which may pass;
	// 0 means 4.
	Attempts int
	// MaxBytes bounds an answer; 0 means 64 MB. A longer one counts as truncated.
	MaxBytes int64

	mu   sync.Mutex // held through a call: there is one at a time
	last time.Time
}

// Query is one page of the meetings between two days, both included.
type Query struct {
	From, Until string // YYYY-MM-DD
	Start       int    // the position of the first meeting, from 1
	Records     int    // how many meetings; at most MaxRecords
}

// Page returns a page of meetings. An answer that is cut, or that ends before the
// number of meetings it announces, is ErrTruncated.
func (c *Client) Page(ctx context.Context, q Query) (Page, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	attempts := c.Attempts
	if attempts <= 0 {
		attempts = 4
	}
	for try := 1; ; try++ {
		if err := c.wait(ctx, try); err != nil {
			return Page{}, err
		}
		page, after, err := c.call(ctx, q)
		c.last = time.Now().Add(after)
		if err == nil || try == attempts || !passing(err) || ctx.Err() != nil {
			return page, err
		}
	}
}

// passing tells whether an error may pass by itself.
func passing(err error) bool {
	if errors.Is(err, ErrTruncated) {
		return false
	}
	var refused *Error
	if errors.As(err, &refused) {
		return refused.Status == http.StatusTooManyRequests || refused.Status >= 500
	}
	return true // the network
}

// wait keeps the pause since the last call; it doubles with every try.
func (c *Client) wait(ctx context.Context, try int) error {
	pause := c.Pause
	switch {
	case pause < 0:
		pause = 0
	case pause == 0:
		pause = 3 * time.Second
	}
	if c.last.IsZero() && try == 1 {
		return ctx.Err()
	}
	timer := time.NewTimer(time.Until(c.last.Add(pause << (try - 1))))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// maxRetryAfter is the longest wait that the API can ask of us.
const maxRetryAfter = 5 * time.Minute

// call makes one call; after is how much longer than usual to wait for the next.
func (c *Client) call(ctx context.Context, q Query) (page Page, after time.Duration, err error) {
	timeout := c.Timeout
	if timeout <= 0 {
		timeout = time.Minute
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.address(q), nil)
	if err != nil {
		return Page{}, 0, fmt.Errorf("minutes API: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return Page{}, 0, fmt.Errorf("minutes API: %w", err)
	}
	defer resp.Body.Close()
	body, cut, err := c.read(resp)
	if err != nil {
		return Page{}, 0, err
	}
	if resp.StatusCode != http.StatusOK {
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		return Page{}, min(time.Duration(max(seconds, 0))*time.Second, maxRetryAfter), &Error{resp.StatusCode, messageOf(body)}
	}
	if cut {
		return Page{}, 0, fmt.Errorf("minutes API: %w", ErrTruncated)
	}
	page, err = Parse(body)
	if err == nil {
		err = page.complete(q)
	}
	return page, 0, err
}

// read returns the body; cut tells that there was more of it.
func (c *Client) read(resp *http.Response) (body []byte, cut bool, err error) {
	limit := c.MaxBytes
	if limit <= 0 {
		limit = 64 << 20
	}
	body, err = io.ReadAll(io.LimitReader(resp.Body, limit+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return body, true, nil
	case err != nil:
		return nil, false, fmt.Errorf("minutes API: %w", err)
	}
	return body, int64(len(body)) > limit, nil
}

func (c *Client) address(q Query) string {
	base := c.BaseURL
	if base == "" {
		base = BaseURL
	}
	v := url.Values{}
	v.Set("from", q.From)
	v.Set("until", q.Until)
	v.Set("startRecord", strconv.Itoa(max(q.Start, 1)))
	v.Set("maximumRecords", strconv.Itoa(min(max(q.Records, 1), MaxRecords)))
	v.Set("recordPacking", "json")
	return strings.TrimSuffix(base, "/") + "/api/meeting?" + v.Encode()
}
