package expr

import (
	"testing"

	"pressroom/dynamo/attr"
)

func benchEnv(b *testing.B) *Env {
	env, err := NewEnv(Placeholders{
		Names:  map[string]string{"#s": "status", "#c": "count"},
		Values: map[string]attr.Value{":a": attr.NewString("active"), ":n": attr.NewInt(5), ":p": attr.NewString("user#")},
	})
	if err != nil {
		b.Fatal(err)
	}
	return env
}

func benchItem() attr.Item {
	var b attr.Builder
	for _, name := range []string{"author", "body", "created", "etag", "id", "kind", "lang", "owner", "title", "url"} {
		b.Set(name, attr.NewString("some text that stands for "+name))
	}
	b.Set("status", attr.NewString("active"))
	b.Set("count", attr.NewInt(7))
	var m attr.Builder
	m.Set("seen", attr.NewInt(12))
	m.Set("likes", attr.NewInt(3))
	b.Set("stats", attr.NewMap(m.Item()))
	b.Set("tags", attr.NewList(attr.NewString("a"), attr.NewString("b"), attr.NewString("c")))
	return b.Item()
}

var benchConditions = map[string]string{
	"not_exists": "attribute_not_exists(id)",
	"equal":      "#s = :a",
	"mixed":      "(#s = :a AND #c > :n) OR begins_with(id, :p) AND NOT contains(tags, :a)",
	"size":       "size(title) > :n AND stats.seen >= :n",
}

func BenchmarkNewEnv(b *testing.B) {
	names := map[string]string{"#s": "status", "#c": "count"}
	values := map[string]attr.Value{":a": attr.NewString("active"), ":n": attr.NewInt(5)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := NewEnv(Placeholders{Names: names, Values: values}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseCondition(b *testing.B) {
	for name, src := range benchConditions {
		b.Run(name, func(b *testing.B) {
			env := benchEnv(b)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ParseCondition(ConditionExpression, src, env); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkMatch(b *testing.B) {
	item := benchItem()
	for name, src := range benchConditions {
		b.Run(name, func(b *testing.B) {
			c, err := ParseCondition(ConditionExpression, src, benchEnv(b))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				c.Match(item)
			}
		})
	}
}

var benchUpdates = map[string]string{
	"set":     "SET #s = :a, title = :p",
	"counter": "ADD #c :n",
	"nested":  "SET stats.seen = stats.seen + :n, tags[1] = :a REMOVE body",
}

func BenchmarkParseUpdate(b *testing.B) {
	for name, src := range benchUpdates {
		b.Run(name, func(b *testing.B) {
			env := benchEnv(b)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ParseUpdate(src, env); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkApply(b *testing.B) {
	item := benchItem()
	for name, src := range benchUpdates {
		b.Run(name, func(b *testing.B) {
			u, err := ParseUpdate(src, benchEnv(b))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := u.Apply(item); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkProject(b *testing.B) {
	item := benchItem()
	for name, src := range map[string]string{"two": "id, title", "nested": "id, stats.seen, tags[0], tags[2]"} {
		b.Run(name, func(b *testing.B) {
			p, err := ParseProjection(src, nil)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				p.Apply(item)
			}
		})
	}
}

func BenchmarkParseKeyCondition(b *testing.B) {
	env := benchEnv(b)
	schema := KeySchema{Partition: []KeyAttribute{{"pk", attr.String}}, Sort: []KeyAttribute{{"sk", attr.String}}}
	b.ReportAllocs()
	for b.Loop() {
		k, err := ParseKeyCondition("pk = :a AND begins_with(sk, :p)", env)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := k.Fit(schema); err != nil {
			b.Fatal(err)
		}
	}
}
