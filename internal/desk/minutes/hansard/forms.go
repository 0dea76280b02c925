package hansard

import (
	"regexp"
	"strings"

	"pressroom/internal/desk/minutes/proceedings"
)

var re = regexp.MustCompile

// clock is a time of day as records write it.
const clock = `(\d{1,2} o['’]clock(?: and \d{1,2} minutes)?(?: [ap]\.m\.)?|\d{1,2}[.:]\d{2}(?: ?(?:[ap]\.m\.|[ap]m\b))?|\d{1,2} ?(?:[ap]\.m\.|[ap]m\b)|half[- ]past \w+ (?:o['’]clock|of the clock)|(?:[a-z-]+ minutes? (?:past|to|before) )?[A-Z][a-z]+ o['’]clock|[A-Z][a-z]+ of the Clock|noon|midnight)`

var (
	// Headings.
	billHead    = re(`^(?:The |THE )?[A-Z0-9“"].*\b(?:Bill|BILL)(?: \[[A-Za-z]+\])?(?:,? \d{4})?(?: \(No\.? ?\d+\))?(?: \[[A-Za-z]+\])?$`)
	billPart    = re(`\b(?:Bill|BILL)(?: \[[A-Za-z]+\])?(?:,? \d{4})? \((?:Programme|Money|Ways and Means|Carry-over|Allocation of Time|Business of the House|Instruction)[^()]*\)$`)
	actHead     = re(`\b(?:Act|ACT)(?: (?:of|OF))?(?: \d{4})?$`)
	ruleHead    = re(`(?i)^(?:an )?(?:ordinance|by-?law) (?:no\.? ?)?[\d-]+`)
	stageHead   = re(`(?i)^(?:(first|second|third|fifth|final) (?:reading|stage)|(stage [123])|(committee)(?: stage)?|(in committee)|(consideration in detail)|(report and final stages?)|(report)(?: stage)?|(consideration of lords amendments))(?: ?\(.*\)| and .*)?$`)
	clauseHead  = re(`^((?:New Clause|Amendment|New Schedule|Clause|Schedule)s? [\w(), -]{1,20}?)(?::.*)?$`)
	questionsIn = re(`(?i)^(?:oral answers|oral questions|questions? (?:time|period|to|without notice|no\.?)|question$|topical question|general question|portfolio question|first minister|urgent questions?|private notice question|ceisteanna|.*(?:priority|topical|other) questions)|question time$|question period$`)
	petitionIn  = re(`(?i)^(?:public |presentation of )?petitions?$`)
	assentIn    = re(`(?i)^royal assent`)
	// formal is a heading that names no subject.
	formal    = re(`(?i)^(?:bills?(?: presented)?|motions?|committees?(?: of the house)?|government (?:orders|business)|private members['’] (?:bills|business)|orders of the day|routine proceedings|business without debate|delegated legislation|decision time|voting time|adjournment|question|motion to (?:approve|take note)|report|cloture motion|executive (?:calendar|session)|legislative session|petitions?|points? of order|fees|prayers?|roll call|consent agenda|new business|old business|unfinished business|public (?:comment|hearings?)|papers laid on the table|statements?|morning business)$`)
	closureIn = re(`(?i)^cloture motion$`)
	trailer   = re(`(?i)(?: \(([A-Z]\d+-\d+/\d{4})[^()]*\))?(?: \((?:debate|vote|continuation of debate)\))*$`)

	// What is put.
	moves       = re(`(?i)^(?:(?:mr\.?|madam|mister) (?:deputy )?(?:speaker|chair(?:man)?|president),? |sir, |my lords, |by leave—)*(?:i (?:beg to )?move|moved)\b[,:]? ?(.*)$`)
	putByClerk  = re(`(?i)^(?:motion made, and )?(?:main )?question (?:again )?(?:put|proposed)(?: forthwith)?(?: \(standing order[^"“]*?\))?[,:]? ?(["“]?that .*)?$`)
	putByChair  = re(`(?i)\b(?:the (?:first |next |final |second )?question (?:now |before the house )?is[,:]?|the question was put|i (?:shall|will) (?:now )?put) ?(.*)$`)
	calledOn    = re(`(?i)^(?:a party vote|a personal vote|a recorded vote) was called for on the question, (that .*)$`)
	movedBy     = re(`^Moved by (?:the )?([A-Z][^:]{2,60}?)$`)
	motionBy    = re(`(?i)^Motion by (.{2,60}?), seconded by (.{2,60}?), (?:to|that) (.*)$`)
	procedural  = re(`(?i)\b(?:question be now put|debate (?:be now|be|stand) adjourned|(?:this )?house do now adjourn|senate (?:do now )?adjourn|sitting be suspended|house sit in private|question be not now put|chairman do report progress|further consideration .{0,40}be adjourned|motion to (?:adjourn|reconsider|recommit|table)|previous question)\b`)
	amends      = re(`(?i)^["“]?(?:that )?(?:(?:an|the|my|these) )?amendments?\b|^["“]?that all (?:the )?words after|^["“]?that (?:the|this) clause be (?:read|added)|^["“]?page \d+,|^["“]?in page \d+|^that the (?:words|schedule)|^["“]?that (?:the )?amendments?\b`)
	readsTime   = re(`(?i)\b(?:bill|act)\b[^.]{0,200}?\bbe (?:now )?read (?:a|the) (first|second|third) time`)
	principles  = re(`(?i)general principles of the (.+? Bill)\b`)
	passes      = re(`(?i)\b(?:bill (?:be|do(?: now)?) pass(?:ed)?|suspend the rules and pass the bill|passage of the bill|Bill be passed)\b`)
	considers   = re(`(?i)\bbe taken into consideration`)
	refers      = re(`(?i)\bbill be (?:referred|committed) to\b`)
	clauseStand = re(`(?i)\b(?:clauses?|schedules?|the (?:preamble|title|enacting)).{0,80}(?:stands? part|be (?:agreed|added))`)
	approves    = re(`(?i)^["“]?that the draft (.+?),? (?:which (?:was|were) )?(?:laid before|be approved)`)
	introduces  = re(`(?i)^for leave to introduce `)
	adopts      = re(`(?i)\bto (?:adopt|pass|approve) (?:the )?(?:ordinance|resolution|by-?law)\b`)
	concurs     = re(`(?i)\bbe concurred in at report stage`)
	onBill      = re(`(?i)\bon (?:the )?(.+? Bill)(?:: Stage \d)?,`)
	nameIn      = re(`(?i)(?:in the name of|moved by|offered by|in the name of the) (?:the )?(?:gentle(?:man|woman)[^()]*\()?([^,()]{2,50}?)(?:\)|,| to | be |\.|$)`)
	confirms    = re(`(?i)advise and consent to the nomination`)
	cloture     = re(`(?i)sense of the senate that debate on .{1,200}shall be brought to a close|motion to invoke cloture`)
	consentTo   = re(`(?i)unanimous consent (?:for|to move|of the house for) the following motion`)
	numbered    = re(`\b(H\.R\. ?\d+|S\. ?\d+|H\.J\. ?Res\. ?\d+|S\.J\. ?Res\. ?\d+)`)
	canadian    = re(`\bBill ([CS]-\d+), ((?:An )?Act .+?)(?:, as amended)?(?:, be (?:now )?read| be (?:now )?read|, be |\.$|$)`)

	// What came of it.
	agreed    = re(`(?i)^(?:so )?(?:resolved in the affirmative, and )?(?:the )?(?:main |original )?(?:question|motions?)(?:,? as amended,?)?(?: accordingly| again)?(?: (?:was|is|were))?(?: put forthwith,? pursuant to standing order .{1,100}?, and| put,? and| put)?(?: declared)? (?:agreed(?: to)?|carried|adopted|passed)( unanimously| on division| accordingly| without (?:a )?division)?[.,]?$`)
	negatived = re(`(?i)^(?:so )?(?:resolved in the negative, and )?(?:the )?(?:main |original )?(?:question|motion)(?:,? as amended,?)?(?: accordingly| again)?(?: (?:was|is))?(?: put,? and| put)?(?: declared)? (?:negatived|disagreed(?: to)?|lost|defeated|rejected|not agreed to|not carried|failed)(?: accordingly)?[.,]?$`)
	withdrawn = re(`(?i)^(?:the )?motion(?: was)?,? by leave,? withdrawn\.?$`)
	amendment = re(`(?i)^(?:so )?(?:resolved in the (?:affirmative|negative), and )?(?:the )?(amendments?)( (?:nos?\. )?[\d(][\w.(), -]{0,40}?)?(?:,? by leave,?)?(?: (?:was|were))?(?:,? by leave,?)?(?: put,? and)?(?: declared)? (agreed(?: to)?|carried|adopted|negatived|disagreed(?: to)?|lost|rejected|not agreed to|withdrawn)(?: accordingly)?\.?$`)
	// quoted is a question with its result in one line.
	quoted     = re(`(?i)^(?:main |original )?question,? ["“](that .+?),?["”],? put(?: accordingly)?,? and (agreed to|negatived)\.?$`)
	made       = re(`^Amendments? made: (\d+[A-Z]?),.*—\(([^()]{2,60}?)\.?\)$`)
	readTime   = re(`(?i)^(?:motions? (?:deemed )?(?:adopted|agreed to), )?bill(?: was)?(?: accordingly)?(?: introduced[^,]*,)? read (?:a|the) (first|second|third) time(.*)$`)
	introduced = re(`(?i)^the bill was introduced by .{2,60}?, read a first time`)
	passed     = re(`(?i)^(?:so )?(?:\([^()]*\) )?(?:the rules were suspended and )?the (?:bill|joint resolution)(?: \(([^()]+)\))?(, as amended,)? (?:was|is)(, as amended,)? passed\.?$`)
	engrossed  = re(`(?i)^the bill \(([^()]+)\)(, as amended,)? was ordered to be engrossed for a third reading, was read the third time, and passed\.?$`)
	confirmed  = re(`(?i)^(?:so )?the nomination was (confirmed|rejected|not confirmed)\.?$`)
	resolved   = re(`(?i)^(?:so )?the (?:concurrent )?resolution(?: \(([^()]+)\))?(, as amended,)? was (agreed to|not agreed to|rejected|adopted)\.?$`)
	reported   = re(`(?i)^(?:bill (?:to be )?reported with(?:out)? amendments?\b|the chairperson reported the .* bill with(?:out)? amendment)`)
	received   = re(`(?i)^bill,? (?:as amended,? )?received for final consideration`)
	consider   = re(`(?i)^consideration of bill\b`)
	european   = re(`(?i)^parliament (adopted|approved|rejected) the (.+?)\.?$`)
	deferred   = re(`(?i)^division deferred until\b`)
	stopped    = re(`(?i)^(?:debate (?:adjourned|to be resumed|stood adjourned)|(?:ordered, that )?the debate be resumed)`)
	whichWas   = re(`(?i)^the house divided on (?:the )?(motion|amendment)[^,]*, which was (agreed to|negatived|defeated) on the following division`)
	declared   = re(`(?i)\bI declare the (motion|amendment)(?:,? as amended,?)? (carried|lost|defeated)\b`)
	chairSays  = re(`(?i)\bthe (motion|amendment|nomination|bill)(?:,? as amended,?)? is (agreed to|not agreed to|passed|confirmed|rejected)\.$`)
	bodySays   = re(`(?i)(?:^|\. )(?:the )?motion (carried|passed|failed|lost)( unanimously)?(?: by the following vote:?| (?:by a vote of )?(\d+)\s?[-–]\s?(\d+))?\.?$`)
	// ruled is what the chair of a council states.
	ruled  = re(`(?i)^(?:the|this) (ordinance|resolution|by-?law)(?: is| was| has been)? (passed|adopted|defeated|rejected)(?: on (first|second|third|final) reading)?\.$`)
	stands = re(`(?i)the bill stands referred to`)

	// Counts.
	divided   = re(`(?i)^(?:the |their )?(?:house|lordships|committee|dáil|seanad|senate|assembly|parliament|lok sabha|rajya sabha|council|joint committee)(?: having)? divided(?: on[^:,]*)?[:.]?(?: \[\d\d?[:.]\d\d\])?$`)
	tally     = re(`(?i)^(?:(?:the |their )?(?:house|lordships|committee|dáil|seanad|senate|assembly|parliament|lok sabha|rajya sabha|council|joint committee)(?: having)? divided[:.]? ?|the result of the division is:? |(?:division|vote) \d*:? ?)?(?:ayes|tá|for|yeas|contents|content|yes):?,? ?(\d[\d,]*)[,;.]? (?:and )?(?:noes|níl|against|nays|not[- ]contents?|no):?,? ?(\d[\d,]*)(?:[,;.]? (?:abstentions?|staon|abstain(?:ed)?):?,? ?(\d[\d,]*))?\.?$`)
	roll      = re(`(?i)\b(?:yeas|ayes) (\d+),? (?:and )?(?:nays|noes) (\d+)(?:, answered ["“]present["”] (\d+))?(?:, not voting \d+)?, as follows:?$`)
	oneSide   = re(`(?i)^(ayes|noes|yeas|nays|contents|not[- ]contents|tá|níl|for|against|abstain(?:ed)?|abstentions?|present)(?: ?[—:–-]| )\s*(\d+)(?:\.|(?: ?[-–—] ?)(.+))?$`)
	sideHead  = re(`^(YEAS|NAYS|AYES|NOES|PAIRED)$`)
	sideTotal = re(`^Total ?[—–-] ?(\d+)$`)

	// Times.
	opens  = re(`(?i:\bmet(?: in [^,.]{3,60}?)? at |\btook the chair at |opened the meeting at |\bsitting (?:was )?opened at |i gceannas ar |called to order at |\bmeeting opened at |\bconvened at )(?i:` + clock + `)`)
	closes = re(`(?i:\b(?:house|senate|meeting|council|assembly|committee|sitting|parliament|seanad|dáil)(?: (?:was|then|rose))?,? (adjourned|closed|rose)(?: at |, at )` + clock + `)`)
	irish  = re(`(?i:ar athló ar ` + clock + `)`)
	usEnd  = re(`(?i:^(?:accordingly|thereupon),?.{0,40}?\(?at ` + clock + `\)?,?.{0,80}?\badjourned\b)`)
	ends   = re(`(?i:^(?:the )?(?:house|senate|lok sabha|rajya sabha|assembly|meeting|council)(?: then)? adjourned\b)`)
	alone  = re(`(?i:^` + clock + `$)`)

	// Speeches.
	pointOf   = re(`(?i)^(?:further )?(?:on|to) (?:that|a) point of order`)
	seconds   = re(`(?i)^i second (?:the|that) (?:motion|amendment)|^seconded\.?$|^(?:members|hon\. members)?:?\s*(?:no|aye|yes|agreed)\.$`)
	states    = re(`(?i)\bI (?:should|would|wish|want|will|am pleased)(?: like)?(?: to| now)* ?(?:like to )?make a (?:ministerial )?statement\b`)
	petitions = re(`(?i)\bpresent(?:ing)? (?:a|this|the following|two|three) petitions?\b|\btable a petition\b`)
	presents  = re(`(?i)\bI (?:have the honour to )?present,?[^.]{0,60}\b(?:the [a-z-]+ report|the committee['’]?s report|the following report|a report) (?:of|from|entitled)?|on behalf of the [^.,]{3,120}?committee[^.,]{0,80}, I present\b`)
	stance    = re(`(?i)\bI (?:rise|stand)(?: today)? (?:to (?:speak )?)?(in (?:strong |full )?(?:support|favou?r) of|support|in (?:strong )?opposition to|oppose) (?:the |this )?(bill|motion|legislation|resolution|H\.R\. ?\d+|S\. ?\d+)\b|\b(?:I|We) (support|oppose) this (Bill|motion)\b|\b(?:I|We) (?:will|shall) (?:vote|be voting) (for|against|in favou?r of) (?:this|the) (bill|motion)\b`)
)

// stageOf is the stage that a heading names; "" if none.
func stageOf(head string) proceedings.Stage {
	m := stageHead.FindStringSubmatch(head)
	if m == nil {
		return ""
	}
	switch strings.ToLower(m[1]) {
	case "first":
		return FirstReading
	case "second":
		return SecondReading
	case "third", "fifth", "final":
		return ThirdReading
	}
	switch strings.ToLower(m[2]) {
	case "stage 1":
		return SecondReading
	case "stage 2":
		return Committee
	case "stage 3":
		return ThirdReading
	}
	if m[6] != "" || m[7] != "" {
		return Report
	}
	if m[8] != "" {
		return ""
	}
	return Committee
}

func readingOf(word string) proceedings.Stage {
	switch strings.ToLower(word) {
	case "first":
		return FirstReading
	case "second":
		return SecondReading
	}
	return ThirdReading
}
