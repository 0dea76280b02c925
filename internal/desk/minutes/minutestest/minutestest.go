// Package minutestest is a parliament for tests of what stands on the minutes desk:
// a library with meetings, and a language model that answers about them.
//
// It promises that answers are true to the record, except where a test asks for a
// false one, and that every text that reaches a page from outside can be chosen.
//
// Start with [Sitting] and [Library]; [Writer] is the model.
package minutestest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"pressroom/internal/desk/minutes/diet"
	"pressroom/llm"
)

// Bill is what all sittings deal with.
const Bill = "自転車活用推進法の一部を改正する法律案"

// Sitting returns meeting number n of a day: an opening, questions and answers about
// cycle paths, a vote.
func Sitting(n int, date string) diet.Meeting {
	m := diet.Meeting{
		IssueID: fmt.Sprintf("1219%05dX%03d", n, n), ImageKind: "会議録", Session: 219, House: []string{"衆議院", "参議院"}[n%2],
		Name: []string{"国土交通委員会", "予算委員会", "本会議"}[n%3], Issue: fmt.Sprintf("第%d号", n), Date: date,
		URL: "https://kokkai.example/minutes/" + strconv.Itoa(n),
	}
	say := func(speaker, yomi, group, position, text string) {
		order := len(m.Speeches)
		m.Speeches = append(m.Speeches, diet.Speech{
			ID: fmt.Sprintf("%s_%03d", m.IssueID, order), Order: order, Speaker: speaker, Yomi: yomi, Group: group, Position: position,
			Text: text, URL: fmt.Sprintf("https://kokkai.example/minutes/%d/%d", n, order),
		})
	}
	say("会議録情報", "", "", "", "令和八年"+date+"　"+m.Name+"\n　本日の会議に付した案件\n○"+Bill+"（内閣提出第五号）\n　道路行政の基本施策に関する件\n――――◇―――――\n")
	say("鈴木一郎", "すずきいちろう", "公道の会", "委員長", "○鈴木委員長　これより会議を開きます。\n　内閣提出、"+Bill+"を議題といたします。\n　質疑の申出がありますので、順次これを許します。田中花子君。")
	say("田中花子", "たなかはなこ", "みどりの輪", "", "○田中花子君　みどりの輪の田中花子です。\n　地方の通学路では、自転車と歩行者が狭い歩道を分け合っています。昨年度の事故は県内で四百十二件に上りました。\n　自転車道の整備について、国はどこまで責任を持つのか、大臣の見解を伺います。")
	say("高橋三郎", "たかはしさぶろう", "公道の会", "国土交通大臣", "○高橋国務大臣　お答えいたします。\n　本法案では、市町村が策定する自転車ネットワーク計画に基づく整備費の二分の一を国が補助することとしております。\n　通学路については、令和十年度までに延長千二百キロメートルの自転車道を優先して整備してまいります。")
	say("田中花子", "たなかはなこ", "みどりの輪", "", "○田中花子君　補助率が二分の一では、財政力の弱い町村は手を挙げられません。\n　補助率のかさ上げを検討すべきではありませんか。")
	say("高橋三郎", "たかはしさぶろう", "公道の会", "国土交通大臣", "○高橋国務大臣　御指摘は重く受け止めております。\n　過疎地域については、補助率を三分の二とする特例を政令で定める方向で調整しております。")
	say("鈴木一郎", "すずきいちろう", "公道の会", "委員長", "○鈴木委員長　これにて質疑は終局いたしました。本日は、これにて散会いたします。")
	return m
}

// Library serves meetings as the National Diet Library does.
func Library(meetings ...diet.Meeting) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		start, _ := strconv.Atoi(q.Get("startRecord"))
		most, _ := strconv.Atoi(q.Get("maximumRecords"))
		var found []diet.Meeting
		for _, m := range meetings {
			if m.Date >= q.Get("from") && m.Date <= q.Get("until") {
				found = append(found, m)
			}
		}
		from := min(max(start-1, 0), len(found))
		to := min(from+max(most, 1), len(found))
		answer := map[string]any{"numberOfRecords": len(found), "numberOfReturn": to - from, "startRecord": start, "nextRecordPosition": nil}
		if to < len(found) {
			answer["nextRecordPosition"] = to + 1
		}
		records := []any{}
		for _, m := range found[from:to] {
			records = append(records, map[string]any{
				"issueID": m.IssueID, "imageKind": m.ImageKind, "session": m.Session, "nameOfHouse": m.House, "nameOfMeeting": m.Name,
				"issue": m.Issue, "date": m.Date, "meetingURL": m.URL, "speechRecord": m.Speeches,
			})
		}
		answer["meetingRecord"] = records
		_ = json.NewEncoder(w).Encode(answer) // a client that has gone is no concern of a test
	})
}

// Writer is a language model that answers truthfully. Change, if it is set, is given
// each answer before it is sent, with the text of the first passages, to make it
// false or hostile.
type Writer struct {
	Change func(passages string, answer map[string]any)
}

