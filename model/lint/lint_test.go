package lint

import (
	"slices"
	"testing"

	"pressroom/model"
)

// TestDocuments: the documents as written have these defects. Each row is a
// defect of a document, and how it is found.
func TestDocuments(t *testing.T) {
	found := Check(minutesDesign, minutesConsumer, newswireDraft, blogDesign, lexiconSchema)
	for _, tt := range []struct {
		defect string
		kind   Kind
		where  string
	}{
		{"pk is a hash in one document and the issueID in the other", Conflict, tasksTable + ".Task.pk"},
		{"the task of an issueID cannot be found by a hash", NoIndex, tasksTable + ".getTask"},
		{"processingMode has other words in each document", Conflict, tasksTable + ".Task.processingMode"},
		{"a list of indices outgrows a key of S3", ObjectKey, "politopics-prompts.ChunkPrompt"},
		{"two consumers may take one task, or it never ends", NoLease, tasksTable + ".getNextPending"},
		{"a timeline over the issueID has one entry", SingleEntry, "PoliTopics-articles.IssueTimeline"},
		{"latest articles come with the site itself", Leak, "summanow.LatestArticles"},
		{"no feed comes from partitions of one article", NoIndex, "summanow.GlobalFeed"},
		{"retries sort by article", SortOrder, "summanow.RetryBacklog"},
		{"canonicalHash is not unique", NotUnique, "summanow.Article"},
		{"metadata and blocks are in the index of tags and states", Leak, "blog.GSI1"},
		{"tags lack what a list shows", Projection, "blog.PublishedByTag"},
		{"lists by date come by id", SortOrder, "blog.LatestPublished"},
		{"a boolean is no key", KeyType, "TrendingTable.TrendingActiveIndex"},
		{"no term has a source", NoIndex, "LexiconTable.LexiconSourceIndex"},

		{"an article and its index items outgrow a transaction", Transaction, "PoliTopics-articles.Publish"},
		{"a post outgrows a transaction", Transaction, "blog.SavePost"},
		{"voters outgrow an item", ItemSize, "SubmissionsTable.Submission"},
		{"a block outgrows an item", ItemSize, "blog.ContentBlock"},
		{"all articles gather in one partition", Unbounded, "PoliTopics-articles.GSI1"},
		{"one partition of trends is written too fast", HotKey, "TrendingTable.TrendingActiveIndex"},
		{"a user's submissions have no text in the index", Projection, "SubmissionsTable.QueryByUser"},
	} {
		if !slices.ContainsFunc(found, func(f Finding) bool { return f.Kind == tt.kind && f.Where == tt.where }) {
			t.Errorf("not found: %s (%s, %s)", tt.defect, tt.where, tt.kind)
		}
	}
	if t.Failed() {
		for _, f := range found {
			t.Log(f)
		}
	}
}

// good is a small design without a fault; each case below breaks it once.
func good() model.Schema {
	return model.Schema{Name: "good", Tables: []model.Table{{
		Name: "tab", PK: key("PK"), SK: key("SK"),
		Indexes: []model.Index{{Name: "ByState", PK: key("GPK"), SK: key("GSK"), Projection: model.Include, Include: []string{"title"}}},
		Entities: []model.Entity{
			{Name: "Job", PK: "JOB#{id}", SK: "META", Peak: 10, Identity: []string{"id"},
				Keys: []model.IndexKey{{Index: "ByState", PK: "STATE#{state}", SK: "{at}"}},
				Fields: []model.Field{{Name: "id"}, {Name: "title"}, {Name: "state", Values: []string{"open", "done", "dead"}}, {Name: "at", Kind: model.Time},
					{Name: "until", Kind: model.Time}, {Name: "log", Kind: model.List, Max: 1000}, {Name: "hash", Unique: true}}},
			{Name: "Guard", PK: "HASH#{hash}", SK: "JOB", Guards: "hash", Fields: text("hash")},
		},
		Patterns: []model.Pattern{
			{Name: "Open", Op: model.Query, Index: "ByState", Yields: []string{"Job"}, By: []string{"state"}, Order: "at", Limit: 20, Shows: []string{"id", "title", "state", "at"},
				Work: &model.Work{Lease: "until", State: "state", Ends: "dead"}},
			{Name: "Save", Op: model.Put, Writes: []model.Write{{Entity: "Job", Max: 1}, {Entity: "Guard", Max: 1}}},
		},
	}}, Buckets: []model.Bucket{{Name: "buck", Objects: []model.Object{{Name: "Log", Key: "logs/{id}", Vars: []model.Field{{Name: "id", Max: 100}}}}}}}
}

func TestCheck(t *testing.T) {
	if found := Check(good()); len(found) != 0 {
		t.Fatalf("a good design has findings: %v", found)
	}
	for _, tt := range []struct {
		kind  Kind
		spoil func(*model.Schema, *model.Table)
	}{
		{NoIndex, func(_ *model.Schema, tab *model.Table) { tab.Patterns[0].By = nil }},
		{SortOrder, func(_ *model.Schema, tab *model.Table) { tab.Patterns[0].Order = "title" }},
		{Leak, func(_ *model.Schema, tab *model.Table) {
			tab.Entities[1].Fields = append(tab.Entities[1].Fields, text("GPK", "GSK")...)
		}},
		{Projection, func(_ *model.Schema, tab *model.Table) { tab.Patterns[0].Shows = []string{"log"} }},
		{KeyType, func(_ *model.Schema, tab *model.Table) { tab.Indexes[0].PK.Kind = model.Bool }},
		{Unbounded, func(_ *model.Schema, tab *model.Table) { tab.Entities[0].Peak = 0 }},
		{HotKey, func(_ *model.Schema, tab *model.Table) { tab.Entities[0].Peak = 2000 }},
		{ItemSize, func(_ *model.Schema, tab *model.Table) { tab.Entities[0].Fields[5].Max = 0 }},
		{ItemSize, func(_ *model.Schema, tab *model.Table) { tab.Entities[0].Fields[5].Max = 400 << 10 }},
		{Transaction, func(_ *model.Schema, tab *model.Table) { tab.Patterns[1].Writes[0].Max = 100 }},
		{NotUnique, func(_ *model.Schema, tab *model.Table) { tab.Entities[1].Guards = "" }},
		{NoLease, func(_ *model.Schema, tab *model.Table) { tab.Patterns[0].Work.Lease = "" }},
		{NoLease, func(_ *model.Schema, tab *model.Table) { tab.Patterns[0].Work.Ends = "gone" }},
		{SingleEntry, func(_ *model.Schema, tab *model.Table) {
			tab.Entities[0].Keys[0].PK = "STATE#{id}"
			tab.Patterns[0].By, tab.Patterns[0].Shows = []string{"id"}, []string{"id"}
		}},
		{ObjectKey, func(s *model.Schema, _ *model.Table) { s.Buckets[0].Objects[0].Vars[0].Max = 1024 }},
		{Conflict, func(s *model.Schema, tab *model.Table) {
			again := good().Tables[0]
			again.Entities[0].Fields[2].Values = []string{"open", "shut", "dead"}
			again.Patterns = nil
			s.Tables = append(s.Tables, again)
		}},
	} {
		s := good()
		tt.spoil(&s, &s.Tables[0])
		found := Check(s)
		if len(found) == 0 || slices.ContainsFunc(found, func(f Finding) bool { return f.Kind != tt.kind }) {
			t.Errorf("%s: found %v", tt.kind, found)
		}
	}
}
