package erase

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"pressroom/internal/errs"
)

// Mark finds a text without saying it: by the salted hash of its characters. Width,
// case, spaces and the signs between parts of a name make no difference. Whoever has a
// mark can try whether it is of a name that they know, and cannot read it.
type Mark struct {
	Salt   string `dynamodbav:"salt" json:"salt"`
	Length int    `dynamodbav:"length" json:"length"` // in characters, as they are compared
	Weak   int    `dynamodbav:"weak" json:"weak"`     // 16 bits that most other texts differ in
	Digest string `dynamodbav:"digest" json:"digest"` // HMAC-SHA256

	address bool // it is found only where nothing of an address follows
}

// Lengths of a text that a mark can be of. Below, it would be found in other words.
const (
	minMark      = 2
	minMarkLatin = 4
	maxMark      = 2000
)

// NewMark makes the mark of a text. One that is too short to be found for itself is
// errs.Invalid.
func NewMark(text string) (Mark, error) {
	f := folded(text)
	defer f.free()
	least := minMark
	if len(f.runes) > 0 && spaced(f.runes[0]) {
		least = minMarkLatin
	}
	if n := len(f.runes); n < least || n > maxMark {
		return Mark{}, errs.New(errs.Invalid, "a name needs at least %d characters, or %d in Latin letters: shorter ones are parts of other words", minMark, minMarkLatin)
	}
	var salt [16]byte
	_, _ = rand.Read(salt[:]) // it never fails
	m := Mark{Salt: hex.EncodeToString(salt[:]), Length: len(f.runes)}
	k := m.key()
	m.Weak, m.Digest = int(k.weak(hashOf(f.runes))), k.digest(f.runes)
	return m, nil
}

// Same reports whether a mark is of this text.
func (m *Mark) Same(text string) bool {
	f := folded(text)
	defer f.free()
	k := m.key()
	return len(f.runes) == m.Length && k.digest(f.runes) == m.Digest
}

// markKey is a mark's salt, ready to be used.
type markKey struct {
	salt  []byte
	whirl uint64
}

func (m *Mark) key() markKey {
	salt, err := hex.DecodeString(m.Salt)
	if err != nil || len(salt) < 8 {
		salt = append(salt, make([]byte, 8)...)
	}
	return markKey{salt, binary.BigEndian.Uint64(salt) | 1}
}

func (k markKey) weak(hash uint64) uint16 { return uint16((hash * k.whirl) >> 48) }

func (k markKey) digest(runes []rune) string {
	h := hmac.New(sha256.New, k.salt)
	_, _ = h.Write([]byte(string(runes))) // a hash does not fail
	return hex.EncodeToString(h.Sum(nil))
}

// base is that of the hash which rolls over a text.
const base = 0x9e3779b97f4a7c15

func hashOf(runes []rune) uint64 {
	h := uint64(0)
	for _, r := range runes {
		h = h*base + uint64(r) + 1
	}
	return h
}

// Marks are what is looked for in texts. They may be used from many goroutines.
type Marks struct {
	all       []seeker
	addresses *Marks // those of them that are
}

type seeker struct {
	Mark
	markKey
	power uint64 // of base, for the character that leaves the window
}

// Look returns what finds these marks.
func Look(marks ...Mark) *Marks {
	m := &Marks{}
	for _, mark := range marks {
		s := seeker{Mark: mark, markKey: mark.key(), power: 1}
		for range mark.Length - 1 {
			s.power *= base
		}
		m.all = append(m.all, s)
		if mark.address {
			if m.addresses == nil {
				m.addresses = &Marks{}
			}
			m.addresses.all = append(m.addresses.all, s)
		}
	}
	return m
}

// Empty reports whether nothing is looked for.
func (m *Marks) Empty() bool { return m == nil || len(m.all) == 0 }

// In reports whether a text has a mark in it, also in an encoded address or in
// characters that are written as HTML does.
func (m *Marks) In(text string) bool {
	if m.Empty() || text == "" {
		return false
	}
	return m.Redact(text) != text
}

// Redact puts a sign in the place of what it finds.
func (m *Marks) Redact(text string) string {
	if m.Empty() || text == "" {
		return text
	}
	text = m.plain(text)
	if strings.Contains(text, "%") {
		text = encoded.ReplaceAllStringFunc(text, func(part string) string {
			if clear, err := url.PathUnescape(part); err == nil && m.found(clear) != nil {
				return sign(clear)
			}
			return part
		})
	}
	if strings.Contains(text, "&") {
		if clear := html.UnescapeString(text); clear != text && m.found(clear) != nil {
			return m.plain(clear)
		}
	}
	return text
}

var encoded = regexp.MustCompile(`[^\s"'<>()]*%[0-9A-Fa-f]{2}[^\s"'<>()]*`)

