package lexicondesk

import (
	"fmt"
	"strconv"
	"strings"

	"pressroom/internal/desk/lexicon"
)

// tierLimits are what a tier of the lexicon allows, as text: names and values with
// commas. What the text does not name is none.
type tierLimits lexicon.Limits

// UnmarshalText accepts text such as translations=10,characters=50,history=false.
func (l *tierLimits) UnmarshalText(text []byte) error {
	var limits lexicon.Limits
	for part := range strings.SplitSeq(string(text), ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok {
			return fmt.Errorf("%q is not a name and a value such as translations=10", part)
		}
		if err := setLimit(&limits, name, value); err != nil {
			return err
		}
	}
	*l = tierLimits(limits)
	return nil
}

func setLimit(l *lexicon.Limits, name, value string) error {
	if name == "history" {
		kept, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("history=%s is neither true nor false", value)
		}
		l.History = kept
		return nil
	}
	numbers := map[string]*int{
		"translations": &l.Translations, "characters": &l.Characters,
		"submissions": &l.Submissions, "quiz-questions": &l.QuizQuestions,
	}
	into, ok := numbers[name]
	if !ok {
		return fmt.Errorf("a tier has no %q; it has translations, characters, history, submissions and quiz-questions", name)
	}
	n, err := strconv.ParseUint(value, 10, 31)
	if err != nil {
		return fmt.Errorf("%s=%s is not a number from 0 up", name, value)
	}
	*into = int(n)
	return nil
}

func (l tierLimits) String() string {
	return fmt.Sprintf("translations=%d,characters=%d,history=%t,submissions=%d,quiz-questions=%d",
		l.Translations, l.Characters, l.History, l.Submissions, l.QuizQuestions)
}
