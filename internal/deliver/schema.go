package deliver

import (
	"pressroom/internal/story"
	"pressroom/model"
)

// Schema is what is stored of deliveries.
var Schema = model.Schema{Name: "deliver", Tables: []model.Table{table}}

// Longest values in bytes.
const (
	nameMax   = 64
	idMax     = 256
	reasonMax = 1 << 10
	titleMax  = 300
	targetMax = 1 << 10
	digestMax = 100 << 10
)

const (
	whyOnce     = "each story reaches each recipient by each channel once in each revision, whichever process dies"
	whyGot      = "corrections and withdrawals reach exactly those who got the story"
	whySeen     = "readers see what they were sent, operators what could not be"
	whySuppress = "nobody writes again to an address that does not exist, or whose owner complained"
)

var (
	part      = model.Field{Name: "part", From: "a hash of recipient", Size: 1, Max: 2}
	recipient = model.Field{Name: "recipient", Size: 26, Max: idMax}
	channel   = model.Field{Name: "channel", Size: 4, Max: nameMax}
)

var table = model.Table{
	Name: "Deliveries", Env: "DELIVERIES_TABLE", Purpose: "what readers are sent, and what became of it",
	PK: model.Key{Name: "pk"}, SK: model.Key{Name: "sk"}, TTL: "ttl", RecoveryDays: 35, Encrypted: true,
	Indexes: []model.Index{
		{Name: "QueueIndex", PK: model.Key{Name: "GSI1PK"}, SK: model.Key{Name: "GSI1SK"}, Projection: model.KeysOnly,
			Purpose: "what is to be sent, by when it is due, and what was given up", Added: whyOnce},
		{Name: "ListIndex", PK: model.Key{Name: "GSI2PK"}, SK: model.Key{Name: "GSI2SK"}, Projection: model.KeysOnly,
			Purpose: "what a recipient was sent, and addresses that get nothing", Added: whySeen},
	},
	Entities: []model.Entity{
		{Name: "Delivery", Doc: "a story that one recipient is sent by one channel, in one revision", PK: "STORY#{desk}#{id}#{part}", SK: "TO#{recipient}#{revision:010}#{channel}",
			Version: "version", Peak: 500, Expires: "after 400 days", Added: whyOnce,
			Keys: []model.IndexKey{
				{Index: "QueueIndex", PK: "QUEUE#{queue}", SK: "{due}#{recipient}"},
				{Index: "ListIndex", PK: "TO#{recipient}", SK: "{created}#{desk}#{id}"},
			},
			Fields: []model.Field{
				{Name: "desk", Size: 8, Max: nameMax},
				{Name: "id", Size: 26, Max: idMax},
				part, recipient,
				{Name: "revision", Kind: model.Number},
				channel,
				{Name: "what", Values: []string{string(story.Published), string(story.Changed), string(story.Corrected), string(story.Withdrawn)}},
				{Name: "title", Optional: true, Size: 60, Max: titleMax},
				{Name: "state", Values: []string{string(Waiting), string(Sending), string(Sent), string(Gathered), string(Dropped), string(Failed)}},
				{Name: "queue", From: "part while it waits, failed when it was given up", Optional: true, Size: 2, Max: nameMax},
				{Name: "due", Kind: model.Time, Optional: true},
				{Name: "attempts", Kind: model.Number},
				{Name: "doubtful", Kind: model.Number},
				{Name: "reason", Optional: true, Size: 20, Max: reasonMax},
				{Name: "created", Kind: model.Time},
				{Name: "sentAt", Kind: model.Time, Optional: true},
				{Name: "digest", Optional: true, Size: 20, Max: nameMax},
				{Name: "stories", Kind: model.Set, Optional: true, Size: 100, Max: digestMax},
				{Name: "ttl", Kind: model.Epoch},
				{Name: "version", Kind: model.Number},
			}},
		{Name: "Partition", Doc: "which process sends what is to be sent to a part of the recipients", PK: "PARTITION#{part}", SK: "LEASE", Peak: 50, Added: whyOnce,
			Fields: []model.Field{
				part,
				{Name: "owner", Optional: true, Size: 26, Max: nameMax},
				{Name: "beat", Kind: model.Number},
			}},
		{Name: "Suppression", Doc: "an address that gets nothing any more", PK: "SUPPRESSED#{channel}#{target}", SK: "SUPPRESSED", Peak: 50, Added: whySuppress,
			Keys: []model.IndexKey{{Index: "ListIndex", PK: "SUPPRESSED#{channel}", SK: "{at}#{target}"}},
			Fields: []model.Field{
				channel,
				{Name: "target", Size: 30, Max: targetMax},
				{Name: "reason", Size: 40, Max: reasonMax},
				{Name: "at", Kind: model.Time},
			}},
		{Name: "Strikes", Doc: "the days on which an address refused a message for good", PK: "STRIKES#{channel}#{target}", SK: "STRIKES", Peak: 20, Expires: "after 30 days", Added: whySuppress,
			Fields: []model.Field{
				channel,
				{Name: "target", Size: 30, Max: targetMax},
				{Name: "days", Kind: model.Set, Size: 10, Max: 400},
				{Name: "ttl", Kind: model.Epoch},
			}},
	},
	Patterns: []model.Pattern{
		{Name: "About", Who: "program", Asks: "who was sent a story, in one part of the recipients", Op: model.Query, Yields: []string{"Delivery"}, By: []string{"desk", "id", "part"},
			Begins: "TO#", Order: "recipient", Limit: 100, Strong: true, Added: whyGot},
		{Name: "GetDelivery", Who: "program", Asks: "what became of a delivery", Op: model.Get, Yields: []string{"Delivery"}, By: []string{"desk", "id", "part", "recipient", "revision", "channel"}, Strong: true, Added: whyOnce},
		{Name: "Due", Who: "worker", Asks: "what is to be sent, or was given up, by when it is due", Op: model.Query, Index: "QueueIndex", Yields: []string{"Delivery"}, By: []string{"queue"},
			Order: "due", Range: "due", Limit: perPage, Fetch: true, Added: whyOnce},
		{Name: "Waits", Who: "worker", Asks: "whether anything is to be sent", Op: model.Query, Index: "QueueIndex", Yields: []string{"Delivery"}, By: []string{"queue"},
			Order: "due", Range: "due", Limit: 2, Shows: []string{"recipient", "due"}, Added: whyOnce},
		{Name: "GivenUp", Who: "operator", Asks: "what could not be sent, the last first", Op: model.Query, Index: "QueueIndex", Yields: []string{"Delivery"}, Given: model.Values{"queue": failedQueue},
			Desc: true, Order: "due", Limit: 50, Fetch: true, Added: whySeen},
		{Name: "To", Who: "reader", Asks: "what a recipient was sent, the last first", Op: model.Query, Index: "ListIndex", Yields: []string{"Delivery"}, By: []string{"recipient"},
			Desc: true, Order: "created", Range: "created", Limit: 50, Fetch: true, Added: whySeen},
		{Name: "Add", Who: "program", Asks: "write down what is to be sent", Op: model.Put, Writes: []model.Write{{Entity: "Delivery", Max: perWrite}}, Added: whyOnce},
		{Name: "GetPartition", Who: "worker", Asks: "who works on a part", Op: model.Get, Yields: []string{"Partition"}, By: []string{"part"}, Strong: true, Added: whyOnce},
		{Name: "TakePartition", Who: "worker", Asks: "take a part, keep it, or give it back", Op: model.Put, Writes: []model.Write{{Entity: "Partition", Max: 1}}, Added: whyOnce},
		{Name: "GetSuppression", Who: "worker", Asks: "whether an address gets nothing", Op: model.Get, Yields: []string{"Suppression"}, By: []string{"channel", "target"}, Strong: true, Added: whySuppress},
		{Name: "GetStrikes", Who: "worker", Asks: "on which days an address refused", Op: model.Get, Yields: []string{"Strikes"}, By: []string{"channel", "target"}, Strong: true, Added: whySuppress},
		{Name: "Suppressions", Who: "operator", Asks: "which addresses of a channel get nothing, the last first", Op: model.Query, Index: "ListIndex", Yields: []string{"Suppression"}, By: []string{"channel"},
			Desc: true, Order: "at", Limit: 50, Fetch: true, Added: whySuppress},
	},
}
