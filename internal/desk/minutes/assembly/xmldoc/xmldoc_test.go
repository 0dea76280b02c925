package xmldoc

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"

	"pressroom/internal/desk/minutes/assembly"
)

// flat reads a document to its end and returns its text.
func flat(d *Decoder) (string, error) {
	var text Run
	for {
		token, err := d.Next()
		if errors.Is(err, io.EOF) {
			return text.String(), nil
		}
		if err != nil {
			return text.String(), err
		}
		if t, ok := token.(xml.CharData); ok {
			text.Add(string(t))
		}
	}
}

func wide(s string, big bool) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		if big {
			b.Write([]byte{byte(u >> 8), byte(u)})
		} else {
			b.Write([]byte{byte(u), byte(u >> 8)})
		}
	}
	return b.String()
}

func TestReads(t *testing.T) {
	latin, err := charmap.Windows1252.NewEncoder().String("<?xml version='1.0' encoding='ISO-8859-1'?><a>Café – “naïve” &pound;5 &ndash; x</a>")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ doc, want string }{
		"plain":                    {"<a> one\n\t<b>two</b>three <!-- no --><![CDATA[four]]></a>\n", "one twothree four"},
		"a mark before it":         {"\ufeff<?xml version='1.0'?><a>é</a>", "é"},
		"Windows, declared Latin":  {latin, "Café – “naïve” £5 – x"},
		"UTF-16, little":           {"\xff\xfe" + wide("<?xml version='1.0' encoding='UTF-16'?><a>日本</a>", false), "日本"},
		"UTF-16, big, no mark":     {wide("<?xml version='1.0' encoding='UTF-16BE'?><a>日本</a>", true), "日本"},
		"Shift_JIS":                {"<?xml version='1.0' encoding='Shift_JIS'?><a>\x93\xfa\x96\x7b</a>", "日本"},
		"entities of a DTD":        {"<!DOCTYPE a [\n<!ENTITY pound \"&#163;\">\n<!ENTITY co 'A&#x26;B Ltd'><!ENTITY % p \"x\">]><a>&pound;5, &co;, &eacute;</a>", "£5, A&B Ltd, é"},
		"an outer DTD, not needed": {"<!DOCTYPE a SYSTEM 'http://127.0.0.1:1/x.dtd'><a>x</a>", "x"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(tt.doc), iotest.OneByteReader(strings.NewReader(tt.doc))} {
				if got, err := flat(New("x.xml", r)); err != nil || got != tt.want {
					t.Errorf("%q, %v; want %q", got, err, tt.want)
				}
			}
		})
	}
}

// The formats' tests try the faults; these are the ones whose place matters.
func TestPlaces(t *testing.T) {
	for _, tt := range []struct{ doc, want string }{
		{"<a>\n\n<b>\n</c></a>", "x.xml:4: element <b> closed by </c>"},
		{"<a>\n<b>\n", "x.xml:3: the file ends too early"},
		{"<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>\n<a>\n&x;</a>", "x.xml:3: the entity &x; is not read: it stands for something outside of the file"},
		{"<a>\ncaf\xe9</a>", "x.xml:2: it is not the UTF-8 that it declares"},
		{"<?xml version='1.0' encoding='ISO-8859-1'?>\n<a>" + strings.Repeat("é", 5) + "</a>\n", "x.xml:3: it declares ISO-8859-1, but its 5 letters beyond ASCII are UTF-8"},
		{"\n\n<a>" + strings.Repeat("<b>", 127) + "\n<b>", fmt.Sprintf("x.xml:4: more than %d elements within one another", MaxDepth)},
	} {
		_, err := flat(New("x.xml", strings.NewReader(tt.doc)))
		if err == nil || err.Error() != tt.want {
			t.Errorf("%v; want %s", err, tt.want)
		}
		var file *assembly.FileError
		if !errors.As(err, &file) {
			t.Errorf("%T", err)
		}
	}
}

func TestRun(t *testing.T) {
	var r Run
	r.Gap()
	r.Add("  One ")
	r.Gap()
	r.Add(", two")
	r.Gap()
	r.Add("three\n four")
	r.Gap()
	r.Add(".")
	r.Break()
	r.Add("five")
	if got, want := r.String(), "One , two three four.\nfive"; got != want || r.Len() != len(want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// An error of the disk keeps its own words and gets the line.
func TestReadError(t *testing.T) {
	r := io.MultiReader(strings.NewReader("<a>\n\n"), iotest.ErrReader(errors.New("the disk is gone")))
	if _, err := flat(New("x.xml", r)); err == nil || err.Error() != "x.xml:3: the disk is gone" {
		t.Error(err)
	}
}

// A subtree has its own bound, for a reader that keeps one whole.
func TestTreeBound(t *testing.T) {
	d := New("x.xml", strings.NewReader("<a>"+strings.Repeat("<b/>", 200_000)+"</a>"))
	token, err := d.Next()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Tree(token.(xml.StartElement)); !errors.Is(err, assembly.ErrTooLarge) {
		t.Error(err)
	}
}

func FuzzNext(f *testing.F) {
	f.Add([]byte("<!DOCTYPE a [<!ENTITY x '&#163;'>]><a b='c'>&x;<d/></a>"))
	f.Add([]byte("\xff\xfe<\x00a\x00>\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := flat(New("x.xml", strings.NewReader(string(data)))); err != nil && !strings.HasPrefix(err.Error(), "x.xml:") {
			t.Error(err)
		}
	})
}
