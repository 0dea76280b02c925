// Package wire serves a database over HTTP as Amazon DynamoDB and DynamoDB
// Streams do, so that programs in any language, with the SDK of their choice,
// can use it: JSON 1.0 and X-Amz-Target in, JSON with request id and CRC32
// out, SigV4 checked when credentials are configured.
//
// It promises DynamoDB's own status codes, error types and messages for
// whatever a client sends; nothing a client sends is answered with a 5xx.
//
// The operations with attribute values go straight from JSON to the stored
// form of package attr and back, without the SDK's types and without
// reflection; one file each, such as getitem.go. The others decode into the
// SDK's inputs with codec.go.
//
// Read handler.go first: it follows a request from the socket to the answer.
// Then call.go, and one operation. lane.go is a shortcut past net/http for
// everyday requests, and changes no answer.
package wire

import (
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"pressroom/dynamo"
	"pressroom/dynamo/engine"
	"pressroom/sigv4"
)

// Options tune a handler. The zero value is usable.
type Options struct {
	// Credentials returns the secret access key that belongs to an access
	// key id, and false if there is none. Default nil: signatures are not
	// checked, as local clients sign with made-up keys or not at all, and
	// only programs on this machine are served, no web pages: see package
	// caller.
	Credentials func(accessKeyID string) (secret string, ok bool)
	// Signed refuses requests without a well-formed signature even if there
	// are no Credentials to check it with. Default false.
	Signed bool
	// Region is the region that signatures must name, if there are
	// Credentials. Default "", any.
	Region string
	// Now is the clock by which signatures expire. Default time.Now.
	Now func() time.Time
	// Logger receives what should not happen: panics and errors of the
	// store. Default slog.Default.
	Logger *slog.Logger
}

// New returns a handler for the database. It answers on every path; SDKs use
// the root. The handler keeps nothing open of its own.
func New(db *dynamo.DB, o *Options) http.Handler {
	h := &handler{region: db.Region(), log: slog.Default()}
	h.db.Store(db.Engine())
	h.healthy = []byte("healthy: dynamodb." + h.region + ".amazonaws.com ")
	if o == nil {
		return h
	}
	h.signed = o.Signed || o.Credentials != nil
	if o.Credentials != nil {
		h.verifier = &sigv4.Verifier{Secret: o.Credentials, Service: "dynamodb", Region: o.Region, Now: o.Now}
	}
	if o.Logger != nil {
		h.log = o.Logger
	}
	return h
}

// Swap has a handler that [New] returned serve another database from the next request
// on. Requests under way end on the one before, which the caller then closes.
func Swap(h http.Handler, db *dynamo.DB) { h.(*handler).db.Store(db.Engine()) }

type handler struct {
	db       atomic.Pointer[engine.Engine]
	region   string
	healthy  []byte // the answer to GET
	signed   bool
	verifier *sigv4.Verifier // nil serves this machine and accepts any signature
	log      *slog.Logger
}
