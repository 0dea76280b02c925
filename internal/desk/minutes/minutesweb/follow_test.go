package minutesweb_test

import (
	"net/url"
	"testing"

	"pressroom/internal/desk/minutes/minutestest"
)

// What has a page can be followed from it, and stories say that they are about it.
func TestFollowed(t *testing.T) {
	p := open(t, &minutestest.Writer{}, sittings(4)...)
	for path, kind := range map[string]string{
		"/minutes": "assembly", "/minutes/houses/参議院": "assembly", "/minutes/meetings/予算委員会": "committee",
		"/minutes/categories/国土交通": "topic", "/minutes/keywords/自転車": "topic", "/minutes/people/田中花子": "person",
		"/minutes/issues/" + url.PathEscape(minutestest.Bill): "bill",
	} {
		p.Followed(t, "minutes", path, kind)
	}
	p.Followed(t, "minutes", "/minutes/people/田中花子", "party")
}
