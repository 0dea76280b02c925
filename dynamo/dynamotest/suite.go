package dynamotest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// suite is a target with the tables of one group, and the test at hand.
type suite struct {
	T *testing.T
	Target
	prefix string // of the names of tables
	tables []string
	// rewrite, if not nil, takes a script whose answers are others now.
	rewrite func(*script)
}

func newSuite(t *testing.T, target Target) *suite {
	var id [4]byte
	_, _ = rand.Read(id[:]) // never fails
	return &suite{T: t, Target: target, prefix: "dynamotest-" + hex.EncodeToString(id[:]) + "-", rewrite: rewriting}
}

// on is the suite for a subtest.
func (s *suite) on(t *testing.T) *suite {
	sub := *s
	sub.T = t
	return &sub
}

func (s *suite) ctx() context.Context { return s.T.Context() }

// real is the name that the target knows a table of the script by.
func (s *suite) real(name string) string { return s.prefix + name }

// table is real for inputs.
func (s *suite) table(name string) *string { return aws.String(s.real(name)) }

// declare creates a script's table and removes it after the group.
func (s *suite) declare(spec *tableSpec) {
	s.T.Helper()
	s.tables = append(s.tables, spec.name)
	if spec.input == nil {
		s.removeLater(s.real(spec.name))
		return
	}
	in := *spec.input
	in.TableName = s.table(spec.name)
	s.create(&in)
}

// create creates a table, waits for it, and removes it after the test.
func (s *suite) create(in *dynamodb.CreateTableInput) {
	s.T.Helper()
	if _, err := s.API.CreateTable(s.ctx(), in); err != nil {
		s.T.Fatalf("create %s: %v", *in.TableName, err)
	}
	s.removeLater(*in.TableName)
	s.wait(*in.TableName)
}

func (s *suite) removeLater(table string) {
	if s.Embedded {
		return // it goes with its database
	}
	s.T.Cleanup(func() {
		_, _ = s.API.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &table})
	})
}

// wait waits until a table and its indexes are active.
func (s *suite) wait(table string) {
	s.T.Helper()
	s.eventually(table+" being active", func() bool {
		out, err := s.API.DescribeTable(s.ctx(), &dynamodb.DescribeTableInput{TableName: &table})
		if err != nil {
			s.T.Fatalf("describe %s: %v", table, err)
		}
		return active(out.Table)
	})
}

func active(d *types.TableDescription) bool {
	for _, g := range d.GlobalSecondaryIndexes {
		if g.IndexStatus != types.IndexStatusActive {
			return false
		}
	}
	return d.TableStatus == types.TableStatusActive
}

// pause lets a target get on with what it does in the background.
func (s *suite) pause() {
	if s.Slow {
		time.Sleep(time.Second)
		return
	}
	time.Sleep(5 * time.Millisecond)
}

// eventually asks until the answer is yes, on a target that may be behind.
func (s *suite) eventually(what string, yes func() bool) {
	s.T.Helper()
	for begin := time.Now(); !yes(); s.pause() {
		if time.Since(begin) > 10*time.Minute { // only a broken target comes near it
			s.T.Fatalf("%s does not happen", what)
		}
	}
}

// rename replaces the script's names of tables by the target's, in every
// string but those of attribute values.
func (s *suite) rename(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			s.rename(v.Elem())
		}
	case reflect.Struct:
		s.renameStruct(v)
	case reflect.Slice:
		for i := range v.Len() {
			s.rename(v.Index(i))
		}
	case reflect.Map:
		s.renameMap(v)
	case reflect.String:
		if v.CanSet() {
			v.SetString(s.renamed(v.String()))
		}
	}
}

func (s *suite) renameStruct(v reflect.Value) {
	for i := range v.NumField() {
		f := v.Field(i)
		if !f.CanSet() {
			continue
		}
		missing := v.Type().Field(i).Name == "TableName" && f.Kind() == reflect.Pointer && f.IsNil()
		if missing && len(s.tables) > 0 && !strings.HasPrefix(v.Type().Name(), "List") {
			f.Set(reflect.ValueOf(aws.String(s.tables[0])))
		}
		s.rename(f)
	}
}

func (s *suite) renameMap(v reflect.Value) {
	if v.Type().Elem() == attributeType {
		return
	}
	for _, k := range v.MapKeys() {
		was := v.MapIndex(k)
		is := reflect.New(was.Type()).Elem()
		is.Set(was)
		s.rename(is)
		v.SetMapIndex(k, reflect.Value{})
		v.SetMapIndex(reflect.ValueOf(s.renamed(k.String())), is)
	}
}

// renamed is a string with the target's name for a table: the whole of it, or
// quoted in a statement.
func (s *suite) renamed(text string) string {
	for _, name := range s.tables {
		if text == name {
			return s.real(name)
		}
		text = strings.ReplaceAll(text, `"`+name+`"`, `"`+s.real(name)+`"`)
	}
	return text
}

var made = []struct {
	pattern *regexp.Regexp
	word    string
}{
	{regexp.MustCompile(`arn:aws[a-z-]*:dynamodb:[a-z0-9-]*:\d{12}:`), "arn:aws:dynamodb:REGION:ACCOUNT:"},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "ID"},
	{regexp.MustCompile(`backup/\d{14}-[0-9a-f]{8}`), "backup/ID"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?`), "TIME"},
}

// plain replaces what differs from target to target and from day to day.
func (s *suite) plain(text string) string {
	for _, name := range s.tables {
		text = strings.ReplaceAll(text, s.real(name), name)
	}
	text = strings.ReplaceAll(text, s.prefix, "")
	for _, m := range made {
		text = m.pattern.ReplaceAllString(text, m.word)
	}
	return shortened(text)
}

// shortened writes a character that is repeated very often as the notation
// does.
func shortened(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		n := 1
		for i+n < len(text) && text[i+n] == text[i] {
			n++
		}
		if n < 100 {
			b.WriteString(text[i : i+n])
		} else {
			fmt.Fprintf(&b, "%c*%d", text[i], n)
		}
		i += n
	}
	return b.String()
}
