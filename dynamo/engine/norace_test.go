//go:build !race

package engine

const raceFactor = 1
