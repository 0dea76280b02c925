package assembly

import (
	"regexp"
	"time"
)

var dayIn = regexp.MustCompile(`[12][0-9]{3}-[01][0-9]-[0-3][0-9]`)

// isDay tells whether a text is a day, YYYY-MM-DD.
func isDay(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}
