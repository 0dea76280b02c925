package cost

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/model"
)

// Samples makes items of a table: whole, with the usual sizes of their fields,
// and different from each other.
type Samples struct {
	Table *model.Table
	// Spread makes also those fields differ that otherwise stay together: times
	// lie hours apart instead of seconds, and choices take turns.
	Spread bool
}

var (
	together = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	apart    = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
)

// Item makes the nth item of the entity, with fixed values for some fields. A
// fixed value may be the beginning of a time.
func (s Samples) Item(e *model.Entity, n int, fixed model.Values) (model.Raw, error) {
	item := model.Raw{}
	for _, f := range e.Fields {
		if fixed[f.Name] != "" || !inOptional(e, f.Name) { // which most items do without
			item[f.Name] = s.value(f, n, fixed[f.Name])
		}
	}
	item[model.SchemaVersionAttribute] = &types.AttributeValueMemberN{Value: strconv.Itoa(e.SchemaVersion())}
	if err := s.Table.Fill(e, item); err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	for _, f := range e.Fields {
		if f.InKey {
			delete(item, f.Name)
		}
	}
	if e.Head != "" { // as most of the time, no save has it
		delete(item, model.SaveAttribute)
		delete(item, model.NextAttribute)
	}
	return item, nil
}

// inOptional reports whether a field stands in a segment that a key can do without.
func inOptional(e *model.Entity, name string) bool {
	return e.PK.Optional() == name || slices.ContainsFunc(e.Keys, func(k model.IndexKey) bool { return k.PK.Optional() == name })
}

func (s Samples) value(f model.Field, n int, fixed string) types.AttributeValue {
	text := s.Text(f, n)
	if fixed != "" {
		text = extend(f, fixed, text)
	}
	switch f.Kind.DynamoDB() {
	case "N":
		return &types.AttributeValueMemberN{Value: text}
	case "BOOL":
		return &types.AttributeValueMemberBOOL{Value: text == "true"}
	case "B":
		return &types.AttributeValueMemberB{Value: []byte(text)}
	case "SS":
		return &types.AttributeValueMemberSS{Value: []string{text}}
	case "L":
		return &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberS{Value: text}}}
	case "M":
		return &types.AttributeValueMemberM{Value: model.Raw{"v": &types.AttributeValueMemberS{Value: text}}}
	}
	return &types.AttributeValueMemberS{Value: text}
}

// extend completes a time of which the beginning is fixed.
func extend(f model.Field, fixed, text string) string {
	if (f.Kind == model.Time || f.Kind == model.Date) && len(fixed) < len(text) {
		return fixed + text[len(fixed):]
	}
	return fixed
}

// Text is the nth value of a field, as text.
func (s Samples) Text(f model.Field, n int) string {
	switch {
	case len(f.Values) > 0 && s.Spread:
		return f.Values[n%len(f.Values)]
	case len(f.Values) > 0:
		return f.Values[0]
	}
	switch f.Kind {
	case model.Time:
		if s.Spread {
			return model.FormatTime(apart.Add(time.Duration(n) * 7 * time.Hour))
		}
		return model.FormatTime(together.Add(time.Duration(n) * time.Second))
	case model.Date:
		return apart.AddDate(0, 0, n%days).Format(time.DateOnly)
	case model.Number:
		return strconv.Itoa(n % numbers)
	case model.Epoch:
		return "4102444800" // 2100-01-01: nothing expires
	case model.Bool:
		return strconv.FormatBool(!s.Spread || n%2 == 0)
	}
	size := f.Size
	if size == 0 {
		size = 16
	}
	id := fmt.Sprintf("%08x", scatter(n))
	if s.Spread {
		id = "s" + id
	}
	return id + strings.Repeat("x", max(0, size-len(id)))
}

// scatter maps numbers to others, no two to the same, so that the order of texts
// says nothing about the order of times and numbers.
func scatter(n int) uint32 { return uint32(n) * 2654435761 }

