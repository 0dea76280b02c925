package newswireweb

import (
	"bytes"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"pressroom/internal/desk/newswire"
	"pressroom/internal/errs"
	"pressroom/internal/front"
	"pressroom/internal/rights"
	"pressroom/internal/web"
)

// articlePage is an article to read: all of it for those who work on it, and what
// may be quoted for readers.
type articlePage struct {
	newswire.Shown
	Lang       string        // of the text, if it is known
	Source     string        // the site's name
	Host       string        // of the source
	Prose      template.HTML // summary or excerpt, and for staff the text, with the fold between them
	Disclaimer string
	Percent    int
	Tone       web.Tone // of the confidence
	Topics     []link
	Form       string // the topics as a moderator typed them
	Most       int    // characters that readers may see of the text
	More       []web.Story
	Staff      bool
	Stopped    []ruleRow // what the source does not want, for staff
	Licence    string    // what allows readers to see the text
}

// fold stands between the summary and the text, which the glossary explains
// together: a term is explained once on a page.
const fold = "<hr>"

// Sizes is the picture in all widths, for browsers to choose from.
func (a articlePage) Sizes() string {
	var all []string
	for _, c := range a.Picture.Copies {
		all = append(all, fmt.Sprintf("%s %dw", c.Path(a.Article.ArticleID), c.Width))
	}
	return strings.Join(all, ", ")
}

// Unfold parts what was explained.
func (articlePage) Unfold(text template.HTML) (parts struct{ Lead, Text template.HTML }) {
	lead, whole, _ := strings.Cut(string(text), fold)
	parts.Lead, parts.Text = template.HTML(lead), template.HTML(whole) //nolint:gosec // parts of what is safe
	return parts
}

func (p *pages) showArticle(w http.ResponseWriter, r *http.Request) error {
	return p.articlePage(w, r, nil)
}

// articlePage shows the article, with what was wrong with the form for its
// topics.
func (p *pages) articlePage(w http.ResponseWriter, r *http.Request, problem error) error {
	shown, err := p.desk.ReadArticle(r.Context(), r.PathValue("id"), front.Audience(r.Context()))
	if err != nil {
		return err
	}
	a := &shown.Article
	data := articlePage{
		Shown: shown, Lang: languageOf(a.Title + shown.Lead()), Source: orElse(shown.SiteName, a.SiteID), Prose: paragraphs(shown.Lead()) + fold + paragraphs(shown.Text),
		Topics: topicsOf([]newswire.Article{*a}), Form: strings.Join(a.Topics, ", "), Most: rights.Cap(utf8.RuneCountInString(shown.Text)),
	}
	if u, err := url.Parse(a.URL); err == nil {
		data.Host = u.Hostname()
	}
	if s := shown.Summary; s != nil {
		data.Disclaimer = newswire.Disclaimer(s.Disclaimer, p.site.Lang(r))
		data.Percent, data.Tone = confidence(s.Confidence)
	}
	if data.More, err = p.more(r, a); err != nil {
		return err
	}
	if data.Staff = front.Audience(r.Context()) == rights.Staff; data.Staff {
		for _, rule := range newswire.RulingsOf(shown.Decision) {
			if !rule.Allowed && rule.Because.Basis == "" {
				data.Stopped = append(data.Stopped, p.ruleRows(r, []newswire.Ruling{rule})...)
			}
		}
	}
	if shown.Decision.May(rights.Text) {
		data.Licence = p.site.T(r, "rights.because."+string(shown.Decision.Basis.Kind))
		if id := shown.Decision.Basis.Licence; id != "" {
			data.Licence += " (" + id + ")"
		}
	}
	standing, err := p.site.Standing(r, a.Ref())
	if err != nil {
		return err
	}
	page := web.Page{
		Standing: standing, Title: a.Title, Description: shorten(shown.Lead(), 200), Kind: "article",
		Canonical: articlePath(a.ArticleID), Problem: problem, Data: data,
	}
	if problem != nil {
		data.Form = r.PostFormValue("topics")
		page.Status, page.Data = web.StatusOf(problem), data
	}
	return p.site.Render(w, r, p.views, "article", page)
}

// showPicture sends our copy of an article's picture. Whether it may be shown is asked
// anew each time, as a source may change its mind.
func (p *pages) showPicture(w http.ResponseWriter, r *http.Request) error {
	width, err := strconv.Atoi(r.PathValue("width"))
	if err != nil {
		return fmt.Errorf("picture of width %q: %w", r.PathValue("width"), errs.NotFound)
	}
	found, data, err := p.desk.PictureOf(r.Context(), r.PathValue("id"), width, front.Audience(r.Context()))
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", found.Type)
	h.Set("ETag", strconv.Quote(path.Base(found.Key)))
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	return nil
}

// confidence is how close a summary is to its source, in percent, and what to
// think of that.
func confidence(share float64) (int, web.Tone) {
	percent := int(math.Round(share * 100))
	switch {
	case percent >= 80:
		return percent, web.Good
	case percent >= 60:
		return percent, web.Note
	}
	return percent, web.Warn
}

// paragraphs is plain text as HTML: an empty line ends a paragraph.
func paragraphs(text string) template.HTML {
	var b strings.Builder
	for part := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		if part = strings.TrimSpace(part); part != "" {
			b.WriteString("<p>" + strings.ReplaceAll(template.HTMLEscapeString(part), "\n", "<br>") + "</p>\n")
		}
	}
	return template.HTML(b.String()) //nolint:gosec // every text in it is escaped
}

// more is what else the site published.
func (p *pages) more(r *http.Request, a *newswire.Article) ([]web.Story, error) {
	found, err := p.desk.Latest(r.Context(), a.SiteID, newswire.PageOptions{Limit: 5})
	if err != nil {
		return nil, err
	}
	others, err := p.desk.Visible(r.Context(), found.Items)
	if err != nil {
		return nil, err
	}
	var all []web.Story
	for _, other := range others {
		if other.ArticleID != a.ArticleID && len(all) < 4 {
			all = append(all, web.Story{Title: other.Title, Path: articlePath(other.ArticleID), Date: timeOf(other.PublishedAt), Lang: languageOf(other.Title)})
		}
	}
	return all, nil
}

func (p *pages) setTopics(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	version, err := strconv.Atoi(r.PostFormValue("version"))
	if err != nil {
		return fmt.Errorf("topics of %s: version %q: %w", id, r.PostFormValue("version"), errs.Malformed)
	}
	_, err = p.desk.SetTopics(r.Context(), id, version, words(r.PostFormValue("topics")))
	switch {
	case err == nil:
		p.site.Flash(w, r, web.Good, "newswire.topics.saved")
		return p.site.Redirect(w, r, articlePath(id))
	case errs.KindOf(err) == errs.Invalid, errs.KindOf(err) == errs.Stale:
		return p.articlePage(w, r, lines(err))
	}
	return err
}

// words splits what was typed into a field for several, at commas of both scripts
// and at the ends of lines.
func words(text string) []string {
	var all []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",、，\n", r) }) {
		if word = strings.TrimSpace(word); word != "" {
			all = append(all, word)
		}
	}
	return all
}
