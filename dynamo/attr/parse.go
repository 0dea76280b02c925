package attr

import (
	"encoding/binary"
	"errors"

	"pressroom/dynamo/token"
)

// class is the service's name of the structure, for messages about its shape.
const class = "AttributeValue"

// ParseJSON reads an attribute value ({"S":"x"}) that is an element of a list or a value of
// a map.
//
// It returns a *token.Error at once when the JSON is malformed or of the wrong shape. When
// the value is well formed but DynamoDB does not accept it, it is read to its end and the
// first fault is returned as an *InvalidError, so that the caller can read on and report
// the fault when its turn comes. The value lies in the reader's buffer, see
// [token.Reader.Reset].
func ParseJSON(r *token.Reader) (Value, error) {
	p := parser{r: r, dst: r.Space()}
	if r.Null() {
		return nil, invalid(msgEmpty)
	}
	if err := p.value(0, false); err != nil {
		return nil, err
	}
	return p.result()
}

// ParseFieldJSON is ParseJSON for a value that is a field of a structure, where the wrong
// shape has another message.
func ParseFieldJSON(r *token.Reader) (Value, error) {
	switch r.Kind() {
	case token.String, token.Number, token.True, token.False:
		return nil, r.BeginStruct(class)
	}
	return ParseJSON(r)
}

// ParseItemJSON reads an object of attribute values, an item or a key, under the rules of
// ParseJSON. Of several attributes with one name the last counts.
func ParseItemJSON(r *token.Reader) (Item, error) {
	p := parser{r: r, dst: r.Space()}
	if err := p.item(0); err != nil {
		return nil, err
	}
	return p.result()
}

// parser writes what it reads in stored form.
type parser struct {
	r     *token.Reader
	dst   []byte
	fault error // the first that is DynamoDB's, not JSON's
	count int   // how many there were
	top   error // the first of a name at the top
	inner error // the first of a name further down
}

// result is what was written, unless DynamoDB does not accept it.
func (p *parser) result() ([]byte, error) {
	if p.fault != nil {
		return nil, p.fault
	}
	return p.r.Keep(p.dst), nil
}

// refuse notes a fault of DynamoDB's unless there is one.
func (p *parser) refuse(err error) {
	p.count++
	if p.fault == nil {
		p.fault = err
	}
}

// refuseName notes the fault of an attribute's name. At the top, the service looks at the
// names before the values; further down, at the nesting before the names.
func (p *parser) refuseName(err error, depth int) {
	switch {
	case depth > 0 && p.inner == nil:
		p.inner = err
	case depth == 0 && p.top == nil:
		p.top, p.fault = err, nil
	}
	p.refuse(err)
}

// skipDeep passes over a list or map that is nested too deeply, inside depth others.
func (p *parser) skipDeep(depth int) error {
	raw, err := p.r.Raw()
	if err != nil {
		return err
	}
	if p.inner != nil && errors.Is(p.fault, p.inner) {
		p.fault = nil
	}
	p.refuse(&InvalidError{Message: msgNesting, Abysmal: depth+brackets(raw)/2 > abyss})
	return nil
}

// abyss is how many lists and maps the newer way of reading can hold inside each other
// while it refuses them.
const abyss = 62

// brackets is how many brackets of well-formed JSON are open at most. A list or map in an
// attribute value has two.
func brackets(raw []byte) int {
	open, most, text := 0, 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case text:
		case c == '{' || c == '[':
			open++
			most = max(most, open)
		case c == '}' || c == ']':
			open--
		}
	}
	return most
}

// item reads an object of attribute values that lies inside depth lists and maps.
func (p *parser) item(depth int) error {
	if err := p.r.BeginMap(class); err != nil {
		return err
	}
	start, last, ordered := len(p.dst), "", true
	for {
		name, more, err := p.r.Name()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if err := CheckName(name); err != nil {
			p.refuseName(err, depth)
		}
		ordered = ordered && last < name
		last = name
		p.dst = appendPart(p.dst, name)
		if p.r.Null() {
			p.refuse(invalid(msgNil + ": " + name + " is null"))
			p.head(Null, 0, true)
			continue
		}
		if err := p.value(depth, true); err != nil {
			return err
		}
	}
	if !ordered {
		p.dst = sortItem(p.dst, start)
	}
	return nil
}

