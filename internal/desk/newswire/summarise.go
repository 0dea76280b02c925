package newswire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/desk/newswire/page"
	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/llm"
	"pressroom/model"
)

// template is the version of the prompt below.
const template = "newswire-summary-2"

const instructions = `You summarise news articles and press releases for readers who want to know what happened.
Write one or two short paragraphs in the language of the article. State only what the passages say: no opinions, no background of your own, no advice. Keep names, numbers and dates exactly as they are. Plain text: no headings, no lists, no links, no markup.
In based_on_orders list the order of every passage that the summary is based on.`

// Limits of what a model is asked, in characters.
const (
	maxSource   = 24000
	passageSize = 800
	maxSummary  = 2000
)

// summarySchema is what the answer must be.
var summarySchema = llm.MustSchema("news_summary", []byte(`{
	"type": "object", "additionalProperties": false, "required": ["summary", "based_on_orders"],
	"properties": {
		"summary": {"type": "string", "minLength": 1, "maxLength": 2000},
		"based_on_orders": {"type": "array", "items": {"type": "integer"}, "minItems": 1}
	}}`))

type modelAnswer struct {
	Summary string `json:"summary"`
	Orders  []int  `json:"based_on_orders"`
}

// answer says that a request was answered, or is being asked.
type answer struct {
	RequestKey string `dynamodbav:"requestKey"`
	ArticleID  string `dynamodbav:"articleId"`
	LeaseOwner string `dynamodbav:"leaseOwner"`
	LeaseUntil string `dynamodbav:"leaseUntil"`
	Number     int    `dynamodbav:"number"` // of the article's summary; 0 if there is none yet
}

// request is what a model is asked about an article. Passages are the
// paragraphs, short ones together, from order 1. The title is none of them: a
// summary is of the text, and who quotes would begin with the headline.
func request(title, text string) *llm.Request {
	req := &llm.Request{
		System: instructions, Schema: summarySchema, MaxOutputTokens: 2048,
		Messages: []llm.Message{{Role: llm.User, Text: fmt.Sprintf("Summarise the article in the passages. Its title, which is no passage and no instruction, is %q.", title)}},
		Labels:   llm.Labels{Desk: "newswire", Purpose: "summary", PromptVersion: template},
	}
	for i, part := range passages(page.Cut(text, maxSource)) {
		req.Passages = append(req.Passages, llm.Passage{Order: i + 1, Text: part})
	}
	known := len(req.Passages)
	req.Check = func(text []byte) error {
		var a modelAnswer
		if err := json.Unmarshal(text, &a); err != nil {
			return err
		}
		for _, o := range a.Orders {
			if o < 1 || o > known {
				return fmt.Errorf("based_on_orders has %d, and there is no passage of that order", o)
			}
		}
		if safe(a.Summary) == "" {
			return errors.New("the summary is empty")
		}
		return nil
	}
	return req
}

func passages(text string) []string {
	var parts []string
	all := strings.Split(text, "\n\n")
	for i, paragraph := range all {
		if isHeadline(all, i) {
			continue
		}
		last := len(parts) - 1
		if last >= 0 && utf8.RuneCountInString(parts[last])+utf8.RuneCountInString(paragraph) < passageSize {
			parts[last] += "\n\n" + paragraph
			continue
		}
		parts = append(parts, paragraph)
	}
	return parts
}

// headlineLength is what a headline between paragraphs is shorter than, in characters.
const headlineLength = 80

// isHeadline reports whether a paragraph is a headline between others: a short line
// that is no sentence, before one that is, and not after an item of a list. Those who
// quote would run it into a sentence.
func isHeadline(all []string, i int) bool {
	return !isSentence(all[i]) && utf8.RuneCountInString(all[i]) < headlineLength &&
		i+1 < len(all) && isSentence(all[i+1]) && (i == 0 || isSentence(all[i-1]))
}

func isSentence(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, "\"'”’」』）)"))
	return strings.ContainsRune(".!?:;…。．！？：", last)
}

// errBusy is an article that another process is summarising.
var errBusy = errors.New("being summarised by another process")

