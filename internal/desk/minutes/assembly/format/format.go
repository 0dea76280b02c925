// Package format is the list of the formats in which assemblies publish: a name for
// each, as declarations use it, and what reads it.
//
// Start with [Of]. A new format is a package that implements assembly.Format, and a
// line here.
package format

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/desk/minutes/assembly/akomantoso"
	"pressroom/internal/desk/minutes/assembly/council"
	"pressroom/internal/desk/minutes/assembly/ndl"
	"pressroom/internal/desk/minutes/assembly/parlamint"
	"pressroom/internal/desk/minutes/assembly/parlparse"
	"pressroom/internal/desk/minutes/assembly/popolo"
)

var formats = map[string]func(assembly.SourceOf) (assembly.Format, error){
	"akomantoso":    plain(akomantoso.Format{}),
	"ndl":           plain(ndl.Format{}),
	"parlamint":     plain(parlamint.Format{}),
	"parlamint-ana": plain(parlamint.Format{Annotated: true}),
	"parlparse":     plain(parlparse.Format{}),
	"popolo":        plain(popolo.Format{}),
	"html":          html,
}

func plain(f assembly.Format) func(assembly.SourceOf) (assembly.Format, error) {
	return func(s assembly.SourceOf) (assembly.Format, error) {
		if len(s.Selectors) > 0 || s.Mark != "" {
			return nil, fmt.Errorf("selectors and mark are for the format html, not %s", s.Format)
		}
		return f, nil
	}
}

func html(s assembly.SourceOf) (assembly.Format, error) {
	f := council.Format{Mark: s.Mark, Language: s.Language}
	into := map[string]*string{
		"record": &f.Selectors.Record, "title": &f.Selectors.Title, "date": &f.Selectors.Date, "body": &f.Selectors.Body, "item": &f.Selectors.Item,
		"speech": &f.Selectors.Speech, "speaker": &f.Selectors.Speaker, "text": &f.Selectors.Text, "note": &f.Selectors.Note, "drop": &f.Selectors.Drop,
	}
	for _, name := range slices.Sorted(maps.Keys(s.Selectors)) {
		if into[name] == nil {
			return nil, fmt.Errorf("selectors.%s is not known; there are %s", name, strings.Join(slices.Sorted(maps.Keys(into)), ", "))
		}
		*into[name] = s.Selectors[name]
	}
	faults := f.Check()
	for _, name := range slices.Sorted(maps.Keys(faults)) {
		return nil, fmt.Errorf("selectors.%s: %w", name, faults[name])
	}
	return f, nil
}

// Names returns the names of the formats.
func Names() []string { return slices.Sorted(maps.Keys(formats)) }

// Of returns what reads a source.
func Of(s assembly.SourceOf) (assembly.Format, error) {
	make := formats[s.Format]
	if make == nil {
		return nil, fmt.Errorf("the format %q is not known; there are %s", s.Format, strings.Join(Names(), ", "))
	}
	return make(s)
}

// Reading returns a reading of an assembly's sources, each from the folder that is
// given for it.
func Reading(d *assembly.Declaration, folders []fs.FS) (*assembly.Reading, error) {
	if len(folders) != len(d.Sources) {
		return nil, fmt.Errorf("%d folders for %d sources", len(folders), len(d.Sources))
	}
	r := &assembly.Reading{ID: d.MeetingID}
	for i, s := range d.Sources {
		if s.Language == "" && len(d.Languages) > 0 {
			s.Language = d.Languages[0]
		}
		f, err := Of(s)
		if err != nil {
			return nil, fmt.Errorf("source %d of %s: %w", i+1, d.Code, err)
		}
		r.Sources = append(r.Sources, assembly.Source{Folder: folders[i], Format: f, Files: s.Files, Skip: s.Skip})
	}
	return r, nil
}