// value reads one attribute value, and writes it with its length before it if prefixed.
func (p *parser) value(depth int, prefixed bool) error {
	start, before := len(p.dst), p.fault
	seen, many := Kind(0), false
	name, more, err := p.r.BeginUnion(class)
	for ; more; name, more, err = p.r.Name() {
		k, known := KindOf(name)
		if !known {
			if err := p.r.Skip(); err != nil {
				return err
			}
			continue
		}
		if p.r.Null() {
			// As if absent, but of one type given twice the last counts.
			if seen == k {
				seen, p.fault = 0, before
			}
			continue
		}
		if seen == k {
			p.fault = before
		}
		many = many || (seen != 0 && seen != k)
		seen, p.dst = k, p.dst[:start]
		if err := p.content(k, depth, prefixed); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	if seen == 0 {
		p.refuse(invalid(msgEmpty))
		p.dst = p.dst[:start]
		p.head(Null, 0, prefixed)
	}
	if many {
		p.refuse(invalid(msgMany))
	}
	return nil
}

// content reads a value of kind k.
func (p *parser) content(k Kind, depth int, prefixed bool) error {
	switch k {
	case String:
		return p.text(prefixed)
	case Null, Bool:
		return p.boolean(k, prefixed)
	}
	at := 0
	if prefixed {
		p.dst, at = reserve(p.dst)
	}
	p.dst = append(p.dst, byte(k))
	if err := p.payload(k, depth); err != nil {
		return err
	}
	if prefixed {
		p.dst = patch(p.dst, at)
	}
	return nil
}

// payload reads what follows the kind byte of a value whose length is not known yet.
func (p *parser) payload(k Kind, depth int) (err error) {
	switch k {
	case Number:
		return p.number()
	case Binary:
		p.dst, err = p.r.AppendBlob(p.dst)
		return err
	case List, Map:
		if !fits(depth) {
			return p.skipDeep(depth)
		}
		if k == Map {
			return p.item(depth + 1)
		}
		return p.list(depth + 1)
	}
	return p.set(k)
}

// head writes the kind of a value whose payload has n bytes.
func (p *parser) head(k Kind, n int, prefixed bool) {
	if prefixed {
		p.dst = binary.AppendUvarint(p.dst, uint64(1+n))
	}
	p.dst = append(p.dst, byte(k))
}

func (p *parser) text(prefixed bool) error {
	body, escaped, err := p.r.Literal()
	if err != nil {
		return err
	}
	if !escaped {
		p.head(String, len(body), prefixed)
		p.dst = append(p.dst, body...)
		return nil
	}
	at := 0
	if prefixed {
		p.dst, at = reserve(p.dst)
	}
	if p.dst, err = p.r.Unescape(append(p.dst, byte(String)), body); err != nil {
		return err
	}
	if prefixed {
		p.dst = patch(p.dst, at)
	}
	return nil
}

func (p *parser) boolean(k Kind, prefixed bool) error {
	b, err := p.r.Bool()
	switch {
	case err != nil:
		return err
	case k == Bool && b:
		p.head(Bool, 1, prefixed)
		p.dst = append(p.dst, 1)
		return nil
	case k == Bool:
		p.head(Bool, 1, prefixed)
		p.dst = append(p.dst, 0)
		return nil
	case !b:
		p.refuse(invalid(msgNull))
	}
	p.head(Null, 0, prefixed)
	return nil
}

// number reads a number's text; a refused one leaves a zero, so that what is around it
// stays well formed.
func (p *parser) number() error {
	text, err := p.r.String()
	if err != nil {
		return err
	}
	if p.dst, err = appendNumber(p.dst, text); err != nil {
		p.refuse(err)
		p.dst = append(p.dst, numZero)
	}
	return nil
}

// list reads a list that lies inside depth-1 lists and maps.
func (p *parser) list(depth int) error {
	if err := p.r.BeginArray(); err != nil {
		return err
	}
	for {
		more, err := p.r.Element()
		if !more {
			return err
		}
		if p.r.Null() {
			p.refuse(invalid(msgNil))
			p.head(Null, 0, true)
			continue
		}
		if err := p.value(depth, true); err != nil {
			return err
		}
	}
}

func (p *parser) set(k Kind) error {
	if err := p.r.BeginArray(); err != nil {
		return err
	}
	start, count := len(p.dst), p.count
	for {
		more, err := p.r.Element()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if err := p.member(k); err != nil {
			return err
		}
	}
	if p.count > count {
		return nil
	}
	dst, err := finishSet(p.dst, start, k)
	if err != nil {
		p.refuse(err)
	}
	p.dst = dst
	return nil
}

func (p *parser) member(k Kind) (err error) {
	if p.r.Null() {
		p.refuse(nullMember(k))
		return nil
	}
	var at int
	p.dst, at = reserve(p.dst)
	switch k {
	case NumberSet:
		err = p.number()
	case StringSet:
		p.dst, err = p.r.AppendString(p.dst)
	default:
		p.dst, err = p.r.AppendBlob(p.dst)
	}
	if err != nil {
		return err
	}
	p.dst = patch(p.dst, at)
	return nil
}
