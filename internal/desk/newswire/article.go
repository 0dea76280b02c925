package newswire

import (
	"crypto/sha256"
	"encoding/hex"

	"pressroom/internal/rights"
	"pressroom/model"
)

// The states of an article's summary.
const (
	Pending       = "pending_summary"
	Summarized    = "summarized"
	SummaryFailed = "summary_failed"
)

// Article is what a site published.
type Article struct {
	ArticleID            string   `dynamodbav:"articleId" json:"articleId"`
	SiteID               string   `dynamodbav:"siteId" json:"siteId"`
	Title                string   `dynamodbav:"title" json:"title"`
	URL                  string   `dynamodbav:"url" json:"url"`
	CanonicalHash        string   `dynamodbav:"canonicalHash" json:"canonicalHash"`
	PublishedAt          string   `dynamodbav:"publishedAt" json:"publishedAt"`
	FetchedAt            string   `dynamodbav:"fetchedAt" json:"fetchedAt"`
	Author               string   `dynamodbav:"author" json:"author,omitempty"`
	BodyPlain            string   `dynamodbav:"bodyPlain" json:"bodyPlain"`
	WordCount            int      `dynamodbav:"wordCount" json:"wordCount"`
	Topics               []string `dynamodbav:"topics" json:"topics,omitempty"`
	Status               string   `dynamodbav:"status" json:"status"`
	SummaryID            string   `dynamodbav:"summaryId" json:"summaryId,omitempty"`
	LastSummaryAttemptAt string   `dynamodbav:"lastSummaryAttemptAt" json:"lastSummaryAttemptAt,omitempty"`
	S3SnapshotKey        string   `dynamodbav:"s3SnapshotKey" json:"s3SnapshotKey,omitempty"`
	URLHash              string   `dynamodbav:"urlHash" json:"-"`
	Category             string   `dynamodbav:"category" json:"category,omitempty"`
	BodyHash             string   `dynamodbav:"bodyHash" json:"-"`
	S3BodyKey            string   `dynamodbav:"s3BodyKey" json:"-"`
	UpdatedAt            string   `dynamodbav:"updatedAt" json:"updatedAt,omitempty"`
	Note                 string   `dynamodbav:"note" json:"note,omitempty"`
	// Said is what the source says about the use of this article: the page itself,
	// and what of its site's words is about it and restricts something.
	Said []rights.Said `dynamodbav:"said" json:"said,omitempty"`
	// Picture is the picture of the page; nil if it has none, or none that may be shown.
	Picture *Picture `dynamodbav:"picture,omitempty" json:"-"`
	// Withdrawn is the word of the person who took the article back; nil if it stands.
	Withdrawn *Withdrawal `dynamodbav:"withdrawn,omitempty" json:"withdrawn,omitempty"`
	Version   int         `dynamodbav:"version" json:"version"`
}

// Withdrawal says who took an article back, when and why.
type Withdrawal struct {
	By     string `dynamodbav:"by" json:"by"`
	Reason string `dynamodbav:"reason" json:"reason"`
	At     string `dynamodbav:"at" json:"at"`
}

// bodyChars is how much of the text the table keeps.
const bodyChars = 10000

func (a *Article) key() model.Values {
	return model.Values{"siteId": a.SiteID, "publishedAt": a.PublishedAt, "articleId": a.ArticleID}
}

// place is what a guard says about where an article is.
type place struct {
	ArticleID   string `dynamodbav:"articleId"`
	SiteID      string `dynamodbav:"siteId"`
	PublishedAt string `dynamodbav:"publishedAt"`
}

func (p place) key() model.Values {
	return model.Values{"siteId": p.SiteID, "publishedAt": p.PublishedAt, "articleId": p.ArticleID}
}

func (a *Article) place() place { return place{a.ArticleID, a.SiteID, a.PublishedAt} }

type hashGuard struct {
	CanonicalHash string `dynamodbav:"canonicalHash"`
	place
}

type urlGuard struct {
	URLHash string `dynamodbav:"urlHash"`
	place
	Erased bool `dynamodbav:"erased,omitempty"` // the page is not kept again
}

type topicArticle struct {
	Topic string `dynamodbav:"topic"`
	place
}

// RunArticle is an article that a run met, and what came of it: new, updated,
// unchanged or failed.
type RunArticle struct {
	RunID       string `dynamodbav:"runId" json:"runId"`
	TTL         int64  `dynamodbav:"ttl" json:"-"`
	Outcome     string `dynamodbav:"outcome" json:"outcome"`
	ArticleID   string `dynamodbav:"articleId" json:"articleId"`
	SiteID      string `dynamodbav:"siteId" json:"siteId"`
	PublishedAt string `dynamodbav:"publishedAt" json:"publishedAt"`
}

func (r *RunArticle) key() model.Values {
	return model.Values{"runId": r.RunID, "articleId": r.ArticleID}
}

func sum(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		_, _ = h.Write([]byte(p)) // a hash does not fail
	}
	return hex.EncodeToString(h.Sum(nil))
}
