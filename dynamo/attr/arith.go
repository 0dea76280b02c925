package attr

import "strconv"

// Add is a+b, exactly. Both must be numbers, else the result is an error; so it is when
// the sum does not fit.
func Add(a, b Value) (Value, error) { return sum(a, b, false) }

// Sub is a-b, exactly, under the rules of Add.
func Sub(a, b Value) (Value, error) { return sum(a, b, true) }

func sum(a, b Value, negate bool) (Value, error) {
	var x, y decimal
	if a.Kind() != Number || b.Kind() != Number || x.load(a[1:]) == 0 || y.load(b[1:]) == 0 {
		return nil, invalid(msgNotNumeric)
	}
	y.negative = y.negative != negate
	z, err := x.plus(&y)
	if err != nil {
		return nil, err
	}
	return z.append(append(make(Value, 0, 1+maxNumberLen), byte(Number))), nil
}

// columns has one column per power of ten that a sum can reach, from 10^126 in column 0
// down to the last of 38 digits of the smallest number.
type columns [maxExponent + 1 - minExponent + maxDigits + 1]int8

func column(exponent int) int { return maxExponent + 1 - exponent }

// plus adds digit by digit over the columns that the two numbers cover.
func (d *decimal) plus(o *decimal) (*decimal, error) {
	if d.n == 0 {
		return o, nil
	}
	if o.n == 0 {
		return d, nil
	}
	var c columns
	negative := d.negative
	if d.negative != o.negative && d.smaller(o) {
		negative = o.negative
	}
	from := min(column(d.exponent), column(o.exponent)) - 1
	to := max(column(d.exponent)+d.n, column(o.exponent)+o.n)
	d.addTo(&c, d.negative != negative)
	o.addTo(&c, o.negative != negative)
	for i := to - 1; i > from; i-- {
		if c[i] < 0 {
			c[i] += 10
			c[i-1]--
		} else if c[i] > 9 {
			c[i] -= 10
			c[i-1]++
		}
	}
	return c.collect(from, to, negative)
}

// addTo adds the digits to their columns, or takes them away.
func (d *decimal) addTo(c *columns, minus bool) {
	at := column(d.exponent)
	for i, digit := range d.digits[:d.n] {
		if minus {
			c[at+i] -= int8(digit)
		} else {
			c[at+i] += int8(digit)
		}
	}
}

// collect makes a number of the columns from..to, all digits by now.
func (c *columns) collect(from, to int, negative bool) (*decimal, error) {
	for from < to && c[from] == 0 {
		from++
	}
	for from < to && c[to-1] == 0 {
		to--
	}
	z := &decimal{n: to - from}
	if z.n == 0 {
		return z, nil
	}
	z.negative, z.exponent = negative, column(from)
	switch {
	// The service calls it an overflow too when a sum needs more than 38 digits.
	case z.exponent > maxExponent, z.n > maxDigits:
		return nil, invalid(msgOverflow)
	case z.exponent < minExponent:
		return nil, invalid(msgUnderflow)
	}
	for i := range z.n {
		z.digits[i] = byte(c[from+i])
	}
	return z, nil
}

// smaller tells whether d's magnitude is below o's.
func (d *decimal) smaller(o *decimal) bool {
	if d.exponent != o.exponent {
		return d.exponent < o.exponent
	}
	return string(d.digits[:]) < string(o.digits[:])
}

func appendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }
