package minutes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/desk/minutes/assembly/format"
	"pressroom/internal/desk/minutes/assembly/source"
	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/errs"
	"pressroom/model"
)

// Origins of a declaration.
const (
	FromBuiltIn = "built-in"
	FromFolder  = "folder"
	FromTables  = "added"
)

// Declared is an assembly, and where its declaration is.
type Declared struct {
	*assembly.Declaration
	From string
	Kept *Kept // nil if nothing of it is kept
	text []byte
	base string // the folder that relative paths are in
}

// Declare reads a declaration, or answers errs.Invalid with all that is wrong in it.
// Relative folders in it are in base.
func Declare(file string, text []byte, base string) (Declared, error) {
	d, err := assembly.Declare(file, text, known1)
	if err != nil {
		return Declared{}, errs.Wrap(err, errs.Invalid, "%v", err)
	}
	return Declared{Declaration: d, text: text, base: base}, nil
}

// known1 tells whether a source can be read.
func known1(s assembly.SourceOf) error {
	_, err := format.Of(s)
	return err
}

// Assemblies returns all assemblies that are declared, by code: those that were added,
// those in the options' folder, those that are built in; of one code the first of these.
// A file in the folder that is wrong is told to the log, and left out.
func (d *Desk) Assemblies(ctx context.Context) ([]Declared, error) {
	byCode := map[string]Declared{}
	for _, b := range format.BuiltIn() {
		byCode[b.Declaration.Code] = Declared{Declaration: b.Declaration, From: FromBuiltIn, text: b.Text}
	}
	if d.o.Assemblies != "" {
		if err := d.folder(byCode); err != nil {
			return nil, err
		}
	}
	for kept, err := range d.Kept(ctx) {
		if err != nil {
			return nil, fmt.Errorf("assemblies: %w", err)
		}
		one, ok := byCode[kept.Code]
		if !ok || kept.Origin == FromTables {
			if one, err = Declare(kept.Code+".toml", []byte(kept.Declaration), kept.Base); err != nil {
				d.o.Log.Warn("an assembly's declaration cannot be read", "code", kept.Code, "error", err)
				continue
			}
			one.From = FromTables
		}
		one.Kept = &kept
		byCode[kept.Code] = one
	}
	all := make([]Declared, 0, len(byCode))
	for _, one := range byCode {
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b Declared) int { return cmp.Compare(a.Code, b.Code) })
	return all, nil
}

func (d *Desk) folder(into map[string]Declared) error {
	names, err := filepath.Glob(filepath.Join(d.o.Assemblies, "*.toml"))
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		one, err := Declare(name, text, d.o.Assemblies)
		if err != nil {
			d.o.Log.Warn("an assembly's declaration cannot be read", "file", name, "error", err)
			continue
		}
		one.From = FromFolder
		into[one.Code] = one
	}
	return nil
}

// GetAssembly returns a declared assembly by its code, or errs.NotFound.
func (d *Desk) GetAssembly(ctx context.Context, code string) (Declared, error) {
	all, err := d.Assemblies(ctx)
	if err != nil {
		return Declared{}, err
	}
	for _, one := range all {
		if one.Code == code {
			return one, nil
		}
	}
	return Declared{}, errs.New(errs.NotFound, "There is no assembly %q.", code)
}

// AddAssembly keeps a declaration, new or in place of the one with its code. Nothing is
// collected yet.
func (d *Desk) AddAssembly(ctx context.Context, one Declared) (Kept, error) {
	origin := cmp.Or(one.From, FromTables)
	for try := 1; ; try++ {
		k, err := d.kept.Get(ctx, model.Values{"code": one.Code})
		switch {
		case errors.Is(err, model.ErrNotFound):
			k = Kept{Code: one.Code, AddedAt: d.now()}
		case err != nil:
			return k, fmt.Errorf("add assembly %s: %w", one.Code, err)
		case k.Declaration == string(one.text) && k.Base == one.base && k.Origin == origin:
			return k, nil
		}
		k.Declaration, k.Base, k.Origin = string(one.text), one.base, origin
		err = d.kept.Put(ctx, &k)
		if err == nil || !errors.Is(err, model.ErrStale) && !errors.Is(err, model.ErrExists) || try == 5 {
			return k, known(err, "assembly %s", one.Code)
		}
	}
}

