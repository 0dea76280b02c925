package blog

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
)

// keys are what the desk signs and seals with, each for one purpose.
type keys struct {
	cursors  []byte
	previews []byte
	visitors []byte // hides who wrote, in the counts of messages
}

const minSecret = 16

func newKeys(secret []byte) (keys, error) {
	if secret == nil {
		secret = make([]byte, 32)
		_, _ = rand.Read(secret) // never fails, see crypto/rand
	}
	if len(secret) < minSecret {
		return keys{}, fmt.Errorf("the secret has %d bytes, fewer than %d", len(secret), minSecret)
	}
	var k keys
	for purpose, into := range map[string]*[]byte{"blog cursors": &k.cursors, "blog previews": &k.previews, "blog visitors": &k.visitors} {
		key, err := hkdf.Key(sha256.New, secret, nil, purpose, 32)
		if err != nil {
			return keys{}, err
		}
		*into = key
	}
	return k, nil
}
