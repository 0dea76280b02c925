package wire

import (
	"bytes"
	"strconv"

	"pressroom/caller"
)

// laneRequest is a request that the lane can answer.
type laneRequest struct {
	size      int // of head and body
	body      []byte
	target    string
	operation func(*call) error
	media     string // of the answer
	last      bool   // the client wants the connection closed
}

// laneState says whose the bytes at hand are.
type laneState int

const (
	lanePart   laneState = iota // nobody's yet
	laneOurs                    // a whole request of the lane's
	laneTheirs                  // the server's
)

const laneLine = "POST / HTTP/1.1\r\n"

var headEnd = []byte("\r\n\r\n")

// parseLane looks at the request at the beginning of b. Whatever it does not
// expect is the server's, which knows HTTP in full.
func parseLane(b []byte) (req laneRequest, state laneState) {
	if n := min(len(b), len(laneLine)); string(b[:n]) != laneLine[:n] {
		return req, laneTheirs
	}
	end := bytes.Index(b, headEnd)
	if end < 0 {
		if len(b) > laneHeadBytes {
			return req, laneTheirs
		}
		return req, lanePart
	}
	var head laneHeaders
	if end < len(laneLine) || end > laneHeadBytes || !head.read(b[len(laneLine):end+2]) {
		return req, laneTheirs
	}
	body := end + 4
	if !head.host || !req.take(&head) {
		return req, laneTheirs
	}
	if len(b)-body < head.length {
		return req, lanePart
	}
	req.size = body + head.length
	req.body = b[body:req.size]
	return req, laneOurs
}

// take fills in what the headers say, and reports whether the lane can serve
// it.
func (r *laneRequest) take(head *laneHeaders) bool {
	operation, known := operations[string(head.target)]
	if !known || head.length <= 0 || head.length > laneBodyBytes || string(head.target) == needsHost {
		return false
	}
	r.operation, r.target = operation, string(head.target)
	switch string(head.media) {
	case json10:
		r.media = json10
	case json11:
		r.media = json11
	case "application/json":
		r.media = "application/json"
	default:
		return false
	}
	switch {
	case head.connection == nil, bytes.EqualFold(head.connection, []byte("keep-alive")):
	case bytes.EqualFold(head.connection, []byte("close")):
		r.last = true
	default:
		return false
	}
	return true
}

// laneHeaders are the headers that matter.
type laneHeaders struct {
	target, media, connection []byte
	length                    int
	host                      bool
}

// read reads header lines, each ended by CR and LF. It reports false for what
// is malformed or asks for more than the lane does.
func (h *laneHeaders) read(b []byte) bool {
	for len(b) > 0 {
		end := bytes.IndexByte(b, '\r')
		if end < 0 || end+1 >= len(b) || b[end+1] != '\n' {
			return false
		}
		colon := bytes.IndexByte(b[:end], ':')
		if colon <= 0 || !h.field(b[:colon], bytes.Trim(b[colon+1:end], " \t")) {
			return false
		}
		b = b[end+2:]
	}
	return true
}

// field takes one header.
func (h *laneHeaders) field(name, value []byte) bool {
	if !plainName(name) || !plainValue(value) {
		return false
	}
	switch {
	case is(name, "host"):
		once := !h.host
		h.host = true
		return once && caller.Local(string(value))
	case is(name, "content-length"):
		n, err := strconv.ParseUint(string(value), 10, 31)
		once := h.length == 0
		h.length = int(n)
		return once && err == nil && n > 0
	case is(name, "content-type"):
		return set(&h.media, value)
	case is(name, "x-amz-target"):
		return set(&h.target, value)
	case is(name, "connection"):
		return set(&h.connection, value)
	case is(name, "accept-encoding"):
		return string(value) == "identity"
	case is(name, "transfer-encoding"), is(name, "content-encoding"), is(name, "expect"), is(name, "upgrade"),
		is(name, "trailer"), is(name, "te"), is(name, "x-http-method-override"):
		return false
	// What a browser says of a page is the server's to judge.
	case is(name, "origin"), starts(name, "sec-"), starts(name, "access-control-"):
		return false
	}
	return true
}

// set stores a header that may come once.
func set(into *[]byte, value []byte) bool {
	once := *into == nil
	*into = value
	return once && len(value) > 0
}

// is compares a header's name with one in lower case.
func is(name []byte, lower string) bool {
	if len(name) != len(lower) {
		return false
	}
	for i, b := range name {
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		if b != lower[i] {
			return false
		}
	}
	return true
}

// starts is is for the beginning of a name.
func starts(name []byte, lower string) bool {
	return len(name) >= len(lower) && is(name[:len(lower)], lower)
}

// plainName accepts letters, digits and hyphens: all that clients send.
func plainName(b []byte) bool {
	for _, c := range b {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return true
}

// plainValue accepts printable ASCII.
func plainValue(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}
