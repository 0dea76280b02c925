package search

import (
	"testing"
	"time"
)

func TestWhen(t *testing.T) {
	zone := time.FixedZone("JST", 9*3600)
	now := time.Date(2026, 11, 16, 9, 0, 0, 0, zone) // a Monday
	for _, tc := range []struct{ query, words, from, to, rest string }{
		{"昨日 知事", "昨日", "2026-11-15", "2026-11-15", "知事"},
		{"昨日の 知事", "昨日の", "2026-11-15", "2026-11-15", "知事"},
		{"先週 脱線", "先週", "2026-11-09", "2026-11-15", "脱線"},
		{"先々週　タンカー", "先々週", "2026-11-02", "2026-11-08", "タンカー"},
		{"今月 地震", "今月", "2026-11-01", "2026-11-30", "地震"},
		{"先月 地震", "先月", "2026-10-01", "2026-10-31", "地震"},
		{"去年 風待マラソン", "去年", "2025-01-01", "2025-12-31", "風待マラソン"},
		{"2026年11月", "2026年11月", "2026-11-01", "2026-11-30", ""},
		{"２０２５年 汐見灯籠祭", "2025年", "2025-01-01", "2025-12-31", "汐見灯籠祭"},
		{"令和8年10月25日 市長選", "令和8年10月25日", "2026-10-25", "2026-10-25", "市長選"},
		{"12月 雪", "12月", "2025-12-01", "2025-12-31", "雪"},
		{"last week penalties", "last week", "2026-11-09", "2026-11-15", "penalties"},
		{"storm Last Month", "Last Month", "2026-10-01", "2026-10-31", "storm"},
		{"two weeks ago tanker", "two weeks ago", "2026-11-02", "2026-11-08", "tanker"},
		{"interest rate in September", "in September", "2026-09-01", "2026-09-30", "interest rate"},
		{"30 September ferry", "30 September", "2026-09-30", "2026-09-30", "ferry"},
		{"November 3, 2025 ferry", "November 3, 2025", "2025-11-03", "2025-11-03", "ferry"},
		{"half marathon 2025", "2025", "2025-01-01", "2025-12-31", "half marathon"},
		{"ferry 2026-02-28", "2026-02-28", "2026-02-28", "2026-02-28", "ferry"},
	} {
		l, ok := when(tc.query, now)
		if got := []string{l.Words, l.From.Format(time.DateOnly), l.To.Format(time.DateOnly), l.Without}; !ok || got[0] != tc.words || got[1] != tc.from || got[2] != tc.to || got[3] != tc.rest {
			t.Errorf("%s: %q %v, want %q from %s to %s and %q", tc.query, got, ok, tc.words, tc.from, tc.to, tc.rest)
		}
		if l.From.Location() != zone {
			t.Errorf("%s is in %v", tc.query, l.From.Location())
		}
	}
	for _, query := range []string{"", `"先週" 脱線`, "先週号", "may flowers", "2月31日 雪", "13月", "Bill 14", "5万8千台", "2026-13-01", "route 1999a"} {
		if l, ok := when(query, now); ok {
			t.Errorf("%s is read as %q from %v", query, l.Words, l.From)
		}
	}
}
