package format

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"pressroom/internal/desk/minutes/assembly"
)

func known(s assembly.SourceOf) error {
	_, err := Of(s)
	return err
}

const declaration = `code = "xx"
name = { en = "Everywhere" }
zone = "Europe/London"
languages = ["en"]
licence = { name = "Public domain" }
[[source]]
format = "FORMAT"
folder = "x"
`

// Every format can be declared, and reads the files of its own tests.
func TestFormats(t *testing.T) {
	folders := map[string]string{
		"akomantoso": "../akomantoso/testdata/island", "html": "../council/testdata/marks", "ndl": "../ndl/testdata/page", "parlamint": "../parlamint/testdata/corpus",
		"parlamint-ana": "", "parlparse": "../parlparse/testdata/britain", "popolo": "../popolo/testdata/everybody",
	}
	for _, name := range Names() {
		folder, ok := folders[name]
		if !ok {
			t.Errorf("%s has no files here", name)
		}
		if folder == "" {
			continue
		}
		d, err := assembly.Declare("x.toml", []byte(strings.Replace(declaration, "FORMAT", name, 1)), known)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Reading(d, []fs.FS{os.DirFS(folder)})
		if err != nil {
			t.Fatal(err)
		}
		p, err := assembly.PreviewOf(context.Background(), r, 0)
		if err != nil || p.Meetings == 0 || p.Speeches+p.Votes == 0 || len(p.Errors) > 0 {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
}

// People of one source are known to the meetings of another.
func TestTwoSources(t *testing.T) {
	d, err := assembly.Declare("x.toml", []byte(strings.Replace(declaration, "FORMAT", "parlparse", 1)+"[[source]]\nformat = \"popolo\"\nfolder = \"y\"\n"), known)
	if err != nil {
		t.Fatal(err)
	}
	members := `{"persons":[{"id":"uk.org.publicwhip/person/9","name":"Ann Moor"}],"organizations":[{"id":"blue","name":"Blue","classification":"party"}],
"memberships":[{"id":"uk.org.publicwhip/member/9","person_id":"uk.org.publicwhip/person/9","on_behalf_of_id":"blue","organization_id":"house"}]}`
	debate := `<publicwhip><speech id="uk.org.publicwhip/debate/2026-03-02a.1.2" speakerid="uk.org.publicwhip/member/9" speakername="Dr Moor"><p>Yes.</p></speech></publicwhip>`
	r, err := Reading(d, []fs.FS{fstest.MapFS{"debates2026-03-02a.xml": {Data: []byte(debate)}}, fstest.MapFS{"people.json": {Data: []byte(members)}}})
	if err != nil {
		t.Fatal(err)
	}
	for err := range r.People(context.Background()) {
		t.Error(err)
	}
	for m, err := range r.Meetings(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if s := m.Speeches()[0]; s.Person != "uk.org.publicwhip/person/9" || s.Name != "Dr Moor" || s.Party != "Blue" {
			t.Errorf("%+v", s)
		}
	}
	if _, err := Reading(d, nil); err == nil {
		t.Error("two sources without folders")
	}
}

func TestFaults(t *testing.T) {
	for _, tt := range []struct{ source, want string }{
		{`format = "pdf"`, `x.toml:7: source[0].format: the format "pdf" is not known; there are akomantoso, html, ndl, parlamint, parlamint-ana, parlparse, popolo`},
		{"format = \"html\"\nselectors = { spech = \"p\" }", "x.toml:7: source[0].format: selectors.spech is not known; there are body, date, drop, item, note, record, speaker, speech, text, title"},
		{"format = \"html\"\nselectors = { speech = \"p[\" }", "x.toml:7: source[0].format: selectors.speech: "},
		{"format = \"ndl\"\nmark = \"bold\"", "x.toml:7: source[0].format: selectors and mark are for the format html, not ndl"},
	} {
		_, err := assembly.Declare("x.toml", []byte(strings.Replace(declaration, `format = "FORMAT"`, tt.source, 1)), known)
		var faults assembly.Faults
		if !errors.As(err, &faults) || !strings.HasPrefix(faults.Error(), tt.want) {
			t.Errorf("%v; want %s", err, tt.want)
		}
	}
}

// What comes with the program is right, and says whose it is and where it comes from.
func TestBuiltIn(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range BuiltIn() {
		if seen[d.Code] || d.Licence.Attribution == "" || d.Licence.URL == "" || d.Name["ja"] == "" || d.Name["en"] == "" {
			t.Errorf("%s: %+v", d.Code, d.Declaration)
		}
		seen[d.Code] = true
		for _, s := range d.Sources {
			if !strings.HasPrefix(s.Address, "https://") {
				t.Errorf("%s comes from %+v", d.Code, s)
			}
		}
	}
	if len(seen) < 30 {
		t.Errorf("%d assemblies", len(seen))
	}
}