// AssemblyReport says what a collection of an assembly did.
type AssemblyReport struct {
	At        string   `dynamodbav:"at" json:"at"`
	Fetched   int      `dynamodbav:"fetched" json:"fetched"`     // files that were new or changed on a server
	Meetings  int      `dynamodbav:"meetings" json:"meetings"`   // that the files have
	New       int      `dynamodbav:"new" json:"new"`             // tasks made
	Changed   int      `dynamodbav:"changed" json:"changed"`     // tasks made again, because the record changed
	Unchanged int      `dynamodbav:"unchanged" json:"unchanged"` // known already
	Unusable  int      `dynamodbav:"unusable" json:"unusable"`   // put on record as failed
	Problems  []string `dynamodbav:"problems,omitempty" json:"problems,omitempty"`
	Done      bool     `dynamodbav:"done" json:"done"` // false if it was interrupted
}

// maxKeptProblems bounds the problems of a report; the log has all.
const maxKeptProblems = 50

func (r *AssemblyReport) problem(d *Desk, code, what string) {
	d.o.Log.Warn("a problem in the records of an assembly", "assembly", code, "problem", what)
	if len(r.Problems) < maxKeptProblems {
		r.Problems = append(r.Problems, cut(what, 500))
	}
}

// PreviewFiles is how many files a preview asks a server for if nobody waits on a page.
const PreviewFiles = 10

// PreviewAssembly counts what an assembly would bring, up to so many meetings, 0 for
// all. Nothing is kept. A server is asked for so many files of each source.
func (d *Desk) PreviewAssembly(ctx context.Context, one Declared, most, files int) (assembly.Preview, error) {
	dir, err := os.MkdirTemp("", "pressroom-preview-*")
	if err != nil {
		return assembly.Preview{}, err
	}
	defer os.RemoveAll(dir)
	cutShort := false
	var problems []string
	reading, err := d.reading(ctx, one, func(i int, f *source.Fetcher) (fs.FS, error) {
		into := filepath.Join(dir, strconv.Itoa(i))
		if err := os.Mkdir(into, 0o700); err != nil {
			return nil, err
		}
		f.Most = files
		done, err := f.Fetch(ctx, source.Dir(into))
		cutShort = cutShort || done.Cut
		problems = append(problems, done.Problems...)
		return os.DirFS(into), err
	})
	if err != nil {
		return assembly.Preview{}, err
	}
	p, err := assembly.PreviewOf(ctx, reading, most)
	p.Cut = p.Cut || cutShort
	p.Errors = append(p.Errors, problems...)
	return p, err
}

// reading opens the sources of an assembly. fetch brings a server's files somewhere.
func (d *Desk) reading(ctx context.Context, one Declared, fetch func(i int, f *source.Fetcher) (fs.FS, error)) (*assembly.Reading, error) {
	var folders []fs.FS
	for i, s := range one.Sources {
		switch {
		case s.Folder != "":
			at := s.Folder
			if !filepath.IsAbs(at) {
				at = filepath.Join(one.base, at)
			}
			if info, err := os.Stat(at); err != nil || !info.IsDir() {
				return nil, errs.New(errs.NotFound, "The folder %s of source %d of %s is not there.", at, i+1, one.Code)
			}
			folders = append(folders, os.DirFS(at))
		case s.Bucket != "":
			name, prefix, _ := strings.Cut(strings.TrimPrefix(s.Bucket, "s3://"), "/")
			if prefix != "" && !strings.HasSuffix(prefix, "/") {
				prefix += "/"
			}
			folders = append(folders, &source.Bucket{Context: ctx, Client: d.objects.client, Name: name, Prefix: prefix})
		default:
			f, err := d.fetcher(s)
			if err != nil {
				return nil, err
			}
			folder, err := fetch(i, f)
			if err != nil {
				return nil, fmt.Errorf("source %d of %s: %w", i+1, one.Code, err)
			}
			folders = append(folders, folder)
		}
	}
	return format.Reading(one.Declaration, folders)
}

// defaultPause is the time between two requests to a server that says nothing else.
const defaultPause = 3 * time.Second

func (d *Desk) fetcher(s assembly.SourceOf) (*source.Fetcher, error) {
	reader, err := format.Of(s)
	if err != nil {
		return nil, err
	}
	pause := defaultPause
	if p, err := time.ParseDuration(s.Pause); err == nil {
		pause = p
	}
	if d.o.Pause < 0 {
		pause = 0
	}
	matches := func(patterns []string, name string) bool {
		return slices.ContainsFunc(patterns, func(pattern string) bool {
			ok, _ := path.Match(pattern, name)
			return ok
		})
	}
	return &source.Fetcher{
		HTTP: cmp.Or(d.o.SourceHTTP, d.o.HTTP, http.DefaultClient), Address: s.Address, Pause: pause, Now: d.o.Now,
		Takes: func(name string) bool {
			if matches(s.Skip, name) {
				return false
			}
			if len(s.Files) > 0 {
				return matches(s.Files, name)
			}
			return reader.Takes(name) || archived(name)
		},
	}, nil
}

