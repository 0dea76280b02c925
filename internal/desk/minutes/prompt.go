package minutes

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/errs"
	"pressroom/llm"
	"pressroom/model"
)

// payload is a prompt as it is stored, for consumers in any language. A chunk has
// no mode.
type payload struct {
	Mode          string          `json:"mode,omitempty"` // direct or chunked
	PromptVersion string          `json:"prompt_version,omitempty"`
	Prompt        string          `json:"prompt"`  // what to do
	Message       string          `json:"message"` // which meeting
	Schema        json.RawMessage `json:"schema"`  // of the answer
	Meeting       Meeting         `json:"meeting"`

	Range     *orderRange   `json:"range,omitempty"`
	Before    []diet.Speech `json:"context_before,omitempty"`
	Speeches  []diet.Speech `json:"speeches,omitempty"`
	After     []diet.Speech `json:"context_after,omitempty"`
	SpeechIDs []string      `json:"speechIds,omitempty"`
	Indices   []int         `json:"indices,omitempty"`

	ChunkTemplate   string         `json:"chunk_template,omitempty"`
	ReduceTemplate  string         `json:"reduce_template,omitempty"`
	Chunks          []payloadChunk `json:"chunks,omitempty"`
	ChunkResultURLs []string       `json:"chunkResultUrls,omitempty"`

	stored []byte // the bytes that were read
}

type orderRange struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// payloadChunk is a chunk as the reduce payload lists it.
type payloadChunk struct {
	ID        string `json:"id"`
	Orders    string `json:"orders"`
	PromptURL string `json:"prompt_url"`
	ResultURL string `json:"result_url"`
}

// The modes of payloads, in the words of the consumers' contract.
const (
	modeDirect  = "direct"
	modeChunked = "chunked"
)

// maxChunkBytes is how much room a task has for its chunks.
const maxChunkBytes = 300 << 10

// plan is a task and the objects that must be there before it.
type plan struct {
	task     Task
	payloads map[string]payload // by URL
}

// planTask makes prompts and task of a meeting.
func (d *Desk) planTask(m Meeting, speeches []diet.Speech) (*plan, error) {
	info := d.info()
	p, err := newPacker(info.Model, d.promptTokens(info), direct, m)
	if err != nil {
		return nil, err
	}
	now := d.now()
	out := &plan{payloads: map[string]payload{}, task: Task{
		PK: d.newKey(m), Status: Pending, LLM: info.Provider, LLMModel: info.Model, CreatedAt: now, UpdatedAt: now,
		PromptVersion: PromptVersion, Meeting: m, IssueID: m.IssueID, Awaiting: awaitingArticle,
	}}
	if out.task.ResultURL, err = place(d.objects.prompts, "ReduceResult", model.Values{"issueID": m.IssueID}); err != nil {
		return nil, err
	}
	prompts := p.pack(speeches)
	if len(prompts) == 1 {
		return out, d.planDirect(out, prompts[0])
	}
	return out, d.planChunks(out, prompts)
}

// info is the model that tasks are made for.
func (d *Desk) info() llm.Info {
	if d.provider == nil {
		return llm.Info{Provider: "any", Model: "any"}
	}
	return d.provider.Info()
}

// promptTokens is the budget of a prompt: what the options say, or what the model's
// context leaves beside the answer.
func (d *Desk) promptTokens(info llm.Info) int {
	if info.ContextTokens == 0 {
		return d.o.PromptTokens
	}
	return min(d.o.PromptTokens, info.ContextTokens-min(d.o.OutputTokens, info.ContextTokens/2))
}

func (d *Desk) planDirect(out *plan, c packed) (err error) {
	t := &out.task
	t.ProcessingMode = d.single()
	if t.PromptURL, err = place(d.objects.prompts, "DirectReducePrompt", model.Values{"issueID": t.IssueID}); err != nil {
		return err
	}
	body := c.payload(direct, t.Meeting)
	body.Mode = modeDirect
	body.ChunkTemplate, body.ReduceTemplate = chunk.prompt, reduce.prompt
	orders := c.orders()
	body.Range = &orderRange{orders[0], orders[len(orders)-1]}
	out.payloads[t.PromptURL] = body
	return nil
}

