package minutes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/errs"
	"pressroom/model"
)

// CollectReport says what a collection did.
type CollectReport struct {
	From      string `json:"from"`
	Until     string `json:"until"`
	Calls     int    `json:"calls"`     // of the API
	Meetings  int    `json:"meetings"`  // that the API gave, duplicates included
	New       int    `json:"new"`       // tasks made
	Changed   int    `json:"changed"`   // tasks made again, because the record changed
	Unchanged int    `json:"unchanged"` // known already
	Unusable  int    `json:"unusable"`  // archived and put on record as failed
	// Supplements are tables of contents, indexes, appendices and supplements, which are no
	// meetings.
	Supplements int       `json:"supplements,omitempty"`
	Problems    []Problem `json:"problems,omitempty"`
	Done        bool      `json:"done"` // false if it was interrupted
	Resumed     bool      `json:"resumed,omitempty"`
}

// Problem is something that an operator should know about a collection.
type Problem struct {
	IssueID string `json:"issueID,omitempty"`
	What    string `json:"what"`
}

// maxProblems bounds the list in a report; the log has all.
const maxProblems = 200

func (r *CollectReport) problem(id, format string, args ...any) {
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, Problem{id, fmt.Sprintf(format, args...)})
	}
}

// collection is how far a collection came. It is stored after every page, so that
// an interrupted one goes on where it was.
type collection struct {
	Report  CollectReport `json:"report"`
	Windows []window      `json:"windows"` // what is left, the next one first
}

// window is a range of days, and how far it was read.
type window struct {
	From    string `json:"from"`
	Until   string `json:"until"`
	Start   int    `json:"start"`
	Records int    `json:"records"`
}

// Collect reads all meetings between two days, both included, archives them and
// makes their tasks. It may be repeated: what is known is left alone, what changed
// is made again, and an interrupted collection goes on. progress, if it is not nil,
// is called after every call of the API.
//
// A meeting that cannot be used is archived and put on record as a failed task with
// the reason; it does not stop the others. An error means that the rest was not
// read; the report says how far it came.
func (d *Desk) Collect(ctx context.Context, from, until string, progress func(CollectReport)) (CollectReport, error) {
	if err := checkDays(from, until); err != nil {
		return CollectReport{}, err
	}
	at, err := place(d.objects.prompts, "CollectState", model.Values{"range": from + "_" + until})
	if err != nil {
		return CollectReport{}, err
	}
	c, err := d.resume(ctx, at, from, until)
	if err != nil {
		return CollectReport{}, err
	}
	for len(c.Windows) > 0 {
		if err := d.collectPage(ctx, c); err != nil {
			return c.Report, fmt.Errorf("collect %s to %s: %w", from, until, err)
		}
		c.Report.Done = len(c.Windows) == 0
		if err := d.objects.put(ctx, at, c); err != nil {
			return c.Report, err
		}
		if progress != nil {
			progress(c.Report)
		}
	}
	return c.Report, nil
}

// CollectDaily collects what may have appeared lately: the options' Lookback up to
// today. It is for a scheduler; progress is as in Collect.
func (d *Desk) CollectDaily(ctx context.Context, progress func(CollectReport)) (CollectReport, error) {
	until := d.Today()
	return d.Collect(ctx, day(until).AddDate(0, 0, -d.o.Lookback).Format(time.DateOnly), until, progress)
}

// Today is the day that it is in the options' Zone.
func (d *Desk) Today() string { return d.o.Now().In(d.o.Zone).Format(time.DateOnly) }

func checkDays(from, until string) error {
	var wrong []errs.Field
	for _, day := range []struct{ name, value string }{{"from", from}, {"until", until}} {
		if !validDate(day.value) {
			wrong = append(wrong, errs.Field{Name: day.name, Message: "must be a date as in 2026-11-15"})
		}
	}
	if len(wrong) == 0 && until < from {
		wrong = append(wrong, errs.Field{Name: "until", Message: "is before the beginning"})
	}
	if len(wrong) > 0 {
		return errs.Validation(wrong...)
	}
	return nil
}

// resume returns an interrupted collection of these days, or a new one.
func (d *Desk) resume(ctx context.Context, at, from, until string) (*collection, error) {
	var c collection
	err := d.objects.get(ctx, at, &c)
	if err != nil && !errors.Is(err, errNoObject) {
		return nil, err
	}
	if err == nil && len(c.Windows) > 0 {
		c.Report.Resumed = true
		return &c, nil
	}
	c = collection{Report: CollectReport{From: from, Until: until}}
	first, last := day(from), day(until)
	for !first.After(last) {
		end := first.AddDate(0, 0, d.o.WindowDays-1)
		if end.After(last) {
			end = last
		}
		c.Windows = append(c.Windows, newWindow(first, end))
		first = end.AddDate(0, 0, 1)
	}
	return &c, nil
}

