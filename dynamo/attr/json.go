package attr

import (
	"encoding/base64"
	"encoding/binary"

	"pressroom/dynamo/token"
)

// maxNesting is how many lists and maps may lie in one another.
const maxNesting = 32

// The service's messages about values as a whole.
const (
	msgEmpty   = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
	msgMany    = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
	msgNull    = msgInvalid + "Null attribute value types must have the value of true"
	msgNesting = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
)

// The service's name of the structure, for messages about its shape.
const class = "AttributeValue"

// ParseJSON reads an attribute value ({"S":"x"}) that is an element of a list or a value
// of a map. It returns a *token.Error at once when the JSON is malformed or of the wrong
// shape. When the value is well formed but DynamoDB does not accept it, it is read to its
// end and the first fault is returned as an *InvalidError, so that the caller can go on
// and report it when its turn comes. The value lies in the reader's buffer.
func ParseJSON(r *token.Reader) (Value, error) {
	p := parser{r: r, dst: r.Space()}
	if err := p.value(0, false); err != nil {
		return nil, err
	}
	v := Value(r.Keep(p.dst))
	if p.fault != nil {
		return nil, p.fault
	}
	return v, nil
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

// ParseItemJSON reads an object of attribute values under the rules of ParseJSON.
func ParseItemJSON(r *token.Reader) (Item, error) {
	p := parser{r: r, dst: r.Space()}
	if err := p.item(0); err != nil {
		return nil, err
	}
	it := Item(r.Keep(p.dst))
	if p.fault != nil {
		return nil, p.fault
	}
	return it, nil
}

// parser writes what it reads in stored form.
type parser struct {
	r     *token.Reader
	dst   []byte
	fault error // the first that is DynamoDB's, not JSON's
}

func (p *parser) refuse(message string) { p.note(invalid(message)) }

func (p *parser) note(err error) {
	if p.fault == nil {
		p.fault = err
	}
}

// item reads an object of attribute values whose own depth is given.
func (p *parser) item(depth int) error {
	if err := p.r.BeginMap(class); err != nil {
		return err
	}
	start := len(p.dst)
	for {
		name, more, err := p.r.Name()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		p.dst = appendPart(p.dst, unsafeBytes(name))
		if err := p.value(depth, true); err != nil {
			return err
		}
	}
	p.dst = finishItem(p.dst, start)
	return nil
}

// value reads one attribute value, and writes it with its length before it if prefixed.
func (p *parser) value(depth int, prefixed bool) error {
	start, before := len(p.dst), p.fault
	seen := Kind(0)
	if !p.r.Null() {
		if err := p.r.BeginMember(class); err != nil {
			return err
		}
		for {
			name, more, err := p.r.Name()
			if err != nil {
				return err
			}
			if !more {
				break
			}
			k, ok := KindOf(name)
			if !ok {
				if err := p.r.Skip(); err != nil {
					return err
				}
				continue
			}
			if p.r.Null() {
				if seen == k {
					seen, p.fault = 0, before
				}
				continue
			}
			switch seen {
			case 0:
			case k: // the last of a name given twice counts
				p.fault = before
			default:
				defer p.refuse(msgMany)
			}
			seen = k
			p.dst = p.dst[:start]
			if err := p.content(k, depth, prefixed); err != nil {
				return err
			}
		}
	}
	if seen == 0 {
		p.refuse(msgEmpty)
		p.dst = p.dst[:start]
		p.head(Null, 0, prefixed)
	}
	return nil
}

// head writes the kind of a value whose payload has n bytes.
func (p *parser) head(k Kind, n int, prefixed bool) {
	if prefixed {
		p.dst = binary.AppendUvarint(p.dst, uint64(1+n))
	}
	p.dst = append(p.dst, byte(k))
}

// content reads a value of kind k.
func (p *parser) content(k Kind, depth int, prefixed bool) error {
	switch k {
	case Null, Bool:
		return p.boolean(k, prefixed)
	case String:
		body, escaped, err := p.r.Literal()
		if err != nil {
			return err
		}
		if !escaped {
			p.head(String, len(body), prefixed)
			p.dst = append(p.dst, body...)
			return nil
		}
		at := p.open(String, prefixed)
		if p.dst, err = p.r.Unescape(p.dst, body); err != nil {
			return err
		}
		p.close(at, prefixed)
		return nil
	}
	at := p.open(k, prefixed)
	defer p.close(at, prefixed)
	switch k {
	case Number:
		return p.number()
	case Binary:
		var err error
		p.dst, err = p.r.AppendBlob(p.dst)
		return err
	case List:
		return p.list(depth + 1)
	case Map:
		return p.nested(depth + 1)
	}
	return p.set(k)
}

func (p *parser) open(k Kind, prefixed bool) int {
	at := 0
	if prefixed {
		p.dst, at = reserve(p.dst)
	}
	p.dst = append(p.dst, byte(k))
	return at
}

func (p *parser) close(at int, prefixed bool) {
	if prefixed && p.r.Err() == nil {
		p.dst = patch(p.dst, at)
	}
}

func (p *parser) boolean(k Kind, prefixed bool) error {
	b, err := p.r.Bool()
	if err != nil {
		return err
	}
	if k == Null {
		if !b {
			p.refuse(msgNull)
		}
		p.head(Null, 0, prefixed)
		return nil
	}
	p.head(Bool, 1, prefixed)
	if b {
		p.dst = append(p.dst, 1)
	} else {
		p.dst = append(p.dst, 0)
	}
	return nil
}

func (p *parser) number() error {
	text, err := p.r.String()
	if err != nil {
		return err
	}
	if p.dst, err = appendNumber(p.dst, text); err != nil {
		p.note(err)
	}
	return nil
}

func (p *parser) list(depth int) error {
	if depth > maxNesting {
		p.refuse(msgNesting)
		return p.r.Skip()
	}
	if err := p.r.BeginArray(); err != nil {
		return err
	}
	for {
		more, err := p.r.Element()
		if !more {
			return err
		}
		if err := p.value(depth, true); err != nil {
			return err
		}
	}
}

func (p *parser) nested(depth int) error {
	if depth > maxNesting {
		p.refuse(msgNesting)
		return p.r.Skip()
	}
	return p.item(depth)
}

func (p *parser) set(k Kind) error {
	if err := p.r.BeginArray(); err != nil {
		return err
	}
	start, before := len(p.dst), p.fault
	for {
		more, err := p.r.Element()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		var at int
		p.dst, at = reserve(p.dst)
		switch k {
		case NumberSet:
			err = p.number()
		case BinarySet:
			p.dst, err = p.r.AppendBlob(p.dst)
		default:
			p.dst, err = p.r.AppendString(p.dst)
		}
		if err != nil {
			return err
		}
		p.dst = patch(p.dst, at)
	}
	if p.fault != before {
		return nil
	}
	dst, err := finishSet(p.dst, start, k)
	if err != nil {
		p.note(err)
	}
	p.dst = dst
	return nil
}

// AppendItemJSON appends the item as the service writes it: {"name":{"S":"x"}}.
func AppendItemJSON(dst []byte, it Item) []byte {
	dst = append(dst, '{')
	for n := 0; len(it) > 0; n++ {
		name, v, rest, ok := it.cutEntry()
		if !ok {
			break
		}
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = append(token.AppendQuoted(dst, view(name)), ':')
		dst = AppendJSON(dst, v)
		it = rest
	}
	return append(dst, '}')
}

// AppendJSON appends the value as the service writes it: {"S":"x"}.
func AppendJSON(dst []byte, v Value) []byte {
	kind := v.Kind()
	dst = append(dst, `{"`...)
	dst = append(dst, kind.String()...)
	dst = append(dst, `":`...)
	switch kind {
	case Null:
		dst = append(dst, "true"...)
	case Bool:
		if v.Bool() {
			dst = append(dst, "true"...)
		} else {
			dst = append(dst, "false"...)
		}
	case Map:
		dst = AppendItemJSON(dst, v.Item())
	case List, NumberSet, StringSet, BinarySet:
		dst = appendPartsJSON(dst, kind, v[1:])
	case Number, String, Binary:
		dst = appendScalarJSON(dst, kind, v[1:])
	default:
		dst = append(dst, "null"...)
	}
	return append(dst, '}')
}

func appendPartsJSON(dst []byte, kind Kind, rest []byte) []byte {
	dst = append(dst, '[')
	for n := 0; len(rest) > 0; n++ {
		part, next, ok := cut(rest)
		if !ok {
			break
		}
		if n > 0 {
			dst = append(dst, ',')
		}
		if kind == List {
			dst = AppendJSON(dst, part)
		} else {
			dst = appendScalarJSON(dst, kind.Member(), part)
		}
		rest = next
	}
	return append(dst, ']')
}

func appendScalarJSON(dst []byte, kind Kind, payload []byte) []byte {
	switch kind {
	case Number:
		dst = append(dst, '"')
		dst = appendNumberText(dst, payload)
		return append(dst, '"')
	case Binary:
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, payload)
		return append(dst, '"')
	}
	return token.AppendQuoted(dst, view(payload))
}

// setMemberText shows a member in a message.
func setMemberText(k Kind, payload []byte) string {
	switch k {
	case NumberSet:
		return string(appendNumberText(nil, payload))
	case BinarySet:
		return base64.StdEncoding.EncodeToString(payload)
	}
	return string(payload)
}
