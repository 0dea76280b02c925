package openai

import (
	"strings"

	"pressroom/llm"
)

// manners are what a server is known to take. They only ever get plainer, so that a
// call is repeated a bounded number of times.
type manners struct {
	format        format
	maxTokens     bool // max_tokens in place of max_completion_tokens
	triedBoth     bool
	noTemperature bool
	noSeed        bool
}

// format is how the schema is sent.
type format int

const (
	asSchema format = iota // response_format json_schema
	asObject               // response_format json_object, and in words
	asWords                // in words alone
)

// adapt leaves out what the error says the server does not take. It returns ok
// false if the error does not say so, or nothing is left to leave out, and lasting
// true if that will be so for other requests too.
func (m *manners) adapt(err error, req *llm.Request) (lasting, ok bool) {
	name, never := refused(err)
	switch {
	case strings.HasPrefix(name, "response_format"), name == "json_schema", name == "json_object", name == "grammar":
		if req.Schema == nil || m.format == asWords {
			return false, false
		}
		m.format++
	case !never:
		return false, false // A bad value is the caller's to know.
	case name == "max_tokens" || name == "max_completion_tokens":
		if m.triedBoth {
			return false, false
		}
		m.maxTokens, m.triedBoth = !m.maxTokens, true
	case name == "temperature" && req.Temperature != nil && !m.noTemperature:
		m.noTemperature = true
	case name == "seed" && req.Seed != nil && !m.noSeed:
		m.noSeed = true
	default:
		return false, false
	}
	return never, true
}
