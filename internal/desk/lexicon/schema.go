// Package lexicon is the desk of the community's glossary: terms, submissions
// with votes and moderation, trends, users with tiers and daily limits, quizzes
// and translations.
//
// It promises that votes, limits and approvals are right under any number of
// callers at once. schema.go declares the data: read it first.
package lexicon

import "pressroom/model"

// Schema is the desk's tables.
var Schema = model.Schema{
	Name:   "lexicon",
	Tables: []model.Table{submissions, terms, trending, users, translations},
}

const (
	idMax   = 128
	termMax = 800
	textMax = 8 << 10
	listMax = 32 << 10
)

var (
	pk = model.Key{Name: "PK"}
	sk = model.Key{Name: "SK"}

	submissionStates = []string{"pending", "validated", "auto_approved", "rejected", "admin_approved", "admin_rejected"}
	validationStates = []string{"pending_validation", "validated", "auto_approved", "rejected"}
	difficulties     = []string{"beginner", "intermediate", "advanced"}
	tiers            = []string{"free", "premium"}
	languages        = []string{"en", "ja"}
	facets           = []string{"tag", "region", "category", "initial"}

	slug = model.Field{Name: "slug", InKey: true, Size: 12, Max: termMax}
)

const (
	aboutVotes = "one vote per person, also when the voters do not fit into one item"
	aboutQueue = "twenty upvotes put a validated term first; then votes and confidence count as age"
	aboutAudit = "who decided what, when and why"
	aboutNames = "terms are looked up by every spelling, and no two terms look the same"
	aboutTally = "uses are counted without a hot key"
)

