package expr

// parsed is the checked tree of an expression.
func parsed(kind Kind, src string) (*tree, error) { return parse(kind, src) }