// archived tells whether a file may hold others.
func archived(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".gz", ".bz2", ".zip", ".tar", ".tgz":
		return true
	}
	return false
}

// CollectAssembly reads all records of an assembly, archives them and makes their tasks.
// It may be repeated: what is known is left alone, what changed is made again. One that
// was interrupted, by whatever, is simply begun again: no meeting is lost, and none is
// there twice. progress, if it is not nil, is called after every meeting.
//
// A file or a meeting that cannot be used is a problem in the report; it does not stop
// the others. An error means that the rest was not read.
func (d *Desk) CollectAssembly(ctx context.Context, code string, progress func(AssemblyReport)) (AssemblyReport, error) {
	r := AssemblyReport{At: d.now()}
	one, err := d.GetAssembly(ctx, code)
	if err != nil {
		return r, err
	}
	if _, err := d.AddAssembly(ctx, one); err != nil {
		return r, err
	}
	err = d.collectAll(ctx, one, &r, progress)
	r.Done = err == nil
	return r, errors.Join(err, d.collected(context.WithoutCancel(ctx), code, r))
}

func (d *Desk) collectAll(ctx context.Context, one Declared, r *AssemblyReport, progress func(AssemblyReport)) error {
	reading, err := d.reading(ctx, one, func(i int, f *source.Fetcher) (fs.FS, error) {
		shelf, err := d.shelf(one.Code, i)
		if err != nil {
			return nil, err
		}
		done, err := f.Fetch(ctx, shelf)
		r.Fetched += done.New + done.Changed
		for _, p := range done.Problems {
			r.problem(d, one.Code, p)
		}
		return &source.Bucket{Context: ctx, Client: shelf.Client, Name: shelf.Bucket, Prefix: shelf.Prefix}, err
	})
	if err != nil {
		return err
	}
	for err := range reading.People(ctx) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.problem(d, one.Code, err.Error())
	}
	for m, err := range reading.Meetings(ctx) {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			r.problem(d, one.Code, err.Error())
			continue
		}
		if err := d.takeRecord(ctx, one, m, r); err != nil {
			return fmt.Errorf("collect %s: %w", m.ID, err)
		}
		if progress != nil {
			progress(*r)
		}
	}
	return nil
}

// shelf is where the files of a server are kept.
func (d *Desk) shelf(code string, i int) (source.Kept, error) {
	v := model.Values{"code": code, "source": strconv.Itoa(i), "file": "x"}
	var keys [2]string
	for j, kind := range []string{"SourceFile", "SourceState"} {
		at, err := place(d.objects.prompts, kind, v)
		if err == nil {
			_, keys[j], err = d.objects.split(at)
		}
		if err != nil {
			return source.Kept{}, err
		}
	}
	return source.Kept{Client: d.objects.client, Bucket: d.objects.prompts.Name, Prefix: strings.TrimSuffix(keys[0], "x"), At: keys[1]}, nil
}

// collected puts on record what a collection did.
func (d *Desk) collected(ctx context.Context, code string, r AssemblyReport) error {
	for try := 1; ; try++ {
		k, err := d.kept.Get(ctx, model.Values{"code": code})
		if err != nil {
			return known(err, "assembly %s", code)
		}
		k.Report = &r
		if r.Done {
			k.CollectedAt = r.At
		}
		if err = d.kept.Put(ctx, &k); err == nil || !errors.Is(err, model.ErrStale) || try == 5 {
			return known(err, "assembly %s", code)
		}
	}
}

