package disk

import (
	"io"

	"github.com/klauspost/compress/zstd"
)

// Classes that keep an object compressed and readable only once restored.
const (
	Glacier     = "GLACIER"
	DeepArchive = "DEEP_ARCHIVE"
)

// Archive reports whether objects of a storage class must be restored before
// they are read.
func Archive(class string) bool { return class == Glacier || class == DeepArchive }

// Classes lists the storage classes that an object may be given. All but the
// archive classes are kept alike.
var Classes = []string{
	"STANDARD", "REDUCED_REDUNDANCY", "STANDARD_IA", "ONEZONE_IA",
	"INTELLIGENT_TIERING", "GLACIER_IR", Glacier, DeepArchive,
}

func compressor(w io.Writer) io.WriteCloser {
	// One goroutine and a small window, so that memory stays flat however
	// many objects are written at once.
	enc, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	if err != nil {
		panic("disk: the compressor's options are constant: " + err.Error())
	}
	return enc
}

func decompressor(r io.Reader) (io.ReadCloser, error) {
	dec, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
	if err != nil {
		return nil, err
	}
	return dec.IOReadCloser(), nil
}

func compressBytes(b []byte) []byte {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic("disk: the compressor's options are constant: " + err.Error())
	}
	defer enc.Close()
	return enc.EncodeAll(b, nil)
}
