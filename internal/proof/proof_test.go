package proof

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pressroom/guard/guardtest"
	"pressroom/llm"
	"pressroom/llm/llmtest"
)

// meeting is a record that most tests hold sentences against.
func meeting() *Record {
	return NewRecord("2026-04-16", "参議院本会議", []Passage{
		{Order: 1, Speaker: "竹内信吾", Role: "議長", Text: "○議長（竹内信吾君）　日程第一、図書館連携法案を議題といたします。"},
		{Order: 2, Speaker: "森下千晴", Party: "みどりの会", Text: "○森下千晴君　昨年度、常勤の司書を置く学校は全体の三割から四割です。財源の見通しが立てば、配置を義務づけるべきではありませんか。"},
		{Order: 3, Speaker: "水野隆", Office: "文部科学大臣", Text: "○国務大臣（水野隆君）　直ちに義務づけることは考えておりません。令和九年度から三・八万人を対象に、支援を検討してまいります。"},
		{Order: 4, Speaker: "竹内信吾", Role: "議長", Text: "○議長（竹内信吾君）　投票総数二百二十九　賛成二百四　反対二十五　よって、本案は可決されました。"},
	})
}

func report() *Record {
	return NewRecord("2026-04-16", "参議院本会議", []Passage{
		{Order: 1, Speaker: "石川恵", Role: "文教委員長", Text: "○石川恵君　委員会におきましては、参考人から意見を聴取しました。質疑を終わり、採決の結果、本法律案は多数をもって可決すべきものと決定いたしました。"},
	})
}

func hansard() *Record {
	return NewRecord("2026-03-12", "House of Commons", []Passage{
		{Order: 1, Speaker: "Helen Ashworth", Party: "Civic Party", Text: "Some 38,000 pupils lost their library last year. Will she fund a librarian in every school if the pilot succeeds?"},
		{Order: 2, Speaker: "Ruth Calder", Office: "Minister for Schools", Text: "I do not accept that figure. We intend to publish the results in June. Spending rose by 4 per cent to £3.2 million."},
		{Order: 3, Speaker: "Ann Bell", Office: "Speaker", Text: "Order. The amendment was rejected by 201 votes to 188."},
	})
}

