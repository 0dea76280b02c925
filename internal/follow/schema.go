package follow

import "pressroom/model"

// Schema is what is stored of readers and of what they follow.
var Schema = model.Schema{Name: "follow", Tables: []model.Table{table}}

// Longest values in bytes.
const (
	idMax    = 128
	nameMax  = 400
	queryMax = 2000
	urlMax   = 1 << 10
	hashMax  = 64
	agentMax = 200
	listMax  = 8 << 10
)

const (
	whyReader  = "readers are told what they follow, in their language and at their hour"
	whyFollow  = "those who follow a subject are found by the subject, whoever else follows something"
	whySearch  = "a story finds the searches that it fits"
	whyLetter  = "editors put newsletters together from stories, and readers find those that were sent"
	whyConfirm = "nobody can make another's address follow anything"
)

var (
	reader = model.Field{Name: "reader", Size: 26, Max: idMax}
	kind   = model.Field{Name: "kind", Size: 6, Max: 16}
	name   = model.Field{Name: "name", Size: 20, Max: nameMax}
	query  = model.Field{Name: "search", Kind: model.Map, Optional: true, Size: 60, Max: queryMax + listMax}
	ttl    = model.Field{Name: "ttl", Kind: model.Epoch}
)

var table = model.Table{
	Name: "Follows", Env: "FOLLOWS_TABLE", Purpose: "who wants to hear of what",
	PK: model.Key{Name: "pk"}, SK: model.Key{Name: "sk"}, TTL: "ttl", RecoveryDays: 35, Encrypted: true,
	Indexes: []model.Index{
		{Name: "SubjectIndex", PK: model.Key{Name: "GSI1PK"}, SK: model.Key{Name: "GSI1SK"}, Projection: model.KeysOnly,
			Purpose: "who follows a subject; newsletters by their state", Added: whyFollow},
	},
	Entities: []model.Entity{
		{Name: "Reader", Doc: "somebody who follows", PK: "READER#{reader}", SK: "READER", Version: "version", Peak: 50, Added: whyReader,
			Fields: []model.Field{
				reader,
				{Name: "address", Optional: true, Size: 30, Max: 320},
				{Name: "language", Optional: true, Size: 2, Max: 16},
				{Name: "zone", Optional: true, Size: 10, Max: 64},
				{Name: "pace", Values: []string{string(AtOnce), string(Daily), string(Weekly)}},
				{Name: "ways", Kind: model.Set, Optional: true, Size: 8, Max: 512},
				{Name: "hook", Optional: true, Size: 0, Max: urlMax},
				{Name: "feed", Optional: true, Size: 0, Max: 64},
				{Name: "secret", Kind: model.Binary, Size: 32, Max: 64},
				{Name: "created", Kind: model.Time},
				{Name: "version", Kind: model.Number},
			}},
		{Name: "Browser", Doc: "a browser in which a reader is told", PK: "READER#{reader}", SK: "BROWSER#{browser}", Peak: 20, Added: whyReader,
			Fields: []model.Field{
				reader,
				{Name: "browser", Size: 16, Max: 16},
				{Name: "endpoint", Size: 200, Max: urlMax},
				{Name: "keys", Kind: model.Binary, Size: 81, Max: 128},
				{Name: "agent", Optional: true, Size: 100, Max: agentMax},
				{Name: "since", Kind: model.Time},
			}},
		{Name: "Address", Doc: "keeps an address to one reader", PK: "ADDRESS#{address}", SK: "ADDRESS", Peak: 50, Added: whyReader,
			Fields: []model.Field{{Name: "address", Size: 30, Max: 320}, reader}},
		{Name: "Follow", Doc: "a subject that a reader follows", PK: "READER#{reader}", SK: "FOLLOW#{kind}#{name}", Peak: 100, Added: whyFollow,
			Keys: []model.IndexKey{{Index: "SubjectIndex", PK: "SUBJECT#{kind}#{name}", SK: "{reader}"}},
			Fields: []model.Field{
				reader, kind, name,
				{Name: "label", Optional: true, Size: 20, Max: nameMax},
				query,
				{Name: "since", Kind: model.Time},
			}},
		{Name: "Search", Doc: "a search that somebody follows", PK: "SEARCHES#{shard}", SK: "SEARCH#{name}", Peak: 20, Added: whySearch,
			Fields: []model.Field{
				{Name: "shard", From: "the first digit of name", Size: 1, Max: 1},
				{Name: "name", Size: 32, Max: hashMax},
				{Name: "text", Optional: true, Size: 20, Max: queryMax},
				{Name: "desks", Kind: model.List, Optional: true, Max: listMax},
				{Name: "kinds", Kind: model.List, Optional: true, Max: listMax},
				{Name: "languages", Kind: model.List, Optional: true, Max: listMax},
				{Name: "topics", Kind: model.List, Optional: true, Max: listMax},
			}},
		{Name: "Searches", Doc: "how many searches there are, so that a change is noticed", PK: "GENERATION#{all}", SK: "STATE", Peak: 20, Added: whySearch,
			Fields: []model.Field{{Name: "all", Size: 3, Max: 3}, {Name: "count", Kind: model.Number}}},
		{Name: "Request", Doc: "a follow that waits for the owner of an address", PK: "REQUEST#{token_hash}", SK: "REQUEST", Peak: 50, Expires: "after two days", Added: whyConfirm,
			Fields: []model.Field{
				{Name: "token_hash", Size: hashMax, Max: hashMax},
				{Name: "address", Size: 30, Max: 320},
				kind, name,
				{Name: "label", Optional: true, Size: 20, Max: nameMax},
				query,
				{Name: "language", Optional: true, Size: 2, Max: 16},
				{Name: "zone", Optional: true, Size: 10, Max: 64},
				{Name: "expires_at", Kind: model.Time},
				ttl,
			}},
		{Name: "Throttle", Doc: "how many letters an address, or somebody at an address, has asked for", PK: "THROTTLE#{target}", SK: "HOUR#{hour}", Peak: 50, Expires: "after a day", Added: whyConfirm,
			Fields: []model.Field{
				{Name: "target", Size: 40, Max: 400},
				{Name: "hour", Size: 13, Max: 16},
				{Name: "count", Kind: model.Number},
				ttl,
			}},
		{Name: "Letter", Doc: "a newsletter that an editor puts together from stories", PK: "LETTER#{letter}", SK: "LETTER", Version: "version", Peak: 5, Added: whyLetter,
			Keys: []model.IndexKey{{Index: "SubjectIndex", PK: "LETTERS#{state}", SK: "{at}#{letter}"}},
			Fields: []model.Field{
				{Name: "letter", Size: 26, Max: idMax},
				{Name: "state", Values: []string{string(Draft), string(Scheduled), string(Mailing), string(Mailed)}},
				{Name: "at", Kind: model.Time},
				{Name: "title", Size: 60, Max: 4 * letterTitle},
				{Name: "intro", Optional: true, Size: 500, Max: 4 * letterIntro},
				{Name: "stories", Kind: model.List, Optional: true, Size: 300, Max: MostStories * nameMax},
				{Name: "segment", Kind: model.List, Optional: true, Max: MostSegment * (nameMax + 64)},
				{Name: "by", Optional: true, Size: 20, Max: idMax},
				{Name: "version", Kind: model.Number},
			}},
	},
	Patterns: []model.Pattern{
		{Name: "GetLetter", Who: "reader", Asks: "a newsletter", Op: model.Get, Yields: []string{"Letter"}, By: []string{"letter"}, Strong: true, Added: whyLetter},
		{Name: "LettersIn", Who: "reader", Asks: "newsletters in a state, the last first", Op: model.Query, Index: "SubjectIndex", Yields: []string{"Letter"}, By: []string{"state"},
			Desc: true, Order: "at", Limit: 50, Fetch: true, Added: whyLetter},
		{Name: "GetReader", Who: "reader", Asks: "how a reader is told", Op: model.Get, Yields: []string{"Reader"}, By: []string{"reader"}, Strong: true, Added: whyReader},
		{Name: "GetBrowser", Who: "program", Asks: "where a browser is told", Op: model.Get, Yields: []string{"Browser"}, By: []string{"reader", "browser"}, Strong: true, Added: whyReader},
		{Name: "BrowsersOf", Who: "reader", Asks: "in which browsers a reader is told", Op: model.Query, Yields: []string{"Browser"}, By: []string{"reader"}, Begins: "BROWSER#", Limit: 20, Strong: true, Added: whyReader},
		{Name: "GetAddress", Who: "reader", Asks: "whose an address is", Op: model.Get, Yields: []string{"Address"}, By: []string{"address"}, Strong: true, Added: whyReader},
		{Name: "Following", Who: "reader", Asks: "what a reader follows", Op: model.Query, Yields: []string{"Follow"}, By: []string{"reader"}, Begins: "FOLLOW#", Limit: 100, Strong: true, Added: whyFollow},
		{Name: "GetFollow", Who: "program", Asks: "whether a reader still follows something", Op: model.Get, Yields: []string{"Follow"}, By: []string{"reader", "kind", "name"}, Strong: true, Added: whyFollow},
		{Name: "Followers", Who: "program", Asks: "who follows a subject", Op: model.Query, Index: "SubjectIndex", Yields: []string{"Follow"}, By: []string{"kind", "name"},
			Order: "reader", Limit: 1000, Shows: []string{"reader"}, Added: whyFollow},
		{Name: "SearchesOf", Who: "program", Asks: "the searches of a shard", Op: model.Query, Yields: []string{"Search"}, By: []string{"shard"}, Begins: "SEARCH#", Limit: 1000, Strong: true, Added: whySearch},
		{Name: "GetSearches", Who: "program", Asks: "whether searches were added", Op: model.Get, Yields: []string{"Searches"}, By: []string{"all"}, Strong: true, Added: whySearch},
		{Name: "GetRequest", Who: "reader", Asks: "which follow a link confirms", Op: model.Get, Yields: []string{"Request"}, By: []string{"token_hash"}, Strong: true, Added: whyConfirm},
		{Name: "GetThrottle", Who: "program", Asks: "how many letters were asked for", Op: model.Get, Yields: []string{"Throttle"}, By: []string{"target", "hour"}, Strong: true, Added: whyConfirm},
		{Name: "PutFollow", Who: "reader", Asks: "follow something", Op: model.Put, Writes: []model.Write{{Entity: "Follow", Max: 1}, {Entity: "Search", Max: 1}, {Entity: "Searches", Max: 1}}, Added: whyFollow},
		{Name: "AddReader", Who: "reader", Asks: "begin or end following", Op: model.Put, Writes: []model.Write{{Entity: "Reader", Max: 1}, {Entity: "Address", Max: 1}, {Entity: "Request", Max: 1}}, Added: whyReader},
	},
}
