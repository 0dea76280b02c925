package disk

import (
	"encoding/base32"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"time"

	"pressroom/blob/checksum"
)

// An Object is one version of one key: its attributes, without its bytes.
// Those returned by the store are the caller's own.
//
// An upload under way, and a part of one, are records of the same form that
// fill fewer fields.
type Object struct {
	Key      string
	Seq      uint64 // versions of a key were made in this order
	Null     bool   // its version id is "null"
	Marker   bool   // a delete marker
	Latest   bool   // set by lookups and listings: the newest of its key
	Modified time.Time
	Size     int64
	ETag     string // without quotes
	Class    string // storage class; "" is STANDARD
	Sum      Sum
	Header   Pairs // Content-Type and the like, by canonical name
	Meta     Pairs // x-amz-meta-*, by lower-case name without that prefix
	Tags     Pairs
	Parts    int      // of a multipart object; of a part, its number
	Upload   UploadID // the upload that it was completed from

	// RestoredUntil is when the readable copy of an archived object goes;
	// zero if there is none.
	RestoredUntil time.Time

	Lock Lock // what keeps the version from being deleted

	body Body
	hot  Body // the restored copy of an archived body
}

// Sum is the checksum that S3 keeps beside an object.
type Sum struct {
	Algorithm checksum.Algorithm // "" is none
	Type      checksum.Type
	Value     string // base64; of a composite, with "-" and the number of parts
}

// A Pair is one name and its value; Pairs keep their order.
type Pair struct{ Name, Value string }

// Pairs is a small ordered map.
type Pairs []Pair

// Get returns the value of name, "" if there is none.
func (p Pairs) Get(name string) string {
	for _, kv := range p {
		if kv.Name == name {
			return kv.Value
		}
	}
	return ""
}

// Body says where an object's bytes are.
type Body struct {
	ID     uint64 // never used twice
	Kind   bodyKind
	Cold   bool  // compressed; see cold.go
	Stored int64 // length as stored
	File   fileRef
}

type bodyKind uint8

const (
	bodyEmpty    bodyKind = iota // no bytes, nothing stored
	bodyInline                   // a row in spaceData
	bodyFile                     // File
	bodySegments                 // rows in spaceSegment, each of a part with a file of its own
)

// versionAlphabet is Crockford's, which sorts and has no look-alikes.
var versionAlphabet = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

const nullVersion = "null"

// VersionID returns the id by which clients name this version.
func (o *Object) VersionID() string {
	if o.Null {
		return nullVersion
	}
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], uint64(o.Modified.UnixMilli())<<16)
	binary.BigEndian.PutUint64(b[6:], o.Seq)
	return versionAlphabet.EncodeToString(b[:])
}

// parseVersion returns the sequence number in a version id, and false if the
// id cannot be one of ours.
func parseVersion(id string) (seq uint64, ok bool) {
	b, err := versionAlphabet.DecodeString(id)
	if err != nil || len(b) != 16 {
		return 0, false
	}
	return binary.BigEndian.Uint64(b[6:]), true
}

// StorageClass returns the class by name.
func (o *Object) StorageClass() string {
	if o.Class == "" {
		return "STANDARD"
	}
	return o.Class
}

// Archived reports whether the object must be restored before it is read.
func (o *Object) Archived() bool { return Archive(o.Class) && o.hot.Kind == bodyEmpty && o.Size > 0 }

// Restored reports whether an archived object has a readable copy.
func (o *Object) Restored() bool { return !o.RestoredUntil.IsZero() }

// clone returns a copy that shares nothing that is ever changed in place.
func (o *Object) clone() *Object {
	c := *o
	return &c
}

// A record is a sequence of fields, each a number and a value: if the number
// is odd, a length and bytes, else a varint. Unknown fields are skipped and
// absent ones are zero, so that fields can be added.
const (
	fieldModified      = 1 << 1
	fieldSize          = 2 << 1
	fieldETag          = 3<<1 | 1
	fieldClass         = 4<<1 | 1
	fieldFlags         = 5 << 1
	fieldSumAlgorithm  = 6<<1 | 1
	fieldSumType       = 7<<1 | 1
	fieldSumValue      = 8<<1 | 1
	fieldHeader        = 9<<1 | 1
	fieldMeta          = 10<<1 | 1
	fieldTag           = 11<<1 | 1
	fieldParts         = 12 << 1
	fieldUpload        = 13<<1 | 1
	fieldBody          = 14<<1 | 1
	fieldHot           = 15<<1 | 1
	fieldRestoredUntil = 16 << 1
	fieldLockMode      = 17<<1 | 1
	fieldLockUntil     = 18 << 1
)

const (
	flagNull = 1 << iota
	flagMarker
	flagHold
	flagHeld
)

