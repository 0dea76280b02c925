package bounce

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"regexp"
	"slices"
	"strings"
)

// Key makes stamps. It must be the same in all processes of a newsroom.
type Key []byte

const (
	longMark  = 26 // characters of the mark in a stamp
	shortMark = 16 // characters of the mark in an envelope sender, whose length is limited
	localMax  = 64 // octets before the @ of an address (RFC 5321, 4.5.3.1.1)
)

var b32 = base32.HexEncoding.WithPadding(base32.NoPadding)

func (k Key) mark(address string, most int) string {
	mac := hmac.New(sha256.New, k)
	mac.Write([]byte("a letter to " + address))
	return strings.ToLower(b32.EncodeToString(mac.Sum(nil)))[:most]
}

// Stamp is what a Message-ID ends with, before the @: the recipient's address, encoded, and
// a mark. It is the same for each letter to the address.
func (k Key) Stamp(address string) string {
	address = strings.ToLower(address)
	return "-" + strings.ToLower(b32.EncodeToString([]byte(address))) + "-" + k.mark(address, longMark)
}

var plain = regexp.MustCompile(`^[a-z0-9._-]+@[a-z0-9.-]+$`)

// Return is the envelope sender of a letter to an address: the box for bounces, with a mark
// and the address ("bounces+mark-ann=example.org@news.example"). The box alone is returned
// if that does not fit; the Message-ID has the stamp in any case.
func (k Key) Return(box, address string) string {
	address = strings.ToLower(address)
	local, domain, _ := strings.Cut(box, "@")
	full := local + "+" + k.mark(address, shortMark) + "-" + strings.Replace(address, "@", "=", 1)
	if !plain.MatchString(address) || len(full) > localMax {
		return box
	}
	return full + "@" + domain
}

var (
	stamps  = regexp.MustCompile(`-([0-9a-v]+)-([0-9a-v]{26})@`)
	returns = regexp.MustCompile(`\+([0-9a-v]{16})-([a-z0-9._-]+)=([a-z0-9.-]+)@`)
)

// stamped returns the addresses whose good stamps are in a text, each once.
func (k Key) stamped(text string) []string {
	var all []string
	add := func(address, mark string, most int) {
		if hmac.Equal([]byte(k.mark(address, most)), []byte(mark)) && !slices.Contains(all, address) {
			all = append(all, address)
		}
	}
	text = strings.ToLower(text)
	for _, m := range stamps.FindAllStringSubmatch(text, -1) {
		if raw, err := b32.DecodeString(strings.ToUpper(m[1])); err == nil {
			add(string(raw), m[2], longMark)
		}
	}
	for _, m := range returns.FindAllStringSubmatch(text, -1) {
		add(m[2]+"@"+m[3], m[1], shortMark)
	}
	return all
}
