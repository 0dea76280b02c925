package ops

import "pressroom/model"

const (
	whyLedger = "every call of a language model is on record, with what it cost, whichever process made it"
	whyBudget = "a budget holds over all processes, and over their restarts"
)

var (
	deskName = model.Field{Name: "desk", Size: 8, Max: nameMax}
	dayField = model.Field{Name: "day", Kind: model.Date}
)

// ledgerEntities are the calls, what they add up to, and the budgets. Money is in
// billionths of a US dollar.
var ledgerEntities = []model.Entity{
	{Name: "Call", Doc: "one call of a language model, or one that was refused", PK: "CALLS#{desk}#{day}", SK: "{call}", Peak: 100,
		Expires: "90 days after it began", Added: whyLedger,
		Keys: []model.IndexKey{{Index: "StateIndex", PK: "FAILEDCALLS#{desk}", SK: "{at}#{failure}#{call}"}},
		Fields: []model.Field{
			deskName, dayField,
			{Name: "call", Size: 26, Max: 26},
			{Name: "at", Kind: model.Time},
			{Name: "task", Optional: true, Size: 26, Max: whoMax},
			{Name: "purpose", Optional: true, Size: 8, Max: nameMax},
			{Name: "prompt", Optional: true, Size: 8, Max: nameMax},
			{Name: "provider", Size: 8, Max: nameMax},
			{Name: "model", Size: 16, Max: whoMax},
			{Name: "request", Optional: true, Size: 64, Max: whoMax},
			{Name: "repair", Kind: model.Bool},
			{Name: "input", Kind: model.Number},
			{Name: "cached", Kind: model.Number},
			{Name: "output", Kind: model.Number},
			{Name: "estimated", Kind: model.Bool},
			{Name: "cost", Kind: model.Number},
			{Name: "millis", Kind: model.Number},
			{Name: "failure", Optional: true, Size: 16, Max: nameMax},
			{Name: "error", Optional: true, Max: textMax},
			timeToLive,
		}},
	{Name: "Spend", Doc: "what the calls of a desk add up to on a day", PK: "SPEND#{month}", SK: "{day}#{desk}", Peak: 100,
		Expires: "400 days after the day", Added: whyLedger,
		Fields: []model.Field{
			{Name: "month", Size: 7, Max: 7}, dayField, deskName,
			{Name: "calls", Kind: model.Number},
			{Name: "failed", Kind: model.Number},
			{Name: "input", Kind: model.Number},
			{Name: "cached", Kind: model.Number},
			{Name: "output", Kind: model.Number},
			{Name: "cost", Kind: model.Number},
			{Name: "millis", Kind: model.Number},
			timeToLive,
		}},
	{Name: "Account", Doc: "what is spent or reserved of a budget", PK: "BUDGET#{account}", SK: "STATE", Peak: 100,
		Expires: "when nobody asks for it any more", Added: whyBudget,
		Fields: []model.Field{
			{Name: "account", Size: 32, Max: 512},
			{Name: "committed", Kind: model.Number},
			timeToLive,
		}},
	{Name: "Hold", Doc: "money set aside for a call under way", PK: "HOLD#{hold}", SK: "STATE", Peak: 100,
		Expires: "with the accounts that it counts to", Added: whyBudget,
		Fields: []model.Field{
			{Name: "hold", Size: 26, Max: whoMax},
			{Name: "at", Kind: model.Time},
			{Name: "amount", Kind: model.Number},
			timeToLive,
		}},
}

var ledgerPatterns = []model.Pattern{
	{Name: "CallsOfDay", Who: "operator", Asks: "the calls of a desk on a day, newest first", Op: model.Query, Yields: []string{"Call"}, By: []string{"desk", "day"},
		Desc: true, Order: "call", Limit: 50, Added: whyLedger},
	{Name: "FailedCalls", Who: "operator", Asks: "the calls of a desk that failed and why, newest first", Op: model.Query, Index: "StateIndex", Yields: []string{"Call"},
		By: []string{"desk"}, Desc: true, Order: "at", Range: "at", Limit: 50, Added: whyLedger},
	{Name: "SpendOfMonth", Who: "operator", Asks: "what each desk spent on each day of a month", Op: model.Query, Yields: []string{"Spend"}, By: []string{"month"},
		Order: "day", Range: "day", Limit: 100, Added: whyLedger},
	{Name: "RecordCalls", Who: "program", Asks: "put calls on record, and add them up", Op: model.Put,
		Writes: []model.Write{{Entity: "Call", Max: callBatch}, {Entity: "Spend", Max: spendBatch}}, Added: whyLedger},
	{Name: "GetAccount", Who: "program", Asks: "what is left of a budget", Op: model.Get, Yields: []string{"Account"}, By: []string{"account"}, Strong: true, Added: whyBudget},
	{Name: "GetHold", Who: "operator", Asks: "a reservation", Op: model.Get, Yields: []string{"Hold"}, By: []string{"hold"}, Added: whyBudget},
	{Name: "Reserve", Who: "program", Asks: "set money aside on all accounts, or on none", Op: model.Put,
		Writes: []model.Write{{Entity: "Hold", Max: 1}, {Entity: "Account", Max: 3}}, Added: whyBudget},
	{Name: "Settle", Who: "program", Asks: "replace what was set aside by what was spent", Op: model.Put,
		Writes: []model.Write{{Entity: "Hold", Max: 1}, {Entity: "Account", Max: 3}}, Added: whyBudget},
}

// How many calls, and days and desks, one transaction takes.
const (
	callBatch  = 60
	spendBatch = 20
)
