package proceedings

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// committee is a fictional meeting of a committee of the lower house, in the forms
// that its records have.
func committee() Meeting {
	return Meeting{House: "衆議院", Name: "文部科学委員会", Date: "2026-04-10", Speeches: []Speech{
		{Order: 0, Speaker: "会議録情報", Text: "令和八年四月十日（金曜日）\r\n　　　　午前九時三分開議\r\n　出席委員\r\n　　　委員長　風間　洋子君\r\n　　　　文部科学大臣　　　　峰岸　太一君\r\n　　　　―――――――――――――\r\n本日の会議に付した案件\r\n　政府参考人出頭要求に関する件\r\n　図書館連携の推進に関する法律案（内閣提出第一二号）\r\n　学校図書館法の一部を改正する法律案（内閣提出第一三号）\r\n　　　　　――――◇―――――"},
		{Order: 1, Speaker: "風間洋子", Position: "委員長", Text: "○風間委員長　これより会議を開きます。\r\n　内閣提出、図書館連携の推進に関する法律案及び学校図書館法の一部を改正する法律案の両案を一括して議題といたします。\r\n　この際、お諮りいたします。\r\n　両案審査のため、本日、政府参考人として文部科学省総合教育政策局長早川学君の出席を求め、説明を聴取いたしたいと存じますが、御異議ありませんか。\r\n　　　　〔「異議なし」と呼ぶ者あり〕"},
		{Order: 2, Speaker: "風間洋子", Position: "委員長", Text: "○風間委員長　御異議なしと認めます。よって、そのように決しました。\r\n　　　　―――――――――――――"},
		{Order: 3, Speaker: "風間洋子", Text: "○風間委員長　質疑の申出がありますので、順次これを許します。北山冬子君。"},
		{Order: 4, Speaker: "北山冬子", Group: "みどりの会", Text: "○北山委員　みどりの会の北山です。\r\n　離島の図書館連携に国の補助金は使えるのか、大臣の見解を伺います。"},
		{Order: 5, Speaker: "峰岸太一", Position: "文部科学大臣", Text: "○峰岸国務大臣　お答えいたします。\r\n　離島の図書館連携につきましては、来年度から国の補助金の対象とする方針であります。"},
		{Order: 6, Speaker: "風間洋子", Text: "○風間委員長　早川総合教育政策局長。"},
		{Order: 7, Speaker: "早川学", Role: "政府参考人", Text: "○早川政府参考人　補助金の対象となる離島の図書館は、全国で百四十二館と見込んでおります。"},
		{Order: 8, Speaker: "風間洋子", Text: "○風間委員長　これにて両案に対する質疑は終局いたしました。\r\n　この際、学校図書館法の一部を改正する法律案に対し、南川春夫君外一名から、修正案が提出されております。提出者から趣旨の説明を求めます。南川春夫君。"},
		{Order: 9, Speaker: "南川春夫", Group: "自由の会", Text: "○南川委員　ただいま議題となりました修正案につきまして、その趣旨を御説明申し上げます。\r\n　施行期日を一年早めるものであります。"},
		{Order: 10, Speaker: "風間洋子", Text: "○風間委員長　これより討論に入ります。討論の申出がありますので、順次これを許します。西村秋子君。"},
		{Order: 11, Speaker: "西村秋子", Group: "働く党", Text: "○西村委員　働く党の西村です。\r\n　私は、図書館連携の推進に関する法律案に反対の立場から討論を行います。"},
		{Order: 12, Speaker: "風間洋子", Text: "○風間委員長　これにて討論は終局いたしました。\r\n　これより採決に入ります。\r\n　まず、内閣提出、図書館連携の推進に関する法律案について採決いたします。\r\n　本案に賛成の諸君の起立を求めます。\r\n　　　　〔賛成者起立〕"},
		{Order: 13, Speaker: "風間洋子", Text: "○風間委員長　起立多数。よって、本案は原案のとおり可決すべきものと決しました。\r\n　次に、学校図書館法の一部を改正する法律案及びこれに対する修正案について採決いたします。\r\n　まず、南川春夫君外一名提出の修正案について採決いたします。\r\n　本修正案に賛成の諸君の起立を求めます。\r\n　　　　〔賛成者起立〕"},
		{Order: 14, Speaker: "風間洋子", Text: "○風間委員長　起立少数。よって、本修正案は否決されました。\r\n　次に、原案について採決いたします。\r\n　原案に賛成の諸君の起立を求めます。\r\n　　　　〔賛成者起立〕"},
		{Order: 15, Speaker: "風間洋子", Text: "○風間委員長　起立総員。よって、本案は原案のとおり可決すべきものと決しました。\r\n　この際、ただいま議決いたしました学校図書館法の一部を改正する法律案に対し、北山冬子君外二名から、附帯決議を付すべしとの動議が提出されております。\r\n　提出者から趣旨の説明を求めます。北山冬子君。"},
		{Order: 16, Speaker: "北山冬子", Group: "みどりの会", Text: "○北山委員　ただいま議題となりました附帯決議案につきまして、提出者を代表して、その趣旨を御説明申し上げます。"},
		{Order: 17, Speaker: "風間洋子", Text: "○風間委員長　これにて趣旨の説明は終わりました。\r\n　採決いたします。\r\n　本動議に賛成の諸君の起立を求めます。\r\n　　　　〔賛成者起立〕"},
		{Order: 18, Speaker: "風間洋子", Text: "○風間委員長　起立総員。よって、本案に対し附帯決議を付することに決しました。\r\n　本日は、これにて散会いたします。\r\n　　　　午後零時十分散会"},
	}}
}