// Info implements llm.Provider.
func (*Writer) Info() llm.Info { return llm.Info{Provider: "scripted", Model: "writer-1"} }

// Generate implements llm.Provider.
func (w *Writer) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	answer := asked(req, answerTo(req))
	if w.Change != nil {
		var text strings.Builder
		for _, p := range req.Passages {
			text.WriteString(p.Text)
		}
		w.Change(text.String(), answer)
	}
	body, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return &llm.Response{Text: string(body), Provider: "scripted", Model: "writer-1", Finish: llm.Stop, Usage: llm.Usage{Input: 1200, Output: 300}}, nil
}

// frame are the parts that are asked of a whole meeting, and not of a chunk.
var frame = []string{"title", "category", "description", "summary", "soft_language_summary"}

// asked is what of an answer the request's form has room for.
func asked(req *llm.Request, answer map[string]any) map[string]any {
	keep := map[string]any{}
	switch req.Schema.Name() {
	case "minutes_chunk":
		for _, part := range frame {
			delete(answer, part)
		}
		return answer
	case "minutes_fold":
		keep["middle_summary"] = answer["middle_summary"]
		return keep
	case "minutes_reduce":
		for _, part := range append([]string{"key_points", "keywords"}, frame...) {
			keep[part] = answer[part]
		}
		return keep
	}
	return answer
}

func answerTo(req *llm.Request) map[string]any {
	var orders []int
	var dialogs, people []any
	for _, p := range req.Passages {
		said := sentencesOf(p.Text)
		if strings.HasPrefix(p.Text, "令和") || len(said) == 0 || strings.Contains(p.Speaker, "鈴木") {
			continue
		}
		orders = append(orders, p.Order)
		var bullets []any
		for _, s := range said {
			bullets = append(bullets, map[string]any{"point": "「" + clip(s, 24) + "」と述べた。", "quote": s, "detail": "自転車道の整備にかかわる発言。"})
		}
		dialogs = append(dialogs, map[string]any{
			"order": p.Order, "speaker": p.Speaker, "reaction": "前の発言を受けて答えた。", "soft_language": "自転車が安全に走れる道をふやす話です。",
			"summary_sections": []any{map[string]any{"title": "自転車道の整備", "bullets": bullets}},
		})
		people = append(people, map[string]any{"name": p.Speaker, "summary": "自転車道の整備と補助率について発言した。"})
	}
	if len(orders) == 0 {
		orders = []int{req.Passages[0].Order}
	}
	cite := func(text string, orders ...int) map[string]any {
		return map[string]any{"based_on_orders": orders, "summary": text}
	}
	return map[string]any{
		"title": "通学路の自転車道、国が整備費の半分を補助へ", "category": "国土交通",
		"description": "自転車活用推進法の改正案を審議。大臣は通学路の自転車道を優先して整備し、過疎地域では補助率を三分の二とする考えを示した。",
		"key_points":  []string{"国が整備費の二分の一を補助する。", "過疎地域では補助率を三分の二に引き上げる方向。"},
		"summary": cite(copied(req, "通学路")+"委員会は自転車活用推進法の改正案を審議した。質問者は通学路での事故の多さを挙げ、国の責任をただした。"+
			"大臣は、自転車ネットワーク計画に基づく整備費の二分の一を国が補助すると答えた。", orders...),
		"soft_language_summary": cite("学校に行く道で、自転車と歩く人がぶつかる事故がふえています。国は、自転車だけが走れる道を作るお金を半分出すことにします。", orders[:1]...),
		"middle_summary": []any{
			cite("質問者は、地方の通学路で自転車と歩行者が歩道を分け合う現状を示した。", orders[0]),
			cite("大臣は、補助率の特例を政令で定める方向で調整していると答えた。", orders[len(orders)-1]),
		},
		"dialogs": dialogs, "participants": people,
		"terms":    []any{map[string]any{"term": "自転車ネットワーク計画", "definition": "自転車が通る道のつながりを市町村が定める計画。"}, map[string]any{"term": "補助率", "definition": "費用のうち国が出す割合。"}},
		"keywords": []string{"自転車", "通学路", "補助率"},
	}
}

// copied is the first sentence of the passages with a word in it: whatever proves a
// summary proves this one.
func copied(req *llm.Request, word string) string {
	for _, p := range req.Passages {
		for _, s := range sentencesOf(p.Text) {
			if strings.Contains(s, word) {
				return s
			}
		}
	}
	return ""
}

// sentencesOf are the sentences of a speech, without the name before it.
func sentencesOf(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "○") {
			_, line, _ = strings.Cut(line, "　")
		}
		for s := range strings.SplitAfterSeq(line, "。") {
			if s = strings.TrimSpace(s); strings.HasSuffix(s, "。") && len([]rune(s)) > 14 {
				out = append(out, s)
			}
		}
	}
	return out
}

func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return strings.TrimSuffix(s, "。")
	}
	return string(r[:n]) + "…"
}