// plain redacts what is written as it is.
func (m *Marks) plain(text string) string {
	spans := m.found(text)
	if spans == nil {
		return text
	}
	var b strings.Builder
	at := 0
	for _, s := range spans {
		if s[0] < at {
			at = max(at, s[1])
			continue
		}
		b.WriteString(text[at:s[0]])
		b.WriteString(sign(text[s[0]:s[1]]))
		at = s[1]
	}
	b.WriteString(text[at:])
	return b.String()
}

// Signs stand where something was.
const (
	Sign         = "[erased]"
	SignJapanese = "〔削除〕"
)

// Signed reports whether something was erased from the text. Nothing is listed under
// such a name.
func Signed(text string) bool {
	return strings.Contains(text, Sign) || strings.Contains(text, SignJapanese)
}

func sign(of string) string {
	for _, r := range of {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			return SignJapanese
		}
	}
	return Sign
}

// found returns where in a text marks are, in order; nil if nowhere.
func (m *Marks) found(text string) [][2]int {
	f := folded(text)
	defer f.free()
	var spans [][2]int
	for i := range m.all {
		spans = m.all[i].seek(text, f, spans)
	}
	slices.SortFunc(spans, func(a, b [2]int) int { return a[0] - b[0] })
	return spans
}

func (s *seeker) seek(text string, f *fold, spans [][2]int) [][2]int {
	n := s.Length
	if n < 1 || len(f.runes) < n {
		return spans
	}
	h := hashOf(f.runes[:n])
	for i := 0; ; i++ {
		if int(s.weak(h)) == s.Weak && s.whole(text, f, i, i+n) && s.digest(f.runes[i:i+n]) == s.Digest {
			spans = append(spans, [2]int{f.starts[i], f.ends[i+n-1]})
		}
		if i+n == len(f.runes) {
			return spans
		}
		h = (h-(uint64(f.runes[i])+1)*s.power)*base + uint64(f.runes[i+n]) + 1
	}
}

// whole reports whether characters are not in the midst of a word, where words have
// spaces between them.
func (s *seeker) whole(text string, f *fold, from, to int) bool {
	if before, _ := utf8.DecodeLastRuneInString(text[:f.starts[from]]); f.starts[from] > 0 && spaced(before) && spaced(f.runes[from]) {
		return false
	}
	end := f.ends[to-1]
	after, _ := utf8.DecodeRuneInString(text[end:])
	if s.address {
		return end == len(text) || unicode.IsSpace(after) || strings.ContainsRune(`"'<>)]」）`, after)
	}
	return end == len(text) || !spaced(after) || !spaced(f.runes[to-1])
}

// spaced reports whether a character is of a word that has spaces around it.
func spaced(r rune) bool { return r < 0x0e00 && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// fold is a text as it is compared, and where its characters are from.
type fold struct {
	runes        []rune
	starts, ends []int
}

var folds = sync.Pool{New: func() any { return new(fold) }}

func (f *fold) free() { folds.Put(f) }

func (f *fold) add(r rune, start, end int) {
	switch {
	case r < utf8.RuneSelf:
		if r = plainFold[r]; r == 0 {
			return
		}
	case r >= 0x4e00 && r <= 0x9fff: // Han has neither case nor signs
	case ignored(r):
		return
	default:
		r = unicode.ToLower(r)
	}
	f.runes, f.starts, f.ends = append(f.runes, r), append(f.starts, start), append(f.ends, end)
}

// plainFold is what the characters of ASCII are compared as, 0 for not at all.
var plainFold = func() (t [utf8.RuneSelf]rune) {
	for r := range rune(utf8.RuneSelf) {
		if !ignored(r) {
			t[r] = unicode.ToLower(r)
		}
	}
	return t
}()

// ignored reports whether a character makes no difference: space, and what stands
// between parts of a name.
func ignored(r rune) bool {
	switch r {
	case '-', '_', '+', '.', '=', '·', '・', '‐', '–', '\u00ad', '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff':
		return true
	}
	return unicode.IsSpace(r)
}

// folded returns a text as it is compared. Free it.
func folded(text string) *fold {
	f := folds.Get().(*fold)
	f.runes, f.starts, f.ends = f.runes[:0], f.starts[:0], f.ends[:0]
	for at := 0; at < len(text); {
		if text[at] < utf8.RuneSelf && (at+1 == len(text) || text[at+1] < utf8.RuneSelf) {
			f.add(rune(text[at]), at, at+1)
			at++
			continue
		}
		// What is in its normal form is most of it. The rest is brought there part by part.
		end := at + 1
		for end < len(text) && (text[end] >= utf8.RuneSelf || text[end-1] >= utf8.RuneSelf) {
			end++
		}
		normal := norm.NFKC.QuickSpanString(text[at:end])
		for stop := at + normal; at < stop; {
			r, size := utf8.DecodeRuneInString(text[at:stop])
			f.add(r, at, at+size)
			at += size
		}
		if at == end {
			continue
		}
		next := max(norm.NFKC.NextBoundaryInString(text[at:end], true), 1)
		for _, r := range norm.NFKC.String(text[at : at+next]) {
			f.add(r, at, at+next)
		}
		at += next
	}
	return f
}
