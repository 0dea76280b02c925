package minutes

import (
	"slices"
	"strings"

	"pressroom/internal/desk/minutes/diet"
)

// merge puts the answers to chunks under the frame that the reduce gave. A frame
// that has a part of its own keeps it. What a chunk says of the speeches around its
// own is left to the chunks that have them.
func merge(frame Result, chunks []Result, t *Task) Result {
	var origin Origin
	var body Result
	for i, c := range chunks {
		body.MiddleSummary = append(body.MiddleSummary, c.MiddleSummary...)
		for _, dialog := range c.Dialogs {
			if own := t.Chunks[i].BasedOnOrders; len(own) == 0 || slices.Contains(own, dialog.Order) || !t.has(dialog.Order) {
				body.Dialogs = append(body.Dialogs, dialog)
			}
		}
		body.Participants = append(body.Participants, c.Participants...)
		body.Terms = append(body.Terms, c.Terms...)
		body.Keywords = append(body.Keywords, c.Keywords...)
		origin.add(c.GeneratedBy)
	}
	origin.add(frame.GeneratedBy)
	if len(frame.MiddleSummary) == 0 {
		frame.MiddleSummary = body.MiddleSummary
	}
	if len(frame.Dialogs) == 0 {
		frame.Dialogs = body.Dialogs
	}
	frame.Participants = append(slices.Clip(frame.Participants), body.Participants...)
	frame.Terms = append(slices.Clip(frame.Terms), body.Terms...)
	frame.Keywords = append(slices.Clip(frame.Keywords), body.Keywords...)
	if origin.Calls > 0 {
		frame.GeneratedBy = &origin
	}
	return frame
}

// has tells whether a chunk of the task has the speech; an order that none has is
// for the check to find.
func (t *Task) has(order int) bool {
	return slices.ContainsFunc(t.Chunks, func(c Chunk) bool { return slices.Contains(c.BasedOnOrders, order) })
}

// Bounds on what an article takes from an answer, in bytes or items.
const (
	maxTitle        = textMax
	maxDescription  = 8 << 10
	maxSummary      = 64 << 10
	maxTerms        = 150
	maxTermBytes    = 500
	maxPersonBytes  = 60
	maxKeyPoints    = 30
	maxKeywordBytes = 120
)

// assemble makes article and asset of an answer that stood up to the record. Names,
// texts and dates come from the record, never from the answer; quotes are given the
// very characters of the speech.
func (r *record) assemble(t *Task, a *Result) (Article, Asset) {
	m := t.Meeting
	if a.GeneratedBy != nil && a.GeneratedBy.Extractive {
		// It quotes the meeting, and cannot say what one person spoke for.
		a.Participants = nil
	}
	article := Article{
		Type: "ARTICLE", ID: t.ID(), Title: plain(a.Title, maxTitle), Date: m.Date, Month: m.Date[:7], ImageKind: m.ImageKind,
		Session: m.Session, House: m.House, Meeting: m.Name, Description: plain(a.Description, maxDescription),
		Categories: categories(a, m), Participants: r.participants(a.Participants), Keywords: keywords(a.Keywords),
		Terms: r.terms(a.Terms), Issues: r.issues(m), Progress: r.progress(m),
		Assembly: AssemblyOf(t.ID()), Language: m.Language,
	}
	if article.ImageKind == "" {
		article.ImageKind = "会議録"
	}
	if article.Title == "" {
		article.Title = strings.Join(strings.Fields(m.House+" "+m.Name+" "+m.Issue), " ")
	}
	asset := Asset{
		Summary: cited(a.Summary), SoftSummary: cited(a.SoftSummary), MiddleSummary: []Cited{}, KeyPoints: []string{},
		Dialogs: r.dialogs(a.Dialogs), Procedural: r.proceedings(m).Procedural(), SourceURL: m.URL,
	}
	for _, c := range a.MiddleSummary {
		if c = cited(c); c.Summary != "" {
			asset.MiddleSummary = append(asset.MiddleSummary, c)
		}
	}
	for _, point := range a.KeyPoints {
		if point = plain(point, maxTermBytes*2); point != "" && len(asset.KeyPoints) < maxKeyPoints {
			asset.KeyPoints = append(asset.KeyPoints, point)
		}
	}
	if a.GeneratedBy != nil {
		asset.GeneratedBy = *a.GeneratedBy
	} else {
		asset.GeneratedBy = Origin{Provider: t.LLM, Model: t.LLMModel, PromptVersion: t.PromptVersion}
	}
	if r.of != nil {
		r.structured(t, &article, &asset)
	}
	return article, asset
}

func cited(c Cited) Cited {
	orders := slices.Compact(slices.Sorted(slices.Values(c.BasedOnOrders)))
	if orders == nil {
		orders = []int{}
	}
	return Cited{BasedOnOrders: orders, Summary: plain(c.Summary, maxSummary)}
}

