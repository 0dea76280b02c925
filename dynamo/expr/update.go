package expr

import (
	"iter"

	"pressroom/dynamo/attr"
)

// Verb is what an Action does.
type Verb uint8

// The four clauses of an update.
const (
	Set Verb = iota + 1
	Remove
	Add
	Delete

	// addLegacy and deleteLegacy are ADD and DELETE of AttributeUpdates, which
	// differ in what they accept.
	addLegacy
	deleteLegacy
)

var verbNames = [...]string{Set: "SET", Remove: "REMOVE", Add: "ADD", Delete: "DELETE", addLegacy: "ADD", deleteLegacy: "DELETE"}

// String is the verb's keyword.
func (v Verb) String() string {
	if int(v) < len(verbNames) {
		return verbNames[v]
	}
	return ""
}

// Action is one action of an update. Value is unused by Remove, and a literal for
// Add and Delete.
type Action struct {
	Verb  Verb
	Path  Path
	Value Operand
}

// Update is a parsed UpdateExpression or AttributeUpdates. It is immutable and
// safe for concurrent use.
type Update struct {
	actions []Action
	spots   []spot
}

// ParseUpdate parses an UpdateExpression.
func ParseUpdate(src string, env *Env) (*Update, error) {
	t, err := parsed(UpdateExpression, src)
	if err != nil {
		return nil, err
	}
	b := newBinder(t, env)
	paths, sorted, err := b.targets(len(t.actions), func(i int) int32 { return t.actions[i].path })
	if err != nil {
		return nil, err
	}
	u := &Update{actions: make([]Action, len(t.actions)), spots: sorted}
	for i := len(t.actions) - 1; i >= 0; i-- {
		a := &u.actions[i]
		a.Verb, a.Path = t.actions[i].verb, paths[i]
		if err := b.action(t.actions[i], a); err != nil {
			return nil, err
		}
	}
	if err := b.checkOperators(); err != nil {
		return nil, err
	}
	return u, nil
}

func (b *binder) action(c clause, to *Action) error {
	if c.verb == Remove {
		return nil
	}
	if err := b.operand(c.value, &to.Value); err != nil {
		return err
	}
	if k := to.Value.value.Kind(); c.verb != Set && !c.verb.takes(k) {
		name := c.verb.String()
		return b.invalid("Incorrect operand type for operator or function; operator: " + name +
			", operand type: " + longName(k) + ", typeSet: ALLOWED_FOR_" + name + "_OPERAND")
	}
	return nil
}

// takes tells whether ADD or DELETE can be given a value of the kind.
func (v Verb) takes(k attr.Kind) bool {
	return k.IsSet() || v == Add && k == attr.Number
}

// longName is the service's other name of a type.
func longName(k attr.Kind) string {
	switch k {
	case attr.String:
		return "STRING"
	case attr.Number:
		return "NUMBER"
	case attr.Binary:
		return "BINARY"
	case attr.Bool:
		return "BOOLEAN"
	case attr.List:
		return "LIST"
	case attr.Map:
		return "MAP"
	}
	return k.String()
}

// NewUpdate builds an update from parts, refusing paths that overlap or conflict
// as ParseUpdate does.
func NewUpdate(actions ...Action) (*Update, error) {
	paths := make([]Path, len(actions))
	for i, a := range actions {
		paths[i] = a.Path
	}
	sorted, ok := spots(paths)
	if !ok {
		return nil, UpdateExpression.invalid(overlapFault(paths))
	}
	return &Update{actions, sorted}, nil
}

// Creates tells whether the update makes an item where there is none. One that
// only removes does not, and does nothing then, whatever its paths: do not Apply
// it to an item that does not exist.
func (u *Update) Creates() bool {
	for i := range u.actions {
		switch u.actions[i].Verb {
		case Set, Add, addLegacy:
			return true
		}
	}
	return len(u.actions) == 0
}

// Attributes are the top-level attributes that the update writes, each once, in
// the order of their appearance.
func (u *Update) Attributes() []string {
	if u == nil {
		return nil
	}
	return tops(u.targets(), false)
}

// Nested are the top-level attributes inside which the update writes or reads.
func (u *Update) Nested() []string {
	if u == nil {
		return nil
	}
	paths := u.targets()
	for i := range u.actions {
		paths = u.actions[i].Value.paths(paths)
	}
	return tops(paths, true)
}

// Literals are the attributes that the update sets to values of the request,
// with these.
func (u *Update) Literals() iter.Seq2[string, attr.Value] {
	return func(yield func(string, attr.Value) bool) {
		if u == nil {
			return
		}
		for i := range u.actions {
			a := &u.actions[i]
			if a.Verb == Set && len(a.Path) == 1 && a.Value.kind == opValue && !yield(a.Path[0].Name, a.Value.value) {
				return
			}
		}
	}
}

// SetsLiteral reports whether the update sets the attribute to a value of the
// request.
func (u *Update) SetsLiteral(name string) bool {
	for set := range u.Literals() {
		if set == name {
			return true
		}
	}
	return false
}

func (u *Update) targets() []Path {
	paths := make([]Path, len(u.actions))
	for i := range u.actions {
		paths[i] = u.actions[i].Path
	}
	return paths
}
