package wire

import (
	"net/http"

	"pressroom/caller"
	"pressroom/dynamo/engine"
)

// admit turns away callers that may not come without credentials, and answers a
// browser that asks whether its page may. It reports whether there is more to
// answer. With credentials pages of every origin may, as with DynamoDB: a page
// cannot sign unless somebody gave it a key.
func (h *handler) admit(w http.ResponseWriter, r *http.Request) bool {
	if h.verifier == nil {
		why := caller.Refuse(r)
		if why == "" {
			return true
		}
		c := &call{}
		c.fail(&engine.Error{Type: accessDenied, Message: why})
		w.Header()["Content-Type"] = plainJSON
		write(w, http.StatusForbidden, c.out)
		return false
	}
	if r.Header["Origin"] == nil {
		return true
	}
	w.Header()["Access-Control-Allow-Origin"] = anyOrigin
	if r.Method == http.MethodOptions {
		preflight(w, r)
		return false
	}
	return true
}

var (
	anyOrigin = []string{"*"}
	twoDays   = []string{"172800"} // in seconds
)

// preflight answers a browser that asks whether it may send a request.
func preflight(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	if v := r.Header["Access-Control-Request-Headers"]; len(v) > 0 {
		header["Access-Control-Allow-Headers"] = v
	}
	if v := r.Header["Access-Control-Request-Method"]; len(v) > 0 {
		header["Access-Control-Allow-Methods"] = v
	}
	header["Access-Control-Max-Age"] = twoDays
	header["Content-Type"] = nil
	header["Content-Length"] = []string{"0"}
	w.WriteHeader(http.StatusOK)
}
