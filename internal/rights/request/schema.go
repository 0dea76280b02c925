package request

import "pressroom/model"

// Schema is what is stored of requests, in the table of erasures.
var Schema = model.Schema{Name: "requests", Tables: []model.Table{table}}

const why = "people and sites can ask for what is theirs, within the time that the law sets"

var table = model.Table{
	Name: "Rights", Env: "RIGHTS_TABLE", Purpose: "what was erased, and what people asked for",
	PK: model.Key{Name: "pk"}, SK: model.Key{Name: "sk"}, TTL: "ttl", RecoveryDays: 35, Encrypted: true,
	Indexes: []model.Index{
		{Name: "StateIndex", PK: model.Key{Name: "GSI1PK"}, SK: model.Key{Name: "GSI1SK"}, Projection: model.All, Purpose: "requests in a state, the most urgent first", Added: why},
	},
	Entities: []model.Entity{
		{Name: "Request", Doc: "what somebody asked for, and what became of it", PK: "REQUEST#{request}", SK: "REQUEST", Version: "version", Peak: 2, Added: why,
			Expires: "3 days if nobody proves it, 3 years after it was decided",
			Keys:    []model.IndexKey{{Index: "StateIndex", PK: "REQUESTS#{state}", SK: "{due}#{request}"}},
			Fields: []model.Field{
				{Name: "request", Size: 26, Max: 26},
				{Name: "kind", Values: words(Kinds)},
				{Name: "state", Values: []string{Unproven, Open, Decided}},
				{Name: "name", Size: 12, Max: 4 * maxName},
				{Name: "email", Size: 20, Max: maxEmail},
				{Name: "about", Size: 60, Max: 4 * maxAbout},
				{Name: "text", Size: 400, Max: 4 * maxText},
				{Name: "language", Size: 2, Max: 2},
				{Name: "created", Kind: model.Time},
				{Name: "due", Kind: model.Time},
				{Name: "token", Optional: true, From: "SHA-256 of what is in the link", Size: 64, Max: 64},
				{Name: "proof", Optional: true, Values: []string{ByMail, ByFile, ByDNS, ByOperator}},
				{Name: "proven", Kind: model.Time, Optional: true},
				{Name: "granted", Kind: model.Bool, Optional: true},
				{Name: "reasons", Optional: true, Size: 100, Max: 4 * maxText},
				{Name: "decidedBy", Optional: true, Size: 12, Max: 256},
				{Name: "decidedAt", Kind: model.Time, Optional: true},
				{Name: "erasure", Optional: true, Size: 26, Max: 26},
				{Name: "ttl", Kind: model.Epoch, Optional: true},
				{Name: "version", Kind: model.Number},
			}},
		{Name: "Rate", Doc: "how often somebody asked in an hour", PK: "RATE#{who}", SK: "WINDOW#{window}", Peak: 50, Expires: "an hour after the window", Added: why,
			Fields: []model.Field{
				{Name: "who", From: "HMAC of the address", Size: 43, Max: 64},
				{Name: "window", Size: 24, Max: 24},
				{Name: "count", Kind: model.Number},
				{Name: "ttl", Kind: model.Epoch},
			}},
	},
	Patterns: []model.Pattern{
		{Name: "GetRequest", Who: "operator", Asks: "a request", Op: model.Get, Yields: []string{"Request"}, By: []string{"request"}, Strong: true, Added: why},
		{Name: "RequestsByState", Who: "operator", Asks: "requests in a state, the most urgent first", Op: model.Query, Index: "StateIndex", Yields: []string{"Request"}, By: []string{"state"},
			Order: "due", Limit: 50, Added: why},
		{Name: "CountRequest", Who: "reader", Asks: "whether somebody may ask once more", Op: model.Put, Writes: []model.Write{{Entity: "Rate", Max: 1}}, Added: why},
		{Name: "Ask", Who: "reader", Asks: "ask, prove it, or have it decided", Op: model.Put, Writes: []model.Write{{Entity: "Request", Max: 1}}, Added: why},
	},
}

func words[T ~string](all []T) []string {
	out := make([]string, len(all))
	for i, one := range all {
		out[i] = string(one)
	}
	return out
}
