package caller

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"
)

// The errors of [Read], besides those of the connection.
var (
	ErrTooLarge = errors.New("the body is larger than allowed")
	ErrBusy     = errors.New("too many bodies of unknown callers are being read")
	ErrSlow     = errors.New("the body took too long to come")
)

const (
	// budget is what all bodies together may take.
	budget = large + 4<<20
	// large is the part of it for bodies that are larger than small: one of the
	// largest, packed and unpacked. The rest is kept for the others, so that
	// everyday requests do not wait for large ones.
	large = 32 << 20
	small = 64 << 10

	arrival  = 20 * time.Second // for a whole body
	grace    = time.Second      // in which a body is not given up for a large one
	patience = 5 * time.Second  // for room
)

// bodies is the one budget of the process.
var bodies = pool{free: budget, changed: make(chan struct{})}

// A Body is a body in memory. Its memory counts until it is released.
type Body struct {
	Bytes []byte

	p       *pool
	charged int64
	began   time.Time
	hurry   func() // ends a read that waits
	evicted bool
}

// Read reads the whole body of a request whose sender is not known yet, of at
// most limit bytes, which must be no more than 16 MiB. If there is no room, it
// gives up the bodies that have been on their way for longest, or itself: then the
// error is ErrBusy. The caller releases what it gets.
func Read(w http.ResponseWriter, r *http.Request, limit int64) (*Body, error) {
	if r.ContentLength == 0 {
		return &Body{p: &bodies}, nil
	}
	if r.ContentLength > limit {
		return nil, ErrTooLarge
	}
	b := begin(w)
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Now().Add(arrival)) // in process there is nothing to wait for
	err := b.read(r.Body, r.ContentLength, limit)
	if busy := b.Arrived(); busy != nil {
		err = busy
	}
	if err == nil {
		_ = c.SetReadDeadline(time.Time{}) // the connection is watched while the request is served
		return b, nil
	}
	b.Release()
	recycle(b.Bytes)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = ErrSlow
	}
	return nil, err
}

// Reserve is for those who read by themselves what they need to know the sender:
// it returns a body that counts n bytes. They call Arrived when they have it.
func Reserve(w http.ResponseWriter, n int64) (*Body, error) {
	b := begin(w)
	if err := b.Charge(n); err != nil {
		_ = b.Arrived()
		return nil, err
	}
	return b, nil
}

func begin(w http.ResponseWriter) *Body {
	c := http.NewResponseController(w)
	b := &Body{p: &bodies, hurry: func() { _ = c.SetReadDeadline(time.Unix(1, 0)) }}
	b.p.enter(b)
	return b
}

// Arrived says that there is nothing more to wait for, so that the body will not
// be given up for others. It returns ErrBusy if it was.
func (b *Body) Arrived() error {
	if !b.p.leave(b) {
		return ErrBusy
	}
	return nil
}