// encode returns the record without Key, Seq and Latest, which the row's key
// and place say.
func (o *Object) encode() []byte {
	e := encoder(make([]byte, 0, 256))
	e.number(fieldModified, uint64(o.Modified.UnixMilli()))
	e.number(fieldSize, uint64(o.Size))
	e.text(fieldETag, o.ETag)
	e.text(fieldClass, o.Class)
	var flags uint64
	if o.Null {
		flags |= flagNull
	}
	if o.Marker {
		flags |= flagMarker
	}
	if o.Lock.Hold == HoldOn {
		flags |= flagHold
	}
	if o.Lock.Hold != "" {
		flags |= flagHeld
	}
	e.number(fieldFlags, flags)
	e.text(fieldSumAlgorithm, string(o.Sum.Algorithm))
	e.text(fieldSumType, string(o.Sum.Type))
	e.text(fieldSumValue, o.Sum.Value)
	e.pairs(fieldHeader, o.Header)
	e.pairs(fieldMeta, o.Meta)
	e.pairs(fieldTag, o.Tags)
	e.number(fieldParts, uint64(o.Parts))
	if o.Upload != (UploadID{}) {
		e.text(fieldUpload, string(o.Upload[:]))
	}
	e.body(fieldBody, o.body)
	e.body(fieldHot, o.hot)
	if !o.RestoredUntil.IsZero() {
		e.number(fieldRestoredUntil, uint64(o.RestoredUntil.UnixMilli()))
	}
	if o.Lock.Mode != "" {
		e.text(fieldLockMode, o.Lock.Mode)
		e.number(fieldLockUntil, uint64(o.Lock.Until.UnixMilli()))
	}
	return e
}

var errRecord = errors.New("damaged record")

// decodeObject reads a record. It keeps no reference to b.
func decodeObject(b []byte) (*Object, error) {
	o := new(Object)
	for len(b) > 0 {
		f, rest, err := nextField(b)
		if err != nil {
			return nil, err
		}
		b = rest
		switch f.tag {
		case fieldModified:
			o.Modified = time.UnixMilli(int64(f.number)).UTC()
		case fieldSize:
			o.Size = int64(f.number)
		case fieldETag:
			o.ETag = string(f.bytes)
		case fieldClass:
			o.Class = string(f.bytes)
		case fieldFlags:
			o.Null = f.number&flagNull != 0
			o.Marker = f.number&flagMarker != 0
			if f.number&flagHeld != 0 {
				o.Lock.Hold = HoldOff
			}
			if f.number&flagHold != 0 {
				o.Lock.Hold = HoldOn
			}
		case fieldSumAlgorithm:
			o.Sum.Algorithm = checksum.Algorithm(f.bytes)
		case fieldSumType:
			o.Sum.Type = checksum.Type(f.bytes)
		case fieldSumValue:
			o.Sum.Value = string(f.bytes)
		case fieldHeader:
			o.Header, err = appendPair(o.Header, f.bytes)
		case fieldMeta:
			o.Meta, err = appendPair(o.Meta, f.bytes)
		case fieldTag:
			o.Tags, err = appendPair(o.Tags, f.bytes)
		case fieldParts:
			o.Parts = int(f.number)
		case fieldUpload:
			copy(o.Upload[:], f.bytes)
		case fieldBody:
			o.body, err = decodeBody(f.bytes)
		case fieldHot:
			o.hot, err = decodeBody(f.bytes)
		case fieldRestoredUntil:
			o.RestoredUntil = time.UnixMilli(int64(f.number)).UTC()
		case fieldLockMode:
			o.Lock.Mode = string(f.bytes)
		case fieldLockUntil:
			o.Lock.Until = time.UnixMilli(int64(f.number)).UTC()
		}
		if err != nil {
			return nil, err
		}
	}
	return o, nil
}

type encoder []byte

func (e *encoder) number(tag byte, v uint64) {
	if v != 0 {
		*e = binary.AppendUvarint(append(*e, tag), v)
	}
}

func (e *encoder) text(tag byte, s string) {
	if s != "" {
		*e = binary.AppendUvarint(append(*e, tag), uint64(len(s)))
		*e = append(*e, s...)
	}
}

func (e *encoder) pairs(tag byte, ps Pairs) {
	for _, p := range ps {
		e.text(tag, string(binary.AppendUvarint(nil, uint64(len(p.Name))))+p.Name+p.Value)
	}
}

func (e *encoder) body(tag byte, b Body) {
	if b == (Body{}) {
		return
	}
	var n encoder
	for _, v := range []uint64{b.ID, uint64(b.Kind), btoi(b.Cold), uint64(b.Stored), uint64(b.File.dir), b.File.id} {
		n = binary.AppendUvarint(n, v)
	}
	e.text(tag, string(n))
}

func btoi(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

type field struct {
	tag    byte
	number uint64
	bytes  []byte
}

func nextField(b []byte) (f field, rest []byte, err error) {
	f.tag = b[0]
	v, n := binary.Uvarint(b[1:])
	if n <= 0 {
		return f, nil, errRecord
	}
	b = b[1+n:]
	if f.tag&1 == 0 {
		f.number = v
		return f, b, nil
	}
	if v > uint64(len(b)) {
		return f, nil, errRecord
	}
	f.bytes = b[:v]
	return f, b[v:], nil
}

func appendPair(ps Pairs, b []byte) (Pairs, error) {
	v, n := binary.Uvarint(b)
	if n <= 0 || v > uint64(len(b)-n) {
		return nil, errRecord
	}
	text := string(b[n:])
	return append(ps, Pair{text[:v], text[v:]}), nil
}

func decodeBody(b []byte) (Body, error) {
	var vs [6]uint64
	for i := range vs {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return Body{}, errRecord
		}
		vs[i], b = v, b[n:]
	}
	return Body{
		ID: vs[0], Kind: bodyKind(vs[1]), Cold: vs[2] != 0, Stored: int64(vs[3]),
		File: fileRef{uint32(vs[4]), vs[5]},
	}, nil
}

// Sorted returns the pairs by name.
func (p Pairs) Sorted() Pairs {
	q := slices.Clone(p)
	slices.SortStableFunc(q, func(a, b Pair) int { return strings.Compare(a.Name, b.Name) })
	return q
}
