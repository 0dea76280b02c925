package token

// Skip takes the next value whole, checking that it is well formed.
func (r *Reader) Skip() error {
	switch r.Kind() {
	case Null:
		return r.literal("null")
	case True:
		return r.literal("true")
	case False:
		return r.literal("false")
	case Number:
		_, err := r.number()
		return err
	case String:
		raw, err := r.scan()
		if err != nil || raw.plain {
			return err
		}
		return r.checkEscapes(raw.body)
	case Array:
		return r.skipArray()
	case Object:
		return r.skipObject()
	}
	return r.unexpected()
}

func (r *Reader) skipArray() error {
	if err := r.open(); err != nil {
		return err
	}
	for {
		more, err := r.Element()
		if !more {
			return err
		}
		if err := r.Skip(); err != nil {
			return err
		}
	}
}

func (r *Reader) skipObject() error {
	if err := r.open(); err != nil {
		return err
	}
	for {
		_, more, err := r.Name()
		if !more {
			return err
		}
		if err := r.Skip(); err != nil {
			return err
		}
	}
}

// Raw takes the next value whole and returns its text, a view of the input.
func (r *Reader) Raw() ([]byte, error) {
	r.Kind()
	start := r.pos
	if err := r.Skip(); err != nil {
		return nil, err
	}
	return r.data[start:r.pos:r.pos], nil
}

// Done returns an error unless only white space is left.
func (r *Reader) Done() error {
	if r.Kind() == End {
		return nil
	}
	return r.unexpected()
}

// number takes a JSON number and returns its text.
func (r *Reader) number() (string, error) {
	start := r.pos
	if r.pos < len(r.data) && r.data[r.pos] == '-' {
		r.pos++
	}
	switch {
	case r.pos < len(r.data) && r.data[r.pos] == '0':
		r.pos++
	case r.digits() == 0:
		return "", r.unexpected()
	}
	if r.pos < len(r.data) && r.data[r.pos] == '.' {
		r.pos++
		if r.digits() == 0 {
			return "", r.unexpected()
		}
	}
	if r.pos < len(r.data) && r.data[r.pos]|0x20 == 'e' {
		r.pos++
		if r.pos < len(r.data) && (r.data[r.pos] == '+' || r.data[r.pos] == '-') {
			r.pos++
		}
		if r.digits() == 0 {
			return "", r.unexpected()
		}
	}
	return view(r.data[start:r.pos]), nil
}

func (r *Reader) digits() (n int) {
	for r.pos < len(r.data) && r.data[r.pos]-'0' <= 9 {
		r.pos++
		n++
	}
	return n
}
