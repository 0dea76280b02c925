package expr

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pressroom/dynamo/attr"
)

// Generators of items, and of expressions together with what the naive
// implementation makes of them.

var topNames = rapid.SampledFrom([]string{"a", "b", "c", "d"})

func genValue(depth int) *rapid.Generator[any] {
	kinds := []*rapid.Generator[any]{
		rapid.Just[any](nil),
		rapid.Bool().AsAny(),
		rapid.Int64Range(-3, 3).AsAny(),
		rapid.SampledFrom([]string{"", "a", "ab", "é", "𝄞b", "b"}).AsAny(),
		rapid.Map(rapid.SampledFrom([]string{"", "a", "ab", "\xff"}), func(s string) any { return bin(s) }),
		rapid.Map(rapid.SliceOfNDistinct(rapid.Int64Range(-2, 2), 1, 3, rapid.ID), func(s []int64) any { slices.Sort(s); return numSet(s) }),
		rapid.Map(rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"", "a", "b"}), 1, 3, rapid.ID), func(s []string) any { slices.Sort(s); return strSet(s) }),
	}
	if depth > 0 {
		inner := rapid.Deferred(func() *rapid.Generator[any] { return genValue(depth - 1) })
		kinds = append(kinds,
			rapid.Map(rapid.SliceOfN(inner, 0, 3), func(s []any) any { return list(s) }),
			rapid.Map(rapid.MapOfN(topNames, inner, 0, 3), func(m map[string]any) any { return dict(m) }))
	}
	return rapid.OneOf(kinds...)
}

func genItem() *rapid.Generator[dict] {
	return rapid.Map(rapid.MapOfN(topNames, genValue(2), 0, 4), func(m map[string]any) dict { return m })
}

func genPath() *rapid.Generator[Path] {
	return rapid.Custom(func(t *rapid.T) Path {
		p := Name(topNames.Draw(t, "top"))
		for range rapid.IntRange(0, 2).Draw(t, "more") {
			if rapid.Bool().Draw(t, "index") {
				p = append(p, Step{Index: rapid.IntRange(0, 4).Draw(t, "i")})
			} else {
				p = append(p, Step{Name: topNames.Draw(t, "name"), Index: -1})
			}
		}
		return p
	})
}

func source(p Path) string {
	text := p[0].Name
	for _, s := range p[1:] {
		if s.Index >= 0 {
			text += fmt.Sprintf("[%d]", s.Index)
		} else {
			text += "." + s.Name
		}
	}
	return text
}

// writer collects the values of an expression as it is written.
type writer struct {
	t      *rapid.T
	values map[string]attr.Value
}

func (w *writer) literal(v any) string {
	key := fmt.Sprintf(":v%d", len(w.values))
	w.values[key] = stored(v)
	return key
}

func (w *writer) env() *Env {
	p := Placeholders{Values: w.values}
	if len(w.values) == 0 {
		p.Values = nil
	}
	env, err := NewEnv(p)
	if err != nil {
		w.t.Fatal(err)
	}
	return env
}

type (
	reader    func(dict) any
	predicate func(dict) bool
)

func (w *writer) operand() (string, reader) {
	switch rapid.IntRange(0, 4).Draw(w.t, "operand") {
	case 0, 1:
		p := genPath().Draw(w.t, "path")
		return source(p), func(d dict) any { return lookup(d, p) }
	case 2:
		p := genPath().Draw(w.t, "path")
		return "size(" + source(p) + ")", func(d dict) any { return naiveSize(lookup(d, p)) }
	}
	v := genValue(1).Draw(w.t, "value")
	return w.literal(v), func(dict) any { return v }
}

func (w *writer) condition(depth int) (string, predicate) {
	if depth > 0 {
		switch rapid.IntRange(0, 5).Draw(w.t, "join") {
		case 0:
			a, fa := w.condition(depth - 1)
			b, fb := w.condition(depth - 1)
			return "(" + a + " AND " + b + ")", func(d dict) bool { return fa(d) && fb(d) }
		case 1:
			a, fa := w.condition(depth - 1)
			b, fb := w.condition(depth - 1)
			return "(" + a + " OR " + b + ")", func(d dict) bool { return fa(d) || fb(d) }
		case 2:
			a, fa := w.condition(depth - 1)
			return "NOT " + a, func(d dict) bool { return !fa(d) }
		}
	}
	return w.comparison()
}