func TestCheck(t *testing.T) {
	tests := []struct {
		record  *Record
		orders  string
		text    string
		verdict Verdict
		class   Class // that decides, if it is not supported
	}{
		{meeting(), "4", "図書館連携法案を可決　賛成204・反対25", Supported, ""},
		{meeting(), "4", "図書館連携法案を可決　賛成２０４・反対２５", Supported, ""},
		{meeting(), "4", "図書館連携法案を可決　賛成214・反対25", Contradicted, Number},
		{meeting(), "4", "図書館連携法案を可決　賛成25・反対204", Contradicted, Number},
		{meeting(), "4", "図書館連携法案を否決　賛成204・反対25", Contradicted, Outcome},
		{meeting(), "4", "図書館連携法案は否決された。", Contradicted, Outcome},
		{meeting(), "4", "水道事業法案は否決された。", NotFound, Bill},
		{meeting(), "4", "水道事業法案を可決　賛成204・反対25", NotFound, Bill},
		{meeting(), "4", "議長は、図書館連携法案が可決されたと報告した。", Supported, ""},
		{meeting(), "4", "議長は、図書館連携法案が否決されたと述べた。", Contradicted, Outcome},
		{meeting(), "4", "議長は、図書館連携法案が否決されたと報告した。", Contradicted, Outcome},
		{meeting(), "4", "竹内議長は、図書館連携法案が否決されたと宣告した。", Contradicted, Outcome},
		{meeting(), "3", "水野文科相は、直ちに義務づけることは考えていないと述べ、財源の見通しが立てば配置を義務づけるべきではないかと質問した。", NotFound, Speaker},
		{meeting(), "3", "水野文科相は、直ちに義務づけることは考えていないと述べたとし、常勤の司書を置く学校は三割から四割だと指摘した。", NotFound, Merged},
		{meeting(), "2", "森下氏は、配置を義務づけるべきではないかと質問したとし、支援を検討すると答えた。", NotFound, Merged},
		{meeting(), "3", "水野文科相は、2027年度から3万8000人を対象に支援を検討すると述べた。", Supported, ""},
		{meeting(), "3", "水野文科相は、2027年度から3.8億人を対象に支援を検討すると述べた。", Contradicted, Unit},
		{meeting(), "3", "水野文科相は、2028年度から3.8万人を対象に支援を検討すると述べた。", Contradicted, Date},
		{meeting(), "3", "水野国交相は、直ちに義務づけることは考えていないと述べた。", Contradicted, Office},
		{meeting(), "3", "水野大臣は、直ちに義務づけることを考えていると述べた。", Contradicted, Polarity},
		{meeting(), "3", "水野大臣は、令和九年度から3.8万人を支援したと述べた。", NotFound, Plan},
		{meeting(), "2", "森下氏（みどりの会）は、財源の見通しが立てば配置を義務づけるべきではないかと質問した。", Supported, ""},
		{meeting(), "2", "森下氏は、配置を義務づけるべきではないかと質問した。", NotFound, Condition},
		{meeting(), "2", "森下氏は、財源の見通しが立ったので配置を義務づけると述べた。", NotFound, Question},
		{meeting(), "2", "森下氏（青空の会）は、財源の見通しが立てば配置を義務づけるべきではないかと質問した。", Contradicted, Office},
		{meeting(), "2", "常勤の司書を置く学校は昨年度、全体の三割だった。", Contradicted, Unit},
		{meeting(), "2,3", "水野大臣は、財源の見通しが立てば配置を義務づけるべきではないかと質問した。", NotFound, Speaker},
		{meeting(), "3", "水野大臣は「直ちに義務づけることを考えております」と述べた。", Contradicted, Quote},
		{meeting(), "3", "黒木大臣は、直ちに義務づけることは考えていないと述べた。", NotFound, Name},
		{report(), "1", "石川委員長は、委員会で多数をもって可決すべきものと決定したと報告した。", Supported, ""},
		{report(), "1", "石川委員長は、本会議で多数をもって可決すべきものと決定したと報告した。", NotFound, Stage},
		{meeting(), "9", "水野大臣は、直ちに義務づけることは考えていないと述べた。", NotFound, Statement},
		{meeting(), "3", "漁業者への燃料の補助を延長する。", NotFound, Statement},

		{hansard(), "1", "Helen Ashworth asked whether she would fund a librarian in every school if the pilot succeeds.", Supported, ""},
		{hansard(), "1", "Helen Ashworth asked whether she would fund a librarian in every school.", NotFound, Condition},
		{hansard(), "1", "Helen Ashworth said she would fund a librarian in every school if the pilot succeeds.", NotFound, Question},
		{hansard(), "2", "Ms Calder said she did not accept the figure.", Supported, ""},
		{hansard(), "2", "Ms Calder said she accepted the figure.", Contradicted, Polarity},
		{hansard(), "2", "The results have been published in June.", NotFound, Plan},
		{hansard(), "3", "The Speaker announced that the amendment had been rejected.", Supported, ""},
		{hansard(), "3", "The Speaker announced that the amendment had been carried.", Contradicted, Outcome},
		{hansard(), "3", "The Speaker said the amendment was approved.", Contradicted, Outcome},
		{hansard(), "2", "Spending rose by four per cent to £3.2m.", Supported, ""},
		{hansard(), "2", "Spending fell by 4 per cent.", Contradicted, Outcome},
		{hansard(), "2", "Spending rose by 4 percentage points.", Contradicted, Unit},
		{hansard(), "2", "Spending rose to £3.2 billion.", Contradicted, Unit},
		{hansard(), "1,2", "Ms Ashworth said she did not accept the figure and intended to publish the results in June.", Contradicted, Speaker},
		{hansard(), "2", "The health minister said she did not accept the figure.", NotFound, Office},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			var orders []int
			for o := range strings.SplitSeq(tt.orders, ",") {
				orders = append(orders, int(o[0]-'0'))
			}
			claims := tt.record.Check(Sentence{Text: tt.text, Orders: orders})
			if got := Overall(claims); got != tt.verdict {
				t.Errorf("%s, want %s: %+v", got, tt.verdict, unsupported(claims))
			}
			if tt.class != "" && !slices.ContainsFunc(claims, func(c Claim) bool { return c.Class == tt.class && c.Verdict == tt.verdict }) {
				t.Errorf("no claim about %s is %s: %+v", tt.class, tt.verdict, unsupported(claims))
			}
			for _, c := range claims {
				if c.Reason.En == "" || c.Reason.Ja == "" || strings.Contains(c.Reason.En+c.Reason.Ja, "{") {
					t.Errorf("reason %+v", c.Reason)
				}
			}
		})
	}
}

// The place of a claim is a part of the passage as it was given, whatever its widths and spaces.
func TestPlace(t *testing.T) {
	text := "○水野国務大臣　対象は\n３万８千人 です。"
	r := NewRecord("2026-01-01", "", []Passage{{Order: 7, Speaker: "水野隆", Text: text}})
	claims := r.Check(Sentence{Text: "対象は38,000人だ。", Orders: []int{7}})
	i := slices.IndexFunc(claims, func(c Claim) bool { return c.Class == Number })
	if i < 0 || claims[i].Verdict != Supported || claims[i].Passage == nil {
		t.Fatalf("claims %+v", claims)
	}
	p := claims[i].Passage
	if got := string([]rune(text)[p.From:p.To]); p.Order != 7 || got != "３万８千人" || p.Text != got {
		t.Errorf("place %+v is %q", p, got)
	}
}

