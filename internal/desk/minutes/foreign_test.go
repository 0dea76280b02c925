package minutes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/internal/desk/minutes/diet"
	"pressroom/llm"
)

// producer writes tasks and prompts by the documents alone: it knows nothing of what
// the desk adds.
type producer struct {
	contract string // 000 or 001
	key      string // the task's; "" for the document's
	rng      any    // the prompt's range; nil for none
	session  any    // of the meeting; nil for a meeting without one
	meeting  map[string]any
	chunked  bool
	bareID   bool // chunks without id and prompt_key, which 000 does not list
	status   string
}

// printedMeeting is a meeting with an issueID of the Diet's form.
func printedMeeting(n, speeches int) diet.Meeting {
	m := sample(n, "2025-09-19", speeches, 3)
	m.IssueID, m.Session, m.House, m.Name = fmt.Sprintf("121805261X%03d20250919", n), 218, "衆議院", "科学技術委員会"
	return m
}

// write puts a meeting's task into the queue and returns its key.
func (p producer) write(t testing.TB, d *Desk, m diet.Meeting) string {
	t.Helper()
	bucket := d.objects.prompts.Name
	put := func(key string, v any) string {
		t.Helper()
		noErr(t, d.objects.put(t.Context(), url(bucket, key), v))
		return url(bucket, key)
	}
	meeting := map[string]any{"issueID": m.IssueID, "nameOfMeeting": m.Name, "nameOfHouse": m.House, "date": m.Date, "numberOfSpeeches": len(m.Speeches)}
	if p.session != nil {
		meeting["session"] = p.session
	}
	for name, value := range p.meeting {
		if meeting[name] = value; value == nil {
			delete(meeting, name)
		}
	}
	reduce := map[string]any{"mode": "direct", "chunkPromptTemplate": "要約せよ。", "reducePromptTemplate": "まとめよ。", "meeting": meeting}
	if p.rng != nil {
		reduce["range"] = p.rng
	}
	key := m.IssueID
	if p.contract == "000" {
		key = taskKey(Meeting{IssueID: m.IssueID, Session: m.Session, House: m.House})
	}
	if p.key != "" {
		key = p.key
	}
	task := map[string]any{
		"pk": key, "status": "pending", "llm": "gemini", "llmModel": "gemini-2.5-pro", "retryAttempts": 0,
		"createdAt": "2025-11-01T00:00:00Z", "updatedAt": "2025-11-01T00:00:00Z", "processingMode": "direct",
		"result_url": url(bucket, "results/"+m.IssueID+"_reduce.json"), "meeting": meeting,
	}
	if p.contract == "000" {
		task["processingMode"], task["prompt_version"] = "single_chunk", "2025-11"
	}
	if p.status != "" {
		task["status"] = p.status
	}
	if !p.chunked {
		reduce["speeches"] = m.Speeches
		task["prompt_url"] = put("prompts/reduce/"+m.IssueID+"_direct.json", reduce)
		if p.contract == "000" {
			task["chunks"] = []any{}
		}
	} else {
		var chunks, results []any
		half := len(m.Speeches) / 2
		for i, part := range [][]diet.Speech{m.Speeches[:half], m.Speeches[half:]} {
			name := fmt.Sprintf("%s_%d", m.IssueID, i)
			at := put("prompts/"+name+".json", map[string]any{"prompt": "要約せよ。", "speeches": part, "speechIds": []string{"x"}, "indices": []int{i}})
			c := map[string]any{"prompt_url": at, "result_url": url(bucket, "results/"+name+"_result.json"), "status": "notReady"}
			if !p.bareID {
				c["id"], c["prompt_key"] = fmt.Sprint("CHUNK#", i), "prompts/"+name+".json"
			}
			chunks, results = append(chunks, c), append(results, c["result_url"])
		}
		reduce["mode"], reduce["chunks"], reduce["chunkResultUrls"] = "chunked", chunks, results
		task["prompt_url"], task["chunks"], task["processingMode"] = put("prompts/reduce/"+m.IssueID+".json", reduce), chunks, "chunked"
	}
	putRaw(t, d, 0, task)
	return key
}

// putRaw writes an item as another program does.
func putRaw(t testing.TB, d *Desk, table int, item map[string]any) {
	t.Helper()
	raw, err := attributevalue.MarshalMap(item)
	noErr(t, err)
	_, err = d.db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &d.schema.Tables[table].Name, Item: raw})
	noErr(t, err)
}

// Tasks of other producers become articles with the right session, house and date,
// whatever form of the documents they have.
func TestTasksOfOtherProducers(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]producer{
		"001 range of dates":         {contract: "001", rng: map[string]any{"from": "2025-09-01", "until": "2025-09-30"}},
		"001 range of times, from":   {contract: "001", rng: map[string]any{"from": "2025-09-01T00:00:00Z", "to": "2025-09-30T00:00:00Z"}},
		"001 without range":          {contract: "001"},
		"001 chunked, range dates":   {contract: "001", chunked: true, rng: map[string]any{"from": "2025-09-01", "until": "2025-09-30"}},
		"000 range of orders":        {contract: "000", session: 218, rng: map[string]any{"from": 0, "to": 3}},
		"000 session as text":        {contract: "000", session: "218"},
		"000 chunked, chunks bare":   {contract: "000", session: 218, chunked: true, bareID: true},
		"000 under another hash":     {contract: "000", session: 218, key: strings.Repeat("ab", 32)},
		"001 house and date missing": {contract: "001", meeting: map[string]any{"nameOfHouse": nil, "date": nil}},
		"001 date as time":           {contract: "001", meeting: map[string]any{"date": "2025-09-19T00:00:00.000Z", "numberOfSpeeches": "4"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, llm.Validated(honest()), Options{})
			m := printedMeeting(3, 4)
			p.write(t, d, m)
			if r := work(t, d); r.Completed != 1 {
				t.Fatalf("%+v", r)
			}
			full, err := d.GetFull(t.Context(), m.IssueID)
			noErr(t, err)
			if full.Session != 218 || full.House != "衆議院" || full.Date != "2025-09-19" || full.Month != "2025-09" || len(full.Asset.Dialogs) != 4 {
				t.Errorf("session %d, house %q, date %s, %d dialogs", full.Session, full.House, full.Date, len(full.Asset.Dialogs))
			}
		})
	}
}

// A task that nobody can read does not keep the others from their turn.
func TestUnreadableTask(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llm.Validated(honest()), Options{})
	putRaw(t, d, 0, map[string]any{"pk": "x", "status": "pending", "createdAt": "2025-01-01T00:00:00Z", "chunks": "none", "meeting": 7, "retryAttempts": "many"})
	m := printedMeeting(3, 4)
	producer{contract: "001"}.write(t, d, m)
	if r := work(t, d); r.Completed != 1 || r.Failed != 1 {
		t.Fatalf("%+v", r)
	}
	page, err := d.Tasks(t.Context(), Failed, 10, "")
	noErr(t, err)
	if len(page.Items) != 1 || !strings.Contains(page.Items[0].LastError, "chunks") {
		t.Errorf("%+v", page.Items)
	}
}
