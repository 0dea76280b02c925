package wire

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"time"
	"unicode/utf8"

	"pressroom/blob/fault"
)

const namespace = "http://s3.amazonaws.com/doc/2006-03-01/"

// A doc is an XML answer being written. Answers have a fixed form, so they are
// written element by element rather than by reflection: a listing of a
// thousand keys is then cheap.
type doc struct {
	b    []byte
	open []string
}

func newDoc(root string) *doc {
	d := &doc{b: make([]byte, 0, 1024)}
	d.b = append(d.b, xml.Header...)
	d.b = append(d.b, '<')
	d.b = append(d.b, root...)
	d.b = append(d.b, ` xmlns="`+namespace+`">`...)
	d.open = append(d.open, root)
	return d
}

// begin opens an element; end closes the one opened last.
func (d *doc) begin(name string) *doc {
	d.b = append(append(append(d.b, '<'), name...), '>')
	d.open = append(d.open, name)
	return d
}

func (d *doc) end() *doc {
	name := d.open[len(d.open)-1]
	d.open = d.open[:len(d.open)-1]
	d.b = append(append(append(d.b, "</"...), name...), '>')
	return d
}

// text adds an element with text; opt does so unless the text is empty.
func (d *doc) text(name, value string) *doc {
	d.begin(name)
	d.b = appendXML(d.b, value)
	return d.end()
}

func (d *doc) opt(name, value string) *doc {
	if value == "" {
		return d
	}
	return d.text(name, value)
}

func (d *doc) num(name string, v int64) *doc { return d.text(name, strconv.FormatInt(v, 10)) }

func (d *doc) flag(name string, v bool) *doc { return d.text(name, strconv.FormatBool(v)) }

func (d *doc) time(name string, t time.Time) *doc { return d.text(name, isoTime(t)) }

// isoTime is S3's form of a time in XML, whose precision is a second.
func isoTime(t time.Time) string {
	return t.UTC().Truncate(time.Second).Format("2006-01-02T15:04:05.000Z")
}

// bytes closes what is open and returns the document.
func (d *doc) bytes() []byte {
	for len(d.open) > 0 {
		d.end()
	}
	return d.b
}

// appendXML escapes text. Characters that XML cannot hold are written as
// references, as S3 does; clients that have such keys ask for encoding-type=url.
func appendXML(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '&':
			dst = append(dst, "&amp;"...)
		case r == '<':
			dst = append(dst, "&lt;"...)
		case r == '>':
			dst = append(dst, "&gt;"...)
		case r == '"':
			dst = append(dst, "&quot;"...)
		case r < ' ' || r == 0xfffe || r == 0xffff:
			dst = append(dst, "&#x"...)
			dst = strconv.AppendInt(dst, int64(r), 16)
			dst = append(dst, ';')
		default:
			dst = append(dst, s[i:i+n]...)
		}
		i += n
	}
	return dst
}

// Limits on XML that clients send.
const (
	maxConfig = 1 << 20 // configurations
	maxList   = 8 << 20 // lists of a thousand keys or ten thousand parts
)

// readXML reads the body into v. Entities other than XML's own five are not
// expanded, so that a document cannot grow beyond its own length.
func (r *request) readXML(v any, limit int64) error {
	b, err := r.readBody(limit)
	if err != nil {
		return err
	}
	if len(b) == 0 {
		return fault.MissingRequestBody
	}
	return parseXML(b, v)
}

func parseXML(b []byte, v any) error {
	dec := xml.NewDecoder(bytes.NewReader(b))
	if err := dec.Decode(v); err != nil {
		return fault.MalformedXML.Because(err)
	}
	for {
		t, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fault.MalformedXML.Because(err)
		}
		if _, ok := t.(xml.StartElement); ok {
			return fault.MalformedXML
		}
	}
}
