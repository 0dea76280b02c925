package cli

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"

	"pressroom/internal/auth"
	"pressroom/internal/deliver"
	"pressroom/internal/follow"
	"pressroom/internal/ops"
	"pressroom/internal/ops/replay"
	"pressroom/internal/rights/erase"
	"pressroom/internal/rights/request"
	"pressroom/internal/story"
	"pressroom/internal/thread"
	"pressroom/model"
)

// allSchemas are the desks' and the house's own.
func allSchemas() []model.Schema {
	var all []model.Schema
	for _, d := range desks {
		all = append(all, d.Schema)
	}
	return append(all, story.Schema, thread.Schema, deliver.Schema, follow.Schema, erase.Schema, request.Schema, auth.Schema, replay.Schema, ops.Schema)
}

// nameSettings are the tables and buckets, under the names and variables that the
// documents which define them use: a setting for each in the schemas.
type nameSettings struct{ kong.Plugins }

// newNameSettings makes the settings of the schemas, still without values.
func newNameSettings() nameSettings {
	var fields []reflect.StructField
	met := map[string]bool{}
	add := func(env, name, what string) {
		if met[env] {
			return
		}
		met[env] = true
		fields = append(fields, reflect.StructField{
			Name: "Name" + fmt.Sprint(len(fields)), Type: reflect.TypeFor[string](),
			Tag: tagOf("name", strings.ToLower(strings.ReplaceAll(env, "_", "-")), "seed", env, "default", name, "hidden", "", "help", what),
		})
	}
	for _, s := range allSchemas() {
		for _, t := range s.Tables {
			add(t.Env, t.Name, fmt.Sprintf("Table of %s: %s.", s.Name, t.Purpose))
		}
		for _, b := range s.Buckets {
			add(b.Env, b.Name, fmt.Sprintf("Bucket of %s: %s.", s.Name, b.Purpose))
		}
	}
	return nameSettings{kong.Plugins{reflect.New(reflect.StructOf(fields)).Interface()}}
}

// tagOf makes a struct tag of keys and values.
func tagOf(pairs ...string) reflect.StructTag {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&b, "%s:%q ", pairs[i], pairs[i+1])
	}
	return reflect.StructTag(b.String())
}

// tableNames are configured names of tables and buckets, by their variables. What it
// does not have has the name of the schema.
type tableNames map[string]string

// of returns the name for a variable, "" if none is configured.
func (n tableNames) of(env string) string { return n[env] }

// table returns the name of the first table of a schema.
func (n tableNames) table(s model.Schema) string { return s.Named(n.of).Tables[0].Name }

// names returns what is configured.
func (s nameSettings) names() tableNames {
	names := tableNames{}
	for _, own := range s.Plugins {
		v := reflect.ValueOf(own).Elem()
		for i := range v.NumField() {
			names[v.Type().Field(i).Tag.Get("seed")] = v.Field(i).String()
		}
	}
	return names
}

// fillSettings puts the settings of desks and schemas wherever the grammar has a place for
// them, each command its own.
func fillSettings(v reflect.Value) {
	for i := range v.NumField() {
		field := v.Field(i)
		switch field.Type() {
		case reflect.TypeFor[nameSettings]():
			field.Field(0).Set(reflect.ValueOf(newNameSettings().Plugins))
		case reflect.TypeFor[deskSettings]():
			field.Field(0).Set(reflect.ValueOf(newDeskSettings().Plugins))
		default:
			if field.Kind() == reflect.Struct {
				fillSettings(field)
			}
		}
	}
}
