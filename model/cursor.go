package model

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// cursors seals positions in lists. A cursor is the key of the last item shown,
// encrypted with AES-GCM and bound to the list that it belongs to. Its nonce is an
// HMAC of all that is sealed: the same place has the same cursor, so that pages
// can be cached, and different places never share a nonce.
type cursors struct {
	aead     cipher.AEAD
	nonceKey []byte
}

const minCursorKey = 16

func newCursors(secret []byte) (*cursors, error) {
	if len(secret) < minCursorKey {
		return nil, fmt.Errorf("the key for cursors has %d bytes, fewer than %d", len(secret), minCursorKey)
	}
	block, err := aes.NewCipher(mac(secret, []byte("cursor encryption")))
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	return &cursors{aead: aead, nonceKey: mac(secret, []byte("cursor nonce"))}, nil
}

func mac(key []byte, parts ...[]byte) []byte {
	h := hmac.New(sha256.New, key)
	for _, p := range parts {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(p)))
		h.Write(length[:])
		h.Write(p)
	}
	return h.Sum(nil)
}

// scope names a list: no two lists have the same.
func scope(table, pattern string, args Values, w Window) []byte {
	parts := []string{table, pattern, w.From, w.To}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		parts = append(parts, name, args[name])
	}
	text, _ := json.Marshal(parts) // strings always marshal
	return text
}

// seal writes the key of an item as a cursor of the list.
func (c *cursors) seal(key Raw, scope []byte) (string, error) {
	plain := map[string][2]string{}
	for name, value := range key {
		text, ok := textOf(value)
		if b, binary := value.(*types.AttributeValueMemberB); binary {
			text, ok = string(b.Value), true
		}
		if !ok {
			return "", fmt.Errorf("cursor: %s is no key", name)
		}
		plain[name] = [2]string{typeOf(value), base64.RawStdEncoding.EncodeToString([]byte(text))}
	}
	payload, err := json.Marshal(plain)
	if err != nil {
		return "", err
	}
	nonce := mac(c.nonceKey, scope, payload)[:c.aead.NonceSize()]
	return base64.RawURLEncoding.EncodeToString(c.aead.Seal(nonce, nonce, payload, scope)), nil
}

// open reads a cursor of the list, or answers ErrCursor.
func (c *cursors) open(cursor string, scope []byte) (Raw, error) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(sealed) < c.aead.NonceSize() {
		return nil, ErrCursor
	}
	nonce, text := sealed[:c.aead.NonceSize()], sealed[c.aead.NonceSize():]
	payload, err := c.aead.Open(nil, nonce, text, scope)
	if err != nil {
		return nil, ErrCursor
	}
	var plain map[string][2]string
	if err := json.Unmarshal(payload, &plain); err != nil {
		return nil, errors.Join(ErrCursor, err)
	}
	key := Raw{}
	for name, v := range plain {
		text, err := base64.RawStdEncoding.DecodeString(v[1])
		if err != nil {
			return nil, errors.Join(ErrCursor, err)
		}
		switch v[0] {
		case "N":
			key[name] = &types.AttributeValueMemberN{Value: string(text)}
		case "B":
			key[name] = &types.AttributeValueMemberB{Value: text}
		default:
			key[name] = &types.AttributeValueMemberS{Value: string(text)}
		}
	}
	return key, nil
}

func typeOf(value types.AttributeValue) string {
	switch value.(type) {
	case *types.AttributeValueMemberN:
		return "N"
	case *types.AttributeValueMemberB:
		return "B"
	}
	return "S"
}
