package partiql

import (
	"math"
	"strconv"
	"strings"

	"pressroom/dynamo/attr"
)

// item is the item that the tuple of an INSERT describes. Its values may be parameters,
// what is inside them may not.
func (b *binder) item(tuple *node) (attr.Item, error) {
	builder := attr.NewBuilder(nil)
	seen := map[string]bool{}
	for i := 0; i < len(tuple.kids); i += 2 {
		key := tuple.kids[i]
		name, err := tupleKey(key, nil)
		if err != nil {
			return nil, err
		}
		if seen[name] {
			return nil, refuse("Duplicate keys in tuple. Key: %s under root%s", name, key.place())
		}
		seen[name] = true
		v, err := b.value(tuple.kids[i+1])
		if err != nil {
			return nil, err
		}
		builder.Set(name, v)
	}
	return builder.Item(), nil
}

// value is the value of a literal or parameter.
func (b *binder) value(n *node) (attr.Value, error) {
	if n.kind == nodeParameter {
		if n.ordinal >= len(b.parameters) {
			return nil, refuse(msgParameters)
		}
		return b.parameters[n.ordinal], nil
	}
	return literal(n, nil)
}

// spot is where inside a literal a part of it lies; nil is the literal itself.
type spot struct {
	parent *spot
	name   string
	index  int // of a list; -1 for a name
}

// depth is how many lists and tuples the part is in.
func (s *spot) depth() int {
	n := 0
	for ; s != nil; s = s.parent {
		n++
	}
	return n
}

// String is the place of a number: root.a[1].
func (s *spot) String() string { return s.text("[", "]") }

// key is the place of everything else: root.a.1.
func (s *spot) key() string { return s.text(".", "") }

func (s *spot) text(open, end string) string {
	switch {
	case s == nil:
		return "root"
	case s.index < 0:
		return s.parent.text(open, end) + "." + s.name
	}
	return s.parent.text(open, end) + open + strconv.Itoa(s.index) + end
}

// literal is the value of a literal, or of the part of one that lies at the spot.
func literal(n *node, at *spot) (attr.Value, error) {
	kind := n.kind
	if kind == nodeCall {
		kind = n.constructor()
	}
	switch kind {
	case nodeLiteral:
		return scalar(n, at)
	case nodeNull:
		return attr.NewNull(), nil
	case nodeBag:
		return bag(n, at)
	case nodeList:
		return list(n, at)
	case nodeTuple:
		return tuple(n, at)
	case nodeIon:
		return nil, refuse("Ion Literals are not supported: %s under key %s%s", ionType(n.tok.text), at.key(), n.place())
	}
	return nil, refuse("Unsupported data type: %s under key %s%s", literalName(n, at), at.key(), n.place())
}

// literalName is what a message calls a thing that is no literal: by its text where the
// statement writes a value, by its class deeper down.
func literalName(n *node, at *spot) string {
	switch {
	case at != nil:
		return n.class()
	case n.kind == nodePath:
		return "PATH"
	case n.kind == nodeMissing:
		return "MISSING"
	}
	return n.tok.text
}

func scalar(n *node, at *spot) (attr.Value, error) {
	switch n.tok.kind {
	case tokString:
		return attr.NewString(n.tok.text), nil
	case tokBool:
		return attr.NewBool(n.tok.text == "true"), nil
	}
	if wraps(n.tok.text) {
		return nil, refuse("Number underflow. Attempting to store a number with magnitude smaller than supported range under %s", at)
	}
	text := n.tok.text
	if n.negative {
		text = "-" + text
	}
	v, err := attr.NewNumber(text)
	if err != nil {
		return nil, under(err, at)
	}
	return v, nil
}