func (w *writer) comparison() (string, predicate) {
	test := rapid.IntRange(0, 7).Draw(w.t, "test")
	switch test {
	case 0:
		p := genPath().Draw(w.t, "path")
		return "attribute_exists(" + source(p) + ")", func(d dict) bool { return lookup(d, p) != missing{} }
	case 1:
		p := genPath().Draw(w.t, "path")
		return "attribute_not_exists(" + source(p) + ")", func(d dict) bool { return lookup(d, p) == missing{} }
	}
	a, fa := w.operand()
	b, fb := w.operand()
	switch test {
	case 2:
		return "contains(" + a + ", " + b + ")", func(d dict) bool { return naiveContains(fa(d), fb(d)) }
	case 3:
		return "begins_with(" + a + ", " + b + ")", func(d dict) bool { return naiveBeginsWith(fa(d), fb(d)) }
	case 4:
		c, fc := w.operand()
		return a + " IN (" + b + ", " + c + ")", func(d dict) bool {
			return naiveCompare(Equal, fa(d), fb(d)) || naiveCompare(Equal, fa(d), fc(d))
		}
	case 5:
		c, fc := w.operand()
		return a + " BETWEEN " + b + " AND " + c, func(d dict) bool {
			return naiveCompare(GreaterEqual, fa(d), fb(d)) && naiveCompare(LessEqual, fa(d), fc(d))
		}
	}
	op := Comparison(rapid.IntRange(int(Equal), int(GreaterEqual)).Draw(w.t, "op"))
	return a + " " + op.String() + " " + b, func(d dict) bool { return naiveCompare(op, fa(d), fb(d)) }
}

// refused wants the error to be one of the service's.
func refused(t *rapid.T, src string, err error) {
	if e, ok := err.(*Error); !ok || e.Message == "" {
		t.Fatalf("%s: error %#v", src, err)
	}
}

func TestConditionAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &writer{t: t, values: map[string]attr.Value{}}
		src, want := w.condition(3)
		env := w.env()
		c, err := ParseCondition(FilterExpression, src, env)
		if err != nil {
			refused(t, src, err)
			return
		}
		if err := env.CheckUsed(); err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		for range 8 {
			d := genItem().Draw(t, "item")
			if got := c.Match(storedItem(d)); got != want(d) {
				t.Fatalf("%s on %v: got %v", src, d, got)
			}
		}
	})
}

func TestProjectionAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		paths := rapid.SliceOfN(genPath(), 1, 4).Draw(t, "paths")
		sources := make([]string, len(paths))
		for i, p := range paths {
			sources[i] = source(p)
		}
		src := strings.Join(sources, ", ")
		p, err := ParseProjection(src, nil)
		if clashes := anyClash(paths); (err != nil) != clashes {
			t.Fatalf("%s: error %v", src, err)
		}
		if err != nil {
			refused(t, src, err)
			return
		}
		d := genItem().Draw(t, "item")
		got, want := p.Apply(storedItem(d)), naiveProject(d, paths)
		if !bytes.Equal(got, want) {
			t.Fatalf("%s of %v: got %s, want %s", src, d, attr.AppendItemJSON(nil, got), attr.AppendItemJSON(nil, want))
		}
	})
}

func anyClash(paths []Path) bool {
	for i := range paths {
		for j := range paths[:i] {
			if clash(paths[i], paths[j]) {
				return true
			}
		}
	}
	return false
}

// naiveProject keeps what the paths lead to by taking away all else.
func naiveProject(d dict, paths []Path) attr.Item {
	v, ok := keep(d, paths)
	if !ok {
		return nil
	}
	return storedItem(v.(dict))
}

func keep(v any, paths []Path) (any, bool) {
	if slices.ContainsFunc(paths, func(p Path) bool { return len(p) == 0 }) {
		return v, true
	}
	below := func(s Step) (rest []Path) {
		for _, p := range paths {
			if p[0] == s {
				rest = append(rest, p[1:])
			}
		}
		return rest
	}
	switch v := v.(type) {
	case dict:
		out := dict{}
		for name, e := range v {
			if rest := below(Step{name, -1}); rest != nil {
				if e, ok := keep(e, rest); ok {
					out[name] = e
				}
			}
		}
		return out, len(out) > 0
	case list:
		var out list
		for i, e := range v {
			if rest := below(Step{Index: i}); rest != nil {
				if e, ok := keep(e, rest); ok {
					out = append(out, e)
				}
			}
		}
		return out, len(out) > 0
	}
	return nil, false
}

// rightSide is the value of a right side of SET: the value, or the error.
type rightSide func(dict) (any, error)

func (w *writer) rightSide() (string, rightSide) {
	a, fa := w.source()
	switch rapid.IntRange(0, 4).Draw(w.t, "right side") {
	case 0:
		b, fb := w.source()
		sign, name := int64(1), "+"
		if rapid.Bool().Draw(w.t, "minus") {
			sign, name = -1, "-"
		}
		return a + " " + name + " " + b, both(fa, fb, func(x, y int64) any { return x + sign*y })
	case 1:
		b, fb := w.source()
		return "list_append(" + a + ", " + b + ")", both(fa, fb, func(x, y list) any { return slices.Concat(x, y) })
	case 2:
		p := genPath().Draw(w.t, "path")
		return "if_not_exists(" + source(p) + ", " + a + ")", func(d dict) (any, error) {
			v, err := fa(d)
			if was := lookup(d, p); was != (missing{}) && err == nil {
				v = was
			}
			return v, err
		}
	}
	return a, fa
}

func (w *writer) source() (string, rightSide) {
	if rapid.Bool().Draw(w.t, "literal") {
		v := genValue(1).Draw(w.t, "value")
		return w.literal(v), func(dict) (any, error) { return v, nil }
	}
	p := genPath().Draw(w.t, "path")
	return source(p), func(d dict) (any, error) {
		if v := lookup(d, p); v != (missing{}) {
			return v, nil
		}
		return nil, errMissing
	}
}

