package attr

import (
	"encoding/base64"

	"pressroom/dynamo/token"
)

// AppendItemJSON appends the item as the service writes it: {"name":{"S":"x"}}. It
// allocates nothing beyond dst's growth.
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

// AppendJSON appends the value as the service writes it: {"S":"x"}. It allocates nothing
// beyond dst's growth.
func AppendJSON(dst []byte, v Value) []byte {
	kind := v.Kind()
	if kind == 0 {
		return append(dst, "{}"...)
	}
	dst = append(dst, jsonHeads[kind]...)
	payload := v[1:]
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
		dst = AppendItemJSON(dst, Item(payload))
	case List, NumberSet, StringSet, BinarySet:
		dst = appendPartsJSON(dst, kind, payload)
	default:
		dst = appendScalarJSON(dst, kind, payload)
	}
	return append(dst, '}')
}

// jsonHeads are what comes before a value's content.
var jsonHeads = func() (heads [Map + 1]string) {
	for k := Null; k <= Map; k++ {
		heads[k] = `{"` + k.String() + `":`
	}
	return heads
}()

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
