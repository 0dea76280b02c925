package minutes

import (
	"fmt"
	"testing"

	"pressroom/llm"
	"pressroom/llm/llmtest"
	"pressroom/model/modeltest"
)

// exhibit is a desk with an article of each mode, a task that waits, one that
// failed and one in review.
type exhibit struct {
	*Desk
	tasks, articles         modeltest.Damage
	single, chunked         string // the issueIDs
	waiting, failed, review string
}

func openExhibit(t *testing.T) *exhibit {
	t.Helper()
	var lie string
	model := llmtest.NewScripted(func(_ int, req *llm.Request) llmtest.Reply {
		text := truthful(req)
		if lie != "" {
			return llmtest.Reply{Text: lie}
		}
		return llmtest.Reply{Text: text}
	})
	e := &exhibit{Desk: newExhibit(t, llm.Validated(model), Options{PromptTokens: 4000})}
	e.tasks = modeltest.Damage{T: t, DB: e.db, Table: &e.schema.Tables[0]}
	e.articles = modeltest.Damage{T: t, DB: e.db, Table: &e.schema.Tables[1]}
	short, long, bad := sample(1, "2026-11-02", 3, 1), sample(2, "2026-11-03", 12, 6), sample(3, "2026-11-04", 3, 1)
	bad.Date, bad.Raw = "never", nil
	bad.Raw = rawOf(bad)
	take(t, e.Desk, short, long, bad)
	if r := work(t, e.Desk); r.Completed != 2 {
		t.Fatalf("%+v", r)
	}
	doubtful := sample(4, "2026-11-05", 3, 1)
	take(t, e.Desk, doubtful)
	lie = falseAnswer(t)
	if r := work(t, e.Desk); r.Review != 1 {
		t.Fatalf("%+v", r)
	}
	next := sample(5, "2026-11-06", 12, 6)
	take(t, e.Desk, next)
	e.single, e.chunked, e.failed, e.review, e.waiting = short.IssueID, long.IssueID, bad.IssueID, doubtful.IssueID, next.IssueID
	return e
}

// falseAnswer cites a speech that nobody made.
func falseAnswer(t *testing.T) string {
	t.Helper()
	return truthful(&llm.Request{Schema: direct.schema, Passages: []llm.Passage{{Order: 99, Speaker: "誰か", Text: "誰も言わなかったこと。"}}})
}

func (e *exhibit) task(t *testing.T, issue string) Task {
	t.Helper()
	task, err := e.GetTask(t.Context(), issue)
	noErr(t, err)
	return task
}

func (e *exhibit) article(t *testing.T, issue string) Article {
	t.Helper()
	a, err := e.GetArticle(t.Context(), issue)
	noErr(t, err)
	return a
}

const thinPlace = "Y#2026#M#11#D#2026-11-02#A#"

func TestCheckFindsNothing(t *testing.T) {
	e := openExhibit(t)
	modeltest.WantSound(t, e.Check)
	// A consumer that dies leaves a task in one of these states.
	task := e.task(t, e.waiting)
	noErr(t, e.objects.put(t.Context(), task.Chunks[0].ResultURL, Result{}))
	modeltest.WantSound(t, e.Check)
	noErr(t, e.MarkChunkReady(t.Context(), e.waiting, task.Chunks[0].ID))
	modeltest.WantSound(t, e.Check)
}

