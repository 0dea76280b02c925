package newswire

import (
	"context"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Summary is a summary of an article.
type Summary struct {
	SummaryID        string  `dynamodbav:"summaryId" json:"summaryId"`
	ArticleID        string  `dynamodbav:"articleId" json:"articleId"`
	ModelProvider    string  `dynamodbav:"modelProvider" json:"modelProvider"`
	ModelID          string  `dynamodbav:"modelId" json:"modelId"`
	PromptTemplateID string  `dynamodbav:"promptTemplateId" json:"promptTemplateId"`
	SummaryText      string  `dynamodbav:"summaryText" json:"summaryText"`
	Confidence       float64 `dynamodbav:"confidence" json:"confidence"`
	GeneratedAt      string  `dynamodbav:"generatedAt" json:"generatedAt"`
	TokenUsage       Tokens  `dynamodbav:"tokenUsage" json:"tokenUsage"`
	Disclaimer       string  `dynamodbav:"disclaimer" json:"disclaimer"`
	S3PromptKey      string  `dynamodbav:"s3PromptKey" json:"s3PromptKey,omitempty"`
	S3ResponseKey    string  `dynamodbav:"s3ResponseKey" json:"s3ResponseKey,omitempty"`
	Number           int     `dynamodbav:"number" json:"number"`
	RequestKey       string  `dynamodbav:"requestKey" json:"-"`
	Extractive       bool    `dynamodbav:"extractive" json:"extractive"`
	// Keywords are names and terms of the article, of an excerpt alone.
	Keywords []string `dynamodbav:"keywords" json:"keywords,omitempty"`
	// Reasons are what the confidence was made of. Sentences of the source are as close to
	// it as can be, which says nothing: for an excerpt neither is shown.
	Reasons Reasons `dynamodbav:"reasons" json:"reasons"`
	// EditedBy is the person who changed the summary after the model wrote it.
	EditedBy string `dynamodbav:"editedBy" json:"editedBy,omitempty"`
	EditedAt string `dynamodbav:"editedAt" json:"editedAt,omitempty"`
	EditedOf string `dynamodbav:"editedOf" json:"-"` // the article's text then
}

// Tokens is what a summary cost; zero if another article's answer was used.
type Tokens struct {
	Input  int `dynamodbav:"input" json:"input"`
	Output int `dynamodbav:"output" json:"output"`
}

// The ids of the disclaimers that stand beside summaries.
const (
	DisclaimerGenerated  = "summary.generated"
	DisclaimerExtractive = "summary.extractive"
	DisclaimerEdited     = "summary.edited"
)

var disclaimers = map[string]map[string]string{
	DisclaimerGenerated: {
		"en": "This summary was written by a language model. It may contain errors; the source has the last word.",
		"ja": "この要約は言語モデルによって作成されました。誤りを含むことがあります。必ず原文をご確認ください。",
	},
	DisclaimerEdited: {
		"en": "An editor revised this summary. The source has the last word.",
		"ja": "この要約は編集者が修正しました。必ず原文をご確認ください。",
	},
	DisclaimerExtractive: {
		"en": "An excerpt from the source, picked by a program.",
		"ja": "プログラムが原文から選んだ抜粋です。",
	},
}

// Disclaimer returns the text of a disclaimer in a language, "ja" or else English;
// "" for an id that is none.
func Disclaimer(id, language string) string {
	if text, ok := disclaimers[id][language]; ok {
		return text
	}
	return disclaimers[id]["en"]
}

// Summaries returns all summaries of an article, the first one first.
func (d *Desk) Summaries(ctx context.Context, article string) ([]Summary, error) {
	var all []Summary
	for s, err := range d.summaries.All(ctx, "GetSummary", model.Values{"articleId": article}) {
		if err != nil {
			return nil, told(err, "list summaries of %s", article)
		}
		all = append(all, s)
	}
	return all, nil
}

// summaryOf returns the present summary of an article; false if it has none.
func (d *Desk) summaryOf(ctx context.Context, a *Article) (Summary, bool, error) {
	if a.SummaryID == "" {
		return Summary{}, false, nil
	}
	all, err := d.Summaries(ctx, a.ArticleID)
	for _, s := range all {
		if s.SummaryID == a.SummaryID {
			return s, true, err
		}
	}
	return Summary{}, false, err
}

// pendAgain makes an article wait for a summary.
func (d *Desk) pendAgain(ctx context.Context, id string) error {
	a, err := d.GetArticle(ctx, id)
	if err != nil {
		return err
	}
	_, err = d.articles.Modify(ctx, a.key(), func(a *Article) error {
		if a.Note == tooShort {
			return errs.New(errs.Conflict, "The text of this article is too short for a summary.")
		}
		if isRefused(a.Note) {
			return errs.New(errs.Conflict, "%s", a.Note)
		}
		a.Status, a.Note = Pending, ""
		return nil
	})
	return told(err, "requeue article %s", id)
}
