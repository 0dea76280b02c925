package sigv4

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strings"
	"sync"
)

// signer computes signatures with one signing key. It is for one goroutine.
type signer struct {
	mac  hash.Hash
	used bool
	sum  [sha256.Size]byte
	hex  [2 * sha256.Size]byte
}

func newSigner(key []byte) *signer {
	return &signer{mac: hmac.New(sha256.New, key)}
}

// sign returns the signature of a string in hex, good until the next call.
func (s *signer) sign(toSign []byte) []byte {
	if s.used {
		s.mac.Reset() // not before it is needed: it is a third of the work
	}
	s.used = true
	s.mac.Write(toSign)
	hex.Encode(s.hex[:], s.mac.Sum(s.sum[:0]))
	return s.hex[:]
}

// matches compares in constant time.
func (s *signer) matches(toSign []byte, signature string) bool {
	return hmac.Equal(s.sign(toSign), []byte(signature))
}

// deriveKey returns the key that signs within a credential scope.
func deriveKey(secret, day, region, service string) []byte {
	key := []byte("AWS4" + secret)
	for _, s := range []string{day, region, service, scopeEnd} {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(s))
		key = mac.Sum(nil)
	}
	return key
}

// maxKeys bounds the cache of signing keys: one is in use per access key,
// service, region and day.
const maxKeys = 1024

// keyCache keeps signing keys, which are dear to derive. Only keys that have
// verified a request are put in, so that a stranger cannot fill it.
type keyCache struct {
	mu   sync.RWMutex
	keys map[keyName]cachedKey
}

type keyName struct{ accessKeyID, scope string }

type cachedKey struct {
	secret string // the key is of no use once this has changed
	key    []byte
}

// get returns the signing key for a claim, and whether it was in the cache.
func (kc *keyCache) get(c *claim, secret string) (key []byte, cached bool) {
	kc.mu.RLock()
	k, ok := kc.keys[keyName{c.accessKeyID, c.scope}]
	kc.mu.RUnlock()
	if ok && k.secret == secret {
		return k.key, true
	}
	return deriveKey(secret, c.day, c.region, c.service), false
}

func (kc *keyCache) put(c *claim, secret string, key []byte) {
	kc.mu.Lock()
	defer kc.mu.Unlock()
	if kc.keys == nil {
		kc.keys = make(map[keyName]cachedKey)
	}
	for name := range kc.keys {
		if len(kc.keys) < maxKeys {
			break
		}
		delete(kc.keys, name) // any: those in use are soon back
	}
	// Cloned, because they are parts of a request's headers.
	name := keyName{strings.Clone(c.accessKeyID), strings.Clone(c.scope)}
	kc.keys[name] = cachedKey{secret, key}
}
