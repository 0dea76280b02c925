package llm

import (
	"fmt"
	"math"
)

// USD is an amount of money in billionths of a US dollar. It holds up to nine
// billion dollars.
type USD int64

// Dollar is one US dollar.
const Dollar USD = 1_000_000_000

// Dollars converts a number of dollars, rounded to the nearest billionth. Numbers
// beyond what USD holds become the largest amount.
func Dollars(d float64) USD {
	n := math.Round(d * float64(Dollar))
	if n >= math.MaxInt64 {
		return math.MaxInt64
	}
	return USD(n)
}

// Float returns the amount in dollars, for charts; sums are made in USD.
func (u USD) Float() float64 { return float64(u) / float64(Dollar) }

// String returns the amount as "$1.25", with as many digits as it needs from two up
// to nine.
func (u USD) String() string {
	sign := ""
	n := uint64(u)
	if u < 0 {
		sign, n = "-", -n
	}
	frac := fmt.Sprintf("%09d", n%uint64(Dollar))
	for len(frac) > 2 && frac[len(frac)-1] == '0' {
		frac = frac[:len(frac)-1]
	}
	return fmt.Sprintf("%s$%d.%s", sign, n/uint64(Dollar), frac)
}