func (d *Desk) planChunks(out *plan, prompts []packed) (err error) {
	t := &out.task
	t.ProcessingMode = Chunked
	if t.PromptURL, err = place(d.objects.prompts, "ChunkedReducePrompt", model.Values{"issueID": t.IssueID}); err != nil {
		return err
	}
	whole := payload{
		Mode: modeChunked, PromptVersion: PromptVersion, Prompt: reduce.prompt, Message: heading(t.Meeting, ""), Schema: reduce.schema.JSON(), Meeting: t.Meeting,
		ChunkTemplate: chunk.prompt, ReduceTemplate: reduce.prompt,
	}
	size := 0
	for i, c := range prompts {
		one, err := d.planChunk(t.IssueID, i, c)
		if err != nil {
			return err
		}
		if size += chunkBytes(one); size > maxChunkBytes {
			return errs.New(errs.TooLarge, "The meeting needs %d prompts, more than one task can list. Allow more tokens a prompt.", len(prompts))
		}
		t.Chunks = append(t.Chunks, one)
		out.payloads[one.PromptURL] = c.payload(chunk, t.Meeting)
		whole.Chunks = append(whole.Chunks, payloadChunk{one.ID, span(c.orders()), one.PromptURL, one.ResultURL})
		whole.ChunkResultURLs = append(whole.ChunkResultURLs, one.ResultURL)
	}
	out.payloads[t.PromptURL] = whole
	return nil
}

func (d *Desk) planChunk(issueID string, i int, c packed) (Chunk, error) {
	v := model.Values{"issueID": issueID, "indices": c.indices()}
	prompt, err := place(d.objects.prompts, "ChunkPrompt", v)
	if err != nil {
		return Chunk{}, err
	}
	result, err := place(d.objects.prompts, "ChunkResult", v)
	if err != nil {
		return Chunk{}, err
	}
	_, key, err := d.objects.split(prompt)
	return Chunk{
		ID: "CHUNK#" + strconv.Itoa(i), PromptKey: key, PromptURL: prompt, ResultURL: result, Status: NotReady, BasedOnOrders: c.orders(),
	}, err
}

// chunkBytes is about what a chunk takes in its task.
func chunkBytes(c Chunk) int {
	return len(c.ID) + len(c.PromptKey) + len(c.PromptURL) + len(c.ResultURL) + 4*len(c.BasedOnOrders) + 80
}

func (c packed) payload(f form, m Meeting) payload {
	own := span(c.orders())
	body := payload{PromptVersion: PromptVersion, Prompt: f.prompt, Message: heading(m, own), Schema: f.schema.JSON(), Meeting: m, Before: c.before, After: c.after}
	for _, one := range c.own {
		body.Speeches = append(body.Speeches, one.speech)
		body.SpeechIDs = append(body.SpeechIDs, one.speech.ID)
		body.Indices = append(body.Indices, one.index)
	}
	return body
}

// request is the question that a payload of speeches asks.
func (d *Desk) request(f form, body *payload, t *Task) *llm.Request {
	req := &llm.Request{System: body.Prompt, Schema: f.schema, Labels: d.labels(t, f)}
	if strings.TrimSpace(req.System) == "" { // a producer that has its templates elsewhere
		req.System = f.prompt
	}
	text := body.Message
	if text == "" { // a payload of another collector
		text = heading(t.Meeting, "")
	}
	req.Messages = []llm.Message{{Role: llm.User, Text: text}}
	for _, list := range [][]diet.Speech{body.Before, body.Speeches, body.After} {
		for _, s := range list {
			req.Passages = append(req.Passages, llm.Passage{Order: s.Order, Speaker: s.Speaker, Text: s.Text})
		}
	}
	d.bound(req)
	return req
}

func (d *Desk) labels(t *Task, f form) llm.Labels {
	return llm.Labels{Desk: Schema.Name, Run: t.ID(), Purpose: f.name, PromptVersion: t.PromptVersion}
}

// bound limits the answer by what there is to be said, within the options.
func (d *Desk) bound(req *llm.Request) {
	req.MaxOutputTokens = min(d.o.OutputTokens, 4000+2*llm.CountInput(d.info().Model, req))
}

// shown is the record of what a payload shows to the model.
func (p *payload) shown() *record {
	var all []diet.Speech
	for _, list := range [][]diet.Speech{p.Before, p.Speeches, p.After} {
		all = append(all, list...)
	}
	return newRecord(all)
}

// writePayloads stores a plan's payloads; its task is put after them.
func (d *Desk) writePayloads(ctx context.Context, p *plan) error {
	for at, body := range p.payloads {
		if err := d.objects.putNew(ctx, at, body); err != nil {
			return err
		}
	}
	return nil
}

// load reads a payload.
func (d *Desk) load(ctx context.Context, at string) (*payload, error) {
	var body payload
	data, err := d.objects.read(ctx, at)
	if err == nil {
		err = json.Unmarshal(data, &body)
	}
	if err != nil {
		return nil, fmt.Errorf("prompt %s: %w", at, err)
	}
	body.stored = data
	if strings.TrimSpace(body.Prompt) == "" && body.Mode == "" && len(body.Speeches) == 0 {
		return nil, fmt.Errorf("%s holds no prompt", at)
	}
	return &body, nil
}
