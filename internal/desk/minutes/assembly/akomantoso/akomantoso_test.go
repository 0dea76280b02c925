package akomantoso

import (
	"fmt"
	"testing"

	"pressroom/internal/desk/minutes/assembly/assemblytest"
)

func TestGolden(t *testing.T) { assemblytest.Golden(t, Format{}) }

func FuzzMeetings(f *testing.F) { assemblytest.Fuzz(f, Format{}, "x.xml") }

const document = `<akomaNtoso><debate><meta><identification><FRBRWork><FRBRdate date="2026-03-02"/></FRBRWork></identification></meta>
<debateBody><debateSection name="x"><speech by="#a"><from>A</from><p>%s</p></speech></debateSection></debateBody></debate></akomaNtoso>`

func TestHostile(t *testing.T) {
	assemblytest.Hostile(t, Format{}, "x.xml", func(head, text string) string { return head + "\n" + fmt.Sprintf(document, text) })
}