var submissions = model.Table{
	Name: "SubmissionsTable", Env: "SUBMISSIONS_TABLE", Purpose: "submissions of terms, and their moderation",
	PK: pk, SK: sk, TTL: "ttl", RecoveryDays: 35, Encrypted: true, Stream: "NEW_AND_OLD_IMAGES",
	Indexes: []model.Index{
		{Name: "SubmissionsStatusIndex", PK: model.Key{Name: "status"}, SK: model.Key{Name: "created_at"}, Projection: model.Include,
			Include: []string{"submission_id", "user_id", "slang_term", "context"}, Purpose: "moderation queues and voting"},
		{Name: "SubmissionsByUserIndex", PK: model.Key{Name: "user_id"}, SK: model.Key{Name: "created_at"}, Projection: model.KeysOnly, Purpose: "a user's submissions"},
		{Name: "SubmissionsByIdIndex", PK: model.Key{Name: "submission_id"}, Projection: model.All, Purpose: "a submission by its id"},
		{Name: "ValidationStatusIndex", PK: model.Key{Name: "llm_validation_status"}, Projection: model.Include,
			Include: []string{"submission_id", "user_id", "slang_term"}, Purpose: "the validator's queue"},
		{Name: "SubmissionsQueueIndex", PK: model.Key{Name: "queue"}, SK: model.Key{Name: "queue_order"}, Projection: model.Include,
			Include: []string{"submission_id", "user_id", "slang_term", "context", "upvotes"}, Purpose: "the moderators' queue in its order", Added: aboutQueue},
		{Name: "SubmissionsVotesByUserIndex", PK: model.Key{Name: "voter_id"}, SK: model.Key{Name: "voted_at"}, Projection: model.KeysOnly,
			Purpose: "a user's votes", Added: "deleting an account removes its votes"},
	},
	Entities: []model.Entity{
		{Name: "Submission", Doc: "a term that a user proposes", PK: "TERM#{slug}", SK: "SUBMISSION#{submission_id}", Identity: []string{"submission_id"}, Expires: "if ttl is set", Version: "version", Missing: missingOfSubmission, Peak: 20,
			Keys: []model.IndexKey{
				{Index: "SubmissionsStatusIndex", PK: "{status}", SK: "{created_at}"},
				{Index: "SubmissionsByUserIndex", PK: "{user_id}", SK: "{created_at}"},
				{Index: "SubmissionsByIdIndex", PK: "{submission_id}"},
				{Index: "ValidationStatusIndex", PK: "{llm_validation_status}"},
				{Index: "SubmissionsQueueIndex", PK: "QUEUE#{status}", SK: "{queue_rank}#{queue_at}", When: &model.Condition{Field: "status", In: []string{"validated"}}},
			},
			Fields: []model.Field{
				{Name: "submission_id", Size: 26, Max: idMax},
				{Name: "user_id", Size: 26, Max: idMax},
				{Name: "slang_term", Size: 12, Max: termMax},
				{Name: "meaning", Size: 120, Max: textMax},
				{Name: "example_usage", Size: 120, Max: textMax},
				{Name: "context", Size: 60, Max: textMax},
				{Name: "status", Values: submissionStates},
				{Name: "created_at", Kind: model.Time},
				{Name: "reviewed_at", Kind: model.Time, Optional: true},
				{Name: "approval_type", Optional: true, Size: 10, Max: idMax},
				{Name: "reviewed_by", Optional: true, Size: 26, Max: idMax},
				{Name: "llm_validation_status", Values: validationStates},
				{Name: "llm_validation_result", Kind: model.Map, Optional: true, Size: 400, Max: listMax},
				{Name: "upvotes", Kind: model.Number},
				{Name: "upvoted_by", Kind: model.Set, Optional: true, Size: 100, Max: 1000 * (idMax + 1)},
				{Name: "ttl", Kind: model.Epoch, Optional: true},
				slug,
				{Name: "queue_rank", Values: []string{"0", "1"}, Added: true},
				{Name: "queue_at", Kind: model.Time, Added: true},
				{Name: "reason", Optional: true, Size: 80, Max: textMax, Added: true},
				{Name: "decided_from", Values: submissionStates, Optional: true, Added: true},
				{Name: "attempts", Kind: model.Number, Optional: true, Added: true},
				{Name: "next_attempt_at", Kind: model.Time, Optional: true, Added: true},
				{Name: "lease_owner", Optional: true, Size: 26, Max: 26, Added: true},
				{Name: "lease_until", Kind: model.Time, Optional: true, Added: true},
				{Name: "last_error", Optional: true, Size: 60, Max: textMax, Added: true},
				{Name: "version", Kind: model.Number, Added: true},
			}},
		{Name: "Vote", Doc: "one person's vote", PK: "TERM#{slug}", SK: "VOTE#{voted_submission}#{voter_id}", Expires: "with the submission", Peak: 200,
			Keys: []model.IndexKey{{Index: "SubmissionsVotesByUserIndex", PK: "{voter_id}", SK: "{voted_at}"}},
			Fields: []model.Field{
				slug,
				{Name: "voted_submission", Size: 26, Max: idMax},
				{Name: "voter_id", Size: 26, Max: idMax},
				{Name: "voted_at", Kind: model.Time},
				{Name: "ttl", Kind: model.Epoch, Optional: true},
			},
			Added: aboutVotes},
		{Name: "Audit", Doc: "one step in the life of a submission", PK: "TERM#{slug}", SK: "AUDIT#{audited_submission}#{audit_id}", Expires: "with the submission", Peak: 20,
			Fields: []model.Field{
				slug,
				{Name: "audited_submission", Size: 26, Max: idMax},
				{Name: "audit_id", Size: 26, Max: idMax},
				{Name: "action", Size: 8, Max: 64},
				{Name: "actor", Size: 26, Max: idMax},
				{Name: "at", Kind: model.Time},
				{Name: "reason", Optional: true, Size: 80, Max: textMax},
				{Name: "from_status", Values: submissionStates, Optional: true},
				{Name: "to_status", Values: submissionStates, Optional: true},
				{Name: "changes", Kind: model.Map, Optional: true, Size: 200, Max: 2 * listMax},
				{Name: "ttl", Kind: model.Epoch, Optional: true},
			},
			Added: aboutAudit},
		{Name: "Recent", Doc: "a term that was submitted lately", PK: "TERM#{slug}", SK: "RECENT", Expires: "7 days", Peak: 20,
			Fields: []model.Field{
				slug,
				{Name: "until", Kind: model.Time},
				{Name: "ttl", Kind: model.Epoch},
			},
			Added: "a term may be submitted once in seven days, also by two people at once"},
	},
	Patterns: []model.Pattern{
		{Name: "SubmissionsByStatus", Ref: "SubmissionsRepository 1", Who: "moderator", Asks: "submissions in a state, the oldest first",
			Op: model.Query, Index: "SubmissionsStatusIndex", Yields: []string{"Submission"}, By: []string{"status"}, Order: "created_at", Range: "created_at", Limit: 20,
			Shows: []string{"submission_id", "user_id", "slang_term", "context", "status", "created_at", "slug"}},
		{Name: "SubmissionsByUser", Ref: "SubmissionsRepository 2", Who: "user", Asks: "a user's submissions, the newest first",
			Op: model.Query, Index: "SubmissionsByUserIndex", Yields: []string{"Submission"}, By: []string{"user_id"}, Desc: true, Order: "created_at", Range: "created_at", Limit: 20, Fetch: true},
		{Name: "GetSubmission", Ref: "SubmissionsRepository 3", Who: "moderator", Asks: "a submission by its id",
			Op: model.Query, Index: "SubmissionsByIdIndex", Yields: []string{"Submission"}, By: []string{"submission_id"}, Limit: 1},
		{Name: "SubmissionsToValidate", Ref: "SubmissionsRepository 4", Who: "worker", Asks: "submissions in a state of validation",
			Op: model.Query, Index: "ValidationStatusIndex", Yields: []string{"Submission"}, By: []string{"llm_validation_status"}, Limit: 20, Fetch: true,
			Work: &model.Work{Lease: "lease_until", State: "llm_validation_status", Ends: "validated"}},
		{Name: "ModerationQueue", Who: "moderator", Asks: "validated terms, those with many upvotes first, then by age, votes and confidence",
			Op: model.Query, Index: "SubmissionsQueueIndex", Yields: []string{"Submission"}, Given: model.Values{"status": "validated"}, Order: "queue_rank", Limit: 20,
			Shows: []string{"submission_id", "user_id", "slang_term", "context", "upvotes", "slug"}, Added: aboutQueue},
		{Name: "SubmissionsOfTerm", Who: "user", Asks: "the submissions of a term",
			Op: model.Query, Yields: []string{"Submission"}, By: []string{"slug"}, Begins: "SUBMISSION#", Desc: true, Order: "submission_id", Limit: 20, Added: "a term may be submitted once in seven days"},
		{Name: "GetVote", Who: "user", Asks: "whether a person voted",
			Op: model.Get, Yields: []string{"Vote"}, By: []string{"slug", "voted_submission", "voter_id"}, Strong: true, Added: aboutVotes},
		{Name: "VotesOfSubmission", Who: "user", Asks: "the votes for a submission",
			Op: model.Query, Yields: []string{"Vote"}, By: []string{"slug", "voted_submission"}, Begins: "VOTE#{voted_submission}#", Order: "voter_id", Limit: 100, Added: "votes go with their submission"},
		{Name: "AuditOfSubmission", Who: "moderator", Asks: "what was decided on a submission, the newest first",
			Op: model.Query, Yields: []string{"Audit"}, By: []string{"slug", "audited_submission"}, Begins: "AUDIT#{audited_submission}#", Desc: true, Order: "audit_id", Limit: 20, Strong: true, Added: aboutAudit},
		{Name: "GetRecent", Who: "user", Asks: "until when a term cannot be submitted again",
			Op: model.Get, Yields: []string{"Recent"}, By: []string{"slug"}, Strong: true, Added: "a term may be submitted once in seven days"},
		{Name: "VotesByUser", Who: "user", Asks: "a user's votes",
			Op: model.Query, Index: "SubmissionsVotesByUserIndex", Yields: []string{"Vote"}, By: []string{"voter_id"}, Desc: true, Order: "voted_at", Limit: 100,
			Shows: []string{"slug", "voted_submission", "voter_id", "voted_at"}, Added: "deleting an account removes its votes"},
		{Name: "CastVote", Who: "user", Asks: "vote",
			Op: model.Put, Writes: []model.Write{{Entity: "Vote", Max: 1}, {Entity: "Submission", Max: 1}}, Added: aboutVotes},
		{Name: "Decide", Who: "moderator", Asks: "approve, reject, edit or undo",
			Op: model.Put, Writes: []model.Write{{Entity: "Submission", Max: 1}, {Entity: "Audit", Max: 1}}, Added: aboutAudit},
	},
}

