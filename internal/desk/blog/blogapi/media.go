package blogapi

import (
	"bytes"
	"context"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
)

func (s *service) media(a *api.API) {
	api.Get(a, "/blog/media", auth.Author, api.Op{
		ID: "listMedia", Summary: "Images of the library, the newest first",
		Doc: "A page may hold fewer items than asked for and still have a next one.",
	}, s.library)
	api.Get(a, "/blog/media/{id}", auth.Author, api.Op{ID: "getMedia", Summary: "An image of the library"}, s.oneMedia)
	api.Get(a, "/blog/media/{id}/uses", auth.Author, api.Op{ID: "listMediaUses", Summary: "The posts that show an image"}, s.uses)
	api.Post(a, "/blog/media", auth.Author, api.Op{
		ID: "addMedia", Summary: "Take an image into the library",
		Takes: []string{"image/jpeg", "image/png", "image/gif", "image/webp"}, MaxBody: blog.MaxUpload, Fails: []errs.Kind{errs.TooLarge},
		Doc: "It is encoded anew without metadata, in several sizes. What the bytes are decides, not what they are called.",
	}, s.addMedia)
	api.Patch(a, "/blog/media/{id}", auth.Author, api.Op{ID: "editMedia", Summary: "Describe an image"}, s.setAlt)
	api.Delete(a, "/blog/media/{id}", auth.Author, api.Op{ID: "deleteMedia", Summary: "Delete an image that no post shows", Fails: []errs.Kind{errs.Conflict}}, s.deleteMedia)
	api.Post(a, "/blog/uploads", auth.Author, api.Op{
		ID: "beginUpload", Summary: "Prepare an upload that goes to the store itself", Once: true,
		Doc: "Send the file as the answer says, then finish the upload.",
	}, s.beginUpload)
	api.Post(a, "/blog/uploads/{id}", auth.Author, api.Op{ID: "finishUpload", Summary: "Take what was uploaded into the library", Fails: []errs.Kind{errs.Conflict, errs.TooLarge}}, s.finishUpload)
}

type listMedia struct {
	api.Page
	Unused bool `query:"unused" doc:"only what no post shows"`
}

func (s *service) library(ctx context.Context, in *listMedia) (*api.List[blog.Media], error) {
	if in.Unused {
		return list(s.desk.Unused(ctx, options(in.Page)))
	}
	return list(s.desk.Library(ctx, options(in.Page)))
}

func one(m blog.Media, err error) (*blog.Media, error) { return &m, err }

func (s *service) oneMedia(ctx context.Context, in *byID) (*blog.Media, error) {
	return one(s.desk.GetMedia(ctx, in.ID))
}

// Uses are the posts that show an image.
type Uses struct {
	Items []blog.Card `json:"items"`
}

func (s *service) uses(ctx context.Context, in *byID) (*Uses, error) {
	cards, err := s.desk.UsedBy(ctx, in.ID)
	return &Uses{cards}, err
}

type addMedia struct {
	Name string `query:"name" max:"255" doc:"of the file"`
	Alt  string `query:"alt" max:"500" doc:"what it shows"`
	File api.Upload
}

func (s *service) addMedia(ctx context.Context, in *addMedia) (*api.Created[blog.Media], error) {
	m, err := s.desk.AddMedia(ctx, blog.NewMedia{Name: in.Name, Alt: in.Alt, Uploader: uploader(ctx)}, bytes.NewReader(in.File.Data))
	if err != nil {
		return nil, err
	}
	return &api.Created[blog.Media]{Location: "/blog/media/" + m.ID, Body: m}, nil
}

func uploader(ctx context.Context) string {
	if account := auth.From(ctx); account != nil {
		return account.Name
	}
	return ""
}

// MediaInput is what is said of an image.
type MediaInput struct {
	Alt string `json:"alt" max:"500" doc:"what it shows"`
}

func (s *service) setAlt(ctx context.Context, in *struct {
	byID
	Body MediaInput
}) (*blog.Media, error) {
	return one(s.desk.SetAlt(ctx, in.ID, in.Body.Alt))
}

func (s *service) deleteMedia(ctx context.Context, in *byID) (*api.None, error) {
	return &api.None{}, s.desk.DeleteMedia(ctx, in.ID)
}

// UploadInput announces a file.
type UploadInput struct {
	Name string `json:"name" max:"255" doc:"of the file"`
	Alt  string `json:"alt,omitempty" max:"500" doc:"what it shows"`
	Size int64  `json:"size" doc:"its bytes, at most 10 MB"`
}

func (s *service) beginUpload(ctx context.Context, in *struct{ Body UploadInput }) (*api.Created[blog.Upload], error) {
	u, err := s.desk.BeginUpload(ctx, blog.NewMedia{Name: in.Body.Name, Alt: in.Body.Alt, Uploader: uploader(ctx)}, in.Body.Size)
	if err != nil {
		return nil, err
	}
	return &api.Created[blog.Upload]{Location: "/blog/uploads/" + u.ID, Body: u}, nil
}

func (s *service) finishUpload(ctx context.Context, in *byID) (*blog.Media, error) {
	return one(s.desk.FinishUpload(ctx, in.ID))
}
