package lexiconapi

import (
	"context"
	"time"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/errs"
)

func (s *service) translations(a *api.API) {
	api.Post(a, "/lexicon/translations", auth.Everyone, api.Op{
		ID: "translate", Summary: "Translate a text from slang or to slang", Fails: []errs.Kind{errs.RateLimited, errs.Budget, errs.Unavailable},
		Doc: "What fails or changes nothing does not count to the day's limit. The premium tier keeps translations for a year.\n\n" +
			"A few a day can be tried without signing in. They are not kept, and are the lexicon's own unless the operator lets the language model make some.",
		Timeout: 75 * time.Second, Rate: trying,
	}, s.translate)
	api.Get(a, "/lexicon/translations", auth.Reader, api.Op{ID: "listTranslations", Summary: "Your translations, the newest first"}, s.history)
	api.Get(a, "/lexicon/translations/{id}", auth.Reader, api.Op{ID: "getTranslation", Summary: "One of your translations"}, s.translation)
	api.Delete(a, "/lexicon/translations/{id}", auth.Reader, api.Op{ID: "deleteTranslation", Summary: "Remove one of your translations"}, s.deleteTranslation)
	api.Delete(a, "/lexicon/translations", auth.Reader, api.Op{ID: "deleteTranslations", Summary: "Remove all your translations"}, s.deleteTranslations)
	api.Get(a, "/lexicon/models/{model}/translations", auth.Operator, api.Op{
		ID: "listModelTranslations", Summary: "Which translations a model made, the newest first, without their texts", Hidden: true,
	}, s.byModel)
}

// TranslateInput is a text to be translated.
type TranslateInput struct {
	Text      string `json:"text" doc:"how long it may be depends on the tier"`
	Direction string `json:"direction,omitempty" enum:"from_slang,to_slang" doc:"from_slang if it is not there"`
	Language  string `json:"language,omitempty" enum:"en,ja" doc:"of the translation; the text's own if it is not there"`
}

func (s *service) translate(ctx context.Context, in *struct{ Body TranslateInput }) (*lexicon.Translated, error) {
	return asPlayer(ctx, s, func(id string) (lexicon.Translated, error) {
		return s.desk.Translate(ctx, id, lexicon.TranslateRequest(in.Body))
	})
}

func (s *service) history(ctx context.Context, in *struct{ api.Page }) (*api.List[lexicon.Translation], error) {
	p, err := s.member(ctx)
	if err != nil {
		return nil, err
	}
	return list(s.desk.History(ctx, p.UserID, page(in.Page)))
}

func (s *service) translation(ctx context.Context, in *byID) (*lexicon.Translation, error) {
	return asMember(ctx, s, func(id string) (lexicon.Translation, error) { return s.desk.Translation(ctx, id, in.ID) })
}

func (s *service) deleteTranslation(ctx context.Context, in *byID) (*api.None, error) {
	p, err := s.member(ctx)
	if err != nil {
		return nil, err
	}
	return &api.None{}, s.desk.DeleteTranslation(ctx, p.UserID, in.ID)
}

func (s *service) deleteTranslations(ctx context.Context, _ *struct{}) (*api.None, error) {
	p, err := s.member(ctx)
	if err != nil {
		return nil, err
	}
	return &api.None{}, s.desk.DeleteTranslations(ctx, p.UserID)
}

func (s *service) byModel(ctx context.Context, in *struct {
	api.Page
	Model string `path:"model" min:"1" max:"128"`
}) (*api.List[lexicon.ModelRow], error) {
	return list(s.desk.TranslationsByModel(ctx, in.Model, page(in.Page)))
}
