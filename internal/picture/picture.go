// Package picture makes images from outside fit to be shown: it finds the type
// from the content, refuses what would not fit into memory before decoding it,
// turns photographs upright, and encodes everything anew, so that no metadata and
// nothing that is no pixel is left, in the sizes that pages want.
//
// Start with [Make].
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"

	xdraw "golang.org/x/image/draw"
	"golang.org/x/image/webp"
)

// Limits on what is decoded.
const (
	MaxBytes  = 10 << 20   // of the file
	MaxPixels = 40_000_000 // of the image; of all frames of an animation together
	MaxSide   = 20_000     // of width and height
)

// What is wrong with a file; test with errors.Is.
var (
	// ErrTooLarge is a file or an image over a limit.
	ErrTooLarge = errors.New("the image is too large")
	// ErrType is a file that is no JPEG, PNG, GIF or WebP image.
	ErrType = errors.New("the file is no JPEG, PNG, GIF or WebP image")
	// ErrBroken is a file that ends early or is damaged.
	ErrBroken = errors.New("the image is damaged")
)

// widths are the sizes that pages choose from, in pixels, besides the full one.
var widths = []int{320, 640, 960, 1440, 2048}

// maxFull is the longest side of the full size; what is larger is scaled down.
const maxFull = 3200

// Full is the name of the largest size.
const Full = "full"

// Picture is an image, encoded anew.
type Picture struct {
	Type          string // of the content: "image/jpeg"
	Width, Height int    // of the full size
	Sizes         []Size // the full one first, then the others from small to large
}

// Size is the image in one width.
type Size struct {
	Name          string // "full", "w320"
	Width, Height int
	Data          []byte
}

// Make decodes the file and encodes it anew in all sizes that are smaller than
// the image. JPEG stays JPEG and PNG stays PNG; WebP becomes the one or the other,
// whether it is transparent or not; an animated GIF stays one and has the full
// size alone.
func Make(file []byte) (*Picture, error) {
	format, err := admit(file)
	if err != nil {
		return nil, err
	}
	if format == "gif" {
		return makeGIF(file)
	}
	img, err := decode(format, file)
	if err != nil {
		return nil, err
	}
	if format == "png" || !opaque(img) {
		return sizes(img, maxFull, "image/png", encodePNG)
	}
	return sizes(img, maxFull, "image/jpeg", encodeJPEG)
}

// Still is Make for copies that illustrate: no side is longer than the one given, of an
// animation there is the first frame, and everything opaque is JPEG.
func Still(file []byte, side int) (*Picture, error) {
	format, err := admit(file)
	if err != nil {
		return nil, err
	}
	img, err := decode(format, file)
	if err != nil {
		return nil, err
	}
	if !opaque(img) {
		return sizes(img, side, "image/png", encodePNG)
	}
	return sizes(img, side, "image/jpeg", encodeJPEG)
}

// admit returns the format of a file that may be decoded.
func admit(file []byte) (format string, err error) {
	if len(file) > MaxBytes {
		return "", fmt.Errorf("%w: %d bytes, at most %d are allowed", ErrTooLarge, len(file), MaxBytes)
	}
	if format = sniff(file); format == "" {
		return "", ErrType
	}
	return format, measure(format, file)
}

// sniff tells the format from the first bytes.
func sniff(file []byte) string {
	switch {
	case bytes.HasPrefix(file, []byte("\xff\xd8\xff")):
		return "jpeg"
	case bytes.HasPrefix(file, []byte("\x89PNG\r\n\x1a\n")):
		return "png"
	case bytes.HasPrefix(file, []byte("GIF87a")), bytes.HasPrefix(file, []byte("GIF89a")):
		return "gif"
	case len(file) >= 12 && string(file[:4]) == "RIFF" && string(file[8:12]) == "WEBP":
		return "webp"
	}
	return ""
}

// measure looks at the size that the file claims, before anything is decoded.
func measure(format string, file []byte) error {
	var c image.Config
	var err error
	r := bytes.NewReader(file)
	switch format {
	case "jpeg":
		c, err = jpeg.DecodeConfig(r)
	case "png":
		c, err = png.DecodeConfig(r)
	case "gif":
		c, err = gif.DecodeConfig(r)
	case "webp":
		c, err = webp.DecodeConfig(r)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBroken, err)
	}
	if c.Width <= 0 || c.Height <= 0 {
		return fmt.Errorf("%w: it has no pixels", ErrBroken)
	}
	if c.Width > MaxSide || c.Height > MaxSide || c.Width*c.Height > MaxPixels {
		return fmt.Errorf("%w: %d × %d pixels", ErrTooLarge, c.Width, c.Height)
	}
	return nil
}

// decode returns the image upright; of an animation the first frame.
func decode(format string, file []byte) (img image.Image, err error) {
	r := bytes.NewReader(file)
	switch format {
	case "jpeg":
		img, err = jpeg.Decode(r)
	case "png":
		img, err = png.Decode(r)
	case "gif":
		img, err = gif.Decode(r)
	case "webp":
		img, err = webp.Decode(r)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return upright(img, orientation(format, file)), nil
}

func opaque(img image.Image) bool {
	o, ok := img.(interface{ Opaque() bool })
	return ok && o.Opaque()
}

func encodeJPEG(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 85})
	return b.Bytes(), err
}

func encodePNG(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}

// sizes makes the full size and those below it, each from the next larger one:
// the largest costs the most, and is read once.
func sizes(img image.Image, side int, kind string, encode func(image.Image) ([]byte, error)) (*Picture, error) {
	img = atMost(img, side)
	p := &Picture{Type: kind, Width: img.Bounds().Dx(), Height: img.Bounds().Dy()}
	full, err := encode(img)
	if err != nil {
		return nil, err
	}
	var smaller []Size
	for i := len(widths) - 1; i >= 0; i-- {
		if widths[i] >= p.Width {
			continue
		}
		img = scale(img, widths[i], max(1, p.Height*widths[i]/p.Width))
		data, err := encode(img)
		if err != nil {
			return nil, err
		}
		smaller = append([]Size{{fmt.Sprint("w", widths[i]), img.Bounds().Dx(), img.Bounds().Dy(), data}}, smaller...)
	}
	p.Sizes = append([]Size{{Full, p.Width, p.Height, full}}, smaller...)
	return p, nil
}

func atMost(img image.Image, side int) image.Image {
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	longest := max(w, h)
	if longest <= side {
		return img
	}
	return scale(img, max(1, w*side/longest), max(1, h*side/longest))
}

func scale(img image.Image, w, h int) image.Image {
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	xdraw.CatmullRom.Scale(out, out.Bounds(), img, img.Bounds(), draw.Src, nil)
	return out
}
