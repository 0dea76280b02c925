package story

import "pressroom/model"

// Schema is what is stored of stories and of what happened to them.
var Schema = model.Schema{Name: "story", Tables: []model.Table{table}}

// Longest values in bytes.
const (
	nameMax    = 64
	idMax      = 256
	pathMax    = 1024
	titleMax   = 1024
	summaryMax = 8 << 10
	reasonMax  = 2 << 10
	listMax    = 16 << 10
)

const (
	whyStory = "lists, feeds and search show what any desk publishes by one card"
	whyEvent = "nothing becomes visible, changes or goes without an event, and no event tells of what did not happen"
	whyLog   = "whoever follows stories sees every event, each story's in order, and goes on where it stopped"
)

var (
	desk     = model.Field{Name: "desk", Size: 8, Max: nameMax}
	id       = model.Field{Name: "id", Size: 26, Max: idMax}
	shard    = model.Field{Name: "shard", From: "a hash of id", InKey: true, Size: 1, Max: 2}
	kind     = model.Field{Name: "kind", Size: 8, Max: nameMax}
	revision = model.Field{Name: "revision", Kind: model.Number}
	what     = model.Field{Name: "what", Values: []string{string(Published), string(Changed), string(Corrected), string(Withdrawn)}}
	reason   = model.Field{Name: "reason", Optional: true, Size: 40, Max: reasonMax}
	at       = model.Field{Name: "at", Kind: model.Time}
	sequence = model.Field{Name: "sequence", Kind: model.Number}
)

