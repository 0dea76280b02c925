package llmtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"pressroom/llm"
)

// Every fault becomes the kind that a client would make of it.
func TestScripted(t *testing.T) {
	for fault, kind := range kinds {
		p := NewScripted(func(int, *llm.Request) Reply { return Reply{Fault: fault, RetryAfter: time.Second} })
		_, err := p.Generate(t.Context(), ask("x"))
		if kind == "" || !errors.Is(err, kind) || llm.RetryAfter(err) != time.Second {
			t.Errorf("%s: %v", fault, err)
		}
	}
	p := NewScripted(func(n int, req *llm.Request) Reply { return Answer(req.Messages[0].Text) })
	if resp, err := p.Generate(t.Context(), ask("echo")); err != nil || resp.Text != "echo" || p.Count() != 1 {
		t.Errorf("got %+v, %v", resp, err)
	}
	hang := NewScripted(func(int, *llm.Request) Reply { return Reply{Fault: Hang} })
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := hang.Generate(ctx, ask("x")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestUnreliable(t *testing.T) {
	good := `{"name": "Al", "age": 3}`
	outcomes := func(seed uint64) (kinds map[llm.Kind]int, texts map[string]int) {
		p := Unreliable(NewScripted(func(int, *llm.Request) Reply { return Answer(good) }), 0.5, seed)
		kinds, texts = map[llm.Kind]int{}, map[string]int{}
		for range 1000 {
			resp, err := p.Generate(t.Context(), ask("x"))
			if err != nil {
				kinds[llm.KindOf(err)]++
			} else {
				texts[resp.Text]++
			}
		}
		return kinds, texts
	}
	kinds, texts := outcomes(1)
	if texts[good] < 450 || texts[good] > 550 {
		t.Errorf("%d of 1000 good answers at a share of one half", texts[good])
	}
	if len(kinds) != 7 || len(texts) != 1+len(spoiled) {
		t.Errorf("failures %v, answers %v", kinds, texts)
	}
	if _, again := outcomes(1); again[good] != texts[good] {
		t.Error("the same seed fails other calls")
	}
}

// The suite itself must notice a provider that breaks its promises.
func TestServerIsStrict(t *testing.T) {
	for _, d := range []Dialect{OpenAI(), Azure(), Gemini(), Anthropic(), Bedrock()} {
		recorder := &errorCounter{TB: t}
		server := NewServer(t, d)
		server.t = recorder
		resp, err := server.http.Client().Post(server.Endpoint().URL+"/nowhere", "application/json", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if recorder.errors != 1 {
			t.Errorf("%s did not notice a wrong path", d.Name())
		}
	}
}

type errorCounter struct {
	testing.TB
	errors int
}

func (e *errorCounter) Errorf(string, ...any) { e.errors++ }

func TestMemoryLedger(t *testing.T) {
	Ledger(t, func(*testing.T) llm.Ledger { return llm.NewMemoryLedger(nil) })
}