// plenary is a fictional sitting of the upper house.
func plenary() Meeting {
	return Meeting{House: "参議院", Name: "本会議", Date: "2026-05-01", Speeches: []Speech{
		{Order: 0, Speaker: "会議録情報", Text: "令和八年五月一日（金曜日）\r\n　　　午前十時二分開議\r\n　　　　━━━━━━━━━━━━━\r\n○議事日程　第十二号\r\n　　令和八年五月一日\r\n　　　午前十時開議\r\n　第一　図書館連携の推進に関する法律案（内閣提\r\n　　出、衆議院送付）\r\n　第二　湖沼の保全に関する条約の締結について承\r\n　　認を求めるの件（衆議院送付）\r\n　　　　━━━━━━━━━━━━━\r\n○本日の会議に付した案件\r\n　一、日程第一及び第二\r\n　　　　　─────・─────"},
		{Order: 1, Speaker: "高瀬進", Position: "議長", Text: "○議長（高瀬進君）　これより会議を開きます。\r\n　日程第一　図書館連携の推進に関する法律案（内閣提出、衆議院送付）を議題といたします。\r\n　まず、委員長の報告を求めます。文教科学委員長小杉りつ君。\r\n　　　〔小杉りつ君登壇、拍手〕"},
		{Order: 2, Speaker: "小杉りつ", Group: "自由の会", Text: "○小杉りつ君　ただいま議題となりました法律案につきまして、文教科学委員会における審査の経過と結果を御報告申し上げます。\r\n　本法律案は、図書館の連携を推進するため、国の補助その他の措置を講じようとするものであります。"},
		{Order: 3, Speaker: "高瀬進", Position: "議長", Text: "○議長（高瀬進君）　これより採決をいたします。\r\n　本案の賛否について、投票ボタンをお押し願います。\r\n　　　〔投票開始〕"},
		{Order: 4, Speaker: "高瀬進", Position: "議長", Text: "○議長（高瀬進君）　間もなく投票を終了いたします。──これにて投票を終了いたします。\r\n　　　〔投票終了〕"},
		{Order: 5, Speaker: "高瀬進", Position: "議長", Text: "○議長（高瀬進君）　投票の結果を報告いたします。\r\n　　投票総数　　　　　　　　　二百二十九　　\r\n　　賛成　　　　　　　　　　　　二百四　　\r\n　　反対　　　　　　　　　　　　二十五　　\r\n　よって、本案は可決されました。（拍手）\r\n　　　　　─────・─────"},
		{Order: 6, Speaker: "高瀬進", Position: "議長", Text: "○議長（高瀬進君）　日程第二　湖沼の保全に関する条約の締結について承認を求めるの件（衆議院送付）を議題といたします。\r\n　これより採決をいたします。\r\n　本件に賛成の諸君の起立を求めます。\r\n　　　〔賛成者起立〕"},
		{Order: 7, Speaker: "高瀬進", Position: "議長", Text: "○議長（高瀬進君）　総員起立と認めます。\r\n　よって、本件は全会一致をもって承認することに決しました。\r\n　本日はこれにて散会いたします。\r\n　　　午前十時四十分散会"},
	}}
}