func TestFigures(t *testing.T) {
	for text, want := range map[string]float64{
		"204": 204, "二百四": 204, "二〇四": 204, "3.8万": 38000, "三・八": 3.8, "1億2千万": 1.2e8, "1億2000万": 1.2e8, "38,000": 38000, "十": 10, "千二百": 1200, "三万八千": 38000, "百十五": 115,
	} {
		if got, _, _, ok := figureOf(text); !ok || got != want {
			t.Errorf("%s is %v, %v; want %v", text, got, ok, want)
		}
	}
}

func TestDates(t *testing.T) {
	ref := time.Date(2026, 4, 16, 0, 0, 0, 0, time.UTC) // a Thursday
	tests := []struct {
		text, other string
		want        bool
	}{
		{"令和8年4月16日", "2026年4月16日", true},
		{"昨日", "4月15日", true},
		{"昨日", "15日", true},
		{"来月", "2026年5月", true},
		{"昨年", "令和七年", true},
		{"昨年", "令和六年", false},
		{"2027年度", "来年度", true},
		{"2027年度", "2027年", false},
		{"4月", "四月十日", true},
		{"四月十日", "4月", false},
		{"last month", "March 2026", true},
		{"yesterday", "15 April", true},
		{"Wednesday", "yesterday", true},
		{"June 2026", "June", true},
		{"June 2028", "June", false},
		{"next year", "2027", true},
		{"next year", "2026", false},
	}
	for _, tt := range tests {
		said, in := read(tt.text, ref)[0].moments, read(tt.other, ref)[0].moments
		if len(said) != 1 || len(in) != 1 {
			t.Errorf("%s: %v; %s: %v", tt.text, said, tt.other, in)
			continue
		}
		if got := said[0].within(in[0], ref); got != tt.want {
			t.Errorf("%s, where the passage has %s: %v", tt.text, tt.other, got)
		}
	}
}

// The program's own set: nothing falls below what was reached. Plain sentences are close to their passages; of those in
// other words, only the lies that a person made of them are counted.
func TestBench(t *testing.T) {
	samples, err := ReadSet(Set())
	if err != nil {
		t.Fatal(err)
	}
	byStyle := map[string][]Sample{}
	count := map[string]int{}
	every := 100 / guardtest.Few(100) // under the race detector a part of the set, whose shares say nothing
	for i, s := range samples {
		if s.group != "own" || i%every != 0 {
			continue
		}
		byStyle[s.Style] = append(byStyle[s.Style], s)
		count[s.Lang] += len(s.Sentences)
	}
	if every == 1 && (count["ja"] < 200 || count["en"] < 200) {
		t.Errorf("true sentences %v", count)
	}
	seen, hand, caught := map[string]bool{}, map[string]int{}, map[string]int{}
	for style, samples := range byStyle {
		result := Bench(samples, false)
		if every > 1 {
			continue
		}
		for _, r := range result.True {
			if r.ContraRate > 0.01 || r.MissRate > 0.15 {
				t.Errorf("true sentences, %s %s: %.1f%% contradicted, %.1f%% not found", r.Lang, r.Style, 100*r.ContraRate, 100*r.MissRate)
			}
		}
		for _, l := range result.Lies {
			switch {
			case l.By == "hand":
				hand[l.Lang] += l.Lies
				caught[l.Lang] += l.Caught
			case style == "plain":
				seen[l.Lang+string(l.Class)] = true
				if l.Lies-l.Caught > max(1, l.Lies/20) {
					t.Errorf("%s %s: %d of %d lies caught", l.Lang, l.Class, l.Caught, l.Lies)
				}
			}
		}
	}
	for _, lang := range []string{"ja", "en"} {
		if every > 1 {
			break
		}
		if 100*caught[lang] < 90*hand[lang] || hand[lang] < 100 {
			t.Errorf("%s: %d of %d lies by hand caught", lang, caught[lang], hand[lang])
		}
		for _, class := range Classes {
			if class != Statement && !seen[lang+string(class)] {
				t.Errorf("no lie about %s in %s", class, lang)
			}
		}
	}
}

type reader struct {
	verdict Verdict
	err     error
}

func (r reader) Judge(context.Context, Sentence, []Passage) (Verdict, string, error) {
	return r.verdict, "so it seems", r.err
}

