package proof

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"pressroom/internal/search/text"
)

// person is somebody who speaks in the record.
type person struct {
	full     string
	family   func() string // what they are called for short
	parties  []string
	offices  []string
	orders   []int
	spoke    map[int]bool // by order
	japanese bool
}

func (r *Record) person(s *source) *person {
	full := strings.ReplaceAll(string(fold(strings.TrimSpace(s.Speaker))), "  ", " ")
	var p *person
	for _, known := range r.people {
		if known.full == full {
			p = known
		}
	}
	if p == nil {
		p = &person{full: full, spoke: map[int]bool{}, japanese: language(full) == "ja"}
		p.family = sync.OnceValue(func() string { return familyOf(full, s.label) })
		r.people = append(r.people, p)
	}
	add := func(list *[]string, v string) {
		v = strings.TrimSpace(string(fold(v)))
		if v != "" && !slices.Contains(*list, v) {
			*list = append(*list, v)
		}
	}
	add(&p.parties, s.Party)
	for _, o := range []string{s.Office, s.Role} {
		for _, part := range officeForms(string(fold(o))) {
			add(&p.offices, part)
		}
	}
	if s.label != "" {
		label, _, _ := strings.Cut(strings.ReplaceAll(s.label, "（", "("), "(")
		add(&p.offices, label[len(shared(label, p.full)):])
	}
	p.orders = append(p.orders, s.Order)
	p.spoke[s.Order] = true
	return p
}

var enTitles = set("mr mrs ms miss dr sir dame lord lady baroness baron prof professor rev hon councillor cllr minister senator councilman councilwoman alderman the right rt speaker deputy chair")

// officeForms are the offices in one entry: 政府参考人(法務省刑事局長) is both, 国務大臣(防災担当) is 防災担当大臣.
func officeForms(o string) []string {
	outer, inner, ok := strings.Cut(strings.ReplaceAll(o, "（", "("), "(")
	inner = strings.TrimRight(inner, ")）")
	if !ok {
		return []string{o}
	}
	if domain, found := strings.CutSuffix(inner, "担当"); found {
		return []string{outer, domain + "担当" + strings.TrimPrefix(outer, "国務"), domain + strings.TrimPrefix(outer, "国務")}
	}
	return []string{outer, inner}
}

// shared is what a label and a name begin with: the family name, if the label is 水野国務大臣. It leaves the label its rank,
// if a name goes on as a rank begins: 三田園公平 is 三田園公述人.
func shared(label, full string) string {
	n := 0
	for i, r := range full {
		if to := i + utf8.RuneLen(r); strings.HasPrefix(label, full[:to]) {
			n = to
		}
	}
	for i := range full[:n] {
		if jaRank.FindString(label[i:]) == label[i:] && i > 0 {
			return full[:i]
		}
	}
	return full[:n]
}

// familyOf returns what somebody is called for short. Where the record does not show it, the dictionary of Japanese knows: to
// take the first two characters is wrong for one name in five.
func familyOf(full, label string) string {
	if language(full) != "ja" {
		parts := strings.Fields(full)
		if len(parts) == 0 {
			return full
		}
		return parts[len(parts)-1]
	}
	if at := strings.IndexAny(full, " "); at > 0 {
		return full[:at]
	}
	if family := shared(label, full); family != "" && family != full {
		return family
	}
	if words, err := text.Analyse(full); err == nil && len(words) > 1 {
		return words[0].Text
	}
	if runes := []rune(full); len(runes) >= 3 {
		return string(runes[:2])
	}
	return full
}

// mention is a place in a sentence that speaks of a person.
type mention struct {
	span    span
	people  []*person // whom it may mean
	subject bool      // the person says or does something here
	title   string    // the office that it gives
	party   string    // the party that it gives
	named   bool
	text    string
}

const (
	jaRanks = `内閣総理大臣|総理大臣|首相|総理|内閣官房長官|官房長官|副大臣|大臣政務官|政務官|国務大臣|大臣|副委員長|委員長|副議長|議長|副知事|知事|副市長|市長|副町長|町長|副村長|村長|副区長|区長|教育長|局長|部長|課長|審議官|参考人|公述人|長官|次官|総裁|副総裁|会長|副会長|社長|理事長|所長|館長|校長|学長|教授|准教授|代表|幹事長|党首|書記長|監査委員|参事官|統括官|室長|政府参考人|研究員|理事`
	jaShort = `(?:文部科学|文科|厚生労働|厚労|国土交通|国交|経済産業|経産|農林水産|農水|財務|外務|法務|環境|防衛|総務|デジタル|復興|こども政策担当|こども|少子化担当|経済再生担当|地方創生担当|防災担当|防災|金融担当|金融|規制改革担当|沖縄北方担当|法|外)`
)

