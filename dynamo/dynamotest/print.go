package dynamotest

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// printed writes an answer: a line per member that is there, a line per
// element of a list of structures or items.
func printed(answer any) string {
	v := reflect.ValueOf(answer).Elem()
	var b strings.Builder
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if name == "ResultMetadata" || !v.Type().Field(i).IsExported() || absent(v.Field(i)) {
			continue
		}
		line(&b, name, v.Field(i))
	}
	if b.Len() == 0 {
		return "ok"
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func line(b *strings.Builder, name string, v reflect.Value) {
	if v.Kind() != reflect.Slice || v.Len() == 0 || !large(v.Type().Elem()) {
		fmt.Fprintf(b, "%s: %s\n", name, written(v))
		return
	}
	fmt.Fprintf(b, "%s:\n", name)
	for i := range v.Len() {
		fmt.Fprintf(b, "  %s\n", written(v.Index(i)))
	}
}

func large(t reflect.Type) bool { return t.Kind() == reflect.Struct || t.Kind() == reflect.Map }

// absent reports what the notation leaves out. Counts are always written, and
// lists that are there but empty.
func absent(v reflect.Value) bool { return v.Kind() != reflect.Int32 && v.IsZero() }

// written writes one value.
func written(v reflect.Value) string {
	if a, ok := v.Interface().(types.AttributeValue); ok {
		return attributeText(a)
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return "null"
		}
		return written(v.Elem())
	case reflect.Struct:
		return structText(v)
	case reflect.Map:
		return mapText(v)
	case reflect.Slice:
		var list []string
		for i := range v.Len() {
			list = append(list, written(v.Index(i)))
		}
		return "[" + strings.Join(list, ", ") + "]"
	case reflect.String:
		if v.Type() != reflect.TypeFor[string]() {
			return v.String() // one of a set of words
		}
		return quotedText(v.String())
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	}
	return fmt.Sprint(v.Interface())
}

func structText(v reflect.Value) string {
	if _, ok := v.Interface().(time.Time); ok {
		return "TIME"
	}
	var list []string
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.IsExported() && !absent(v.Field(i)) {
			list = append(list, f.Name+": "+written(v.Field(i)))
		}
	}
	return "{" + strings.Join(list, ", ") + "}"
}

func mapText(v reflect.Value) string {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
	var list []string
	for _, k := range keys {
		list = append(list, nameText(k.String())+": "+written(v.MapIndex(k)))
	}
	return "{" + strings.Join(list, ", ") + "}"
}

var plainName = regexp.MustCompile(`^[#:]?[A-Za-z0-9_.-]+$`)

func nameText(s string) string {
	if plainName.MatchString(s) {
		return s
	}
	return strconv.Quote(s)
}

// attributeText writes an attribute value, members of sets in order.
func attributeText(a types.AttributeValue) string {
	switch a := a.(type) {
	case *types.AttributeValueMemberS:
		return quotedText(a.Value)
	case *types.AttributeValueMemberN:
		return a.Value
	case *types.AttributeValueMemberB:
		return binaryText(a.Value)
	case *types.AttributeValueMemberBOOL:
		return strconv.FormatBool(a.Value)
	case *types.AttributeValueMemberNULL:
		return "null"
	case *types.AttributeValueMemberM:
		return mapText(reflect.ValueOf(a.Value))
	case *types.AttributeValueMemberL:
		return written(reflect.ValueOf(a.Value))
	case *types.AttributeValueMemberSS:
		return setText(a.Value, quotedText)
	case *types.AttributeValueMemberNS:
		return setText(a.Value, func(s string) string { return s })
	case *types.AttributeValueMemberBS:
		return setText(a.Value, binaryText)
	}
	return fmt.Sprintf("%T", a)
}

func setText[T any](members []T, text func(T) string) string {
	var list []string
	for _, m := range members {
		list = append(list, text(m))
	}
	slices.Sort(list)
	return "<" + strings.Join(list, ", ") + ">"
}

func binaryText(b []byte) string {
	var text strings.Builder
	for _, c := range b {
		if c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			text.WriteByte(c)
		} else {
			fmt.Fprintf(&text, `\x%02x`, c)
		}
	}
	return `b"` + text.String() + `"`
}

// quotedText quotes a string, and shortens one that repeats a character.
func quotedText(s string) string {
	if len(s) > 60 && strings.Count(s, s[:1]) == len(s) {
		return strconv.Quote(s[:1]) + "*" + strconv.Itoa(len(s))
	}
	return strconv.Quote(s)
}
