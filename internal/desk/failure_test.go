package desk

import (
	"testing"
	"time"
)

func TestFailures(t *testing.T) {
	why := Failures{Queue: "q"}
	now := time.Now()
	why.Add("overloaded", "a", now)
	why.Add("overloaded", "b", now.Add(-time.Hour))
	why.Add("", "c", now)
	if len(why.Found) != 2 || why.Found[0].Count != 2 || why.Found[0].Example != "a" || why.Found[1].Reason != "other" {
		t.Errorf("%+v", why.Found)
	}
}
