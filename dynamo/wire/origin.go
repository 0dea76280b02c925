package wire

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"pressroom/dynamo/engine"
)

// admit deals with a request that a web page sends, or that its browser sends
// first to ask whether it may. It reports whether there is more to answer.
func (h *handler) admit(w http.ResponseWriter, r *http.Request, origin string) bool {
	if h.local && foreign(origin) {
		c := &call{}
		c.fail(&engine.Error{Type: accessDenied, Message: "Without credentials, pages of " + origin + " may not use this endpoint"})
		w.Header()["Content-Type"] = plainJSON
		write(w, http.StatusForbidden, c.out)
		return false
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

// foreign reports whether a browser names an origin that is not on this
// machine. The origin of a page in a sandbox is null, whoever sent it.
func foreign(origin string) bool {
	if origin == "null" {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return err != nil // what is no web page is somebody's program
	}
	host := u.Hostname()
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return false
	}
	address, err := netip.ParseAddr(host)
	return err != nil || !address.IsLoopback()
}