func stripped(m Meeting) Meeting {
	m.Speeches = slices.Clone(m.Speeches)
	for i := range m.Speeches {
		m.Speeches[i].Text = squeeze(m.Speeches[i].Text)
	}
	return m
}

// item is what a test says of an item.
type item struct {
	Name, Number, Origin string
	Stages               []Stage
	Outcome              Outcome
	Vote                 string
}

func itemsOf(p *Proceedings) []item {
	var out []item
	for _, it := range p.Items {
		v := ""
		if it.Vote != nil {
			v = it.Vote.Method + " " + it.Vote.Result
		}
		out = append(out, item{it.Name, it.Number, it.Origin, it.Stages, it.Outcome, v})
	}
	return out
}

func TestRead(t *testing.T) {
	bill := []item{
		{"政府参考人出頭要求に関する件", "", "", []Stage{TakenUp, Voted}, Agreed, "no_objection unanimous"},
		{"図書館連携の推進に関する法律案", "第一二号", "内閣", []Stage{TakenUp, Questioned, Debated, Voted}, Passed, "standing majority"},
		{"学校図書館法の一部を改正する法律案", "第一三号", "内閣", []Stage{TakenUp, Questioned, Voted}, Passed, "standing unanimous"},
	}
	for name, m := range map[string]Meeting{"as printed": committee(), "without white space": stripped(committee())} {
		t.Run(name, func(t *testing.T) {
			p := Read(m, nil)
			if d := cmp.Diff(bill, itemsOf(p)); d != "" {
				t.Errorf("items (-want +got):\n%s", d)
			}
			if p.Opening == nil || p.Opening.Time != "午前九時三分" || p.Opening.Passage.Order != 1 {
				t.Errorf("opening %+v", p.Opening)
			}
			if p.Closing == nil || p.Closing.Time != "午後零時十分" || p.Closing.Kind != "散会" {
				t.Errorf("closing %+v", p.Closing)
			}
			want := []Exchange{
				{"北山冬子", []int{4}, "峰岸太一", []int{5}, 1},
				{"北山冬子", []int{4}, "早川学", []int{7}, 1},
			}
			if d := cmp.Diff(want, p.Exchanges); d != "" {
				t.Errorf("exchanges (-want +got):\n%s", d)
			}
			if len(p.Amendments) != 1 || p.Amendments[0].By != "南川春夫" || p.Amendments[0].Order != 9 || p.Amendments[0].Outcome != Rejected || p.Amendments[0].To != bill[2].Name {
				t.Errorf("amendments %+v", p.Amendments)
			}
			if len(p.Resolutions) != 1 || p.Resolutions[0].Order != 16 || p.Resolutions[0].Outcome != Passed || p.Resolutions[0].Vote.Result != "unanimous" {
				t.Errorf("resolutions %+v", p.Resolutions)
			}
			if len(p.Debate) != 1 || p.Debate[0].For || p.Debate[0].Item != bill[1].Name || p.Debate[0].Group != "働く党" {
				t.Errorf("debate %+v", p.Debate)
			}
		})
	}
}

