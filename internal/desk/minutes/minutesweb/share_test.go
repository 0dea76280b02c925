package minutesweb_test

import (
	"strings"
	"testing"

	"pressroom/internal/auth"
	"pressroom/internal/desk/minutes/minutestest"
)

// Readers see on an article who spoke and who is told; operators, over time.
func TestShares(t *testing.T) {
	p := open(t, &minutestest.Writer{}, minutestest.Sitting(1, "2026-11-01"), minutestest.Sitting(2, "2026-10-02"))
	full, err := p.desk.GetFull(t.Context(), minutestest.Sitting(1, "2026-11-01").IssueID)
	check(t, err)
	shares := full.Shares()
	if len(shares) < 2 {
		t.Fatalf("%+v", shares)
	}
	for _, path := range []string{"/minutes/articles/" + full.ID, "/office/minutes/shares", "/office/minutes/shares?month=2026-10"} {
		page := p.Site.Get(t, auth.Operator, path).Want(200)
		if n := page.Count("table.shares tbody tr"); n < len(shares) {
			t.Errorf("%s has %d rows", path, n)
		}
		if text := page.Text("table.shares:last-of-type"); !strings.Contains(text, shares[0].Name) || !strings.Contains(text, "%") {
			t.Errorf("%s says %s", path, text)
		}
	}
	office := p.Site.Get(t, auth.Operator, "/office/minutes/shares")
	if heads := office.Text("h2 ~ .scroll thead"); !strings.Contains(heads, "2026-11") || !strings.Contains(heads, "2026-10") || office.Attr(".tabs [aria-current]", "href") != "/office/minutes/shares?month=2026-11" {
		t.Errorf("the course of %q, now %s", heads, office.Attr(".tabs [aria-current]", "href"))
	}
	p.Site.Get(t, auth.Operator, "/office/minutes/shares?month=2026-09").Want(200)
	p.Site.Get(t, auth.Operator, "/office/minutes/shares?month=13").Want(404)
	p.Site.Get(t, auth.Operator, "/office/minutes/shares?assembly=none").Want(404)
	p.Site.Get(t, auth.Author, "/office/minutes/shares").Want(403)
}
