package disk

import "encoding/binary"

// The rows of the database, by their first byte. Numbers are big-endian, so
// that they sort. A key is any text, so it is written with every 00 as 00 FF
// and ended with 00 01: then rows sort as the keys do, and "a" and "a/b" are
// merely neighbours.
const (
	spaceBucket  = 'b' // name                       -> bucket record
	spaceObject  = 'o' // bucket, key, ^seq          -> object record, newest first
	spaceNull    = 'n' // bucket, key                -> seq of the "null" version
	spaceData    = 'd' // body                       -> the bytes of an inline body
	spaceSegment = 'm' // body, end offset, part no. -> part record of a completed upload
	spaceRestore = 'r' // bucket, key, ^seq          -> nothing; the version has, or had, a restored copy
	spaceUpload  = 'u' // bucket, key, upload        -> object record to be
	spacePart    = 'p' // upload, part no.           -> part record
	spaceLive    = 'f' // directory, file            -> nothing; the file belongs to a body
	spaceGarbage = 'g' // directory, file            -> nothing; the file is to be removed
	spaceOpenDir = 'e' // directory                  -> nothing; it may hold files without owner
	spaceSeq     = 'q' //                            -> no sequence number from here on was used
)

const (
	escape    = 0x00
	escapedNo = 0xff
	endOfKey  = 0x01
	afterKey  = 0x02
)

func appendEscaped(dst []byte, key string) []byte {
	for i := 0; i < len(key); i++ {
		dst = append(dst, key[i])
		if key[i] == escape {
			dst = append(dst, escapedNo)
		}
	}
	return dst
}

// unescape reads an escaped key from b and returns it with what follows.
func unescape(b []byte) (key string, rest []byte) {
	var buf []byte
	start := 0
	for i := 0; i+1 < len(b); i++ {
		if b[i] != escape {
			continue
		}
		if b[i+1] != escapedNo {
			if buf == nil {
				return string(b[start:i]), b[i+2:]
			}
			return string(append(buf, b[start:i]...)), b[i+2:]
		}
		buf = append(buf, b[start:i+1]...)
		i++
		start = i + 1
	}
	return string(append(buf, b[start:]...)), nil
}

// bucketRows is the common beginning of a bucket's rows in a space.
func bucketRows(space byte, bucket uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{space}, bucket)
}

// prefixRows is the common beginning of the rows of all keys with a prefix.
func prefixRows(space byte, bucket uint64, prefix string) []byte {
	return appendEscaped(bucketRows(space, bucket), prefix)
}

// keyRows is the common beginning of one key's rows.
func keyRows(space byte, bucket uint64, key string) []byte {
	return append(prefixRows(space, bucket, key), escape, endOfKey)
}

// pastKey sorts after all rows of a key, and before those of the next.
func pastKey(space byte, bucket uint64, key string) []byte {
	return append(prefixRows(space, bucket, key), escape, afterKey)
}

func objectRow(bucket uint64, key string, seq uint64) []byte {
	return binary.BigEndian.AppendUint64(keyRows(spaceObject, bucket, key), ^seq)
}

// restoreRow sorts as objectRow does.
func restoreRow(bucket uint64, key string, seq uint64) []byte {
	row := objectRow(bucket, key, seq)
	row[0] = spaceRestore
	return row
}

func uploadRow(bucket uint64, key string, id UploadID) []byte {
	return append(keyRows(spaceUpload, bucket, key), id[:]...)
}

// splitRow takes a row of the object or upload space apart.
func splitRow(row []byte) (key string, rest []byte) { return unescape(row[keyStart:]) }

func nullRow(bucket uint64, key string) []byte { return keyRows(spaceNull, bucket, key) }

func bucketRow(name string) []byte { return append([]byte{spaceBucket}, name...) }

func dataRow(body uint64) []byte { return binary.BigEndian.AppendUint64([]byte{spaceData}, body) }

func segmentRows(body uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{spaceSegment}, body)
}

func segmentRow(body uint64, end int64, part int) []byte {
	b := binary.BigEndian.AppendUint64(segmentRows(body), uint64(end))
	return binary.BigEndian.AppendUint16(b, uint16(part))
}

func partRows(id UploadID) []byte { return append([]byte{spacePart}, id[:]...) }

func partRow(id UploadID, part int) []byte {
	return binary.BigEndian.AppendUint16(partRows(id), uint16(part))
}

func fileRow(space byte, f fileRef) []byte {
	b := binary.BigEndian.AppendUint32([]byte{space}, f.dir)
	return binary.BigEndian.AppendUint64(b, f.id)
}

func parseFileRow(row []byte) fileRef {
	return fileRef{binary.BigEndian.Uint32(row[1:]), binary.BigEndian.Uint64(row[5:])}
}

func dirRow(no uint32) []byte { return binary.BigEndian.AppendUint32([]byte{spaceOpenDir}, no) }

// successor returns the smallest row that sorts after all rows beginning with
// b. Rows begin with a space, so there always is one.
func successor(b []byte) []byte {
	end := append([]byte(nil), b...)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i] != 0xff {
			end[i]++
			return end[:i+1]
		}
	}
	return nil
}
