package llmtest

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"pressroom/llm"
)

// Scripted is a provider in process that a function answers for, with the faults of
// a server and without one.
type Scripted struct {
	// Description is what Info returns; the zero value is "scripted" and Model.
	Description llm.Info
	// Script is asked for each reply; n counts requests from 1.
	Script func(n int, req *llm.Request) Reply

	mu    sync.Mutex
	count int
}

// NewScripted returns a provider that plays the script.
func NewScripted(script func(n int, req *llm.Request) Reply) *Scripted {
	return &Scripted{Script: script}
}

// Info implements llm.Provider.
func (s *Scripted) Info() llm.Info {
	if s.Description == (llm.Info{}) {
		return llm.Info{Provider: "scripted", Model: Model}
	}
	return s.Description
}

// Count returns how many requests there were.
func (s *Scripted) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// Generate implements llm.Provider.
func (s *Scripted) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if err := req.Validate(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.count++
	n := s.count
	s.mu.Unlock()
	start := time.Now()
	reply := s.Script(n, req)
	if reply.Delay > 0 || reply.Fault == Hang {
		var due <-chan time.Time
		if reply.Fault != Hang {
			due = time.After(reply.Delay)
		}
		select {
		case <-due:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return s.answer(reply, time.Since(start))
}

// kinds is what a client makes of each fault.
var kinds = map[Fault]llm.Kind{
	BadKey: llm.Unauthenticated, RateLimit: llm.RateLimited, NoCredit: llm.BudgetExceeded, TooLong: llm.TooLong,
	Unsupported: llm.BadRequest, FilterInput: llm.Filtered, Fail: llm.Overloaded, Redirect: llm.BadRequest,
	CutEarly: llm.Disconnected, Cut: llm.Disconnected, Garbage: llm.Malformed, Empty: llm.Malformed, Huge: llm.Malformed,
	Refuse: llm.Refused, Filter: llm.Filtered, Truncate: llm.CutOff,
}

func (s *Scripted) answer(reply Reply, latency time.Duration) (*llm.Response, error) {
	info := s.Info()
	if reply.Fault == "" {
		return &llm.Response{Text: reply.Text, Provider: info.Provider, Model: info.Model, Finish: llm.Stop, Usage: reply.usage(), Latency: latency}, nil
	}
	e := &llm.Error{Kind: kinds[reply.Fault], Provider: info.Provider, Model: info.Model, Status: reply.Status, RetryAfter: reply.RetryAfter, Message: reply.message("scripted: " + string(reply.Fault))}
	switch reply.Fault {
	case Refuse, Filter, Truncate:
		e.Text, e.Usage = reply.Text, reply.usage()
	}
	return nil, e
}

// Unreliable wraps a provider so that a share of its calls, between 0 and 1, fails,
// each in another way: every fault that a service has, and answers that are cut,
// wrapped in words or of the wrong form. The same seed fails the same calls, as far
// as their order is the same.
func Unreliable(p llm.Provider, share float64, seed uint64) llm.Provider {
	return &unreliable{next: p, share: share, random: rand.New(rand.NewPCG(seed, seed))}
}

type unreliable struct {
	next   llm.Provider
	share  float64
	mu     sync.Mutex
	random *rand.Rand
}

func (u *unreliable) Info() llm.Info { return u.next.Info() }

// failures are the faults of Unreliable, without those that never pass.
var failures = []Reply{
	{Fault: RateLimit, RetryAfter: time.Second}, {Fault: RateLimit}, {Fault: Fail, Status: 500}, {Fault: Fail, Status: 503},
	{Fault: CutEarly}, {Fault: Cut}, {Fault: Garbage}, {Fault: Empty}, {Fault: Refuse}, {Fault: Filter}, {Fault: Truncate, Text: "{"},
}

// spoiled are ways to spoil a good answer.
var spoiled = []func(text string) string{
	func(text string) string { return strings.ToValidUTF8(text[:len(text)/2], "") },
	func(text string) string { return "Here you are:\n```json\n" + text + "\n```" },
	func(string) string { return "{}" },
	func(string) string { return "I would rather talk about the weather." },
	func(string) string { return "" },
}

func (u *unreliable) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	u.mu.Lock()
	fails, which := u.random.Float64() < u.share, u.random.IntN(len(failures)+len(spoiled))
	u.mu.Unlock()
	if fails && which < len(failures) {
		return (&Scripted{Description: u.Info()}).answer(failures[which], 0)
	}
	resp, err := u.next.Generate(ctx, req)
	if err == nil && fails {
		resp.Text = spoiled[which-len(failures)](resp.Text)
	}
	return resp, err
}