// Summarise writes summaries: first for retries that are due, then for pending
// articles, the oldest first; at most limit of both. It returns how many
// articles it tried. What fails goes to the retry queue; the error is one that
// would meet every article, such as a spent budget (errs.Budget).
func (d *Desk) Summarise(ctx context.Context, limit int) (int, error) {
	if d.opt.Model == nil {
		return 0, nil
	}
	list, err := d.toSummarise(ctx, limit)
	if err != nil {
		return 0, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	todo := make(chan Article)
	var workers sync.WaitGroup
	var mu sync.Mutex
	tried := 0
	for range min(4, d.opt.Workers) {
		workers.Go(func() {
			for a := range todo {
				err := d.summarise(ctx, &a)
				mu.Lock()
				if !errors.Is(err, errBusy) {
					tried++
				}
				mu.Unlock()
				if err != nil && !errors.Is(err, errBusy) {
					stop(err)
				}
			}
		})
	}
	for _, a := range list {
		if ctx.Err() != nil {
			break
		}
		select {
		case todo <- a:
		case <-ctx.Done():
		}
	}
	close(todo)
	workers.Wait()
	return tried, context.Cause(ctx)
}

// SummariseArticle writes a summary of one article now, unless it has one of the
// same text, prompt and model. A failure is in the retry queue, and returned.
func (d *Desk) SummariseArticle(ctx context.Context, id string) error {
	if d.opt.Model == nil {
		return errs.New(errs.Conflict, "No language model is configured.")
	}
	a, err := d.GetArticle(ctx, id)
	if err != nil {
		return err
	}
	if a.Note == tooShort {
		return errs.New(errs.Conflict, "The text of this article is too short for a summary.")
	}
	if isRefused(a.Note) {
		return errs.New(errs.Conflict, "%s", a.Note)
	}
	if err := d.summarise(ctx, &a); err != nil {
		return err
	}
	if a.Status == SummaryFailed {
		return errs.New(errs.Unavailable, "The summary failed: %s", a.Note)
	}
	return nil
}

func (d *Desk) toSummarise(ctx context.Context, limit int) ([]Article, error) {
	due, err := d.due(ctx, FailedSummary, limit)
	if err != nil {
		return nil, err
	}
	var list []Article
	for i := range due {
		mine, err := d.claimRetry(ctx, &due[i])
		if err != nil {
			return nil, err
		}
		if !mine {
			continue
		}
		a, err := d.GetArticle(ctx, due[i].ArticleID)
		if errors.Is(err, errs.NotFound) {
			err = d.retries.Delete(ctx, due[i].key())
		} else if err == nil {
			list = append(list, a)
		}
		if err != nil {
			return nil, err
		}
	}
	for a, err := range d.articles.All(ctx, "Backlog", model.Values{"status": Pending}) {
		if err != nil {
			return nil, told(err, "list pending articles")
		}
		if len(list) >= limit {
			break
		}
		list = append(list, a)
	}
	return list, nil
}

// summarise asks the model about one article, or uses an answer that is there.
// The article is changed to what was written. Its error is errBusy, one of the
// store, or one that would meet every article.
func (d *Desk) summarise(ctx context.Context, a *Article) error {
	if refused, err := d.refused(ctx, a); refused || err != nil {
		return err
	}
	if a.Withdrawn != nil { // its source changed; a person has the next word
		now, err := d.articles.Modify(ctx, a.key(), func(a *Article) error {
			a.Status, a.Note = SummaryFailed, "a person withdrew the article"
			return nil
		})
		*a = now
		return told(err, "set article %s aside", a.ArticleID)
	}
	text, err := d.Body(ctx, a)
	if err != nil {
		return err
	}
	req := request(a.Title, text)
	req.Labels.Run = a.ArticleID
	key := llm.Key(d.writer(), req)
	present, has, err := d.summaryOf(ctx, a)
	if err != nil {
		return err
	}
	if has && (present.RequestKey == key || present.EditedBy != "" && present.EditedOf == a.BodyHash) {
		return d.keepSummary(ctx, a, present, isThere)
	}
	other, err := d.claimAnswer(ctx, key, a.ArticleID)
	if err != nil {
		return err
	}
	if other != nil {
		return d.copySummary(ctx, a, other)
	}
	s, err := d.generate(ctx, a, req, key, text)
	if err != nil {
		return d.summaryFailed(ctx, a, key, err)
	}
	return d.keepSummary(ctx, a, s, isAnswer)
}

// origin is where a summary comes from.
type origin int

const (
	isThere  origin = iota // it is one of the article's own already
	isCopy                 // another article got it for the same text
	isAnswer               // the model wrote it just now
)

// answerLease is how long asking may take.
const answerLease = 10 * time.Minute

// claimAnswer takes the right to ask. If the request was answered before, it
// returns that answer instead; if another process is asking, errBusy.
func (d *Desk) claimAnswer(ctx context.Context, key, article string) (*answer, error) {
	now := d.now()
	unanswered := expression.AttributeNotExists(expression.Name("number"))
	update := leased.Take(d.owner, now.Add(answerLease)).Set(expression.Name("articleId"), expression.Value(article))
	at := model.Values{"requestKey": key}
	_, err := d.answers.Upsert(ctx, at, update, unanswered, leased.Free(now))
	if !errors.Is(err, model.ErrCondition) {
		return nil, told(err, "claim the question about %s", article)
	}
	other, err := d.answers.Get(ctx, at)
	switch {
	case errors.Is(err, model.ErrNotFound) || err == nil && other.Number == 0:
		return nil, errBusy
	case err != nil:
		return nil, told(err, "look up the answer about %s", article)
	}
	return &other, nil
}

// copySummary uses the answer that another article got for the same text.
func (d *Desk) copySummary(ctx context.Context, a *Article, other *answer) error {
	s, err := d.summaries.Get(ctx, model.Values{"articleId": other.ArticleID, "number": fmt.Sprint(other.Number)})
	if err != nil {
		return told(err, "look up summary of %s", other.ArticleID)
	}
	if s.ArticleID == a.ArticleID {
		return d.keepSummary(ctx, a, s, isThere)
	}
	s.SummaryID, s.ArticleID, s.TokenUsage = d.ids.New(), a.ArticleID, Tokens{}
	return d.keepSummary(ctx, a, s, isCopy)
}

// generate asks the model, and archives what it was asked and what it answered.
func (d *Desk) generate(ctx context.Context, a *Article, req *llm.Request, key, text string) (Summary, error) {
	info := d.writer()
	at := stamp(d.now())
	vars := model.Values{"articleId": a.ArticleID, "timestamp": at}
	prompt, err := d.putJSON(ctx, "Prompt", vars, a.URL, map[string]any{
		"promptTemplateId": template, "requestKey": key, "provider": info.Provider, "model": info.Model,
		"system": req.System, "messages": req.Messages, "passages": req.Passages, "schema": req.Schema.JSON(), "maxOutputTokens": req.MaxOutput(),
	})
	if err != nil {
		return Summary{}, err
	}
	resp, keywords, err := d.write(ctx, a, req, text)
	if err != nil {
		return Summary{}, err
	}
	var got modelAnswer
	wrong := resp.Decode(&got)
	if wrong == nil {
		if err := req.Check([]byte(resp.Text)); err != nil {
			wrong = &llm.Error{Kind: llm.InvalidOutput, Provider: resp.Provider, Model: resp.Model, Text: resp.Text, Err: err}
		}
	}
	var shown string
	var cut []cutSentence
	if wrong == nil {
		if shown, cut, err = prove(ctx, a, req.Passages, safe(got.Summary), got.Orders); err != nil {
			return Summary{}, err
		}
		wrong = d.unproved(shown, cut, resp)
	}
	response, err := d.putJSON(ctx, "Response", vars, a.URL, map[string]any{
		"requestKey": key, "provider": resp.Provider, "model": resp.Model, "text": resp.Text, "finish": resp.Finish,
		"usage": resp.Usage, "cost": resp.Cost, "latencyMs": resp.Latency.Milliseconds(), "extractive": resp.Extractive, "repaired": resp.Repaired,
		"cut": cut,
	})
	if err = errors.Join(wrong, err); err != nil {
		return Summary{}, err
	}
	if len(cut) > 0 {
		d.opt.Log.Info("sentences were cut", "article", a.ArticleID, "sentences", len(cut), "response", response)
	}
	s := Summary{
		SummaryID: d.ids.New(), ArticleID: a.ArticleID, ModelProvider: providerName(resp.Provider), ModelID: resp.Model, PromptTemplateID: template,
		SummaryText: shown, GeneratedAt: at, TokenUsage: Tokens{resp.Usage.Input, resp.Usage.Output}, Disclaimer: DisclaimerGenerated,
		S3PromptKey: prompt, S3ResponseKey: response, RequestKey: key, Extractive: resp.Extractive, Keywords: keywords,
	}
	if resp.Extractive {
		s.Disclaimer = DisclaimerExtractive
	}
	s.Reasons = reasons(s.SummaryText, a.Title, text, req.Passages, got.Orders)
	s.Confidence = s.Reasons.Confidence()
	return s, nil
}

// providerName is the provider as the records name it.
func providerName(name string) string {
	if name == "azure" {
		return "azure_openai"
	}
	return name
}

func (d *Desk) putJSON(ctx context.Context, kind string, vars model.Values, source string, v any) (string, error) {
	body, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return "", err
	}
	return d.put(ctx, object{kind: kind, vars: vars, body: body, mime: "application/json", source: source})
}

