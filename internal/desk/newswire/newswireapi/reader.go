package newswireapi

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"strconv"
	"time"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/errs"
	"pressroom/internal/front"
	"pressroom/internal/rights"
)

func (s *service) readers(a *api.API) {
	api.Get(a, "/newswire/articles", auth.Everyone, api.Op{
		ID: "listWireArticles", Summary: "Articles of all sites, the newest first", Share: time.Second,
		Doc: "One of site, category, topic and status narrows the list; by status the oldest come first. " + capped,
	}, s.articles)
	api.Get(a, "/newswire/articles/{id}", auth.Everyone, api.Op{
		ID: "getWireArticle", Summary: "An article with its summary",
		Fails: []errs.Kind{errs.Gone}, Doc: capped + " Authors and the roles above them get the whole text and the whole summary.",
	}, s.article)
	api.Get(a, "/newswire/articles/{id}/summaries", auth.Everyone, api.Op{
		ID: "listWireSummaries", Summary: "The summaries of an article, the first one first",
		Doc: "Authors and the roles above them get all that were made, everyone else the present one. " + capped,
	}, s.summaries)
	api.Put(a, "/newswire/articles/{id}/topics", auth.Moderator, api.Op{
		ID: "setWireTopics", Summary: "Give an article its topics", Fails: []errs.Kind{errs.Stale},
		Doc: "All at once: topics that are not named are taken away. They are kept in lower case.",
	}, s.setTopics)
}

// capped says how much of an article its readers get.
const capped = "Of the article's own words readers get at most 200 characters or a tenth of its text, whichever is less, unless its source allows more or less; those that a summary copies count. An article whose source does not want it here is not there."

// Source is where an article is from.
type Source struct {
	SiteID  string      `json:"siteId"`
	Name    string      `json:"name,omitempty" doc:"missing if the site is gone"`
	URL     string      `json:"url" doc:"of the article at its source"`
	Basis   rights.Kind `json:"basis" enum:"quotation,own,public_domain,licence,permission" doc:"what allows us to show it"`
	Licence string      `json:"licence,omitempty" doc:"the open licence that it is under, as SPDX names it"`
}

// Summary is a summary and how far to trust it.
type Summary struct {
	Text        string            `json:"text"`
	Cut         bool              `json:"cut" doc:"the text ends with an ellipsis, because more of it is copied than may be shown"`
	Confidence  *float64          `json:"confidence,omitempty" doc:"0 to 1: how close it stays to the source, not whether it is true; of a model's summary alone"`
	Reasons     *newswire.Reasons `json:"reasons,omitempty" doc:"what the confidence is made of"`
	Keywords    []string          `json:"keywords,omitempty" doc:"names and terms of the article, of an excerpt alone"`
	Extractive  bool              `json:"extractive" doc:"it consists of sentences of the source"`
	Disclaimer  string            `json:"disclaimer" doc:"the id of the notice that stands beside it"`
	Notice      map[string]string `json:"notice" doc:"the notice, by language"`
	Provider    string            `json:"modelProvider"`
	Model       string            `json:"modelId"`
	Template    string            `json:"promptTemplateId"`
	Tokens      newswire.Tokens   `json:"tokenUsage"`
	GeneratedAt time.Time         `json:"generatedAt"`
	EditedBy    string            `json:"editedBy,omitempty" doc:"the person who changed it after that"`
	EditedAt    string            `json:"editedAt,omitempty" format:"date-time"`
}

func summaryOf(s newswire.Summary) Summary {
	out := Summary{
		Text: s.SummaryText, Keywords: s.Keywords, Extractive: s.Extractive, Disclaimer: s.Disclaimer,
		Notice:   map[string]string{"en": newswire.Disclaimer(s.Disclaimer, "en"), "ja": newswire.Disclaimer(s.Disclaimer, "ja")},
		Provider: s.ModelProvider, Model: s.ModelID, Template: s.PromptTemplateID, Tokens: s.TokenUsage, GeneratedAt: timeOf(s.GeneratedAt),
		EditedBy: s.EditedBy, EditedAt: s.EditedAt,
	}
	if !s.Extractive {
		out.Confidence, out.Reasons = &s.Confidence, &s.Reasons
	}
	return out
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
	Summary   *Summary  `json:"summary" doc:"null if it has none that may be shown"`
	Excerpt   string    `json:"excerpt,omitempty" doc:"how the text begins, where there is no summary"`
	Picture   *Picture  `json:"picture,omitempty" doc:"where its source lets us show it"`
	Version   int       `json:"version"`
}

