package attr

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// ToSDK is the value in the SDK's types, in memory of its own; nil for a damaged one.
func ToSDK(v Value) types.AttributeValue {
	var x exporter
	x.countValue(v)
	return x.value(Value(x.start(v)))
}

// ItemToSDK is the item in the SDK's types, in memory of its own. All its texts share one
// copy of the item, and its values are allocated by kind, so that keeping any part of the
// result keeps all of it.
func ItemToSDK(it Item) map[string]types.AttributeValue {
	var x exporter
	x.countItem(it)
	return x.item(Item(x.start(it)))
}

// exporter converts in two passes over the same bytes: one counts, the other fills what
// was then allocated.
type exporter struct {
	counts  [Map + 1]int
	texts   int // members of number and string sets
	blobs   int // members of binary sets
	entries int // elements of lists
	digits  int // bytes of all numbers' texts

	number []byte // the numbers' texts
	s      []types.AttributeValueMemberS
	n      []types.AttributeValueMemberN
	b      []types.AttributeValueMemberB
	bools  []types.AttributeValueMemberBOOL
	lists  []types.AttributeValueMemberL
	maps   []types.AttributeValueMemberM
	text   []string
	blob   [][]byte
	entry  []types.AttributeValue
}

func (x *exporter) countItem(it Item) {
	for len(it) > 0 {
		_, v, rest, ok := it.cutEntry()
		if !ok {
			break
		}
		x.countValue(v)
		it = rest
	}
}

func (x *exporter) countValue(v Value) {
	kind := v.Kind()
	x.counts[kind]++
	switch kind {
	case Number:
		x.digits += numberTextLen(v[1:])
	case Map:
		x.countItem(v.Item())
	case List, NumberSet, StringSet, BinarySet:
		x.countParts(kind, v[1:])
	}
}

func (x *exporter) countParts(kind Kind, rest []byte) {
	for len(rest) > 0 {
		part, next, ok := cut(rest)
		if !ok {
			break
		}
		switch kind {
		case List:
			x.entries++
			x.countValue(part)
		case BinarySet:
			x.blobs++
		case NumberSet:
			x.digits += numberTextLen(part)
			x.texts++
		default:
			x.texts++
		}
		rest = next
	}
}

// start allocates what was counted and returns the copy of the bytes to convert.
func (x *exporter) start(b []byte) []byte {
	room := make([]byte, len(b), len(b)+x.digits)
	copy(room, b)
	x.number = room[len(b):]
	x.s = make([]types.AttributeValueMemberS, 0, x.counts[String])
	x.n = make([]types.AttributeValueMemberN, 0, x.counts[Number])
	x.b = make([]types.AttributeValueMemberB, 0, x.counts[Binary])
	x.bools = make([]types.AttributeValueMemberBOOL, 0, x.counts[Bool])
	x.lists = make([]types.AttributeValueMemberL, 0, x.counts[List])
	x.maps = make([]types.AttributeValueMemberM, 0, x.counts[Map])
	x.text = make([]string, 0, x.texts)
	x.blob = make([][]byte, 0, x.blobs)
	x.entry = make([]types.AttributeValue, 0, x.entries)
	return room
}

func (x *exporter) item(it Item) map[string]types.AttributeValue {
	m := make(map[string]types.AttributeValue, it.Len())
	for len(it) > 0 {
		name, v, rest, ok := it.cutEntry()
		if !ok {
			break
		}
		m[view(name)] = x.value(v)
		it = rest
	}
	return m
}

func (x *exporter) value(v Value) types.AttributeValue {
	switch kind := v.Kind(); kind {
	case String:
		x.s = append(x.s, types.AttributeValueMemberS{Value: view(v[1:])})
		return &x.s[len(x.s)-1]
	case Number:
		x.n = append(x.n, types.AttributeValueMemberN{Value: x.numberText(v[1:])})
		return &x.n[len(x.n)-1]
	case Binary:
		x.b = append(x.b, types.AttributeValueMemberB{Value: v[1:len(v):len(v)]})
		return &x.b[len(x.b)-1]
	case Bool:
		x.bools = append(x.bools, types.AttributeValueMemberBOOL{Value: v.Bool()})
		return &x.bools[len(x.bools)-1]
	case Null:
		return &types.AttributeValueMemberNULL{Value: true}
	case Map:
		m := x.item(v.Item())
		x.maps = append(x.maps, types.AttributeValueMemberM{Value: m})
		return &x.maps[len(x.maps)-1]
	case List:
		list := x.list(v)
		x.lists = append(x.lists, types.AttributeValueMemberL{Value: list})
		return &x.lists[len(x.lists)-1]
	case StringSet:
		return &types.AttributeValueMemberSS{Value: x.strings(kind, v[1:])}
	case NumberSet:
		return &types.AttributeValueMemberNS{Value: x.strings(kind, v[1:])}
	case BinarySet:
		return &types.AttributeValueMemberBS{Value: x.blobsOf(v[1:])}
	}
	return nil
}

// numberText writes a number's text behind the others.
func (x *exporter) numberText(payload []byte) string {
	from := len(x.number)
	x.number = appendNumberText(x.number, payload)
	return view(x.number[from:])
}

// list takes its elements' places before those of the lists inside it.
func (x *exporter) list(v Value) []types.AttributeValue {
	from := len(x.entry)
	x.entry = x.entry[:from+v.Len()]
	list := x.entry[from:len(x.entry):len(x.entry)]
	rest := v.Payload()
	for i := range list {
		part, next, _ := cut(rest)
		list[i], rest = x.value(part), next
	}
	return list
}

func (x *exporter) strings(kind Kind, rest []byte) []string {
	from := len(x.text)
	for len(rest) > 0 {
		part, next, ok := cut(rest)
		if !ok {
			break
		}
		if kind == NumberSet {
			x.text = append(x.text, x.numberText(part))
		} else {
			x.text = append(x.text, view(part))
		}
		rest = next
	}
	return x.text[from:len(x.text):len(x.text)]
}

func (x *exporter) blobsOf(rest []byte) [][]byte {
	from := len(x.blob)
	for len(rest) > 0 {
		part, next, ok := cut(rest)
		if !ok {
			break
		}
		x.blob, rest = append(x.blob, part), next
	}
	return x.blob[from:len(x.blob):len(x.blob)]
}