func TestReadPlenary(t *testing.T) {
	want := []item{
		{"図書館連携の推進に関する法律案", "", "内閣", []Stage{TakenUp, Reported, Voted}, Passed, "buttons numbers"},
		{"湖沼の保全に関する条約の締結について承認を求めるの件", "", "", []Stage{TakenUp, Voted}, Approved, "standing unanimous"},
	}
	for name, m := range map[string]Meeting{"as printed": plenary(), "without white space": stripped(plenary())} {
		t.Run(name, func(t *testing.T) {
			p := Read(m, nil)
			if d := cmp.Diff(want, itemsOf(p)); d != "" {
				t.Errorf("items (-want +got):\n%s", d)
			}
			if v := p.Items[0].Vote; v == nil || v.For != 204 || v.Against != 25 || v.Total != 229 {
				t.Errorf("vote %+v", v)
			}
			if p.Opening == nil || p.Opening.Time != "午前十時二分" {
				t.Errorf("opening %+v, the order of the day has another time", p.Opening)
			}
		})
	}
}

func TestReadSaysNothingUncertain(t *testing.T) {
	m := plenary()
	m.Speeches[5].Text = "○議長（高瀬進君）　投票の結果を報告いたします。投票総数二百二十九、賛成二百四十、反対二十五。よって、両案は可決されました。"
	p := Read(m, nil)
	if it := p.Items[0]; it.Outcome != "" {
		t.Errorf("a count that does not add up decided %+v", it)
	}
	told := p.Tell()
	if strings.Contains(told.Title+told.Summary.Text, "可決") {
		t.Errorf("told %q, %q", told.Title, told.Summary.Text)
	}
}

func TestTell(t *testing.T) {
	told := Read(plenary(), nil).Tell()
	if want := "図書館連携の推進に関する法律案を可決　賛成204・反対25"; told.Title != want {
		t.Errorf("title %q, want %q", told.Title, want)
	}
	for _, want := range []string{"湖沼の保全に関する条約の締結について承認を求めるの件を全会一致で承認した。", "本法律案は、図書館の連携を推進するため、国の補助その他の措置を講じようとするものであります。"} {
		if !strings.Contains(told.Summary.Text, want) {
			t.Errorf("summary %q lacks %q", told.Summary.Text, want)
		}
	}
	told = Read(committee(), nil).Tell()
	if want := "図書館連携の推進に関する法律案と学校図書館法の一部を改正する法律案を可決すべきものと決定"; told.Title != want {
		t.Errorf("title %q, want %q", told.Title, want)
	}
	points := strings.Join(told.KeyPoints, "\n")
	for _, want := range []string{
		"学校図書館法の一部を改正する法律案に対する南川春夫氏（自由の会）の修正案を起立少数で否決した。",
		"学校図書館法の一部を改正する法律案に附帯決議を付けることを全会一致で決めた。",
		"北山冬子氏（みどりの会）の質問に、峰岸太一氏（文部科学大臣）は「離島の図書館連携につきましては、来年度から国の補助金の対象とする方針であります」と答えた。",
	} {
		if !strings.Contains(points, want) {
			t.Errorf("key points lack %q:\n%s", want, points)
		}
	}
	if !slices.Contains(told.Keywords, "学校図書館法") {
		t.Errorf("keywords %q", told.Keywords)
	}
}

// Every text of an article cites speeches that there are, every quote stands in its
// speech, and no sentence is said twice.
func TestToldHolds(t *testing.T) {
	for _, m := range []Meeting{committee(), plenary(), stripped(committee()), {House: "衆議院", Name: "本会議"}} {
		holds(t, m)
	}
}

func holds(t *testing.T, m Meeting) {
	t.Helper()
	texts := map[int]string{}
	for _, s := range m.Speeches {
		texts[s.Order] = squeeze(s.Text)
	}
	p := Read(m, nil)
	told := p.Tell()
	if told.Title == "" {
		t.Error("no title")
	}
	seen := map[string]bool{}
	once := func(s string) {
		if seen[s] {
			t.Errorf("%q is said twice", s)
		}
		seen[s] = true
	}
	for _, c := range append(slices.Clone(told.Course), told.Summary, told.Plain) {
		if c.Text != "" && len(c.Orders) == 0 {
			t.Errorf("%q cites nothing", c.Text)
		}
		for _, o := range c.Orders {
			if _, ok := texts[o]; !ok {
				t.Errorf("%q cites order %d", c.Text, o)
			}
		}
	}
	for _, c := range told.Course {
		once(c.Text)
	}
	for _, k := range told.KeyPoints {
		once(k)
	}
	for _, b := range told.Speeches {
		for _, point := range b.Points {
			once(point.Quote)
			if !strings.Contains(texts[b.Order], point.Quote) {
				t.Errorf("speech %d does not contain %q", b.Order, point.Quote)
			}
		}
	}
	for _, it := range p.Items {
		for _, at := range it.Passages {
			if p.Text(at) == "" {
				t.Errorf("%s has an empty passage %+v", it.Name, at)
			}
		}
	}
}

