package format

import (
	"embed"
	"io/fs"
	"sync"

	"pressroom/internal/desk/minutes/assembly"
)

//go:embed builtin/*.toml
var builtIn embed.FS

// Declared is a declaration with its text.
type Declared struct {
	*assembly.Declaration
	Text []byte
}

// BuiltIn returns the assemblies that come with the program, by the names of their
// files. Nothing of them is fetched before somebody asks for it.
var BuiltIn = sync.OnceValue(func() []Declared {
	names, err := fs.Glob(builtIn, "builtin/*.toml")
	if err != nil {
		panic(err) // the pattern is right
	}
	var all []Declared
	for _, name := range names {
		text, err := builtIn.ReadFile(name)
		if err != nil {
			panic(err) // it is in the program
		}
		d, err := assembly.Declare(name, text, func(s assembly.SourceOf) error {
			_, err := Of(s)
			return err
		})
		if err != nil {
			panic(err) // a test reads them all
		}
		all = append(all, Declared{d, text})
	}
	return all
})
