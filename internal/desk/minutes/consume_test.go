package minutes

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/llm"
	"pressroom/llm/builtin"
	"pressroom/llm/llmtest"
	"pressroom/model"
	"pressroom/model/modeltest"
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

// A consumer whose store does not answer stops working when its lease ends: others
// take the task then, and would pay for the same answers.
func TestLeaseEndsWithoutAnAnswer(t *testing.T) {
	if modeltest.Foreign() {
		t.Skip("the time of this test is its own, and another server has another")
	}
	synctest.Test(t, func(t *testing.T) {
		const lease = 2 * time.Minute
		asked := make(chan struct{})
		once := sync.OnceFunc(func() { close(asked) })
		provider := llmtest.NewScripted(func(_ int, req *llm.Request) llmtest.Reply {
			once()
			return llmtest.Reply{Text: truthful(req), Delay: 10 * lease}
		})
		stores := modeltest.OpenStores(t, nil, Schema)
		d, err := New(&silent{stores.Tables, asked}, stores.Objects, provider, &Options{Lease: lease, Log: slog.New(slog.DiscardHandler)})
		noErr(t, err)
		take(t, d, sample(1, "2026-11-02", 3, 2))
		task, err := d.Claim(t.Context())
		noErr(t, err)
		begin := time.Now()
		outcome, err := d.Consume(t.Context(), &task)
		if outcome != OutcomeReleased || !errors.Is(err, model.ErrLost) {
			t.Errorf("%s, %v", outcome, err)
		}
		if took := time.Since(begin); took > lease {
			t.Errorf("it worked on for %s", took)
		}
	})
}

// silent is a store that takes updates and does not answer, from a moment on.
type silent struct {
	model.DB
	from <-chan struct{}
}

func (s *silent) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	select {
	case <-s.from:
		<-ctx.Done()
		return nil, ctx.Err()
	default:
		return s.DB.UpdateItem(ctx, in, o...)
	}
}
