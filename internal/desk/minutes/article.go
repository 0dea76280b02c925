package minutes

import (
	"context"
	"errors"
	"fmt"

	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/model"
)

// Article is what a meeting dealt with, without its heavy parts.
type Article struct {
	Type         string        `dynamodbav:"type" json:"-"`
	AssetURL     string        `dynamodbav:"asset_url" json:"-"`
	ID           string        `dynamodbav:"id" json:"id"`
	Title        string        `dynamodbav:"title" json:"title"`
	Date         string        `dynamodbav:"date" json:"date"`
	Month        string        `dynamodbav:"month" json:"month"`
	ImageKind    string        `dynamodbav:"imageKind" json:"imageKind"`
	Session      int           `dynamodbav:"session" json:"session"`
	House        string        `dynamodbav:"nameOfHouse" json:"nameOfHouse"`
	Meeting      string        `dynamodbav:"nameOfMeeting" json:"nameOfMeeting"`
	Categories   labels        `dynamodbav:"categories" json:"categories"`
	Description  string        `dynamodbav:"description" json:"description"`
	Participants []Participant `dynamodbav:"participants" json:"participants"`
	Keywords     labels        `dynamodbav:"keywords" json:"keywords"`
	Terms        []Term        `dynamodbav:"terms" json:"terms"`
	// Issues are the bills and agenda items that the meeting dealt with; each has a
	// timeline of its own.
	Issues []string `dynamodbav:"issues" json:"issues"`
	// Progress is what the meeting did with the items of its agenda, as far as the forms
	// of the record say it.
	Progress []Progress `dynamodbav:"progress" json:"progress,omitempty"`
	// Shares are who said how much, and how much of the article tells it.
	Shares []Share `dynamodbav:"shares,omitempty" json:"shares,omitempty"`
	// PublishedAt is when the article first appeared, UpdatedAt when it last changed.
	PublishedAt string `dynamodbav:"publishedAt" json:"publishedAt"`
	UpdatedAt   string `dynamodbav:"updatedAt" json:"updatedAt"`
	// Provenance is which model wrote the article, and who looked at it. Articles that
	// were published before it was kept have none.
	Provenance *story.Provenance `dynamodbav:"provenance" json:"provenance,omitempty"`
	// Version counts the saves, for ETags.
	Version int `dynamodbav:"version" json:"version"`
	// Assembly is the code of the assembly, "" for the Diet; Language that of its record.
	Assembly string `dynamodbav:"assembly,omitempty" json:"assembly,omitempty"`
	Language string `dynamodbav:"language,omitempty" json:"language,omitempty"`
	SaveID   string `dynamodbav:"saveId" json:"-"`
}

// Asset is the heavy part of an article.
type Asset struct {
	Summary       Cited    `json:"summary"`
	SoftSummary   Cited    `json:"soft_language_summary"`
	MiddleSummary []Cited  `json:"middle_summary"`
	KeyPoints     []string `json:"key_points"`
	Dialogs       []Dialog `json:"dialogs"`
	// Procedural are the orders of speeches that are procedure alone.
	Procedural []int `json:"procedural,omitempty"`
	// Corrections are what later versions of the record changed, the first one first.
	Corrections []Correction `json:"corrections,omitempty"`
	// Agenda and Votes are what the record of another assembly than the Diet has beside
	// its speeches.
	Agenda []AgendaItem `json:"agenda,omitempty"`
	Votes  []Division   `json:"votes,omitempty"`
	// SourceURL is the meeting at the source.
	SourceURL   string `json:"source_url,omitempty"`
	GeneratedBy Origin `json:"generated_by"`
}

// Full is an article with its asset.
type Full struct {
	Article
	Asset Asset `json:"asset"`
}

// ordinalNumber is a number that other programs also write as text.
type ordinalNumber int

// Light is what a list shows of an article.
type Light struct {
	ID string `dynamodbav:"id" json:"id"`
	// ArticleID is the same again, as readers of the table know it.
	ArticleID string `dynamodbav:"articleId" json:"-"`
	// Label is the form to show of what the list is about: the category, the person's
	// name, the bill.
	Label       string        `dynamodbav:"label" json:"label,omitempty"`
	Title       string        `dynamodbav:"title" json:"title"`
	Date        string        `dynamodbav:"date" json:"date"`
	Month       string        `dynamodbav:"month" json:"month"`
	ImageKind   string        `dynamodbav:"imageKind" json:"imageKind"`
	Session     ordinalNumber `dynamodbav:"session" json:"session"`
	House       string        `dynamodbav:"nameOfHouse" json:"nameOfHouse"`
	Meeting     string        `dynamodbav:"nameOfMeeting" json:"nameOfMeeting"`
	Categories  labels        `dynamodbav:"categories" json:"categories"`
	Description string        `dynamodbav:"description" json:"description"`
	// Progress is what the meeting did with the bill that the list is about.
	Progress *Progress `dynamodbav:"progress,omitempty" json:"progress,omitempty"`
	AssetURL string    `dynamodbav:"asset_url" json:"-"`
}

// Light returns what lists show of the article.
func (a *Article) Light() Light {
	return Light{
		ID: a.ID, ArticleID: a.ID, AssetURL: a.AssetURL, Title: a.Title, Date: a.Date, Month: a.Month, ImageKind: a.ImageKind, Session: ordinalNumber(a.Session),
		House: a.House, Meeting: a.Meeting, Categories: a.Categories, Description: a.Description,
	}
}

// foreign reports whether another program wrote the article.
func (a *Article) foreign() bool { return a.Version <= 0 }

func (a *Article) key() model.Values { return model.Values{"id": a.ID} }

// GetArticle returns an article without its asset, or errs.NotFound.
func (d *Desk) GetArticle(ctx context.Context, id string) (Article, error) {
	if id == "" {
		return Article{}, errs.New(errs.NotFound, "There is no article without an id.")
	}
	a, err := d.articles.Get(ctx, model.Values{"id": id})
	return a, known(err, "article %s", id)
}

// GetFull returns an article with its asset, or errs.NotFound; one that a person
// withdrew is a [story.GoneError].
func (d *Desk) GetFull(ctx context.Context, id string) (Full, error) {
	for try := 1; ; try++ {
		a, err := d.GetArticle(ctx, id)
		if err != nil {
			return Full{}, d.o.Stories.Missing(ctx, refOf(id), err)
		}
		full := Full{Article: a}
		err = d.getAsset(ctx, &a, &full.Asset)
		if err == nil {
			return full, nil
		}
		// Between the two reads the article may have been replaced, and its old asset
		// with it.
		if !errors.Is(err, errNoObject) || try == 3 {
			return Full{}, fmt.Errorf("asset of article %s: %w", id, hide(err))
		}
	}
}

// hide keeps a missing asset from looking like a missing article.
func hide(err error) error { return errors.New(err.Error()) }
