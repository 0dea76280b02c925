package wire

import (
	"math"
	"reflect"
	"strconv"
	"sync"
	"time"

	"pressroom/dynamo/engine"
	"pressroom/dynamo/token"
)

// A codec between the service's JSON and the SDK's structs, for operations
// that are rare and have no attribute values. The names of members are those
// of the fields, times are numbers of seconds, and enums are strings. Members
// that a structure does not have are passed over.

// decode reads the body into an input of the SDK.
func (c *call) decode(input any) error {
	v := reflect.ValueOf(input).Elem()
	if err := c.in.BeginStruct(v.Type().Name()); err != nil {
		return err
	}
	if err := c.decodeMembers(v); err != nil {
		return err
	}
	return c.in.Done()
}

var (
	timeType   = reflect.TypeFor[time.Time]()
	stringType = reflect.TypeFor[string]()
)

// fieldsOf maps the names of members to the indexes of a struct's fields.
func fieldsOf(t reflect.Type) map[string]int {
	if known, ok := fields.Load(t); ok {
		return known.(map[string]int)
	}
	m := make(map[string]int, t.NumField())
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() && f.Name != "ResultMetadata" {
			m[f.Name] = i
		}
	}
	fields.Store(t, m)
	return m
}

var fields sync.Map // of reflect.Type to map[string]int

func (c *call) decodeMembers(v reflect.Value) error {
	known := fieldsOf(v.Type())
	return c.members(func(name string) error {
		i, ok := known[name]
		if !ok {
			return c.in.Skip()
		}
		return c.decodeValue(v.Field(i), c.in.BeginStruct)
	})
}

// decodeValue reads a value; begin opens it if it is a structure, since the
// service words the refusal of another type by where it stands.
func (c *call) decodeValue(v reflect.Value, begin func(class string) error) error {
	if v.Type() == timeType {
		seconds, err := c.in.Double()
		v.Set(reflect.ValueOf(timeOf(seconds)))
		return err
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return c.decodeValue(v.Elem(), begin)
	case reflect.Struct:
		if err := begin(v.Type().Name()); err != nil {
			return err
		}
		return c.decodeMembers(v)
	case reflect.Slice:
		return c.decodeList(v)
	}
	return c.decodeScalar(v)
}

func (c *call) decodeList(v reflect.Value) error {
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	return c.elements(func() error {
		element := reflect.New(v.Type().Elem()).Elem()
		if !c.in.Null() {
			if err := c.decodeValue(element, c.in.BeginMember); err != nil {
				return err
			}
		}
		v.Set(reflect.Append(v, element))
		return nil
	})
}

func (c *call) decodeScalar(v reflect.Value) error {
	switch v.Kind() {
	case reflect.String:
		s, err := c.in.String()
		if s == "" && v.Type() != stringType {
			s = engine.Blank
		}
		v.SetString(s)
		return err
	case reflect.Bool:
		b, err := c.in.Bool()
		v.SetBool(b)
		return err
	case reflect.Int32:
		n, err := c.in.Int()
		v.SetInt(min(max(n, math.MinInt32), math.MaxInt32))
		return err
	case reflect.Int64:
		n, err := c.in.Long()
		v.SetInt(n)
		return err
	case reflect.Float64:
		f, err := c.in.Double()
		v.SetFloat(f)
		return err
	}
	return c.in.Skip() // maps and unions, which no supported operation takes
}

// timeOf is the moment so many seconds after the epoch, to the millisecond.
func timeOf(seconds float64) time.Time {
	seconds = min(max(seconds, -62135596800), 253402300799) // years 1 to 9999
	return time.UnixMilli(int64(math.Round(seconds * 1000))).UTC()
}

// appendJSON appends an output of the SDK. What is absent is left out, but for
// the lists that an operation is there to answer with.
func appendJSON(dst []byte, output any) []byte {
	return appendStruct(dst, reflect.ValueOf(output).Elem(), true)
}

func appendValue(dst []byte, v reflect.Value) []byte {
	if v.Type() == timeType {
		return appendTime(dst, v.Interface().(time.Time))
	}
	switch v.Kind() {
	case reflect.Pointer:
		return appendValue(dst, v.Elem())
	case reflect.Struct:
		return appendStruct(dst, v, false)
	case reflect.Slice:
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, v.Index(i))
		}
		return append(dst, ']')
	case reflect.String:
		return token.AppendQuoted(dst, v.String())
	case reflect.Bool:
		return strconv.AppendBool(dst, v.Bool())
	case reflect.Int32, reflect.Int64:
		return strconv.AppendInt(dst, v.Int(), 10)
	case reflect.Float64:
		return strconv.AppendFloat(dst, v.Float(), 'f', -1, 64)
	}
	return append(dst, "null"...) // maps and unions, which no supported operation answers with
}

func appendStruct(dst []byte, v reflect.Value, lists bool) []byte {
	dst = append(dst, '{')
	first := true
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() || f.Name == "ResultMetadata" {
			continue
		}
		if absent(v.Field(i)) && !(lists && v.Field(i).Kind() == reflect.Slice) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, '"')
		dst = append(dst, f.Name...)
		dst = append(dst, '"', ':')
		dst = appendValue(dst, v.Field(i))
	}
	return append(dst, '}')
}

// absent reports a member that was not set. Numbers and booleans are set if
// they are no pointers.
func absent(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return v.IsNil()
	case reflect.String:
		return v.Len() == 0
	}
	return false
}

// appendTime appends a moment as seconds since the epoch with milliseconds.
func appendTime(dst []byte, t time.Time) []byte {
	return strconv.AppendFloat(dst, float64(t.UnixMilli())/1000, 'f', -1, 64)
}
