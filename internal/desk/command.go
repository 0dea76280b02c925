package desk

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
)

// Command is a command that a desk adds to the program, or a group of them.
type Command struct {
	Name, Help string
	Detail     string // the text under the usage line
	// Run returns a new command, whose fields are flags and arguments with kong's
	// tags. Nil for a group.
	Run func() Runner
	// Models says that it asks the language model, and has its settings.
	Models   bool
	Commands []Command
}

// Runner is a pointer to a struct of flags that does what they say.
type Runner interface{ Run(*Terminal) error }

// Terminal is where a command runs.
type Terminal struct {
	Context  context.Context // ends with the first interrupt
	Out, Err io.Writer       // data, and all else
	Log      *slog.Logger
	// Open returns the room of the desk on the store that is configured, with its
	// tables and buckets. What is open is closed after the command.
	Open func() (*Room, error)
}

// JSON prints a value with indents.
func (t *Terminal) JSON(v any) error {
	enc := json.NewEncoder(t.Out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// JSONLine prints a value on one line.
func (t *Terminal) JSONLine(v any) error {
	enc := json.NewEncoder(t.Out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// Progress returns a function that shows one line, over the one before; an empty
// line ends it.
func (t *Terminal) Progress() func(string) {
	shown := false
	return func(line string) {
		if line == "" {
			if shown {
				fmt.Fprintln(t.Err)
			}
			return
		}
		shown = true
		fmt.Fprintf(t.Err, "\r\x1b[K%s", line)
	}
}
