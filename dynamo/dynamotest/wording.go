package dynamotest

import (
	"regexp"
	"strings"
)

// Amazon has been rewording refusals region by region since the middle of
// 2026: some operations now put "1 validation error detected: " before what
// used to stand alone, and name members otherwise. Scripts have the wording
// of the embedded engine, see layer.go there; on a foreign target, alike takes
// either.

var wordings = []struct {
	pattern *regexp.Regexp
	words   string
}{
	{regexp.MustCompile(`^(ValidationException: )1 validation error detected: ([^V]|V[^a]|Va[^l]|Val[^u])`), "$1$2"},
	{regexp.MustCompile(`: ConditionExpression is null$`), ""},
	{regexp.MustCompile(`ExpressionAttributeValues contains invalid value: (.*) for key :\w+`), "$1"},
	{regexp.MustCompile(`The requestItems parameter is required for Batch(Get|Write)Item$`), "1 validation error detected: Value at 'RequestItems' failed to satisfy constraint: Member must have length greater than or equal to 1"},
	{regexp.MustCompile(`Value '\[\]' at 'transactItems'`), "Value at 'TransactItems'"},
	{regexp.MustCompile(`Value '[^']*' at 'clientRequestToken'`), "Value at 'ClientRequestToken'"},
	{regexp.MustCompile(`Input collection \[[^\]]*\] ?`), "Input collection "},
}

func alike(text string) string {
	for _, w := range wordings {
		text = w.pattern.ReplaceAllString(text, w.words)
	}
	return strings.TrimSpace(text)
}

// same compares an answer with what a script has.
func (s *suite) same(got, want string) bool {
	return got == want || !s.Embedded && alike(got) == alike(want)
}
