package wire

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestPanic holds that a mistake of the server's own is answered and logged,
// and that the connection lives on.
func TestPanic(t *testing.T) {
	var logged bytes.Buffer
	h := &handler{log: slog.New(slog.NewTextHandler(&logged, nil))} // without a database
	for range 2 {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"TableName":"posts","Key":{}}`))
		r.Host, r.RemoteAddr = "127.0.0.1", "127.0.0.1:1"
		r.Header.Set("Content-Type", json10)
		r.Header.Set("X-Amz-Target", apiPrefix+"GetItem")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), spaceService+"InternalServerError") {
			t.Errorf("got %d %s", w.Code, w.Body)
		}
		if id := w.Header().Get("x-amzn-RequestId"); !strings.Contains(logged.String(), id) {
			t.Errorf("request %s is not in the log: %s", id, &logged)
		}
	}
}
