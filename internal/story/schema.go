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
	whyNote  = "what people corrected or withdrew stays in the open"
	whyTold  = "a reader who finds a mistake is heard, and cannot flood or deface"
	whyPaper = "people name the paper and lay it out in the app, and every process shows that with its next page"
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
	paperOf  = model.Field{Name: "of", Size: 5, Max: 5}
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
				{Name: "heldBy", Optional: true, Size: 12, Max: nameMax},
				{Name: "heldFor", Optional: true, Size: 80, Max: reasonMax},
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
				{Name: "subjects", Kind: model.List, Optional: true, Max: listMax},
				{Name: "source", Kind: model.Map, Optional: true, Size: 120, Max: listMax},
				{Name: "picture", Kind: model.Map, Optional: true, Size: 80, Max: listMax},
				{Name: "provenance", Kind: model.Map, Optional: true, Size: 60, Max: listMax},
				{Name: "unfound", Kind: model.Bool, Optional: true},
				{Name: "unread", Kind: model.Bool, Optional: true},
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
		{Name: "Note", Doc: "a person's word on a change of a story: who, and why", PK: "STORIES#{desk}#{shard}", SK: "NOTE#{id}#{revision:010}", Peak: 5, Added: whyNote,
			Keys: []model.IndexKey{{Index: "DeskIndex", PK: "NOTES", SK: "{noteOrder}"}},
			Fields: []model.Field{
				desk, shard, id, kind, revision, what, at,
				{Name: "noteOrder", From: "at, desk, id and revision", Size: 80, Max: 25 + nameMax + idMax + 11},
				{Name: "by", Size: 12, Max: nameMax},
				{Name: "reason", Size: 80, Max: reasonMax},
			}},
		{Name: "Report", Doc: "the mistakes that readers report of a story, until a person has looked at them", PK: "STORIES#{desk}#{shard}", SK: "REPORT#{id}", Version: "version",
			Peak: 20, Expires: "30 days after a person has looked", Added: whyTold,
			Keys: []model.IndexKey{{Index: "OutboxIndex", PK: "REPORTS", SK: "{reportOrder}"}},
			Fields: []model.Field{
				desk, shard, id,
				{Name: "reportOrder", From: "since, desk and id", Optional: true, Size: 60, Max: 25 + nameMax + idMax + 2},
				{Name: "since", Kind: model.Time, Optional: true},
				{Name: "texts", Kind: model.List, Optional: true, Size: 400, Max: 120 << 10},
				{Name: "more", Kind: model.Number, Optional: true},
				{Name: "settled", Kind: model.List, Optional: true, Size: 64, Max: 16 << 10},
				{Name: "version", Kind: model.Number},
				{Name: "ttl", Kind: model.Epoch, Optional: true},
			}},
		{Name: "Taken", Doc: "who sees to something that waits for a person", PK: "REVIEW", SK: "TAKEN#{item}", Peak: 5, Expires: "after 12 hours", Added: whyTold,
			Fields: []model.Field{
				{Name: "item", Size: 40, Max: 2*nameMax + idMax},
				{Name: "by", Size: 12, Max: nameMax},
				at,
				{Name: "ttl", Kind: model.Epoch},
			}},
		{Name: "Paper", Doc: "how the paper presents itself; one item", PK: "PAPER#{of}", SK: "SETTINGS", Version: "version", Peak: 50, Added: whyPaper,
			Fields: []model.Field{
				paperOf,
				{Name: "name", Optional: true, Size: 16, Max: 256},
				{Name: "descriptions", Kind: model.Map, Optional: true, Size: 120, Max: listMax},
				{Name: "languages", Kind: model.List, Optional: true, Size: 8, Max: 1024},
				{Name: "zone", Optional: true, Size: 10, Max: nameMax},
				{Name: "accent", Optional: true, Size: 7, Max: 7},
				{Name: "logo", Kind: model.Map, Optional: true, Size: 100, Max: 1024},
				{Name: "settled", Kind: model.Bool, Optional: true},
				{Name: "version", Kind: model.Number},
			}},
		{Name: "Emblem", Doc: "the bytes of the paper's logo; one item", PK: "PAPER#{of}", SK: "LOGO", Peak: 5, Added: whyPaper,
			Fields: []model.Field{
				paperOf,
				{Name: "digest", Size: 24, Max: nameMax},
				{Name: "data", Kind: model.Binary, Size: 20 << 10, Max: MaxLogo},
			}},
		{Name: "Front", Doc: "what editors put at the top of the front page in a language", PK: "FRONT#{language}", SK: "PLACES", Version: "version", Peak: 50, Added: whyPaper,
			Fields: []model.Field{
				{Name: "language", Size: 2, Max: nameMax},
				{Name: "places", Kind: model.List, Optional: true, Size: 400, Max: 48 << 10},
				{Name: "version", Kind: model.Number},
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
			Writes: []model.Write{{Entity: "Head", Max: 1}, {Entity: "Event", Max: 1}, {Entity: "Note", Max: 1}}, Added: whyEvent},
		{Name: "NotesOf", Who: "reader", Asks: "what people corrected in a story, the first one first", Op: model.Query, Yields: []string{"Note"}, By: []string{"desk", "shard", "id"},
			Begins: "NOTE#{id}#", Order: "revision", Limit: 50, Strong: true, Added: whyNote},
		{Name: "Corrections", Who: "reader", Asks: "what people corrected or withdrew, the newest first", Op: model.Query, Index: "DeskIndex", Yields: []string{"Note"},
			Desc: true, Order: "noteOrder", Range: "noteOrder", Limit: 50, Shows: []string{"desk", "id", "revision", "noteOrder"}, Added: whyNote},
		{Name: "GetReport", Who: "moderator", Asks: "what readers report of a story", Op: model.Get, Yields: []string{"Report"}, By: []string{"desk", "shard", "id"}, Strong: true, Added: whyTold},
		{Name: "Reports", Who: "moderator", Asks: "the stories of which readers report mistakes, the oldest report first", Op: model.Query, Index: "OutboxIndex", Yields: []string{"Report"},
			Order: "reportOrder", Range: "reportOrder", Limit: 50, Shows: []string{"desk", "id", "reportOrder"}, Added: whyTold},
		{Name: "WriteReport", Who: "reader", Asks: "report a mistake", Op: model.Put, Writes: []model.Write{{Entity: "Report", Max: 1}}, Added: whyTold},
		{Name: "Taken", Who: "moderator", Asks: "who sees to what", Op: model.Query, Yields: []string{"Taken"}, Begins: "TAKEN#", Order: "item", Limit: 100, Strong: true, Added: whyTold},
		{Name: "Take", Who: "moderator", Asks: "see to something, or no longer", Op: model.Put, Writes: []model.Write{{Entity: "Taken", Max: 1}}, Added: whyTold},
		{Name: "GetPaper", Who: "reader", Asks: "how the paper presents itself", Op: model.Get, Yields: []string{"Paper"}, By: []string{"of"}, Strong: true, Added: whyPaper},
		{Name: "GetLogo", Who: "reader", Asks: "the paper's logo", Op: model.Get, Yields: []string{"Emblem"}, By: []string{"of"}, Strong: true, Added: whyPaper},
		{Name: "SetPaper", Who: "operator", Asks: "name the paper, and say how it looks", Op: model.Put,
			Writes: []model.Write{{Entity: "Paper", Max: 1}, {Entity: "Emblem", Max: 1}}, Added: whyPaper},
		{Name: "GetFront", Who: "reader", Asks: "what leads the front page in a language", Op: model.Get, Yields: []string{"Front"}, By: []string{"language"}, Strong: true, Added: whyPaper},
		{Name: "SetFront", Who: "editor", Asks: "put stories at the top of the front page", Op: model.Put, Writes: []model.Write{{Entity: "Front", Max: 1}}, Added: whyPaper},
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