var quizShows = []string{"term", "gloss", "examples", "tags", "quiz_score", "slug"}

var terms = model.Table{
	Name: "LexiconTable", Env: "LEXICON_TABLE", Purpose: "the terms of the glossary",
	PK: pk, SK: sk, RecoveryDays: 35, Encrypted: true, Stream: "NEW_AND_OLD_IMAGES",
	Indexes: []model.Index{
		{Name: "LexiconSourceIndex", PK: model.Key{Name: "source"}, SK: model.Key{Name: "term"}, Projection: model.KeysOnly, Purpose: "exports, and checks after an import"},
		{Name: "LexiconQuizDifficultyIndex", PK: model.Key{Name: "quiz_difficulty"}, SK: model.Key{Name: "quiz_score", Kind: model.Number}, Projection: model.Include,
			Include: []string{"term", "gloss", "examples", "tags"}, Purpose: "quizzes by difficulty"},
		{Name: "LexiconQuizCategoryIndex", PK: model.Key{Name: "quiz_category"}, SK: model.Key{Name: "quiz_score", Kind: model.Number}, Projection: model.Include,
			Include: []string{"term", "gloss", "examples", "tags"}, Purpose: "quizzes of a category"},
	},
	Entities: []model.Entity{
		{Name: "Term", Doc: "a term of the glossary", PK: "TERM#{slug}", SK: "METADATA#lexicon", Version: "version", Missing: missingOfTerm, Peak: 50,
			Keys: []model.IndexKey{
				{Index: "LexiconSourceIndex", PK: "SOURCE#{origin}", SK: "{term}"},
				{Index: "LexiconQuizDifficultyIndex", PK: "{quiz_difficulty}", SK: "{quiz_score}"},
				{Index: "LexiconQuizCategoryIndex", PK: "{quiz_category}", SK: "{quiz_score}"},
			},
			Fields: []model.Field{
				slug,
				{Name: "term", Size: 12, Max: termMax},
				{Name: "gloss", Size: 120, Max: textMax},
				{Name: "variants", Kind: model.List, Size: 30, Max: listMax},
				{Name: "examples", Kind: model.List, Size: 200, Max: listMax},
				{Name: "tags", Kind: model.List, Size: 30, Max: listMax},
				{Name: "regions", Kind: model.List, Size: 20, Max: listMax},
				{Name: "sources", Kind: model.List, Size: 60, Max: listMax},
				{Name: "first_attested", Optional: true, Size: 10, Max: 64},
				{Name: "attestation_note", Optional: true, Size: 60, Max: textMax},
				{Name: "is_quiz_eligible", Kind: model.Bool},
				{Name: "quiz_difficulty", Values: difficulties, Optional: true},
				{Name: "quiz_category", Optional: true, Size: 8, Max: idMax},
				{Name: "quiz_score", Kind: model.Number, Optional: true},
				{Name: "confidence", Kind: model.Number},
				{Name: "momentum", Kind: model.Number},
				{Name: "last_updated", Kind: model.Time},
				{Name: "categories", Kind: model.List, Optional: true, Size: 30, Max: listMax, Added: true},
				{Name: "origin", Values: []string{"lexicon", "submission"}, Added: true},
				{Name: "submission_id", Optional: true, Size: 26, Max: idMax, Added: true},
				{Name: "language", Values: languages, Optional: true, Added: true},
				{Name: "glosses", Kind: model.Map, Optional: true, Size: 200, Max: listMax, Added: true},
				{Name: "plain", Kind: model.Map, Optional: true, Size: 40, Max: listMax, Added: true},
				{Name: "plain_word", Kind: model.Bool, Optional: true, Added: true},
				{Name: "pos", Optional: true, Size: 8, Max: idMax, Added: true},
				{Name: "status", Optional: true, Size: 8, Max: idMax, Added: true},
				{Name: "age_rating", Optional: true, Size: 4, Max: idMax, Added: true},
				{Name: "content_flags", Kind: model.List, Optional: true, Size: 10, Max: listMax, Added: true},
				{Name: "first_seen", Optional: true, Size: 10, Max: idMax, Added: true},
				{Name: "last_seen", Optional: true, Size: 10, Max: idMax, Added: true},
				{Name: "first_attested_confidence", Optional: true, Size: 6, Max: idMax, Added: true},
				{Name: "source_counts", Kind: model.Map, Optional: true, Size: 40, Max: listMax, Added: true},
				{Name: "imported", Kind: model.List, Optional: true, Size: 800, Max: maxImported, Added: true},
				{Name: "version", Kind: model.Number, Added: true},
			}},
		{Name: "Spelling", Doc: "how a term looks, with all that looks the same folded together", PK: "NAME#{name}", SK: "MAIN", Guards: "name", Peak: 50,
			Fields: []model.Field{
				{Name: "name", InKey: true, Size: 12, Max: termMax},
				{Name: "spells", Size: 12, Max: termMax},
			},
			Added: aboutNames},
		{Name: "Variant", Doc: "another name of a term", PK: "NAME#{name}", SK: "TERM#{slug}", Peak: 200,
			Fields: []model.Field{
				{Name: "name", InKey: true, Size: 12, Max: termMax},
				slug,
			},
			Added: aboutNames},
		{Name: "Listing", Doc: "a term under a tag, a region, a category or its initial", PK: "BROWSE#{facet}#{value}", SK: "{slug}", Peak: 500,
			Fields: []model.Field{
				{Name: "facet", Values: facets},
				{Name: "value", InKey: true, Size: 10, Max: idMax},
				slug,
				{Name: "term", Size: 12, Max: termMax},
				{Name: "gloss", Size: 120, Max: textMax},
				{Name: "glosses", Kind: model.Map, Optional: true, Size: 200, Max: listMax},
				{Name: "language", Values: languages, Optional: true},
			},
			Added: "terms are browsed by tag, region, category and initial"},
		{Name: "Edition", Doc: "counts the changes of the terms", PK: "LEXICON", SK: "EDITION", Peak: 50,
			Fields: []model.Field{
				{Name: "changes", Kind: model.Number},
			},
			Added: "processes that hold the terms in memory see that they changed"},
		{Name: "QuizPool", Doc: "wrong answers for a category", PK: "QUIZPOOL#{category}", SK: "CATEGORY#{category}", Peak: 1,
			Fields: []model.Field{
				{Name: "category", Size: 8, Max: idMax},
				{Name: "wrong_answers", Kind: model.List, Size: 2000, Max: 200 << 10},
				{Name: "last_updated", Kind: model.Time},
			}},
	},
	Patterns: []model.Pattern{
		{Name: "ExportBySource", Ref: "LexiconRepository 1", Who: "operator", Asks: "the terms of a source, by term",
			Op: model.Query, Index: "LexiconSourceIndex", Yields: []string{"Term"}, By: []string{"origin"}, Order: "term", Limit: 100, Fetch: true},
		{Name: "QuizByDifficulty", Ref: "LexiconRepository 2", Who: "user", Asks: "terms of a difficulty, the best for a quiz first",
			Op: model.Query, Index: "LexiconQuizDifficultyIndex", Yields: []string{"Term"}, By: []string{"quiz_difficulty"}, Desc: true, Order: "quiz_score", Range: "quiz_score", Limit: 50, Shows: append(quizShows, "quiz_difficulty")},
		{Name: "QuizByCategory", Ref: "LexiconRepository 3", Who: "user", Asks: "terms of a category, the best for a quiz first",
			Op: model.Query, Index: "LexiconQuizCategoryIndex", Yields: []string{"Term"}, By: []string{"quiz_category"}, Desc: true, Order: "quiz_score", Range: "quiz_score", Limit: 50, Shows: append(quizShows, "quiz_category")},
		{Name: "GetTerm", Ref: "LexiconRepository 4", Who: "reader", Asks: "a term",
			Op: model.Get, Yields: []string{"Term"}, By: []string{"slug"}},
		{Name: "GetQuizPool", Ref: "quiz wrong answer pools", Who: "user", Asks: "wrong answers for a category",
			Op: model.Get, Yields: []string{"QuizPool"}, By: []string{"category"}},
		{Name: "TermsByName", Who: "reader", Asks: "the terms of a spelling",
			Op: model.Query, Yields: []string{"Spelling", "Variant"}, By: []string{"name"}, Limit: 20, Added: aboutNames},
		{Name: "Browse", Who: "reader", Asks: "the terms under a tag, a region, a category or an initial",
			Op: model.Query, Yields: []string{"Listing"}, By: []string{"facet", "value"}, Order: "slug", Limit: 50, Added: "terms are browsed"},
		{Name: "GetEdition", Who: "worker", Asks: "whether terms changed",
			Op: model.Get, Yields: []string{"Edition"}, Strong: true, Added: "processes that hold the terms in memory see that they changed"},
		{Name: "SaveTerm", Who: "operator", Asks: "write a term, its names and its places in the lists",
			Op: model.Put, Writes: []model.Write{{Entity: "Term", Max: 1}, {Entity: "Spelling", Max: 2}, {Entity: "Variant", Max: 24}, {Entity: "Listing", Max: 38}}, Added: aboutNames},
	},
}