var (
	jaTitle    = longest(`[\p{Han}\p{Katakana}ー]{0,16}(?:` + jaRanks + `)(?:代理|職務代理)?|` + jaShort + `相`)
	jaHonorary = `(?:氏|さん|君|様|議員|委員|ら)`
	jaMinister = map[string]string{"文科": "文部科学", "厚労": "厚生労働", "国交": "国土交通", "経産": "経済産業", "農水": "農林水産", "法": "法務", "外": "外務"}
)

func longest(pattern string) *regexp.Regexp {
	re := regexp.MustCompile(pattern)
	re.Longest()
	return re
}

// What stands behind and before a name, and offices without one.
var (
	jaAfter  = longest(`^(?:` + jaTitle.String() + `|` + jaHonorary + `)?(?:[(](?P<party>[^()]{1,30})[)])?(?:ら)?(?P<particle>は|が|も|によると|によれば|、)?`)
	jaBefore = regexp.MustCompile(`(?:(?P<party>[^、。はがをに「」]{2,20}?)(?:の|・))?(?P<title>(?:[\p{Han}\p{Katakana}ー]{0,12}(?:` + jaRanks + `)(?:の|・)?|` + jaShort + `相(?:の)?))?$`)
	jaAlone  = regexp.MustCompile(`(?P<title>[\p{Han}\p{Katakana}ー]{0,12}(?:` + jaRanks + `)|` + jaShort + `相)(?P<particle>は|が|も|によると|によれば)`)
)

// mentions finds the people of the record in a Japanese or English sentence.
func (r *Record) mentions(l *line, cited []*source) []mention {
	if l.lang == "ja" {
		return r.mentionsJapanese(l, cited)
	}
	return r.mentionsEnglish(l, cited)
}

func (r *Record) mentionsJapanese(l *line, cited []*source) []mention {
	s := string(l.text[l.span.from:l.span.to])
	at := runeOffsets(s)
	var out []mention
	taken := make([]bool, len(s)+1)
	add := func(from, to int, m mention) {
		for i := from; i < to; i++ {
			taken[i] = true
		}
		m.span = span{l.span.from + at[from], l.span.from + at[to]}
		m.text = s[from:to]
		out = append(out, m)
	}
	people := slices.Clone(r.people)
	slices.SortStableFunc(people, func(a, b *person) int { return len(b.family()) - len(a.family()) })
	for _, p := range people {
		for _, form := range []string{p.full, p.family()} {
			for from := 0; ; {
				i := strings.Index(s[from:], form)
				if i < 0 || form == "" {
					break
				}
				i += from
				end := i + len(form)
				from = end
				if taken[i] {
					continue
				}
				rest := s[end:]
				m := jaAfter.FindStringSubmatchIndex(rest)
				tail := rest[:m[1]]
				if len([]rune(form)) == 1 && tail == "" {
					continue
				}
				ref := mention{named: true, people: r.called(form)}
				if m[2] >= 0 {
					ref.party = rest[m[2]:m[3]]
				}
				if m[4] >= 0 {
					particle := rest[m[4]:m[5]]
					ref.subject = particle != "、" || strings.HasPrefix(rest[m[1]:], "") && particle == "、" && m[1] > len("、")
				}
				ref.title = strings.TrimSuffix(jaTitle.FindString(tail), "ら")
				if !strings.HasPrefix(tail, ref.title) {
					ref.title = ""
				}
				start := i
				if b := jaBefore.FindStringSubmatchIndex(s[:i]); b != nil {
					if b[4] >= 0 && b[5] > b[4] {
						ref.title = strings.TrimRight(s[b[4]:b[5]], "の・")
						start = b[4]
					}
					if b[2] >= 0 && r.partyLike(s[b[2]:b[3]]) && ref.party == "" {
						ref.party = s[b[2]:b[3]]
						start = b[2]
					}
				}
				add(start, end+m[1], ref)
			}
		}
	}
	// Offices without a name.
	for _, m := range jaAlone.FindAllStringSubmatchIndex(s, -1) {
		if taken[m[2]] {
			continue
		}
		title := s[m[2]:m[3]]
		ref := mention{title: title, subject: true}
		for _, src := range cited {
			if p := src.person; p != nil && p.holds(title) == yes && !slices.Contains(ref.people, p) {
				ref.people = append(ref.people, p)
			}
		}
		add(m[2], m[5], ref)
	}
	slices.SortFunc(out, func(a, b mention) int { return a.span.from - b.span.from })
	return out
}

// called returns the people of the record who go by a name.
func (r *Record) called(form string) []*person {
	var out []*person
	for _, p := range r.people {
		if p.full == form || p.family() == form {
			out = append(out, p)
		}
	}
	return out
}

