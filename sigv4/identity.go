package sigv4

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
)

// An Identity says who signed a request, and what the signature covers.
type Identity struct {
	AccessKeyID   string
	SecurityToken string // X-Amz-Security-Token, "" if none; not checked here
	Region        string
	Service       string
	Date          time.Time // when it was signed, UTC
	SignedHeaders []string  // lower-case and sorted; nil for a POST policy
	Signature     string    // hex

	// PayloadHash is what the signature says of the body: one of the
	// constants above, or the hex SHA-256 that the body must have. After
	// VerifyBody it is the sum passed in; after VerifyPolicy it is empty.
	PayloadHash string

	// Presigned tells a signature in the query string from one in the
	// Authorization header. Expires is how long a presigned request is good
	// for, from Date on; 0 for the others.
	Presigned bool
	Expires   time.Duration

	scope string
	date  string
	key   []byte
}

func (c *claim) identity(payloadHash string, key []byte) *Identity {
	return &Identity{
		AccessKeyID:   c.accessKeyID,
		SecurityToken: c.token,
		Region:        c.region,
		Service:       c.service,
		Date:          c.time,
		SignedHeaders: c.names,
		Signature:     c.signature,
		PayloadHash:   payloadHash,
		Presigned:     c.presigned,
		Expires:       c.expires,
		scope:         c.scope,
		date:          c.date,
		key:           key,
	}
}

// String names the access key, service and region. It is there so that an
// identity that is logged does not show the signing key that it holds.
func (id *Identity) String() string {
	return id.AccessKeyID + " (" + id.Service + ", " + id.Region + ")"
}

// GoString returns what String does.
func (id *Identity) GoString() string { return "sigv4.Identity(" + id.String() + ")" }

// PayloadSum returns the SHA-256 that the body must have, and false if
// PayloadHash says something else of the body.
func (id *Identity) PayloadSum() (sum [sha256.Size]byte, ok bool) {
	if len(id.PayloadHash) != 2*len(sum) {
		return sum, false
	}
	_, err := hex.Decode(sum[:], []byte(id.PayloadHash))
	return sum, err == nil
}

// Streaming reports whether PayloadHash declares an aws-chunked body.
func (id *Identity) Streaming() bool {
	return strings.HasPrefix(id.PayloadHash, "STREAMING-")
}
