package llmtest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/llm"
)

// testFaults plays each fault and expects its kind and what goes with it.
func testFaults(t *testing.T, s suite) {
	tests := []struct {
		name  string
		reply Reply
		want  llm.Error
	}{
		{"429 with Retry-After", Reply{Fault: RateLimit, RetryAfter: 7 * time.Second}, llm.Error{Kind: llm.RateLimited, Status: 429, RetryAfter: 7 * time.Second}},
		{"429 without", Reply{Fault: RateLimit}, llm.Error{Kind: llm.RateLimited, Status: 429}},
		{"no credit", Reply{Fault: NoCredit}, llm.Error{Kind: llm.BudgetExceeded}},
		{"500", Reply{Fault: Fail, Status: 500}, llm.Error{Kind: llm.Overloaded, Status: 500}},
		{"503 with Retry-After", Reply{Fault: Fail, Status: 503, RetryAfter: 3 * time.Second}, llm.Error{Kind: llm.Overloaded, Status: 503, RetryAfter: 3 * time.Second}},
		{"529", Reply{Fault: Fail, Status: 529}, llm.Error{Kind: llm.Overloaded, Status: 529}},
		{"connection cut", Reply{Fault: CutEarly}, llm.Error{Kind: llm.Disconnected}},
		{"answer cut", Reply{Fault: Cut, Text: strings.Repeat("long ", 1000)}, llm.Error{Kind: llm.Disconnected}},
		{"garbage", Reply{Fault: Garbage}, llm.Error{Kind: llm.Malformed}},
		{"empty", Reply{Fault: Empty}, llm.Error{Kind: llm.Malformed}},
		{"huge", Reply{Fault: Huge}, llm.Error{Kind: llm.Malformed}},
		{"too long", Reply{Fault: TooLong}, llm.Error{Kind: llm.TooLong}},
		{"filtered input", Reply{Fault: FilterInput}, llm.Error{Kind: llm.Filtered}},
		{"filtered output", Reply{Fault: Filter}, llm.Error{Kind: llm.Filtered, Usage: llm.Usage{Input: 11, Output: 7}}},
		{"refusal", Reply{Fault: Refuse}, llm.Error{Kind: llm.Refused, Usage: llm.Usage{Input: 11, Output: 7}}},
		{"truncated", Reply{Fault: Truncate, Text: "and th"}, llm.Error{Kind: llm.CutOff, Text: "and th", Usage: llm.Usage{Input: 11, Output: 7}}},
		{"unknown parameter", Reply{Fault: Unsupported, Param: "nonsense"}, llm.Error{Kind: llm.BadRequest, Status: 400}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if !s.dialect.Can(test.reply.Fault) {
				t.Skipf("%s has no word for it", s.dialect.Name())
			}
			_, p := s.start(t, test.reply)
			resp, err := p.Generate(t.Context(), ask("x"))
			var got *llm.Error
			if !errors.As(err, &got) {
				t.Fatalf("got %+v, %v", resp, err)
			}
			if got.Unsent {
				t.Error("it says that nothing was sent")
			}
			if got.Provider != s.dialect.Name() || got.Model != Model {
				t.Errorf("by %s %s", got.Provider, got.Model)
			}
			want := test.want
			if want.Status == 0 {
				want.Status = got.Status
			}
			if want.Usage == (llm.Usage{}) {
				want.Usage = got.Usage
			}
			brief := llm.Error{Kind: got.Kind, Status: got.Status, RetryAfter: got.RetryAfter, Text: got.Text, Usage: got.Usage}
			if diff := cmp.Diff(want, brief); diff != "" {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
}

// testKeyStaysSecret has the server echo the key in everything it says. Bedrock's is
// the id of a key, which is no secret; the secret itself is never sent.
func testKeyStaysSecret(t *testing.T, s suite) {
	echo := "what is this key " + Key + " you\nsent\x00?"
	for _, reply := range []Reply{
		{Fault: BadKey, Message: echo}, {Fault: RateLimit, Message: echo}, {Fault: Fail, Status: 500, Message: echo},
		{Fault: TooLong, Message: "prompt is too long: " + echo}, {Fault: Unsupported, Param: "x", Message: echo}, {Fault: Refuse, Message: echo},
	} {
		if !s.dialect.Can(reply.Fault) {
			continue
		}
		_, p := s.start(t, reply)
		_, err := p.Generate(t.Context(), ask("x"))
		leaked := err != nil && strings.Contains(err.Error(), Key) && s.dialect != Bedrock()
		if err == nil || leaked || strings.ContainsAny(err.Error(), "\n\x00") {
			t.Errorf("%s: %q", reply.Fault, err)
		}
	}
}

func testWrongKey(t *testing.T, s suite) {
	server := NewServer(t, s.dialect)
	e := server.Endpoint()
	e.Key = "wrong-key-9876543210"
	_, err := s.newProvider(t, e).Generate(t.Context(), ask("x"))
	if !errors.Is(err, llm.Unauthenticated) {
		t.Errorf("got %v", err)
	} else if strings.Contains(err.Error(), e.Key) {
		t.Errorf("the key is in %q", err)
	}
}

// testRedirect: a redirect could carry the key's header to another host. The one
// of the server names a host that does not exist, so following it would be another
// kind of error.
func testRedirect(t *testing.T, s suite) {
	_, p := s.start(t, Reply{Fault: Redirect})
	_, err := p.Generate(t.Context(), ask("x"))
	if !errors.Is(err, llm.BadRequest) {
		t.Errorf("got %v", err)
	}
}

// testWholeStack: the wrappers bring one request through a service that fails in
// every way that may pass.
func testWholeStack(t *testing.T, s suite) {
	server, p := s.start(t,
		Reply{Fault: RateLimit}, Reply{Fault: Fail, Status: 503}, Reply{Fault: Cut, Text: "half"}, Reply{Fault: Garbage},
		Answer(`{"name": 1}`), Reply{Fault: CutEarly}, Answer(`{"name": "Al", "age": 3}`))
	calls := 0
	stack := llm.New(p, llm.Options{
		Retry:    llm.Retry{Attempts: 6, Base: time.Millisecond},
		Breaker:  llm.Breaker{Failures: 10},
		Recorder: llm.RecorderFunc(func(context.Context, llm.Call) { calls++ }),
	})
	req := ask("Who?")
	req.Schema = personSchema
	resp, err := stack.Generate(t.Context(), req)
	if err != nil || !resp.Repaired || resp.Text != `{"name": "Al", "age": 3}` {
		t.Fatalf("got %+v, %v", resp, err)
	}
	if n := len(server.Asked()); n != 7 || calls != 7 {
		t.Errorf("%d requests, %d records, want 7", n, calls)
	}
}
