package feed

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"golang.org/x/net/html/charset"
)

// maxUnzipped bounds a sitemap that is a gzip file; the protocol allows 50 MB.
const maxUnzipped = 50 << 20

// Sitemap is where the parts of a sitemap go as they are read. An error of one
// of the functions ends the reading and is returned.
type Sitemap struct {
	Page func(Entry) error
	Map  func(url string) error // another sitemap
}

type sitemapItem struct {
	Loc  string `xml:"loc"`
	Mod  string `xml:"lastmod"`
	News struct {
		Date  string `xml:"publication_date"`
		Title string `xml:"title"`
	} `xml:"news"`
}

// ReadSitemap reads a sitemap or a sitemap of sitemaps, in XML or as lines of
// text, zipped or not.
func ReadSitemap(body []byte, at *url.URL, o Options, to Sitemap) error {
	var in io.Reader = bytes.NewReader(body)
	if bytes.HasPrefix(body, []byte("\x1f\x8b")) {
		unzip, err := gzip.NewReader(in)
		if err != nil {
			return fmt.Errorf("read sitemap: %w", err)
		}
		in = io.LimitReader(unzip, maxUnzipped)
	}
	buffered := bufio.NewReader(in)
	head, err := buffered.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read sitemap: %w", err)
	}
	if bytes.HasPrefix(bytes.TrimLeft(head, "\ufeff \t\r\n"), []byte("http")) {
		return readLines(buffered, at, to)
	}
	return readXML(buffered, at, o, to)
}

func readLines(in io.Reader, at *url.URL, to Sitemap) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if u := absolute(strings.TrimPrefix(lines.Text(), "\ufeff"), at); u != "" {
			if err := to.Page(Entry{URL: u}); err != nil {
				return err
			}
		}
	}
	return lines.Err()
}

func readXML(in io.Reader, at *url.URL, o Options, to Sitemap) error {
	d := xml.NewDecoder(in)
	d.Strict = false
	d.CharsetReader = charset.NewReaderLabel
	found := false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read sitemap: %w", err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "urlset", "sitemapindex":
			found = true
		case "url", "sitemap":
			if err := readItem(d, start, at, o, to); err != nil {
				return err
			}
		}
	}
	if !found {
		return errors.New("read sitemap: it is none")
	}
	return nil
}

func readItem(d *xml.Decoder, start xml.StartElement, at *url.URL, o Options, to Sitemap) error {
	var item sitemapItem
	if err := d.DecodeElement(&item, &start); err != nil {
		return fmt.Errorf("read sitemap: %w", err)
	}
	u := absolute(item.Loc, at)
	switch {
	case u == "":
		return nil
	case start.Name.Local == "sitemap":
		return to.Map(u)
	}
	return to.Page(Entry{URL: u, Title: oneLine(item.News.Title), Published: o.date(item.News.Date), Updated: o.date(item.Mod)})
}
