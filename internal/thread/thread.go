// Package thread finds the stories that belong together: those that tell of one event or
// one matter, and among them the printings of one report.
//
// It promises three things. In doubt stories stay apart. The cost of a story does not grow with the
// number of stories: only stories that share a rare term with it are compared with it. And
// the order of arrival changes nothing that matters: whenever a story comes, everything
// that hangs together with it is put together anew.
//
// A story becomes terms (term.go): words, names, numbers, days, titles and bills. Two stories are
// compared by the terms that they share (pair.go), two texts by their sentences (printing.go).
// An [Index] holds what was seen and puts each story into its thread (index.go).
// A [Follower] keeps the table of [Threads] equal to that as stories come (follow.go), editors
// decide (decision.go), and whoever shows a thread gets a [View] of it (show.go).
// Languages meet in numbers, days, and names as they sound (sound.go).
package thread

import "time"

// Story is what the rules read of a story.
type Story struct {
	ID        string
	Desk      string
	Entry     bool   // an entry of the glossary: its title is the term
	Source    string // the paper, agency or parliament; "" for the newsroom
	Language  string // ja, en
	Published time.Time
	Order     string // its place in lists, as text that sorts
	Mark      uint32 // stands for what it says: another when its words are
	Title     string
	Summary   string
	Text      string
	Section   string
	People    []string
	Bills     []string
	Topics    []string
}
