package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
)

// orientation returns how the camera was held, 1 to 8 as in EXIF; 1 if the file
// does not say.
func orientation(format string, file []byte) int {
	var tiff []byte
	switch format {
	case "jpeg":
		tiff = jpegEXIF(file)
	case "png":
		tiff = pngEXIF(file)
	case "webp":
		tiff = webpEXIF(file)
	}
	return tiffOrientation(bytes.TrimPrefix(tiff, []byte("Exif\x00\x00")))
}

// jpegEXIF walks the segments before the image data.
func jpegEXIF(file []byte) []byte {
	for at := 2; at+4 <= len(file) && file[at] == 0xff; {
		marker := file[at+1]
		if marker == 0xff { // filling
			at++
			continue
		}
		n := int(binary.BigEndian.Uint16(file[at+2:]))
		if marker == 0xda || n < 2 || at+2+n > len(file) {
			return nil
		}
		data := file[at+4 : at+2+n]
		if marker == 0xe1 && bytes.HasPrefix(data, []byte("Exif\x00\x00")) {
			return data
		}
		at += 2 + n
	}
	return nil
}

func pngEXIF(file []byte) []byte {
	for at := 8; at+8 <= len(file); {
		n := int(binary.BigEndian.Uint32(file[at:]))
		if n < 0 || n > len(file)-at-8 {
			return nil
		}
		if string(file[at+4:at+8]) == "eXIf" {
			return file[at+8 : at+8+n]
		}
		at += 12 + n
	}
	return nil
}

func webpEXIF(file []byte) []byte {
	for at := 12; at+8 <= len(file); {
		n := int(binary.LittleEndian.Uint32(file[at+4:]))
		if n < 0 || n > len(file)-at-8 {
			return nil
		}
		if string(file[at:at+4]) == "EXIF" {
			return file[at+8 : at+8+n]
		}
		at += 8 + n + n%2
	}
	return nil
}

// tiffOrientation reads the tag 0x0112 of the first directory.
func tiffOrientation(tiff []byte) int {
	if len(tiff) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.LittleEndian
	if string(tiff[:2]) == "MM" {
		order = binary.BigEndian
	}
	at := uint64(order.Uint32(tiff[4:]))
	if at+2 > uint64(len(tiff)) {
		return 1
	}
	for i := range uint64(order.Uint16(tiff[at:])) {
		entry := at + 2 + 12*i
		if entry+12 > uint64(len(tiff)) {
			return 1
		}
		if order.Uint16(tiff[entry:]) != 0x0112 {
			continue
		}
		if v := int(order.Uint16(tiff[entry+8:])); v >= 1 && v <= 8 {
			return v
		}
	}
	return 1
}

// upright turns and mirrors an image into the position in which it was seen.
func upright(img image.Image, orientation int) image.Image {
	if orientation <= 1 {
		return img
	}
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	size := image.Rect(0, 0, w, h)
	if orientation >= 5 {
		size = image.Rect(0, 0, h, w)
	}
	out := image.NewNRGBA(size)
	at := img.Bounds().Min
	for y := range size.Dy() {
		for x := range size.Dx() {
			sx, sy := source(orientation, x, y, w, h)
			out.SetNRGBA(x, y, color.NRGBAModel.Convert(img.At(at.X+sx, at.Y+sy)).(color.NRGBA))
		}
	}
	return out
}

// source is the place in the stored image of a pixel of the upright one; w and h
// are the stored image's.
func source(orientation, x, y, w, h int) (int, int) {
	switch orientation {
	case 2:
		return w - 1 - x, y
	case 3:
		return w - 1 - x, h - 1 - y
	case 4:
		return x, h - 1 - y
	case 5:
		return y, x
	case 6:
		return y, h - 1 - x
	case 7:
		return w - 1 - y, h - 1 - x
	}
	return w - 1 - y, x // 8
}
