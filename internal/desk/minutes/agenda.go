package minutes

import (
	"regexp"
	"strings"
)

// How the minutes of both houses write what a meeting deals with. A heading lists
// it, in the house of representatives as
//
//	本日の会議に付した案件
//	　道路法の一部を改正する法律案（内閣提出第一三号）
//
// in that of councillors with a ○ before each, and in plenary sessions with its
// place in the order of the day before it (日程第一).
var (
	agenda = regexp.MustCompile(`案件$|^[　 ]*議事日程`)
	// numbering is what stands before an item. A number is one only if something parts
	// it from the name: 二酸化炭素の貯留事業に関する法律案 begins with none.
	numbering = regexp.MustCompile(`^(?:[○〇◯・●]|(?:日程)?第[一二三四五六七八九十百〇0-9０-９]+(?:及び第[一二三四五六七八九十百〇0-9０-９]+)?[　 、]+|[一二三四五六七八九十0-9０-９]+[　 、．.]+|[　 ])+`)
	// origin is who brought an item in, behind its name. The number of a
	// supplementary budget, （第1号）, is part of its name.
	origin = regexp.MustCompile(`（[^（）]*(?:提出|送付|内閣|閣法|衆法|参法|国会|条約第|承認第|承諾第|閉会中|継続|予備審査|号外)[^（）]*）`)
	item   = regexp.MustCompile(`(?:法律案|法案|条約|協定|議定書|決議案?|規則案|規程案|改正案|予算|決算|計算書|動議|件|調査|請願|演説|報告|質疑|指名|選挙|辞職)(?:（[特機]?第[一二三四五六七八九十0-9０-９]+号）)?$`)
	others = regexp.MustCompile(`外[一二三四五六七八九十百0-9０-９]+件$`)
	rule   = regexp.MustCompile(`^[―─━‐－-]{2,}|^[◇◆]`)

	// lead is how a chair leads over to an item's name.
	lead  = regexp.MustCompile(`^(?:○[^　 ]{1,30}[　 ]+|これより|ただいま|本日は?|次に|まず|最後に|内閣提出|[^、。]{1,30}君(?:外[一二三四五六七八九十百]+名)?提出|(?:衆議院|参議院)(?:提出|送付)|第[一二三四五六七八九十百]+回国会|(?:閣法|衆法|参法)?第[一二三四五六七八九十百]+号|日程第[一二三四五六七八九十百]+|議題となり(?:ました|ます)|議題となっております|議題の|お諮りいたします|[　 、。])+`)
	table = regexp.MustCompile(`^([\p{Han}\p{Katakana}\p{Hiragana}\p{Latin}\p{N}ー・々〇、]{3,250}?(?:法律案|法案|条約|協定|決議案|予算))(?:外[一二三四五六七八九十百]+件)?(?:[をの]|につ)(?:議題|一括|審査|採決|趣旨)`)
)

// issues are the bills and agenda items (案件) that the meeting dealt with: those that
// its proceedings took up. Of a record in other forms, they are what its heading lists
// and what anybody put on the table.
func (r *record) issues(m Meeting) []string {
	out := []string{}
	seen := map[string]bool{}
	add := func(name string) {
		name = plain(name, 300)
		if key := keyText(name); key != "" && !seen[key] && len(out) < maxIssues {
			seen[key] = true
			out = append(out, name)
		}
	}
	for _, item := range r.proceedings(m).Items {
		add(item.Name)
	}
	if len(out) > 0 || !m.japanese() {
		return out
	}
	for _, s := range r.speeches {
		if bare(s.Speaker) == header {
			for _, name := range listed(s.Text) {
				add(name)
			}
		}
	}
	known := len(out)
	for _, s := range r.speeches {
		for _, sentence := range sentences(s.Text) {
			if name := tabled(sentence); name != "" && !anyShares(out[:known], name) {
				add(name)
			}
		}
	}
	return out
}

// anyShares reports whether one of the names ends as the other, or the other way
// round: then a chair said more, or less, than the name that the heading has.
func anyShares(names []string, other string) bool {
	for _, name := range names {
		if strings.HasSuffix(name, other) || strings.HasSuffix(other, name) {
			return true
		}
	}
	return false
}

// tabled returns the bill that a sentence puts on the table, "" for none. Few
// sentences do, and the expression is slow: most are told by a look.
func tabled(sentence string) string {
	if len(sentence) > 2000 || !strings.Contains(sentence, "案") && !strings.Contains(sentence, "条約") &&
		!strings.Contains(sentence, "協定") && !strings.Contains(sentence, "予算") {
		return ""
	}
	sentence = sentence[len(lead.FindString(sentence)):]
	match := table.FindStringSubmatch(sentence)
	if match == nil {
		return ""
	}
	return match[1]
}

// listed returns the items that a meeting's heading lists, wherever it does.
func listed(text string) []string {
	var out []string
	within := false
	for line := range strings.Lines(text) {
		line = strings.Trim(line, " 　\r\n\t")
		switch {
		case agenda.MatchString(line):
			within = true
		case rule.MatchString(line):
			within = false
		case within:
			if name := itemOf(line); name != "" {
				out = append(out, name)
			}
		}
	}
	return out
}

// itemOf returns the name of the item in a line of the agenda; "" if it has none.
func itemOf(line string) string {
	line = line[len(numbering.FindString(line)):]
	line = strings.TrimSpace(origin.ReplaceAllString(line, ""))
	line = others.ReplaceAllString(line, "")
	if !item.MatchString(line) || len(line) < len("の件")+3 {
		return ""
	}
	return line
}
