package blogapi

import (
	"context"
	"strconv"
	"time"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
)

func (s *service) authors(a *api.API) {
	api.Get(a, "/blog/sources", auth.Author, api.Op{
		ID: "listSources", Summary: "Posts of all states, the last changed first", Hidden: true,
		Doc: "With a status or a tag, those posts, the last created first. Not both.",
	}, s.sources)
	api.Get(a, "/blog/sources/{id}", auth.Author, api.Op{ID: "getSource", Summary: "A post as it is written, in any state", Hidden: true}, s.source)
	api.Post(a, "/blog/posts", auth.Author, api.Op{ID: "createPost", Summary: "Write a post; it begins as a draft", MaxBody: maxPost}, s.create)
	api.Put(a, "/blog/posts/{id}", auth.Author, api.Op{
		ID: "savePost", Summary: "Replace what a post holds", MaxBody: maxPost,
		Doc: "All of it or nothing. If-Match names the version that the editor began with; if someone else saved since, nothing happens.",
	}, s.save)
	api.Put(a, "/blog/posts/{id}/status", auth.Author, api.Op{ID: "setPostStatus", Summary: "Publish, unpublish or archive a post"}, s.setStatus)
	api.Delete(a, "/blog/posts/{id}", auth.Author, api.Op{ID: "deletePost", Summary: "Delete a post"}, s.remove)
	api.Post(a, "/blog/posts/{id}/copies", auth.Author, api.Op{ID: "copyPost", Summary: "Make a draft with the same content"}, s.duplicate)
	api.Post(a, "/blog/posts/{id}/previews", auth.Author, api.Op{ID: "createPreview", Summary: "Make a preview link", Once: true}, s.makePreview)
	api.Post(a, "/blog/bulk", auth.Author, api.Op{ID: "bulkPosts", Summary: "Do the same to many posts"}, s.bulk)
	api.Post(a, "/blog/renderings", auth.Author, api.Op{ID: "renderPost", Summary: "Show content that is not saved", MaxBody: maxPost, AtOnce: blog.RenderingsAtOnce}, s.render)

	api.Get(a, "/blog/sources/{id}/revisions", auth.Author, api.Op{ID: "listRevisions", Summary: "What a post was, the last saved first", Hidden: true}, s.revisions)
	api.Get(a, "/blog/sources/{id}/revisions/{revision}", auth.Author, api.Op{
		ID: "getRevision", Summary: "A revision, and what changed with it", Hidden: true,
		Doc: "The difference leads from the revision before to this one; with=now, from this one to the post.",
	}, s.revision)
	api.Post(a, "/blog/posts/{id}/restorations", auth.Author, api.Op{
		ID: "restorePost", Summary: "Bring back what a post was", Doc: "The state and the date of publication stay. It is a revision in turn.",
	}, s.restore)
	api.Get(a, "/blog/sources/{id}/plan", auth.Author, api.Op{ID: "getPlan", Summary: "When a post is published and archived", Hidden: true}, s.plan)
	api.Put(a, "/blog/posts/{id}/plan", auth.Author, api.Op{
		ID: "setPlan", Summary: "Plan the publication or withdrawal of a post",
		Doc: "It is carried out by the server's clock, never early. Without times, nothing is planned any more.",
	}, s.setPlan)
	api.Put(a, "/blog/posts/{id}/proposal", auth.Author, api.Op{ID: "proposePost", Summary: "Ask an editor to publish a post"}, s.propose)
	api.Delete(a, "/blog/posts/{id}/proposal", auth.Author, api.Op{ID: "takeBackProposal", Summary: "No longer ask for it"}, s.takeBack)
	api.Get(a, "/blog/sources/{id}/comments", auth.Author, api.Op{ID: "listComments", Summary: "What was said of a post, the first first", Hidden: true}, s.comments)
	api.Post(a, "/blog/posts/{id}/comments", auth.Author, api.Op{ID: "addComment", Summary: "Say something of a post, or of one of its blocks"}, s.addComment)
	api.Put(a, "/blog/posts/{id}/comments/{comment}/done", auth.Author, api.Op{ID: "settleComment", Summary: "Note that a comment is settled"}, s.settleComment)

	api.Get(a, "/blog/autosaves/{id}", auth.Author, api.Op{ID: "getAutosave", Summary: "Your unsaved work on a post", Doc: `The id "new" is of a post that does not exist yet.`, Hidden: true}, s.autosave)
	api.Put(a, "/blog/autosaves/{id}", auth.Author, api.Op{ID: "putAutosave", Summary: "Keep your unsaved work on a post", MaxBody: maxPost}, s.putAutosave)
	api.Delete(a, "/blog/autosaves/{id}", auth.Author, api.Op{ID: "dropAutosave", Summary: "Forget your unsaved work on a post"}, s.dropAutosave)
}

