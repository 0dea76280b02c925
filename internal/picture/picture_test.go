package picture

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
)

var (
	red  = color.NRGBA{220, 20, 20, 255}
	blue = color.NRGBA{20, 20, 220, 255}
)

// flag is an image whose upper left quarter is red and the rest blue.
func flag(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Bounds(), image.NewUniform(blue), image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(0, 0, w/2, h/2), image.NewUniform(red), image.Point{}, draw.Src)
	return img
}

func jpegOf(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pngOf(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gifOf(t testing.TB, frames, w, h int) []byte {
	t.Helper()
	g := &gif.GIF{}
	for i := range frames {
		img := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{red, blue})
		img.SetColorIndex(i%w, 0, 1)
		g.Image, g.Delay = append(g.Image, img), append(g.Delay, 10)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A WebP image of 1 × 1 pixel, lossy, as encoders write it.
const tinyWebP = "UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA="

func webpFile(t testing.TB) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(tinyWebP)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// exif is a TIFF structure that says how the camera was held, and where.
func exif(orientation int, order byteOrder) []byte {
	b := []byte("II*\x00")
	if order == byteOrder(binary.BigEndian) {
		b = []byte("MM\x00*")
	}
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 2)
	b = order.AppendUint16(b, 0x010e) // a description, in which a secret stands
	b = order.AppendUint16(b, 2)
	b = order.AppendUint32(b, 16)
	b = order.AppendUint32(b, 38)
	b = order.AppendUint16(b, 0x0112)
	b = order.AppendUint16(b, 3)
	b = order.AppendUint32(b, 1)
	b = order.AppendUint16(b, uint16(orientation))
	b = order.AppendUint16(b, 0)
	b = order.AppendUint32(b, 0)
	return append(b, "GPS-SECRET-PLACE"...)
}

// withEXIF puts metadata into a JPEG file, with a comment before it.
func withEXIF(file, tiff []byte) []byte {
	segment := func(marker byte, data []byte) []byte {
		return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(data)+2)), data...)
	}
	out := append([]byte{}, file[:2]...)
	out = append(out, segment(0xfe, []byte("COMMENT-SECRET"))...)
	out = append(out, segment(0xe1, append([]byte("Exif\x00\x00"), tiff...))...)
	return append(out, file[2:]...)
}

func decoded(t *testing.T, s Size) image.Image {
	t.Helper()
	img, _, err := image.Decode(bytes.NewReader(s.Data))
	if err != nil {
		t.Fatal(err)
	}
	if img.Bounds().Dx() != s.Width || img.Bounds().Dy() != s.Height {
		t.Errorf("%s claims %d × %d and is %v", s.Name, s.Width, s.Height, img.Bounds())
	}
	return img
}

func TestFormats(t *testing.T) {
	transparent := flag(100, 50)
	transparent.SetNRGBA(0, 0, color.NRGBA{})
	tests := []struct {
		name  string
		file  []byte
		kind  string
		sizes string
	}{
		{"small jpeg", jpegOf(t, flag(100, 50)), "image/jpeg", "full=100x50"},
		{"large jpeg", jpegOf(t, flag(1000, 500)), "image/jpeg", "full=1000x500 w320=320x160 w640=640x320 w960=960x480"},
		{"over the largest", jpegOf(t, flag(4000, 100)), "image/jpeg", "full=3200x80 w320=320x8 w640=640x16 w960=960x24 w1440=1440x36 w2048=2048x51"},
		{"a line", jpegOf(t, flag(4000, 1)), "image/jpeg", "full=3200x1 w320=320x1 w640=640x1 w960=960x1 w1440=1440x1 w2048=2048x1"},
		{"png", pngOf(t, flag(400, 10)), "image/png", "full=400x10 w320=320x8"},
		{"transparent png", pngOf(t, transparent), "image/png", "full=100x50"},
		{"gif", gifOf(t, 1, 20, 20), "image/png", "full=20x20"},
		{"animated gif", gifOf(t, 3, 20, 20), "image/gif", "full=20x20"},
		{"webp", webpFile(t), "image/jpeg", "full=1x1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Make(tt.file)
			if err != nil {
				t.Fatal(err)
			}
			var sizes []string
			for _, s := range p.Sizes {
				decoded(t, s)
				sizes = append(sizes, fmt.Sprintf("%s=%dx%d", s.Name, s.Width, s.Height))
			}
			if got := strings.Join(sizes, " "); p.Type != tt.kind || got != tt.sizes {
				t.Errorf("%s with %s, want %s with %s", p.Type, got, tt.kind, tt.sizes)
			}
		})
	}
	p, err := Make(gifOf(t, 3, 20, 20))
	if err != nil {
		t.Fatal(err)
	}
	if g, err := gif.DecodeAll(bytes.NewReader(p.Sizes[0].Data)); err != nil || len(g.Image) != 3 {
		t.Errorf("the animation has %d frames: %v", len(g.Image), err)
	}
}

