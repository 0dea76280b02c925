package model

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// format is how a variable's value is written in a key.
type format struct {
	kind      formatKind
	width     int    // padded: digits
	from, to  int    // timePart: bytes of the time
	yes, no   string // words
	specified string // as written
}

type formatKind int

const (
	plain formatKind = iota
	padded
	timePart
	words
)

// timeParts are the parts of an ISO 8601 time that a key may hold, as bytes of
// its text.
var timeParts = map[string][2]int{
	"YYYY": {0, 4}, "MM": {5, 7}, "DD": {8, 10}, "YYYY-MM": {0, 7}, "YYYY-MM-DD": {0, 10},
}

func parseFormat(spec string, given bool) (format, error) {
	f := format{specified: spec}
	if !given {
		return f, nil
	}
	if part, ok := timeParts[spec]; ok {
		f.kind, f.from, f.to = timePart, part[0], part[1]
		return f, nil
	}
	if yes, no, ok := strings.Cut(spec, "|"); ok && validName(yes) && validName(no) && yes != no {
		f.kind, f.yes, f.no = words, yes, no
		return f, nil
	}
	width, err := strconv.Atoi(spec)
	if err != nil || !strings.HasPrefix(spec, "0") || width < 1 || width > 18 {
		return f, fmt.Errorf("has a format %q; known are 05 (a width), YYYY, MM, DD, YYYY-MM, YYYY-MM-DD and True|False (two words)", spec)
	}
	f.kind, f.width = padded, width
	return f, nil
}

var (
	errEmptyValue = errors.New("is empty")
	errNotUTF8    = errors.New("is not UTF-8")
)

// write turns a value into the text of the key, before escaping.
func (f format) write(value string) (string, error) {
	switch {
	case value == "":
		return "", errEmptyValue
	case !utf8.ValidString(value):
		return "", errNotUTF8
	}
	switch f.kind {
	case padded:
		return f.pad(value)
	case timePart:
		if len(value) < f.to || !isTimePrefix(value) {
			return "", fmt.Errorf("%q is no time that %s could be taken from", value, f.specified)
		}
		return value[f.from:f.to], nil
	case words:
		switch value {
		case "true":
			return f.yes, nil
		case "false":
			return f.no, nil
		}
		return "", fmt.Errorf("%q is no boolean", value)
	}
	return value, nil
}

func (f format) pad(value string) (string, error) {
	n, err := strconv.ParseUint(value, 10, 63)
	if err != nil || strconv.FormatUint(n, 10) != value {
		return "", fmt.Errorf("%q is no whole number from 0 up", value)
	}
	if len(value) > f.width {
		return "", fmt.Errorf("%s has more than %d digits, and would sort wrong", value, f.width)
	}
	return strings.Repeat("0", f.width-len(value)) + value, nil
}

// read turns text of the key into a value; it says no to what write would not
// have written.
func (f format) read(text string) (string, bool) {
	switch f.kind {
	case padded:
		trimmed := strings.TrimLeft(text, "0")
		if trimmed == "" {
			trimmed = "0"
		}
		_, err := strconv.ParseUint(trimmed, 10, 63)
		return trimmed, err == nil && len(text) == f.width
	case timePart:
		return text, len(text) == f.to-f.from && isDigits(text, "-")
	case words:
		return strconv.FormatBool(text == f.yes), text == f.yes || text == f.no
	}
	return text, text != "" && utf8.ValidString(text)
}

// join adds a part to the beginning of a time that is known so far. A part that
// does not continue it is dropped; rendering then shows whether that matters.
func (f format) join(known, part string) string {
	switch {
	case f.from == 0 && len(part) > len(known):
		return part
	case f.from > 0 && len(known) == f.from-1:
		return known + "-" + part
	}
	return known
}

// isTimePrefix reports whether text is an ISO 8601 time or the beginning of one,
// cut between its parts. Ranges are not checked; keys are not calendars.
func isTimePrefix(text string) bool {
	const shape = "dddd-dd-dd"
	for i := range min(len(text), len(shape)) {
		digit := text[i] >= '0' && text[i] <= '9'
		if (shape[i] == 'd') != digit || !digit && text[i] != '-' {
			return false
		}
	}
	switch len(text) {
	case 4, 7, 10:
		return true
	}
	return len(text) > len(shape) && text[len(shape)] == 'T'
}

func isDigits(text, also string) bool {
	for _, r := range text {
		if (r < '0' || r > '9') && !strings.ContainsRune(also, r) {
			return false
		}
	}
	return true
}
