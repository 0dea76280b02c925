// Package when reads dates as sites write them: standard forms, forms with words
// or commas in the wrong place, and Japanese ones with their eras. A date without
// a zone is in the site's.
//
// It promises never to guess: what it cannot read, and what cannot be the date of
// something published, is no date. Start with [Parse].
package when

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// layouts with a zone, then those without. A month's name is cut to three
// letters before, a day's name is dropped.
var (
	zoned = []string{
		time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z07:00",
		"2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 -07:00", "2006-01-02 15:04:05 -0700 MST",
		"2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04 -0700", "2 Jan 06 15:04:05 -0700", "2 Jan 06 15:04 -0700",
		"2 Jan 2006 15:04:05 -07:00", "Jan 2 2006 15:04:05 -0700", "Jan 2 15:04:05 -0700 2006",
	}
	named = []string{"2 Jan 2006 15:04:05 MST", "2 Jan 2006 15:04 MST", "2 Jan 06 15:04:05 MST", "2006-01-02 15:04:05 MST", "2006-01-02 15:04 MST", "Jan 2 15:04:05 MST 2006", "Jan 2 2006 3:04 PM MST"}
	local = []string{
		"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02", "20060102T150405", "20060102150405", "20060102",
		"2006/1/2 15:04:05", "2006/1/2 15:04", "2006/1/2", "2006.1.2 15:04", "2006.1.2",
		"2 Jan 2006 15:04:05", "2 Jan 2006 15:04", "2 Jan 2006", "2 Jan 06 15:04:05", "Jan 2 2006 15:04:05", "Jan 2 2006 15:04", "Jan 2 2006 3:04 PM", "Jan 2 2006 3:04PM", "Jan 2 2006", "Jan 2 15:04:05 2006",
	}
)

// zones are names that feeds use, with the hours that they mean; Go would take
// an unknown name for UTC.
var zones = map[string]int{
	"UT": 0, "UTC": 0, "GMT": 0, "Z": 0, "JST": 9, "KST": 9, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6,
	"PST": -8, "PDT": -7, "CET": 1, "CEST": 2, "BST": 1, "WET": 0, "EET": 2, "EEST": 3, "AEST": 10, "AEDT": 11,
}

var (
	dayName   = regexp.MustCompile(`(?i)^(mon|tues?|wed(nes)?|thu(rs)?|fri|sat(ur)?|sun)(day)?\.?,?\s+`)
	monthName = regexp.MustCompile(`(?i)\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?`)
	ordinal   = regexp.MustCompile(`(\d)(st|nd|rd|th)\b`)
	spaces    = regexp.MustCompile(`\s+`)
	japanese  = regexp.MustCompile(`(?:(令和|平成|昭和)\s*(元|\d{1,2})|(\d{4}))\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*日(?:\s*[((][^))]*[))])?(?:\s*(午前|午後)?\s*(\d{1,2})\s*(?:時|:)\s*(?:(\d{1,2})\s*分?)?)?`)
)

var eras = map[string]int{"令和": 2018, "平成": 1988, "昭和": 1925}

// first is the earliest date that something on the web can have.
var first = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)

// Parse reads a date; one without a zone is in loc. A date before 1990, or more
// than a day after now, is none.
func Parse(text string, loc *time.Location, now time.Time) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339, text) // what most pages write
	ok := err == nil
	if !ok {
		t, ok = read(text, loc)
	}
	if !ok || t.Before(first) || t.After(now.Add(24*time.Hour)) {
		return time.Time{}, false
	}
	return t.UTC(), true
}

// read reads a date in any of the forms.
func read(text string, loc *time.Location) (time.Time, bool) {
	text = strings.TrimSpace(norm.NFKC.String(text))
	if text == "" || len(text) > 100 {
		return time.Time{}, false
	}
	if m := japanese.FindStringSubmatch(text); m != nil {
		return fromJapanese(m, loc)
	}
	text = tidy(text)
	for _, layout := range zoned {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	for _, layout := range named {
		if t, err := time.Parse(layout, text); err == nil {
			return inNamed(t)
		}
	}
	for _, layout := range local {
		if t, err := time.ParseInLocation(layout, text, loc); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

func tidy(text string) string {
	text = dayName.ReplaceAllString(text, "")
	text = ordinal.ReplaceAllString(text, "$1")
	text = monthName.ReplaceAllStringFunc(text, func(m string) string {
		return strings.ToUpper(m[:1]) + strings.ToLower(m[1:3])
	})
	text = strings.NewReplacer(",", " ", " at ", " ", " a.m.", " AM", " p.m.", " PM", " am", " AM", " pm", " PM", " UT", " UT").Replace(text)
	return strings.TrimSpace(spaces.ReplaceAllString(text, " "))
}

// inNamed gives the wall time the zone that its name means.
func inNamed(t time.Time) (time.Time, bool) {
	name, _ := t.Zone()
	hours, known := zones[strings.ToUpper(name)]
	if !known {
		return t, false
	}
	zone := time.FixedZone(name, hours*3600)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone), true
}

func fromJapanese(m []string, loc *time.Location) (time.Time, bool) {
	year := atoi(m[3])
	if m[1] != "" {
		year = atoi(m[2])
		if m[2] == "元" {
			year = 1
		}
		year += eras[m[1]]
	}
	month, day, hour, minute := atoi(m[4]), atoi(m[5]), atoi(m[7]), atoi(m[8])
	if m[6] == "午後" && hour < 12 {
		hour += 12
	}
	if month < 1 || month > 12 || day < 1 || day > 31 || hour > 24 || minute > 59 {
		return time.Time{}, false
	}
	return time.Date(year, time.Month(month), day, hour, minute, 0, 0, loc), true
}

func atoi(text string) int {
	n, _ := strconv.Atoi(text) // the pattern has only digits here
	return n
}
