package minutes

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"pressroom/guard/guardtest"
	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/proof"
	"pressroom/llm"
	"pressroom/llm/llmtest"
)

var answers = flag.Int("answers", guardtest.Few(90), "how many answers the lying provider gives")

// plantedLie is a lie about a record, and where the answer has it.
type plantedLie struct {
	sample *proof.Sample
	lie    proof.Lie
	orders []int
	where  string
}

// liesByClass are lies of every class in turn, made by rule of the true sentences that come with the program.
func liesByClass(t *testing.T, n int) []plantedLie {
	samples, err := proof.ReadSet(proof.Set())
	noErr(t, err)
	byClass := map[proof.Class][]plantedLie{}
	places := []string{"title", "description", "key_points", "summary", "soft_language_summary", "middle_summary", "soft_language"}
	for i := range samples {
		s := &samples[i]
		if s.Style != "plain" { // sentences close to the record, as a model is asked for
			continue
		}
		for _, truth := range s.Sentences {
			for _, lie := range proof.Lies(s, truth) {
				p := plantedLie{sample: s, lie: lie, orders: truth.Orders}
				if len(lie.Orders) > 0 {
					p.orders = lie.Orders
				}
				byClass[lie.Class] = append(byClass[lie.Class], p)
			}
		}
	}
	var out []plantedLie
	for i := 0; len(out) < n; i++ {
		for j, class := range proof.Classes {
			if list := byClass[class]; len(list) > 0 && len(out) < n {
				p := list[i%len(list)]
				p.where = places[(i+j)%len(places)]
				out = append(out, p)
			}
		}
	}
	return out
}

// meeting is a planted lie's record as a meeting.
func (p plantedLie) meeting(n int) diet.Meeting {
	m := sample(n, p.sample.Date, 0, 0)
	m.Name, m.Speeches = p.sample.Meeting, nil
	for _, s := range p.sample.Passages {
		m.Speeches = append(m.Speeches, diet.Speech{ID: fmt.Sprintf("%s_%03d", m.IssueID, s.Order), Order: s.Order, Speaker: s.Speaker, Group: s.Party, Position: s.Office, Role: s.Role, Text: s.Text})
	}
	m.Raw = rawOf(m)
	return m
}

// tell puts the lie into an answer that is otherwise true.
func (p plantedLie) tell(answer map[string]any) {
	cited := map[string]any{"based_on_orders": p.orders, "summary": p.lie.Text}
	switch p.where {
	case "title", "description":
		answer[p.where] = p.lie.Text
	case "key_points":
		answer[p.where] = []string{p.lie.Text}
	case "middle_summary":
		answer[p.where] = []any{cited}
	case "soft_language":
		for _, d := range answer["dialogs"].([]any) {
			if one := d.(map[string]any); slices.Contains(p.orders, int(one["order"].(float64))) {
				one["soft_language"] = p.lie.Text
			}
		}
	default:
		answer[p.where] = cited
	}
}

// A provider that lies in every class and place: nothing that the record contradicts is ever published, and of each class
// hardly a lie.
func TestLiar(t *testing.T) {
	lies := liesByClass(t, *answers)
	var mu sync.Mutex
	now := 0
	d := newDesk(t, llm.Validated(llmtest.NewScripted(func(_ int, req *llm.Request) llmtest.Reply {
		mu.Lock()
		defer mu.Unlock()
		return llmtest.Reply{Text: spoil(truthful(req), lies[now].tell)}
	})), Options{PromptTokens: 100_000})
	given, visible := map[proof.Class]int{}, map[proof.Class]int{}
	for i, p := range lies {
		mu.Lock()
		now = i
		mu.Unlock()
		m := p.meeting(i + 1)
		take(t, d, m)
		work(t, d)
		given[p.lie.Class]++
		full, err := d.GetFull(t.Context(), m.IssueID)
		if err != nil {
			continue // nothing of it is published
		}
		for j := range full.Asset.Dialogs {
			full.Asset.Dialogs[j].OriginalText = ""
		}
		if !strings.Contains(asJSON(full), asText(p.lie.Text)) {
			continue
		}
		visible[p.lie.Class]++
		orders := p.orders
		if p.where == "title" || p.where == "description" || p.where == "key_points" {
			orders = nil // they cite nothing, and are held against all of the record
		}
		claims := newRecord(m.Speeches).proof(Meeting{House: m.House, Name: m.Name, Date: m.Date}).Check(proof.Sentence{Text: p.lie.Text, Orders: orders})
		if proof.Overall(claims) == proof.Contradicted {
			t.Errorf("contradicted, and published: %s", p.lie.Text)
		}
		t.Logf("%s in %s: %s", p.lie.Class, p.where, p.lie.Text)
	}
	shown := 0
	for _, class := range proof.Classes {
		if n := given[class]; n > 0 {
			shown += visible[class]
			t.Logf("%-10s %5d planted, %4d visible, %.1f %%", class, n, visible[class], 100*float64(visible[class])/float64(n))
			if *answers >= 1000 && 20*visible[class] > n {
				t.Errorf("%s: %d of %d lies are visible", class, visible[class], n)
			}
		}
	}
	if 20*shown > len(lies) {
		t.Errorf("%d of %d lies are visible", shown, len(lies))
	}
}

// asText is a text as it stands in JSON.
func asText(s string) string { return strings.Trim(asJSON(s), "\"\n ") }
