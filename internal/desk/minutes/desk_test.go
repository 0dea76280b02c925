package minutes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/story"
	"pressroom/internal/story/storytest"
	"pressroom/llm"
	"pressroom/llm/llmtest"
	"pressroom/model"
	"pressroom/model/modeltest"
)

// newDesk returns a desk on stores of its own. When the test ends, the cards must be
// those that the desk's own items give.
func newDesk(t testing.TB, provider llm.Provider, o Options) *Desk {
	t.Helper()
	d := newExhibit(t, provider, o)
	t.Cleanup(func() { storytest.Told(t, d.o.Stories, d.Shelf()) })
	return d
}

// newExhibit is newDesk for tests that change items behind the desk's back.
func newExhibit(t testing.TB, provider llm.Provider, o Options) *Desk {
	t.Helper()
	stores := modeltest.OpenStores(t, nil, Schema, story.Schema)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Pause == 0 {
		o.Pause = -1
	}
	var err error
	if o.Stories, err = story.New(stores.Tables, &story.Options{Now: o.Now}); err != nil {
		t.Fatal(err)
	}
	d, err := New(stores.Tables, stores.Objects, provider, &o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// truthful answers every form with what the passages say.
func truthful(req *llm.Request) string {
	first, last := req.Passages[0], req.Passages[len(req.Passages)-1]
	cite := func(p llm.Passage) map[string]any {
		return map[string]any{"based_on_orders": []int{p.Order}, "summary": firstSentence(p.Text)}
	}
	frame := map[string]any{
		"title": clipRunes(firstSentence(first.Text), 60), "category": "国土交通", "description": firstSentence(last.Text),
		"key_points": []string{firstSentence(last.Text)}, "summary": cite(first), "soft_language_summary": cite(last), "keywords": []string{"自転車", "ＰＦＩ"},
	}
	body := map[string]any{
		"key_points": []string{firstSentence(last.Text)}, "middle_summary": []any{cite(first), cite(last)},
		"terms": []any{map[string]any{"term": "自転車道", "definition": "自転車のための道。"}}, "keywords": []string{"自転車"},
	}
	var dialogs, people []any
	for _, p := range req.Passages {
		quote := strings.TrimSpace(clipRunes(p.Text, 30))
		bullet := map[string]any{"point": firstSentence(p.Text), "quote": quote, "detail": ""}
		dialogs = append(dialogs, map[string]any{
			"order": p.Order, "speaker": p.Speaker, "reaction": "", "soft_language": firstSentence(p.Text),
			"summary_sections": []any{map[string]any{"title": "発言", "bullets": []any{bullet}}},
		})
		people = append(people, map[string]any{"name": p.Speaker, "summary": "発言した。"})
	}
	body["dialogs"], body["participants"] = dialogs, people
	answer := map[string]any{}
	switch req.Schema.Name() {
	case "minutes_reduce":
		answer = frame
	case "minutes_fold":
		answer["middle_summary"] = []any{cite(first)}
	case "minutes_chunk":
		answer = body
	default:
		for _, part := range []map[string]any{body, frame} {
			for k, v := range part {
				answer[k] = v
			}
		}
	}
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// firstSentence is the first that a speech says, without the name before it.
func firstSentence(text string) string {
	if strings.HasPrefix(text, "○") {
		_, text, _ = strings.Cut(text, "　")
	}
	if i := strings.IndexAny(text, "。\n"); i >= 0 {
		text = text[:i]
	}
	if first, _, more := strings.Cut(text, ". "); more {
		text = first + "."
	}
	return strings.TrimSpace(text)
}

func clipRunes(s string, n int) string {
	r := []rune(s)
	return string(r[:min(n, len(r))])
}

// honest is a provider that answers truthfully.
func honest() *llmtest.Scripted {
	return llmtest.NewScripted(func(_ int, req *llm.Request) llmtest.Reply { return llmtest.Reply{Text: truthful(req)} })
}

// sample is meeting number n on a day, with so many speeches of so many sentences.
func sample(n int, date string, speeches, sentences int) diet.Meeting {
	m := diet.Meeting{
		IssueID: fmt.Sprintf("1%08dX%03d", n, n%1000), ImageKind: "会議録", Session: 210 + n%5, House: []string{"衆議院", "参議院"}[n%2],
		Name: []string{"国土交通委員会", "予算委員会", "本会議"}[n%3], Issue: fmt.Sprintf("第%d号", n), Date: date, URL: "https://example.org/minutes",
	}
	bill := fmt.Sprintf("自転車道整備法案その%d", n%7)
	m.Speeches = append(m.Speeches, diet.Speech{ID: m.IssueID + "_000", Order: 0, Speaker: header,
		Text: "令和八年　本会議\n　本日の会議に付した案件\n○" + bill + "（内閣提出第五号）\n　地方自治に関する件\n――――◇―――――\n"})
	for i := 1; i < speeches; i++ {
		name := []string{"鈴木一郎", "田中花子", "佐藤次郎", "高橋三郎"}[i%4]
		var text strings.Builder
		fmt.Fprintf(&text, "○%s君　", name)
		for j := range sentences {
			fmt.Fprintf(&text, "第%d号の%d番目の発言の%d文目として、自転車道の整備に%d億円を要すると申し上げます。", n, i, j, i*j+n)
		}
		m.Speeches = append(m.Speeches, diet.Speech{ID: fmt.Sprintf("%s_%03d", m.IssueID, i), Order: i, Speaker: name, Group: "自転車の会", Text: text.String()})
	}
	m.Raw = rawOf(m)
	return m
}

// rawOf is a meeting as the API writes it.
func rawOf(m diet.Meeting) json.RawMessage {
	raw, err := json.Marshal(map[string]any{
		"issueID": m.IssueID, "imageKind": m.ImageKind, "session": m.Session, "nameOfHouse": m.House, "nameOfMeeting": m.Name,
		"issue": m.Issue, "date": m.Date, "meetingURL": m.URL, "speechRecord": m.Speeches,
	})
	if err != nil {
		panic(err)
	}
	return raw
}

// take gives meetings to the desk as a collection would.
func take(t testing.TB, d *Desk, meetings ...diet.Meeting) CollectReport {
	t.Helper()
	var r CollectReport
	for _, m := range meetings {
		if err := d.take(t.Context(), m, &r); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func work(t testing.TB, d *Desk) WorkReport {
	t.Helper()
	r, err := d.Work(t.Context(), WorkOptions{Once: true, Progress: func(e Event) {
		if e.Err != nil {
			t.Logf("%s %s: %v", e.IssueID, e.Outcome, e.Err)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func noErr(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// clock is a time that a test moves.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func newClock() *clock { return &clock{time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)} }

// rows returns all items of the article table.
func rows(t testing.TB, d *Desk) []model.Raw {
	t.Helper()
	return scan(t, d, d.schema.Tables[1].Name)
}

func asJSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err.Error()
	}
	return b.String()
}
