package attr

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pressroom/dynamo/token"
)

// The items that the benchmarks work on, as a client would send them.
var benchItems = []struct{ name, json string }{
	{"1KB", `{"pk":{"S":"ARTICLE#2026-11-15"},"sk":{"S":"01JCQ7Z4V5W0X9Y8K3M2N1P0QR"},"title":{"S":"Budget committee debates school meals"},"createdAt":{"S":"2026-11-15T09:30:00.000Z"},"views":{"N":"18234"},"score":{"N":"0.9375"},"published":{"BOOL":true},"lang":{"S":"ja"},"body":{"S":"` +
		strings.Repeat("It was said that the plan needs another year. ", 17) + `"},"author":{"S":"editor-7"}}`},
	{"Nested", `{"id":{"S":"task-1"},"status":{"S":"pending"},"chunks":{"L":[{"M":{"id":{"S":"CHUNK#0"},"prompt_key":{"S":"prompts/1/0.json"},"status":{"S":"ready"},"orders":{"L":[{"N":"1"},{"N":"2"},{"N":"3"}]}}},{"M":{"id":{"S":"CHUNK#1"},"prompt_key":{"S":"prompts/1/1.json"},"status":{"S":"notReady"},"orders":{"L":[{"N":"4"},{"N":"5"}]}}}]},"meta":{"M":{"house":{"S":"shugi"},"session":{"N":"215"},"tags":{"SS":["budget","education","health"]},"flags":{"M":{"reviewed":{"BOOL":false},"lease":{"NULL":true}}}}}}`},
	{"20Attributes", func() string {
		var b strings.Builder
		b.WriteString("{")
		for i := range 20 {
			if i > 0 {
				b.WriteString(",")
			}
			n := i * 7 % 20 // not in order
			if i%3 == 0 {
				fmt.Fprintf(&b, `"attr%02d":{"N":"%d"}`, n, i*1234567)
			} else {
				fmt.Fprintf(&b, `"attr%02d":{"S":"value number %d of twenty"}`, n, i)
			}
		}
		b.WriteString("}")
		return b.String()
	}()},
}

func benchItem(t testing.TB, src string) Item {
	t.Helper()
	it, err := ParseItemJSON(token.NewReader([]byte(src)))
	if err != nil {
		t.Fatal(err)
	}
	return it.Clone()
}

func eachItem(b *testing.B, run func(b *testing.B, src string)) {
	for _, it := range benchItems {
		b.Run(it.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(it.json)))
			run(b, it.json)
		})
	}
}

func BenchmarkParseItemJSON(b *testing.B) {
	eachItem(b, func(b *testing.B, src string) {
		data := []byte(src)
		for b.Loop() {
			if _, err := ParseItemJSON(token.NewReader(data)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkParseStdlib is the yardstick for BenchmarkParseItemJSON.
func BenchmarkParseStdlib(b *testing.B) {
	eachItem(b, func(b *testing.B, src string) {
		data := []byte(src)
		for b.Loop() {
			var m map[string]any
			if err := json.Unmarshal(data, &m); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkAppendItemJSON(b *testing.B) {
	eachItem(b, func(b *testing.B, src string) {
		it := benchItem(b, src)
		var dst []byte
		for b.Loop() {
			dst = AppendItemJSON(dst[:0], it)
		}
	})
}

// BenchmarkMarshalStdlib is the yardstick for BenchmarkAppendItemJSON.
func BenchmarkMarshalStdlib(b *testing.B) {
	eachItem(b, func(b *testing.B, src string) {
		var m map[string]any
		if err := json.Unmarshal([]byte(src), &m); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := json.Marshal(m); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkItemToSDK(b *testing.B) {
	eachItem(b, func(b *testing.B, src string) {
		it := benchItem(b, src)
		for b.Loop() {
			ItemToSDK(it)
		}
	})
}

func BenchmarkItemFromSDK(b *testing.B) {
	eachItem(b, func(b *testing.B, src string) {
		m := ItemToSDK(benchItem(b, src))
		for b.Loop() {
			if _, err := ItemFromSDK(m); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkItemSize(b *testing.B) {
	eachItem(b, func(b *testing.B, src string) {
		it := benchItem(b, src)
		for b.Loop() {
			it.Size()
		}
	})
}

func BenchmarkItemGet(b *testing.B) {
	it := benchItem(b, benchItems[0].json)
	for b.Loop() {
		if _, ok := it.Get("title"); !ok {
			b.Fatal("no title")
		}
	}
}

func BenchmarkBuilder(b *testing.B) {
	it, v := benchItem(b, benchItems[0].json), NewInt(7)
	var builder Builder
	b.ReportAllocs()
	for b.Loop() {
		builder.Reset(it)
		builder.Set("views", v)
		builder.Delete("score")
		builder.Item()
	}
}

func BenchmarkAdd(b *testing.B) {
	x, y := NewInt(18234), NewInt(1)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Add(x, y); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendKey(b *testing.B) {
	v := NewString("ARTICLE#2026-11-15T09:30:00.000Z#01JCQ7Z4V5W0X9Y8K3M2N1P0QR")
	var dst []byte
	for b.Loop() {
		dst = AppendKey(dst[:0], v)
	}
}
