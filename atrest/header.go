package atrest

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// Every file begins with a header, which callers do not see:
//
//	 0  8  magic
//	 8  4  format version, little-endian
//	12  4  CRC-32C of the other 60 bytes, little-endian
//	16  8  id of the master key
//	24 16  random salt
//	40 24  HMAC-SHA256 of bytes 0 to 40 with the CRC as 0, cut to 24 bytes
//	64     the content, in AES-256-CTR under a key derived from master key
//	       and salt; the counter is the number of the 16-byte block
//
// The CRC tells a damaged header from one whose key is missing; the HMAC
// makes sure that the key is the right one. A header is small enough to lie
// in one sector, so that a crash leaves all of it or nothing.
const (
	headerSize = 64

	offVersion = 8
	offCRC     = 12
	offKeyID   = 16
	offSalt    = 24
	offMAC     = 40

	formatVersion = 1
)

var (
	magic = []byte("\x8ePRrest\n")
	zeros [headerSize]byte

	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// content encrypts and decrypts what follows one file's header.
type content struct {
	block cipher.Block
}

// newHeader returns the header of a new file under key k, and its content.
func newHeader(k *key) ([]byte, *content) {
	h := make([]byte, headerSize)
	copy(h, magic)
	binary.LittleEndian.PutUint32(h[offVersion:], formatVersion)
	copy(h[offKeyID:], k.id[:])
	rand.Read(h[offSalt:offMAC])
	copy(h[offMAC:], k.sign(h))
	binary.LittleEndian.PutUint32(h[offCRC:], headerCRC(h))
	return h, k.content(h[offSalt:offMAC])
}

// sign returns the HMAC of a header as it was before its CRC was put in.
func (k *key) sign(h []byte) []byte {
	m := hmac.New(sha256.New, k.mac)
	m.Write(h[:offCRC])
	m.Write(zeros[:offKeyID-offCRC])
	m.Write(h[offKeyID:offMAC])
	return m.Sum(nil)[:headerSize-offMAC]
}

func headerCRC(h []byte) uint32 {
	crc := crc32.Update(0, castagnoli, h[:offCRC])
	return crc32.Update(crc, castagnoli, h[offKeyID:headerSize])
}

// state is what the first bytes of a file say.
type state int

const (
	stateEmpty   state = iota // no header yet, or one that a crash cut off
	stateSealed               // a header
	stateDamaged              // a header with errors in it
	stateForeign              // no header of ours: plain, or badly damaged
)

// classify reads the first headerSize bytes of a file, or fewer if that is
// all it has, without any key.
//
// A file that was created and never synced may come back from a crash with
// nothing, or with zeros for the part of it that holds the header, whatever
// follows. Nobody was promised any of it, so it counts as empty. This is
// also what a disk makes of a file when it loses its first sector; whoever
// knows the file's length, as Pebble does of its tables, will notice.
func classify(h []byte) (state, KeyID, error) {
	written := bytes.TrimRight(h, "\x00")
	ours := bytes.HasPrefix(written, magic) || bytes.HasPrefix(magic, written)
	switch {
	case !ours:
		return stateForeign, KeyID{}, nil
	case len(h) < headerSize || len(written) <= offMAC:
		return stateEmpty, KeyID{}, nil
	case binary.LittleEndian.Uint32(h[offCRC:]) != headerCRC(h):
		return stateDamaged, KeyID{}, fmt.Errorf("%w: checksum is wrong", ErrDamaged)
	}
	if v := binary.LittleEndian.Uint32(h[offVersion:]); v != formatVersion {
		return stateDamaged, KeyID{}, fmt.Errorf("%w: format %d is unknown; a newer release may have written it", ErrDamaged, v)
	}
	return stateSealed, KeyID(h[offKeyID:offSalt]), nil
}

// parseHeader returns the content that follows header h, nil if the file
// counts as empty.
func (ks *Keys) parseHeader(h []byte) (*content, error) {
	st, id, err := classify(h)
	switch {
	case err != nil:
		return nil, err
	case st == stateEmpty:
		return nil, nil
	case st == stateForeign:
		return nil, fmt.Errorf("%w: there is none; the file is damaged, or was put here in plain", ErrDamaged)
	}
	k := ks.byID[id]
	if k == nil {
		return nil, fmt.Errorf("%w: file needs key %s, the key file has %s", ErrKeyMissing, id, ks)
	}
	if !hmac.Equal(h[offMAC:headerSize], k.sign(h)) {
		return nil, fmt.Errorf("%w: it was not written with key %s", ErrDamaged, id)
	}
	return k.content(h[offSalt:offMAC]), nil
}

func (k *key) content(salt []byte) *content {
	block, err := aes.NewCipher(k.derive(salt, labelContent))
	if err != nil {
		panic("atrest: aes: " + err.Error()) // only for keys of a wrong length
	}
	return &content{block: block}
}

// stream returns the key stream from byte off of the content on.
func (c *content) stream(off int64) cipher.Stream {
	var b [2 * aes.BlockSize]byte // escapes, and would twice if it were two
	counter, skipped := b[:aes.BlockSize], b[aes.BlockSize:]
	binary.BigEndian.PutUint64(counter[8:], uint64(off)/aes.BlockSize)
	s := cipher.NewCTR(c.block, counter)
	if n := off % aes.BlockSize; n > 0 {
		s.XORKeyStream(skipped[:n], skipped[:n])
	}
	return s
}
