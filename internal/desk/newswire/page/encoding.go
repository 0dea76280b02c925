package page

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
)

// Decode returns the text as UTF-8 and the name of the encoding that it had. What
// a byte order mark says counts first, then the header, then the page's own
// declaration; but a declaration that the bytes contradict does not count, and
// bytes without one are looked at.
func Decode(body []byte, contentType string) (text []byte, name string) {
	e, name, certain := charset.DetermineEncoding(body, contentType)
	if !certain {
		if late, label := declaredLate(body); late != nil {
			e, name, certain = late, label, true
		}
	}
	if name == "utf-8" || !certain {
		if utf8.Valid(body) && !isJIS(body) {
			return bytes.TrimPrefix(body, []byte("\ufeff")), "utf-8"
		}
		if guess, label := guessJapanese(body); guess != nil {
			e, name = guess, label
		}
	}
	decoded, err := e.NewDecoder().Bytes(body)
	if err != nil {
		return bytes.ToValidUTF8(body, []byte("\ufffd")), name
	}
	return decoded, name
}

// declaredLate finds a declaration beyond the first kilobyte, where the standard
// no longer looks and some sites have it.
func declaredLate(body []byte) (encoding.Encoding, string) {
	head := bytes.ToLower(body[:min(len(body), 16<<10)])
	i := bytes.Index(head, []byte("charset="))
	if i < 0 {
		return nil, ""
	}
	label := strings.TrimLeft(string(head[i+len("charset="):min(len(head), i+48)]), `"' `)
	if end := strings.IndexAny(label, `"' />;`); end >= 0 {
		label = label[:end]
	}
	return charset.Lookup(label)
}

// isJIS reports whether the bytes switch to ISO-2022-JP, which is ASCII otherwise.
func isJIS(body []byte) bool {
	return bytes.IndexByte(body, '\x1b') >= 0 && (bytes.Contains(body, []byte("\x1b$B")) || bytes.Contains(body, []byte("\x1b$@")))
}

// guessJapanese tells the Japanese encodings apart by which of them the bytes are
// valid in, and which gives more kana; nil if none fits.
func guessJapanese(body []byte) (encoding.Encoding, string) {
	if isJIS(body) {
		return japanese.ISO2022JP, "iso-2022-jp"
	}
	sample := body[:min(len(body), 64<<10)]
	sjis, euc := score(japanese.ShiftJIS, sample), score(japanese.EUCJP, sample)
	switch {
	case sjis <= 0 && euc <= 0:
		return nil, ""
	case euc >= sjis:
		return japanese.EUCJP, "euc-jp"
	}
	return japanese.ShiftJIS, "shift_jis"
}

// score counts Japanese characters, full kana double, and takes off for what is
// not valid. Half-width katakana, which any bytes turn into under Shift_JIS,
// counts against it.
func score(e encoding.Encoding, sample []byte) int {
	text, err := e.NewDecoder().Bytes(sample)
	if err != nil {
		return 0
	}
	points := 0
	for _, r := range string(text) {
		switch {
		case r == utf8.RuneError:
			points -= 10
		case r >= 0x3041 && r <= 0x30fe:
			points += 2
		case r >= 0x4e00 && r <= 0x9fff:
			points++
		case r >= 0xff61 && r <= 0xff9f:
			points--
		}
	}
	return points
}