// day is a date that was checked.
func day(text string) time.Time {
	t, _ := time.Parse(time.DateOnly, text)
	return t
}

func newWindow(from, until time.Time) window {
	return window{From: from.Format(time.DateOnly), Until: until.Format(time.DateOnly), Start: 1, Records: diet.MaxRecords}
}

// collectPage reads one page and moves the collection on.
func (d *Desk) collectPage(ctx context.Context, c *collection) error {
	w := &c.Windows[0]
	page, err := d.source.Page(ctx, diet.Query{From: w.From, Until: w.Until, Start: w.Start, Records: w.Records})
	c.Report.Calls++
	if errors.Is(err, diet.ErrTruncated) {
		d.askForLess(c, err)
		return nil
	}
	if err != nil {
		return err
	}
	for _, m := range page.Meetings {
		if err := d.take(ctx, m, &c.Report); err != nil {
			return err
		}
	}
	if page.Next == 0 {
		c.Windows = c.Windows[1:]
		return nil
	}
	w.Start = page.Next
	w.Records = min(w.Records*2, diet.MaxRecords) // what was too much there may not be here
	return nil
}

// askForLess halves what was cut short: first the meetings of a call, then the days
// of the window. A single meeting of a single day that is still cut is put on record
// and passed over.
func (d *Desk) askForLess(c *collection, why error) {
	w := &c.Windows[0]
	from, until := day(w.From), day(w.Until)
	switch days := int(until.Sub(from).Hours()/24) + 1; {
	case w.Records > 1:
		w.Records /= 2
	case days > 1:
		half := from.AddDate(0, 0, days/2)
		c.Windows = append([]window{newWindow(from, half.AddDate(0, 0, -1)), newWindow(half, until)}, c.Windows[1:]...)
	default:
		c.Report.problem("", "meeting %d of %s cannot be read: %v", w.Start, w.From, why)
		d.o.Log.Warn("a meeting cannot be read", "date", w.From, "position", w.Start, "error", why)
		w.Start++
		if w.Start > maxPosition {
			c.Windows = c.Windows[1:]
		}
	}
}

// maxPosition bounds how often a day is asked for its next meeting after failures:
// no day has so many meetings.
const maxPosition = 200

// take archives one meeting and makes its task.
func (d *Desk) take(ctx context.Context, m diet.Meeting, r *CollectReport) error {
	r.Meetings++
	meeting, speeches, problem := usable(&m)
	for _, p := range m.Problems {
		r.problem(meeting.IssueID, "%s", p)
	}
	if gone, err := d.o.Erased.Gone(ctx, Schema.Name+"/"+meeting.IssueID); gone || err != nil {
		return err
	}
	if meeting.supplement() {
		return d.takeSupplement(ctx, meeting, speeches, r)
	}
	raw, err := place(d.objects.prompts, "RawMeeting", model.Values{"issueID": meeting.IssueID})
	if err != nil {
		return err
	}
	if err := d.objects.writeNew(ctx, raw, m.Raw); err != nil {
		return err
	}
	old, err := d.oldTask(ctx, meeting)
	if err != nil {
		return err
	}
	if old != nil && old.Meeting.Digest == meeting.Digest {
		r.Unchanged++
		return nil
	}
	p, err := d.planOrFail(meeting, speeches, problem)
	if err != nil {
		return err
	}
	if p.task.Status == Failed {
		r.problem(meeting.IssueID, "%s", p.task.LastError)
		d.o.Log.Warn("a meeting cannot be used", "issueID", meeting.IssueID, "reason", p.task.LastError)
	}
	if err := d.writePayloads(ctx, p); err != nil {
		return err
	}
	return d.putTask(ctx, p, old, r)
}

// planOrFail plans a meeting's task; for one that cannot be used, a failed task that
// says why.
func (d *Desk) planOrFail(m Meeting, speeches []diet.Speech, problem string) (*plan, error) {
	if problem == "" {
		p, err := d.planTask(m, speeches)
		if err == nil {
			return p, nil
		}
		if !errors.Is(err, errs.TooLarge) {
			return nil, err
		}
		problem = errs.Message(err)
	}
	v := model.Values{"issueID": m.IssueID}
	prompt, err := place(d.objects.prompts, "DirectReducePrompt", v)
	if err != nil {
		return nil, err
	}
	result, err := place(d.objects.prompts, "ReduceResult", v)
	now, info := d.now(), d.info()
	return &plan{task: Task{
		PK: d.newKey(m), Status: Failed, LLM: info.Provider, LLMModel: info.Model, CreatedAt: now, UpdatedAt: now, ProcessingMode: d.single(),
		PromptVersion: PromptVersion, PromptURL: prompt, ResultURL: result, Meeting: m, IssueID: m.IssueID, LastError: problem, FailureKind: "unusable record", Awaiting: awaitingArticle,
	}}, err
}

