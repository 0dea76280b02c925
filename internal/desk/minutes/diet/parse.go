package diet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Page is one answer of the API.
type Page struct {
	Total    int // the meetings of the whole query
	Next     int // the position that follows; 0 if nothing does
	Meetings []Meeting
}

// Meeting is the minutes of one meeting.
type Meeting struct {
	IssueID   string
	ImageKind string // 会議録, 目次, 索引, 附録 or 追録
	Session   int
	House     string
	Name      string
	Issue     string // the issue's number as printed: 第三号
	Date      string
	URL       string
	Speeches  []Speech
	// Raw is the record as it came.
	Raw json.RawMessage
	// Problems says what of the record could not be read.
	Problems []string
}

// Speech is one speech of a meeting. Its JSON has the names of the API.
type Speech struct {
	ID       string `json:"speechID,omitempty"`
	Order    int    `json:"speechOrder"`
	Speaker  string `json:"speaker"`
	Yomi     string `json:"speakerYomi,omitempty"`
	Group    string `json:"speakerGroup,omitempty"`
	Position string `json:"speakerPosition,omitempty"`
	Role     string `json:"speakerRole,omitempty"`
	Text     string `json:"speech"`
	URL      string `json:"speechURL,omitempty"`
}

// Parse reads an answer.
func Parse(body []byte) (Page, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		if truncated(body, err) {
			return Page{}, fmt.Errorf("minutes API: %w", ErrTruncated)
		}
		return Page{}, fmt.Errorf("minutes API: the answer is no JSON object: %w", err)
	}
	if text, _ := textOf(fields["message"]); text != "" && fields["numberOfRecords"] == nil {
		return Page{}, &Error{200, messageOf(body)}
	}
	var page Page
	var problems []error
	for name, into := range map[string]*int{"numberOfRecords": &page.Total, "nextRecordPosition": &page.Next} {
		n, err := numberOf(fields[name])
		if err != nil {
			problems = append(problems, fmt.Errorf("minutes API: %s: %w", name, err))
		}
		*into = n
	}
	for _, raw := range listOf(fields["meetingRecord"]) {
		page.Meetings = append(page.Meetings, ParseMeeting(raw))
	}
	return page, errors.Join(problems...)
}

// truncated tells whether JSON is bad because its end is missing.
func truncated(body []byte, err error) bool {
	var syntax *json.SyntaxError
	return errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.As(err, &syntax) && syntax.Offset >= int64(len(bytes.TrimRight(body, " \r\n\t")))
}

// complete reports a page that ends before the query does.
func (p Page) complete(q Query) error {
	start := max(q.Start, 1)
	last := start + len(p.Meetings) - 1
	switch {
	case p.Next == 0 && last < p.Total, p.Next > last+1, p.Next > 0 && p.Next <= last:
		return fmt.Errorf("minutes API: meetings %d to %d of %d, and the next is %d: %w", start, last, p.Total, p.Next, ErrTruncated)
	case len(p.Meetings) == 0 && start <= p.Total:
		return fmt.Errorf("minutes API: no meeting at %d of %d: %w", start, p.Total, ErrTruncated)
	}
	return nil
}

// textField is a text of a record, and where it goes.
type textField struct {
	name string
	into *string
}

// ParseMeeting reads one record. It always returns a meeting; what it could not
// read is in its Problems.
func ParseMeeting(raw json.RawMessage) Meeting {
	m := Meeting{Raw: raw}
	var f map[string]json.RawMessage
	if err := json.Unmarshal(raw, &f); err != nil {
		m.problem("the record is no JSON object")
		return m
	}
	for _, field := range []textField{
		{"issueID", &m.IssueID}, {"imageKind", &m.ImageKind}, {"nameOfHouse", &m.House}, {"nameOfMeeting", &m.Name},
		{"issue", &m.Issue}, {"date", &m.Date}, {"meetingURL", &m.URL},
	} {
		text, ok := textOf(f[field.name])
		if !ok {
			m.problem("%s is no text", field.name)
		}
		*field.into = strings.TrimSpace(text)
	}
	session, err := numberOf(f["session"])
	if err != nil {
		m.problem("session: %v", err)
	}
	m.Session = session
	for i, raw := range listOf(f["speechRecord"]) {
		m.speech(i, raw)
	}
	return m
}

func (m *Meeting) problem(format string, args ...any) {
	m.Problems = append(m.Problems, fmt.Sprintf(format, args...))
}

func (m *Meeting) speech(i int, raw json.RawMessage) {
	var f map[string]json.RawMessage
	if err := json.Unmarshal(raw, &f); err != nil || f == nil {
		m.problem("speech %d is no JSON object", i)
		return
	}
	var s Speech
	for _, field := range []textField{
		{"speechID", &s.ID}, {"speaker", &s.Speaker}, {"speakerYomi", &s.Yomi}, {"speakerGroup", &s.Group},
		{"speakerPosition", &s.Position}, {"speakerRole", &s.Role}, {"speech", &s.Text}, {"speechURL", &s.URL},
	} {
		text, ok := textOf(f[field.name])
		if !ok {
			m.problem("speech %d: %s is no text", i, field.name)
		}
		*field.into = text
	}
	order, err := numberOf(f["speechOrder"])
	if err != nil || f["speechOrder"] == nil {
		m.problem("speech %d has no usable speechOrder; its position counts", i)
		order = i
	}
	s.Order = order
	m.Speeches = append(m.Speeches, s)
}

// textOf reads a string; null and nothing are "", a number is its digits.
func textOf(raw json.RawMessage) (string, bool) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return "", true
	case raw[0] == '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return strings.ToValidUTF8(s, string(utf8.RuneError)), err == nil
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		return string(raw), true
	}
	return "", false
}

// numberOf reads a whole number, also in a string; null and nothing are 0.
func numberOf(raw json.RawMessage) (int, error) {
	text, ok := textOf(raw)
	text = strings.TrimSpace(text)
	if ok && text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if !ok || err != nil || n < 0 || n > math.MaxInt32 {
		return 0, fmt.Errorf("%.40q is no whole number", string(raw))
	}
	return n, nil
}

// listOf returns the elements of a list; anything else but null is a list of one.
func listOf(raw json.RawMessage) []json.RawMessage {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var list []json.RawMessage
	if raw[0] == '[' && json.Unmarshal(raw, &list) == nil {
		return list
	}
	return []json.RawMessage{raw}
}

// messageOf returns what the API says of a failure, in one short line.
func messageOf(body []byte) string {
	var answer struct {
		Message string `json:"message"`
		Details any    `json:"details"`
	}
	text := string(body)
	if json.Unmarshal(body, &answer) == nil && answer.Message != "" {
		text = answer.Message
		if answer.Details != nil {
			text = fmt.Sprintf("%s %v", text, answer.Details)
		}
	}
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if runes := []rune(text); len(runes) > 200 {
		text = string(runes[:200]) + "…"
	}
	return text
}
