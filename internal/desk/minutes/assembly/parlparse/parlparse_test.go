package parlparse

import (
	"strings"
	"testing"

	"pressroom/internal/desk/minutes/assembly/assemblytest"
)

func TestGolden(t *testing.T) { assemblytest.Golden(t, Format{}) }

func FuzzMeetings(f *testing.F) { assemblytest.Fuzz(f, Format{}, "debates2026-03-02a.xml") }

func TestHostile(t *testing.T) {
	assemblytest.Hostile(t, Format{}, "debates2026-03-02a.xml", func(head, text string) string {
		return head + "\n" + strings.Replace(`<publicwhip><speech id="uk.org.publicwhip/debate/2026-03-02a.1.2" speakerid="a" speakername="A">
<p>HERE</p></speech></publicwhip>`, "HERE", text, 1)
	})
}
