package expr

// tree is a parsed expression before names and values are put in for its
// placeholders. It depends on kind and source alone, is never changed once
// made, and may be shared by any number of requests.
type tree struct {
	kind  Kind
	src   string
	nodes []node // nodes[0] is unused, so that 0 can mean "none"
	steps []step // of all paths

	root    int32    // of a condition
	paths   []int32  // of a projection
	actions []clause // of an update, in the order of the source

	size counts // to allocate what is bound in one piece each
}

// counts are how many of each there are in a tree.
type counts struct {
	terms     int // conditions
	operands  int
	operators int // as the service counts them against its limit
}

// nodeKind tells a condition from an operand, and which.
type nodeKind uint8

const (
	_ nodeKind = iota

	// Conditions.
	nodeOr
	nodeAnd
	nodeNot
	nodeCompare // op is the operator
	nodeBetween
	nodeIn

	// A condition or an operand, depending on where it stands.
	nodeCall // text is the function's name

	// Operands.
	nodePath
	nodeValue      // text is the placeholder
	nodeArithmetic // op is the operator
)

// isCondition tells whether a node of this kind can stand where a condition is
// wanted.
func (k nodeKind) isCondition() bool { return k <= nodeCall }

// isOperand tells whether a node of this kind can be compared.
func (k nodeKind) isOperand() bool { return k == nodeCall || k == nodePath || k == nodeValue }

// node is one node of a tree. Its children are linked: first is the first
// child, next of a child the following one.
type node struct {
	kind  nodeKind
	op    tokenKind
	text  string
	first int32
	next  int32
	count int32 // of children; of a path's steps
	lo    int32 // the first of a path's steps
}

// step is one step of a path: a name, a placeholder for one (with its #), or
// the digits of an index.
type step struct {
	kind tokenKind
	text string
}

// clause is one action of an update.
type clause struct {
	verb  Verb
	opens bool // it is the first of its section
	path  int32
	value int32 // 0 for Remove
}

// stepsOf are the steps of a path node.
func (t *tree) stepsOf(n int32) []step {
	p := &t.nodes[n]
	return t.steps[p.lo : p.lo+p.count]
}
