package llm

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
)

func TestUSD(t *testing.T) {
	for amount, want := range map[USD]string{
		0: "$0.00", Dollar: "$1.00", Dollars(1.25): "$1.25", 1: "$0.000000001", -Dollars(0.5): "-$0.50",
		Dollars(1234.5678): "$1234.5678", math.MinInt64: "-$9223372036.854775808",
	} {
		if got := amount.String(); got != want {
			t.Errorf("%d: %s, want %s", int64(amount), got, want)
		}
	}
	if Dollars(1e30) != math.MaxInt64 {
		t.Error("overflow")
	}
}

func TestPriceCost(t *testing.T) {
	cached := 0.3
	p := Price{Input: 3, Output: 15, CachedInput: &cached, Long: &LongPrice{Over: 1000, Input: 6, Output: 20}}
	tests := []struct {
		usage Usage
		want  USD
	}{
		{Usage{}, 0},
		{Usage{Input: 1000}, Dollars(0.003)},
		{Usage{Input: 1000, CachedInput: 900}, Dollars(0.0003 + 0.00027)},
		{Usage{Output: 1_000_000}, 15 * Dollar},
		{Usage{Input: 1001, Output: 100}, Dollars(0.006006 + 0.002)},
	}
	for _, test := range tests {
		if got := p.Cost(test.usage); got != test.want {
			t.Errorf("%+v: %s, want %s", test.usage, got, test.want)
		}
	}
	if got := (Price{Input: 0.000001}).Cost(Usage{Input: 1}); got != 1 {
		t.Errorf("less than a billionth became %d, not 1", got)
	}
}

func TestFindPrice(t *testing.T) {
	prices := DefaultPrices()
	tests := []struct {
		provider, model, row string
	}{
		{"openai", "gpt-4o-mini", "gpt-4o-mini"},
		{"openai", "gpt-4o-mini-2024-07-18", "gpt-4o-mini"},
		{"anthropic", "claude-sonnet-4-5-20250929", "claude-sonnet-4-5"},
		{"anthropic", "claude-3-5-haiku-latest", "claude-3-5-haiku"},
		{"gemini", "gemini-2.0-flash-001", "gemini-2.0-flash"},
		{"bedrock", "jp.anthropic.claude-sonnet-4-5-20250929-v1:0", "anthropic.claude-sonnet-4-5"},
		{"bedrock", "amazon.nova-lite-v1:0", "amazon.nova-lite"},
		{"ollama", "llama3.3:70b", "*"},
		{"builtin", "extractive-1", "*"},
		// A dearer sibling must not get its cheaper one's price.
		{"openai", "gpt-5-pro", ""},
		{"openai", "gpt-4o-audio-preview", ""},
		{"nobody", "m", ""},
	}
	for _, test := range tests {
		row, ok := prices.Find(test.provider, test.model)
		if row.Model != test.row || ok != (test.row != "") {
			t.Errorf("%s %s: %q, want %q", test.provider, test.model, row.Model, test.row)
		}
	}
}

func TestOverridePrices(t *testing.T) {
	own, err := ParsePrices([]byte(`{"version": "ours", "models": [{"provider": "openai", "model": "gpt-4o", "input": 1, "output": 2}]}`))
	if err != nil {
		t.Fatal(err)
	}
	merged := DefaultPrices().Override(own)
	if row, _ := merged.Find("openai", "gpt-4o"); row.Output != 2 {
		t.Errorf("our row lost: %+v", row)
	}
	if row, _ := merged.Find("openai", "gpt-4o-mini"); row.Output != 0.6 {
		t.Errorf("the other rows are gone: %+v", row)
	}
	if row, _ := DefaultPrices().Find("openai", "gpt-4o"); row.Output != 10 {
		t.Error("the default table was changed")
	}
	for _, bad := range []string{
		`{`, `{"models": [{"model": "m"}]}`, `{"models": [{"provider": "p", "model": "m", "input": -1}]}`,
		`{"models": [{"provider": "p", "model": "m"}, {"provider": "p", "model": "m"}]}`,
		`{"models": [{"provider": "p", "model": "m", "inptu": 1}]}`,
	} {
		if _, err := ParsePrices([]byte(bad)); err == nil || !strings.HasPrefix(err.Error(), "price table: ") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestPriced(t *testing.T) {
	info := Info{Provider: "openai", Model: "gpt-4o"}
	p := &script{info: info, answer: func(_ context.Context, n int, _ *Request) (*Response, error) {
		if n == 1 {
			return &Response{Usage: Usage{Input: 1000, Output: 100}}, nil
		}
		return nil, &Error{Kind: CutOff, Usage: Usage{Output: 100}}
	}}
	priced := Priced(p, nil)
	if resp, err := priced.Generate(t.Context(), ask("x")); err != nil || resp.Cost != Dollars(0.0035) || resp.Unpriced {
		t.Errorf("got %+v, %v", resp, err)
	}
	_, err := priced.Generate(t.Context(), ask("x"))
	var e *Error
	if !errors.As(err, &e) || e.Cost != Dollars(0.001) {
		t.Errorf("got %+v", err)
	}
	if resp, err := Priced(texts("x"), nil).Generate(t.Context(), ask("x")); err != nil || resp.Cost != 0 || !resp.Unpriced {
		t.Errorf("got %+v, %v", resp, err)
	}
}
