// Package blogapi is the blog's JSON: published posts for everyone, writing for
// authors, messages for operators, all under /api/v1/blog.
//
// It promises that operations open to everyone ask the readers' view of the desk
// alone (blog.Public), which holds nothing unpublished, and that what is for
// authors does not exist for others. Start with [Register].
package blogapi

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
	"pressroom/internal/front"
)

// maxPost is how many bytes a post may have as JSON.
const maxPost = 48 << 20

// service is the desk with its two doors.
type service struct {
	desk   *blog.Desk
	public *blog.Public
	ask    bool // authors ask before they publish
}

// Options adjust the operations. The zero value, and nil, are usable.
type Options struct {
	// Approval says that authors ask an editor to publish.
	Approval bool
}

// Register puts the blog's operations on the API.
func Register(a *api.API, desk *blog.Desk, o *Options) {
	s := &service{desk: desk, public: desk.Public(), ask: o != nil && o.Approval}
	s.readers(a)
	s.authors(a)
	s.media(a)
	s.operators(a)
}

func (s *service) readers(a *api.API) {
	api.Get(a, "/blog/posts", auth.Everyone, api.Op{
		ID: "listPosts", Summary: "Published posts, the last published first",
		Doc: "With a tag, those that have it; with a month, those published in it; with a series, its parts, the first first. One of these at a time.",
	}, s.list)
	api.Get(a, "/blog/posts/{id}", auth.Everyone, api.Op{
		ID: "getPost", Summary: "A published post, ready to be shown",
		Doc: "By its id, or by an address that it has or had. The HTML is sanitised and fits a strict Content-Security-Policy. A post that is not published does not exist here.",
	}, s.get)
	api.Get(a, "/blog/posts/{id}/neighbours", auth.Everyone, api.Op{ID: "getNeighbours", Summary: "The posts published before and after one"}, s.neighbours)
	api.Get(a, "/blog/posts/{id}/part", auth.Everyone, api.Op{ID: "getPart", Summary: "A post's place in its series", Doc: "A post of no series has none."}, s.part)
	api.Get(a, "/blog/posts/{id}/translations", auth.Everyone, api.Op{ID: "getTranslations", Summary: "A post in all its languages", Doc: "The post itself is among them. A post without translations has an empty list."}, s.translations)
	api.Get(a, "/blog/tags", auth.Everyone, api.Op{ID: "listTags", Summary: "Tags of published posts, by name"}, s.tags)
	api.Get(a, "/blog/months", auth.Everyone, api.Op{ID: "listMonths", Summary: "Months with published posts, the last first"}, s.months)
	api.Get(a, "/blog/profile", auth.Everyone, api.Op{ID: "getProfile", Summary: "Who writes here"}, s.profile)
	api.Post(a, "/blog/previews", auth.Everyone, api.Op{
		ID: "openPreview", Summary: "A post behind a preview link, in any state", Once: true,
		Doc: "It is a POST so that neither the token nor the answer is kept on the way.",
	}, s.preview)
	api.Post(a, "/blog/messages", auth.Everyone, api.Op{
		ID: "sendMessage", Summary: "Write to the authors", Fails: []errs.Kind{errs.RateLimited},
		Rate: front.Rate{PerSecond: 1, Burst: 5},
	}, s.send)
}

type listPosts struct {
	api.Page
	Tag   string `query:"tag" max:"50"`
	Month string `query:"month" max:"7" example:"2026-11"`

	Series string `query:"series" max:"100"`
}

func (s *service) list(ctx context.Context, in *listPosts) (*api.List[blog.Card], error) {
	o := options(in.Page)
	switch {
	case in.Tag != "" && in.Month != "":
		return nil, errs.Validation(errs.Field{Name: "month", Message: "cannot be asked for together with a tag"})
	case in.Series != "" && in.Tag+in.Month != "":
		return nil, errs.Validation(errs.Field{Name: "series", Message: "cannot be asked for together with a tag or a month"})
	case in.Series != "":
		return list(s.public.Series(ctx, in.Series, o))
	case in.Tag != "":
		return list(s.public.ByTag(ctx, in.Tag, o))
	case in.Month != "":
		return list(s.public.ByMonth(ctx, in.Month, o))
	}
	return list(s.public.Latest(ctx, o))
}

func options(p api.Page) blog.PageOptions { return blog.PageOptions{Limit: p.Limit, Cursor: p.Cursor} }

func list[T any](page blog.Page[T], err error) (*api.List[T], error) {
	if err != nil {
		return nil, err
	}
	return api.ListOf(page.Items, page.Next, func(v T) T { return v }), nil
}

type byID struct {
	ID string `path:"id" min:"1" max:"128"`
}

// Reading is a post as readers see it.
type Reading struct{ blog.Article }

// Tag is the post's version.
func (r *Reading) Tag() string { return strconv.Itoa(r.Version) }

func (s *service) get(ctx context.Context, in *byID) (*Reading, error) {
	article, err := s.public.At(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &Reading{*article}, nil
}

// Neighbours are the posts beside one, in order of publication.
type Neighbours struct {
	Older *blog.Card `json:"older"`
	Newer *blog.Card `json:"newer"`
}

func (s *service) neighbours(ctx context.Context, in *byID) (*Neighbours, error) {
	older, newer, err := s.public.Neighbours(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &Neighbours{older, newer}, nil
}

func (s *service) part(ctx context.Context, in *byID) (*blog.Part, error) {
	part, err := s.public.Part(ctx, in.ID)
	if err == nil && part == nil {
		err = fmt.Errorf("part of post %s: %w", in.ID, errs.NotFound)
	}
	return part, err
}

// Translations are a post in all its languages.
type Translations struct {
	Items []blog.Translation `json:"items"`
}

func (s *service) translations(ctx context.Context, in *byID) (*Translations, error) {
	all, err := s.public.Translations(ctx, in.ID)
	if all == nil {
		all = []blog.Translation{}
	}
	return &Translations{all}, err
}

func (s *service) tags(ctx context.Context, in *struct{ api.Page }) (*api.List[blog.Count], error) {
	return list(s.public.Tags(ctx, options(in.Page)))
}

func (s *service) months(ctx context.Context, in *struct{ api.Page }) (*api.List[blog.Count], error) {
	return list(s.public.Months(ctx, options(in.Page)))
}

func (s *service) profile(context.Context, *struct{}) (*blog.About, error) {
	about := s.public.About()
	return &about, nil
}

// Preview is a post behind a link that ends.
type Preview struct {
	blog.Article
	Expires time.Time `json:"expires_at"`
}

// PreviewToken is the secret part of a preview link.
type PreviewToken struct {
	Token string `json:"token" max:"400"`
}

func (s *service) preview(ctx context.Context, in *struct{ Body PreviewToken }) (*Preview, error) {
	article, expires, err := s.desk.Preview(ctx, in.Body.Token)
	if err != nil {
		return nil, err
	}
	return &Preview{*article, expires}, nil
}

func (s *service) send(ctx context.Context, in *struct{ Body blog.NewMessage }) (*api.None, error) {
	return &api.None{}, s.public.Send(ctx, visitor(ctx), in.Body)
}

// visitor is what tells visitors apart: their account, or the address that the
// door noted.
func visitor(ctx context.Context) string {
	if account := auth.From(ctx); account != nil {
		return "account " + account.ID
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "/", http.NoBody)
	if err != nil {
		return ""
	}
	return "address " + auth.PeerOf(r).Addr.String()
}
