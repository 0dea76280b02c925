package request

import (
	"context"
	"net/mail"
	"strings"

	"pressroom/internal/rights/erase"
)

// letters are what is written to whoever asks, by language and occasion. {name}, {what},
// {it}, {reasons}, {id}, {recovery} and {backups} are filled in.
var letters = map[string]map[string]string{
	"en": {
		"subject":    "Your request {id}",
		"takedown":   "takedown",
		"correction": "correction",
		"reply":      "right of reply",
		"access":     "access to what we hold about you",
		"erasure":    "erasure",
		"confirm":    "Dear {name},\n\nsomebody asked us in your name for: {what}.\n\nIf it was you, open this link and confirm it, within three days:\n\n{it}\n\nIf it was not you, do nothing: we then forget it.\n",
		"received":   "Dear {name},\n\nwe have your request for: {what}. It is proven that you asked. We answer by {it}.\n",
		"granted":    "Dear {name},\n\nwe grant your request for: {what}.\n\n{reasons}\n",
		"refused":    "Dear {name},\n\nwe do not grant your request for: {what}.\n\nOur reasons:\n\n{reasons}\n\nYou can complain to the supervisory authority, or go to court.\n",
		"erased":     "\nIt is out of sight, and is being removed from our tables, files and indexes. Recovery copies hold it until {recovery}, and backups until {backups} at the latest; a backup that is restored before then is cleaned before it is used. We keep your request for three years as proof, and a code by which we would find the erased text again, from which it cannot be read.\n",
	},
	"ja": {
		"subject":    "ご請求 {id} について",
		"takedown":   "掲載の取りやめ",
		"correction": "訂正",
		"reply":      "反論の掲載",
		"access":     "当方が保有するご本人の情報の開示",
		"erasure":    "情報の消去",
		"confirm":    "{name} 様\n\nあなたのお名前で、次のご請求を受け取りました：{what}\n\nご本人による場合は、三日以内に次のリンクを開いて確認してください。\n\n{it}\n\nお心当たりがない場合は、そのままにしてください。ご請求の記録は削除されます。\n",
		"received":   "{name} 様\n\nご請求（{what}）を受け付け、ご本人によるものと確認しました。{it}までにお答えします。\n",
		"granted":    "{name} 様\n\nご請求（{what}）に応じます。\n\n{reasons}\n",
		"refused":    "{name} 様\n\nご請求（{what}）には応じられません。\n\n理由：\n\n{reasons}\n\nご不服の場合は、監督機関に申し立てるか、裁判所に訴えることができます。\n",
		"erased":     "\n該当する内容はすでに表示されません。表、ファイル、索引からも順次消去されます。復旧用の写しは{recovery}まで、バックアップは遅くとも{backups}までに失われます。それ以前のバックアップを復元する場合は、使用前に同じ消去を行います。ご請求の記録は証拠として三年間保管します。消去した語句は、再び見つけるための符号としてのみ残り、そこから読み取ることはできません。\n",
	},
}

func (one *Request) text(key string, pairs ...string) string {
	words := letters[one.Language]
	if words == nil {
		words = letters["en"]
	}
	pairs = append(pairs, "{name}", one.Name, "{what}", words[string(one.Kind)], "{id}", one.ID, "{reasons}", one.Reasons)
	return strings.NewReplacer(pairs...).Replace(words[key])
}

// letter sends one of the fixed letters, if there is a mail server.
func (r *Requests) letter(ctx context.Context, one *Request, occasion, it string) error {
	return r.send(ctx, one, one.text(occasion, "{it}", it))
}

func (r *Requests) send(ctx context.Context, one *Request, text string) error {
	if r.o.Mail == nil {
		return nil
	}
	return r.o.Mail(context.WithoutCancel(ctx), mail.Address{Name: one.Name, Address: one.Email}, one.text("subject"), text)
}

// Mails reports whether letters are sent. If not, operators send them.
func (r *Requests) Mails() bool { return r.o.Mail != nil }

// Answer is the letter about a decision.
func (r *Requests) Answer(ctx context.Context, one *Request) (string, error) {
	if !one.Granted {
		return one.text("refused"), nil
	}
	text := one.text("granted")
	if one.Erasure == "" {
		return text, nil
	}
	var done erase.Erasure
	done, err := r.o.Erasures.Get(ctx, one.Erasure)
	if err != nil {
		return "", err
	}
	return text + one.text("erased", "{recovery}", done.Recovery[:10], "{backups}", done.Backups[:10]), nil
}
