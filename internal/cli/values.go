package cli

import (
	"fmt"
	"time"
)

// The types of settings whose text is checked when it is read, so that a mistake
// is reported with the place where it was made.

// drainDelay is how long a stopping server goes on serving.
type drainDelay time.Duration

// maxDrain leaves the rest of the ten seconds for requests and the store.
const maxDrain = drainDelay(5 * time.Second)

// UnmarshalText accepts a duration such as 1500ms or 3s, up to maxDrain.
func (d *drainDelay) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a duration such as 3s", text)
	}
	if v < 0 || drainDelay(v) > maxDrain {
		return fmt.Errorf("%s is not between 0s and %s", v, maxDrain)
	}
	*d = drainDelay(v)
	return nil
}

func (d drainDelay) String() string { return time.Duration(d).String() }