var trending = model.Table{
	Name: "TrendingTable", Env: "TRENDING_TABLE", Purpose: "how much terms are used",
	PK: pk, SK: sk, TTL: "ttl", RecoveryDays: 35, Encrypted: true,
	Indexes: []model.Index{
		{Name: "TrendingActiveIndex", PK: model.Key{Name: "is_active"}, SK: model.Key{Name: "popularity_score", Kind: model.Number}, Projection: model.Include,
			Include: []string{"term", "category", "definition"}, Purpose: "the trends of all categories"},
		{Name: "TrendingCategoryIndex", PK: model.Key{Name: "category"}, SK: model.Key{Name: "popularity_score", Kind: model.Number}, Projection: model.Include,
			Include: []string{"term", "definition", "is_active"}, Purpose: "the trends of a category"},
	},
	Entities: []model.Entity{
		{Name: "Trend", Doc: "a term's use", PK: "TERM#{slug}", SK: "METADATA#trending", Expires: "90 days after last_updated", Peak: 100,
			Keys: []model.IndexKey{
				{Index: "TrendingActiveIndex", PK: "ACTIVE#{is_active_flag:True|False}", SK: "{popularity_score}"},
				{Index: "TrendingCategoryIndex", PK: "{category}", SK: "{popularity_score}"},
			},
			Fields: []model.Field{
				slug,
				{Name: "term", Size: 12, Max: termMax},
				{Name: "definition", Size: 120, Max: textMax},
				{Name: "category", Size: 8, Max: idMax},
				{Name: "popularity_score", Kind: model.Number},
				{Name: "search_count", Kind: model.Number},
				{Name: "translation_count", Kind: model.Number},
				{Name: "first_seen", Kind: model.Time},
				{Name: "last_updated", Kind: model.Time},
				{Name: "is_active_flag", Kind: model.Bool, Added: true},
				{Name: "example_usage", Optional: true, Size: 120, Max: textMax},
				{Name: "origin", Optional: true, Size: 40, Max: textMax},
				{Name: "related_terms", Kind: model.List, Optional: true, Size: 60, Max: listMax},
				{Name: "ttl", Kind: model.Epoch},
				{Name: "vote_count", Kind: model.Number, Optional: true, Added: true},
				{Name: "scored_day", Kind: model.Date, Optional: true, Added: true},
			}},
		{Name: "Tally", Doc: "a term's uses on one day, as some processes counted them", PK: "TALLY#{day}#{shard}", SK: "TERM#{slug}", Expires: "30 days", Peak: 500,
			Fields: []model.Field{
				{Name: "day", Kind: model.Date, InKey: true},
				{Name: "shard", InKey: true, Size: 2, Max: 4},
				slug,
				{Name: "searches", Kind: model.Number, Optional: true},
				{Name: "translations", Kind: model.Number, Optional: true},
				{Name: "votes", Kind: model.Number, Optional: true},
				{Name: "ttl", Kind: model.Epoch},
			},
			Added: aboutTally},
		{Name: "TrendRun", Doc: "a day whose uses are in the scores", PK: "TRENDRUN#{day}", SK: "RUN", Expires: "30 days", Peak: 1,
			Fields: []model.Field{
				{Name: "day", Kind: model.Date, InKey: true},
				{Name: "done_at", Kind: model.Time},
				{Name: "ttl", Kind: model.Epoch},
			},
			Added: "the daily job goes on where it was"},
	},
	Patterns: []model.Pattern{
		{Name: "Trending", Ref: "TrendingRepository 1", Who: "reader", Asks: "the terms used most",
			Op: model.Query, Index: "TrendingActiveIndex", Yields: []string{"Trend"}, Given: model.Values{"is_active_flag": "true"}, Desc: true, Order: "popularity_score", Limit: 20,
			Shows: []string{"term", "category", "definition", "popularity_score", "slug"}},
		{Name: "TrendingOfCategory", Ref: "TrendingRepository 2", Who: "reader", Asks: "the terms of a category used most",
			Op: model.Query, Index: "TrendingCategoryIndex", Yields: []string{"Trend"}, By: []string{"category"}, Desc: true, Order: "popularity_score", Limit: 20,
			Shows: []string{"term", "definition", "is_active_flag", "category", "popularity_score", "slug"}},
		{Name: "GetTrend", Who: "worker", Asks: "a term's use",
			Op: model.Get, Yields: []string{"Trend"}, By: []string{"slug"}, Added: "the daily job updates what is there"},
		{Name: "TallyOfDay", Who: "worker", Asks: "the uses of a day, one shard of them",
			Op: model.Query, Yields: []string{"Tally"}, By: []string{"day", "shard"}, Order: "slug", Limit: 100, Strong: true, Added: aboutTally},
		{Name: "GetTrendRun", Who: "worker", Asks: "whether a day is done",
			Op: model.Get, Yields: []string{"TrendRun"}, By: []string{"day"}, Strong: true, Added: "the daily job goes on where it was"},
	},
}

