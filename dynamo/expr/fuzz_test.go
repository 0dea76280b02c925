package expr

import (
	"errors"
	"testing"

	"pressroom/dynamo/attr"
)

// The fuzz targets want no crash and no hang, errors of the service's kind, and
// results that are items. The sources of the scripts are their seeds.

func fuzzEnv(t testing.TB) *Env {
	env, err := NewEnv(Placeholders{
		Names: map[string]string{"#a": "a", "#b": "b", "#m": "m"},
		Values: map[string]attr.Value{
			":n": attr.NewInt(5), ":s": attr.NewString("x"), ":b": attr.NewBinary([]byte{1}), ":t": attr.NewBool(true),
			":z": attr.NewNull(), ":l": attr.NewList(attr.NewInt(1)), ":m": attr.NewMap(nil),
			":ss": storedSet(attr.StringSet, []string{"a", "b"}), ":ns": storedSet(attr.NumberSet, []int64{1, 2}),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func fuzzItem() attr.Item {
	return storedItem(dict{
		"a": int64(1), "b": "text", "c": bin("\x01\x02"), "t": true, "z": nil,
		"l": list{int64(1), "x", list{int64(2), dict{"q": int64(1)}}}, "ss": strSet{"a", "c"}, "ns": numSet{1, 3},
		"m": dict{"k": int64(1), "n": dict{"z": "y", "l": list{}}},
	})
}

func wantRefusal(t *testing.T, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Message == "" {
		t.Fatalf("error %#v", err)
	}
}

func wantItem(t *testing.T, item attr.Item) {
	t.Helper()
	if err := attr.CheckItem(item); err != nil {
		t.Fatalf("not an item: %v", err)
	}
}

func FuzzCondition(f *testing.F) {
	for _, src := range []string{"a = :n", "NOT (a < :n OR b IN (:s, #b)) AND size(l) > :n", "contains(m.n.l[0], :s)", "((a))", "a BETWEEN :n AND :n AND attribute_type(a, :s)", ""} {
		f.Add(src)
	}
	item := fuzzItem()
	f.Fuzz(func(t *testing.T, src string) {
		c, err := ParseCondition(ConditionExpression, src, fuzzEnv(t))
		if err != nil {
			wantRefusal(t, err)
			return
		}
		if c.Match(item) == Not(c).Match(item) {
			t.Fatal("a condition and its negation agree")
		}
		c.Match(nil)
		c.Attributes()
		c.Nested()
	})
}

func FuzzKeyCondition(f *testing.F) {
	for _, src := range []string{"a = :s", "a = :s AND b > :n", "b BETWEEN :n AND :n AND :s = a", "begins_with(b, :s)", ""} {
		f.Add(src)
	}
	schema := KeySchema{Partition: []KeyAttribute{{"a", attr.String}}, Sort: []KeyAttribute{{"b", attr.Number}, {"c", attr.String}}}
	f.Fuzz(func(t *testing.T, src string) {
		k, err := ParseKeyCondition(src, fuzzEnv(t))
		if err != nil {
			wantRefusal(t, err)
			return
		}
		r, err := k.Fit(schema)
		if err != nil {
			wantRefusal(t, err)
			return
		}
		if len(r.Partition) != 1 || len(r.Equal) > 2 || (r.Op == KeyNone) != (len(r.Values) == 0) {
			t.Fatalf("%+v", r)
		}
	})
}

func FuzzProjection(f *testing.F) {
	for _, src := range []string{"a", "#a, m.k, l[2][0], l[0]", "a, a", "m.n.l[0], m.n.z", ""} {
		f.Add(src)
	}
	item := fuzzItem()
	f.Fuzz(func(t *testing.T, src string) {
		p, err := ParseProjection(src, fuzzEnv(t))
		if err != nil {
			wantRefusal(t, err)
			return
		}
		got := p.Apply(item)
		wantItem(t, got)
		if again := p.Apply(got); len(p.Nested()) == 0 && string(again) != string(got) {
			t.Fatal("a projection of its own result differs")
		}
	})
}

func FuzzUpdate(f *testing.F) {
	for _, src := range []string{
		"SET a = :n, m.k = a + :n REMOVE l[0], m.n.z ADD ns :ns DELETE ss :ss", "SET l[9] = :s, l[1] = if_not_exists(q, :l)",
		"SET l = list_append(l, :l)", "ADD a :n, x :ss", "SET a = (b) + (:n)", "SET a = :n SET b = :n", "",
	} {
		f.Add(src, []byte(fuzzItem()))
	}
	f.Add("SET a.b[0] = :n", []byte("damaged"))
	f.Fuzz(func(t *testing.T, src string, stored []byte) {
		u, err := ParseUpdate(src, fuzzEnv(t))
		if err != nil {
			wantRefusal(t, err)
			return
		}
		u.Attributes()
		u.Nested()
		u.Creates()
		// Damaged bytes may give damaged bytes, but no more than that.
		got, touched, err := u.Apply(stored)
		if err != nil {
			wantRefusal(t, err)
			return
		}
		old, now := touched.Old(), touched.New()
		if attr.CheckItem(stored) == nil {
			wantItem(t, got)
			wantItem(t, old)
			wantItem(t, now)
		}
	})
}

func FuzzPlaceholders(f *testing.F) {
	f.Add("#a", "name", ":v", "text")
	f.Add("", "", "", "")
	f.Fuzz(func(t *testing.T, name, to, key, text string) {
		env, err := NewEnv(Placeholders{Names: map[string]string{name: to}, Values: map[string]attr.Value{key: attr.NewString(text)}})
		if err != nil {
			wantRefusal(t, err)
			return
		}
		wantRefusal(t, env.CheckUsed())
		if _, err := ParseCondition(ConditionExpression, name+" = "+key, env); err != nil {
			t.Fatalf("accepted placeholders %q and %q do not parse: %v", name, key, err)
		}
		if err := env.CheckUsed(); err != nil {
			t.Fatal(err)
		}
	})
}