// Each way to hold a camera ends upright, in both byte orders.
func TestOrientation(t *testing.T) {
	upright := flag(64, 32)
	for o := 1; o <= 8; o++ {
		for _, order := range []byteOrder{binary.LittleEndian, binary.BigEndian} {
			file := withEXIF(jpegOf(t, held(upright, o)), exif(o, order))
			p, err := Make(file)
			if err != nil {
				t.Fatal(err)
			}
			img := decoded(t, p.Sizes[0])
			if p.Width != 64 || p.Height != 32 {
				t.Errorf("orientation %d: %d × %d", o, p.Width, p.Height)
				continue
			}
			for _, place := range []image.Point{{8, 8}, {50, 8}, {8, 28}, {50, 28}} {
				r, _, b, _ := img.At(place.X, place.Y).RGBA()
				if isRed := r > b; isRed != (place.X < 32 && place.Y < 16) {
					t.Errorf("orientation %d, %v: at %v it is not what it was", o, order, place)
				}
			}
		}
	}
}

// held is what a camera stores that was held so: the inverse of upright.
func held(img *image.NRGBA, orientation int) image.Image {
	if orientation == 1 {
		return img
	}
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	if orientation >= 5 {
		w, h = h, w
	}
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			sx, sy := source(orientation, x, y, w, h)
			out.SetNRGBA(sx, sy, img.NRGBAAt(x, y))
		}
	}
	return out
}

// The table of the EXIF standard, written out: where the first row and the first
// column of the stored image are seen.
func TestOrientationTable(t *testing.T) {
	// The stored pixel that is seen at the upper left, of an image of 3 × 2.
	want := map[int][2]int{1: {0, 0}, 2: {2, 0}, 3: {2, 1}, 4: {0, 1}, 5: {0, 0}, 6: {0, 1}, 7: {2, 1}, 8: {2, 0}}
	for o := 2; o <= 8; o++ {
		if x, y := source(o, 0, 0, 3, 2); x != want[o][0] || y != want[o][1] {
			t.Errorf("orientation %d: the upper left is %d, %d, want %v", o, x, y, want[o])
		}
	}
}

func TestMetadataIsStripped(t *testing.T) {
	file := withEXIF(jpegOf(t, flag(64, 32)), exif(6, binary.LittleEndian))
	file = append(file, "TRAILER-SECRET"...)
	withText := pngOf(t, flag(64, 32))
	withText = append(withText[:33:33], append(chunk("tEXt", "Comment\x00TEXT-SECRET"), withText[33:]...)...)
	withText = append(withText, "TRAILER-SECRET"...)
	for _, f := range [][]byte{file, withText} {
		if !bytes.Contains(f, []byte("SECRET")) {
			t.Fatal("the file holds no secret")
		}
		p, err := Make(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Sizes {
			if bytes.Contains(s.Data, []byte("SECRET")) || bytes.Contains(s.Data, []byte("Exif")) {
				t.Errorf("%s of %s keeps metadata", s.Name, p.Type)
			}
		}
	}
}

func chunk(kind, data string) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(b, kind+data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE([]byte(kind+data)))
}

