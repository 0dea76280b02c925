package engine

import (
	"fmt"
	"strings"
)

// arn is the name of a DynamoDB resource, taken apart:
// arn:aws:dynamodb:us-east-1:000000000000:table/Music/stream/2026-11-15T09:30:00.000.
type arn struct {
	region, account, table string
	// kind and id name what belongs to the table: a stream, index or backup.
	kind, id string
}

// parseARN returns the parts of a name; ok is false if it is not that of a
// table or of something that belongs to one.
func parseARN(s string) (a arn, ok bool) {
	parts := strings.SplitN(s, ":", 6)
	if len(parts) != 6 || parts[0] != "arn" || parts[2] != "dynamodb" {
		return arn{}, false
	}
	a.region, a.account = parts[3], parts[4]
	name, found := strings.CutPrefix(parts[5], "table/")
	if !found {
		return arn{}, false
	}
	var rest string
	a.table, rest, _ = strings.Cut(name, "/")
	a.kind, a.id, _ = strings.Cut(rest, "/")
	return a, validName(a.table)
}

// keyARN names a key for encryption at rest as DynamoDB would show it. What
// is an ARN already stays as it is.
func (e *Engine) keyARN(id string) string {
	switch {
	case strings.HasPrefix(id, "arn:"):
		return id
	case strings.HasPrefix(id, "alias/"):
		return fmt.Sprintf("arn:aws:kms:%s:%s:%s", e.opts.Region, e.opts.Account, id)
	}
	return fmt.Sprintf("arn:aws:kms:%s:%s:key/%s", e.opts.Region, e.opts.Account, id)
}