func (r *Record) find(speaker string) *person {
	full := strings.ReplaceAll(string(fold(strings.TrimSpace(speaker))), "  ", " ")
	for _, p := range r.people {
		if p.full == full {
			return p
		}
	}
	return nil
}

var jaPartyLike = regexp.MustCompile(`(?:党|の会|会派|クラブ|維新|無所属|フォーラム|連合|会議|ネット|公明|共産|自民|立憲|れいわ)$`)

func (r *Record) partyLike(s string) bool {
	for _, p := range r.people {
		for _, party := range p.parties {
			if sameParty(s, party) {
				return true
			}
		}
	}
	return jaPartyLike.MatchString(s)
}

// sameParty tells whether a party is meant, by its name or a shorter form of it.
func sameParty(said, party string) bool {
	trim := func(s string) []rune {
		return []rune(strings.NewReplacer("党", "", "・", "", " ", "", "会派", "", "the ", "", "Party", "", "party", "", "Group", "").Replace(s))
	}
	a, b := trim(said), trim(party)
	if len(a) == 0 || len(b) == 0 {
		return string(a) == string(b)
	}
	if string(a) == string(b) || strings.Contains(string(b), string(a)) || strings.Contains(string(a), string(b)) {
		return true
	}
	if len(a) < 2 || a[0] != b[0] || !isJapanese(a[0]) {
		return false
	}
	j := 0
	for _, r := range b {
		if j < len(a) && a[j] == r {
			j++
		}
	}
	return j == len(a)
}

type answer uint8

const (
	no answer = iota
	unknown
	yes
)

var jaRank = regexp.MustCompile(`(?:` + jaRanks + `)(?:代理)?$`)

// holds tells whether somebody has an office in the record.
func (p *person) holds(title string) answer {
	title = strings.TrimSpace(title)
	if title == "" {
		return yes
	}
	best := unknown
	rankSaid, domainSaid := officeParts(title)
	for _, o := range p.offices {
		rank, domain := officeParts(o)
		if rank == "" {
			continue
		}
		if rank != rankSaid {
			if best == unknown {
				best = no
			}
			continue
		}
		if domainSaid == "" || domain != "" && (strings.Contains(domain, domainSaid) || strings.Contains(domainSaid, domain) || subsequence(domainSaid, domain)) {
			return yes
		}
		if domain == "" || domain == "国務" {
			best = unknown
			if best2 := p.otherDomain(rankSaid); best2 {
				best = no
			}
			continue
		}
		best = no
	}
	return best
}

func (p *person) otherDomain(rank string) bool {
	for _, o := range p.offices {
		if r, d := officeParts(o); r == rank && d != "" && d != "国務" {
			return true
		}
	}
	return false
}

// asks tells of somebody who has no office that answers.
func (p *person) asks() bool {
	return !slices.ContainsFunc(p.offices, func(o string) bool { return jaRank.MatchString(o) })
}

// introduced tells whether the record names somebody with an office, in a list of those present or where the chair calls
// on them: 法務省矯正局長 阿久根豊君.
func (r *Record) introduced(title string, p *person) bool {
	title, full := bare(title), bare(strings.ReplaceAll(p.full, " ", ""))
	forms := []string{title + full, title + "(" + full, title + ")" + full, full + title, full + "(" + title}
	return slices.ContainsFunc(forms, r.texts().has)
}

// otherwise tells whether the record gives somebody the same rank for something else: 文部科学大臣, not 国土交通大臣.
func (p *person) otherwise(title string) bool {
	rank, domain := officeParts(title)
	return rank != "" && domain != "" && p.otherDomain(rank)
}

func subsequence(short, long string) bool {
	l := []rune(long)
	j := 0
	for _, r := range short {
		for j < len(l) && l[j] != r {
			j++
		}
		if j == len(l) {
			return false
		}
		j++
	}
	return true
}

// officeParts cuts an office into its rank and what it is for: 大臣, 文部科学.
func officeParts(office string) (rank, domain string) {
	if s, ok := strings.CutSuffix(office, "相"); ok && s != "首" {
		if long, known := jaMinister[s]; known {
			s = long
		}
		return "大臣", s
	}
	switch {
	case strings.Contains(office, "総理大臣"), office == "首相", strings.HasSuffix(office, "総理"), strings.HasSuffix(office, "首相"):
		return "総理大臣", ""
	}
	rank = jaRank.FindString(office)
	domain = strings.TrimSuffix(office, rank)
	if rank == "国務大臣" {
		rank = "大臣"
	}
	if strings.HasSuffix(rank, "官房長官") {
		return "官房長官", ""
	}
	if rank == "大臣政務官" {
		rank = "政務官"
	}
	if long, known := jaMinister[domain]; known {
		domain = long
	}
	if at := strings.Index(domain, "("); at >= 0 {
		domain = domain[:at]
	}
	return rank, domain
}
