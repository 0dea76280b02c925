package blogweb

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"pressroom/internal/desk/blog"
)

// Size of the picture that other sites show of a post, as OpenGraph has it.
const cardWidth, cardHeight = 1200, 630

// serveCard answers with the picture that stands for a post elsewhere: its own, or
// its title on the paper's colours.
func (p *pages) serveCard(w http.ResponseWriter, r *http.Request) error {
	a, err := p.public.Post(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=0, must-revalidate")
	if strings.HasPrefix(a.Image, mediaPath) {
		http.Redirect(w, r, a.Image, http.StatusFound)
		return nil
	}
	h.Set("ETag", fmt.Sprintf(`"card-%s-%d"`, a.ID, a.Version))
	if r.Header.Get("If-None-Match") == h.Get("ETag") {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	data, err := drawCard(a)
	if err != nil {
		return err
	}
	h.Set("Content-Type", "image/png")
	http.ServeContent(w, r, "", a.UpdatedAt, bytes.NewReader(data))
	return nil
}

// The colours of the paper, as in the shell's tokens.
var (
	paper  = color.RGBA{0xfb, 0xfa, 0xf6, 0xff}
	ink    = color.RGBA{0x1a, 0x1a, 0x17, 0xff}
	quiet  = color.RGBA{0x5a, 0x57, 0x4d, 0xff}
	accent = color.RGBA{0x9a, 0x1f, 0x1a, 0xff}
)

// typefaces are parsed once; the fonts are part of the program.
var typefaces = sync.OnceValues(func() ([2]*sfnt.Font, error) {
	bold, err := opentype.Parse(gobold.TTF)
	if err != nil {
		return [2]*sfnt.Font{}, err
	}
	regular, err := opentype.Parse(goregular.TTF)
	return [2]*sfnt.Font{bold, regular}, err
})

const cardMargin = 80

// drawCard draws title, author and date. What the fonts cannot write, such as a
// Japanese title, is left out rather than shown as boxes.
func drawCard(a *blog.Article) ([]byte, error) {
	fonts, err := typefaces()
	if err != nil {
		return nil, err
	}
	card := image.NewRGBA(image.Rect(0, 0, cardWidth, cardHeight))
	fill(card, card.Bounds(), paper)
	fill(card, image.Rect(0, 0, cardWidth, 18), accent)
	fill(card, image.Rect(cardMargin, 520, cardWidth-cardMargin, 522), ink)
	fill(card, image.Rect(cardMargin, 526, cardWidth-cardMargin, 528), ink)
	if canWrite(fonts[0], a.Title) {
		if err := writeTitle(card, fonts[0], a.Title); err != nil {
			return nil, err
		}
	}
	line := a.PublishedAt.UTC().Format("2 January 2006")
	if a.Author != "" && canWrite(fonts[1], a.Author) {
		line = a.Author + "  ·  " + line
	}
	if err := writeLine(card, fonts[1], 30, quiet, 580, line); err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	err = png.Encode(&buf, card)
	return buf.Bytes(), err
}

func fill(card *image.RGBA, at image.Rectangle, c color.RGBA) {
	draw.Draw(card, at, image.NewUniform(c), image.Point{}, draw.Src)
}

func canWrite(f *sfnt.Font, text string) bool {
	var buf sfnt.Buffer
	for _, r := range text {
		if index, err := f.GlyphIndex(&buf, r); err != nil || index == 0 {
			return false
		}
	}
	return true
}

// writeTitle writes the title as large as it fits.
func writeTitle(card *image.RGBA, f *sfnt.Font, title string) error {
	for _, size := range []float64{84, 68, 54, 44} {
		face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingFull})
		if err != nil {
			return err
		}
		lines := wrap(face, title, fixed.I(cardWidth-2*cardMargin))
		height := int(size * 1.2)
		if len(lines)*height > 400 && size > 44 {
			continue
		}
		for i, line := range lines[:min(len(lines), 400/height)] {
			pen := font.Drawer{Dst: card, Src: image.NewUniform(ink), Face: face, Dot: fixed.P(cardMargin, 70+int(size)+i*height)}
			pen.DrawString(line)
		}
		return nil
	}
	return nil
}

func writeLine(card *image.RGBA, f *sfnt.Font, size float64, c color.RGBA, y int, text string) error {
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		return err
	}
	pen := font.Drawer{Dst: card, Src: image.NewUniform(c), Face: face, Dot: fixed.P(cardMargin, y)}
	pen.DrawString(text)
	return nil
}

// wrap breaks text at spaces into lines that are at most so wide.
func wrap(face font.Face, text string, width fixed.Int26_6) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && font.MeasureString(face, longer) > width {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