func TestRefused(t *testing.T) {
	bomb := pngOf(t, flag(10, 10)) // a header that claims more than is there
	claimed := bytes.Clone(bomb)
	binary.BigEndian.PutUint32(claimed[16:], 100_000)
	binary.BigEndian.PutUint32(claimed[20:], 100_000)
	binary.BigEndian.PutUint32(claimed[29:], crc32.ChecksumIEEE(claimed[12:29]))
	wide := bytes.Clone(bomb)
	binary.BigEndian.PutUint32(wide[16:], 30_000)
	binary.BigEndian.PutUint32(wide[29:], crc32.ChecksumIEEE(wide[12:29]))
	jpg := jpegOf(t, flag(64, 64))
	tests := []struct {
		name string
		file []byte
		want error
	}{
		{"nothing", nil, ErrType},
		{"text", []byte("hello"), ErrType},
		{"html", []byte("<html><script>alert(1)</script>"), ErrType},
		{"svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`), ErrType},
		{"pdf", []byte("%PDF-1.7"), ErrType},
		{"riff that is no webp", []byte("RIFF\x00\x00\x00\x00WAVEfmt "), ErrType},
		{"too many bytes", append(bytes.Clone(jpg), make([]byte, MaxBytes)...), ErrTooLarge},
		{"pixel bomb", claimed, ErrTooLarge},
		{"too wide", wide, ErrTooLarge},
		{"gif of many frames", gifBomb(2000, 2000, 20), ErrTooLarge},
		{"cut jpeg", jpg[:len(jpg)/2], ErrBroken},
		{"cut png", bomb[:len(bomb)-20], ErrBroken},
		{"jpeg magic alone", []byte("\xff\xd8\xff\xe0"), ErrBroken},
		{"png magic alone", []byte("\x89PNG\r\n\x1a\n"), ErrBroken},
		{"gif magic alone", []byte("GIF89a"), ErrBroken},
		{"gif without frames", gifBomb(10, 10, 0), ErrBroken},
		{"webp magic alone", []byte("RIFF\x00\x00\x00\x00WEBPVP8 "), ErrBroken},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Make(tt.file); !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
		})
	}
}

// gifBomb is a small file with large frames, whose data are left out: it must be
// refused before they are looked for.
func gifBomb(w, h, frames int) []byte {
	b := []byte("GIF89a")
	b = binary.LittleEndian.AppendUint16(b, uint16(w))
	b = binary.LittleEndian.AppendUint16(b, uint16(h))
	b = append(b, 0x80, 0, 0, 0, 0, 0, 255, 255, 255)
	for range frames {
		b = append(b, 0x21, 0xf9, 4, 0, 10, 0, 0, 0, 0x2c, 0, 0, 0, 0)
		b = binary.LittleEndian.AppendUint16(b, uint16(w))
		b = binary.LittleEndian.AppendUint16(b, uint16(h))
		b = append(b, 0, 2, 2, 0x4c, 1, 0)
	}
	return append(b, 0x3b)
}

func TestGIFFrames(t *testing.T) {
	frames, pixels := gifFrames(gifOf(t, 7, 30, 20))
	if frames != 7 || pixels < 30*20 || pixels > 7*30*20 {
		t.Errorf("%d frames, %d pixels", frames, pixels)
	}
	if frames, pixels := gifFrames(gifBomb(100, 100, 9)); frames != 9 || pixels != 90_000 {
		t.Errorf("%d frames, %d pixels", frames, pixels)
	}
}

// FuzzMake wants every file to be refused or to become an image that decodes.
func FuzzMake(f *testing.F) {
	f.Add(withEXIF(jpegOf(f, flag(20, 10)), exif(6, binary.BigEndian)))
	f.Add(pngOf(f, flag(20, 10)))
	f.Add(gifOf(f, 2, 20, 10))
	f.Add(webpFile(f))
	f.Add(gifBomb(10, 10, 3))
	f.Fuzz(func(t *testing.T, file []byte) {
		if format := sniff(file); format != "" && measure(format, file) == nil && len(file) > 1<<16 {
			return // keep the fuzzer fast
		}
		p, err := Make(file)
		if err != nil {
			return
		}
		for _, s := range p.Sizes {
			if _, _, err := image.Decode(bytes.NewReader(s.Data)); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
		}
	})
}

func BenchmarkMake(b *testing.B) {
	file := jpegOf(b, flag(4000, 3000))
	for b.Loop() {
		if _, err := Make(file); err != nil {
			b.Fatal(err)
		}
	}
}
