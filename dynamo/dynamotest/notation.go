package dynamotest

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// The notation of scripts is JSON with less ink. Members of the SDK's structs
// need no quotes, nor do words such as ALL_OLD where a string is wanted.
// Where an attribute value is wanted,
//
//	"text"  12.5  true  null  [1, "a"]  {a: 1}
//
// are of type S, N, BOOL, NULL, L and M; b"\x00\xff" is binary; <1, 2>,
// <"a"> and <b"a"> are sets, SS<>, NS<> and BS<> empty ones; N"text" is a
// number of just this text. "x"*1000 is a string of a thousand x. $x.Item is
// a part of an answer that was kept.

// notation reads a text into the SDK's structs.
type notation struct {
	src string
	pos int
	// lookup finds the value of a $ reference.
	lookup func(ref string) (reflect.Value, error)
}

// read reads the whole text into the value that into points to.
func read(src string, into any, lookup func(string) (reflect.Value, error)) error {
	n := &notation{src: src, lookup: lookup}
	if err := n.value(reflect.ValueOf(into).Elem()); err != nil {
		return err
	}
	if n.space(); n.pos < len(n.src) {
		return n.fault("something follows the value")
	}
	return nil
}

func (n *notation) fault(format string, args ...any) error {
	rest := n.src[n.pos:]
	return fmt.Errorf("%s, at %.30q", fmt.Sprintf(format, args...), rest)
}

var (
	attributeType = reflect.TypeFor[types.AttributeValue]()
	timeType      = reflect.TypeFor[time.Time]()
)

func (n *notation) value(into reflect.Value) error {
	n.space()
	if n.peek() == '$' {
		return n.reference(into)
	}
	if into.Type() == attributeType {
		v, err := n.attribute()
		if err == nil {
			into.Set(reflect.ValueOf(v))
		}
		return err
	}
	switch into.Kind() {
	case reflect.Pointer:
		p := reflect.New(into.Type().Elem())
		into.Set(p)
		return n.value(p.Elem())
	case reflect.Struct:
		if into.Type() == timeType {
			return n.moment(into)
		}
		return n.structure(into)
	case reflect.Map:
		return n.mapping(into)
	case reflect.Slice:
		return n.list(into)
	}
	return n.scalar(into)
}

func (n *notation) reference(into reflect.Value) error {
	begin := n.pos
	for n.pos < len(n.src) && !strings.ContainsRune(" ,}]\n\t", rune(n.src[n.pos])) {
		n.pos++
	}
	v, err := n.lookup(n.src[begin+1 : n.pos])
	if err != nil {
		return err
	}
	if into.Kind() == reflect.Pointer && v.Kind() != reflect.Pointer {
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		v = p
	}
	if !v.Type().AssignableTo(into.Type()) {
		return n.fault("a %v is wanted, not a %v", into.Type(), v.Type())
	}
	into.Set(v)
	return nil
}

func (n *notation) structure(into reflect.Value) error {
	return n.members('{', '}', func() error {
		name, err := n.name()
		if err != nil {
			return err
		}
		field := into.FieldByName(name)
		if !field.IsValid() || name == "ResultMetadata" {
			return n.fault("%v has no member %s", into.Type(), name)
		}
		return n.value(field)
	})
}

func (n *notation) mapping(into reflect.Value) error {
	into.Set(reflect.MakeMap(into.Type()))
	return n.members('{', '}', func() error {
		name, err := n.name()
		if err != nil {
			return err
		}
		v := reflect.New(into.Type().Elem()).Elem()
		if err := n.value(v); err != nil {
			return err
		}
		into.SetMapIndex(reflect.ValueOf(name), v)
		return nil
	})
}

func (n *notation) list(into reflect.Value) error {
	into.Set(reflect.MakeSlice(into.Type(), 0, 0))
	return n.members('[', ']', func() error {
		v := reflect.New(into.Type().Elem()).Elem()
		if err := n.value(v); err != nil {
			return err
		}
		into.Set(reflect.Append(into, v))
		return nil
	})
}

func (n *notation) moment(into reflect.Value) error {
	text, err := n.text()
	if err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339, text)
	into.Set(reflect.ValueOf(at))
	return err
}

func (n *notation) scalar(into reflect.Value) error {
	if into.Kind() == reflect.String {
		text, err := n.text()
		into.SetString(text)
		return err
	}
	word := n.word()
	switch into.Kind() {
	case reflect.Bool:
		into.SetBool(word == "true")
		return nil
	case reflect.Int32, reflect.Int64:
		i, err := strconv.ParseInt(word, 10, 64)
		into.SetInt(i)
		return err
	case reflect.Float64:
		f, err := strconv.ParseFloat(word, 64)
		into.SetFloat(f)
		return err
	}
	return n.fault("there is no notation for a %v", into.Type())
}
