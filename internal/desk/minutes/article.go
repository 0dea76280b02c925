package minutes

import (
	"context"
	"errors"
	"fmt"

	"pressroom/internal/errs"
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
	Categories   []string      `dynamodbav:"categories" json:"categories"`
	Description  string        `dynamodbav:"description" json:"description"`
	Participants []Participant `dynamodbav:"participants" json:"participants"`
	Keywords     []string      `dynamodbav:"keywords" json:"keywords"`
	Terms        []Term        `dynamodbav:"terms" json:"terms"`
	// Issues are the bills and agenda items that the meeting dealt with; each has a
	// timeline of its own.
	Issues []string `dynamodbav:"issues" json:"issues"`
	// PublishedAt is when the article first appeared, UpdatedAt when it last changed.
	PublishedAt string `dynamodbav:"publishedAt" json:"publishedAt"`
	UpdatedAt   string `dynamodbav:"updatedAt" json:"updatedAt"`
	// Version counts the saves, for ETags.
	Version int    `dynamodbav:"version" json:"version"`
	SaveID  string `dynamodbav:"saveId" json:"-"`
}

// Asset is the heavy part of an article.
type Asset struct {
	Summary       Cited    `json:"summary"`
	SoftSummary   Cited    `json:"soft_language_summary"`
	MiddleSummary []Cited  `json:"middle_summary"`
	KeyPoints     []string `json:"key_points"`
	Dialogs       []Dialog `json:"dialogs"`
	// SourceURL is the meeting at the source.
	SourceURL   string `json:"source_url,omitempty"`
	GeneratedBy Origin `json:"generated_by"`
}

// Full is an article with its asset.
type Full struct {
	Article
	Asset Asset `json:"asset"`
}

// Light is what a list shows of an article.
type Light struct {
	ID string `dynamodbav:"id" json:"id"`
	// Label is the form to show of what the list is about: the category, the person's
	// name, the bill.
	Label       string   `dynamodbav:"label" json:"label,omitempty"`
	Title       string   `dynamodbav:"title" json:"title"`
	Date        string   `dynamodbav:"date" json:"date"`
	Month       string   `dynamodbav:"month" json:"month"`
	ImageKind   string   `dynamodbav:"imageKind" json:"imageKind"`
	Session     int      `dynamodbav:"session" json:"session"`
	House       string   `dynamodbav:"nameOfHouse" json:"nameOfHouse"`
	Meeting     string   `dynamodbav:"nameOfMeeting" json:"nameOfMeeting"`
	Categories  []string `dynamodbav:"categories" json:"categories"`
	Description string   `dynamodbav:"description" json:"description"`
}

// Light returns what lists show of the article.
func (a *Article) Light() Light {
	return Light{
		ID: a.ID, Title: a.Title, Date: a.Date, Month: a.Month, ImageKind: a.ImageKind, Session: a.Session,
		House: a.House, Meeting: a.Meeting, Categories: a.Categories, Description: a.Description,
	}
}

func (a *Article) key() model.Values { return model.Values{"id": a.ID} }

// GetArticle returns an article without its asset, or errs.NotFound.
func (d *Desk) GetArticle(ctx context.Context, id string) (Article, error) {
	if id == "" {
		return Article{}, errs.New(errs.NotFound, "There is no article without an id.")
	}
	a, err := d.articles.Get(ctx, model.Values{"id": id})
	return a, known(err, "article %s", id)
}

// GetFull returns an article with its asset, or errs.NotFound.
func (d *Desk) GetFull(ctx context.Context, id string) (Full, error) {
	for try := 1; ; try++ {
		a, err := d.GetArticle(ctx, id)
		if err != nil {
			return Full{}, err
		}
		full := Full{Article: a}
		err = d.objects.get(ctx, a.AssetURL, &full.Asset)
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