// Source is a post as it is written.
type Source struct {
	blog.Post
	Undescribed []string `json:"undescribed,omitempty" doc:"the fields in which a picture is to be described for readers who cannot see it"`
}

// Tag is the post's version.
func (s *Source) Tag() string { return strconv.Itoa(s.Version) }

func newSource(p blog.Post) *Source { return &Source{p, p.Undescribed()} }

func source(p blog.Post, err error) (*Source, error) {
	if err != nil {
		return nil, err
	}
	return newSource(p), nil
}

type listSources struct {
	api.Page
	Status string `query:"status" enum:"draft,published,archived"`
	Tag    string `query:"tag" max:"50"`
}

func (s *service) sources(ctx context.Context, in *listSources) (*api.List[blog.Card], error) {
	o := options(in.Page)
	switch {
	case in.Status != "" && in.Tag != "":
		return nil, errs.Validation(errs.Field{Name: "tag", Message: "cannot be asked for together with a status"})
	case in.Status != "":
		return list(s.desk.ListByStatus(ctx, blog.Status(in.Status), o))
	case in.Tag != "":
		return list(s.desk.ListByTag(ctx, in.Tag, o))
	}
	return list(s.desk.List(ctx, o))
}

func (s *service) source(ctx context.Context, in *byID) (*Source, error) {
	return source(s.desk.Get(ctx, in.ID))
}

func (s *service) create(ctx context.Context, in *struct{ Body blog.Content }) (*api.Created[Source], error) {
	c := in.Body
	if account := auth.From(ctx); account != nil && c.Author == "" {
		c.Author = account.Name
	}
	return created(s.desk.Create(ctx, c))
}

func created(p blog.Post, err error) (*api.Created[Source], error) {
	if err != nil {
		return nil, err
	}
	return &api.Created[Source]{Location: "/blog/sources/" + p.ID, Body: *newSource(p)}, nil
}

// edit is the input of what changes a post: which, and the version that the
// editor saw.
type edit struct {
	api.Edit
	ID string `path:"id" min:"1" max:"128"`
}

// version returns the version to change, if it is the one that the editor saw.
// The desk asks again in the moment of the change.
func (s *service) version(ctx context.Context, e *edit) (int, error) {
	version, err := s.desk.Version(ctx, e.ID)
	if err != nil {
		return 0, err
	}
	return version, e.Match(strconv.Itoa(version))
}

func (s *service) save(ctx context.Context, in *struct {
	edit
	Body blog.Content
}) (*Source, error) {
	version, err := s.version(ctx, &in.edit)
	if err != nil {
		return nil, err
	}
	return source(s.desk.Save(ctx, in.ID, version, in.Body))
}

// StatusInput is the state that a post shall have.
type StatusInput struct {
	Status blog.Status `json:"status" enum:"draft,published,archived"`
}

func (s *service) setStatus(ctx context.Context, in *struct {
	edit
	Body StatusInput
}) (*Source, error) {
	version, err := s.version(ctx, &in.edit)
	if err == nil && in.Body.Status == blog.Published {
		err = s.mayPublish(ctx)
	}
	if err != nil {
		return nil, err
	}
	return source(s.desk.SetStatus(ctx, in.ID, version, in.Body.Status))
}

func (s *service) remove(ctx context.Context, in *struct{ edit }) (*api.None, error) {
	version, err := s.version(ctx, &in.edit)
	if err != nil {
		return nil, err
	}
	return &api.None{}, s.desk.Delete(ctx, in.ID, version)
}

func (s *service) duplicate(ctx context.Context, in *byID) (*api.Created[Source], error) {
	return created(s.desk.Duplicate(ctx, in.ID))
}

