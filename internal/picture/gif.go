package picture

import (
	"bytes"
	"fmt"
	"image/gif"
)

// makeGIF encodes an animation anew, and what does not move as PNG.
func makeGIF(file []byte) (*Picture, error) {
	frames, pixels := gifFrames(file)
	if pixels > MaxPixels {
		return nil, fmt.Errorf("%w: %d frames with %d pixels together", ErrTooLarge, frames, pixels)
	}
	g, err := gif.DecodeAll(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	if len(g.Image) == 1 {
		return sizes(g.Image[0], maxFull, "image/png", encodePNG)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, g); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	w, h := g.Config.Width, g.Config.Height
	return &Picture{Type: "image/gif", Width: w, Height: h, Sizes: []Size{{Full, w, h, b.Bytes()}}}, nil
}

// gifFrames walks the blocks of a GIF file without decoding, and counts the
// frames and their pixels. A file that is damaged is counted as far as it goes:
// the decoder says what is wrong with it.
func gifFrames(file []byte) (frames, pixels int) {
	const header = 13
	if len(file) < header {
		return 0, 0
	}
	at := header + colourTable(file[10])
	for at < len(file) {
		switch file[at] {
		case 0x21: // an extension: a label, then data
			at = skipData(file, at+2)
		case 0x2c: // a frame: place and size, a colour table, a byte, then data
			if at+10 > len(file) {
				return frames, pixels
			}
			w := int(file[at+5]) | int(file[at+6])<<8
			h := int(file[at+7]) | int(file[at+8])<<8
			frames++
			pixels += w * h
			at = skipData(file, at+10+colourTable(file[at+9])+1)
		default: // the end, or nothing that belongs here
			return frames, pixels
		}
	}
	return frames, pixels
}

func colourTable(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// skipData returns where the data that begins at the place ends: a row of pieces,
// each with its length in front, the last one empty.
func skipData(file []byte, at int) int {
	for at < len(file) {
		n := int(file[at])
		at += 1 + n
		if n == 0 {
			break
		}
	}
	return at
}