// both applies f to two values of its type.
func both[T any](fa, fb rightSide, f func(x, y T) any) rightSide {
	return func(d dict) (any, error) {
		a, err := fa(d)
		if err != nil {
			return nil, err
		}
		x, ok := a.(T)
		if !ok {
			return nil, errType
		}
		b, err := fb(d)
		if err != nil {
			return nil, err
		}
		y, ok := b.(T)
		if !ok {
			return nil, errType
		}
		return f(x, y), nil
	}
}

// action writes one action and tells what it does to an item.
func (w *writer) action(verb Verb, p Path) (string, rightSide) {
	switch verb {
	case Set:
		text, f := w.rightSide()
		return source(p) + " = " + text, f
	case Remove:
		return source(p), func(dict) (any, error) { return missing{}, nil }
	}
	v := rapid.OneOf(rapid.Just[any](int64(2)), rapid.Just[any](numSet{1, 2}), rapid.Just[any](strSet{"", "b"})).Draw(w.t, "by")
	if _, isNumber := v.(int64); isNumber && verb == Delete {
		v = strSet{"a"}
	}
	return source(p) + " " + w.literal(v), func(d dict) (any, error) { return naiveAdd(verb, lookup(d, p), v) }
}

// unchanged stands for a change that is none.
type unchanged struct{}

func naiveAdd(verb Verb, was, by any) (any, error) {
	if was == (missing{}) {
		if verb == Delete {
			return unchanged{}, nil
		}
		return by, nil
	}
	if reflect.TypeOf(was) != reflect.TypeOf(by) {
		return nil, errType
	}
	switch by := by.(type) {
	case int64:
		return was.(int64) + by, nil
	case numSet:
		return setOrNothing(combineSets(verb, was.(numSet), by)), nil
	}
	return setOrNothing(combineSets(verb, was.(strSet), by.(strSet))), nil
}

func combineSets[T interface{ ~[]E }, E interface{ ~string | ~int64 }](verb Verb, a, b T) T {
	if verb == Delete {
		return slices.DeleteFunc(slices.Clone(a), func(e E) bool { return slices.Contains(b, e) })
	}
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

func setOrNothing(set any) any {
	if reflect.ValueOf(set).Len() == 0 {
		return missing{}
	}
	return set
}

func TestUpdateAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &writer{t: t, values: map[string]attr.Value{}}
		paths := rapid.SliceOfN(genPath(), 1, 4).Draw(t, "paths")
		sections := map[Verb][]string{}
		effects := make([]rightSide, len(paths))
		for i, p := range paths {
			verb := Verb(rapid.IntRange(int(Set), int(Delete)).Draw(t, "verb"))
			text, f := w.action(verb, p)
			effects[i] = f
			sections[verb] = append(sections[verb], text)
		}
		var parts []string
		for verb, texts := range sections {
			parts = append(parts, verb.String()+" "+strings.Join(texts, ", "))
		}
		src := strings.Join(parts, " ")
		u, err := ParseUpdate(src, w.env())
		if err != nil {
			refused(t, src, err)
			return
		}
		if anyClash(paths) {
			t.Fatalf("%s: clashing paths accepted", src)
		}
		d := genItem().Draw(t, "item")
		checkUpdate(t, src, u, d, paths, effects)
	})
}

func checkUpdate(t *rapid.T, src string, u *Update, d dict, paths []Path, effects []rightSide) {
	old := storedItem(d)
	want, wantErr := naiveUpdate(d, paths, effects)
	got, touched, err := u.Apply(old)
	switch {
	case wantErr != nil:
		if err == nil || err.Error() != wantErr.Error() {
			t.Fatalf("%s on %v: error %v, want %v", src, d, err, wantErr)
		}
		return
	case err != nil:
		t.Fatalf("%s on %v: %v", src, d, err)
	case !bytes.Equal(got, storedItem(want)):
		t.Fatalf("%s on %v: got %s, want %v", src, d, attr.AppendItemJSON(nil, got), want)
	case !bytes.Equal(old, storedItem(d)):
		t.Fatalf("%s changed the old item", src)
	}
	if o, n := touched.Old(), touched.New(); !bytes.Equal(o, naiveProject(d, paths)) || !bytes.Equal(n, naiveProject(want, paths)) {
		t.Fatalf("%s on %v: touched %s and %s", src, d, attr.AppendItemJSON(nil, o), attr.AppendItemJSON(nil, n))
	}
}

func naiveUpdate(d dict, paths []Path, effects []rightSide) (dict, error) {
	var changes []naiveChange
	var wrong error
	for i, f := range effects {
		v, err := f(d)
		switch err {
		case errMissing:
			return nil, err
		case errType:
			wrong = err
		}
		changes = append(changes, naiveChange{path: paths[i], value: clone(v), none: v == any(unchanged{})})
	}
	if wrong != nil {
		return nil, wrong
	}
	result, ok := naiveApply(clone(d).(dict), changes)
	if !ok {
		return nil, errTarget
	}
	return result, nil
}
