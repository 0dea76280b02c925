package api

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"testing"
)

// sink is a writer that costs nothing.
type sink struct {
	header http.Header
	bytes  int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) Write(b []byte) (int, error) { s.bytes += len(b); return len(b), nil }
func (s *sink) WriteHeader(int)             {}

func benchmarkGet(b *testing.B, h http.Handler, target string, headers ...string) {
	r := httptest.NewRequest(http.MethodGet, target, http.NoBody)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := &sink{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		clear(w.header)
		h.ServeHTTP(w, r)
	}
	b.ReportMetric(float64(w.bytes)/float64(b.N), "B/answer")
}

// BenchmarkList is the shell alone: twenty records from memory, through the door.
func BenchmarkList(b *testing.B) {
	benchmarkGet(b, open(b).mux, "/api/v1/shelf/books?limit=20")
}

// BenchmarkNotModified is a reader who has the answer already.
func BenchmarkNotModified(b *testing.B) {
	benchmarkGet(b, open(b).mux, "/api/v1/shelf/books/7", "If-None-Match", `"7"`)
}

// BenchmarkStoredList is twenty posts from tables on disk.
func BenchmarkStoredList(b *testing.B) { benchmarkGet(b, openLoad(b), loadList) }

// BenchmarkSharedList is the same for a crowd.
func BenchmarkSharedList(b *testing.B) { benchmarkGet(b, openLoad(b), loadFront) }

// BenchmarkCheck is the judging of a body of some kilobytes.
func BenchmarkCheck(b *testing.B) {
	sh := newShapes().of(reflect.TypeFor[bookInput]())
	body := []byte(`{"title":"x","parts":[{"name":"first"}`)
	for i := range 100 {
		body = append(body, `,{"name":"part `+strconv.Itoa(i)+`"}`...)
	}
	body = append(body, "]}"...)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if err := check(body, sh); err != nil {
			b.Fatal(err)
		}
	}
}
