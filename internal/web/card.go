package web

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/hajimehoshi/ebiten/v2/examples/resources/fonts"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"pressroom/internal/errs"
	"pressroom/internal/story"
)

// Size of the picture that other sites show of a story, as OpenGraph has it.
const cardWidth, cardHeight = 1200, 630

// cardPath is where the picture of a story is.
func cardPath(ref story.Ref) string {
	return "/stories/" + url.PathEscape(ref.Desk) + "/" + url.PathEscape(ref.ID) + "/card.png"
}

// serveCard answers with the picture that stands for a story elsewhere if it has none
// of its own: its title on the paper's colours.
func (s *Site) serveCard(w http.ResponseWriter, r *http.Request) error {
	ref := story.Ref{Desk: r.PathValue("desk"), ID: r.PathValue("id")}
	found, err := s.o.Stories.Get(r.Context(), ref)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return errs.New(errs.NotFound, "There is no such story.")
	}
	st := found[0]
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=0, must-revalidate")
	h.Set("ETag", fmt.Sprintf(`"card-%d"`, st.Revision))
	if r.Header.Get("If-None-Match") == h.Get("ETag") {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	data, err := drawCard(st.Title, s.lineOf(&st))
	if err != nil {
		return err
	}
	h.Set("Content-Type", "image/png")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	return nil
}

// lineOf is what stands below the title: who said it first or wrote it, the paper, and
// the day.
func (s *Site) lineOf(st *story.Story) string {
	who := st.Source.Name
	if who == "" {
		who = JoinNames(st.Language, st.Provenance.Authors())
	}
	form, ok := stamps[st.Language]
	if !ok {
		form = stamps["en"]
	}
	var parts []string
	for _, part := range []string{who, s.Name(), story.Time(st.Published).In(s.Location()).Format(form.date)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "  ·  ")
}

// The colours of the paper, as in the shell's tokens.
var (
	paper  = color.RGBA{0xfb, 0xfa, 0xf6, 0xff}
	ink    = color.RGBA{0x1a, 0x1a, 0x17, 0xff}
	quiet  = color.RGBA{0x5a, 0x57, 0x4d, 0xff}
	accent = color.RGBA{0x9a, 0x1f, 0x1a, 0xff}
)

// typefaces are parsed once; the fonts are part of the program.
type typefaces struct {
	bold, regular *sfnt.Font
	wide          *sfnt.Font // writes Japanese, too
}

var loadTypefaces = sync.OnceValues(func() (t typefaces, err error) {
	for _, font := range []struct {
		data []byte
		to   **sfnt.Font
	}{{gobold.TTF, &t.bold}, {goregular.TTF, &t.regular}, {fonts.MPlus1pRegular_ttf, &t.wide}} {
		if *font.to, err = opentype.Parse(font.data); err != nil {
			return t, err
		}
	}
	return t, nil
})

const cardMargin = 80

// drawCard draws a title, and a line of facts below it.
func drawCard(title, line string) ([]byte, error) {
	faces, err := loadTypefaces()
	if err != nil {
		return nil, err
	}
	card := image.NewRGBA(image.Rect(0, 0, cardWidth, cardHeight))
	paint(card, card.Bounds(), paper)
	paint(card, image.Rect(0, 0, cardWidth, 18), accent)
	paint(card, image.Rect(cardMargin, 520, cardWidth-cardMargin, 522), ink)
	paint(card, image.Rect(cardMargin, 526, cardWidth-cardMargin, 528), ink)
	typeface, text := faces.fit(faces.bold, title)
	if err := writeTitle(card, typeface, text); err != nil {
		return nil, err
	}
	typeface, text = faces.fit(faces.regular, line)
	if err := writeLine(card, typeface, 30, quiet, 580, text); err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	err = png.Encode(&buf, card)
	return buf.Bytes(), err
}

func paint(card *image.RGBA, at image.Rectangle, c color.RGBA) {
	draw.Draw(card, at, image.NewUniform(c), image.Point{}, draw.Src)
}

// missing stands for a sign that no font of ours has, as printers set it.
const missing = '〓'

// fit returns the font that writes the text: the wanted one, or the wide one where that
// cannot, with [missing] for the signs that neither has.
func (t *typefaces) fit(wanted *sfnt.Font, text string) (typeface *sfnt.Font, fitting string) {
	var buf sfnt.Buffer
	has := func(f *sfnt.Font, r rune) bool {
		index, err := f.GlyphIndex(&buf, r)
		return err == nil && index != 0
	}
	if !strings.ContainsFunc(text, func(r rune) bool { return !has(wanted, r) }) {
		return wanted, text
	}
	return t.wide, strings.Map(func(r rune) rune {
		if has(t.wide, r) {
			return r
		}
		return missing
	}, text)
}

// writeTitle writes the title as large as it fits, and its beginning if it does not fit
// at all.
func writeTitle(card *image.RGBA, f *sfnt.Font, title string) error {
	const most, smallest = 400, 44
	for _, size := range []float64{84, 68, 54, smallest} {
		face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingFull})
		if err != nil {
			return err
		}
		lines := wrap(face, title, fixed.I(cardWidth-2*cardMargin))
		height := int(size * 1.25)
		if fits := most / height; len(lines) > fits {
			if size > smallest {
				continue
			}
			lines = lines[:fits]
			lines[fits-1] += "…"
		}
		for i, line := range lines {
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

// wrap breaks text into lines that are at most so wide: at spaces, and between the
// characters of Japanese.
func wrap(face font.Face, text string, width fixed.Int26_6) []string {
	var lines []string
	line := ""
	for _, piece := range unbroken(text) {
		longer := line + piece
		if line != "" && font.MeasureString(face, strings.TrimRight(longer, " ")) > width {
			lines = append(lines, strings.TrimSpace(line))
			longer = piece
		}
		line = longer
	}
	if line = strings.TrimSpace(line); line != "" {
		lines = append(lines, line)
	}
	return lines
}

// Signs that begin no line, and signs that end none.
const (
	notFirst = "、。，．・：；？！）」』】〕〉》ー々ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ…‥,.:;?!)]}"
	notLast  = "（「『【〔〈《([{"
)

// unbroken cuts a text into the pieces that stay on one line, each with the spaces
// after it.
func unbroken(text string) []string {
	var pieces []string
	var last rune
	for _, r := range text {
		together := last != 0 && r == ' ' ||
			last < 0x2e80 && r < 0x2e80 && last != ' ' || // a word of a script with spaces
			strings.ContainsRune(notFirst, r) || strings.ContainsRune(notLast, last)
		if last == 0 || !together {
			pieces = append(pieces, "")
		}
		pieces[len(pieces)-1] += string(r)
		last = r
	}
	return pieces
}
