package minutes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Check looks at every item and result of the desk and reports what is not as it
// must be: an article without its asset, or with other index items than follow
// from it; an index item that no article accounts for; a task whose state does not
// agree with its chunks, its objects or its article; a result of no task. It
// changes nothing, and may run while the desk works: what is under way, or was cut
// short and will be finished, is no finding.
func (d *Desk) Check(ctx context.Context, report func(where, what string)) error {
	articles := map[string]model.Promise{
		"Article": model.PromiseOf(d.checkArticle),
	}
	for _, k := range Kinds {
		articles[d.thins[k].entity()] = d.checkThin(k)
	}
	if err := d.schema.Tables[1].Audit(ctx, d.db, articles, report); err != nil {
		return err
	}
	tasks := map[string]model.Promise{"Task": model.PromiseOf(d.checkTask)}
	if err := d.schema.Tables[0].Audit(ctx, d.db, tasks, report); err != nil {
		return err
	}
	return d.checkResults(ctx, report)
}

// faults is what is wrong with one item.
type faults []string

func (f *faults) add(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

// checkArticle compares an article with its asset and its index items.
func (d *Desk) checkArticle(ctx context.Context, a *Article) ([]string, error) {
	if a.foreign() {
		return nil, nil // its writer knows none of what this desk promises
	}
	var f faults
	if !strings.HasPrefix(a.Date, a.Month) || len(a.Month) != len("2006-01") {
		f.add("its month is %s and its date %s", a.Month, a.Date)
	}
	asset := a.AssetURL
	if key := d.ownAsset(a); key != "" {
		asset = url(d.objects.assets.Name, key)
	}
	if err := d.wantObject(ctx, asset, "asset", &f); err != nil {
		return nil, err
	}
	for _, e := range a.entries() {
		item, err := d.thins[e.Kind].get(ctx, e, a.ID)
		switch {
		case errors.Is(err, model.ErrNotFound):
			f.add("it is not listed under the %s %s", e.Kind, e.Value)
			continue
		case err != nil:
			return nil, err
		}
		if !item.Light.same(a.thin(e).Light) {
			f.add("its item under the %s %s says something else than the article", e.Kind, e.Value)
		}
	}
	return f, nil
}

// same compares what lists show. Items that others wrote, or an earlier version, may
// lack a label and what readers of the table know.
func (l Light) same(o Light) bool {
	for mine, other := range map[*string]*string{&l.Label: &o.Label, &l.ArticleID: &o.ArticleID, &l.AssetURL: &o.AssetURL} {
		if *mine == "" {
			*other = ""
		}
	}
	return l.equal(o)
}

func (l Light) equal(o Light) bool {
	return l.ArticleID == o.ArticleID && l.AssetURL == o.AssetURL && l.ID == o.ID && l.Label == o.Label && l.Title == o.Title && l.Date == o.Date && l.Month == o.Month && l.ImageKind == o.ImageKind &&
		l.Session == o.Session && l.House == o.House && l.Meeting == o.Meeting && l.Description == o.Description && slices.Equal(l.Categories, o.Categories)
}

// checkThin says that an index item is one too many.
func (d *Desk) checkThin(k Kind) model.Promise {
	return func(ctx context.Context, item model.Item) ([]string, error) {
		e, thin, err := d.thins[k].read(item)
		if err != nil {
			return []string{"it cannot be read: " + err.Error()}, nil
		}
		e.Kind = k
		a, err := d.articles.Get(ctx, model.Values{"id": thin.ID})
		if err == nil && a.foreign() || model.Foreign(item.Raw) || thin.Label == "" {
			return nil, nil // another program's, which this desk's own lists do not read
		}
		if errors.Is(err, model.ErrNotFound) {
			return []string{"there is no article " + thin.ID}, nil
		}
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(a.entries(), e.same) {
			return nil, nil
		}
		return []string{fmt.Sprintf("article %s has not the %s %s on %s", a.ID, k, e.Value, e.Date)}, nil
	}
}

func (r *thinRepo[T]) entity() string { return r.of }

func (r *thinRepo[T]) get(ctx context.Context, e entry, id string) (thinItem, error) {
	found, err := r.repo.Get(ctx, r.at(e, id))
	if err != nil {
		return thinItem{}, err
	}
	return any(&found).(interface{ bare() thinItem }).bare(), nil
}

// read tells of an item of the table which entry it is.
func (r *thinRepo[T]) read(item model.Item) (entry, thinItem, error) {
	var t thinItem
	if err := item.As(&t); err != nil {
		return entry{}, t, err
	}
	value, _ := item.Raw[r.name].(*types.AttributeValueMemberS)
	if value == nil {
		return entry{}, t, fmt.Errorf("it has no %s", r.name)
	}
	e := entry{Value: value.Value, Date: t.Date}
	if in, ok := item.Raw["assembly"].(*types.AttributeValueMemberS); ok {
		e.Assembly = in.Value
	}
	return e, t, nil
}

// wantObject notes that an object is missing.
func (d *Desk) wantObject(ctx context.Context, at, what string, f *faults) error {
	there, err := d.objects.exists(ctx, at)
	switch {
	case errors.Is(err, errPlace):
		f.add("its %s is at %q, which is no place of the desk's", what, at)
	case err != nil:
		return err
	case !there:
		f.add("its %s %s is missing", what, at)
	}
	return nil
}

// errPlace is a URL that names no object of the desk.
var errPlace = errors.New("no place of the desk's")

// exists reports whether there is such an object.
func (s *store) exists(ctx context.Context, at string) (bool, error) {
	bucket, key, err := s.split(at)
	if err != nil {
		return false, errors.Join(errPlace, err)
	}
	_, err = s.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &bucket, Key: &key})
	if err = absent(err); errors.Is(err, errNoObject) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for %s: %w", at, err)
	}
	return true, nil
}

