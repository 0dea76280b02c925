package setting

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// envPrefix begins every environment variable that is Pressroom's own.
const envPrefix = "PRESSROOM_"

// defaultConfigFile is read when it exists and no other is named.
const defaultConfigFile = "pressroom.toml"

// Key is a setting as it is looked up.
type Key struct {
	Name   string // of its flag
	Seed   string // a second variable; "" if there is none
	Secret bool   // its variable has a _FILE variant
}

// Env returns the variables of the setting, the strongest first.
func (k Key) Env() []string {
	names := []string{envPrefix + strings.ToUpper(strings.ReplaceAll(k.Name, "-", "_"))}
	if k.Seed != "" {
		names = append(names, k.Seed)
	}
	return names
}

// Sources finds the settings that the command line leaves open: in the
// environment, then in the settings file. What neither has keeps its default. An
// empty variable counts as not set.
type Sources struct {
	env  map[string]string
	file *settingsFile
}

// Origin is where a setting's value came from.
type Origin struct {
	Source string // flag, environment, file or default
	Place  string // the variable, or file and line; empty for a flag or default
}

// Error is a setting that cannot be used, told with the place where it was made
// rather than the flag that it stands for.
type Error struct {
	Place string
	Err   error
}

func (e *Error) Error() string { return e.Place + ": " + e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// NewSources takes an environment, as os.Environ gives it.
func NewSources(environ []string) *Sources {
	s := &Sources{env: map[string]string{}}
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok && value != "" {
			s.env[name] = value
		}
	}
	return s
}

// ReadFile reads the settings file: the given one, or that of the environment, which
// must be there, or else the default one if it is there.
func (s *Sources) ReadFile(path string) error {
	if path == "" {
		path = s.env[Key{Name: "config"}.Env()[0]]
	}
	required := path != ""
	if !required {
		path = defaultConfigFile
	}
	file, err := readSettingsFile(path)
	switch {
	case err == nil:
		s.file = file
		return nil
	case !required && os.IsNotExist(err):
		return nil
	}
	return &Error{"settings file", err}
}

// File is the settings file that was read, "" if there is none.
func (s *Sources) File() string {
	if s.file == nil {
		return ""
	}
	return s.file.path
}

// Find looks a setting up: environment first, file second. The origin is empty if
// neither has it.
func (s *Sources) Find(k Key) (string, Origin, error) {
	for _, name := range k.Env() {
		value, place, err := s.findEnv(k, name)
		if err != nil || place != "" {
			return value, Origin{"environment", place}, err
		}
	}
	if s.file != nil && k.Name != "config" {
		if entry, ok := s.file.entries[k.Name]; ok {
			place := s.file.place(entry)
			if entry.err != nil {
				return "", Origin{}, &Error{place, entry.err}
			}
			return entry.value, Origin{"file", place}, nil
		}
	}
	return "", Origin{}, nil
}

// findEnv reads one variable, or the file that its _FILE variant names.
func (s *Sources) findEnv(k Key, name string) (value, place string, err error) {
	value, direct := s.env[name]
	path, byFile := s.env[name+"_FILE"]
	switch {
	case !k.Secret || !byFile:
		if direct {
			place = name
		}
		return value, place, nil
	case direct:
		return "", "", &Error{name, fmt.Errorf("is set, and so is %s_FILE; keep one of them", name)}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", "", &Error{name + "_FILE", err}
	}
	return strings.TrimRight(string(data), "\r\n"), name + "_FILE", nil
}

// Unknown returns a warning for every variable with Pressroom's prefix and every
// key of the settings file that is none of the settings.
func (s *Sources) Unknown(settings []Key) []string {
	var keys, names []string
	for _, k := range settings {
		keys = append(keys, k.Name)
		names = append(names, k.Env()[0])
		if k.Secret {
			names = append(names, k.Env()[0]+"_FILE")
		}
	}
	warnings := s.unknownNames(names)
	if s.file != nil {
		warnings = append(warnings, s.file.unknownKeys(keys)...)
	}
	return warnings
}

func (s *Sources) unknownNames(known []string) []string {
	var warnings []string
	for name := range s.env {
		if strings.HasPrefix(name, envPrefix) && !slices.Contains(known, name) {
			warnings = append(warnings, "unknown environment variable "+name+didYouMean(name, known, envPrefix))
		}
	}
	slices.Sort(warnings)
	return warnings
}

// didYouMean ends a warning about word with the known word that is nearest,
// if one is near. The prefix that all of them share does not count as likeness.
func didYouMean(word string, known []string, prefix string) string {
	bare := make([]string, len(known))
	for i, k := range known {
		bare[i] = strings.TrimPrefix(k, prefix)
	}
	if near, ok := Nearest(strings.TrimPrefix(word, prefix), bare); ok {
		return ", did you mean " + prefix + near + "?"
	}
	return "; it is ignored"
}
