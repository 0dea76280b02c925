package engine

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// iteratorLife is how long a shard iterator can be used.
const iteratorLife = 15 * time.Minute

// A sequence number as clients see it: the digit 1, so that no zeros are lost
// by who takes it for a number, and the number in twenty digits, so that they
// sort as text.

func sequenceText(n uint64) string { return fmt.Sprintf("1%020d", n) }

func parseSequence(s string) (uint64, bool) {
	if len(s) != 21 || s[0] != '1' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[1:], 10, 64)
	return n, err == nil
}

// place says where an iterator stands.
type place byte

const (
	atRecord  place = iota // before a record that exists
	atTip                  // after all records that existed when it was made
	atHorizon              // before the oldest record, whichever that is
)

// iterator is what a shard iterator holds.
type iterator struct {
	arn    string
	next   uint64 // the first number that has not been read
	place  place
	issued time.Time
}

const iteratorBytes = 8 + 1 + 8

// String returns the iterator as clients hold it: the stream, a version, and
// what is of no concern to them.
func (i iterator) String() string {
	raw := binary.BigEndian.AppendUint64(nil, i.next)
	raw = append(raw, byte(i.place))
	raw = binary.BigEndian.AppendUint64(raw, uint64(i.issued.UnixMilli()))
	raw = binary.BigEndian.AppendUint32(raw, i.checksum(raw))
	return i.arn + "|1|" + base64.RawURLEncoding.EncodeToString(raw)
}

func (i iterator) checksum(raw []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE([]byte(i.arn)), crc32.IEEETable, raw)
}

func parseIterator(s string) (iterator, bool) {
	arn, token, found := strings.Cut(s, "|1|")
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if !found || err != nil || len(raw) != iteratorBytes+4 {
		return iterator{}, false
	}
	i := iterator{arn: arn, next: binary.BigEndian.Uint64(raw), place: place(raw[8])}
	i.issued = time.UnixMilli(int64(binary.BigEndian.Uint64(raw[9:])))
	ok := i.checksum(raw[:iteratorBytes]) == binary.BigEndian.Uint32(raw[iteratorBytes:]) && i.place <= atHorizon
	return i, ok
}

// GetShardIterator returns an iterator to read a shard with, from one of five
// places. It can be used for 15 minutes.
func (e *Engine) GetShardIterator(ctx context.Context, in *dynamodbstreams.GetShardIteratorInput) (*dynamodbstreams.GetShardIteratorOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	if err := validateShardIterator(in); err != nil {
		return nil, err
	}
	s, err := e.findStream(*in.StreamArn)
	if err != nil {
		return nil, err
	}
	if *in.ShardId != s.shard() {
		return nil, newError(NotFound, "Requested resource not found: Shard: %s in Stream: %s not found", *in.ShardId, s.arn)
	}
	i := iterator{arn: s.arn, issued: e.now(), place: atHorizon}
	switch in.ShardIteratorType {
	case streamtypes.ShardIteratorTypeLatest:
		i.place = atTip
		i.next, err = s.tip(e)
	case streamtypes.ShardIteratorTypeAtSequenceNumber:
		err = s.startAt(e, &i, *in.SequenceNumber, 0)
	case streamtypes.ShardIteratorTypeAfterSequenceNumber:
		err = s.startAt(e, &i, *in.SequenceNumber, 1)
	case streamtypes.ShardIteratorTypeAtTimestamp:
		err = s.startOn(&i, *in.Timestamp)
	}
	if err != nil {
		return nil, err
	}
	return &dynamodbstreams.GetShardIteratorOutput{ShardIterator: aws.String(i.String())}, nil
}

func validateShardIterator(in *dynamodbstreams.GetShardIteratorInput) error {
	var c checks
	c.streamARN("streamArn", in.StreamArn)
	c.present("shardId", in.ShardId != nil)
	if in.ShardId != nil {
		c.length("shardId", *in.ShardId, 28, 65)
	}
	kind := string(in.ShardIteratorType)
	c.present("shardIteratorType", kind != "")
	c.enum("shardIteratorType", kind, "TRIM_HORIZON", "LATEST", "AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER", "AT_TIMESTAMP")
	if in.SequenceNumber != nil {
		c.length("sequenceNumber", *in.SequenceNumber, 21, 40)
	}
	if err := c.err(); err != nil {
		return err
	}
	switch numbered, dated := strings.HasSuffix(kind, "SEQUENCE_NUMBER"), kind == "AT_TIMESTAMP"; {
	case numbered && in.SequenceNumber == nil:
		return invalid("SequenceNumber must be specified when ShardIteratorType is %s", kind)
	case !numbered && in.SequenceNumber != nil:
		return invalid("SequenceNumber cannot be specified when ShardIteratorType is %s", kind)
	case dated && in.Timestamp == nil:
		return invalid("Timestamp must be specified when ShardIteratorType is %s", kind)
	case !dated && in.Timestamp != nil:
		return invalid("Timestamp cannot be specified when ShardIteratorType is %s", kind)
	}
	return nil
}

// startAt sets the iterator before the record with a number, or after it.
func (s *stream) startAt(e *Engine, i *iterator, text string, after uint64) error {
	n, ok := parseSequence(text)
	last := max(s.t.seq.issued(), s.From)
	if s.To != 0 {
		last = s.To
	}
	if !ok || n < s.From || n > last {
		return invalid("Invalid SequenceNumber: %s", text)
	}
	first, err := s.first(e)
	if err != nil {
		return err
	}
	if n < first && n < s.horizon(e.now()) {
		return trimmed()
	}
	i.next, i.place = n+after, atRecord
	if i.next > s.end() {
		i.place = atTip
	}
	return nil
}

// startOn sets the iterator before the first record of a moment or later. One
// before the oldest record starts with that.
func (s *stream) startOn(i *iterator, at time.Time) error {
	if at.After(i.issued) {
		return invalid("Invalid Timestamp: %s is in the future", at.UTC().Format(time.RFC3339Nano))
	}
	if next := uint64(max(at.UnixMicro(), 0)); next >= s.horizon(i.issued) {
		i.next, i.place = next, atTip
	}
	return nil
}

func trimmed() error {
	return newError(TrimmedData, "The operation attempted to read past the oldest stream record in a shard.")
}
