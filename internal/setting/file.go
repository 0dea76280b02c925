package setting

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/pelletier/go-toml/v2"
)

// settingsFile is a TOML file of settings: one key per setting, named as its
// flag, at the top level.
type settingsFile struct {
	path    string
	entries map[string]fileEntry
}

// fileEntry is one key of the file. A value that no setting can have keeps its
// error until somebody asks for it: the key may be unknown and only warned about.
type fileEntry struct {
	value string
	err   error
	line  int
}

// readSettingsFile reads and parses the file. The error names the file, and the
// line if the file is no TOML.
func readSettingsFile(path string) (*settingsFile, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseSettingsFile(path, data)
}

func parseSettingsFile(path string, data []byte) (*settingsFile, error) {
	var values map[string]any
	if err := toml.Unmarshal(data, &values); err != nil {
		var decode *toml.DecodeError
		if errors.As(err, &decode) {
			line, _ := decode.Position()
			return nil, fmt.Errorf("%s:%d: %w", path, line, err)
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	lines := keyLines(data)
	file := &settingsFile{path: path, entries: map[string]fileEntry{}}
	for key, value := range values {
		text, err := scalarText(value)
		file.entries[key] = fileEntry{value: text, err: err, line: lines[key]}
	}
	return file, nil
}

// keyLines finds the line of every top-level key. Decoding strictly into a
// struct without fields makes the decoder report each key with its place.
func keyLines(data []byte) map[string]int {
	lines := map[string]int{}
	err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&struct{}{})
	var missing *toml.StrictMissingError
	if !errors.As(err, &missing) {
		return lines
	}
	for _, e := range missing.Errors {
		key := e.Key()[0]
		if line, _ := e.Position(); lines[key] == 0 {
			lines[key] = line
		}
	}
	return lines
}

// scalarText returns a TOML value as the text one would give the flag.
func scalarText(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	}
	return "", errors.New("a setting is a string, a number, true or false")
}

// place returns file:line of an entry.
func (f *settingsFile) place(e fileEntry) string {
	if e.line == 0 {
		return f.path
	}
	return fmt.Sprintf("%s:%d", f.path, e.line)
}

// unknownKeys returns a warning for every key that is not known, in the file's
// order.
func (f *settingsFile) unknownKeys(known []string) []string {
	var keys []string
	for key := range f.entries {
		if key == "config" || !slices.Contains(known, key) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b string) int { return f.entries[a].line - f.entries[b].line })
	var warnings []string
	for _, key := range keys {
		warnings = append(warnings, fmt.Sprintf("%s: unknown setting %q%s", f.place(f.entries[key]), key, didYouMean(key, known, "")))
	}
	return warnings
}
