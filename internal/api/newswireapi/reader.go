package newswireapi

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/newswire"
)

func (s *service) readers(a *api.API) {
	api.Get(a, "/newswire/articles", auth.Everyone, api.Op{
		ID: "listWireArticles", Summary: "Articles of all sites, the newest first", Share: time.Second,
		Doc: "One of site, category, topic and status narrows the list; by status the oldest come first.",
	}, s.articles)
	api.Get(a, "/newswire/articles/{id}", auth.Everyone, api.Op{ID: "getWireArticle", Summary: "An article with its summary and its whole text"}, s.article)
	api.Get(a, "/newswire/articles/{id}/summaries", auth.Everyone, api.Op{ID: "listWireSummaries", Summary: "All summaries of an article, the first one first"}, s.summaries)
	api.Put(a, "/newswire/articles/{id}/topics", auth.Moderator, api.Op{
		ID: "setWireTopics", Summary: "Give an article its topics", Fails: []errs.Kind{errs.Stale},
		Doc: "All at once: topics that are not named are taken away. They are kept in lower case.",
	}, s.setTopics)
}

// Source is where an article is from.
type Source struct {
	SiteID string `json:"siteId"`
	Name   string `json:"name,omitempty" doc:"missing if the site is gone"`
	URL    string `json:"url" doc:"of the article at its source"`
}

// Summary is a summary and how far to trust it.
type Summary struct {
	Text        string            `json:"text"`
	Confidence  float64           `json:"confidence" doc:"0 to 1: how close it stays to the source, not whether it is true"`
	Reasons     newswire.Reasons  `json:"reasons" doc:"what the confidence is made of"`
	Extractive  bool              `json:"extractive" doc:"it consists of sentences of the source"`
	Disclaimer  string            `json:"disclaimer" doc:"the id of the notice that stands beside it"`
	Notice      map[string]string `json:"notice" doc:"the notice, by language"`
	Provider    string            `json:"modelProvider"`
	Model       string            `json:"modelId"`
	Template    string            `json:"promptTemplateId"`
	Tokens      newswire.Tokens   `json:"tokenUsage"`
	GeneratedAt time.Time         `json:"generatedAt"`
}

func summaryOf(s newswire.Summary) Summary {
	return Summary{
		Text: s.SummaryText, Confidence: s.Confidence, Reasons: s.Reasons, Extractive: s.Extractive, Disclaimer: s.Disclaimer,
		Notice:   map[string]string{"en": newswire.Disclaimer(s.Disclaimer, "en"), "ja": newswire.Disclaimer(s.Disclaimer, "ja")},
		Provider: s.ModelProvider, Model: s.ModelID, Template: s.PromptTemplateID, Tokens: s.TokenUsage, GeneratedAt: timeOf(s.GeneratedAt),
	}
}

// Article is what a site published, as lists have it.
type Article struct {
	ID        string    `json:"articleId"`
	Title     string    `json:"title"`
	Source    Source    `json:"source"`
	Author    string    `json:"author,omitempty"`
	Category  string    `json:"category,omitempty" enum:"press_release,news"`
	Topics    []string  `json:"topics"`
	Published time.Time `json:"publishedAt"`
	Fetched   time.Time `json:"fetchedAt"`
	Updated   time.Time `json:"updatedAt,omitzero" doc:"when its text changed"`
	WordCount int       `json:"wordCount" doc:"of Japanese, characters"`
	Status    string    `json:"status" enum:"pending_summary,summarized,summary_failed" doc:"of its summary"`
	Summary   *Summary  `json:"summary" doc:"null if it has none"`
	Version   int       `json:"version"`
}

func articleOf(a newswire.Article) Article {
	topics := a.Topics
	if topics == nil {
		topics = []string{}
	}
	return Article{
		ID: a.ArticleID, Title: a.Title, Source: Source{SiteID: a.SiteID, URL: a.URL}, Author: a.Author, Category: a.Category, Topics: topics,
		Published: timeOf(a.PublishedAt), Fetched: timeOf(a.FetchedAt), Updated: timeOf(a.UpdatedAt), WordCount: a.WordCount, Status: a.Status, Version: a.Version,
	}
}