// Bounds of what samples count with: days of four-digit years, and numbers that
// fit into the padding of keys.
const (
	days    = 2_900_000
	numbers = 10_000
)

// Args are arguments for a pattern that samples answer.
func (s Samples) Args(p *model.Pattern) (model.Values, error) {
	args := model.Values{}
	if len(p.Yields) == 0 {
		return args, nil
	}
	e, ok := s.Table.Entity(p.Yields[0])
	if !ok {
		return nil, fmt.Errorf("no entity %s", p.Yields[0])
	}
	pk, sk, err := s.Table.Keys(p, e)
	if err != nil {
		return nil, err
	}
	whole := slices.Concat(pk.WholeVars(), sk.WholeVars())
	if p.Op == model.Query {
		whole = pk.WholeVars()
	}
	for _, name := range p.By {
		f, ok := e.Field(name)
		if !ok {
			return nil, fmt.Errorf("%s has no field %s", e.Name, name)
		}
		args[name] = Samples{Table: s.Table}.Text(*f, 0)
		if !slices.Contains(whole, name) && (f.Kind == model.Time || f.Kind == model.Date) {
			args[name] = args[name][:len("2026-01")]
		}
	}
	return args, nil
}

// Fixed are the values that items must have to be in the answer to a pattern
// with these arguments.
func (s Samples) Fixed(p *model.Pattern, e *model.Entity, args model.Values) model.Values {
	fixed := maps.Clone(args)
	maps.Copy(fixed, p.Given)
	if k, ok := e.Key(p.Index); ok && k.When != nil && fixed[k.When.Field] == "" {
		fixed[k.When.Field] = k.When.In[0]
	}
	return fixed
}

// Page makes the items that a page of the pattern reads, in no order.
func (s Samples) Page(p *model.Pattern) ([]model.Raw, error) {
	args, err := s.Args(p)
	if err != nil {
		return nil, err
	}
	read := reads(p)
	var items []model.Raw
	for i := 0; len(items) < read; i++ {
		grew := false
		for _, name := range p.Yields {
			e, ok := s.Table.Entity(name)
			if !ok {
				return nil, fmt.Errorf("no entity %s", name)
			}
			if len(items) == read || i > 0 && !s.many(p, e) {
				continue
			}
			item, err := s.Item(e, i, s.Fixed(p, e, args))
			if err != nil {
				return nil, err
			}
			items = append(items, item)
			grew = true
		}
		if !grew {
			break
		}
	}
	return items, nil
}

// many reports whether an answer can hold many of the entity: its table key has
// a variable that neither the arguments nor a short list of choices fix.
func (s Samples) many(p *model.Pattern, e *model.Entity) bool {
	fixed := s.Fixed(p, e, model.Values{})
	return slices.ContainsFunc(slices.Concat(e.PK.Vars(), e.SK.Vars()), func(name string) bool {
		f, ok := e.Field(name)
		_, isFixed := fixed[name]
		return ok && !isFixed && len(f.Values) == 0 && !slices.Contains(argsOf(p, s.Table), name)
	})
}

// argsOf returns the arguments that fix a field as a whole.
func argsOf(p *model.Pattern, t *model.Table) []string {
	e, _ := t.Entity(p.Yields[0])
	pk, sk, err := t.Keys(p, e)
	if err != nil {
		return p.By
	}
	whole := pk.WholeVars()
	if p.Op == model.Get {
		whole = append(whole, sk.WholeVars()...)
	}
	return slices.DeleteFunc(slices.Clone(p.By), func(name string) bool { return !slices.Contains(whole, name) })
}

// reads is how many entries a page reads: one more than it shows, to know
// whether another page follows.
func reads(p *model.Pattern) int {
	if p.Op == model.Get || p.Limit == 1 {
		return 1
	}
	return p.Limit + 1
}
