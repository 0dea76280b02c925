package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The command asks a newsroom that serves, and says why it is not ready.
func TestHealthCommand(t *testing.T) {
	h := newHealth(quiet)
	served := httptest.NewServer(http.HandlerFunc(h.serveReady))
	defer served.Close()
	addr := strings.TrimPrefix(served.URL, "http://")
	if got := runIn(t, nil, "health", "--addr", addr); got.Code != 1 || !strings.Contains(got.Stderr, "is not ready") || !strings.Contains(got.Stderr, string(starting)) {
		t.Errorf("while it starts: %+v", got)
	}
	h.set(ready)
	everywhere := ":" + addr[strings.LastIndex(addr, ":")+1:]
	for _, at := range []string{addr, everywhere, "0.0.0.0" + everywhere} {
		if got := runIn(t, nil, "health", "--addr", at); got.Code != 0 || !strings.Contains(got.Stdout, `"ready"`) {
			t.Errorf("%s: %+v", at, got)
		}
	}
	if got := runIn(t, []string{"PRESSROOM_ADDR=" + addr}, "health"); got.Code != 0 {
		t.Errorf("as the settings say: %+v", got)
	}
	served.Close()
	if got := runIn(t, nil, "health", "--addr", addr); got.Code != 1 || !strings.Contains(got.Stderr, "nothing answers on "+addr) {
		t.Errorf("nobody is there: %+v", got)
	}
	cut := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "{")
	}))
	defer cut.Close()
	if got := runIn(t, nil, "health", "--addr", strings.TrimPrefix(cut.URL, "http://")); got.Code != 1 || !strings.Contains(got.Stderr, "broke off") {
		t.Errorf("half an answer: %+v", got)
	}
}
