package partiql

import (
	"math"
	"strconv"
	"strings"

	"pressroom/dynamo/expr"
)

// maxPath is how many steps a document path may have.
const maxPath = 32

// pathOf is the document path that a node stands for.
func pathOf(n *node) (expr.Path, error) {
	parts := []*node{n}
	if n.kind == nodePath {
		parts = n.kids
	}
	if parts[0].kind != nodeName {
		return nil, unexpectedComponent(parts[0])
	}
	path := make(expr.Path, 0, len(parts))
	for _, part := range parts {
		step, err := stepOf(part)
		if err != nil {
			return nil, err
		}
		path = append(path, step)
	}
	if len(path) > maxPath {
		return nil, refuse("The document path has too many nesting levels; nesting levels: %d", len(path))
	}
	return path, nil
}

func unexpectedComponent(n *node) error {
	return refuse("Unexpected path component%s", n.place())
}

// stepOf is one step of a path. A name in brackets is the same as one after a dot.
func stepOf(n *node) (expr.Step, error) {
	switch n.kind {
	case nodeName, nodeField:
		return nameStep(n.tok.text)
	case nodeUnpivot:
		return expr.Step{}, refuse("Unpivot path component like a.*.b are not supported at %s", n.tok.span)
	case nodeWildcard:
		return expr.Step{}, refuse("Wildcard path component like a[*].b are not supported at %s", n.tok.span)
	}
	at := n.kids[0]
	switch {
	case at.kind == nodeName, at.kind == nodeLiteral && at.tok.kind == tokString:
		return nameStep(at.tok.text)
	case at.kind == nodeLiteral && at.tok.kind == tokInteger:
		return indexStep(at)
	}
	return expr.Step{}, unexpectedComponent(at)
}

func nameStep(name string) (expr.Step, error) {
	if name == "" {
		return expr.Step{}, refuse(msgEmptyName)
	}
	return expr.Step{Name: name, Index: -1}, nil
}

func indexStep(n *node) (expr.Step, error) {
	index, err := strconv.ParseInt(n.tok.text, 10, 64)
	if err != nil || index > math.MaxInt32 || n.negative && index != 0 {
		sign := ""
		if n.negative {
			sign = "-"
		}
		return expr.Step{}, refuse("List index is not within the allowable range; index: [%s%s] at %s", sign, n.tok.text, n.tok.span)
	}
	return expr.Step{Index: int(index)}, nil
}

// isPath tells whether a node stands for a document path, be it right or wrong.
func isPath(n *node) bool { return n.kind == nodeName || n.kind == nodePath }

// pathText is a path as messages show it: [a, [0], b].
func pathText(p expr.Path) string {
	steps := make([]string, len(p))
	for i, step := range p {
		if steps[i] = step.Name; step.Index >= 0 {
			steps[i] = "[" + strconv.Itoa(step.Index) + "]"
		}
	}
	return names(steps)
}

func names(list []string) string { return "[" + strings.Join(list, ", ") + "]" }

// checkPaths refuses paths of which one contains another, or which take the same place for
// a list and for a map. The service names the later path first.
func checkPaths(paths []expr.Path) error {
	for i, later := range paths {
		for _, earlier := range paths[:i] {
			if fault := clash(later, earlier); fault != "" {
				return refuse("Two document paths %s with each other; must remove or rewrite one of these paths; path one: %s, path two: %s",
					fault, pathText(later), pathText(earlier))
			}
		}
	}
	return nil
}

func clash(a, b expr.Path) string {
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			continue
		}
		if (a[i].Index >= 0) != (b[i].Index >= 0) {
			return "conflict"
		}
		return ""
	}
	return "overlap"
}

func samePath(a, b expr.Path) bool { return len(a) == len(b) && clash(a, b) == "overlap" }
