//go:build race

package engine

// The race detector, and the checks that Pebble adds under it, make every
// operation some twenty times dearer; the long tests do fewer of them.
const raceFactor = 8