func TestNumber(t *testing.T) {
	for s, want := range map[string]int{"〇": 0, "十": 10, "二百四": 204, "二十五": 25, "百": 100, "四百六十一": 461, "一万二千": 12000, "２０４": 204, "一二": 12, "千九": 1009} {
		if got, ok := number(s); !ok || got != want {
			t.Errorf("number(%s) = %d, %v, want %d", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "多数", "二百票"} {
		if got, ok := number(s); ok {
			t.Errorf("number(%s) = %d", s, got)
		}
	}
}

func TestPlainly(t *testing.T) {
	for s, want := range map[string]string{
		"来年度から国の補助金の対象とする方針であります。": "来年度から国の補助金の対象とする方針である。",
		"御指摘の点につきましては、検討しております。":   "指摘の点については、検討している。",
		"よろしくお願いいたします。":            "",
		"伺いますが、どう考えますか。":           "",
		"対応を進めておりまして、来年度に実施いたします。": "対応を進めていて、来年度に実施する。",
	} {
		if got, _ := plainly(s); got != want {
			t.Errorf("plainly(%s) = %q, want %q", s, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, m := range []Meeting{committee(), plenary()} {
		for _, s := range m.Speeches {
			f.Add(s.Text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := committee()
		m.Speeches[0].Text = text
		m.Speeches[13].Text = text
		m.Speeches[5].Text = text
		holds(t, m)
	})
}

func BenchmarkRead(b *testing.B) {
	m := committee()
	for len(m.Speeches) < 1000 {
		s := m.Speeches[4+len(m.Speeches)%4]
		s.Order = len(m.Speeches)
		s.Text += strings.Repeat("　離島の図書館の連携を進めるため、来年度の予算で補助金の対象を広げることを検討しております。", 20)
		m.Speeches = append(m.Speeches, s)
	}
	b.ReportAllocs()
	for b.Loop() {
		Read(m, nil).Tell()
	}
}

// Questions to the house that the agenda does not list by name are told by what they
// name themselves.
func TestTellUnlisted(t *testing.T) {
	chair := func(order int, text string) Speech {
		return Speech{Order: order, Speaker: "高瀬進", Position: "議長", Text: "○議長（高瀬進君）　" + text}
	}
	for name, c := range map[string]struct {
		m    Meeting
		want []string // in title, summary and key points
	}{
		"rules in the order of the day, and more before it": {
			Meeting{House: "参議院", Name: "本会議", Date: "2026-05-01", Speeches: []Speech{
				{Order: 0, Speaker: "会議録情報", Text: "令和八年五月一日（金曜日）\r\n　　　午後三時二分開議\r\n　　　　━━━━━━━━━━━━━\r\n○議事日程　第四号\r\n　　　　─────────────\r\n　　令和八年五月一日\r\n　　　午後三時　本会議\r\n　　　　─────────────\r\n　第一　委員会の審査及び調査を閉会\r\n　　中も継続するの件\r\n　　　　━━━━━━━━━━━━━\r\n○本日の会議に付した案件\r\n　一、元議員小杉りつ君逝去につき哀悼の件\r\n　以下　議事日程のとおり\r\n　　　　　─────・─────"},
				chair(1, "これより会議を開きます。\r\n　日程第一　委員会の審査及び調査を閉会中も継続するの件\r\n　本件は各委員長要求のとおり決することに御異議ございませんか。\r\n　　　〔「異議なし」と呼ぶ者あり〕"),
				chair(2, "御異議ないと認めます。\r\n　よって、本件は各委員長要求のとおり決しました。\r\n　これにて散会いたします。\r\n　　　午後三時六分散会"),
			}},
			[]string{"委員会の審査及び調査を閉会中も継続するの件を異議なく決定した。"},
		},
		"appointments, one vote each": {
			Meeting{House: "参議院", Name: "本会議", Date: "2026-05-01", Speeches: []Speech{
				chair(1, "これより会議を開きます。\r\n　日程第一　国家公務員等の任命に関する件\r\n　これより採決をいたします。\r\n　まず、検査官に北山冬子君を任命することについて採決をいたします。\r\n　内閣申出のとおり同意することの賛否について、投票ボタンをお押し願います。\r\n　　　〔投票開始〕"),
				chair(2, "投票の結果を報告いたします。\r\n　　投票総数　　二百三十六　　\r\n　　賛成　　二百二十八　　\r\n　　反対　　　　　　八　　\r\n　よって、同意することに決しました。（拍手）"),
				chair(3, "次に、公正委員会委員に南川春夫君及び西村秋子君を任命することについて採決をいたします。\r\n　内閣申出のとおり同意することの賛否について、投票ボタンをお押し願います。\r\n　　　〔投票開始〕"),
				chair(4, "投票の結果を報告いたします。\r\n　　投票総数　　二百三十五　　\r\n　　賛成　　　　　　百九十　　\r\n　　反対　　　　　四十五　　\r\n　よって、同意することに決しました。（拍手）"),
			}},
			[]string{"検査官に北山冬子君を任命することに賛成228、反対8で同意した。", "公正委員会委員に南川春夫君及び西村秋子君を任命することに賛成190、反対45で同意した。"},
		},
		"the office that the sentence names": {
			Meeting{House: "参議院", Name: "本会議", Date: "2026-05-01", Speeches: []Speech{
				chair(1, "これより会議を開きます。\r\n　日程第一　常任委員長の選挙\r\n　これより欠員中の環境委員長の選挙を行います。\r\n　つきましては、本選挙は、その手続を省略し、議長において指名することに御異議ございませんか。\r\n　　　〔「異議なし」と呼ぶ者あり〕"),
				chair(2, "御異議ないと認めます。\r\n　よって、議長は、環境委員長に小杉りつ君を指名いたします。\r\n　　　〔拍手〕"),
			}},
			[]string{"環境委員長に小杉りつ氏を指名した。"},
		},
		"the order of other meetings": {
			Meeting{House: "衆議院", Name: "議院運営委員会", Date: "2026-05-01", Speeches: []Speech{
				chair(1, "これより会議を開きます。\r\n　まず、本日厚生委員会の審査を終了した湖沼保全法案、文教委員会の審査を終了する予定の図書館連携法案の両法律案について、それぞれ委員長から緊急上程の申出があります。\r\n　この際、発言を求められておりますので、これを許します。西村秋子君。"),
				{Order: 2, Speaker: "西村秋子", Group: "働く党", Text: "○西村委員　緊急上程に反対いたします。"},
				chair(3, "それでは、両法律案は、本日の本会議において緊急上程するに賛成の諸君の挙手を求めます。\r\n　　　　〔賛成者挙手〕"),
				chair(4, "挙手多数。よって、そのように決定いたしました。\r\n　それでは、令和八年度本院歳出予算要求の件につきましては、小委員長の報告のとおり決定するに御異議ありませんか。\r\n　　　　〔「異議なし」と呼ぶ者あり〕"),
				chair(5, "御異議なしと認めます。よって、そのように決定いたしました。\r\n　本日は、これにて散会いたします。"),
			}},
			[]string{"湖沼保全法案、図書館連携法案の緊急上程を挙手多数で決定した。", "令和八年度本院歳出予算要求の件を異議なく決定した。"},
		},
	} {
		for _, m := range []Meeting{c.m, stripped(c.m)} {
			told := Read(m, nil).Tell()
			text := told.Title + "\n" + told.Summary.Text + "\n" + strings.Join(told.KeyPoints, "\n")
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("%s: no %s in\n%s", name, want, text)
				}
			}
			holds(t, m)
		}
	}
}
