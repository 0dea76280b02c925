package assembly

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func gzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	z.Close()
	return b.Bytes()
}

func zipped(t *testing.T, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".gz") {
			_, err = w.Write(gzipped(t, []byte("in "+name)))
		} else {
			_, err = io.WriteString(w, "in "+name)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	z.Close()
	return b.Bytes()
}

func tarred(t *testing.T, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range names {
		text := "in " + name
		if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	return b.Bytes()
}

// bzipped is "in bz2", compressed by bzip2.
const bzipped = "QlpoOTFBWSZTWWtaEjUAAAGZgEAAEAAQIQAQIAAiGGgwCjgYXckU4UJBrWhI1A=="

// listing reads all files of a folder: their names, texts and faults.
func listing(folder fstest.MapFS) []string {
	var all []string
	for f, err := range Files(folder) {
		if err == nil {
			var r io.ReadCloser
			if r, err = f.Open(); err == nil {
				var text []byte
				if text, err = io.ReadAll(r); err == nil {
					all = append(all, f.Name+" = "+string(text))
				}
				r.Close()
			}
		}
		if err != nil {
			all = append(all, "fault: "+err.Error())
		}
	}
	return all
}

func TestFiles(t *testing.T) {
	whole := gzipped(t, []byte("split in three"))
	bz, err := base64.StdEncoding.DecodeString(bzipped)
	if err != nil {
		t.Fatal(err)
	}
	got := listing(fstest.MapFS{
		"a/2.xml":           {Data: []byte("two")},
		"a/1.xml.gz":        {Data: gzipped(t, []byte("one"))},
		"a/.hidden":         {Data: []byte("x")},
		".git/config":       {Data: []byte("x")},
		"b.zip":             {Data: zipped(t, "z.xml", "../../up.xml", "m/n.xml.gz", ".DS_Store")},
		"c.tgz":             {Data: gzipped(t, tarred(t, "t/1.xml", "/t/2.xml"))},
		"d.xml.gz.001":      {Data: whole[:5]},
		"d.xml.gz.002":      {Data: whole[5:9]},
		"d.xml.gz.003":      {Data: whole[9:]},
		"e.xml.001":         {Data: []byte("first")},
		"e.xml.003":         {Data: []byte("third")},
		"f.xml.gz":          {Data: gzipped(t, []byte(strings.Repeat("cut ", 100)))[:30]},
		"g.xml.bz2":         {Data: bz},
		"h.zip":             {Data: []byte("no archive")},
		"year.2026/i.xml":   {Data: []byte("after")},
		"year.2026/j.v.100": {Data: []byte("a name that looks like a part")},
	})
	want := []string{
		"a/1.xml = one", "a/2.xml = two",
		"b.zip/up.xml = in ../../up.xml", "b.zip/m/n.xml = in m/n.xml.gz", "b.zip/z.xml = in z.xml",
		"c.tar/t/1.xml = in t/1.xml", "c.tar/t/2.xml = in /t/2.xml",
		"d.xml = split in three", "fault: e.xml: part 002 is missing",
		"fault: f.xml: the file ends too early: unexpected EOF", "g.xml = in bz2", "fault: h.zip: zip: not a valid zip file",
		"year.2026/i.xml = after", "fault: year.2026/j.v: part 001 is missing",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A file that unpacks to more than any record is refused on the way.
func TestBomb(t *testing.T) {
	r := &bounded{io.NopCloser(strings.NewReader(strings.Repeat("x", 100))), "bomb.xml", 10}
	p := make([]byte, 8)
	for _, want := range []int{8, 2, 0} {
		n, err := r.Read(p)
		if n != want || (err != nil) != (want == 0) {
			t.Errorf("%d bytes, %v; want %d", n, err, want)
		}
		if err != nil && !strings.Contains(err.Error(), "bomb.xml: more than 4 GB") {
			t.Error(err)
		}
	}
}
