package engine

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/csv"
	"errors"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/klauspost/compress/zstd"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/token"
)

// input is what an import or a bulk put reads.
type input struct {
	bucket, prefix string
	format         types.InputFormat
	compression    types.InputCompressionType
	csv            *types.CsvOptions
	// kinds are the types of the attributes that are keys; in CSV all others are
	// strings.
	kinds map[string]attr.Kind
}

// maxRecord is the longest line that is read: an item in JSON, escapes included.
const maxRecord = 16 << 20

// each reads all objects and calls fn for every record with its place; an item
// that cannot be read has an error. read counts the bytes of the objects.
func (in *input) each(ctx context.Context, e *Engine, from Objects, read func(int64), fn func(key string, line int, it attr.Item, err error) error) error {
	var list []Object
	err := e.persist(ctx, func() error {
		list = list[:0]
		for o, err := range from.List(ctx, in.bucket, in.prefix) {
			if err != nil {
				return err
			}
			list = append(list, o)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return &RefusedError{"S3NoSuchKey", "No objects were found at the given prefix"}
	}
	for _, o := range list {
		if err := in.object(ctx, e, from, o, fn); err != nil {
			return err
		}
		read(o.Size)
	}
	return nil
}

// errBroken ends an object that cannot be read further, which counts as one
// record.
type errBroken struct{ err error }

func (b errBroken) Error() string { return b.err.Error() }

// object reads one object. A transfer that breaks off is begun again, and what was
// read before is passed over.
func (in *input) object(ctx context.Context, e *Engine, from Objects, o Object, fn func(string, int, attr.Item, error) error) error {
	done := 0
	return e.persist(ctx, func() error {
		body, err := from.Get(ctx, in.bucket, o.Key)
		if err != nil {
			return err
		}
		defer func() { _ = body.Close() }()
		n := 0
		var stop error
		transfer := &transfer{r: body}
		err = in.records(transfer, func(it attr.Item, err error) error {
			if n++; n <= done {
				return nil
			}
			if stop = e.goOn(ctx); stop == nil {
				stop = fn(o.Key, n, it, err)
			}
			done = n
			return stop
		})
		var broken errBroken
		switch {
		case stop != nil:
			return &stopError{stop}
		case transfer.err != nil:
			return transfer.err
		case errors.As(err, &broken):
			return fn(o.Key, n+1, nil, broken.err)
		}
		return err
	})
}

// transfer remembers that bytes did not come, which is not the same as bytes that
// mean nothing.
type transfer struct {
	r   io.Reader
	err error
}

func (t *transfer) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		t.err = err
	}
	return n, err
}

// stopError takes the error of whoever reads through persist.
type stopError struct{ error }

func (s *stopError) As(target any) bool {
	if to, ok := target.(**RefusedError); ok {
		*to = &RefusedError{Code: "Stopped", Message: s.Error()}
		return true
	}
	return false
}

func (s *stopError) Unwrap() error { return s.error }

// stopped returns the error inside a stopError.
func stopped(err error) error {
	var s *stopError
	if errors.As(err, &s) {
		return s.error
	}
	return err
}

func (in *input) records(body io.Reader, fn func(attr.Item, error) error) error {
	switch in.compression {
	case types.InputCompressionTypeGzip:
		z, err := gzip.NewReader(body)
		if err != nil {
			return errBroken{err}
		}
		body = z
	case types.InputCompressionTypeZstd:
		z, err := zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
		if err != nil {
			return errBroken{err}
		}
		defer z.Close()
		body = z
	}
	if in.format == types.InputFormatCsv {
		return in.readCSV(body, fn)
	}
	return readJSON(body, fn)
}

// readJSON reads a line for each item: {"Item": {...}}.
func readJSON(body io.Reader, fn func(attr.Item, error) error) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 0, 64<<10), maxRecord)
	for lines.Scan() {
		if len(lines.Bytes()) == 0 {
			continue
		}
		if err := fn(parseRecord(append([]byte(nil), lines.Bytes()...))); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return errBroken{err}
	}
	return nil
}

func parseRecord(line []byte) (attr.Item, error) {
	r := token.NewReader(line)
	if err := r.BeginStruct("Item"); err != nil {
		return nil, err
	}
	var it attr.Item
	for {
		name, more, err := r.Name()
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
		if name != "Item" {
			if err := r.Skip(); err != nil {
				return nil, err
			}
			continue
		}
		if it, err = attr.ParseItemJSON(r); err != nil {
			return nil, err
		}
	}
	if it == nil {
		return nil, errors.New("the record has no Item")
	}
	return it, r.Done()
}

// readCSV reads a line for each item, after one with the names of the attributes
// unless those are given.
func (in *input) readCSV(body io.Reader, fn func(attr.Item, error) error) error {
	r := csv.NewReader(body)
	r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = true, -1, true
	var names []string
	if in.csv != nil {
		names = in.csv.HeaderList
		if d := aws.ToString(in.csv.Delimiter); d != "" {
			r.Comma = rune(d[0])
		}
	}
	for {
		fields, err := r.Read()
		var syntax *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &syntax):
			if err := fn(nil, err); err != nil {
				return err
			}
			continue
		case err != nil:
			return errBroken{err}
		case names == nil:
			names = append([]string{}, fields...)
			continue
		}
		if err := fn(in.csvItem(names, fields)); err != nil {
			return err
		}
	}
}

func (in *input) csvItem(names, fields []string) (attr.Item, error) {
	if len(fields) != len(names) {
		return nil, fmt.Errorf("the line has %d fields, not %d", len(fields), len(names))
	}
	var b attr.Builder
	for i, name := range names {
		v := attr.NewString(fields[i])
		var err error
		switch in.kinds[name] {
		case attr.Number:
			v, err = attr.NewNumber(fields[i])
		case attr.Binary:
			var raw []byte
			if raw, err = base64.StdEncoding.DecodeString(fields[i]); err == nil {
				v = attr.NewBinary(raw)
			}
		}
		if err != nil {
			return nil, err
		}
		if err := attr.CheckName(name); err != nil {
			return nil, err
		}
		b.Set(name, v)
	}
	return b.Item(), nil
}
