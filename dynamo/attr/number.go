package attr

import "strconv"

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
		return invalid(msgNotNumeric)
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
	if d.n == 0 {
		*d = decimal{}
		return nil
	}
	d.exponent = point + exponent
	switch {
	case d.exponent > maxExponent:
		return invalid(msgOverflow)
	case d.exponent < minExponent:
		return invalid(msgUnderflow)
	case long:
		return invalid(msgDigits)
	}
	return nil
}

// parseExponent reads what follows the digits: nothing, or e and a whole number, cut off
// far beyond what any number can have.
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
	e := 0
	for i := range len(text) {
		c := text[i] - '0'
		if c > 9 {
			return 0, false
		}
		if e < 1<<40 {
			e = e*10 + int(c)
		}
	}
	if negative {
		e = -e
	}
	return e, true
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

// Number is the number's text as the service answers it: plain decimal notation without
// an exponent. It is empty for any other kind.
func (v Value) Number() string {
	if v.Kind() != Number {
		return ""
	}
	return string(appendNumberText(nil, v[1:]))
}

// appendNumberText appends the text of a number's payload; 0 for a damaged one.
func appendNumberText(dst, payload []byte) []byte {
	var d decimal
	d.load(payload)
	return d.appendText(dst)
}

// outline is what can be told of a number without looking at its digits: how many they
// are, the exponent of the first, and the sign. Zero has no digits, and so has a payload
// that is too short to be a number.
func outline(payload []byte) (digits, exponent int, negative bool) {
	if len(payload) < 3 {
		return 0, 0, false
	}
	flip := byte(0)
	if negative = payload[0] == numNegative; negative {
		flip = 0xff
	}
	digits = 2 * (len(payload) - 3)
	if payload[len(payload)-1] != flip {
		digits++
	}
	return digits, int(payload[1]^flip) + minExponent, negative
}

// numberTextLen is the length of what appendNumberText appends, if the payload is sound.
func numberTextLen(payload []byte) int {
	digits, exponent, negative := outline(payload)
	n := exponent + 1
	switch {
	case digits == 0:
		return 1
	case exponent < 0:
		n = 1 - exponent + digits
	case exponent+1 < digits:
		n = digits + 1
	}
	if negative {
		n++
	}
	return n
}

func (d *decimal) appendText(dst []byte) []byte {
	if d.n == 0 {
		return append(dst, '0')
	}
	if d.negative {
		dst = append(dst, '-')
	}
	i := 0
	if d.exponent < 0 {
		dst = append(dst, '0', '.')
		dst = appendZeros(dst, -1-d.exponent)
	}
	for ; i < d.n; i++ {
		if i > 0 && i == d.exponent+1 {
			dst = append(dst, '.')
		}
		dst = append(dst, '0'+d.digits[i])
	}
	return appendZeros(dst, d.exponent+1-d.n)
}

func appendZeros(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, '0')
	}
	return dst
}
