package minutes

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/errs"
	"pressroom/model"
)

// Other programs write tasks, prompts, results and articles by the documents, which
// leave open whether a number may be text, a keyword an object, a time a day. What
// follows reads them all. An attribute that still cannot be read does not keep the
// others from being read: one such item would otherwise stop every list that has it.

// UnmarshalDynamoDBAttributeValue reads a task of any producer.
func (t *Task) UnmarshalDynamoDBAttributeValue(value types.AttributeValue) error {
	type plain Task
	t.unread = readItem(value, (*plain)(t))
	if t.ProcessingMode == modeDirect {
		t.ProcessingMode = SingleChunk
	}
	for i := range t.Chunks {
		if t.Chunks[i].ID == "" {
			t.Chunks[i].ID = "CHUNK#" + strconv.Itoa(i)
		}
	}
	return nil
}

// UnmarshalDynamoDBAttributeValue reads a meeting of any producer.
func (m *Meeting) UnmarshalDynamoDBAttributeValue(value types.AttributeValue) error {
	type plain Meeting
	readItem(value, (*plain)(m))
	m.Date = dayOf(m.Date)
	return nil
}

// UnmarshalJSON reads a meeting as prompts have it.
func (m *Meeting) UnmarshalJSON(data []byte) error {
	type plain Meeting
	if json.Unmarshal(data, (*plain)(m)) != nil {
		read := diet.ParseMeeting(data)
		*m = Meeting{IssueID: read.IssueID, House: read.House, Name: read.Name, Date: read.Date, Session: read.Session, ImageKind: read.ImageKind, Issue: read.Issue, URL: read.URL}
	}
	m.Date = dayOf(m.Date)
	return nil
}

// UnmarshalDynamoDBAttributeValue reads an article of any writer.
func (a *Article) UnmarshalDynamoDBAttributeValue(value types.AttributeValue) error {
	type plain Article
	readItem(value, (*plain)(a))
	return nil
}

// UnmarshalDynamoDBAttributeValue reads a number, also in a text.
func (n *ordinalNumber) UnmarshalDynamoDBAttributeValue(value types.AttributeValue) error {
	var text string
	switch v := value.(type) {
	case *types.AttributeValueMemberN:
		text = v.Value
	case *types.AttributeValueMemberS:
		text = v.Value
	}
	read, _ := strconv.Atoi(strings.TrimSpace(text)) // what is no number is 0
	*n = ordinalNumber(read)
	return nil
}

// UnmarshalDynamoDBAttributeValue reads a list or a set of words, one word, and objects
// that stand for words.
func (l *labels) UnmarshalDynamoDBAttributeValue(value types.AttributeValue) error {
	*l = nil
	add := func(text string) {
		if text != "" {
			*l = append(*l, text)
		}
	}
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		add(v.Value)
	case *types.AttributeValueMemberSS:
		*l = slices.Sorted(slices.Values(v.Value))
	case *types.AttributeValueMemberL:
		for _, element := range v.Value {
			switch e := element.(type) {
			case *types.AttributeValueMemberS:
				add(e.Value)
			case *types.AttributeValueMemberM:
				add(nameIn(e.Value))
			}
		}
	}
	return nil
}

// UnmarshalDynamoDBAttributeValue reads a participant, or a name alone.
func (p *Participant) UnmarshalDynamoDBAttributeValue(value types.AttributeValue) error {
	if name, ok := value.(*types.AttributeValueMemberS); ok {
		*p = Participant{Name: name.Value}
		return nil
	}
	type plain Participant
	readItem(value, (*plain)(p))
	return nil
}

// UnmarshalDynamoDBAttributeValue reads a term, or a word alone.
func (t *Term) UnmarshalDynamoDBAttributeValue(value types.AttributeValue) error {
	if word, ok := value.(*types.AttributeValueMemberS); ok {
		*t = Term{Term: word.Value}
		return nil
	}
	type plain Term
	readItem(value, (*plain)(t))
	return nil
}

// readItem reads the attributes of an item, or of a map in one, and returns those that
// it cannot read, sorted.
func readItem(value types.AttributeValue, into any) (unread []string) {
	item, ok := value.(*types.AttributeValueMemberM)
	if !ok {
		return nil
	}
	if attributevalue.UnmarshalMap(item.Value, into) == nil {
		return nil
	}
	for name, value := range item.Value {
		if attributevalue.UnmarshalMap(model.Raw{name: value}, into) == nil {
			continue
		}
		if attributevalue.UnmarshalMap(model.Raw{name: otherForm(value)}, into) != nil {
			unread = append(unread, name)
		}
	}
	slices.Sort(unread)
	return unread
}

// otherForm is text as a number, and a number as text.
func otherForm(value types.AttributeValue) types.AttributeValue {
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		return &types.AttributeValueMemberN{Value: strings.TrimSpace(v.Value)}
	case *types.AttributeValueMemberN:
		return &types.AttributeValueMemberS{Value: v.Value}
	}
	return value
}

// nameIn is the word that an object in a list stands for.
func nameIn(m model.Raw) string {
	for _, name := range labelNames {
		if text, ok := m[name].(*types.AttributeValueMemberS); ok {
			return text.Value
		}
	}
	return ""
}

// labelNames are what holds the word in an object that stands for one.
var labelNames = []string{"keyword", "name", "category", "term", "label", "text"}

