// Package edge puts DynamoDB and S3 on one port, as LocalStack does, so that
// programs written for it run with their endpoint variable as it is.
//
// It promises that a request reaches the service it was made for, unread and
// unchanged, and that a server without credentials is never reachable from
// another machine: see CheckAddr. Which callers on this machine it serves is
// judged by package caller, first of all in each service, and here for health
// probes.
//
// Start reading at ServeHTTP.
package edge

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"

	"pressroom/caller"
)

// State is what can be taken back between tests.
type State interface {
	// Snapshot remembers what the stores hold now.
	Snapshot() error
	// Reset goes back to what was remembered last.
	Reset() error
}

// Handler tells the two services apart and answers health probes itself.
type Handler struct {
	// Dynamo and S3 serve their protocols on every path.
	Dynamo, S3 http.Handler
	// Version is told to those who ask for the health.
	Version string
	// Credentials says that the services ask for a signature, so that everyone
	// may come as far as them.
	Credentials bool
	// Verify checks the signature of a request without a body that concerns neither
	// service. Required with credentials.
	Verify func(*http.Request) error
	// State changes what the stores hold; nil where what they hold is to stay.
	State State
}

// ServeHTTP passes the request on. DynamoDB's requests name their operation
// in X-Amz-Target, or their service in the signature; health probes and changes of
// state have paths that cannot be buckets; everything else is S3's.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case isDynamo(r):
		h.Dynamo.ServeHTTP(w, r)
	case isProbe(r):
		h.health(w, r)
	case changes[r.URL.Path] != nil && r.Method == http.MethodPost:
		h.change(w, r)
	default:
		h.S3.ServeHTTP(w, r)
	}
}

func isDynamo(r *http.Request) bool {
	if strings.HasPrefix(r.Header.Get("X-Amz-Target"), "DynamoDB") {
		return true
	}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-amz-json-1.") {
		return true
	}
	// Pre-flight requests of browsers carry neither, but say what is to come.
	if r.Method == http.MethodOptions && strings.Contains(strings.ToLower(r.Header.Get("Access-Control-Request-Headers")), "x-amz-target") {
		return true
	}
	return strings.HasPrefix(service(r), "dynamodb")
}

// service returns the service in the signature's credential scope,
// AKID/20260101/us-east-1/SERVICE/aws4_request, or "".
func service(r *http.Request) string {
	scope := r.URL.Query().Get("X-Amz-Credential")
	if _, rest, ok := strings.Cut(r.Header.Get("Authorization"), "Credential="); ok {
		scope, _, _ = strings.Cut(rest, ",")
	}
	parts := strings.Split(strings.TrimSpace(scope), "/")
	if len(parts) < 5 {
		return ""
	}
	return parts[len(parts)-2]
}

// isProbe recognises the paths at which local AWS stand-ins tell their
// health. Bucket names cannot begin with an underscore.
func isProbe(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	switch r.URL.Path {
	case "/_localstack/health", "/_localstack/info", "/_localstack/init", "/_localstack/init/ready", "/_pressroom/health", "/health":
		return true
	}
	return false
}

func (h *Handler) health(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/health" && service(r) != "" {
		h.S3.ServeHTTP(w, r) // a signed request for a bucket of that name
		return
	}
	if why := caller.Refuse(r); why != "" && !h.Credentials {
		h.answer(w, http.StatusForbidden, map[string]string{"message": why})
		return
	}
	// It listens once everything is there, so that whoever asks need not wait.
	switch r.URL.Path {
	case "/_localstack/init":
		h.answer(w, http.StatusOK, map[string]any{
			"completed": map[string]bool{"BOOT": true, "START": true, "READY": true, "SHUTDOWN": false}, "scripts": []string{},
		})
	case "/_localstack/init/ready":
		h.answer(w, http.StatusOK, map[string]any{"completed": true, "scripts": []string{}})
	default:
		h.answer(w, http.StatusOK, map[string]any{
			"services": map[string]string{"dynamodb": "running", "dynamodbstreams": "running", "s3": "running"},
			"edition":  "pressroom",
			"version":  h.Version,
		})
	}
}

func (h *Handler) answer(w http.ResponseWriter, status int, body any) {
	caller.Shield(w.Header(), h.Credentials)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// changes are what can be asked of the state, by POST; no object is made so.
var changes = map[string]func(State) error{
	"/_pressroom/snapshot":     State.Snapshot,
	"/_pressroom/reset":        State.Reset,
	"/_localstack/state/reset": State.Reset,
}

// change remembers or takes back what the stores hold. Nobody comes so far whom the
// services would not serve.
func (h *Handler) change(w http.ResponseWriter, r *http.Request) {
	refuse := func(status int, why string) { h.answer(w, status, map[string]string{"message": why}) }
	if h.Credentials {
		if err := h.Verify(r); err != nil {
			refuse(http.StatusForbidden, err.Error())
			return
		}
	} else if why := caller.Refuse(r); why != "" {
		refuse(http.StatusForbidden, why)
		return
	}
	if h.State == nil {
		refuse(http.StatusConflict, "What is in a data directory stays; start with --memory to take it back.")
		return
	}
	if err := changes[r.URL.Path](h.State); err != nil {
		refuse(http.StatusInternalServerError, err.Error())
		return
	}
	h.answer(w, http.StatusOK, map[string]string{})
}

// CheckAddr refuses to listen where other machines could reach the stores
// without credentials.
func CheckAddr(addr string, credentials bool) error {
	if credentials {
		return nil
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("address %q: %w", addr, err)
	}
	if host == "localhost" {
		return nil
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("refusing to serve DynamoDB and S3 on %s without credentials: anyone who reaches it could read and change everything; set an access key and secret, or listen on 127.0.0.1", addr)
}
