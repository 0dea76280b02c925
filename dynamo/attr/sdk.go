package attr

import (
	"slices"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// FromSDK is the SDK's value in stored form, or an *InvalidError.
func FromSDK(av types.AttributeValue) (Value, error) {
	v, err := appendSDK(nil, av, 0)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// ItemFromSDK is the SDK's map in stored form, or an *InvalidError.
func ItemFromSDK(m map[string]types.AttributeValue) (Item, error) {
	it, err := appendItemSDK(nil, m, 0)
	if err != nil {
		return nil, err
	}
	return it, nil
}

func appendItemSDK(dst []byte, m map[string]types.AttributeValue, depth int) ([]byte, error) {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		dst = appendPart(dst, unsafeBytes(name))
		var at int
		var err error
		dst, at = reserve(dst)
		if dst, err = appendSDK(dst, m[name], depth); err != nil {
			return nil, err
		}
		dst = patch(dst, at)
	}
	return dst, nil
}

func appendSDK(dst []byte, av types.AttributeValue, depth int) ([]byte, error) {
	switch av := av.(type) {
	case *types.AttributeValueMemberNULL:
		if !av.Value {
			return nil, invalid(msgNull)
		}
		return append(dst, byte(Null)), nil
	case *types.AttributeValueMemberBOOL:
		if av.Value {
			return append(dst, byte(Bool), 1), nil
		}
		return append(dst, byte(Bool), 0), nil
	case *types.AttributeValueMemberN:
		return appendNumber(append(dst, byte(Number)), av.Value)
	case *types.AttributeValueMemberS:
		return appendText(append(dst, byte(String)), av.Value), nil
	case *types.AttributeValueMemberB:
		return append(append(dst, byte(Binary)), av.Value...), nil
	case *types.AttributeValueMemberNS:
		return appendSetSDK(dst, NumberSet, av.Value, appendNumber)
	case *types.AttributeValueMemberSS:
		return appendSetSDK(dst, StringSet, av.Value, func(dst []byte, s string) ([]byte, error) {
			return appendText(dst, s), nil
		})
	case *types.AttributeValueMemberBS:
		return appendSetSDK(dst, BinarySet, av.Value, func(dst []byte, b []byte) ([]byte, error) {
			return append(dst, b...), nil
		})
	case *types.AttributeValueMemberL:
		return appendListSDK(append(dst, byte(List)), av.Value, depth+1)
	case *types.AttributeValueMemberM:
		if depth+1 > maxNesting {
			return nil, invalid(msgNesting)
		}
		return appendItemSDK(append(dst, byte(Map)), av.Value, depth+1)
	}
	return nil, invalid(msgEmpty)
}

func appendListSDK(dst []byte, list []types.AttributeValue, depth int) ([]byte, error) {
	if depth > maxNesting {
		return nil, invalid(msgNesting)
	}
	for _, av := range list {
		var at int
		var err error
		dst, at = reserve(dst)
		if dst, err = appendSDK(dst, av, depth); err != nil {
			return nil, err
		}
		dst = patch(dst, at)
	}
	return dst, nil
}

func appendSetSDK[T any](dst []byte, k Kind, members []T, add func([]byte, T) ([]byte, error)) ([]byte, error) {
	dst = append(dst, byte(k))
	start := len(dst)
	for _, m := range members {
		var at int
		var err error
		dst, at = reserve(dst)
		if dst, err = add(dst, m); err != nil {
			return nil, err
		}
		dst = patch(dst, at)
	}
	return finishSet(dst, start, k)
}

// appendText appends s; bytes that are not UTF-8 become U+FFFD each, as they do when the
// SDK's client writes them as JSON.
func appendText(dst []byte, s string) []byte {
	if utf8.ValidString(s) {
		return append(dst, s...)
	}
	for _, r := range s {
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// ToSDK is the value in the SDK's types, nil for a damaged one.
func ToSDK(v Value) types.AttributeValue {
	switch kind := v.Kind(); kind {
	case Null:
		return &types.AttributeValueMemberNULL{Value: true}
	case Bool:
		return &types.AttributeValueMemberBOOL{Value: v.Bool()}
	case Number:
		return &types.AttributeValueMemberN{Value: v.Number()}
	case String:
		return &types.AttributeValueMemberS{Value: string(v[1:])}
	case Binary:
		return &types.AttributeValueMemberB{Value: append([]byte{}, v[1:]...)}
	case NumberSet:
		list := []string{}
		for m := range v.Elements() {
			list = append(list, m.Number())
		}
		return &types.AttributeValueMemberNS{Value: list}
	case StringSet:
		list := []string{}
		for m := range v.Elements() {
			list = append(list, string(m[1:]))
		}
		return &types.AttributeValueMemberSS{Value: list}
	case BinarySet:
		list := [][]byte{}
		for m := range v.Elements() {
			list = append(list, m[1:])
		}
		return &types.AttributeValueMemberBS{Value: list}
	case List:
		list := []types.AttributeValue{}
		for m := range v.Elements() {
			list = append(list, ToSDK(m))
		}
		return &types.AttributeValueMemberL{Value: list}
	case Map:
		return &types.AttributeValueMemberM{Value: ItemToSDK(v.Item())}
	}
	return nil
}

// ItemToSDK is the item in the SDK's types.
func ItemToSDK(it Item) map[string]types.AttributeValue {
	m := make(map[string]types.AttributeValue, it.Len())
	for name, v := range it.All() {
		m[string([]byte(name))] = ToSDK(v)
	}
	return m
}

// ItemToStreams is the item in the types of the SDK's streams client.
func ItemToStreams(it Item) map[string]streamtypes.AttributeValue {
	m := make(map[string]streamtypes.AttributeValue, it.Len())
	for name, v := range it.All() {
		m[string([]byte(name))] = toStreams(v)
	}
	return m
}

func toStreams(v Value) streamtypes.AttributeValue {
	switch av := ToSDK(v).(type) {
	case *types.AttributeValueMemberNULL:
		return &streamtypes.AttributeValueMemberNULL{Value: av.Value}
	case *types.AttributeValueMemberBOOL:
		return &streamtypes.AttributeValueMemberBOOL{Value: av.Value}
	case *types.AttributeValueMemberN:
		return &streamtypes.AttributeValueMemberN{Value: av.Value}
	case *types.AttributeValueMemberS:
		return &streamtypes.AttributeValueMemberS{Value: av.Value}
	case *types.AttributeValueMemberB:
		return &streamtypes.AttributeValueMemberB{Value: av.Value}
	case *types.AttributeValueMemberNS:
		return &streamtypes.AttributeValueMemberNS{Value: av.Value}
	case *types.AttributeValueMemberSS:
		return &streamtypes.AttributeValueMemberSS{Value: av.Value}
	case *types.AttributeValueMemberBS:
		return &streamtypes.AttributeValueMemberBS{Value: av.Value}
	case *types.AttributeValueMemberL:
		list := []streamtypes.AttributeValue{}
		for m := range v.Elements() {
			list = append(list, toStreams(m))
		}
		return &streamtypes.AttributeValueMemberL{Value: list}
	case *types.AttributeValueMemberM:
		return &streamtypes.AttributeValueMemberM{Value: ItemToStreams(v.Item())}
	}
	return nil
}