var table = model.Table{
	Name: "Stories", Env: "STORIES_TABLE", Purpose: "what the desks publish, what happened to it, and who has heard of that",
	PK: model.Key{Name: "pk"}, SK: model.Key{Name: "sk"}, TTL: "ttl", RecoveryDays: 35, Encrypted: true,
	Indexes: []model.Index{
		{Name: "DeskIndex", PK: model.Key{Name: "GSI1PK"}, SK: model.Key{Name: "GSI1SK"}, Projection: model.KeysOnly,
			Purpose: "the stories of a desk by date", Added: whyStory},
		{Name: "OutboxIndex", PK: model.Key{Name: "GSI2PK"}, SK: model.Key{Name: "GSI2SK"}, Projection: model.KeysOnly,
			Purpose: "events that are not in the log yet", Added: whyEvent},
	},
	Entities: []model.Entity{
		{Name: "Head", Doc: "the card of a story; of one that was withdrawn only kind and revision", PK: "STORIES#{desk}#{shard}", SK: "HEAD#{id}",
			Identity: []string{"desk", "id"}, Version: "revision", Peak: 200, Added: whyStory,
			Keys: []model.IndexKey{{Index: "DeskIndex", PK: "DESK#{desk}", SK: "{order}"}},
			Fields: []model.Field{
				desk, shard, id,
				{Name: "order", From: "listed and id", Optional: true, Size: 51, Max: 25 + idMax},
				{Name: "withdrawn", Kind: model.Time, Optional: true},
				{Name: "kind", Optional: true, Size: 8, Max: nameMax},
				{Name: "path", Optional: true, Size: 40, Max: pathMax},
				{Name: "title", Optional: true, Size: 60, Max: titleMax},
				{Name: "summary", Optional: true, Size: 400, Max: summaryMax},
				{Name: "language", Optional: true, Size: 2, Max: nameMax},
				{Name: "summaries", Kind: model.Map, Optional: true, Max: 4 * summaryMax},
				{Name: "section", Optional: true, Size: 12, Max: idMax},
				{Name: "published", Kind: model.Time, Optional: true},
				{Name: "updated", Kind: model.Time, Optional: true},
				{Name: "listed", Kind: model.Time, Optional: true},
				{Name: "people", Kind: model.List, Optional: true, Max: listMax},
				{Name: "topics", Kind: model.List, Optional: true, Max: listMax},
				{Name: "source", Kind: model.Map, Optional: true, Size: 120, Max: listMax},
				{Name: "picture", Kind: model.Map, Optional: true, Size: 80, Max: listMax},
				{Name: "provenance", Kind: model.Map, Optional: true, Size: 60, Max: listMax},
				{Name: "unfound", Kind: model.Bool, Optional: true},
				{Name: "digest", Optional: true, Size: 16, Max: idMax},
				revision,
			}},
		{Name: "Event", Doc: "what happened to a story; with waiting until it is in the log", PK: "STORIES#{desk}#{shard}", SK: "EVENT#{id}#{revision:010}",
			Peak: 200, Expires: "35 days after it came into the log", Added: whyEvent,
			Keys: []model.IndexKey{{Index: "OutboxIndex", PK: "OUTBOX", SK: "{waiting}#{desk}#{id}#{revision:010}"}},
			Fields: []model.Field{
				desk, shard, id, kind, revision, what, reason, at,
				{Name: "waiting", Kind: model.Time, Optional: true},
				{Name: "ttl", Kind: model.Epoch, Optional: true},
			}},
		{Name: "Entry", Doc: "an event in the log", PK: "LOG#{sequence:016}", SK: "ENTRY", Peak: 200, Expires: "after 35 days", Added: whyLog,
			Fields: []model.Field{
				sequence, desk, id, kind, revision, what, reason, at,
				{Name: "ttl", Kind: model.Epoch},
			}},
		{Name: "Cursor", Doc: "how far somebody is: the relay in writing the log, all others in reading it; who adopts, in the tables' streams", PK: "CURSOR#{name}", SK: "STATE", Peak: 50, Added: whyLog,
			Fields: []model.Field{
				{Name: "name", Size: 12, Max: nameMax},
				sequence,
				{Name: "fence", Kind: model.Number},
				{Name: "owner", Optional: true, Size: 32, Max: 128},
				{Name: "until", Kind: model.Time, Optional: true},
				{Name: "places", Kind: model.Map, Optional: true, Size: 600, Max: 200 << 10},
			}},
	},
	Patterns: []model.Pattern{
		{Name: "GetHead", Who: "program", Asks: "the card of a story", Op: model.Get, Yields: []string{"Head"}, By: []string{"desk", "shard", "id"}, Strong: true, Added: whyStory},
		{Name: "Newest", Who: "reader", Asks: "the stories of a desk, newest first", Op: model.Query, Index: "DeskIndex", Yields: []string{"Head"}, By: []string{"desk"},
			Desc: true, Order: "order", Range: "order", Limit: 50, Shows: []string{"desk", "id", "order"}, Added: whyStory},
		{Name: "Heads", Who: "program", Asks: "all stories in one part of a desk", Op: model.Query, Yields: []string{"Head"}, By: []string{"desk", "shard"},
			Begins: "HEAD#", Order: "id", Limit: 100, Strong: true, Added: whyLog},
		{Name: "Change", Who: "program", Asks: "publish, change or withdraw a story, in the desk's own transaction", Op: model.Put,
			Writes: []model.Write{{Entity: "Head", Max: 1}, {Entity: "Event", Max: 1}}, Added: whyEvent},
		{Name: "Outbox", Who: "relay", Asks: "which events are not in the log yet, the oldest first", Op: model.Query, Index: "OutboxIndex", Yields: []string{"Event"},
			Order: "waiting", Limit: 100, Shows: []string{"desk", "id", "revision", "waiting"}, Added: whyEvent},
		{Name: "EventsOf", Who: "relay", Asks: "the events of a story, the last one first", Op: model.Query, Yields: []string{"Event"}, By: []string{"desk", "shard", "id"},
			Begins: "EVENT#{id}#", Desc: true, Order: "revision", Range: "revision", Limit: perMove + 1, Strong: true, Added: whyEvent},
		{Name: "Relay", Who: "relay", Asks: "move events into the log", Op: model.Put,
			Writes: []model.Write{{Entity: "Cursor", Max: 1}, {Entity: "Entry", Max: perMove}, {Entity: "Event", Max: perMove}}, Added: whyLog},
		{Name: "GetEntry", Who: "consumer", Asks: "what is at a place in the log", Op: model.Get, Yields: []string{"Entry"}, By: []string{"sequence"}, Strong: true, Added: whyLog},
		{Name: "GetCursor", Who: "consumer", Asks: "how far somebody is in the log", Op: model.Get, Yields: []string{"Cursor"}, By: []string{"name"}, Strong: true, Added: whyLog},
		{Name: "Advance", Who: "consumer", Asks: "take a cursor, keep it, or move it on", Op: model.Put, Writes: []model.Write{{Entity: "Cursor", Max: 1}}, Added: whyLog},
	},
}