var userID = model.Field{Name: "user_id", Size: 26, Max: idMax}

var users = model.Table{
	Name: "UsersTable", Env: "USERS_TABLE", Purpose: "profiles, limits and quiz sessions",
	PK: pk, SK: sk, TTL: "ttl", RecoveryDays: 35, Encrypted: true,
	Indexes: []model.Index{
		{Name: "UsersTierIndex", PK: model.Key{Name: "tier"}, SK: model.Key{Name: "updated_at"}, Projection: model.KeysOnly, Purpose: "reports by tier"},
	},
	Entities: []model.Entity{
		{Name: "Profile", Doc: "who a user is", PK: "USER#{user_id}", SK: "PROFILE", Version: "version", Peak: 20,
			Keys: []model.IndexKey{{Index: "UsersTierIndex", PK: "{tier}", SK: "{updated_at}"}},
			Fields: []model.Field{
				userID,
				{Name: "email", Size: 24, Max: 1280},
				{Name: "tier", Values: tiers},
				{Name: "status", Values: []string{"active", "suspended", "cancelled"}},
				{Name: "created_at", Kind: model.Time},
				{Name: "updated_at", Kind: model.Time},
				{Name: "version", Kind: model.Number, Added: true},
			}},
		{Name: "Usage", Doc: "what a user used today", PK: "USER#{user_id}", SK: "USAGE#LIMITS", Expires: "if ttl is set", Peak: 200,
			Fields: []model.Field{
				userID,
				{Name: "daily_used", Kind: model.Number},
				{Name: "reset_daily_at", Kind: model.Time},
				{Name: "tier", Values: []string{Free, Premium, Guest}},
				{Name: "ttl", Kind: model.Epoch, Optional: true, Added: true},
			}},
		{Name: "Submitted", Doc: "when a user submitted terms, of the last day", PK: "USER#{user_id}", SK: "USAGE#SUBMISSIONS", Version: "version", Peak: 20,
			Fields: []model.Field{
				userID,
				{Name: "times", Kind: model.List, Size: 100, Max: 4 << 10},
				{Name: "version", Kind: model.Number},
			},
			Added: "ten submissions in 24 hours, counted right also for many at once"},
		{Name: "QuizDay", Doc: "a day's quiz statistics", PK: "USER#{user_id}", SK: "QUIZ_DAILY#{day}", Expires: "if ttl is set", Peak: 100,
			Fields: []model.Field{
				userID,
				{Name: "day", Kind: model.Date, InKey: true},
				{Name: "quiz_count", Kind: model.Number},
				{Name: "total_score", Kind: model.Number, Optional: true},
				{Name: "total_possible", Kind: model.Number, Optional: true},
				{Name: "ttl", Kind: model.Epoch, Optional: true},
			}},
		{Name: "QuizSession", Doc: "a quiz under way", PK: "USER#{user_id}", SK: "QUIZ_SESSION#{session_id}", Expires: "48 hours", Version: "version", Peak: 100,
			Fields: []model.Field{
				userID,
				{Name: "session_id", Size: 26, Max: idMax},
				{Name: "session_status", Values: []string{"active", "completed", "expired"}},
				{Name: "total_score", Kind: model.Number},
				{Name: "total_possible", Kind: model.Number},
				{Name: "questions", Kind: model.List, Size: 1000, Max: 300 << 10, Added: true},
				{Name: "difficulty", Optional: true, Size: 8, Max: idMax, Added: true},
				{Name: "category", Optional: true, Size: 8, Max: idMax, Added: true},
				{Name: "started_at", Kind: model.Time, Added: true},
				{Name: "active_at", Kind: model.Time, Added: true},
				{Name: "ttl", Kind: model.Epoch},
				{Name: "version", Kind: model.Number, Added: true},
			}},
	},
	Patterns: []model.Pattern{
		{Name: "GetProfile", Ref: "UserRepository 1", Who: "user", Asks: "a user's profile",
			Op: model.Get, Yields: []string{"Profile"}, By: []string{"user_id"}},
		{Name: "GetUsage", Ref: "UserRepository 2", Who: "user", Asks: "a user's limits",
			Op: model.Get, Yields: []string{"Usage"}, By: []string{"user_id"}, Strong: true},
		{Name: "GetQuizSession", Ref: "UserRepository 3", Who: "user", Asks: "a quiz under way",
			Op: model.Get, Yields: []string{"QuizSession"}, By: []string{"user_id", "session_id"}, Strong: true},
		{Name: "UsersByTier", Ref: "UserRepository 4", Who: "operator", Asks: "the users of a tier, the last changed first",
			Op: model.Query, Index: "UsersTierIndex", Yields: []string{"Profile"}, By: []string{"tier"}, Desc: true, Order: "updated_at", Range: "updated_at", Limit: 50,
			Shows: []string{"user_id", "tier", "updated_at"}},
		{Name: "GetQuizDay", Who: "user", Asks: "a day's quiz statistics",
			Op: model.Get, Yields: []string{"QuizDay"}, By: []string{"user_id", "day"}, Strong: true, Added: "the free tier has ten questions a day"},
		{Name: "QuizDays", Who: "user", Asks: "a user's days with quizzes, the newest first",
			Op: model.Query, Yields: []string{"QuizDay"}, By: []string{"user_id"}, Begins: "QUIZ_DAILY#", Desc: true, Order: "day", Limit: 100, Strong: true, Added: "statistics and streaks"},
		{Name: "QuizSessions", Who: "user", Asks: "a user's quizzes, the newest first",
			Op: model.Query, Yields: []string{"QuizSession"}, By: []string{"user_id"}, Begins: "QUIZ_SESSION#", Desc: true, Order: "session_id", Limit: 20, Strong: true, Added: "a quiz is found again and goes on"},
		{Name: "EverythingOfUser", Who: "user", Asks: "all that the table holds of a user",
			Op: model.Query, Yields: []string{"Profile", "Usage", "Submitted", "QuizDay", "QuizSession"}, By: []string{"user_id"}, Limit: 100, Strong: true, Added: "deleting an account removes all that belongs to it"},
	},
}

