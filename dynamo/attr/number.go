package attr

import (
	"math"
	"strconv"
	"strings"
)

// A number's payload is self-delimiting and sorts by value:
//
//	zero      0x01
//	positive  0x02, exponent+130, digits
//	negative  0x00, then the complement of what follows 0x02 in its absolute value
//
// The exponent is that of the first significant digit (d.ddd × 10^exponent), -130 to 125.
// Digits are packed two to a byte, each as digit+1, the higher nibble first, without
// leading or trailing zeros, and ended by a nibble 0; a last half byte is filled with 0.

const (
	maxDigits   = 38
	maxExponent = 125
	minExponent = -130

	numNegative = 0x00
	numZero     = 0x01
	numPositive = 0x02

	// maxNumberLen is the longest payload: mark, exponent, 38 digits and the end.
	maxNumberLen = 2 + maxDigits/2 + 1
)

// decimal is a number taken apart. Zero has no digits.
type decimal struct {
	negative bool
	exponent int // of the first digit
	n        int // significant digits
	digits   [maxDigits]byte
}

// NewNumber is the number that text stands for: an optional sign, digits with an optional
// point, an optional exponent.
func NewNumber(text string) (Value, error) {
	v, err := appendNumber(append(make(Value, 0, 1+maxNumberLen), byte(Number)), text)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// NewInt is a whole number.
func NewInt(n int64) Value {
	v, _ := NewNumber(strconv.FormatInt(n, 10)) // 19 digits always fit
	return v
}

// appendNumber appends the payload of the number that text stands for.
func appendNumber(dst []byte, text string) ([]byte, error) {
	var d decimal
	if err := d.parse(text); err != nil {
		return dst, err
	}
	return d.append(dst), nil
}

// parse takes a number's text apart.
func (d *decimal) parse(text string) error {
	if text == "" {
		return reworded(msgNotNumeric, msgNotNumeric+": ")
	}
	i := 0
	if text[0] == '-' || text[0] == '+' {
		d.negative = text[0] == '-'
		i = 1
	}
	// point is the exponent of the digit before the point, counted from the first
	// significant digit; seen counts significant digits, trailing zeros included.
	seen, point, any, fraction, long := 0, -1, false, false, false
	for ; i < len(text); i++ {
		c := text[i]
		if c == '.' && !fraction {
			fraction = true
			continue
		}
		if c -= '0'; c > 9 {
			break
		}
		any = true
		switch {
		case seen == 0 && c == 0:
			if fraction {
				point--
			}
			continue
		case seen < maxDigits:
			d.digits[seen] = c
			if c != 0 {
				d.n = seen + 1
			}
		case c != 0:
			long = true
		}
		seen++
		if !fraction {
			point++
		}
	}
	exponent, ok := parseExponent(text[i:])
	if !any || !ok {
		return invalid(msgNotNumeric + ": " + text)
	}
	if d.exponent = point + exponent; d.n == 0 {
		d.exponent = exponent // even a zero's is bounded
	}
	switch {
	case d.exponent > maxExponent || d.exponent < minExponent:
		return outOfRange(text, exponent, d.exponent)
	case long:
		return invalid(msgDigits)
	case d.n == 0:
		*d = decimal{}
	}
	return nil
}

// outOfRange refuses the number that text stands for, whose exponent and whose first
// digit's exponent are given. The older way of reading has 32 bits for the exponent and
// for the digits after the point: what does not fit is no number, and where the digits
// before the point do not, a number too large is called too small.
func outOfRange(text string, exponent, first int) error {
	newer := msgOverflow
	if first < 0 {
		newer = msgUnderflow
	}
	digits, _, _ := strings.Cut(strings.ToLower(text), "e")
	_, fraction, _ := strings.Cut(digits, ".")
	scale := len(fraction) - exponent
	switch {
	case int(int32(exponent)) != exponent || int(int32(scale)) != scale:
		return reworded(msgNotNumeric+": "+text, newer)
	case first >= math.MaxInt32:
		return reworded(msgUnderflow, newer)
	}
	return invalid(newer)
}

// parseExponent reads what follows the digits: nothing, or e and a whole number of 64 bits,
// cut off far beyond what any number can have.
func parseExponent(text string) (int, bool) {
	if text == "" {
		return 0, true
	}
	if text[0]|0x20 != 'e' {
		return 0, false
	}
	text = text[1:]
	negative := false
	if text != "" && (text[0] == '-' || text[0] == '+') {
		negative = text[0] == '-'
		text = text[1:]
	}
	if text == "" {
		return 0, false
	}
	e, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return 0, false
	}
	cut := int(min(e, 1<<40))
	if negative {
		cut = -cut
	}
	return cut, true
}

// append appends the payload.
func (d *decimal) append(dst []byte) []byte {
	if d.n == 0 {
		return append(dst, numZero)
	}
	mark, flip := byte(numPositive), byte(0)
	if d.negative {
		mark, flip = numNegative, 0xff
	}
	dst = append(dst, mark, byte(d.exponent-minExponent)^flip)
	i := 0
	for ; i+1 < d.n; i += 2 {
		dst = append(dst, ((d.digits[i]+1)<<4|(d.digits[i+1]+1))^flip)
	}
	last := byte(0)
	if i < d.n {
		last = (d.digits[i] + 1) << 4
	}
	return append(dst, last^flip)
}

// load takes a payload apart and returns its length; 0 if it is damaged.
func (d *decimal) load(b []byte) int {
	*d = decimal{}
	if len(b) > 0 && b[0] == numZero {
		return 1
	}
	if len(b) < 3 || b[0] > numPositive {
		return 0
	}
	flip := byte(0)
	if d.negative = b[0] == numNegative; d.negative {
		flip = 0xff
	}
	d.exponent = int(b[1]^flip) + minExponent
	for i := 2; i < len(b); i++ {
		c := b[i] ^ flip
		hi, lo := c>>4, c&15
		if hi == 0 {
			return d.end(lo == 0, i+1)
		}
		if hi > 10 || lo > 10 || d.n == maxDigits {
			return 0
		}
		d.digits[d.n] = hi - 1
		d.n++
		if lo == 0 {
			return d.end(true, i+1)
		}
		if d.n == maxDigits {
			return 0
		}
		d.digits[d.n] = lo - 1
		d.n++
	}
	return 0
}

// end checks that a loaded number is in canonical form.
func (d *decimal) end(ok bool, length int) int {
	if !ok || d.n == 0 || d.digits[0] == 0 || d.digits[d.n-1] == 0 {
		return 0
	}
	return length
}
