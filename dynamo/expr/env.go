package expr

import (
	"slices"
	"strconv"
	"strings"

	"pressroom/dynamo/attr"
)

const (
	maxPlaceholder   = 255   // bytes of a placeholder
	maxAttributeName = 65535 // bytes of the name that it stands for
)

// Placeholders are the names and values that a request's expressions refer to.
type Placeholders struct {
	Names  map[string]string     // ExpressionAttributeNames; nil if the request has none
	Values map[string]attr.Value // ExpressionAttributeValues; nil if the request has none

	// Invalid is the error of the first value that was refused when it was
	// taken in, InvalidKey its placeholder, which need not be in Values. It is
	// reported after the faults of the placeholders, as the service does.
	Invalid    error
	InvalidKey string
	// Alone says that Invalid is reported without its placeholder, as some
	// operations do.
	Alone bool
}

// Env resolves placeholders for all expressions of one request and remembers
// which were used. It is not safe for concurrent use. The nil Env has none.
type Env struct {
	names  []entry[string]
	values []entry[attr.Value]
}

// entry is a placeholder and what it stands for.
type entry[T any] struct {
	key  string
	to   T
	used bool
}

// NewEnv checks the placeholders themselves: maps that are given but empty,
// placeholders of wrong form or length, names that no attribute can have, and
// last the value that was refused when it was taken in.
func NewEnv(p Placeholders) (*Env, error) {
	e := &Env{}
	if p.Names != nil {
		if err := e.addNames(p.Names); err != nil {
			return nil, err
		}
	}
	if p.Values != nil || p.Invalid != nil {
		if err := e.addValues(p); err != nil {
			return nil, err
		}
	}
	return e, nil
}

func (e *Env) addNames(names map[string]string) error {
	if len(names) == 0 {
		return &Error{"ExpressionAttributeNames must not be empty"}
	}
	e.names = entries(names)
	return firstFault(e.names, checkName)
}

func checkName(n *entry[string]) string {
	message := placeholderFault(n.key, '#')
	switch {
	case len(n.key) > maxPlaceholder:
		message += " size of key: " + strconv.Itoa(len(n.key))
		fallthrough
	case message != "":
		return "ExpressionAttributeNames contains invalid key: " + message
	case n.to == "":
		return "ExpressionAttributeNames contains invalid value: Empty attribute name for key " + n.key
	case len(n.to) > maxAttributeName:
		return "ExpressionAttributeNames contains invalid value: Attribute name is too large, must be less than " +
			strconv.Itoa(maxAttributeName+1) + " bytes for key " + n.key
	}
	return ""
}

func (e *Env) addValues(p Placeholders) error {
	if len(p.Values) == 0 && p.Invalid == nil {
		return &Error{"ExpressionAttributeValues must not be empty"}
	}
	e.values = entries(p.Values)
	if err := firstFault(e.values, checkValue); err != nil || p.Invalid == nil {
		return err
	}
	if message := checkValue(&entry[attr.Value]{key: p.InvalidKey}); message != "" {
		return &Error{message}
	}
	if p.Alone {
		return &Error{p.Invalid.Error()}
	}
	return &Error{"ExpressionAttributeValues contains invalid value: " + p.Invalid.Error() + " for key " + p.InvalidKey}
}

func checkValue(v *entry[attr.Value]) string {
	if message := placeholderFault(v.key, ':'); message != "" {
		return "ExpressionAttributeValues contains invalid key: " + message
	}
	return ""
}

// firstFault is the fault of the first of the entries, in their order, that has
// one.
func firstFault[T any](list []entry[T], check func(*entry[T]) string) error {
	for i := range list {
		if check(&list[i]) == "" {
			continue
		}
		slices.SortFunc(list, byKey)
		for i := range list {
			if message := check(&list[i]); message != "" {
				return &Error{message}
			}
		}
	}
	return nil
}

// few is how many entries are searched faster one by one than by halving.
const few = 8

// entries are those of the map, sorted if they are more than a few.
func entries[T any](m map[string]T) []entry[T] {
	list := make([]entry[T], 0, len(m))
	for k, v := range m {
		list = append(list, entry[T]{key: k, to: v})
	}
	if len(list) > few {
		slices.SortFunc(list, byKey)
	}
	return list
}

func byKey[T any](a, b entry[T]) int { return strings.Compare(a.key, b.key) }

// placeholderFault says what is wrong with a placeholder, "" if nothing is.
func placeholderFault(key string, mark byte) string {
	switch {
	case key == "":
		return "The expression attribute map contains an empty key;"
	case len(key) > maxPlaceholder:
		return "The expression attribute map contains a key that is too long;"
	case len(key) < 2 || key[0] != mark:
		return `Syntax error; key: "` + key + `"`
	}
	for i := 1; i < len(key); i++ {
		if !isWord(key[i]) {
			return `Syntax error; key: "` + key + `"`
		}
	}
	return ""
}

// find is the entry of that placeholder, nil if there is none.
func find[T any](list []entry[T], key string) *entry[T] {
	if len(list) <= few {
		for i := range list {
			if list[i].key == key {
				return &list[i]
			}
		}
		return nil
	}
	i, ok := slices.BinarySearchFunc(list, key, func(e entry[T], key string) int { return strings.Compare(e.key, key) })
	if !ok {
		return nil
	}
	return &list[i]
}

// name is the attribute name that a placeholder (with its #) stands for.
func (e *Env) name(key string) (string, bool) {
	if e == nil {
		return "", false
	}
	n := find(e.names, key)
	if n == nil {
		return "", false
	}
	n.used = true
	return n.to, true
}

// value is the value that a placeholder (with its :) stands for.
func (e *Env) value(key string) (attr.Value, bool) {
	if e == nil {
		return nil, false
	}
	v := find(e.values, key)
	if v == nil {
		return nil, false
	}
	v.used = true
	return v.to, true
}

// CheckUsed refuses placeholders that no expression parsed so far has used.
// Call it after the last expression of the request.
func (e *Env) CheckUsed() error {
	if e == nil {
		return nil
	}
	if err := checkUsed("ExpressionAttributeNames", e.names); err != nil {
		return err
	}
	return checkUsed("ExpressionAttributeValues", e.values)
}

func checkUsed[T any](parameter string, list []entry[T]) error {
	var unused []string
	for _, x := range list {
		if !x.used {
			unused = append(unused, x.key)
		}
	}
	if unused == nil {
		return nil
	}
	slices.Sort(unused)
	slices.SortStableFunc(unused, hashOrder(len(list)))
	return &Error{"Value provided in " + parameter + " unused in expressions: keys: {" + strings.Join(unused, ", ") + "}"}
}
