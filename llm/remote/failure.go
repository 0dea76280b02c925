package remote

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"pressroom/llm"
)

// Failure turns an answer that reports a failure into an error.
func (p *Provider) Failure(status int, header http.Header, body []byte) *llm.Error {
	e := p.fail(kindOf(status), "", nil)
	e.Status, e.RetryAfter = status, RetryAfter(header, time.Now())
	p.protocol.Explain(e, body)
	if e.Message == "" && status >= 300 && status < 400 {
		e.Message = "the server redirects, which is not followed; use the address that it means"
	}
	e.Message = Clean(e.Message, p.secrets...)
	return e
}

// kindOf is what a status stands for if the body does not say more.
func kindOf(status int) llm.Kind {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return llm.Unauthenticated
	case http.StatusPaymentRequired:
		return llm.BudgetExceeded
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return llm.Timeout
	case http.StatusRequestEntityTooLarge:
		return llm.TooLong
	case http.StatusTooManyRequests:
		return llm.RateLimited
	}
	if status >= 500 {
		return llm.Overloaded
	}
	return llm.BadRequest
}

// maxRetryAfter bounds what a header can ask for.
const maxRetryAfter = 7 * 24 * time.Hour

// RetryAfter returns how long the headers ask to wait, 0 if they do not say. It
// reads retry-after-ms and Retry-After, in seconds or as a date.
func RetryAfter(header http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(header.Get("retry-after-ms"), 64); err == nil {
		return bounded(ms * float64(time.Millisecond))
	}
	value := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		return bounded(seconds * float64(time.Second))
	}
	if date, err := http.ParseTime(value); err == nil {
		return bounded(float64(date.Sub(now)))
	}
	return 0
}

func bounded(d float64) time.Duration {
	if !(d > 0) {
		return 0
	}
	return time.Duration(min(d, float64(maxRetryAfter)))
}

// keyLike matches what services echo of a key, partly starred, and other strings
// that are keys by their looks.
var keyLike = regexp.MustCompile(`\b(?:sk|pk|key|AIza|AKIA|ASIA)[-_A-Za-z0-9*.]{12,}`)

// Clean makes a service's message fit to be shown and logged: one line, at most 500
// characters, without the secrets and without what looks like a key.
func Clean(message string, secrets ...string) string {
	message = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(message, ""))
	message = strings.Join(strings.Fields(message), " ")
	for _, secret := range secrets {
		if len(secret) >= 4 {
			message = strings.ReplaceAll(message, secret, "[redacted]")
		}
	}
	message = keyLike.ReplaceAllString(message, "[redacted]")
	if runes := []rune(message); len(runes) > 500 {
		return string(runes[:500]) + "…"
	}
	return message
}

// IsTooLong recognises the many wordings of "the input is longer than the model's
// context" where a service has no code for it.
func IsTooLong(message string) bool {
	message = strings.ToLower(message)
	for _, words := range []string{
		"maximum context length", "context length exceeded", "context_length_exceeded", "context window",
		"exceeds the available context size", "prompt is too long", "input is too long", "too many input tokens",
		"input token count", "exceeds the maximum number of tokens", "too many tokens", "input length and `max_tokens` exceed",
	} {
		if strings.Contains(message, words) {
			return true
		}
	}
	return false
}