func TestOpinionIsOnlyStricter(t *testing.T) {
	r := meeting()
	good := Sentence{Text: "水野大臣は、直ちに義務づけることは考えていないと述べた。", Orders: []int{3}}
	bad := Sentence{Text: "水野大臣は、直ちに義務づけることを考えていると述べた。", Orders: []int{3}}
	for _, tt := range []struct {
		s       Sentence
		opinion Verdict
		want    Verdict
	}{{good, Supported, Supported}, {good, NotFound, NotFound}, {good, Contradicted, Contradicted}, {bad, Supported, Contradicted}, {bad, NotFound, Contradicted}} {
		claims, err := r.Reconsider(t.Context(), reader{verdict: tt.opinion}, tt.s, r.Check(tt.s))
		if err != nil || Overall(claims) != tt.want {
			t.Errorf("%s, %s: %s, %v", tt.s.Text, tt.opinion, Overall(claims), err)
		}
	}
	before := r.Check(good)
	broken := errors.New("no answer")
	if claims, err := r.Reconsider(t.Context(), reader{err: broken}, good, before); !errors.Is(err, broken) || len(claims) != len(before) {
		t.Errorf("%v, %v", claims, err)
	}
}

func TestModel(t *testing.T) {
	asked := 0
	m := Model{llmtest.NewScripted(func(_ int, req *llm.Request) llmtest.Reply {
		asked++
		if len(req.Passages) != 1 || req.Passages[0].Order != 3 {
			t.Errorf("passages %+v", req.Passages)
		}
		return llmtest.Reply{Text: `{"verdict": "not_found", "reason": "nobody says so"}`}
	})}
	r := meeting()
	s := Sentence{Text: "水野大臣は、直ちに義務づけることは考えていないと述べた。", Orders: []int{3}}
	claims, err := r.Reconsider(t.Context(), m, s, r.Check(s))
	if err != nil || asked != 1 || Overall(claims) != NotFound || !strings.Contains(claims[len(claims)-1].Reason.En, "nobody says so") {
		t.Errorf("asked %d times: %+v, %v", asked, claims, err)
	}
}

// ending is a context that ends when it has been asked so many times.
type ending struct {
	context.Context
	left int
}

func (c *ending) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// The proof of an answer stops between its sentences when its context ends.
func TestProofEnds(t *testing.T) {
	a := &Answer{KeyPoints: slices.Repeat([]string{"図書館連携法案は可決された。"}, 100), Terms: []Term{{"法案", "図書館連携法案は可決された。"}}}
	for _, asked := range []int{0, 1, 10, 100} {
		ctx := &ending{t.Context(), asked}
		claims, err := meeting().CheckAnswer(ctx, a)
		if !errors.Is(err, context.Canceled) || len(claims) > 0 || ctx.left < -3 {
			t.Errorf("after %d: %d claims, %v, asked %d times too often", asked, len(claims), err, -1-ctx.left)
		}
	}
}

// Texts without an end cost in proportion to their length: with its square, these would not end before the tests do.
func TestLongTexts(t *testing.T) {
	for _, piece := range []string{"賛成二百四と水野大臣は述べ", "Ms Calder said 4 per cent to 5 ", "12,", "一二三", "「『", " 'a"} {
		text := strings.Repeat(piece, guardtest.Few(40_000)/len(piece))
		r := NewRecord("2026-01-01", "", []Passage{{Order: 2, Speaker: "水野隆", Text: text}})
		r.Check(Sentence{Text: "水野大臣は賛成204と述べた。", Orders: []int{2}})
		for _, l := range r.sources[2].read().lines {
			if n := l.span.to - l.span.from; n > longestLine {
				t.Errorf("%q: a line of %d characters", piece, n)
			}
		}
		meeting().Check(Sentence{Text: text, Orders: []int{2}})
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("水野大臣は、令和九年度から3.8万人を対象に支援を検討すると述べた。")
	f.Add("Ms Calder said “spending rose” by between 4 and 5 per cent, to £3.2m, if… (unless) last Monday's 12th of March, 2026.")
	f.Add("「『「（三〜五割から万億兆・第第第")
	ja, en := meeting(), hansard()
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range []*Record{ja, en, NewRecord("2026-01-01", text, []Passage{{Order: 2, Speaker: text, Party: text, Office: text, Text: text}})} {
			for _, c := range r.Check(Sentence{Text: text, Orders: []int{2}}) {
				if c.Verdict.rank() < 0 || c.Passage != nil && (c.Passage.From < 0 || c.Passage.To < c.Passage.From) {
					t.Errorf("claim %+v", c)
				}
			}
		}
	})
}
