package attr

// Add is a+b, exactly. Both must be numbers, else the result is an error; so it is when
// the sum does not fit.
func Add(a, b Value) (Value, error) { return sum(a, b, false) }

// Sub is a-b, exactly, under the rules of Add.
func Sub(a, b Value) (Value, error) { return sum(a, b, true) }

func sum(a, b Value, negate bool) (Value, error) {
	var x, y, z decimal
	if a.Kind() != Number || b.Kind() != Number || x.load(a[1:]) == 0 || y.load(b[1:]) == 0 {
		return nil, invalid(msgNotNumeric)
	}
	y.negative = y.negative != negate
	if err := z.add(&x, &y); err != nil {
		return nil, err
	}
	return z.append(append(make(Value, 0, 1+maxNumberLen), byte(Number))), nil
}

// columns has one column per power of ten that a sum can reach, from 10^126 in column 0
// down to the last of 38 digits of the smallest number.
type columns [maxExponent + 1 - minExponent + maxDigits + 1]int8

func column(exponent int) int { return maxExponent + 1 - exponent }

// add makes d the sum of x and y, digit by digit over the columns that the two cover.
func (d *decimal) add(x, y *decimal) error {
	if x.n == 0 || y.n == 0 {
		*d = *x
		if x.n == 0 {
			*d = *y
		}
		return nil
	}
	var c columns
	negative := x.negative
	if x.smaller(y) {
		negative = y.negative
	}
	from := min(column(x.exponent), column(y.exponent)) - 1
	to := max(column(x.exponent)+x.n, column(y.exponent)+y.n)
	x.addTo(&c, x.negative != negative)
	y.addTo(&c, y.negative != negative)
	for i := to - 1; i > from; i-- {
		if c[i] < 0 {
			c[i] += 10
			c[i-1]--
		} else if c[i] > 9 {
			c[i] -= 10
			c[i-1]++
		}
	}
	return d.collect(&c, from, to, negative)
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

// collect makes d the number in the columns from..to, all digits by now.
func (d *decimal) collect(c *columns, from, to int, negative bool) error {
	for from < to && c[from] == 0 {
		from++
	}
	for from < to && c[to-1] == 0 {
		to--
	}
	*d = decimal{}
	if from == to {
		return nil
	}
	d.negative, d.exponent, d.n = negative, column(from), to-from
	switch {
	// The service calls it an overflow too when a sum needs more than 38 digits.
	case d.exponent > maxExponent, d.n > maxDigits:
		return invalid(msgOverflow)
	case d.exponent < minExponent:
		return invalid(msgUnderflow)
	}
	for i := range d.n {
		d.digits[i] = byte(c[from+i])
	}
	return nil
}

// smaller tells whether d's magnitude is below o's.
func (d *decimal) smaller(o *decimal) bool {
	if d.exponent != o.exponent {
		return d.exponent < o.exponent
	}
	return string(d.digits[:]) < string(o.digits[:])
}
