package web

import (
	"fmt"
	"html/template"
	"strconv"
	"time"
)

// stamp is how a language writes a moment.
type stamp struct{ date, minute, day string }

var stamps = map[string]stamp{
	"en": {date: "2 January 2006", minute: "2 January 2006, 15:04 MST", day: "Monday, 2 January 2006"},
	"ja": {date: "2006年1月2日", minute: "2006年1月2日 15:04 MST", day: "2006年1月2日"},
}

var weekdays = [...]string{"日", "月", "火", "水", "木", "金", "土"}

// layouts are the forms of time that desks keep as text.
var layouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05.000Z", time.DateOnly}

// moment reads a time.Time or a text of one of the layouts. whole is false for a
// day without a time.
func moment(v any) (t time.Time, whole bool, err error) {
	switch v := v.(type) {
	case time.Time:
		return v, true, nil
	case *time.Time:
		if v == nil {
			return time.Time{}, false, nil
		}
		return *v, true, nil
	case string:
		if v == "" {
			return time.Time{}, false, nil
		}
		for _, layout := range layouts {
			if t, err := time.Parse(layout, v); err == nil {
				return t, layout != time.DateOnly, nil
			}
		}
		return time.Time{}, false, fmt.Errorf("%q is not a date", v)
	}
	return time.Time{}, false, fmt.Errorf("%T is not a date", v)
}

// element writes a moment as a time element; nothing for the zero time, and a
// text that is no date as it is, because a page is worth more than its date.
func (s *Site) element(v any, layout string) template.HTML {
	t, whole, err := moment(v)
	if err != nil {
		return template.HTML(template.HTMLEscapeString(fmt.Sprint(v)))
	}
	if t.IsZero() {
		return ""
	}
	machine := t.Format(time.DateOnly)
	if whole {
		t = t.In(s.Location())
		machine = t.UTC().Format("2006-01-02T15:04:05Z")
	}
	return template.HTML(`<time datetime="` + machine + `">` + template.HTMLEscapeString(t.Format(layout)) + `</time>`)
}

// Now is the time in the zone of the pages.
func (s *Site) Now() time.Time { return s.o.Now().In(s.Location()) }

// today is the date in the masthead.
func (s *Site) today(lang string) template.HTML {
	now := s.Now()
	text := now.Format(stamps[lang].day)
	if lang == "ja" {
		text += "(" + weekdays[now.Weekday()] + ")"
	}
	return template.HTML(`<time datetime="` + now.Format(time.DateOnly) + `">` + text + `</time>`)
}

// number groups the digits of a count in threes.
func number(v any) (string, error) {
	var n int64
	switch v := v.(type) {
	case int:
		n = int64(v)
	case int32:
		n = int64(v)
	case int64:
		n = v
	default:
		return "", fmt.Errorf("number of %T", v)
	}
	text := strconv.FormatInt(n, 10)
	first := len(text) - 3
	for i := first; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text, nil
}