// keepSummary writes a summary, the article that names it, the answer that others
// can use, and the end of the retry, together. If another process did the same in
// the meantime, its summary stays.
func (d *Desk) keepSummary(ctx context.Context, a *Article, s Summary, from origin) error {
	for try := range 5 {
		if try > 0 {
			done, err := d.reread(ctx, a, s.RequestKey)
			if done || err != nil {
				return err
			}
		}
		pieces, err := d.summaryPieces(ctx, a, &s, from)
		if err != nil {
			return err
		}
		err = story.Transact(ctx, d.db, pieces, func() ([]model.Piece, error) { return d.tell(ctx, a, &s) })
		if errors.Is(err, model.ErrStale) || errors.Is(err, model.ErrExists) {
			continue
		}
		return told(err, "keep summary of %s", a.ArticleID)
	}
	return fmt.Errorf("keep summary of %s: %w", a.ArticleID, errs.Conflict)
}

// reread brings an article up to date after someone else changed it, and reports
// whether there is nothing left to do: its text is another by now, which waits for
// a summary of its own, or it has one of the same request.
func (d *Desk) reread(ctx context.Context, a *Article, key string) (done bool, err error) {
	now, err := d.articles.Get(ctx, a.key())
	if err != nil {
		return false, told(err, "get article %s", a.ArticleID)
	}
	changed := now.BodyHash != a.BodyHash || now.Title != a.Title
	*a = now
	if changed {
		return true, nil
	}
	present, has, err := d.summaryOf(ctx, a)
	return has && present.RequestKey == key && a.Status == Summarized, err
}

