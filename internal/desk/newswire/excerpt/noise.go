package excerpt

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// noise are lines that stand in pages and are no part of articles.
var noise = regexp.MustCompile(`(?i)^(?:photo(?:graph)?s?|image|picture|pictured|caption|video|watch|listen|advertisement|advert|sponsored|promoted|read more|read also|more on this|related|see also|sign up|subscribe|follow us|share this|get our|get the|download|click|©|\(c\)|copyright|all rights|media contact|press contact|contact:|contacts?\b|for (?:more|further) information|for media|for immediate release|notes? to editors?|about [A-Z]|ends?\s*$|-+\s*ends|last updated|updated|live updates|this (?:story|article|page) )` +
	`|newsletter|all rights reserved|reproduction (?:without|is)|terms (?:of use|and conditions)|cookie|\(photo|photo:|photograph:` +
	`|^(?:写真|画像|図|動画|【写真|【画像|【動画|【関連|【PR|【広告|【おすすめ|［写真|\[写真|広告|PR|関連記事|関連|あわせて読|おすすめ|人気記事|アクセスランキング|ランキング|最新ニュース|続きを読む|会員|有料|無料|ログイン|お問い?合わ?せ|問い合わせ先|報道関係|本件に関する|プレスリリース|報道発表|会社概要|配信|更新|©|※|〈|＜|▼|▶|→|記事の無断|無断転載)` +
	`|＝写真|無断転載|メールマガジン|ニュースレター|会員登録|会員限定|購読|登録は(?:こちら|無料)|撮影[）)]?$|写真提供|著作権|All Rights`)

// articleOf is a text's paragraphs without headlines between them, captions, time stamps,
// advertisements and the like. A paragraph that is no sentence is none of it, unless there is
// nothing else.
func articleOf(body string) []string {
	var out, rest []string
	for p := range strings.SplitSeq(body, "\n\n") {
		for line := range strings.SplitSeq(p, "\n") {
			line = strings.TrimSpace(line)
			switch {
			case line == "" || noise.MatchString(line):
			case isSentence(line):
				out = append(out, line)
			default:
				rest = append(rest, line)
			}
		}
	}
	if out == nil {
		for _, r := range rest {
			if utf8.RuneCountInString(r) >= 20 {
				return []string{r}
			}
		}
	}
	return out
}
