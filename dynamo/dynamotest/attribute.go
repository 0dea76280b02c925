package dynamotest

import (
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// attribute reads an attribute value.
func (n *notation) attribute() (types.AttributeValue, error) {
	rest := n.src[n.pos:]
	switch {
	case strings.HasPrefix(rest, `"`):
		s, err := n.quoted()
		return &types.AttributeValueMemberS{Value: s}, err
	case strings.HasPrefix(rest, `b"`):
		n.pos++
		s, err := n.quoted()
		return &types.AttributeValueMemberB{Value: []byte(s)}, err
	case strings.HasPrefix(rest, `N"`):
		n.pos++
		s, err := n.quoted()
		return &types.AttributeValueMemberN{Value: s}, err
	case strings.HasPrefix(rest, "{"):
		m := &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{}}
		return m, n.attributeMap(m.Value)
	case strings.HasPrefix(rest, "["):
		l := &types.AttributeValueMemberL{Value: []types.AttributeValue{}}
		return l, n.attributeList('[', ']', &l.Value)
	case strings.HasPrefix(rest, "<"):
		return n.set()
	}
	return n.attributeWord()
}

func (n *notation) attributeMap(into map[string]types.AttributeValue) error {
	return n.members('{', '}', func() error {
		name, err := n.name()
		if err != nil {
			return err
		}
		n.space()
		into[name], err = n.attribute()
		return err
	})
}

func (n *notation) attributeList(open, end byte, into *[]types.AttributeValue) error {
	return n.members(open, end, func() error {
		v, err := n.attribute()
		*into = append(*into, v)
		return err
	})
}

// set reads <...>, whose first member tells its type.
func (n *notation) set() (types.AttributeValue, error) {
	var list []types.AttributeValue
	if err := n.attributeList('<', '>', &list); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, n.fault("an empty set needs a type")
	}
	switch list[0].(type) {
	case *types.AttributeValueMemberS:
		return stringSet(list), nil
	case *types.AttributeValueMemberN:
		return numberSet(list), nil
	case *types.AttributeValueMemberB:
		return binarySet(list), nil
	}
	return nil, n.fault("no set can have such members")
}

func stringSet(list []types.AttributeValue) types.AttributeValue {
	set := new(types.AttributeValueMemberSS)
	for _, v := range list {
		set.Value = append(set.Value, v.(*types.AttributeValueMemberS).Value)
	}
	return set
}

func numberSet(list []types.AttributeValue) types.AttributeValue {
	set := new(types.AttributeValueMemberNS)
	for _, v := range list {
		set.Value = append(set.Value, v.(*types.AttributeValueMemberN).Value)
	}
	return set
}

func binarySet(list []types.AttributeValue) types.AttributeValue {
	set := new(types.AttributeValueMemberBS)
	for _, v := range list {
		set.Value = append(set.Value, v.(*types.AttributeValueMemberB).Value)
	}
	return set
}

// attributeWord reads true, null, SS<> or a number.
func (n *notation) attributeWord() (types.AttributeValue, error) {
	word := n.word()
	switch word {
	case "true", "false":
		return &types.AttributeValueMemberBOOL{Value: word == "true"}, nil
	case "null":
		return &types.AttributeValueMemberNULL{Value: true}, nil
	case "SS<>":
		return &types.AttributeValueMemberSS{Value: []string{}}, nil
	case "NS<>":
		return &types.AttributeValueMemberNS{Value: []string{}}, nil
	case "BS<>":
		return &types.AttributeValueMemberBS{Value: [][]byte{}}, nil
	}
	if word == "" || !strings.ContainsAny(word[:1], "+-.0123456789") {
		return nil, n.fault("%q is no attribute value", word)
	}
	return &types.AttributeValueMemberN{Value: word}, nil
}

// The tokens of the notation.

func (n *notation) space() {
	for n.pos < len(n.src) && strings.ContainsRune(" \t\n", rune(n.src[n.pos])) {
		n.pos++
	}
}

func (n *notation) peek() byte {
	if n.pos == len(n.src) {
		return 0
	}
	return n.src[n.pos]
}

// members reads what stands between two brackets, separated by commas.
func (n *notation) members(open, end byte, member func() error) error {
	n.space()
	if n.peek() != open {
		return n.fault("a %c is wanted", open)
	}
	n.pos++
	for first := true; ; first = false {
		n.space()
		if n.peek() == end {
			n.pos++
			return nil
		}
		if !first {
			if n.peek() != ',' {
				return n.fault("a comma or %c is wanted", end)
			}
			n.pos++
			n.space()
		}
		if err := member(); err != nil {
			return err
		}
	}
}

// name reads a member's name and the colon after it. It may begin with one.
func (n *notation) name() (string, error) {
	n.space()
	if n.peek() == '"' {
		s, err := n.quoted()
		if err == nil && n.peek() != ':' {
			err = n.fault("a colon is wanted")
		}
		n.pos++
		return s, err
	}
	rest := n.src[n.pos:]
	i := strings.IndexByte(rest[min(1, len(rest)):], ':')
	if i < 0 {
		return "", n.fault("a name and a colon are wanted")
	}
	n.pos += i + 2
	return rest[:i+1], nil
}

// text reads a string, quoted or a word.
func (n *notation) text() (string, error) {
	n.space()
	if c := n.peek(); c == '"' || c == '`' {
		return n.quoted()
	}
	word := n.word()
	if word == "" {
		return "", n.fault("a string is wanted")
	}
	return word, nil
}

func (n *notation) word() string {
	begin := n.pos
	for n.pos < len(n.src) && !strings.ContainsRune(" ,}]\n\t", rune(n.src[n.pos])) {
		if n.src[n.pos] == '>' && !strings.HasSuffix(n.src[begin:n.pos], "<") {
			break
		}
		n.pos++
	}
	return n.src[begin:n.pos]
}

// quoted reads a string as Go writes it, and how often it is repeated.
func (n *notation) quoted() (string, error) {
	q, err := strconv.QuotedPrefix(n.src[n.pos:])
	if err != nil {
		return "", n.fault("a string has no end")
	}
	n.pos += len(q)
	s, err := strconv.Unquote(q)
	if err != nil || n.peek() != '*' {
		return s, err
	}
	n.pos++
	begin := n.pos
	for n.pos < len(n.src) && n.src[n.pos] >= '0' && n.src[n.pos] <= '9' {
		n.pos++
	}
	times, err := strconv.Atoi(n.src[begin:n.pos])
	return strings.Repeat(s, times), err
}
