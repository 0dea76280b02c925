package thread

import "pressroom/model"

// Schema is what is stored of threads.
var Schema = model.Schema{Name: "thread", Tables: []model.Table{table}}

// Longest values in bytes.
const (
	nameMax = 64
	idMax   = 256
	listMax = 120 << 10
	textMax = 400
)

const (
	whyThread   = "readers see what belongs together, and why"
	whyDecision = "what editors decide stays decided, whatever comes and whoever computes the threads again"
)

var (
	threadField = model.Field{Name: "thread", Size: 26, Max: nameMax}
	byField     = model.Field{Name: "by", Size: 12, Max: nameMax}
)

var table = model.Table{
	Name: "Threads", Env: "THREADS_TABLE", Purpose: "which stories belong together, and what editors decided about it",
	PK: model.Key{Name: "pk"}, SK: model.Key{Name: "sk"}, RecoveryDays: 35, Encrypted: true,
	Indexes: []model.Index{
		{Name: "LatestIndex", PK: model.Key{Name: "GSI1PK"}, SK: model.Key{Name: "GSI1SK"}, Projection: model.KeysOnly,
			Purpose: "threads by their last story", Added: whyThread},
	},
	Entities: []model.Entity{
		{Name: "Thread", Doc: "the stories of a thread, and what they share; of one that became part of another only which", PK: "THREAD#{thread}", SK: "THREAD",
			Version: "version", Peak: 50, Added: whyThread,
			Keys: []model.IndexKey{{Index: "LatestIndex", PK: "THREADS", SK: "{order}"}},
			Fields: []model.Field{
				threadField,
				{Name: "order", From: "the order of the last story, and thread", Optional: true, Size: 78, Max: 26 + idMax + nameMax},
				{Name: "name", Optional: true, Size: 0, Max: textMax},
				{Name: "stories", Kind: model.List, Optional: true, Size: 600, Max: listMax},
				{Name: "shared", Kind: model.List, Optional: true, Size: 400, Max: listMax},
				{Name: "into", Optional: true, Size: 0, Max: nameMax},
				{Name: "was", Kind: model.List, Optional: true, Size: 0, Max: listMax},
				{Name: "version", Kind: model.Number},
			}},
		{Name: "Place", Doc: "the thread of a story; a story without one stands alone", PK: "STORY#{desk}#{id}", SK: "PLACE", Peak: 100, Added: whyThread,
			Fields: []model.Field{
				{Name: "desk", Size: 8, Max: nameMax},
				{Name: "id", Size: 26, Max: idMax},
				threadField,
			}},
		{Name: "Decision", Doc: "what an editor decided about threads, by the stories that were in them", PK: "DECISIONS", SK: "DECISION#{decision}",
			Version: "version", Peak: 5, Added: whyDecision,
			Fields: []model.Field{
				{Name: "decision", Size: 26, Max: nameMax},
				{Name: "what", Values: []string{ToSplit, ToMerge, ToName}},
				threadField,
				{Name: "other", Optional: true, Size: 26, Max: nameMax},
				{Name: "moved", Kind: model.List, Optional: true, Size: 100, Max: listMax},
				{Name: "stayed", Kind: model.List, Optional: true, Size: 100, Max: listMax},
				{Name: "name", Optional: true, Size: 0, Max: textMax},
				{Name: "before", Optional: true, Size: 0, Max: textMax},
				byField,
				{Name: "at", Kind: model.Time},
				{Name: "undoneBy", Optional: true, Size: 0, Max: nameMax},
				{Name: "undoneAt", Kind: model.Time, Optional: true},
				{Name: "version", Kind: model.Number},
			}},
		{Name: "Decided", Doc: "how often editors have decided, so that whoever computes threads misses nothing", PK: "GENERATION#{all}", SK: "STATE", Peak: 5, Added: whyDecision,
			Fields: []model.Field{{Name: "all", Size: 3, Max: 3}, {Name: "count", Kind: model.Number}}},
	},
	Patterns: []model.Pattern{
		{Name: "GetThread", Who: "reader", Asks: "the stories of a thread", Op: model.Get, Yields: []string{"Thread"}, By: []string{"thread"}, Strong: true, Added: whyThread},
		{Name: "Latest", Who: "reader", Asks: "the threads, those with the newest stories first", Op: model.Query, Index: "LatestIndex", Yields: []string{"Thread"},
			Desc: true, Order: "order", Range: "order", Limit: 50, Shows: []string{"thread", "order"}, Added: whyThread},
		{Name: "GetPlace", Who: "reader", Asks: "the thread of a story", Op: model.Get, Yields: []string{"Place"}, By: []string{"desk", "id"}, Strong: true, Added: whyThread},
		{Name: "Decisions", Who: "editor", Asks: "what editors decided, the last first", Op: model.Query, Yields: []string{"Decision"}, Begins: "DECISION#",
			Desc: true, Order: "decision", Limit: 100, Strong: true, Added: whyDecision},
		{Name: "GetDecision", Who: "editor", Asks: "one decision", Op: model.Get, Yields: []string{"Decision"}, By: []string{"decision"}, Strong: true, Added: whyDecision},
		{Name: "GetDecided", Who: "program", Asks: "whether editors decided something", Op: model.Get, Yields: []string{"Decided"}, By: []string{"all"}, Strong: true, Added: whyDecision},
		{Name: "Settle", Who: "program", Asks: "put stories into threads, as far as all decisions are known", Op: model.Put,
			Writes: []model.Write{{Entity: "Thread", Max: perSettle}, {Entity: "Place", Max: 1}, {Entity: "Decided", Max: 1}}, Added: whyThread},
		{Name: "Decide", Who: "editor", Asks: "split, merge or name threads, or undo that", Op: model.Put,
			Writes: []model.Write{{Entity: "Decision", Max: 1}, {Entity: "Decided", Max: 1}, {Entity: "Thread", Max: 2}, {Entity: "Place", Max: mostMoved}}, Added: whyDecision},
	},
}
