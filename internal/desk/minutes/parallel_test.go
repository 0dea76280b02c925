package minutes

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pressroom/llm"
	"pressroom/llm/llmtest"
	"pressroom/model/modeltest"
)

// slow answers truthfully after a second.
func slow() llm.Provider {
	return llm.Validated(llmtest.NewScripted(func(_ int, req *llm.Request) llmtest.Reply {
		return llmtest.Reply{Text: truthful(req), Delay: time.Second}
	}))
}

// With calls of one second and 50 at once, a hundred chunks and a reduce take three
// seconds at best; they may take half as much again.
func TestHundredChunks(t *testing.T) {
	if modeltest.Foreign() {
		t.Skip("the time of this test is its own, and another server has another")
	}
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, slow(), Options{PromptTokens: 4300, Parallel: 50, Lease: 24 * time.Hour})
		var m = sample(1, "2026-11-02", 2, 1)
		for n := 40; ; n += 4 { // speeches until there are a hundred chunks
			m = sample(1, "2026-11-02", n, 12)
			p, err := d.planTask(must3(usable(&m)))
			noErr(t, err)
			if len(p.task.Chunks) >= 100 {
				break
			}
		}
		take(t, d, m)
		task, err := d.Claim(t.Context())
		noErr(t, err)
		rounds := (len(task.Chunks) + 49) / 50
		ideal := time.Duration(rounds+1) * time.Second
		start := time.Now()
		outcome, err := d.Consume(t.Context(), &task)
		noErr(t, err)
		took := time.Since(start)
		t.Logf("%d chunks, %s, took %s of the model's time, ideal %s", len(task.Chunks), outcome, took, ideal)
		if outcome != OutcomeCompleted || took > ideal*3/2 {
			t.Errorf("%s after %s, more than half over the ideal %s", outcome, took, ideal)
		}
	})
}

func must3[A, B any](a A, b B, problem string) (A, B) {
	if problem != "" {
		panic(problem)
	}
	return a, b
}

// BenchmarkQueue is what the queue itself costs a task: a claim and its completion.
func BenchmarkQueue(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n, " pending"), func(b *testing.B) {
			d := newDesk(b, nil, Options{})
			seeded(b, d, n)
			b.ResetTimer()
			for i := range b.N {
				if i > 0 && i%(n/2) == 0 {
					b.StopTimer()
					seeded(b, d, n)
					b.StartTimer()
				}
				task, err := d.Claim(b.Context())
				noErr(b, err)
				noErr(b, d.complete(b.Context(), &task))
			}
		})
	}
}

// BenchmarkClaimBehindWaiting is a claim behind thousands of tasks that wait for
// their next attempt.
func BenchmarkClaimBehindWaiting(b *testing.B) {
	now := newClock()
	d := newDesk(b, nil, Options{Now: now.now, Lease: time.Hour})
	seeded(b, d, 10_000)
	for range 5000 {
		_, err := d.Claim(b.Context())
		noErr(b, err)
	}
	b.ResetTimer()
	for range b.N {
		task, err := d.Claim(b.Context())
		noErr(b, err)
		b.StopTimer()
		noErr(b, d.complete(b.Context(), &task))
		seededOne(b, d, task)
		b.StartTimer()
	}
}

// seededOne puts a task back, so that the queue does not run dry.
func seededOne(b *testing.B, d *Desk, t Task) {
	t.Status, t.LeaseOwner, t.LeaseUntil = Pending, "", ""
	noErr(b, d.tasks.Put(b.Context(), &t))
}

// BenchmarkConsume is everything but the model: a short meeting from claim to
// published article.
func BenchmarkConsume(b *testing.B) {
	d := newDesk(b, llm.Validated(honest()), Options{})
	for i := range b.N {
		take(b, d, sample(i, "2026-11-02", 3, 2))
	}
	b.ResetTimer()
	for range b.N {
		task, err := d.Claim(b.Context())
		noErr(b, err)
		_, err = d.Consume(b.Context(), &task)
		noErr(b, err)
	}
}
