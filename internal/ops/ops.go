// Package ops is what operators run the newsroom with: jobs and their history,
// the ledger of language models, numbers for the dashboard and for Prometheus,
// checks, readiness, a browser of the stored data, and the trail of what operators
// did.
//
// It promises that of any number of processes one runs a job at a time, that the
// job of a process that died is taken over when its lease lapses, that an action
// of an operator is on record before it takes effect, that a budget holds over all
// processes, and that nothing here scans a table to show a list.
//
// The package knows no desk. It declares small interfaces ([Checker], [Source])
// that desks satisfy, and is given them.
//
// Start with schema.go for what is stored, then job.go and [Scheduler] in
// scheduler.go; [Ledger] in ledger.go, check.go, gauge.go, meter.go, ready.go and
// browse.go stand alone. The
// children are backup, which writes and reads backups, and replay, which keeps
// requests from being done twice.
package ops