type listArticles struct {
	api.Page
	Site     string `query:"site" max:"63" doc:"only of this site"`
	Category string `query:"category" enum:"press_release,news" doc:"only of sites of this category"`
	Topic    string `query:"topic" max:"50" doc:"only with this topic"`
	Status   string `query:"status" enum:"pending_summary,summarized,summary_failed" doc:"only with a summary in this state, the oldest first"`
}

func (s *service) articles(ctx context.Context, in *listArticles) (*api.List[Article], error) {
	if err := single("site", in.Site, "category", in.Category, "topic", in.Topic, "status", in.Status); err != nil {
		return nil, err
	}
	page, err := s.find(ctx, in)
	if err != nil {
		return nil, err
	}
	summaries, err := s.desk.PresentSummaries(ctx, page.Items)
	if err != nil {
		return nil, err
	}
	names, err := s.desk.SiteNames(ctx, page.Items)
	if err != nil {
		return nil, err
	}
	return api.ListOf(page.Items, page.Next, func(a newswire.Article) Article {
		shown := articleOf(a)
		shown.Source.Name = names[a.SiteID]
		if summary, ok := summaries[a.ArticleID]; ok {
			short := summaryOf(summary)
			shown.Summary = &short
		}
		return shown
	}), nil
}

func (s *service) find(ctx context.Context, in *listArticles) (newswire.Page[newswire.Article], error) {
	o := options(in.Page)
	switch {
	case in.Site != "":
		return s.desk.Latest(ctx, in.Site, o)
	case in.Category != "":
		return s.desk.ByCategory(ctx, in.Category, o)
	case in.Topic != "":
		return s.desk.ByTopic(ctx, in.Topic, o)
	case in.Status != "":
		return s.desk.Backlog(ctx, in.Status, o)
	}
	return s.desk.Feed(ctx, o)
}

// Reading is an article as it is read: with its whole text.
type Reading struct {
	Article
	Body string `json:"body" doc:"plain text, an empty line between paragraphs"`
}

// Tag is the article's version; its summary is part of that.
func (r *Reading) Tag() string { return strconv.Itoa(r.Version) }

func (s *service) article(ctx context.Context, in *byID) (*Reading, error) {
	read, err := s.desk.ReadArticle(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	shown := &Reading{Article: articleOf(read.Article), Body: read.Body}
	if read.Site != nil {
		shown.Source.Name = read.Site.Name
	}
	if read.Summary != nil {
		summary := summaryOf(*read.Summary)
		shown.Summary = &summary
	}
	return shown, nil
}

// Summaries are all that were made of an article.
type Summaries struct {
	Items []Summary `json:"items"`
}

func (s *service) summaries(ctx context.Context, in *byID) (*Summaries, error) {
	if _, err := s.desk.GetArticle(ctx, in.ID); err != nil {
		return nil, err
	}
	all, err := s.desk.Summaries(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	shown := &Summaries{Items: []Summary{}}
	for _, one := range all {
		shown.Items = append(shown.Items, summaryOf(one))
	}
	return shown, nil
}

// TopicsInput are the topics that an article shall have.
type TopicsInput struct {
	Topics []string `json:"topics" max:"20" doc:"of 1 to 50 characters each"`
}

func (s *service) setTopics(ctx context.Context, in *struct {
	api.Edit
	byID
	Body TopicsInput
}) (*Reading, error) {
	a, err := s.desk.GetArticle(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if err := in.Match(strconv.Itoa(a.Version)); err != nil {
		return nil, err
	}
	if _, err := s.desk.SetTopics(ctx, in.ID, a.Version, in.Body.Topics); err != nil {
		return nil, fmt.Errorf("topics of %s: %w", in.ID, err)
	}
	return s.article(ctx, &in.byID)
}