// oldTask returns the meeting's task, nil if it has none.
func (d *Desk) oldTask(ctx context.Context, m Meeting) (*Task, error) {
	t, err := d.taskAt(ctx, taskKey(m), m.IssueID)
	if errors.Is(err, model.ErrNotFound) {
		return nil, nil
	}
	return &t, err
}

// putTask writes a planned task, in place of the meeting's old one if nobody works on
// that.
func (d *Desk) putTask(ctx context.Context, p *plan, old *Task, r *CollectReport) error {
	var err error
	if old == nil {
		err = d.tasks.Create(ctx, &p.task)
		if errors.Is(err, model.ErrExists) { // another collection was faster
			r.Unchanged++
			return nil
		}
	} else {
		err = d.replaceTask(ctx, p, old)
		if errors.Is(err, model.ErrCondition) {
			r.problem(p.task.IssueID, "the record changed while its task is worked on; the next collection takes it up")
			return nil
		}
	}
	switch {
	case err != nil:
		return err
	case p.task.Status == Failed:
		r.Unusable++
	case old == nil:
		r.New++
	default:
		r.Changed++
	}
	return nil
}

// replaceTask writes a planned task over an old one that nobody works on.
func (d *Desk) replaceTask(ctx context.Context, p *plan, old *Task) error {
	p.task.PK, p.task.CreatedAt = old.PK, old.CreatedAt
	if d.o.Now().Before(old.leased()) {
		return model.ErrCondition
	}
	return d.tasks.Put(ctx, &p.task, same("leaseOwner", old.LeaseOwner), same("updatedAt", old.UpdatedAt))
}

// leased is until when somebody works on the task.
func (t *Task) leased() time.Time {
	until, err := model.ParseTime(t.LeaseUntil)
	if err != nil {
		return time.Time{}
	}
	return until
}

// usable returns what a task needs of a meeting, and why it cannot be used; "" if
// it can. The meeting has an issueID in any case.
func usable(m *diet.Meeting) (Meeting, []diet.Speech, string) {
	sum := digest(compact(m.Raw))
	out := Meeting{
		IssueID: m.IssueID, House: plain(m.House, nameMax), Name: plain(m.Name, nameMax), Date: m.Date, Session: m.Session,
		ImageKind: plain(m.ImageKind, idMax), Issue: plain(m.Issue, idMax), URL: cut(m.URL, urlMax), Digest: sum,
	}
	speeches := withOrders(m)
	out.Speeches = len(speeches)
	var why []string
	if !validID(m.IssueID) {
		why = append(why, fmt.Sprintf("the issueID %.40q cannot be used", m.IssueID))
		out.IssueID = "unknown-" + sum[:24]
	}
	if !validDate(m.Date) {
		why = append(why, fmt.Sprintf("the date %.40q is none", m.Date))
	}
	if out.House == "" || out.Name == "" {
		why = append(why, "it has no house or no name")
	}
	if !slices.ContainsFunc(speeches, func(s diet.Speech) bool { return strings.TrimSpace(s.Text) != "" }) {
		why = append(why, "it has no speeches")
	}
	return out, speeches, strings.Join(why, "; ")
}

// compact is JSON without the spaces that do not count.
func compact(raw []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

func validID(id string) bool {
	return id != "" && len(id) <= idMax && !strings.ContainsFunc(id, func(r rune) bool {
		letter := r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_'
		return !letter
	})
}

// withOrders returns the speeches in their order, each order once: citations must
// be plain.
func withOrders(m *diet.Meeting) []diet.Speech {
	speeches := slices.Clone(m.Speeches)
	slices.SortStableFunc(speeches, func(a, b diet.Speech) int { return a.Order - b.Order })
	for i := 1; i < len(speeches); i++ {
		if speeches[i].Order == speeches[i-1].Order {
			m.Problems = append(m.Problems, fmt.Sprintf("two speeches have the order %d; they were numbered anew", speeches[i].Order))
			for j := range speeches {
				speeches[j].Order = j
			}
			break
		}
	}
	return speeches
}

// rebuild makes a task's prompts again from the archived record.
func (d *Desk) rebuild(ctx context.Context, t *Task) (*plan, error) {
	raw, err := place(d.objects.prompts, "RawMeeting", model.Values{"issueID": t.ID()})
	if err != nil {
		return nil, err
	}
	data, err := d.objects.read(ctx, raw)
	if err != nil {
		return nil, err
	}
	if AssemblyOf(t.ID()) != "" {
		var m assembly.Meeting
		if err := json.Unmarshal(data, &m); err != nil {
			return nil, err
		}
		return d.planTask(t.Meeting, speechesIn(&m))
	}
	m := diet.ParseMeeting(json.RawMessage(data))
	meeting, speeches, problem := usable(&m)
	if problem != "" {
		return nil, errs.New(errs.Conflict, "The meeting cannot be used: %s.", problem)
	}
	return d.planTask(meeting, speeches)
}
