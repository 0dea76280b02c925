package excerpt

import (
	"regexp"
	"strings"
)

// What an English sentence turns on another by. Where a form can be either, it hangs.
var (
	openers = regexp.MustCompile(`^[“"‘']?(?:(?i:but|and|so|yet|however|meanwhile|instead|then|still|also|nor|or|because|moreover|furthermore|therefore|thus|besides|similarly|likewise|conversely|otherwise|nevertheless|nonetheless|finally|later|earlier|afterwards|elsewhere|there|here|such|both|neither|either|none|nobody|nothing|others?|another|each|that|this|these|those|it|its|he|she|they|his|her|their|we|our|i|you|if so|asked|yes|no|not|only|even|first|second|third|fourth|firstly|secondly|thirdly|lastly|the (?:first|second|third|fourth|last|next|other|others|same|latter|former|rest|pair|two|three|result|reason|answer|move|change|idea|cause|difference|problem|figure|figures|vote|work|plan|decision|news)|one|two|three|four|five|six|seven|eight|nine|ten|most|many|some|few|several|all|half|more|fewer|less|much|q:|a:|by|within|until|since|after|before|during|minutes|hours|days|weeks|months|years|a (?:second|third|further|day|week|month|year|spokes\w+|single|similar)|asked|under (?:it|this|that|the)|with|without|when|while|although|though|where|what|why|how|who)\b)`)
	pronoun = regexp.MustCompile(`(?i)\b(?:it|its|itself|they|them|their|theirs|themselves|there|here|this|these|those|others?|another|both|neither|also|too|again|instead|elsewhere|the (?:other|others|rest|same|former|latter|pair|two|three|four)|as well|shortly (?:before|after)|(?:before|after|by|since|until) (?:then|that)|then|such|so|similar|likewise|else|(?:of|for|at|on|by|than|to|with|in|about|from|like|exactly|all|none of) that|that (?:day|night|time|year|month|week|occasion|agreement|decision|vote|one|figure|point|evening|morning)|once more|at the time|the opposite|(?:the|a) (?:second|third|fourth|fifth|sixth|next)|any more|afterwards|later|earlier|beforehand|each|one of)\b`)
	pointer = regexp.MustCompile(`(?i)\bthat(?:[.,;:!?”"]| [“"‘])`)
	person  = regexp.MustCompile(`(?i)\b(?:he|she|him|her|his|hers|himself|herself)\b`)
	deictic = regexp.MustCompile(`(?i)\b(?:this (?:year|week|month|morning|afternoon|evening|summer|winter|spring|autumn|season|weekend)|those who|so far|as such|no later than|later (?:this|in)|earlier (?:this|in)|one of the|such as|each (?:year|day|week|month|other)|there (?:is|are|was|were|will|has|have|had)|so that)\b`)
	name    = regexp.MustCompile(`\p{Lu}[\pL’'-]+(?: (?:de|van|von|of|the|&))?(?: \p{Lu}[\pL’'-]+)+`)
	quote   = regexp.MustCompile(`“[^”]*”?|"[^"]*"?`)
	subject = regexp.MustCompile(`^(?:The|Its?) ((?:[\pL’'-]+ ){0,3}?[\pL’'-]+?)s? (?:is|are|was|were|has|have|had|will|would|said|says|can|could|may|must|do|does|did|,|[\pL]+ed|who|which|that|of|in|on|at|by|for|from|to)\b`)
)

// hangsEnglish tells whether a sentence turns on something outside it. known are words that
// need no introduction.
func hangsEnglish(in *sentence, known map[string]bool) bool {
	s := in.text
	if len(strings.Fields(s)) < 6 || isQuestion(s) {
		return true
	}
	outside := quote.ReplaceAllString(s, " ")
	if len(strings.Fields(outside)) < 3 { // words of nobody
		return true
	}
	plain := deictic.ReplaceAllString(s, " ")
	if openers.MatchString(s) && !(strings.HasPrefix(s, "A ") && name.MatchString(s)) {
		return true
	}
	if pronoun.MatchString(plain) || pointer.MatchString(plain) {
		return true
	}
	if at := person.FindStringIndex(s); at != nil && !name.MatchString(s[:at[0]]) {
		return true
	}
	if m := subject.FindStringSubmatch(s); m != nil {
		heads := words(m[1])
		for w := range heads {
			if known[w] {
				return false
			}
		}
		return !name.MatchString(m[1])
	}
	if in.opens || name.MatchString(s) {
		return false
	}
	first, _, _ := strings.Cut(s, " ") // somebody without a name, in the middle of a paragraph
	for w := range words(first) {
		if known[w] {
			return false
		}
	}
	return true
}
