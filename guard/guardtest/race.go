//go:build race

package guardtest

// The race detector, and the checks that Pebble adds under it, make every operation
// some twenty times dearer.
const raceFactor = 8
