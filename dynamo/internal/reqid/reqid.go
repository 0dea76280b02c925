// Package reqid makes request ids that look like those of DynamoDB: 52
// characters of 0-9 and A-V. They tell requests apart in logs; they are not
// secrets. Both edges of the database, in process and over HTTP, use it.
package reqid

import "math/rand/v2"

// Len is the length of an id.
const Len = 52

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUV"

// New returns an id that no other request has.
func New() string {
	var id [Len]byte
	var bits uint64
	for i := range id {
		if i%12 == 0 { // twelve characters of five bits
			bits = rand.Uint64()
		}
		id[i] = alphabet[bits&31]
		bits >>= 5
	}
	return string(id[:])
}
