package cli

import (
	"slices"

	"pressroom/model"
	"pressroom/model/deploy"
)

// roles are what processes of each duty may do in a store elsewhere.
var roles = map[duty]deploy.Role{
	webDuty: {
		Name: "Web", Doc: "Serves pages and JSON, and follows changes to keep a search index",
		Schemas: []string{"minutes", "newswire", "blog", "lexicon", "auth", "replay", "ops"}, Streams: true,
	},
	workerDuty: {
		Name: "Worker", Doc: "Asks the language model and does what the clock asks for",
		Schemas: []string{"minutes", "newswire", "blog", "lexicon", "ops"}, Streams: true,
	},
	crawlerDuty: {
		Name: "Crawler", Doc: "Asks other people's sites",
		Schemas: []string{"newswire", "ops"},
	},
}

// roles returns the roles of the duties.
func (d duties) roles() []deploy.Role {
	var all []deploy.Role
	for _, one := range d {
		all = append(all, roles[one])
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
