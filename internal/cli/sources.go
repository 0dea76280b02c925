package cli

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// envPrefix begins every environment variable that is Pressroom's own.
const envPrefix = "PRESSROOM_"

// defaultConfigFile is read when it exists and no other is named.
const defaultConfigFile = "pressroom.toml"

// sources finds the settings that the command line leaves open: in the
// environment, then in the settings file. What neither has keeps its default. An
// empty variable counts as not set.
type sources struct {
	env     map[string]string
	file    *settingsFile
	origins map[*kong.Flag]origin
}

// origin is where a setting's value came from.
type origin struct {
	Source string // flag, environment, file or default
	Place  string // the variable, or file and line; empty for a flag or default
}

// settingError is a setting that cannot be used, told with the place where it
// was made rather than the flag that it stands for.
type settingError struct {
	place string
	err   error
}

func (e *settingError) Error() string { return e.place + ": " + e.err.Error() }
func (e *settingError) Unwrap() error { return e.err }

func newSources(environ []string) *sources {
	s := &sources{env: map[string]string{}, origins: map[*kong.Flag]origin{}}
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok && value != "" {
			s.env[name] = value
		}
	}
	return s
}

// load reads the settings file, if the command has settings at all, and notes
// what was given as flags. Kong calls it between parsing and resolving.
func (s *sources) load(ctx *kong.Context) error {
	for _, step := range ctx.Path {
		if step.Flag != nil {
			s.origins[step.Flag] = origin{Source: "flag"}
		}
	}
	for _, flag := range ctx.Flags() {
		if flag.Name == "config" {
			return s.loadFile(ctx, flag)
		}
	}
	return nil
}

func (s *sources) loadFile(ctx *kong.Context, flag *kong.Flag) error {
	path, required := s.env[envNames(flag)[0]], true
	if _, ok := s.origins[flag]; ok {
		path, _ = ctx.FlagValue(flag).(string)
	}
	if path == "" {
		path, required = defaultConfigFile, false
	}
	file, err := readSettingsFile(path)
	switch {
	case err == nil:
		s.file = file
		return nil
	case !required && os.IsNotExist(err):
		return nil
	}
	return &settingError{"settings file", err}
}

// Validate is part of kong.Resolver; sources check each value as they find it.
func (s *sources) Validate(*kong.Application) error { return nil }

// Resolve gives kong the value of a flag that was not given, or nil.
func (s *sources) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if !isSetting(flag) {
		return nil, nil
	}
	value, from, err := s.find(flag)
	if err != nil || from.Source == "" {
		return nil, err
	}
	if err := tryParse(flag, value); err != nil {
		return nil, &settingError{from.Place, err}
	}
	s.origins[flag] = from
	return value, nil
}

// find looks a setting up: environment first, file second.
func (s *sources) find(flag *kong.Flag) (string, origin, error) {
	for _, name := range envNames(flag) {
		value, place, err := s.findEnv(flag, name)
		if err != nil || place != "" {
			return value, origin{"environment", place}, err
		}
	}
	if s.file != nil && flag.Name != "config" {
		if entry, ok := s.file.entries[flag.Name]; ok {
			place := s.file.place(entry)
			if entry.err != nil {
				return "", origin{}, &settingError{place, entry.err}
			}
			return entry.value, origin{"file", place}, nil
		}
	}
	return "", origin{}, nil
}

// findEnv reads one variable, or the file that its _FILE variant names.
func (s *sources) findEnv(flag *kong.Flag, name string) (value, place string, err error) {
	value, direct := s.env[name]
	path, byFile := s.env[name+"_FILE"]
	switch {
	case !isSecret(flag) || !byFile:
		if direct {
			place = name
		}
		return value, place, nil
	case direct:
		return "", "", &settingError{name, fmt.Errorf("is set, and so is %s_FILE; keep one of them", name)}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", "", &settingError{name + "_FILE", err}
	}
	return strings.TrimRight(string(data), "\r\n"), name + "_FILE", nil
}

// originOf returns where the flag's value came from.
func (s *sources) originOf(flag *kong.Flag) origin {
	if from, ok := s.origins[flag]; ok {
		return from
	}
	return origin{Source: "default"}
}

// tryParse converts value as kong is going to, and returns the mistake without
// the flag's name in front of it.
func tryParse(flag *kong.Flag, value string) error {
	scan := kong.Scan().PushTyped(value, kong.FlagValueToken)
	target := reflect.New(flag.Target.Type()).Elem()
	return flag.Mapper.Decode(&kong.DecodeContext{Value: flag.Value, Scan: scan}, target)
}

// unknown returns a warning for every variable with Pressroom's prefix and every
// key of the settings file that is no setting of any command.
func (s *sources) unknown(app *kong.Application) []string {
	var keys, names []string
	for _, flag := range allSettings(app) {
		keys = append(keys, flag.Name)
		names = append(names, envNames(flag)[0])
		if isSecret(flag) {
			names = append(names, envNames(flag)[0]+"_FILE")
		}
	}
	warnings := s.unknownNames(names)
	if s.file != nil {
		warnings = append(warnings, s.file.unknownKeys(keys)...)
	}
	return warnings
}

func (s *sources) unknownNames(known []string) []string {
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
	if near, ok := nearest(strings.TrimPrefix(word, prefix), bare); ok {
		return ", did you mean " + prefix + near + "?"
	}
	return "; it is ignored"
}

// isSetting tells settings from plain flags.
func isSetting(flag *kong.Flag) bool { return flag.Tag.Get("setting") != "-" }

// isSecret tells whether the value must not be shown.
func isSecret(flag *kong.Flag) bool { return flag.Target.Type() == reflect.TypeFor[Secret]() }

// envNames returns the variables that set the flag, the strongest first.
func envNames(flag *kong.Flag) []string {
	names := []string{envPrefix + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))}
	if seed := flag.Tag.Get("seed"); seed != "" {
		names = append(names, seed)
	}
	return names
}

// allSettings returns the settings of every command, each name once.
func allSettings(app *kong.Application) []*kong.Flag {
	var all []*kong.Flag
	seen := map[string]bool{}
	for _, node := range append([]*kong.Node{app.Node}, app.Leaves(false)...) {
		for _, flag := range node.Flags {
			if isSetting(flag) && !seen[flag.Name] {
				seen[flag.Name] = true
				all = append(all, flag)
			}
		}
	}
	return all
}
