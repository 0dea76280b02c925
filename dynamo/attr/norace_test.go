//go:build !race

package attr

const raced = false
