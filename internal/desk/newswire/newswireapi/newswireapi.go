// Package newswireapi is the newswire's JSON: articles with their summaries for
// everyone, sites, crawls, runs and retries for operators, all under
// /api/v1/newswire, and crawls under /api/v1/crawls.
//
// It promises that what is open to everyone has no more of an article than package
// rights allows, and tells nothing of how a site is crawled or where copies are
// kept; and that a crawl is answered before it is
// done, with the address of its run. Start with [Register]; reader.go, site.go,
// run.go and retry.go are the collections.
package newswireapi

import (
	"context"
	"time"

	"pressroom/internal/api"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/errs"
)

// service is the desk behind its operations.
type service struct {
	desk   *newswire.Desk
	record func(ctx context.Context, what, subject, why string) error
}

// Register puts the newswire's operations on the API. An operator's action is put
// on record before it takes effect, and not done if that fails; record may be nil
// for none.
func Register(a *api.API, desk *newswire.Desk, record func(ctx context.Context, what, subject, why string) error) {
	s := &service{desk, record}
	if record == nil {
		s.record = func(context.Context, string, string, string) error { return nil }
	}
	s.readers(a)
	s.sites(a)
	s.runs(a)
	s.retries(a)
}

type byID struct {
	ID string `path:"id" min:"1" max:"128"`
}

func options(p api.Page) newswire.PageOptions {
	return newswire.PageOptions{Limit: p.Limit, Cursor: p.Cursor}
}

// list shows a page of the desk as it is.
func list[T any](page newswire.Page[T], err error) (*api.List[T], error) {
	if err != nil {
		return nil, err
	}
	return api.ListOf(page.Items, page.Next, func(v T) T { return v }), nil
}

// single refuses filters that no list answers together.
func single(filters ...string) error {
	given := ""
	for i := 0; i < len(filters); i += 2 {
		name, value := filters[i], filters[i+1]
		if value == "" {
			continue
		}
		if given != "" {
			return errs.Validation(errs.Field{Name: name, Message: "cannot be asked for together with " + given})
		}
		given = name
	}
	return nil
}

// timeOf reads a time as the desk keeps it; zero if there is none.
func timeOf(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return t
}
