package cli

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"pressroom/internal/desk"
	"pressroom/internal/ops"
	"pressroom/internal/rights/erase"
	"pressroom/internal/story"
	"pressroom/llm"
	"pressroom/model"
)

// deskCmd is a command that a desk declares. It has the settings of the store, of the
// desk and, if it asks one, of the language model.
type deskCmd struct {
	targetSettings
	nameSettings
	commonSettings
	kong.Plugins

	desk     *desk.Desk
	settings any
	models   *llmSettings
	command  desk.Runner
	detail   string
}

// deskGroup is a group of commands that a desk declares.
type deskGroup struct {
	kong.Plugins
	detail string
}

// Help is the text under the command's usage line.
func (c *deskCmd) Help() string { return c.detail }

// Help is the text under the group's usage line.
func (g *deskGroup) Help() string { return g.detail }

// deskCommands are the commands of all desks, as structs that kong reads, and among
// them those below "export".
func deskCommands() (all, exports kong.Plugins) {
	groups := map[string]kong.Plugins{} // desks share a group by its name
	for _, d := range desks {
		for _, c := range d.Commands {
			if c.Run == nil {
				groups[c.Name] = append(groups[c.Name], commandsOf(d, c.Commands))
			}
		}
	}
	threads := desk.Eval("threads", "Score the threads.", threadsHelp, "stories", scoreThreads) // they are no desk's
	groups[threads.Name] = append(groups[threads.Name], commandsOf(&desk.Desk{}, threads.Commands))
	exports = groups["export"]
	delete(groups, "export")
	for _, d := range desks {
		var own []desk.Command
		for _, c := range d.Commands {
			if c.Run != nil {
				own = append(own, c)
			} else if shared := groups[c.Name]; shared != nil {
				delete(groups, c.Name)
				all = append(all, structOf([]desk.Command{c}, []reflect.Value{reflect.ValueOf(deskGroup{Plugins: shared, detail: c.Detail})}))
			}
		}
		if len(own) > 0 {
			all = append(all, commandsOf(d, own))
		}
	}
	return all, exports
}

func commandsOf(d *desk.Desk, declared []desk.Command) any {
	values := make([]reflect.Value, len(declared))
	for i, c := range declared {
		if c.Run == nil {
			values[i] = reflect.ValueOf(deskGroup{Plugins: kong.Plugins{commandsOf(d, c.Commands)}, detail: c.Detail})
		} else {
			values[i] = reflect.ValueOf(newDeskCmd(d, c))
		}
	}
	return structOf(declared, values)
}

// structOf is a struct with a field for each command, as kong reads it.
func structOf(declared []desk.Command, values []reflect.Value) any {
	fields := make([]reflect.StructField, len(declared))
	for i, c := range declared {
		fields[i] = reflect.StructField{
			Name: strings.ToUpper(c.Name[:1]) + c.Name[1:], Type: values[i].Type(),
			Tag: tagOf("cmd", "", "name", c.Name, "set", "data=./pressroom-data", "help", c.Help),
		}
	}
	made := reflect.New(reflect.StructOf(fields))
	for i, v := range values {
		made.Elem().Field(i).Set(v)
	}
	return made.Interface()
}

func newDeskCmd(d *desk.Desk, c desk.Command) deskCmd {
	cmd := deskCmd{nameSettings: newNameSettings(), desk: d, settings: ownSettings(d), command: c.Run(), detail: c.Detail}
	cmd.Plugins = kong.Plugins{cmd.command, cmd.settings}
	if c.Models {
		cmd.models = new(llmSettings)
		cmd.Plugins = append(cmd.Plugins, cmd.models)
	}
	return cmd
}

// Run runs the desk's command and closes what it opened.
func (c *deskCmd) Run(r *run) (err error) {
	var st *store
	t := &desk.Terminal{Context: r.ctx, Out: r.Stdout, Err: r.Stderr, Log: r.logger(c.commonSettings)}
	t.Open = func() (room *desk.Room, err error) {
		if st, err = c.targetSettings.open(r.ctx, endpointSettings{}, t.Log); err != nil {
			return nil, err
		}
		return c.room(r, st, t.Log)
	}
	defer func() {
		if st != nil {
			err = errors.Join(err, st.Close())
		}
	}()
	return c.command.Run(t)
}

// room is what the command's desk is opened with. Its tables and buckets, those of
// stories, and those of the ledger if it asks language models, are made if they are missing.
func (c *deskCmd) room(r *run, st *store, log *slog.Logger) (*desk.Room, error) {
	names := c.names()
	schema := c.desk.Schema.Named(names.of)
	needed := []model.Schema{schema, story.Schema.Named(names.of), erase.Schema.Named(names.of)}
	if c.models != nil {
		needed = append(needed, ops.Schema.Named(names.of))
	}
	declared, err := names.declared(needed...)
	if err != nil {
		return nil, err
	}
	if err := st.prepare(r.ctx, declared...); err != nil {
		return nil, err
	}
	stories, err := names.stories(st.db)
	if err != nil {
		return nil, err
	}
	erased, err := names.erasures(st.db, st.client, stories, erase.Options{Log: log})
	if err != nil {
		return nil, err
	}
	room := &desk.Room{Settings: c.settings, Schema: &schema, Tables: st.db, Objects: st.client, Stories: stories, Erased: erased, Log: log}
	if c.models == nil {
		return room, nil
	}
	ledger, err := ops.NewLedger(st.db, &ops.LedgerOptions{Table: names.table(ops.Schema)})
	if err != nil {
		return nil, err
	}
	provider, err := c.models.provider(r.ctx, ledger, log)
	room.ReviewUnproved = c.models.LLMUnproved == "review"
	room.Model = func(context.Context) (llm.Provider, error) { return provider, err }
	return room, err
}

// declared returns the tables and buckets of some schemas as all who use them
// declare them.
func (n tableNames) declared(own ...model.Schema) ([]model.Schema, error) {
	all, err := n.schemas()
	if err != nil {
		return nil, err
	}
	var needed []model.Schema
	for _, s := range all {
		kept := model.Schema{Name: s.Name}
		for _, t := range s.Tables {
			if slices.ContainsFunc(own, func(o model.Schema) bool { _, ok := o.Table(t.Name); return ok }) {
				kept.Tables = append(kept.Tables, t)
			}
		}
		if slices.ContainsFunc(own, func(o model.Schema) bool { return o.Name == s.Name }) {
			kept.Buckets = s.Buckets
		}
		needed = append(needed, kept)
	}
	return needed, nil
}
