package minutes

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/llm"
	"pressroom/llm/builtin"
	"pressroom/model"
)

func scan(t testing.TB, d *Desk, table string) []model.Raw {
	t.Helper()
	var out []model.Raw
	in := &dynamodb.ScanInput{TableName: &table}
	for {
		page, err := d.db.Scan(t.Context(), in)
		noErr(t, err)
		out = append(out, page.Items...)
		if page.LastEvaluatedKey == nil {
			return out
		}
		in.ExclusiveStartKey = page.LastEvaluatedKey
	}
}

func TestFromMeetingToArticle(t *testing.T) {
	t.Parallel()
	for name, provider := range map[string]llm.Provider{"scripted": llm.Validated(honest()), "builtin": llm.Validated(builtin.New())} {
		for mode, tokens := range map[string]int{SingleChunk: 24000, Chunked: 4000} {
			t.Run(name+" "+mode, func(t *testing.T) {
				d := newDesk(t, provider, Options{PromptTokens: tokens})
				m := sample(1, "2026-11-02", 12, 6)
				take(t, d, m)
				task, err := d.GetTask(t.Context(), m.IssueID)
				noErr(t, err)
				if task.ProcessingMode != mode {
					t.Fatalf("mode %s with %d chunks", task.ProcessingMode, len(task.Chunks))
				}
				if r := work(t, d); r.Completed != 1 {
					t.Fatalf("%+v", r)
				}
				full, err := d.GetFull(t.Context(), m.IssueID)
				noErr(t, err)
				if len(full.Asset.Dialogs) != 12 || full.Asset.Dialogs[3].OriginalText != m.Speeches[3].Text {
					t.Errorf("dialogs: %s", asJSON(full.Asset.Dialogs))
				}
				if testing.Verbose() {
					full.Asset.Dialogs = full.Asset.Dialogs[:2]
					t.Log(asJSON(full), len(task.Chunks))
				}
			})
		}
	}
}