var translations = model.Table{
	Name: "TranslationsTable", Env: "TRANSLATIONS_TABLE", Purpose: "the history of translations",
	PK: pk, SK: sk, TTL: "ttl", RecoveryDays: 35, Encrypted: true,
	Indexes: []model.Index{
		{Name: "TranslationsByCreatedAtIndex", PK: model.Key{Name: "model_used"}, SK: model.Key{Name: "created_at"}, Projection: model.KeysOnly, Purpose: "a model's translations over all users"},
	},
	Entities: []model.Entity{
		{Name: "Translation", Doc: "one translation", PK: "USER#{user_id}", SK: "TRANSLATION#{translation_id}", Expires: "365 days", Peak: 100,
			Keys: []model.IndexKey{{Index: "TranslationsByCreatedAtIndex", PK: "{model_used}", SK: "{created_at}"}},
			Fields: []model.Field{
				userID,
				{Name: "translation_id", Size: 26, Max: idMax},
				{Name: "original_text", Size: 80, Max: textMax},
				{Name: "translated_text", Size: 120, Max: textMax},
				{Name: "direction", Size: 12, Max: idMax},
				{Name: "confidence_score", Kind: model.Number},
				{Name: "model_used", Size: 14, Max: idMax},
				{Name: "created_at", Kind: model.Time},
				{Name: "ttl", Kind: model.Epoch, Optional: true},
				{Name: "applied", Kind: model.List, Optional: true, Size: 80, Max: listMax, Added: true},
			}},
	},
	Patterns: []model.Pattern{
		{Name: "TranslationsOfUser", Ref: "TranslationRepository 1", Who: "user", Asks: "a user's translations, the newest first",
			Op: model.Query, Yields: []string{"Translation"}, By: []string{"user_id"}, Begins: "TRANSLATION#", Desc: true, Order: "translation_id", Limit: 20},
		{Name: "GetTranslation", Ref: "TranslationRepository 2", Who: "user", Asks: "one translation",
			Op: model.Get, Yields: []string{"Translation"}, By: []string{"user_id", "translation_id"}},
		{Name: "TranslationsByModel", Ref: "future index", Who: "operator", Asks: "a model's translations, the newest first",
			Op: model.Query, Index: "TranslationsByCreatedAtIndex", Yields: []string{"Translation"}, By: []string{"model_used"}, Desc: true, Order: "created_at", Range: "created_at", Limit: 50,
			Shows: []string{"user_id", "translation_id", "model_used", "created_at"}},
	},
}