// PreviewInput says how long a preview link shall work.
type PreviewInput struct {
	Hours int `json:"hours,omitempty" min:"1" max:"720" doc:"168, a week, if it is not there"`
}

// PreviewLink is a link that shows a post to whoever has it, until it ends.
type PreviewLink struct {
	Token   string    `json:"token" doc:"for POST /blog/previews"`
	Expires time.Time `json:"expires_at"`
}

func (s *service) makePreview(ctx context.Context, in *struct {
	byID
	Body PreviewInput
}) (*api.Created[PreviewLink], error) {
	token, expires, err := s.desk.PreviewToken(ctx, in.ID, time.Duration(in.Body.Hours)*time.Hour)
	if err != nil {
		return nil, err
	}
	return &api.Created[PreviewLink]{Location: "/blog/previews", Body: PreviewLink{token, expires}}, nil
}

// BulkInput is the same for many posts.
type BulkInput struct {
	Action blog.Action `json:"action" enum:"publish,unpublish,archive,delete"`
	IDs    []string    `json:"ids" min:"1" max:"100"`
}

// BulkResult is what became of one of them.
type BulkResult struct {
	ID      string       `json:"id"`
	Done    bool         `json:"done"`
	Code    string       `json:"code,omitempty" doc:"of the problem, if it was not done"`
	Message string       `json:"message,omitempty"`
	Fields  []errs.Field `json:"errors,omitempty"`
}

// BulkResults are what became of all, in the order asked.
type BulkResults struct {
	Items []BulkResult `json:"items"`
}

func (s *service) bulk(ctx context.Context, in *struct{ Body BulkInput }) (*BulkResults, error) {
	if in.Body.Action == blog.DoPublish {
		if err := s.mayPublish(ctx); err != nil {
			return nil, err
		}
	}
	results, err := s.desk.Bulk(ctx, in.Body.Action, in.Body.IDs)
	if err != nil {
		return nil, err
	}
	shown := &BulkResults{Items: make([]BulkResult, len(results))}
	for i, r := range results {
		shown.Items[i] = BulkResult{ID: r.ID, Done: r.Err == nil}
		if r.Err != nil {
			shown.Items[i].Code, shown.Items[i].Message, shown.Items[i].Fields = errs.KindOf(r.Err).Code(), errs.Message(r.Err), errs.Fields(r.Err)
		}
	}
	return shown, nil
}

func (s *service) render(ctx context.Context, in *struct{ Body blog.Content }) (*blog.Article, error) {
	return s.desk.Render(ctx, in.Body)
}

// unsavedID is the id under which unsaved work on a new post is kept.
const unsavedID = "new"

func (i *byID) postID() string {
	if i.ID == unsavedID {
		return ""
	}
	return i.ID
}

func editor(ctx context.Context) (string, error) {
	account := auth.From(ctx)
	if account == nil {
		return "", errs.Unauthenticated
	}
	return account.ID, nil
}

func (s *service) autosave(ctx context.Context, in *byID) (*blog.Autosave, error) {
	who, err := editor(ctx)
	if err != nil {
		return nil, err
	}
	kept, err := s.desk.GetAutosave(ctx, in.postID(), who)
	return &kept, err
}

// AutosaveInput is unsaved work.
type AutosaveInput struct {
	Version int          `json:"version,omitempty" doc:"of the post that the editor began with"`
	Content blog.Content `json:"content" doc:"it may be incomplete; title and summary may be empty"`
}

func (s *service) putAutosave(ctx context.Context, in *struct {
	byID
	Body AutosaveInput
}) (*blog.Autosave, error) {
	who, err := editor(ctx)
	if err != nil {
		return nil, err
	}
	kept, err := s.desk.PutAutosave(ctx, blog.Autosave{PostID: in.postID(), Editor: who, Version: in.Body.Version, Content: in.Body.Content})
	return &kept, err
}

func (s *service) dropAutosave(ctx context.Context, in *byID) (*api.None, error) {
	who, err := editor(ctx)
	if err != nil {
		return nil, err
	}
	return &api.None{}, s.desk.DropAutosave(ctx, in.postID(), who)
}
