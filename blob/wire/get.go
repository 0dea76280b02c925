package wire

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"pressroom/blob/disk"
	"pressroom/blob/fault"
)

// getObject is GetObject and HeadObject.
func (r *request) getObject() error {
	b, err := r.h.store.Bucket(r.bucket)
	if err != nil {
		return err
	}
	part, err := r.partQuery()
	if err != nil {
		return err
	}
	h, err := r.h.store.Open(r.bucket, r.key, r.query.Get("versionId"))
	if err != nil {
		return r.hideAbsence(b, r.readError(err))
	}
	defer h.Close()
	if err := readPreconditions(r.Header, "").check(h.Object, r.now()); err != nil {
		r.versionHeader(b, h.Object)
		return err
	}
	span, err := r.span(h, part)
	if err != nil {
		return err
	}
	if r.Method == http.MethodGet && h.Archived() {
		return fault.InvalidObjectState.With("StorageClass", h.StorageClass())
	}
	r.objectHeaders(b, h.Object)
	if err := r.overrides(); err != nil {
		return err
	}
	if h.Parts > 0 && part > 0 {
		r.w.Header().Set("x-amz-mp-parts-count", strconv.Itoa(h.Parts))
	}
	if strings.EqualFold(r.header("X-Amz-Checksum-Mode"), "ENABLED") {
		if err := r.spanSum(h, span, part); err != nil {
			return err
		}
	}
	return r.send(h, span)
}

// spanSum sends the checksum of what is answered, where it is known: of the
// object, or of the part that was asked for.
func (r *request) spanSum(h *disk.Handle, s span, part int) error {
	if part == 0 || h.Parts == 0 {
		if s.whole {
			r.sumHeaders(h.Sum)
		}
		return nil
	}
	parts, _, err := h.PartsOf(part-1, 1)
	if err != nil || len(parts) == 0 || parts[0].Parts != part {
		return err
	}
	r.sumHeaders(disk.Sum{Algorithm: parts[0].Sum.Algorithm, Type: h.Sum.Type, Value: parts[0].Sum.Value})
	return nil
}

// readError keeps delete markers' headers and adds what HEAD cannot say.
func (r *request) readError(err error) error {
	var e *fault.Error
	if errors.As(err, &e) && e.Code == fault.MethodNotAllowed.Code {
		c := *e
		c.Details = nil
		return c.With("Method", r.Method).With("ResourceType", "DeleteMarker")
	}
	return err
}

func (r *request) partQuery() (int, error) {
	if !r.has("partNumber") {
		return 0, nil
	}
	v := r.query.Get("partNumber")
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 || n > disk.MaxPart {
		return 0, fault.Argument("partNumber", v, "Part number must be an integer between 1 and 10000, inclusive.")
	}
	if r.header("Range") != "" {
		return 0, fault.RangeAndPartNumber
	}
	return n, nil
}

// span is the part of an object that an answer holds.
type span struct {
	off, size int64
	partial   bool // 206
	whole     bool // covers all of the object
}

func (r *request) span(h *disk.Handle, part int) (span, error) {
	all := span{size: h.Size, whole: true}
	if part > 0 {
		off, size, ok := h.PartRange(part)
		if !ok {
			return all, fault.InvalidPartNumber.With("ActualPartCount", itoa(max(h.Parts, 1))).
				With("PartNumberRequested", itoa(part))
		}
		if h.Size == 0 {
			return all, nil
		}
		return span{off: off, size: size, partial: true, whole: size == h.Size}, nil
	}
	off, size, ok, err := parseRange(r.header("Range"), h.Size)
	if err != nil {
		return all, err
	}
	if !ok {
		return all, nil
	}
	return span{off: off, size: size, partial: true, whole: size == h.Size}, nil
}

// parseRange reads a Range header of one range. Others are ignored (ok is
// false), as S3 does; one that lies outside the object is an InvalidRange.
func parseRange(v string, size int64) (off, n int64, ok bool, err error) {
	spec, isBytes := strings.CutPrefix(v, "bytes=")
	first, last, dash := strings.Cut(spec, "-")
	if !isBytes || !dash || strings.Contains(spec, ",") {
		return 0, 0, false, nil
	}
	unsatisfiable := fault.InvalidRange.With("RangeRequested", v).With("ActualObjectSize", strconv.FormatInt(size, 10)).
		WithHeader("Content-Range", fmt.Sprintf("bytes */%d", size))
	if first == "" {
		suffix, err := strconv.ParseUint(last, 10, 63)
		if err != nil {
			return 0, 0, false, nil
		}
		if suffix == 0 {
			return 0, 0, false, unsatisfiable
		}
		if size == 0 {
			return 0, 0, false, nil
		}
		n = min(int64(suffix), size)
		return size - n, n, true, nil
	}
	from, err := strconv.ParseUint(first, 10, 63)
	if err != nil {
		return 0, 0, false, nil
	}
	to := uint64(size) - 1
	if last != "" {
		if to, err = strconv.ParseUint(last, 10, 63); err != nil || to < from {
			return 0, 0, false, nil
		}
	}
	if int64(from) >= size {
		return 0, 0, false, unsatisfiable
	}
	to = min(to, uint64(size)-1)
	return int64(from), int64(to-from) + 1, true, nil
}

func (r *request) send(h *disk.Handle, s span) error {
	hd := r.w.Header()
	hd.Set("Content-Length", strconv.FormatInt(s.size, 10))
	code := http.StatusOK
	if s.partial {
		code = http.StatusPartialContent
		hd.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", s.off, s.off+s.size-1, h.Size))
	}
	out := &lateWriter{r: r, code: code}
	if r.Method == http.MethodGet {
		if err := h.WriteRange(out, s.off, s.size); err != nil {
			return err
		}
	}
	out.begin()
	return nil
}

// lateWriter sends the status with the first byte of the body: what is wrong
// with the object before that can still be said.
type lateWriter struct {
	r    *request
	code int
}

func (w *lateWriter) begin() {
	if !w.r.began {
		w.r.began = true
		w.r.w.WriteHeader(w.code)
	}
}

func (w *lateWriter) Write(p []byte) (int, error) {
	w.begin()
	return w.r.w.Write(p)
}