// checkTask compares a task's state with its parts.
func (d *Desk) checkTask(ctx context.Context, t *Task) ([]string, error) {
	if t.foreign() {
		return nil, nil
	}
	var f faults
	if t.PK != taskKey(t.Meeting) && t.PK != t.Meeting.IssueID {
		f.add("its key is not that of meeting %s", t.Meeting.IssueID)
	}
	if t.IssueID != "" && t.Meeting.IssueID != "" && t.IssueID != t.Meeting.IssueID {
		f.add("it is of meeting %s, and says %s", t.Meeting.IssueID, t.IssueID)
	}
	if (t.LeaseOwner == "") != (t.LeaseUntil == "") {
		f.add("it has half a lease")
	}
	if t.LeaseOwner != "" && t.Status != Pending {
		f.add("it is %s, and %s works on it", t.Status, t.LeaseOwner)
	}
	if (t.ProcessingMode == Chunked) != (len(t.Chunks) > 0) {
		f.add("it is %s and has %d chunks", t.ProcessingMode, len(t.Chunks))
	}
	f.chunks(t)
	if t.Status == Failed { // perhaps before it had prompts
		if t.LastError == "" {
			f.add("it failed, and nothing says why")
		}
		return f, nil
	}
	if err := d.wantObject(ctx, t.PromptURL, "prompt", &f); err != nil {
		return nil, err
	}
	for _, c := range t.Chunks {
		err := d.wantObject(ctx, c.PromptURL, "prompt of chunk "+c.ID, &f)
		if err == nil && c.Status == Ready {
			err = d.wantObject(ctx, c.ResultURL, "result of chunk "+c.ID, &f)
		}
		if err != nil {
			return nil, err
		}
	}
	err := d.checkEnd(ctx, t, &f)
	return f, err
}

// foreign reports whether another program made the task, by rules of its own. This
// desk's tasks know which record they were made from.
func (t *Task) foreign() bool { return t.Meeting.Digest == "" || !t.Status.Known() }

func (f *faults) chunks(t *Task) {
	seen := map[string]bool{}
	for _, c := range t.Chunks {
		if seen[c.ID] {
			f.add("it has the chunk %s twice", c.ID)
		}
		seen[c.ID] = true
		if c.Status != Ready && c.Status != NotReady {
			f.add("its chunk %s is %q, which is no state", c.ID, c.Status)
		}
		if c.Status != Ready && t.Status == Completed {
			f.add("it is completed, and its chunk %s is not ready", c.ID)
		}
	}
}

// checkEnd looks for what a task that is done, or in review, has led to.
func (d *Desk) checkEnd(ctx context.Context, t *Task, f *faults) error {
	switch t.Status {
	case Review:
		at, err := place(d.objects.prompts, "ReviewDraft", model.Values{"issueID": t.ID()})
		if err != nil {
			return err
		}
		return d.wantObject(ctx, at, "answer to be reviewed", f)
	case Completed:
		if err := d.wantObject(ctx, t.ResultURL, "result", f); err != nil {
			return err
		}
		if t.Awaiting != "" {
			return nil
		}
		_, err := d.articles.Get(ctx, model.Values{"id": t.ID()})
		if errors.Is(err, model.ErrNotFound) {
			f.add("it is completed, and there is no article %s", t.ID())
			return nil
		}
		return err
	}
	return nil
}

// checkResults looks for the task of every result: there is one before there is a
// result, and it stays.
func (d *Desk) checkResults(ctx context.Context, report func(where, what string)) error {
	bucket := d.objects.prompts.Name
	pages := s3.NewListObjectsV2Paginator(d.objects.client, &s3.ListObjectsV2Input{Bucket: &bucket, Prefix: aws.String("results/")})
	last, there := "", false // results of a task come together
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("list results: %w", err)
		}
		for _, o := range page.Contents {
			key := aws.ToString(o.Key)
			issue := issueOf(key)
			if issue == "" {
				report(bucket+" "+key, "it is no name of a result")
				continue
			}
			if issue != last {
				if there, err = d.hasTask(ctx, issue); err != nil {
					return err
				}
				last = issue
			}
			if !there {
				report(bucket+" "+key, "there is no task of meeting "+issue)
			}
		}
	}
	return nil
}

// issueOf returns the meeting whose result an object is; "" if it is none.
func issueOf(key string) string {
	name := strings.TrimPrefix(key, "results/")
	if issue, ok := strings.CutSuffix(name, "_reduce.json"); ok {
		return issue
	}
	name, ok := strings.CutSuffix(name, "_result.json")
	i := strings.LastIndexByte(name, '_')
	if !ok || i < 0 {
		return ""
	}
	return name[:i]
}

func (d *Desk) hasTask(ctx context.Context, issue string) (bool, error) {
	_, err := d.GetTask(ctx, issue)
	if errors.Is(err, errs.NotFound) {
		return false, nil
	}
	return err == nil, err
}
