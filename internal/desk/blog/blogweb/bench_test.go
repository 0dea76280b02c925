package blogweb_test

import (
	"net/http/httptest"
	"strconv"
	"testing"

	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/web/webtest"
)

// A post of 2,000 blocks, as readers and authors open it; 200 ms are allowed.
func BenchmarkLargePost(b *testing.B) {
	r := open(b)
	c := content("Large", nil)
	for i := range 2000 {
		c.Blocks = append(c.Blocks, blog.Block{Type: blog.Text, Layout: blog.Full, Content: "Some *words* of block " + strconv.Itoa(i)})
	}
	p := r.put(b, c, blog.Published)
	for name, path := range map[string]string{"read": "/blog/posts/" + p.ID, "edit": "/office/blog/posts/" + p.ID} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				req := httptest.NewRequestWithContext(b.Context(), "GET", path, nil)
				req = req.WithContext(auth.With(req.Context(), webtest.As(auth.Author)))
				w := httptest.NewRecorder()
				if r.Mux.ServeHTTP(w, req); w.Code != 200 {
					b.Fatal(w.Code)
				}
			}
		})
	}
}
