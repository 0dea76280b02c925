package llm

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"sync"
)

// Price is what a model costs, in US dollars per million tokens.
type Price struct {
	Provider string `json:"provider"`
	// Model is the model's name, or "*" for all of the provider's that have no row.
	// A row also covers names that only add a date, a revision or "latest".
	Model  string  `json:"model"`
	Input  float64 `json:"input"`
	Output float64 `json:"output"`
	// CachedInput is the price of input that the service had cached; without it,
	// such input costs as other input does.
	CachedInput *float64 `json:"cached_input,omitempty"`
	// Long, if set, is the price of the whole call when the input is longer than
	// its Over.
	Long *LongPrice `json:"long,omitempty"`
}

// LongPrice is the price of calls with long input.
type LongPrice struct {
	Over   int     `json:"over"`
	Input  float64 `json:"input"`
	Output float64 `json:"output"`
}

// Cost returns what the usage costs, rounded up to a billionth of a dollar.
func (p Price) Cost(u Usage) USD {
	input, cached, output := p.Input, p.Input, p.Output
	if p.CachedInput != nil {
		cached = *p.CachedInput
	}
	if p.Long != nil && u.Input > p.Long.Over {
		input, cached, output = p.Long.Input, p.Long.Input, p.Long.Output
	}
	hit := min(u.CachedInput, u.Input)
	millionths := perToken(input)*int64(u.Input-hit) + perToken(cached)*int64(hit) + perToken(output)*int64(u.Output)
	return USD((millionths + 999) / 1000)
}

// perToken converts dollars per million tokens to 10⁻¹² dollars per token, in which
// prices with six decimals are whole numbers.
func perToken(perMillion float64) int64 { return int64(math.Round(perMillion * 1e6)) }

// Prices is a table of prices. It does not change once made.
type Prices struct {
	// Version says of when the table is.
	Version string
	rows    map[[2]string]Price
}

//go:embed prices.json
var pricesJSON []byte

// DefaultPrices returns the table that comes with the program: list prices at its
// version's date. Prices change; Override has the last word.
var DefaultPrices = sync.OnceValue(func() *Prices {
	prices, err := ParsePrices(pricesJSON)
	if err != nil {
		panic(err) // The file is part of the program, and a test reads it.
	}
	return prices
})

// ParsePrices reads a table in the format of prices.json: {"version": …, "models":
// [{"provider", "model", "input", "output", …}]}.
func ParsePrices(data []byte) (*Prices, error) {
	var file struct {
		Version string  `json:"version"`
		Note    string  `json:"note"`
		Models  []Price `json:"models"`
	}
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		return nil, fmt.Errorf("price table: %w", err)
	}
	return (&Prices{}).with(file.Version, file.Models)
}

// Override returns a table with the other's rows in place of, or beside, its own.
func (p *Prices) Override(other *Prices) *Prices {
	merged := &Prices{Version: p.Version + "+" + other.Version, rows: map[[2]string]Price{}}
	for _, table := range []*Prices{p, other} {
		for key, row := range table.rows {
			merged.rows[key] = row
		}
	}
	return merged
}

func (p *Prices) with(version string, rows []Price) (*Prices, error) {
	out := &Prices{Version: version, rows: map[[2]string]Price{}}
	for _, row := range rows {
		if err := row.validate(); err != nil {
			return nil, fmt.Errorf("price table: %s %s: %w", row.Provider, row.Model, err)
		}
		key := [2]string{row.Provider, row.Model}
		if _, ok := out.rows[key]; ok {
			return nil, fmt.Errorf("price table: %s %s is there twice", row.Provider, row.Model)
		}
		out.rows[key] = row
	}
	return out, nil
}

// maxPrice keeps the arithmetic of Cost far from overflow.
const maxPrice = 1e5

func (p Price) validate() error {
	if p.Provider == "" || p.Model == "" {
		return errors.New("no provider or no model")
	}
	all := []float64{p.Input, p.Output}
	if p.CachedInput != nil {
		all = append(all, *p.CachedInput)
	}
	if p.Long != nil {
		all = append(all, p.Long.Input, p.Long.Output)
	}
	for _, price := range all {
		if !(price >= 0 && price <= maxPrice) {
			return fmt.Errorf("%v is no price per million tokens", price)
		}
	}
	return nil
}

var (
	revision = regexp.MustCompile(`-(\d{8}|\d{4}-\d{2}-\d{2}|\d{3}|latest)$`)
	bedrock  = regexp.MustCompile(`^(?:(?:us|eu|apac|jp|au|ca|us-gov|global)\.)?(.*?)(?:-v\d+(?::\d+)?(?::\w+)?)?$`)
)

// Find returns the price of a provider's model: the row of that name, else the row
// without its date or revision, else the provider's "*" row.
func (p *Prices) Find(provider, model string) (Price, bool) {
	names := []string{model}
	if provider == "bedrock" {
		model = bedrock.FindStringSubmatch(model)[1]
		names = append(names, model)
	}
	names = append(names, revision.ReplaceAllString(model, ""), "*")
	for _, name := range names {
		if row, ok := p.rows[[2]string{provider, name}]; ok {
			return row, true
		}
	}
	return Price{}, false
}

// Priced returns a provider that puts the cost on each response, and on each error
// that says what was used. Nil prices are the default ones.
func Priced(p Provider, prices *Prices) Provider {
	if prices == nil {
		prices = DefaultPrices()
	}
	return &priced{p, prices}
}

type priced struct {
	next   Provider
	prices *Prices
}

func (p *priced) Info() Info { return p.next.Info() }

func (p *priced) Generate(ctx context.Context, req *Request) (*Response, error) {
	info := p.next.Info()
	price, ok := p.prices.Find(info.Provider, info.Model)
	resp, err := p.next.Generate(ctx, req)
	if err != nil {
		var e *Error
		if !ok || !errors.As(err, &e) {
			return nil, err
		}
		costly := *e
		costly.Cost = price.Cost(e.Usage)
		return nil, &costly
	}
	resp.Cost, resp.Unpriced = price.Cost(resp.Usage), !ok
	return resp, nil
}
