package replay

import "pressroom/model"

// Schema is the one table that the package has.
var Schema = model.Schema{Name: "replay", Tables: []model.Table{table}}

// Longest values: names are hashes, owners random texts.
const (
	hashMax   = 64
	ownerMax  = 64
	answerMax = 380 << 10
)

const why = "what was done once under a key of the caller's is not done twice, by any process, also after a restart"

var table = model.Table{
	Name: "Replays", Env: "REPLAYS_TABLE", Purpose: "answers to requests that were sent with a key, for a day",
	PK: model.Key{Name: "pk"}, TTL: "ttl", RecoveryDays: 35, Encrypted: true,
	Entities: []model.Entity{
		{Name: "Replay", Doc: "a request that is being done or was done", PK: "REPLAY#{name}", Version: "version", Peak: 50,
			Expires: "24 hours after it began",
			Fields: []model.Field{
				{Name: "name", InKey: true, Size: hashMax, Max: hashMax},
				{Name: "print", Size: hashMax, Max: hashMax},
				{Name: "owner", Size: 26, Max: ownerMax},
				{Name: "until", Kind: model.Time},
				{Name: "answer", Kind: model.Binary, Optional: true, Size: 1 << 10, Max: answerMax},
				{Name: "ttl", Kind: model.Epoch},
				{Name: "version", Kind: model.Number},
			},
			Added: why},
	},
	Patterns: []model.Pattern{
		{Name: "GetReplay", Who: "program", Asks: "whether a request was done", Op: model.Get, Yields: []string{"Replay"}, By: []string{"name"}, Strong: true, Added: why},
		{Name: "PutReplay", Who: "program", Asks: "claim a request, keep its answer", Op: model.Put, Writes: []model.Write{{Entity: "Replay", Max: 1}}, Added: why},
	},
}
