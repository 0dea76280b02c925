package engine

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

	"pressroom/dynamo/attr"
)

// What is stored where. The first byte of a Pebble key names its space; all
// integers are big-endian, so that they sort.
//
//	meta     space, name                                   format, clean mark
//	catalog  space, table                                  definition as JSON
//	row      space, table, 0,     hash(pk), pk, sk         item
//	row      space, table, index, hash(pk), pk, sk, base pk, base sk
//	                                                       projected item
//	expiry   space, table, second, base pk, base sk        nothing
//	change   space, table, sequence                        change record
//	token    space, client request token                   request and answer
//	backup   space, backup                                 description as JSON
//	saved    space, backup, row key after its table        item
//	job      space, job                                    description as JSON
//
// A partition is contiguous, rows of a table are in hash order (so that the
// segments of a parallel Scan are ranges), and entries of an index that tie
// sort by the table's own key. Hash, partition and sort key are in attr's
// order-preserving key bytes, which end themselves.
const (
	spaceMeta    = 0x01
	spaceCatalog = 0x02
	spaceRow     = 0x03
	spaceExpiry  = 0x04
	spaceChange  = 0x05
	spaceToken   = 0x06
	spaceBackup  = 0x07
	spaceSaved   = 0x08
	spaceJob     = 0x09
)

type (
	tableID uint32
	indexID uint16
)

// baseIndex is the id that rows of the table itself carry.
const baseIndex indexID = 0

// rowPrefixLen is the length of space, table and index.
const rowPrefixLen = 1 + 4 + 2

// hashLen is the length of the partition hash that follows the row prefix.
const hashLen = 8

func appendTable(dst []byte, space byte, t tableID) []byte {
	return binary.BigEndian.AppendUint32(append(dst, space), uint32(t))
}

func appendRowPrefix(dst []byte, t tableID, i indexID) []byte {
	return binary.BigEndian.AppendUint16(appendTable(dst, spaceRow, t), uint16(i))
}

// appendPartition appends the row prefix, hash and key bytes of a partition.
// The hash covers the key bytes of all of the partition's attributes.
func appendPartition(dst []byte, t tableID, i indexID, pk ...attr.Value) []byte {
	dst = appendRowPrefix(dst, t, i)
	at := len(dst)
	dst = append(dst, make([]byte, hashLen)...)
	for _, v := range pk {
		dst = attr.AppendKey(dst, v)
	}
	binary.BigEndian.PutUint64(dst[at:], xxhash.Sum64(dst[at+hashLen:]))
	return dst
}

// baseKeyOf returns the pk and sk bytes of a base row's key, without prefix
// and hash: what index entries and expiry entries carry at their end.
func baseKeyOf(rowKey []byte) []byte { return rowKey[rowPrefixLen+hashLen:] }

// appendBaseRow appends the key of the base row whose pk and sk bytes are
// given; pkLen is the length of the partition key within them.
func appendBaseRow(dst []byte, t tableID, keyBytes []byte, pkLen int) []byte {
	dst = appendRowPrefix(dst, t, baseIndex)
	dst = binary.BigEndian.AppendUint64(dst, xxhash.Sum64(keyBytes[:pkLen]))
	return append(dst, keyBytes...)
}

func appendExpiry(dst []byte, t tableID, second int64, keyBytes []byte) []byte {
	dst = binary.BigEndian.AppendUint64(appendTable(dst, spaceExpiry, t), uint64(second))
	return append(dst, keyBytes...)
}

func appendChange(dst []byte, t tableID, seq uint64) []byte {
	return binary.BigEndian.AppendUint64(appendTable(dst, spaceChange, t), seq)
}

// prefixEnd returns the first key after all keys with the prefix.
func prefixEnd(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
	return nil
}

// A row is an item with its size in front, so that a page can be filled, and
// its cost counted, without walking the items.

func appendRow(dst []byte, size int, it attr.Item) []byte {
	return append(binary.AppendUvarint(dst, uint64(size)), it...)
}

func splitRow(row []byte) (size int, it attr.Item, ok bool) {
	n, w := binary.Uvarint(row)
	if w <= 0 {
		return 0, nil, false
	}
	return int(n), attr.Item(row[w:]), true
}
