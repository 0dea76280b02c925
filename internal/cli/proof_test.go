package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pressroom/internal/proof"
)

const proofRecord = `{"issueID": "x", "session": "217", "nameOfHouse": "参議院", "nameOfMeeting": "本会議", "date": "2026-04-16", "speechRecord": [
	{"speechOrder": 0, "speaker": "会議録情報", "speech": "令和八年四月十六日"},
	{"speechOrder": "1", "speaker": "竹内信吾", "speakerRole": "議長", "speech": "○議長（竹内信吾君）　日程第一、図書館連携法案を議題といたします。"},
	{"speechOrder": 2, "speaker": "竹内信吾", "speech": "○議長（竹内信吾君）　投票総数二百二十九　賛成二百四　反対二十五　よって、本案は可決されました。"}]}`

func proofFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestProofCheck(t *testing.T) {
	record := proofFile(t, "record.json", proofRecord)
	good := proofFile(t, "good.json", `{"title": "図書館連携法案を可決　賛成204・反対25", "summary": {"based_on_orders": [2], "summary": "図書館連携法案は可決された。"},
		"dialogs": [{"order": 2, "speaker": "竹内信吾", "summary_sections": [{"title": "結果", "bullets": [{"point": "可決", "quote": "本案は可決されました", "detail": ""}]}]}]}`)
	var report proofReport
	if err := json.Unmarshal([]byte(ok(t, "proof", "check", "--record", record, "--answer", good, "--json")), &report); err != nil {
		t.Fatal(err)
	}
	if report.Verdict != proof.Supported || len(report.Claims) < 8 {
		t.Errorf("report %+v", report)
	}
	if out := ok(t, "proof", "check", "--record", record, "--answer", good); !strings.Contains(out, "0 contradicted") || !strings.Contains(out, "賛成204・反対25") {
		t.Error(out)
	}
	bad := proofFile(t, "bad.json", `{"summary": {"based_on_orders": [2], "summary": "図書館連携法案は否決された。"}, "dialogs": [{"order": 2, "speaker": "森下千晴", "summary_sections": []}]}`)
	r := runIn(t, nil, "proof", "check", "--record", record, "--answer", bad)
	if r.Code != 1 || !strings.Contains(r.Stdout, "2 contradicted") || !strings.Contains(r.Stderr, "contradicts") {
		t.Errorf("status %d, %s%s", r.Code, r.Stdout, r.Stderr)
	}
	for _, wrong := range []string{proofFile(t, "none.json", `[]`), proofFile(t, "other.json", `{"date": "2026-04-16"}`), filepath.Join(t.TempDir(), "missing.json")} {
		if r := runIn(t, nil, "proof", "check", "--record", wrong, "--answer", good); r.Code != 2 {
			t.Errorf("%s: status %d, %s", wrong, r.Code, r.Stderr)
		}
	}
}

func TestProofBench(t *testing.T) {
	dir := t.TempDir()
	sample := `{"lang": "en", "kind": "news", "date": "2026-03-12", "passages": [{"order": 1, "text": "Spending rose by 4 per cent to 3.2 million pounds."}],
		"sentences": [{"text": "Spending rose by 4 per cent.", "orders": [1], "lies": [{"class": "outcome", "text": "Spending sank by 4 per cent."}]}]}`
	if err := os.WriteFile(filepath.Join(dir, "one.json"), []byte(sample), 0o600); err != nil {
		t.Fatal(err)
	}
	var result proof.Result
	if err := json.Unmarshal([]byte(ok(t, "proof", "bench", dir, "--json")), &result); err != nil {
		t.Fatal(err)
	}
	if len(result.True) != 1 || result.True[0].Sentences != 1 || result.True[0].Contradicted != 0 {
		t.Errorf("true sentences %+v", result.True)
	}
	hand := 0
	for _, l := range result.Lies {
		if l.By == "hand" {
			hand += l.Lies
		}
	}
	if hand != 1 {
		t.Errorf("lies %+v", result.Lies)
	}
	if out := ok(t, "proof", "bench", dir); !strings.Contains(out, "outcome") {
		t.Error(out)
	}
	fails(t, "no samples", "proof", "bench", t.TempDir())
}