func TestCheckFinds(t *testing.T) {
	for _, tt := range []struct {
		name   string
		damage func(*testing.T, *exhibit)
		words  []string
	}{
		{"asset gone", func(t *testing.T, e *exhibit) {
			a := e.article(t, e.single)
			noErr(t, e.objects.delete(t.Context(), url(e.objects.assets.Name, e.ownAsset(&a))))
		}, []string{"SK=META", "asset.json is missing"}},
		{"asset elsewhere", func(_ *testing.T, e *exhibit) { e.articles.Set("asset_url", "s3://other/x", "A#"+e.single, "META") }, []string{"no place of the desk's"}},
		{"month wrong", func(_ *testing.T, e *exhibit) { e.articles.Set("month", "2026-10", "A#"+e.single, "META") }, []string{"month is 2026-10"}},
		{"index item gone", func(_ *testing.T, e *exhibit) { e.articles.Delete("PERSON#田中花子", thinPlace+e.single) }, []string{"META", "not listed under the person 田中花子"}},
		{"index item differs", func(_ *testing.T, e *exhibit) {
			e.articles.Set("title", "別", "PERSON#田中花子", thinPlace+e.single)
		}, []string{"says something else"}},
		{"index item too many", func(_ *testing.T, e *exhibit) {
			e.articles.Copy([]string{"PERSON#田中花子", thinPlace + e.single}, []string{"PERSON#誰か", thinPlace + e.single})
		}, []string{"PERSON#誰か", "has not the person 誰か"}},
		{"index item without article", func(_ *testing.T, e *exhibit) { e.articles.Delete("A#"+e.single, "META") }, []string{"PERSON#田中花子", "there is no article"}},
		{"index item of a save that is gone", func(_ *testing.T, e *exhibit) {
			e.articles.Set("saveId", "S", "PERSON#田中花子", thinPlace+e.single)
		}, []string{"PERSON#", "waits for save S"}},
		{"index item of a save that did not happen", func(_ *testing.T, e *exhibit) {
			e.part(0)
			e.articles.Set("saveId", "S", "PERSON#田中花子", thinPlace+e.single)
		}, []string{"META", "it is not listed under the person"}},
		{"part without its first", func(_ *testing.T, e *exhibit) { e.part(1) }, []string{"SAVE#S", "whose first part is gone"}},

		{"task under another key", func(t *testing.T, e *exhibit) {
			e.tasks.Copy([]string{e.task(t, e.single).PK}, []string{"0123"})
		}, []string{"pk=0123", "not that of meeting"}},
		{"task of two meetings", func(t *testing.T, e *exhibit) { e.tasks.Set("issueID", "other", e.task(t, e.single).PK) }, []string{"says other"}},
		{"half a lease", func(t *testing.T, e *exhibit) { e.tasks.Set("leaseOwner", "me", e.task(t, e.waiting).PK) }, []string{"half a lease"}},
		{"lease of a completed task", func(t *testing.T, e *exhibit) {
			e.tasks.Set("leaseOwner", "me", e.task(t, e.single).PK)
			e.tasks.Set("leaseUntil", "2026-11-15T00:00:00.000Z", e.task(t, e.single).PK)
		}, []string{"it is completed, and me works on it"}},
		{"mode and chunks differ", func(t *testing.T, e *exhibit) { e.tasks.Set("chunks", nil, e.task(t, e.chunked).PK) }, []string{"chunked and has 0 chunks"}},
		{"chunk not ready", func(t *testing.T, e *exhibit) { e.chunk(t, e.chunked, func(c *Chunk) { c.Status = NotReady }) }, []string{"completed, and its chunk"}},
		{"chunk in no state", func(t *testing.T, e *exhibit) { e.chunk(t, e.waiting, func(c *Chunk) { c.Status = "half" }) }, []string{"which is no state"}},
		{"chunk ready without result", func(t *testing.T, e *exhibit) { e.chunk(t, e.waiting, func(c *Chunk) { c.Status = Ready }) }, []string{"result of chunk", "is missing"}},
		{"chunk twice", func(t *testing.T, e *exhibit) {
			id := e.task(t, e.waiting).Chunks[1].ID
			e.chunk(t, e.waiting, func(c *Chunk) { c.ID = id })
		}, []string{"twice"}},
		{"prompt gone", func(t *testing.T, e *exhibit) { noErr(t, e.objects.delete(t.Context(), e.task(t, e.single).PromptURL)) }, []string{"its prompt", "is missing"}},
		{"chunk's prompt gone", func(t *testing.T, e *exhibit) {
			noErr(t, e.objects.delete(t.Context(), e.task(t, e.waiting).Chunks[0].PromptURL))
		}, []string{"prompt of chunk", "is missing"}},
		{"result gone", func(t *testing.T, e *exhibit) { noErr(t, e.objects.delete(t.Context(), e.task(t, e.single).ResultURL)) }, []string{"its result", "is missing"}},
		{"article gone", func(_ *testing.T, e *exhibit) { e.articles.Delete("A#"+e.single, "META") }, []string{"completed, and there is no article"}},
		{"failed without a word", func(t *testing.T, e *exhibit) { e.tasks.Set("lastError", nil, e.task(t, e.failed).PK) }, []string{"nothing says why"}},
		{"draft gone", func(t *testing.T, e *exhibit) {
			noErr(t, e.objects.delete(t.Context(), inPrompts(e.Desk, "review/"+e.review+".json")))
		}, []string{"answer to be reviewed", "is missing"}},
		{"result of no task", func(t *testing.T, e *exhibit) { e.tasks.Delete(e.task(t, e.single).PK) }, []string{"politopics-prompts results/", "there is no task of meeting"}},
		{"result of no name", func(t *testing.T, e *exhibit) {
			noErr(t, e.objects.put(t.Context(), inPrompts(e.Desk, "results/x.json"), 1))
		}, []string{"no name of a result"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := openExhibit(t)
			tt.damage(t, e)
			modeltest.WantFinding(t, e.Check, tt.words...)
		})
	}
}

// part writes a part of a save of the article.
func (e *exhibit) part(n int) {
	e.articles.Put(map[string]any{
		"PK": "SAVE#S", "SK": fmt.Sprintf("PART#%05d", n), "saveId": "S", "part": n, "id": e.single, "createdAt": "2026-11-15T00:00:00.000Z", "keys": []entry{},
	})
}

// chunk changes the first chunk of a task.
func (e *exhibit) chunk(t *testing.T, issue string, change func(*Chunk)) {
	t.Helper()
	task := e.task(t, issue)
	change(&task.Chunks[0])
	e.tasks.Set("chunks", task.Chunks, task.PK)
}