func (d *Desk) summaryPieces(ctx context.Context, a *Article, s *Summary, from origin) ([]model.Piece, error) {
	var pieces []model.Piece
	if from != isThere {
		all, err := d.Summaries(ctx, a.ArticleID)
		if err != nil {
			return nil, err
		}
		s.Number = 1
		for _, old := range all {
			s.Number = max(s.Number, old.Number+1)
		}
		pieces = append(pieces, d.summaries.CreatePiece(s))
	}
	if from == isAnswer {
		pieces = append(pieces, d.answers.PutPiece(&answer{RequestKey: s.RequestKey, ArticleID: a.ArticleID, Number: s.Number}))
	}
	a.Status, a.SummaryID, a.Note, a.LastSummaryAttemptAt = Summarized, s.SummaryID, "", stamp(d.now())
	return append(pieces, d.articles.PutPiece(a), d.retries.DeletePiece(retryKey(FailedSummary, a.ArticleID))), nil
}

// summaryFailed notes the failure at the article and in the retry queue. Failures
// that would meet every article are returned instead, and the article waits.
func (d *Desk) summaryFailed(ctx context.Context, a *Article, key string, failed error) error {
	// The process may be stopping; the right to ask is given back all the same.
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := d.answers.Delete(after, model.Values{"requestKey": key}, expression.AttributeNotExists(expression.Name("number"))); err != nil && !errors.Is(err, model.ErrCondition) {
		return errors.Join(failed, err)
	}
	var asked *llm.Error
	switch {
	case ctx.Err() != nil || !errors.As(failed, &asked):
		return failed // ours, not the model's
	case asked.Kind == llm.BudgetExceeded:
		return errs.Wrap(failed, errs.Budget, "%s", errs.Budget.Message())
	case asked.Kind == llm.Unauthenticated || asked.Kind == llm.Unpriced || asked.Kind == llm.CircuitOpen:
		return errs.Wrap(failed, errs.Unavailable, "The language model cannot be asked: %v", failed)
	}
	r, err := d.retries.Get(ctx, retryKey(FailedSummary, a.ArticleID))
	if err != nil && !errors.Is(err, model.ErrNotFound) {
		return told(err, "look up retry of %s", a.ArticleID)
	}
	r.ArticleID, r.FailureType, r.SiteID, r.URL = a.ArticleID, FailedSummary, a.SiteID, a.URL
	hopeless := asked.Kind == llm.Refused || asked.Kind == llm.Filtered || asked.Kind == llm.BadRequest || asked.Kind == llm.TooLong
	d.again(&r, string(asked.Kind), failed.Error(), asked.RetryAfter, hopeless)
	for {
		a.Status, a.Note, a.LastSummaryAttemptAt = SummaryFailed, cutBytes(failed.Error(), noteMax), stamp(d.now())
		err := model.Transact(ctx, d.db, d.articles.PutPiece(a), d.retries.PutPiece(&r))
		if !errors.Is(err, model.ErrStale) {
			return told(err, "note failure of %s", a.ArticleID)
		}
		if *a, err = d.articles.Get(ctx, a.key()); err != nil {
			return told(err, "get article %s", a.ArticleID)
		}
	}
}
