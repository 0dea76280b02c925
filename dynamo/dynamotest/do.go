package dynamotest

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// What cases in Go share: requests in the notation of scripts, with the
// script's names of tables.

// item is an item or a key.
type item = map[string]types.AttributeValue

// ask performs an operation whose input is written in the notation; args are
// for its verbs, as in fmt.Sprintf.
func (s *suite) ask(operation, input string, args ...any) (any, error) {
	p := &player{suite: s}
	if len(args) > 0 {
		input = fmt.Sprintf(input, args...)
	}
	return p.invoke(operation, input)
}

// do is ask for a request that must succeed.
func do[Out any](s *suite, operation, input string, args ...any) *Out {
	s.T.Helper()
	out, err := s.ask(operation, input, args...)
	if err != nil {
		s.T.Fatalf("%s %.200s: %v", operation, input, err)
	}
	return out.(*Out)
}

// refuse performs an operation that must be refused with an error that begins
// so: its type, a colon, its message.
func (s *suite) refuse(want, operation, input string, args ...any) {
	s.T.Helper()
	_, err := s.ask(operation, input, args...)
	if err == nil {
		s.T.Errorf("%s %.200s: accepted, want %s", operation, input, want)
		return
	}
	got := s.plain(refused(err))
	if !s.Embedded {
		got, want = alike(got), alike(want)
	}
	if !strings.HasPrefix(got, want) {
		s.T.Errorf("%s %.200s:\ngot  %s\nwant %s", operation, input, got, want)
	}
}

// accept performs an operation that must succeed.
func (s *suite) accept(operation, input string, args ...any) {
	s.T.Helper()
	if _, err := s.ask(operation, input, args...); err != nil {
		s.T.Errorf("%s %.200s: %v", operation, input, err)
	}
}

// equal compares what was answered with what must be.
func (s *suite) equal(what string, got, want any) {
	s.T.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		s.T.Errorf("%s:\ngot  %v\nwant %v", what, got, want)
	}
}

// text is the string in an attribute, or its number.
func text(v types.AttributeValue) string {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return v.Value
	}
	return fmt.Sprintf("%T", v)
}

// column is one attribute of each item.
func column(items []item, name string) []string {
	list := make([]string, len(items))
	for i, it := range items {
		list[i] = text(it[name])
	}
	return list
}

func itoa(n int) string { return strconv.Itoa(n) }

func mapString(it item) string { return mapText(reflect.ValueOf(it)) }

// atoi is for numbers that a case wrote itself.
func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// refusedText writes an error, "accepted" if there is none.
func refusedText(err error) string {
	if err == nil {
		return "accepted"
	}
	return refused(err)
}
