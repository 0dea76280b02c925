package excerpt

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// What a Japanese sentence turns on another by. Where a form can be either, it hangs.
var (
	joints   = regexp.MustCompile(`^[「『（]?(?:また|さらに|しかし|だが|ただ|なお|一方|他方|ところが|そして|そこで|それ|これ|この|その|あの|こう|そう|同|両|ほか|うち|まず|次に|次の|次が|続いて|第[一二三四五]|[一二三四五]つ目|逆に|すぐ|やがて|すると|つまり|例えば|たとえば|とりわけ|なかでも|中でも|むしろ|もっとも|とはいえ|とくに|特に|加えて|併せて|あわせて|残る|残り|他の|他に|別の|当時|当初|当日|翌|前日|後日|直後|以来|以降|結局|最後|もう|さて|では|でも|けれど|だから|従って|したがって|よって|ゆえに|しかも|かつて|今度|いずれ|どちら|どれ|彼|本人|自身|Q|A|Ｑ|Ａ|問|答|▽|実際|事実|もちろん|確かに|なぜ|どう|何|例外|理由|原因|背景|きっかけ|前回|前年|昨年|去年|火災|事故|問題は|課題|効果|結果)`)
	points   = regexp.MustCompile(`これ|それ|この|その|あの|こう(?:し|い)|そう(?:し|い)|ここ|そこ|彼[はがのをにも女ら]|同(?:[\p{Han}]|じ)|両(?:者|校|社|市|町|村|党|国|氏|親|方)|前者|後者|いずれも|同様|当時|翌|前日|残[りる]|ほか|別の|さらに|本人|うち|上記|前述|以下の|次の`)
	alsoThat = regexp.MustCompile(`^[^、はが「]{1,12}も`)
	pointsAt = regexp.MustCompile(`これまで|これから|それぞれ|このほど|そのもの|ここ数|同(?:市|町|村|県)?内|同時|同(?:意|盟|僚|級|窓|居|士|様|乗)|そのまま`)
	topic    = regexp.MustCompile(`[^とで、にのへはが](?:は|が)(?:[^、]|、)`)
	brackets = regexp.MustCompile(`「[^」]*」|『[^』]*』|（[^）]*）`)
	called   = regexp.MustCompile(`(\p{Han}{1,3}|[\p{Katakana}ー]+)(?:さん|氏|容疑者|被告|社長|市長|町長|館長|監督|教授|選手|理事長|会長|所長|署長|課長|代表)(?:[はがもの]|に)`)
)

// hangsJapanese tells whether a sentence turns on something outside it. known are pairs of
// characters that need no introduction.
func hangsJapanese(s string, known map[string]bool) bool {
	if utf8.RuneCountInString(s) < 18 || isQuestion(s) || joints.MatchString(s) {
		return true
	}
	if alsoThat.MatchString(s) || points.MatchString(pointsAt.ReplaceAllString(s, "")) {
		return true
	}
	outside := brackets.ReplaceAllString(s, "〓")
	if !topic.MatchString(outside) { // nobody does it
		return true
	}
	for _, m := range called.FindAllStringSubmatch(outside, -1) {
		if utf8.RuneCountInString(m[1]) > 3 {
			continue // in full
		}
		at := strings.Index(outside, m[0])
		before, _ := utf8.DecodeLastRuneInString(outside[:at])
		if !wide(before) || before == '、' || before == '。' || before >= 'ぁ' && before <= 'ん' {
			introduced := false
			for w := range words(m[1]) {
				introduced = introduced || known[w]
			}
			if !introduced {
				return true
			}
		}
	}
	return false
}