// wraps tells whether a number is so large that its magnitude no longer fits into the 32
// bits in which the service compares it, and so comes out as tiny.
func wraps(text string) bool {
	fraction, exponent := decimalParts(text)
	digits, _, _ := strings.Cut(strings.ToLower(text), "e")
	significant := strings.TrimLeft(strings.Replace(digits, ".", "", 1), "0")
	return significant != "" && int64(len(significant))+exponent-int64(fraction) > math.MaxInt32
}

func list(n *node, at *spot) (attr.Value, error) {
	if at.depth() >= attr.MaxNesting-1 {
		return nil, refuse(msgNesting)
	}
	elements := make([]attr.Value, len(n.kids))
	for i, kid := range n.kids {
		var err error
		if elements[i], err = literal(kid, &spot{parent: at, index: i}); err != nil {
			return nil, err
		}
	}
	return attr.NewList(elements...), nil
}

func tuple(n *node, at *spot) (attr.Value, error) {
	if at.depth() >= attr.MaxNesting-1 {
		return nil, refuse(msgNesting)
	}
	builder := attr.NewBuilder(nil)
	seen := map[string]bool{}
	for i := 0; i < len(n.kids); i += 2 {
		name, err := tupleKey(n.kids[i], at)
		if err != nil {
			return nil, err
		}
		if seen[name] {
			return nil, refuse("Duplicate keys in tuple. Key: %s under %s%s", name, at, n.place())
		}
		seen[name] = true
		v, err := literal(n.kids[i+1], &spot{parent: at, name: name, index: -1})
		if err != nil {
			return nil, err
		}
		builder.Set(name, v)
	}
	return attr.NewMap(builder.Item()), nil
}

func tupleKey(n *node, at *spot) (string, error) {
	if n.kind != nodeLiteral || n.tok.kind != tokString {
		return "", refuse("Tuple keys must be of type String. Actual type: %s under %s%s", keyType(n), at, n.place())
	}
	if n.tok.text == "" {
		return "", refuse(msgEmptyName)
	}
	return n.tok.text, nil
}

func keyType(n *node) string {
	if n.kind != nodeLiteral {
		return n.class()
	}
	switch n.tok.kind {
	case tokInteger:
		return "INT"
	case tokDecimal:
		return "DECIMAL"
	}
	return "BOOL"
}

// bag is a set of numbers or of strings, all written out.
func bag(n *node, at *spot) (attr.Value, error) {
	const unsupported = "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags"
	if len(n.kids) == 0 {
		return nil, refuse("Empty bags are not supported")
	}
	members := make([]attr.Value, len(n.kids))
	for i, kid := range n.kids {
		if kid.kind != nodeLiteral || kid.tok.kind == tokBool {
			return nil, refuse("%s%s", unsupported, kid.place())
		}
		var err error
		if members[i], err = scalar(kid, &spot{parent: at, index: i}); err != nil {
			return nil, err
		}
		if members[i].Kind() != members[0].Kind() {
			return nil, refuse(unsupported)
		}
	}
	set, err := attr.NewSet(members[0].Kind().Set(), members)
	if err != nil {
		return nil, invalid(err)
	}
	return set, nil
}

// ionType guesses the type of an Ion literal from how it begins.
func ionType(text string) string {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "DATAGRAM"
	case strings.HasPrefix(text, "{{"):
		return "BLOB"
	case text[0] == '{':
		return "STRUCT"
	case text[0] == '[':
		return "LIST"
	case text[0] == '(':
		return "SEXP"
	case text[0] == '"':
		return "STRING"
	case text == "true", text == "false":
		return "BOOL"
	case strings.HasPrefix(text, "null"):
		return "NULL"
	case isDigit(text[0]), text[0] == '-':
		return ionNumber(text)
	}
	return "SYMBOL"
}

func ionNumber(text string) string {
	switch {
	case strings.ContainsAny(text, "tT:"):
		return "TIMESTAMP"
	case strings.ContainsAny(text, "eE"):
		return "FLOAT"
	case strings.ContainsAny(text, ".dD"):
		return "DECIMAL"
	}
	return "INT"
}
