package minutes

import (
	"encoding/json"
	"slices"
	"strings"
)

// Result is what a model answers about a meeting, and what a result object holds.
// The answer to a chunk has only a part of the fields.
type Result struct {
	Title         string        `json:"title,omitempty"`
	Category      labels        `json:"category,omitempty"`
	Categories    labels        `json:"categories,omitempty"`
	Description   string        `json:"description,omitempty"`
	Date          string        `json:"date,omitempty"`
	KeyPoints     []string      `json:"key_points,omitempty"`
	Summary       Cited         `json:"summary,omitzero"`
	SoftSummary   Cited         `json:"soft_language_summary,omitzero"`
	MiddleSummary []Cited       `json:"middle_summary,omitempty"`
	Dialogs       []Dialog      `json:"dialogs,omitempty"`
	Participants  []Participant `json:"participants,omitempty"`
	Terms         []Term        `json:"terms,omitempty"`
	Keywords      labels        `json:"keywords,omitempty"`
	// GeneratedBy says who answered; a foreign consumer may leave it out.
	GeneratedBy *Origin `json:"generated_by,omitempty"`
}

// Cited is text with the orders of the speeches that it rests on.
type Cited struct {
	BasedOnOrders []int  `json:"based_on_orders"`
	Summary       string `json:"summary"`
}

// IsZero makes omitzero leave out a part that says nothing.
func (c Cited) IsZero() bool { return c.Summary == "" && len(c.BasedOnOrders) == 0 }

// Dialog is one speech, told shorter.
type Dialog struct {
	Order        int       `json:"order"`
	Speaker      string    `json:"speaker"`
	Yomi         string    `json:"speaker_yomi,omitempty"`
	Group        string    `json:"speaker_group,omitempty"`
	Position     string    `json:"speaker_position,omitempty"`
	Role         string    `json:"speaker_role,omitempty"`
	Sections     []Section `json:"summary_sections"`
	Reaction     string    `json:"reaction"`
	SoftLanguage string    `json:"soft_language"`
	// OriginalText is the speech from the record; what a model says of it is not
	// used.
	OriginalText string `json:"original_text"`
	// SourceURL is the speech at the source, if the source says so.
	SourceURL string `json:"source_url,omitempty"`
}

// Section is a titled part of a dialog.
type Section struct {
	Title   string   `json:"title"`
	Bullets []Bullet `json:"bullets"`
}

// Bullet is one point, with words of the speech as evidence.
type Bullet struct {
	Point  string `json:"point"`
	Quote  string `json:"quote"`
	Detail string `json:"detail"`
}

// Participant is someone who spoke.
type Participant struct {
	Name     string `json:"name" dynamodbav:"name"`
	Yomi     string `json:"yomi,omitempty" dynamodbav:"yomi,omitempty"`
	Group    string `json:"group,omitempty" dynamodbav:"group,omitempty"`
	Position string `json:"position,omitempty" dynamodbav:"position,omitempty"`
	Role     string `json:"role,omitempty" dynamodbav:"role,omitempty"`
	Summary  string `json:"summary,omitempty" dynamodbav:"summary,omitempty"`
}

// Term is a word and its explanation.
type Term struct {
	Term       string `json:"term" dynamodbav:"term"`
	Definition string `json:"definition" dynamodbav:"definition"`
}

// Origin says which model wrote something, from which prompt, at what price.
type Origin struct {
	Provider      string  `json:"provider"`
	Model         string  `json:"model"`
	PromptVersion string  `json:"prompt_version"`
	Extractive    bool    `json:"extractive"`
	Calls         int     `json:"calls"`
	InputTokens   int     `json:"input_tokens"`
	OutputTokens  int     `json:"output_tokens"`
	CostUSD       float64 `json:"cost_usd"`
	// PromptSHA256 is of the bytes that were answered: the prompt object, and of a whole
	// in chunks also their results, in order. Who finds its own prompt there need not
	// ask.
	PromptSHA256 string `json:"prompt_sha256,omitempty"`
}

// to returns the origin as that of an answer to a prompt, which has this sum.
func (o *Origin) to(sum string) *Origin {
	if o == nil {
		return nil
	}
	named := *o
	named.PromptSHA256 = sum
	return &named
}

// add counts another answer in. Of several models all are named.
func (o *Origin) add(other *Origin) {
	if other == nil {
		return
	}
	o.Provider = named(o.Provider, other.Provider)
	o.Model = named(o.Model, other.Model)
	o.PromptVersion = named(o.PromptVersion, other.PromptVersion)
	o.Extractive = o.Extractive || other.Extractive
	o.Calls += other.Calls
	o.InputTokens += other.InputTokens
	o.OutputTokens += other.OutputTokens
	o.CostUSD += other.CostUSD
}

func named(list, name string) string {
	switch {
	case name == "" || slices.Contains(strings.Split(list, ", "), name):
		return list
	case list == "":
		return name
	}
	return list + ", " + name
}

// labels is one label or a list of them.
type labels []string

// UnmarshalJSON reads "a", ["a", "b"], [{"keyword": "a"}] and null.
func (l *labels) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*l = nil
		if one != "" {
			*l = labels{one}
		}
		return nil
	}
	var many []json.RawMessage
	if err := json.Unmarshal(data, &many); err != nil {
		return err
	}
	*l = nil
	for _, element := range many {
		var fields map[string]any
		if err := json.Unmarshal(element, &one); err != nil {
			if err := json.Unmarshal(element, &fields); err != nil {
				return err
			}
			one = ""
			for _, name := range labelNames {
				if text, ok := fields[name].(string); ok && one == "" {
					one = text
				}
			}
		}
		*l = append(*l, one)
	}
	return nil
}
