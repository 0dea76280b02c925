//go:build !race

package guardtest

const raceFactor = 1