// takeRecord archives one meeting and makes its task.
func (d *Desk) takeRecord(ctx context.Context, one Declared, m *assembly.Meeting, r *AssemblyReport) error {
	r.Meetings++
	for _, w := range m.Warnings {
		d.o.Log.Debug("a warning in a record", "assembly", one.Code, "meeting", m.ID, "warning", w)
	}
	raw, err := encode(m)
	if err != nil {
		return err
	}
	meeting, err := meetingIn(one.Declaration, m)
	if err != nil {
		return err
	}
	at, err := place(d.objects.prompts, "RawMeeting", model.Values{"issueID": meeting.IssueID})
	if err != nil {
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
	if err := d.objects.writeNew(ctx, at, raw); err != nil {
		return err
	}
	p, err := d.planOrFail(meeting, speechesIn(m), "")
	if err != nil {
		return err
	}
	if err := d.writePayloads(ctx, p); err != nil {
		return err
	}
	var counted CollectReport
	if err := d.putTask(ctx, p, old, &counted); err != nil {
		return err
	}
	for _, problem := range counted.Problems {
		r.problem(d, one.Code, problem.IssueID+": "+problem.What)
	}
	r.New, r.Changed, r.Unchanged, r.Unusable = r.New+counted.New, r.Changed+counted.Changed, r.Unchanged+counted.Unchanged, r.Unusable+counted.Unusable
	return nil
}

// meetingIn is what a task knows of a meeting of an assembly.
func meetingIn(of *assembly.Declaration, m *assembly.Meeting) (Meeting, error) {
	said := *m
	said.Files, said.Warnings = nil, nil // where it was found does not change it
	data, err := encode(said)
	if err != nil {
		return Meeting{}, err
	}
	out := Meeting{
		IssueID: recordID(of.Code, m.ID), Date: m.Date, Speeches: len(m.Speeches()), ImageKind: KindRecord, Issue: plain(m.Number, idMax),
		URL: cut(m.URL, urlMax), Digest: digest(data), Language: cmp.Or(m.Language, of.Languages[0]),
	}
	if len(m.Votes()) > 0 {
		out.ImageKind = KindVotes
	}
	for _, text := range []string{m.Session, m.Term} {
		if n, err := strconv.Atoi(strings.TrimSpace(text)); err == nil && n > 0 && out.Session == 0 {
			out.Session = n
		}
	}
	house, body := of.Named(m.House, m.Body, out.Language)
	out.House, out.Name = plain(cmp.Or(house, of.Name.In(out.Language)), nameMax), plain(body, nameMax)
	return out, nil
}

// The kinds of records of other assemblies than the Diet.
const (
	KindRecord = "record"
	KindVotes  = "votes" // with votes in it
)

// recordID is the id of a meeting of another assembly than the Diet: @code:id. One that
// is too long for a key ends with its sum.
func recordID(code, id string) string {
	whole := "@" + code + ":" + id
	if len(whole) <= idMax {
		return whole
	}
	return cut(whole, idMax-17) + "~" + digest([]byte(id))[:16]
}

// speechesIn are the speeches of a meeting as tasks have them. A record of votes alone
// has one, of order 0, that lists them.
func speechesIn(m *assembly.Meeting) []diet.Speech {
	var out []diet.Speech
	for _, s := range m.Speeches() {
		role := string(s.Role)
		if s.Role == assembly.Member {
			role = ""
		}
		out = append(out, diet.Speech{ID: s.ID, Order: s.Order, Speaker: s.Name, Yomi: s.Reading, Group: s.Party, Position: s.Office, Role: role, Text: s.Text(), URL: s.URL})
	}
	if len(out) > 0 {
		return out
	}
	var lines []string
	for _, part := range m.Parts {
		switch {
		case part.Item != nil:
			lines = append(lines, part.Item.Title)
		case part.Note != nil:
			lines = append(lines, part.Note.Text)
		case part.Vote != nil:
			lines = append(lines, strings.TrimSpace(part.Vote.Title+" "+tally(part.Vote)))
		}
	}
	return []diet.Speech{{Order: 0, Speaker: header, Text: strings.Join(lines, "\n")}}
}

// DueAssemblies returns the codes of those that are to be collected now: those that were
// added, or are in the options' folder, and whose schedule has come since their last
// collection.
func (d *Desk) DueAssemblies(ctx context.Context) ([]string, error) {
	all, err := d.Assemblies(ctx)
	if err != nil {
		return nil, err
	}
	var due []string
	for _, one := range all {
		if one.Kept == nil && one.From == FromBuiltIn {
			continue
		}
		if one.due(d.o.Now()) {
			due = append(due, one.Code)
		}
	}
	return due, nil
}

// due tells whether the schedule of a source has come since the last collection that was
// begun.
func (one Declared) due(now time.Time) bool {
	if one.Kept == nil || one.Kept.Report == nil {
		return true
	}
	last, err := model.ParseTime(one.Kept.Report.At)
	if err != nil {
		return true
	}
	zone, err := time.LoadLocation(one.Zone)
	if err != nil {
		zone = time.UTC
	}
	return slices.ContainsFunc(one.Sources, func(s assembly.SourceOf) bool {
		when, err := cron.ParseStandard(cmp.Or(s.Schedule, "30 4 * * *"))
		return err == nil && !when.Next(last.In(zone)).After(now)
	})
}