// Picture is our copy of an article's picture.
type Picture struct {
	URL    string `json:"url" doc:"below the site"`
	Source string `json:"source" doc:"the address of the picture at its source"`
	Text   string `json:"text,omitempty" doc:"what it shows, as the source says"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

func sourceOf(shown *newswire.Shown) Source {
	basis := shown.Decision.Basis
	return Source{SiteID: shown.Article.SiteID, Name: shown.SiteName, URL: shown.Article.URL, Basis: basis.Kind, Licence: basis.Licence}
}

func articleOf(shown newswire.Shown) Article {
	a := shown.Article
	topics := a.Topics
	if topics == nil {
		topics = []string{}
	}
	one := Article{
		ID: a.ArticleID, Title: a.Title, Source: sourceOf(&shown), Author: a.Author, Category: a.Category, Topics: topics,
		Published: timeOf(a.PublishedAt), Fetched: timeOf(a.FetchedAt), Updated: timeOf(a.UpdatedAt), WordCount: a.WordCount, Status: a.Status,
		Excerpt: shown.Excerpt, Version: a.Version,
	}
	if p := shown.Picture; p != nil {
		largest := p.Copies[0]
		one.Picture = &Picture{URL: largest.Path(a.ArticleID), Source: p.URL, Text: p.Text, Width: largest.Width, Height: largest.Height}
	}
	if shown.Summary != nil {
		summary := summaryOf(*shown.Summary)
		summary.Cut = shown.Cut
		one.Summary = &summary
	}
	return one
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
	// An answer may be shared by all who ask, so that it is what readers see.
	shown, err := s.desk.Show(ctx, page.Items, rights.Readers)
	if err != nil {
		return nil, err
	}
	return api.ListOf(shown, page.Next, articleOf), nil
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

// Reading is an article as it is read.
type Reading struct {
	Article
	Body string `json:"body,omitempty" doc:"the whole text, plain, an empty line between paragraphs; only for authors and the roles above them, unless the basis allows more"`

	staff bool // sees all of it
}

// Tag is the article's version; its summary is part of that. Readers see less of it,
// and how much can change with the day: their tag is of what they see.
func (r *Reading) Tag() string {
	if r.staff {
		return strconv.Itoa(r.Version)
	}
	h := fnv.New64a()
	if r.Summary != nil {
		_, _ = io.WriteString(h, r.Summary.Text) // a hash does not fail
	}
	_, _ = io.WriteString(h, "\x00"+r.Excerpt+"\x00"+r.Body)
	return fmt.Sprintf("%d-%x", r.Version, h.Sum64())
}

func (s *service) article(ctx context.Context, in *byID) (*Reading, error) {
	shown, err := s.desk.ReadArticle(ctx, in.ID, front.Audience(ctx))
	if err != nil {
		return nil, err
	}
	return &Reading{Article: articleOf(shown), Body: shown.Text, staff: front.Audience(ctx) == rights.Staff}, nil
}

// Summaries are what was made of an article.
type Summaries struct {
	Items []Summary `json:"items"`
}

// summaries tells readers of the present one alone: others would add to it what they
// copied.
func (s *service) summaries(ctx context.Context, in *byID) (*Summaries, error) {
	article, err := s.article(ctx, in)
	if err != nil {
		return nil, err
	}
	shown := &Summaries{Items: []Summary{}}
	if front.Audience(ctx) != rights.Staff {
		if article.Summary != nil {
			shown.Items = append(shown.Items, *article.Summary)
		}
		return shown, nil
	}
	all, err := s.desk.Summaries(ctx, in.ID)
	if err != nil {
		return nil, err
	}
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
