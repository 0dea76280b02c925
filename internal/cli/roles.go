package cli

import (
	"slices"

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
	"pressroom/model/deploy"
)

// role is what processes of a duty may do in a store elsewhere.
func (d duty) role() deploy.Role {
	switch d {
	case webDuty:
		return deploy.Role{
			Name: "Web", Doc: "Serves pages and JSON, and follows changes to keep a search index",
			Schemas: append(deskNames(every), story.Schema.Name, thread.Schema.Name, deliver.Schema.Name, follow.Schema.Name, erase.Schema.Name, request.Schema.Name, auth.Schema.Name, replay.Schema.Name, ops.Schema.Name), Streams: true,
		}
	case workerDuty:
		return deploy.Role{
			Name: "Worker", Doc: "Asks the language model and does what the clock asks for; what is erased it seeks everywhere",
			Schemas: append(deskNames(every), story.Schema.Name, thread.Schema.Name, deliver.Schema.Name, follow.Schema.Name, erase.Schema.Name, request.Schema.Name, replay.Schema.Name, ops.Schema.Name), Streams: true, Scans: true,
		}
	}
	return deploy.Role{Name: "Crawler", Doc: "Asks other people's sites", Schemas: append(deskNames(asksOutside), story.Schema.Name, erase.Schema.Name, ops.Schema.Name)}
}

// roles returns the roles of the duties.
func (d duties) roles() []deploy.Role {
	var all []deploy.Role
	for _, one := range d {
		all = append(all, one.role())
	}
	return all
}

// needs returns the schemas that processes with these duties work on.
func (d duties) needs(schemas []model.Schema) []model.Schema {
	var needed []model.Schema
	for _, s := range schemas {
		if slices.ContainsFunc(d.roles(), func(r deploy.Role) bool { return slices.Contains(r.Schemas, s.Name) }) {
			needed = append(needed, s)
		}
	}
	return needed
}
