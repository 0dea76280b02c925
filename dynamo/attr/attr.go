// Package attr holds DynamoDB attribute values in the form in which they are stored.
//
// A [Value] is a kind byte and a payload; an [Item] is a sorted sequence of names and
// values. Both are plain bytes that may lie inside a larger buffer (a block of the
// storage engine, a request's memory), so reading one attribute of an item decodes nothing
// else, and copying an attribute from one item to another is copying bytes.
//
// The form is canonical: two values are equal if and only if their bytes are equal, and
// numbers, strings and binaries of one kind sort by their payloads' bytes. Key bytes
// ([AppendKey]) build on that.
//
// The package knows three edges: the AWS SDK's types ([FromSDK], [ToSDK]), the service's
// JSON ([ParseJSON], [AppendJSON]) and key bytes. What is taken in over an edge is checked
// with DynamoDB's own messages ([InvalidError]). What is read from stored bytes is trusted
// for meaning but not for bounds: no method panics or reads outside on damaged bytes, and
// [CheckItem] tells whether bytes are an item at all.
//
// Start reading at value.go and item.go; number.go explains the number form.
package attr

// Kind is the type of an attribute value.
type Kind byte

// The kinds, in their stored numbering, which never changes.
const (
	Null Kind = iota + 1
	Bool
	Number
	String
	Binary
	NumberSet
	StringSet
	BinarySet
	List
	Map
)

var kindNames = [...]string{"", "NULL", "BOOL", "N", "S", "B", "NS", "SS", "BS", "L", "M"}

// String returns the service's name of the kind: NULL, BOOL, N, S, B, NS, SS, BS, L, M. It
// is empty for what is no kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return ""
}

// KindOf is the kind that the service calls name.
func KindOf(name string) (Kind, bool) {
	switch name {
	case "S":
		return String, true
	case "N":
		return Number, true
	case "B":
		return Binary, true
	case "L":
		return List, true
	case "M":
		return Map, true
	case "BOOL":
		return Bool, true
	case "NULL":
		return Null, true
	case "SS":
		return StringSet, true
	case "NS":
		return NumberSet, true
	case "BS":
		return BinarySet, true
	}
	return 0, false
}

// IsSet tells whether k is one of the three sets.
func (k Kind) IsSet() bool { return k >= NumberSet && k <= BinarySet }

// Member is the kind of a set's members, 0 if k is no set.
func (k Kind) Member() Kind {
	if !k.IsSet() {
		return 0
	}
	return k - NumberSet + Number
}

// Set is the kind of the set whose members are of kind k, 0 if there is none.
func (k Kind) Set() Kind {
	if k < Number || k > Binary {
		return 0
	}
	return k - Number + NumberSet
}
