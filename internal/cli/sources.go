package cli

import (
	"reflect"

	"github.com/alecthomas/kong"

	"pressroom/internal/setting"
)

// sources gives kong the settings that the command line leaves open, and keeps where
// each was found.
type sources struct {
	*setting.Sources
	origins map[*kong.Flag]setting.Origin
}

func newSources(environ []string) *sources {
	return &sources{setting.NewSources(environ), map[*kong.Flag]setting.Origin{}}
}

// load reads the settings file, if the command has settings at all, and notes
// what was given as flags. Kong calls it between parsing and resolving.
func (s *sources) load(ctx *kong.Context) error {
	for _, step := range ctx.Path {
		if step.Flag != nil {
			s.origins[step.Flag] = setting.Origin{Source: "flag"}
		}
	}
	for _, flag := range ctx.Flags() {
		if flag.Name == "config" {
			path := ""
			if _, ok := s.origins[flag]; ok {
				path, _ = ctx.FlagValue(flag).(string)
			}
			return s.ReadFile(path)
		}
	}
	return nil
}

// Validate is part of kong.Resolver; sources check each value as they find it.
func (s *sources) Validate(*kong.Application) error { return nil }

// Resolve gives kong the value of a flag that was not given, or nil.
func (s *sources) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if !isSetting(flag) {
		return nil, nil
	}
	value, from, err := s.Find(keyOf(flag))
	if err != nil || from.Source == "" {
		return nil, err
	}
	if err := tryParse(flag, value); err != nil {
		return nil, &setting.Error{Place: from.Place, Err: err}
	}
	s.origins[flag] = from
	return value, nil
}

// originOf returns where the flag's value came from.
func (s *sources) originOf(flag *kong.Flag) setting.Origin {
	if from, ok := s.origins[flag]; ok {
		return from
	}
	return setting.Origin{Source: "default"}
}

// tryParse converts value as kong is going to, and returns the mistake without
// the flag's name in front of it.
func tryParse(flag *kong.Flag, value string) error {
	scan := kong.Scan().PushTyped(value, kong.FlagValueToken)
	target := reflect.New(flag.Target.Type()).Elem()
	return flag.Mapper.Decode(&kong.DecodeContext{Value: flag.Value, Scan: scan}, target)
}

// isSetting tells settings from plain flags.
func isSetting(flag *kong.Flag) bool { return flag.Tag.Get("setting") != "-" }

// isSecret tells whether the value must not be shown.
func isSecret(flag *kong.Flag) bool { return flag.Target.Type() == reflect.TypeFor[Secret]() }

// keyOf returns how a setting is looked up.
func keyOf(flag *kong.Flag) setting.Key {
	return setting.Key{Name: flag.Name, Seed: flag.Tag.Get("seed"), Secret: isSecret(flag)}
}

// allSettings returns the settings of every command, each name once.
func allSettings(app *kong.Application) []setting.Key {
	var all []setting.Key
	seen := map[string]bool{}
	for _, node := range append([]*kong.Node{app.Node}, app.Leaves(false)...) {
		for _, flag := range node.Flags {
			if isSetting(flag) && !seen[flag.Name] {
				seen[flag.Name] = true
				all = append(all, keyOf(flag))
			}
		}
	}
	return all
}
