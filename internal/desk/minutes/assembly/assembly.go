// Package assembly is what the minutes desk knows of parliaments and councils: one
// model for the records of all of them, the files that those come in, and the
// declaration that makes an assembly out of data.
//
// It promises that a record is given whole or not at all: a meeting is handed out
// when the file that holds it has been read to its end, with every utterance in
// order, and with notes and votes apart from what was said. What a format says
// beyond the model is kept in Extra and Attrs. Memory is bounded by one meeting and
// the register of people, however large the files are, and every fault names its
// file and, where there is one, its line.
//
// Start with [Meeting] and [Register], the model; then [Declaration], which says
// what an assembly is, and [Reading], which reads its files. The formats are the
// packages below; package format has the list of them.
package assembly

import (
	"fmt"
	"strings"
)

// Limits of what is read into memory at once. Real records stay far below.
const (
	// MaxMeeting bounds a meeting, in bytes of its text and of what holds it.
	MaxMeeting = 64 << 20
	// MaxRegister bounds the people and organisations of an assembly, likewise.
	MaxRegister = 96 << 20
	// MaxFile bounds a file after decompression.
	MaxFile = 4 << 30
	// MaxWarnings is how many warnings a meeting keeps.
	MaxWarnings = 100
)

// FileError is a file that cannot be read. Line is 0 where lines mean nothing.
type FileError struct {
	File string
	Line int
	Err  error
}

func (e *FileError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
	}
	return fmt.Sprintf("%s: %v", e.File, e.Err)
}

func (e *FileError) Unwrap() error { return e.Err }

// Element is something that a format has and the model has not: an element of XML
// with what is in it, or a field of JSON with its raw value as Text.
type Element struct {
	Name     string    `json:"name"`
	Attrs    Attrs     `json:"attrs,omitempty"`
	Text     string    `json:"text,omitempty"`
	Children []Element `json:"children,omitempty"`
}

// Attrs is what a format says of a thing beyond the model, by the format's names.
type Attrs map[string]string

// Put keeps a value; an empty one is not worth keeping. It returns the map, which
// it makes where there is none.
func (a Attrs) Put(name, value string) Attrs {
	if value == "" {
		return a
	}
	if a == nil {
		a = Attrs{}
	}
	a[name] = value
	return a
}

// size is about what a value takes in memory.
func (a Attrs) size() int {
	n := 0
	for name, value := range a {
		n += 48 + len(name) + len(value)
	}
	return n
}

func (e *Element) size() int {
	n := 96 + len(e.Name) + len(e.Text) + e.Attrs.size()
	for i := range e.Children {
		n += e.Children[i].size()
	}
	return n
}

// Squeeze returns a text with every run of white space as one space, and none at
// the ends.
func Squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }
