package engine

import "testing"

func TestParseARN(t *testing.T) {
	const table = "arn:aws:dynamodb:eu-west-1:000000000000:table/Music"
	for s, want := range map[string]arn{
		table:                            {"eu-west-1", "000000000000", "Music", "", ""},
		table + "/index/by-year":         {"eu-west-1", "000000000000", "Music", "index", "by-year"},
		table + "/stream/2026-11-15T09:": {"eu-west-1", "000000000000", "Music", "stream", "2026-11-15T09:"},
		table + "/backup/017-0a":         {"eu-west-1", "000000000000", "Music", "backup", "017-0a"},
	} {
		if got, ok := parseARN(s); !ok || got != want {
			t.Errorf("parseARN(%q) = %+v, %v", s, got, ok)
		}
	}
	for _, s := range []string{"", "Music", "arn:aws:dynamodb", "arn:aws:s3:r:a:table/Music", "arn:aws:dynamodb:r:a:global-table/Music", "arn:aws:dynamodb:r:a:table/", "arn:aws:dynamodb:r:a:table/x!y"} {
		if got, ok := parseARN(s); ok {
			t.Errorf("parseARN(%q) = %+v", s, got)
		}
	}
}
