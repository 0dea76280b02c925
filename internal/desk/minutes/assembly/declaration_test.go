package assembly

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func knownHere(s SourceOf) error {
	if s.Format != "parlamint" {
		return fmt.Errorf("the format %q is not known", s.Format)
	}
	return nil
}

func TestDeclare(t *testing.T) {
	data, err := os.ReadFile("testdata/sundre.toml")
	if err != nil {
		t.Fatal(err)
	}
	d, err := Declare("sundre.toml", data, knownHere)
	if err != nil {
		t.Fatal(err)
	}
	if d.Code != "xs" || d.Name.In("ja") != "サンドルランド議会" || d.Name.In("fr") != "Parliament of Sundreland" || d.Houses[0].Committees[0].ID != "TRK" ||
		d.Sources[0].Pause != "5s" || d.Roles["chair"].In("en") != "Speaker" {
		t.Errorf("%+v", d)
	}
	if got := d.MeetingID(&Meeting{ID: "ParlaMint-XS_2026-03-02-07", Date: "2026-03-02", Number: "7/2"}); got != "2026-03-02-7-2" {
		t.Errorf("id %q", got)
	}
	if got := (&Declaration{}).MeetingID(&Meeting{ID: "ie/debateRecord/dáil/2026-03-02"}); got != "ie-debateRecord-dáil-2026-03-02" {
		t.Errorf("id %q", got)
	}
}

func TestDeclareFaults(t *testing.T) {
	for _, tt := range []struct{ name, data, want string }{
		{"not TOML", "code = \"xs\"\nname = = 1", `x.toml:2: `},
		{"a wrong type", "code = \"xs\"\nlanguages = 7", `x.toml:2: languages: `},
		{"an unknown field", "code = \"xs\"\n[licence]\nnome = \"x\"\n[[source]]\nformt = \"x\"", "x.toml:3: licence.nome: is not a field of a declaration\nx.toml:5: source.formt: is not a field of a declaration"},
		{"empty", "", `x.toml: code: is missing
x.toml: name: is missing; it has a text for each language, such as { en = "…" }
x.toml: zone: is missing; it is a time zone such as Asia/Tokyo
x.toml: languages: is missing; it lists the languages of the records
x.toml: licence.name: is missing; without it nothing of the records may be shown
x.toml: source: is missing; there is at least one [[source]]`},
		{"everything wrong", `code = "XS!"
name = { en = " ", "no such" = "x" }
place = "Norway"
zone = "Oslo"
languages = ["english-"]
homepage = "sundretinget.example"
[licence]
name = "x"
url = "ftp://x/"
[[house]]
id = "PS"
name = { en = "x" }
[[house]]
id = "PS"
[[house.committee]]
name = { en = "x" }
[[session]]
from = "2026-02-30"
[[session]]
id = "1"
from = "2026-02-01"
until = "2026-01-01"
[[source]]
format = "pdf"
folder = "a"
bucket = "b"
files = ["[a"]
schedule = "sometimes"
pause = "10ms"
[[source]]
[roles]
king = { en = "King" }
[ids]
meeting = "{day}"
`, `x.toml:1: code: "XS!" is not lower-case letters, digits and hyphens, at most 32 of them
x.toml:2: name: is empty in en
x.toml:2: name: "no such" is not a tag of a language, such as en or pt-BR
x.toml:3: place: "Norway" is not a code of ISO 3166, such as GB or JP-14
x.toml:4: zone: "Oslo" is not a time zone such as Asia/Tokyo
x.toml:5: languages: "english-" is not a tag of a language, such as en or pt-BR
x.toml:6: homepage: "sundretinget.example" is not an address that begins with https://
x.toml:9: licence.url: "ftp://x/" is not an address that begins with https://
x.toml:13: house[1].name: is missing; it has a text for each language, such as { en = "…" }
x.toml:14: house[1].id: "PS" is there twice
x.toml:15: house[1].committee[0].id: is missing
x.toml:17: session[0].id: is missing
x.toml:18: session[0].from: "2026-02-30" is not a day such as 2026-11-16
x.toml:22: session[1].until: is before from
x.toml:23: source[0]: has one of folder, address and bucket, and this has 2 of them
x.toml:24: source[0].format: the format "pdf" is not known
x.toml:26: source[0].bucket: "b" does not begin with s3://
x.toml:27: source[0].files: "[a" is not a pattern of names, such as *.xml
x.toml:28: source[0].schedule: "sometimes" is not a schedule such as "30 4 * * *": expected exactly 5 fields, found 1: [sometimes]
x.toml:29: source[0].pause: "10ms" is not a time of at least 1s
x.toml:30: source[1].format: is missing
x.toml:30: source[1]: has one of folder, address and bucket, and this has 0 of them
x.toml:32: roles.king: is not chair, member, government or guest
x.toml:34: ids.meeting: {day} is not {id}, {date}, {house}, {body}, {term}, {session} or {number}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Declare("x.toml", []byte(tt.data), knownHere)
			var faults Faults
			if !errors.As(err, &faults) {
				t.Fatal(err)
			}
			got := faults.Error()
			if strings.HasSuffix(tt.want, ": ") {
				got = got[:min(len(got), len(tt.want))]
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDeclarations(t *testing.T) {
	data, err := os.ReadFile("testdata/sundre.toml")
	if err != nil {
		t.Fatal(err)
	}
	good := string(data)
	all, err := Declarations(fstest.MapFS{
		"a.toml": text(good), "b.toml": text(strings.Replace(good, `"xs"`, `"xt"`, 1)), "c.toml": text("\n" + good), "d.toml": text(strings.Replace(good, "Europe/Oslo", "Oslo", 1)),
		"readme.md": text("x"), "more/e.toml": text("x"),
	}, knownHere)
	want := "c.toml:2: code: \"xs\" is the code of a.toml already\nd.toml:4: zone: \"Oslo\" is not a time zone such as Asia/Tokyo"
	if len(all) != 2 || all[1].Code != "xt" || err == nil || err.Error() != want {
		t.Errorf("%d, %v", len(all), err)
	}
}

func FuzzDeclare(f *testing.F) {
	data, err := os.ReadFile("testdata/sundre.toml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Declare("x.toml", data, knownHere)
		var faults Faults
		switch {
		case err == nil:
			if d.MeetingID(&Meeting{ID: "a", Date: "2026-03-02"}) == "" && d.IDs.Meeting == "" {
				t.Error("no id")
			}
		case !errors.As(err, &faults) || len(faults) == 0:
			t.Errorf("%v", err)
		}
	})
}
