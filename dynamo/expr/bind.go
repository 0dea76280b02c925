package expr

import (
	"strconv"

	"pressroom/dynamo/attr"
)

const (
	maxOperators = 300
	maxIn        = 100 // values in the list of an IN
)

// binder puts names and values in for the placeholders of a tree, and refuses
// operands that cannot be. It goes through the operands in the order of the
// source, and of each operation checks the operands before the operation.
type binder struct {
	t        *tree
	env      *Env
	steps    Path      // slabs from which the pieces are cut, so that
	operands []Operand // an expression costs few allocations
	terms    []term
}

func newBinder(t *tree, env *Env) *binder {
	return &binder{t: t, env: env,
		steps:    make(Path, 0, len(t.steps)),
		operands: make([]Operand, 0, t.size.operands),
		terms:    make([]term, 0, max(0, t.size.terms-1)),
	}
}

func (b *binder) invalid(message string) error { return b.t.kind.invalid(message) }

// checkOperators is the last check of an expression.
func (b *binder) checkOperators() error {
	if b.t.size.operators <= maxOperators {
		return nil
	}
	return b.invalid("The expression contains too many operators; operator count: " + strconv.Itoa(maxOperators+1))
}

func (b *binder) path(n int32) (Path, error) {
	steps := b.t.stepsOf(n)
	if len(steps) > maxPath {
		return nil, b.invalid("The document path has too many nesting levels; nesting levels: " + strconv.Itoa(len(steps)))
	}
	lo := len(b.steps)
	for _, s := range steps {
		to := Step{Name: s.text, Index: -1}
		switch s.kind {
		case tokIndex:
			to.Name = ""
			to.Index, _ = strconv.Atoi(s.text) // in range, as the tree was checked
		case tokName:
			name, ok := b.env.name(s.text)
			if !ok {
				return nil, b.invalid("An expression attribute name used in the document path is not defined; attribute name: " + s.text)
			}
			to.Name = name
		}
		b.steps = append(b.steps, to)
	}
	return b.steps[lo:len(b.steps):len(b.steps)], nil
}

func (b *binder) value(n int32) (attr.Value, error) {
	key := b.t.nodes[n].text
	v, ok := b.env.value(key)
	if !ok {
		return nil, b.invalid("An expression attribute value used in expression is not defined; attribute value: " + key)
	}
	return v, nil
}

// children binds the operands below a node.
func (b *binder) children(n int32) ([]Operand, error) {
	nd := &b.t.nodes[n]
	lo, hi := len(b.operands), len(b.operands)+int(nd.count)
	b.operands = b.operands[:hi]
	args := b.operands[lo:hi:hi]
	i := 0
	for c := nd.first; c != 0; c = b.t.nodes[c].next {
		if err := b.operand(c, &args[i]); err != nil {
			return nil, err
		}
		i++
	}
	return args, nil
}

func (b *binder) operand(n int32, to *Operand) (err error) {
	switch b.t.nodes[n].kind {
	case nodePath:
		to.kind = opPath
		to.path, err = b.path(n)
	case nodeValue:
		to.kind = opValue
		to.value, err = b.value(n)
	case nodeCall:
		err = b.call(n, to)
	case nodeArithmetic:
		err = b.arithmetic(n, to)
	}
	return err
}

// call binds a function whose result is an operand: size, if_not_exists or
// list_append.
func (b *binder) call(n int32, to *Operand) error {
	args, err := b.children(n)
	if err != nil {
		return err
	}
	name := b.t.nodes[n].text
	f := functionOf(name)
	if err := b.checkCall(f, name, args); err != nil {
		return err
	}
	switch f {
	case fnSize:
		*to = Operand{kind: opSize, path: args[0].path, value: sizeOf(args[0].value)}
	case fnIfNotExists:
		*to = Operand{kind: opIfNotExists, path: args[0].path, args: args[1:]}
	case fnListAppend:
		*to = Operand{kind: opListAppend, args: args}
	}
	return nil
}

func (b *binder) arithmetic(n int32, to *Operand) error {
	args, err := b.children(n)
	if err != nil {
		return err
	}
	to.kind, to.args = opPlus, args
	name := "+"
	if b.t.nodes[n].op == tokMinus {
		to.kind, name = opMinus, "-"
	}
	return b.checkKinds(name, args, isNumber)
}

func (b *binder) condition(n int32, to *term) error {
	nd := &b.t.nodes[n]
	switch nd.kind {
	case nodeAnd, nodeOr, nodeNot:
		return b.parts(nd, to)
	}
	args, err := b.children(n)
	if err != nil {
		return err
	}
	to.args = args
	switch nd.kind {
	case nodeCompare:
		to.kind, to.op = termCompare, Comparison(nd.op-tokEqual)+Equal
		return b.checkCompare(to.op, args)
	case nodeBetween:
		to.kind = termBetween
		return b.checkBetween(args)
	case nodeIn:
		to.kind = termIn
		return b.checkIn(args)
	}
	return b.predicate(nd.text, to)
}

func (b *binder) parts(nd *node, to *term) error {
	switch nd.kind {
	case nodeAnd:
		to.kind = termAnd
	case nodeOr:
		to.kind = termOr
	case nodeNot:
		to.kind = termNot
	}
	lo, hi := len(b.terms), len(b.terms)+int(nd.count)
	b.terms = b.terms[:hi]
	to.parts = b.terms[lo:hi:hi]
	i := 0
	for c := nd.first; c != 0; c = b.t.nodes[c].next {
		if err := b.condition(c, &to.parts[i]); err != nil {
			return err
		}
		i++
	}
	return nil
}

// predicate binds a function that is a condition of its own.
func (b *binder) predicate(name string, to *term) error {
	f := functionOf(name)
	if err := b.checkCall(f, name, to.args); err != nil {
		return err
	}
	switch f {
	case fnExists:
		to.kind = termExists
	case fnNotExists:
		to.kind = termNotExists
	case fnBeginsWith:
		to.kind = termBeginsWith
	case fnContains:
		to.kind = termContains
	case fnType:
		to.kind = termType
		to.only, _ = attr.KindOf(to.args[1].value.Text())
	}
	return nil
}
