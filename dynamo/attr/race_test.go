//go:build race

package attr

// raced tells that the race detector is on, under which a sync.Pool loses things on
// purpose.
const raced = true
