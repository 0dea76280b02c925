package attr

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
