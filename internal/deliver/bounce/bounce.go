// Package bounce understands what comes back of letters: bounces and complaints, as
// mails or as notifications of Amazon SES, and what they mean for the address.
//
// It promises that nobody is silenced by a forged bounce. Each letter carries a stamp that
// only this newsroom can make of its recipient's address, in its Message-ID and, where
// there is a box for bounces, in its envelope sender. A mail counts only against an
// address whose stamp it brings back. What the mail itself says of addresses is ignored.
//
// The rule for an address is the ledger's: see [deliver.Ledger.Strike]. What counts at
// once and what counts as a strike is said by [Judge].
//
// Start with [Intake.Mail]; stamp.go makes stamps, report.go reads mails, sns.go reads
// notifications.
package bounce

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"pressroom/internal/deliver"
)

// Verdict is what a report means for an address.
type Verdict string

// The verdicts.
const (
	None      Verdict = "none"      // nothing: a delay, a receipt, an answer of a person or a program
	Strike    Verdict = "strike"    // refused for a reason that may pass, such as a full mailbox
	Gone      Verdict = "gone"      // the address does not exist any more
	Complaint Verdict = "complaint" // its owner called the letter unwanted
)

// Outcome is what was made of a mail or a notification.
type Outcome struct {
	Verdict   Verdict  `json:"verdict"`
	Reason    string   `json:"reason"`
	Addresses []string `json:"addresses"` // against which it counts; empty if it brought no stamp of ours
}

// Intake takes in what comes back.
type Intake struct {
	Ledger *deliver.Ledger
	Key    Key
	SNS    *SNS // nil takes no notifications
}

// Mail takes in a mail that came to the address for bounces. One that is no bounce, or not
// of a letter of ours, changes nothing, which the outcome says.
func (in *Intake) Mail(ctx context.Context, raw []byte) (Outcome, error) {
	r := read(raw)
	out := Outcome{Verdict: r.verdict, Reason: r.reason, Addresses: []string{}}
	if r.verdict == None {
		return out, nil
	}
	out.Addresses = append(out.Addresses, in.Key.stamped(r.all.String())...)
	return out, in.count(ctx, out)
}

func (in *Intake) count(ctx context.Context, out Outcome) error {
	for _, address := range out.Addresses {
		var err error
		if out.Verdict == Strike {
			err = in.Ledger.Strike(ctx, "mail", address, out.Reason)
		} else {
			err = in.Ledger.Suppress(ctx, "mail", address, out.Reason)
		}
		if err != nil {
			return fmt.Errorf("count a bounce: %w", err)
		}
	}
	return nil
}

var (
	ours     = regexp.MustCompile(`(?i)relay|spam|junk|block|black|policy|reputation|denied by|not (permitted|allowed|authori[sz]ed)|authenticat|too many|\brate\b|quota|\bfull\b|temporar|受信拒否|一時的|容量`)
	nobody   = regexp.MustCompile(`(?i)user[\w ]{0,12}unknown|unknown[\w -]{0,12}(user|address|recipient|mailbox|local part)|no such (user|address|mailbox|recipient|person|account)|no mailbox here|(mailbox|recipient|address|account|user)( address)?( is| was)? ?(not found|not exist|unavailable|disabled|closed|inactive|invalid|suspended)|invalid (recipient|address|mailbox)|recipient address rejected|recipnotfound|(does ?n[o']t|do not|not) (exist|have an? [\w.]+ account)|unrouteable address|not a (valid|known) (user|mailbox|recipient)|あて先.{0,20}(ありません|存在しません|見つかりません)|宛先.{0,20}(ありません|存在しません|見つかりません)|ユーザー?が?(存在しません|見つかりません)`)
	statuses = regexp.MustCompile(`\b([245])\.(\d{1,3})\.(\d{1,3})\b`)
	codes    = regexp.MustCompile(`(?:^|[\s#:(<])([45]\d\d)(?:[\s\-:#)>]|$)`)
)

// Judge says what a refusal for good means for the address: a status of RFC 3463 if there
// is one, the code of SMTP (0 for none), and the words.
//
//   - The status says that the address is wrong (5.1, but for 5.1.7 and 5.1.8, which are
//     about the sender) or closed (5.2.1): [Gone].
//   - The status is about policy or security (5.7), or a full mailbox (5.2.2): [Strike].
//   - Otherwise the words decide. A server with no status that answers 550, 551 or 553,
//     without words about policy, means that nobody is there.
//   - Everything else is a [Strike].
func Judge(code int, status, words string) Verdict {
	class, subject, _ := strings.Cut(status, ".")
	area, _, _ := strings.Cut(subject, ".")
	switch {
	case class == "5" && area == "1" && status != "5.1.7" && status != "5.1.8" && status != "5.1.0", status == "5.2.1":
		return Gone
	case area == "7", status == "5.2.2", status == "5.1.7", status == "5.1.8", class == "4":
		return Strike
	case ours.MatchString(words):
		return Strike
	case nobody.MatchString(words), status == "5.1.0", status == "" && (code == 550 || code == 551 || code == 553):
		return Gone
	}
	return Strike
}
