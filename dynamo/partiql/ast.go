package partiql

// nodeKind is what a node of the tree is.
type nodeKind uint8

const (
	nodeName      nodeKind = iota + 1 // an identifier, quoted or not
	nodeLiteral                       // a string, number or boolean
	nodeNull                          // NULL
	nodeMissing                       // MISSING
	nodeIon                           // an Ion literal
	nodeParameter                     // ?
	nodePath                          // a term and steps into it
	nodeField                         // a step of a path: .name
	nodeIndex                         // a step of a path: [expression]
	nodeUnpivot                       // a step of a path: .*
	nodeWildcard                      // a step of a path: [*]
	nodeList                          // [...] or (..., ...)
	nodeBag                           // <<...>>
	nodeTuple                         // {name: value, ...}; names and values alternate
	nodeCall                          // a function call
	nodeAggregate                     // COUNT(*) and the like
	nodeUnary                         // an operator and its operand
	nodeBinary                        // an operator and its two operands
	nodeBetween                       // operand, low, high
	nodeIs                            // operand and nodeType
	nodeType                          // the name of a type
	nodeExotic                        // CASE, CAST and others, always refused
	nodeSelect                        // a SELECT
	nodeChange                        // INSERT, UPDATE, DELETE, or a lone SET or REMOVE
	nodeSet                           // a SET clause; kids are assignments
	nodeAssign                        // path, value
	nodeRemove                        // path
	nodeInsert                        // INSERT INTO path VALUE value
	nodeInsertBag                     // INSERT INTO path values
	nodeDelete                        // the operation of a DELETE
)

// node is a node of the tree. tok is the token that stands for it in messages: the
// operator, the name of the function, the first token of a literal; it is nil for a path,
// which has no place of its own.
type node struct {
	kind     nodeKind
	tok      *token
	kids     []*node
	negative bool // a number with a minus sign
	ordinal  int  // of a parameter, from 0

	selection *selection // of nodeSelect
	change    *change    // of nodeChange
	clauses   *insertion // of nodeInsert
}

// selection is what a SELECT consists of.
type selection struct {
	all      bool // SELECT *
	distinct bool
	value    bool // SELECT VALUE ... or PIVOT
	columns  []*node
	aliased  bool // a column has an alias
	nested   bool // a column is path.*
	from     source
	let      bool
	where    *node
	group    bool
	having   *node
	order    []ordering
	limit    *node
	offset   *node
}

// ordering is one key of ORDER BY.
type ordering struct {
	key        *node
	descending bool
}

// source is what a statement reads from.
type source struct {
	term    *node // nil for a lone SET or REMOVE
	aliased bool
	many    bool // a join or an UNPIVOT
}

// change is what a statement that writes consists of.
type change struct {
	tok        *token // its first
	from       source
	operations []*node
	where      *node
	returning  []returned
}

// returned is one element of RETURNING.
type returned struct {
	form Returning
	star bool
}

// insertion is what may follow the value of an INSERT.
type insertion struct {
	at, conflict bool
	returning    bool
}

// place is where the node is, for "... at 1:2:3"; "" if it has no place.
func (n *node) place() string {
	if n.tok == nil {
		return ""
	}
	return " at " + n.tok.span.String()
}

// constructor is what a call of LIST(...) or BAG(...) makes, 0 for any other call.
func (n *node) constructor() nodeKind {
	switch {
	case n.tok.kind != tokKeyword:
		return 0
	case n.tok.text == "list":
		return nodeList
	case n.tok.text == "bag":
		return nodeBag
	}
	return 0
}

var operationNames = map[string]string{
	"and": "And", "or": "Or", "not": "Not", "=": "Eq", "<>": "Ne", "<": "Lt", "<=": "Lte",
	">": "Gt", ">=": "Gte", "+": "Plus", "-": "Minus", "*": "Times", "/": "Divide",
	"%": "Modulo", "||": "Concat", "in": "InCollection", "not_in": "Not", "like": "Like",
	"not_like": "Not", "not_between": "Not", "is_not": "Not", "union": "BagOp",
	"except": "BagOp", "intersect": "BagOp",
}

var className = map[nodeKind]string{
	nodeName: "Id", nodeLiteral: "Lit", nodeNull: "Lit", nodeMissing: "Missing",
	nodeIon: "Lit", nodeParameter: "Parameter", nodePath: "Path", nodeList: "List",
	nodeBag: "Bag", nodeTuple: "Struct", nodeCall: "Call", nodeAggregate: "CallAgg",
	nodeBetween: "Between", nodeIs: "IsType", nodeSelect: "Select", nodeInsertBag: "Insert",
}

// class is the name that messages have for what the node is.
func (n *node) class() string {
	if name, ok := className[n.kind]; ok {
		if n.kind == nodeBetween || n.kind == nodeIs {
			if negated, ok := operationNames[n.tok.text]; ok {
				return negated
			}
		}
		return name
	}
	if n.tok != nil {
		if name, ok := operationNames[n.tok.text]; ok {
			return name
		}
	}
	return "Expr"
}
