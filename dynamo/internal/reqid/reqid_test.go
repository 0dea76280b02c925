package reqid_test

import (
	"regexp"
	"testing"

	"pressroom/dynamo/internal/reqid"
)

func TestNew(t *testing.T) {
	form := regexp.MustCompile(`^[0-9A-V]{52}$`)
	seen := make(map[string]bool)
	for range 10_000 {
		id := reqid.New()
		if !form.MatchString(id) {
			t.Fatalf("%q is not of the form %s", id, form)
		}
		if seen[id] {
			t.Fatalf("%q came twice", id)
		}
		seen[id] = true
	}
}
