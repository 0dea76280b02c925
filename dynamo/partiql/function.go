package partiql

import (
	"strings"
	"unicode/utf16"

	"pressroom/dynamo/attr"
)

// functions of conditions and how many operands they take.
var functions = map[string]int{
	"attribute_exists": 1, "attribute_not_exists": 1, "attribute_type": 2,
	"begins_with": 2, "contains": 2, "size": 1,
}

// updateFunctions are those of the right side of SET. set_add and set_delete are not
// among them: they are forms of the assignment.
var updateFunctions = map[string]int{"list_append": 2, "if_not_exists": 2}

// function is what a function call means in a condition.
func (b *binder) function(n *node) (*predicate, *operand, error) {
	name := strings.ToLower(n.tok.text)
	operands, err := b.operands(n.kids)
	if err != nil {
		return nil, nil, err
	}
	arity, ok := functions[name]
	if !ok {
		if _, ok := updateFunctions[name]; ok {
			return nil, nil, refuse("The function is not allowed in a condition expression; function: %s", name)
		}
		return nil, nil, unrecognized(n)
	}
	b.count()
	if len(operands) != arity {
		b.note(wrongNumber(name, len(operands)))
		operands = make([]operand, arity)
	}
	if name == "size" {
		return nil, b.sizeOf(operands[0]), nil
	}
	return b.test(name, operands), nil, nil
}

func unrecognized(n *node) error {
	return refuse("Unrecognized function: %s%s", strings.ToLower(n.tok.text), n.place())
}

// test is a function that is true or false.
func (b *binder) test(name string, operands []operand) *predicate {
	switch name {
	case "attribute_exists", "attribute_not_exists":
		if operands[0].path == nil {
			b.note(needsPath(name))
		}
		if name == "attribute_exists" {
			return &predicate{test: testExists, operands: operands}
		}
		return &predicate{test: testAbsent, operands: operands}
	case "attribute_type":
		return b.attributeType(operands)
	case "begins_with":
		for _, o := range operands {
			if k := o.kind(); k != 0 && k != attr.String && k != attr.Binary {
				b.note(wrongType(name, k))
			}
		}
	}
	b.checkDistinct(name, operands)
	if operands[0].truth != nil || operands[1].truth != nil {
		return constant(false) // a truth contains nothing, and nothing is stored as one
	}
	if name == "begins_with" {
		return &predicate{test: testBegins, operands: operands}
	}
	return &predicate{test: testContains, operands: operands}
}

func (b *binder) attributeType(operands []operand) *predicate {
	name := operands[1].value
	if name == nil {
		b.note(refuse("Incorrect operand type for operator or function; operator or function: attribute_type, operand type: {NS,SS,L,BS,N,M,B,BOOL,NULL,S}"))
		return constant(false)
	}
	if name.Kind() != attr.String {
		b.note(wrongType("attribute_type", name.Kind()))
		return constant(false)
	}
	kind, ok := attr.KindOf(name.Text())
	if !ok {
		b.note(refuse("Invalid attribute type name found; type: %s, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}", name.Text()))
	}
	return typeIs(operands[0], kind)
}

// typeIs asks whether an operand is of a kind.
func typeIs(o operand, kind attr.Kind) *predicate {
	if o.path == nil {
		return constant(o.kind() == kind)
	}
	return &predicate{test: testType, operands: []operand{o}, kind: kind}
}

// sizeOf is size() of a path, or at once the size of a literal.
func (b *binder) sizeOf(o operand) *operand {
	if o.path != nil {
		return &operand{size: o.path}
	}
	n := 0
	switch kind := o.kind(); kind {
	case attr.String:
		n = len(utf16.Encode([]rune(o.value.Text())))
	case attr.Binary:
		n = len(o.value.Bytes())
	case attr.Map, attr.List, attr.StringSet, attr.NumberSet, attr.BinarySet:
		n = o.value.Len()
	default:
		b.note(wrongType("size", kind))
	}
	return &operand{value: attr.NewInt(int64(n))}
}

// isTypes are the types that IS knows. MISSING and NULL are not kinds of values but tests.
var isTypes = map[string]attr.Kind{
	"null": attr.Null, "boolean": attr.Bool, "blob": attr.Binary, "string": attr.String,
	"numeric": attr.Number, "struct": attr.Map, "tuple": attr.Map, "list": attr.List,
}

// is is the predicate of IS and IS NOT.
func (b *binder) is(n *node) (*predicate, error) {
	left, typ := n.kids[0], n.kids[1]
	name := typ.tok.word()
	kind, known := isTypes[name]
	if !known && name != "missing" {
		return nil, refuse("Unsupported data type for IS operator: %s. Supported data types are [MISSING, NULL, BOOLEAN, BLOB, STRING, NUMERIC, STRUCT, TUPLE, LIST]%s", strings.ToUpper(name), n.place())
	}
	o, err := b.isOperand(left)
	if err != nil {
		return nil, err
	}
	b.count()
	var p *predicate
	switch {
	case name == "missing" && o.path != nil:
		p = &predicate{test: testAbsent, operands: []operand{o}}
	case name == "missing":
		p = constant(left.kind == nodeMissing)
	default:
		p = typeIs(o, kind)
	}
	return negateIf(n.tok.text == "is_not", p), nil
}

func (b *binder) isOperand(n *node) (operand, error) {
	if n.kind == nodeMissing {
		return operand{}, nil
	}
	if isPath(n) {
		path, err := pathOf(n)
		return operand{path: path}, err
	}
	switch n.kind {
	case nodeLiteral, nodeNull, nodeParameter, nodeList, nodeBag, nodeTuple:
		v, err := b.value(n)
		return operand{value: v}, err
	}
	return operand{}, refuse("The left hand side argument to IS must be a Variable Reference, Literal, or Path")
}
