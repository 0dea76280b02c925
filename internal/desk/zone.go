package desk

import (
	"time"

	"pressroom/internal/errs"
)

// Zone returns the time zone that a flag names.
func Zone(flag, name string) (*time.Location, error) {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, errs.Wrap(err, errs.Usage, "%s: there is no time zone %q", flag, name)
	}
	return zone, nil
}