// read fills Bytes. Memory grows with what comes, not with what was announced.
func (b *Body) read(from io.Reader, length, limit int64) error {
	most, first := limit, int64(4<<10)
	if length > 0 {
		most, first = length, min(length, small)
	}
	if err := b.grow(first); err != nil {
		return err
	}
	for {
		if len(b.Bytes) == cap(b.Bytes) {
			if int64(len(b.Bytes)) == most {
				return b.ended(from, length)
			}
			if err := b.grow(next(int64(cap(b.Bytes)), most)); err != nil {
				return err
			}
		}
		n, err := from.Read(b.Bytes[len(b.Bytes):cap(b.Bytes)])
		b.Bytes = b.Bytes[:len(b.Bytes)+n]
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	if length > 0 && int64(len(b.Bytes)) < length {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// ended looks whether a body of unknown length that is as long as allowed goes on.
// That takes no place of its own: the largest body has no room to be moved.
func (b *Body) ended(from io.Reader, length int64) error {
	if length > 0 {
		return nil
	}
	var more [1]byte
	n, err := io.ReadFull(from, more[:])
	switch {
	case n > 0:
		return ErrTooLarge
	case errors.Is(err, io.EOF):
		return nil
	}
	return err
}

// next is the size to grow to: four times as much, but no more than can come.
func next(size, most int64) int64 { return min(4*max(size, small/4), most) }

// grow moves what has come to a larger place. Both count until it has moved.
func (b *Body) grow(size int64) error {
	if err := b.Charge(size); err != nil {
		return err
	}
	old := b.Bytes
	b.Bytes = append(place(size), old...)
	b.p.give(b, int64(cap(old)))
	recycle(old)
	return nil
}

// Large places are used again, as long as nobody has seen what is in them: who
// sends much that leads to nothing should not make garbage too. There are few
// sizes, as bodies grow by fixed steps.
var places [4]sync.Pool // of 4, 16, 64 and 256 times small

// step is the number of the pool for a size; -1 if it is not kept.
func step(size int64) int {
	for i := range places {
		if size == small<<(2*i+2) {
			return i
		}
	}
	return -1
}

func place(size int64) []byte {
	if i := step(size); i >= 0 {
		if b, ok := places[i].Get().(*[]byte); ok {
			return (*b)[:0]
		}
	}
	return make([]byte, 0, size)
}

func recycle(b []byte) {
	if i := step(int64(cap(b))); i >= 0 {
		places[i].Put(&b)
	}
}

// Charge counts more memory as the body's, such as what it is unpacked into.
func (b *Body) Charge(n int64) error { return b.p.take(b, n) }

// Release gives the memory back. The body is not to be used any more.
func (b *Body) Release() {
	if b.charged > 0 {
		b.p.give(b, b.charged)
	}
}

// pool shares memory among bodies.
type pool struct {
	mu      sync.Mutex
	free    int64
	reading []*Body       // in the order in which they began
	waiting int           // for room
	changed chan struct{} // closed, and made anew, when those who wait should look again
}

func (p *pool) enter(b *Body) {
	b.began = time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reading = append(p.reading, b)
}

// leave ends the time in which a body can be given up. It reports false if it
// was.
func (p *pool) leave(b *Body) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, other := range p.reading {
		if other == b {
			p.reading = append(p.reading[:i], p.reading[i+1:]...)
			break
		}
	}
	return !b.evicted
}

// take waits for room for n more bytes.
func (p *pool) take(b *Body, n int64) error {
	var end <-chan time.Time
	for {
		p.mu.Lock()
		missing := n - p.free
		if b.charged+n > small {
			missing += budget - large
		}
		if missing <= 0 && !b.evicted {
			p.free -= n
			b.charged += n
			p.mu.Unlock()
			return nil
		}
		if b.evicted {
			p.mu.Unlock()
			return ErrBusy
		}
		p.makeRoom(b, missing, b.charged+n <= small)
		changed := p.changed
		p.waiting++
		p.mu.Unlock()
		if end == nil {
			end = time.After(patience)
		}
		late := false
		select {
		case <-changed:
		case <-time.After(grace): // others have become old
		case <-end:
			late = true
		}
		p.mu.Lock()
		p.waiting--
		p.mu.Unlock()
		if late {
			return ErrBusy
		}
	}
}

// makeRoom gives up the bodies that have been on their way for longest, until
// enough is on its way back: for a small body at once, for a large one those that
// had their time.
func (p *pool) makeRoom(b *Body, missing int64, atOnce bool) {
	for _, other := range p.reading {
		if missing <= 0 {
			return
		}
		if other == b || other.charged == 0 {
			continue
		}
		if !other.evicted {
			if !atOnce && time.Since(other.began) < grace {
				return
			}
			other.evicted = true
			other.hurry()
			p.wake()
		}
		missing -= other.charged
	}
}

func (p *pool) give(b *Body, n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free += n
	b.charged -= n
	p.wake()
}

func (p *pool) wake() {
	if p.waiting > 0 {
		close(p.changed)
		p.changed = make(chan struct{})
	}
}
