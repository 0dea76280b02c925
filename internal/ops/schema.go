package ops

import (
	"slices"

	"pressroom/model"
)

// Schema is what the operators' side of the newsroom stores.
var Schema = model.Schema{Name: "ops", Tables: []model.Table{table}}

// Longest values.
const (
	nameMax  = 64
	ownerMax = 128
	whoMax   = 256
	textMax  = 2048
	longMax  = 8 << 10
)

// The states of a run.
const (
	Running = "running"
	Done    = "done"
	Failed  = "failed"
	Lost    = "lost" // the process that ran it died, or lost its lease
)

const (
	whyJobs  = "of several processes one runs a job, and operators see what ran and why it failed"
	whyAudit = "who did what, and why, can be told afterwards"
)

var (
	jobName    = model.Field{Name: "job", Size: 16, Max: nameMax}
	runID      = model.Field{Name: "run", Size: 26, Max: 26}
	timeToLive = model.Field{Name: "ttl", Kind: model.Epoch}
	changes    = model.Field{Name: "version", Kind: model.Number}
)

var table = model.Table{
	Name: "Operations", Env: "OPERATIONS_TABLE", Purpose: "jobs with their leases and history, what operators did, and what language models cost",
	PK: model.Key{Name: "pk"}, SK: model.Key{Name: "sk"}, TTL: "ttl", RecoveryDays: 35, Encrypted: true,
	Indexes: []model.Index{
		{Name: "StateIndex", PK: model.Key{Name: "GSI1PK"}, SK: model.Key{Name: "GSI1SK"}, Projection: model.All,
			Purpose: "runs by state, operators' actions by subject, the newest first", Added: whyJobs},
	},
	Entities: slices.Concat([]model.Entity{
		{Name: "Job", Doc: "what a job does next, and who does it", PK: "JOB#{job}", SK: "STATE", Version: "version", Peak: 5, Added: whyJobs,
			Fields: []model.Field{
				jobName,
				{Name: "owner", Optional: true, Size: 32, Max: ownerMax},
				{Name: "until", Kind: model.Time, Optional: true},
				{Name: "run", Optional: true, Size: 26, Max: 26},
				{Name: "last", Optional: true, Size: 26, Max: 26},
				{Name: "paused", Kind: model.Bool},
				{Name: "asked", Optional: true, Size: 26, Max: whoMax},
				{Name: "next", Kind: model.Time, Optional: true},
				{Name: "failures", Kind: model.Number},
				changes,
			}},
		{Name: "Run", Doc: "one run of a job", PK: "JOB#{job}", SK: "RUN#{run}", Version: "version", Peak: 5, Expires: "90 days after it began", Added: whyJobs,
			Keys: []model.IndexKey{{Index: "StateIndex", PK: "RUN#{state}", SK: "{started}#{run}"}},
			Fields: []model.Field{
				jobName, runID,
				{Name: "state", Values: []string{Running, Done, Failed, Lost}},
				{Name: "owner", Size: 32, Max: ownerMax},
				{Name: "asked", Optional: true, Size: 26, Max: whoMax},
				{Name: "started", Kind: model.Time},
				{Name: "ended", Kind: model.Time, Optional: true},
				{Name: "done", Kind: model.Number},
				{Name: "total", Kind: model.Number},
				{Name: "note", Optional: true, Max: textMax},
				{Name: "counts", Kind: model.Map, Optional: true, Max: longMax},
				{Name: "error", Optional: true, Max: longMax},
				timeToLive, changes,
			}},
		{Name: "Action", Doc: "something that an operator did", PK: "ACTIONS", SK: "{action}", Peak: 1, Added: whyAudit,
			Keys: []model.IndexKey{{Index: "StateIndex", PK: "ACTION#{subject}", SK: "{at}#{action}"}},
			Fields: []model.Field{
				{Name: "action", Size: 26, Max: 26},
				{Name: "at", Kind: model.Time},
				{Name: "who", Size: 26, Max: whoMax},
				{Name: "what", Size: 16, Max: nameMax},
				{Name: "subject", Size: 24, Max: 512},
				{Name: "why", Optional: true, Max: textMax},
			}},
	}, ledgerEntities),
	Patterns: slices.Concat([]model.Pattern{
		{Name: "GetJob", Who: "program", Asks: "what a job does next", Op: model.Get, Yields: []string{"Job"}, By: []string{"job"}, Strong: true, Added: whyJobs},
		{Name: "RunsOfJob", Who: "operator", Asks: "the runs of a job, newest first", Op: model.Query, Yields: []string{"Run"}, By: []string{"job"},
			Begins: "RUN#", Desc: true, Order: "run", Limit: 20, Added: whyJobs},
		{Name: "RunsByState", Who: "operator", Asks: "what runs, what failed and why, newest first", Op: model.Query, Index: "StateIndex", Yields: []string{"Run"},
			By: []string{"state"}, Desc: true, Order: "started", Range: "started", Limit: 20, Added: whyJobs},
		{Name: "ClaimJob", Who: "worker", Asks: "begin a run, and say that the one before was lost", Op: model.Put,
			Writes: []model.Write{{Entity: "Job", Max: 1}, {Entity: "Run", Max: 2}}, Added: whyJobs},
		{Name: "EndRun", Who: "worker", Asks: "end a run", Op: model.Put, Writes: []model.Write{{Entity: "Job", Max: 1}, {Entity: "Run", Max: 1}}, Added: whyJobs},
		{Name: "Act", Who: "operator", Asks: "pause, resume or run a job, on record", Op: model.Put,
			Writes: []model.Write{{Entity: "Job", Max: 1}, {Entity: "Action", Max: 1}}, Added: whyAudit},
		{Name: "Actions", Who: "operator", Asks: "what operators did, newest first", Op: model.Query, Yields: []string{"Action"}, Desc: true, Order: "action", Limit: 50, Added: whyAudit},
		{Name: "ActionsOn", Who: "operator", Asks: "what was done to something, newest first", Op: model.Query, Index: "StateIndex", Yields: []string{"Action"},
			By: []string{"subject"}, Desc: true, Order: "at", Limit: 50, Added: whyAudit},
	}, ledgerPatterns),
}
