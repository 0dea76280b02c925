package demo

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

//go:embed content
var embedded embed.FS

// file is a content file: fields between two lines of dashes, and text.
type file struct {
	name   string // without folder and ending
	fields map[string][]string
	text   string
}

// readAll reads the Markdown files of a folder, by name.
func readAll(folder string) ([]file, error) {
	found, err := fs.Glob(embedded, path.Join("content", folder, "*.md"))
	if err != nil {
		return nil, err
	}
	var all []file
	for _, name := range found {
		data, err := embedded.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f, err := parseFile(strings.TrimSuffix(path.Base(name), ".md"), string(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, f)
	}
	return all, nil
}

// parseFile reads one file. A field may stand several times.
func parseFile(name, text string) (file, error) {
	f := file{name: name, fields: map[string][]string{}}
	head, body, ok := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
	if !ok || !strings.HasPrefix(text, "---\n") {
		return f, fmt.Errorf("there are no fields between two lines of ---")
	}
	for i, line := range strings.Split(head, "\n") {
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			return f, fmt.Errorf("line %d is no field: %q", i+2, line)
		}
		key = strings.TrimSpace(key)
		f.fields[key] = append(f.fields[key], strings.TrimSpace(value))
	}
	f.text = strings.TrimSpace(body) + "\n"
	return f, nil
}

// get returns a field, "" if it is not there.
func (f *file) get(key string) string {
	if len(f.fields[key]) == 0 {
		return ""
	}
	return f.fields[key][0]
}

// list returns the parts of a field between commas.
func (f *file) list(key string) []string {
	return split(f.get(key), ",")
}

// number returns a field that is a whole number, 0 if it is not there.
func (f *file) number(key string) (int, error) {
	text := f.get(key)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%s: %s is no whole number: %q", f.name, key, text)
	}
	return n, nil
}

// numbers returns several fields at once.
func (f *file) numbers(keys ...string) (map[string]int, error) {
	all := map[string]int{}
	for _, key := range keys {
		n, err := f.number(key)
		if err != nil {
			return nil, err
		}
		all[key] = n
	}
	return all, nil
}

// split cuts a text at a separator; parts are trimmed, and none is empty.
func split(text, separator string) []string {
	var parts []string
	for _, p := range strings.Split(text, separator) {
		if p = strings.TrimSpace(p); p != "" {
			parts = append(parts, p)
		}
	}
	return parts
}

// part returns a part of what split gives, "" if there are fewer.
func part(parts []string, i int) string {
	if i >= len(parts) {
		return ""
	}
	return parts[i]
}