// categories are the answer's, or without any the subject of the committee.
func categories(a *Result, m Meeting) []string {
	var out []string
	for _, c := range append(slices.Clip(a.Category), a.Categories...) {
		if c = plain(c, nameMax/4); c != "" && !slices.Contains(out, c) && len(out) < maxCategories {
			out = append(out, c)
		}
	}
	if len(out) > 0 {
		return out
	}
	subject := m.Name
	for _, ending := range []string{"特別委員会", "常任委員会", "委員会", "調査会", "審査会"} {
		if head, ok := strings.CutSuffix(subject, ending); ok && head != "" {
			subject = head
			break
		}
	}
	if subject == "" {
		return []string{}
	}
	return []string{subject}
}

func keywords(list []string) []string {
	out := []string{}
	seen := map[string]bool{}
	for _, k := range list {
		k = plain(k, maxKeywordBytes)
		if key := keywordText(k); key != "" && !seen[key] && len(out) < maxKeywords {
			seen[key] = true
			out = append(out, k)
		}
	}
	return out
}

// terms are those that the record has.
func (r *record) terms(list []Term) []Term {
	out := []Term{}
	seen := map[string]bool{}
	for _, t := range list {
		t = Term{plain(t.Term, maxTermBytes/4), plain(t.Definition, maxTermBytes)}
		key := bare(t.Term)
		if key == "" || t.Definition == "" || seen[key] || len(out) == maxTerms || !r.mentions(key) {
			continue
		}
		seen[key] = true
		out = append(out, t)
	}
	return out
}

// header is the speaker of the minutes' own heading.
const header = "会議録情報"

// participants are all who spoke, as the record has them, in the order of their
// first words, with what the answer says of them.
func (r *record) participants(said []Participant) []Participant {
	out := []Participant{}
	seen := map[string]bool{}
	for _, s := range r.speeches {
		name := bare(s.Speaker)
		if name == "" || name == header || seen[name] || len(out) == maxPersons {
			continue
		}
		seen[name] = true
		p := Participant{
			Name: plain(s.Speaker, maxPersonBytes), Yomi: plain(s.Yomi, maxPersonBytes), Group: plain(s.Group, maxPersonBytes),
			Position: plain(s.Position, maxPersonBytes), Role: plain(s.Role, maxPersonBytes),
		}
		for _, other := range said {
			if slices.Contains(r.byOrder[s.Order].names, bare(other.Name)) && other.Summary != "" {
				p.Summary = plain(other.Summary, 180)
				break
			}
		}
		out = append(out, p)
	}
	return out
}

// dialogs are one per speech, in order: what the answer says of it beside the speech
// itself. A speech that the answer leaves out is there with its text.
func (r *record) dialogs(said []Dialog) []Dialog {
	byOrder := map[int]Dialog{}
	for _, one := range said {
		d, again := byOrder[one.Order]
		if !again {
			d = Dialog{Sections: []Section{}}
		}
		d.Sections = append(d.Sections, one.Sections...)
		d.Reaction = joined(d.Reaction, one.Reaction)
		d.SoftLanguage = joined(d.SoftLanguage, one.SoftLanguage)
		byOrder[one.Order] = d
	}
	out := []Dialog{}
	for _, s := range r.speeches {
		d := byOrder[s.Order]
		d.Sections = exact(s, d.Sections)
		d.Order, d.Speaker, d.Yomi, d.Group, d.Position, d.Role = s.Order, s.Speaker, s.Yomi, s.Group, s.Position, s.Role
		d.OriginalText, d.SourceURL = s.Text, s.URL
		out = append(out, d)
	}
	return out
}

func joined(a, b string) string {
	b = plain(b, maxSummary)
	switch {
	case b == "" || strings.Contains(a, b):
		return a
	case a == "":
		return b
	}
	return a + "\n" + b
}

// exact gives quotes the characters of the speech; a point without evidence, or one
// that was made before, is left out.
func exact(s diet.Speech, sections []Section) []Section {
	out := []Section{}
	at := newLocator(s.Text)
	seen := map[Bullet]bool{}
	for _, section := range sections {
		kept := Section{Title: plain(section.Title, maxTitle), Bullets: []Bullet{}}
		for _, b := range section.Bullets {
			quote, ok := at.find(b.Quote)
			b = Bullet{plain(b.Point, maxSummary), quote, plain(b.Detail, maxSummary)}
			if ok && !seen[b] {
				seen[b] = true
				kept.Bullets = append(kept.Bullets, b)
			}
		}
		if len(kept.Bullets) > 0 {
			out = append(out, kept)
		}
	}
	return out
}