// topIssueID upgrades a task: the meeting's issueID stands at the top, too.
func topIssueID(task model.Raw) error {
	meeting, _ := task["meeting"].(*types.AttributeValueMemberM)
	if meeting == nil || task["issueID"] != nil {
		return nil
	}
	if id, ok := meeting.Value["issueID"].(*types.AttributeValueMemberS); ok && id.Value != "" {
		task["issueID"] = id
	}
	return nil
}

// dayOf is the day of a date or a time.
func dayOf(text string) string {
	if day, _, ok := strings.Cut(text, "T"); ok && validDate(day) {
		return day
	}
	return text
}

// printedForm is the form of the Diet's issueIDs: the session, the house, the kind of
// meeting, the number of the issue, the day.
var printedForm = regexp.MustCompile(`^1(\d{3})(\d)\d{4}[0-9A-Z](\d{3})(\d{4})(\d{2})(\d{2})$`)

// understand fills in what a task does not say of its meeting: from the prompt, then
// from the issueID. A task that cannot be worked on is errs.Invalid.
func (d *Desk) understand(ctx context.Context, t *Task) error {
	if len(t.unread) > 0 {
		return errs.New(errs.Invalid, "the task's %s cannot be read", strings.Join(t.unread, " and "))
	}
	m := &t.Meeting
	if m.Session == 0 || m.House == "" || m.Name == "" || !validDate(m.Date) {
		body, err := d.load(ctx, t.PromptURL)
		if err != nil {
			return err
		}
		*m = m.filled(body.Meeting)
	}
	*m = m.filled(meetingOf(t.ID())).filled(Meeting{IssueID: t.ID()})
	if !validDate(m.Date) {
		return errs.New(errs.Invalid, "the date %.40q of the meeting is none", m.Date)
	}
	return nil
}

// meetingOf is what an issueID of the Diet says of its meeting.
func meetingOf(issueID string) Meeting {
	f := printedForm.FindStringSubmatch(issueID)
	if f == nil {
		return Meeting{}
	}
	m := Meeting{IssueID: issueID, House: map[string]string{"0": "衆議院", "1": "参議院"}[f[2]]}
	m.Session, _ = strconv.Atoi(f[1]) // three digits
	if day := f[4] + "-" + f[5] + "-" + f[6]; validDate(day) {
		m.Date = day
	}
	return m
}

// filled returns the meeting with what it lacks taken from another.
func (m Meeting) filled(from Meeting) Meeting {
	fill := func(into *string, text string) {
		if strings.TrimSpace(*into) == "" {
			*into = text
		}
	}
	fill(&m.IssueID, from.IssueID)
	fill(&m.House, from.House)
	fill(&m.Name, from.Name)
	fill(&m.ImageKind, from.ImageKind)
	fill(&m.Issue, from.Issue)
	fill(&m.URL, from.URL)
	if !validDate(m.Date) && validDate(from.Date) {
		m.Date = from.Date
	}
	if m.Session == 0 {
		m.Session = from.Session
	}
	if m.Speeches == 0 {
		m.Speeches = from.Speeches
	}
	return m
}

// UnmarshalJSON reads a prompt of any producer: what has another form than the desk's
// is passed over, unless it is the record itself.
func (p *payload) UnmarshalJSON(data []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	for name, into := range map[string]any{
		"mode": &p.Mode, "prompt_version": &p.PromptVersion, "prompt": &p.Prompt, "message": &p.Message, "schema": &p.Schema, "meeting": &p.Meeting,
		"range": &p.Range, "speechIds": &p.SpeechIDs, "indices": &p.Indices, "chunk_template": &p.ChunkTemplate, "reduce_template": &p.ReduceTemplate,
		"chunks": &p.Chunks, "chunkResultUrls": &p.ChunkResultURLs,
	} {
		if raw, ok := fields[name]; ok {
			_ = json.Unmarshal(raw, into) // it is not needed to ask
		}
	}
	for name, into := range map[string]*[]diet.Speech{
		"speeches": &p.Speeches, "context_before": &p.Before, "contextBefore": &p.Before, "context_after": &p.After, "contextAfter": &p.After,
	} {
		if raw, ok := fields[name]; ok {
			*into = speechesOf(raw)
		}
	}
	return nil
}

// speechesOf reads speeches as the desk writes them, or as the Diet Library does.
func speechesOf(raw json.RawMessage) []diet.Speech {
	var out []diet.Speech
	if json.Unmarshal(raw, &out) == nil {
		return out
	}
	record, err := json.Marshal(map[string]json.RawMessage{"speechRecord": raw})
	if err != nil {
		return nil
	}
	return diet.ParseMeeting(record).Speeches
}

// UnmarshalJSON reads a text with its orders, or a text alone.
func (c *Cited) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*c = Cited{Summary: text}
		return nil
	}
	type plain Cited
	return json.Unmarshal(data, (*plain)(c))
}

// UnmarshalJSON reads a participant, or a name alone.
func (p *Participant) UnmarshalJSON(data []byte) error {
	type plain Participant
	return wordOr(data, &p.Name, (*plain)(p))
}

// UnmarshalJSON reads a term, or a word alone.
func (t *Term) UnmarshalJSON(data []byte) error {
	type plain Term
	return wordOr(data, &t.Term, (*plain)(t))
}

// UnmarshalJSON reads a point with its quote, or a point alone.
func (b *Bullet) UnmarshalJSON(data []byte) error {
	type plain Bullet
	return wordOr(data, &b.Point, (*plain)(b))
}

// wordOr reads a text alone, or an object.
func wordOr(data []byte, word *string, object any) error {
	if json.Unmarshal(data, word) == nil {
		return nil
	}
	return json.Unmarshal(data, object)
}
