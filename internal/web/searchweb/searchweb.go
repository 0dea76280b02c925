// Package searchweb is search in the browser: results over all desks under
// /search, and suggestions while one types.
//
// It promises that a reader is shown only what everyone may see at this moment:
// search itself asks the desk about each hit, and the desk tells what the hit is,
// with its date and its source. Every page works without JavaScript, and every
// search is a feed.
//
// Start with [Register]; query.go is how a search is addressed.
package searchweb

import (
	"context"
	"embed"
	"net/http"

	"pressroom/internal/auth"
	"pressroom/internal/front"
	"pressroom/internal/search"
	"pressroom/internal/story"
	"pressroom/internal/web"
)

//go:embed *.html locales static
var files embed.FS

// pages are the handlers.
type pages struct {
	site    *web.Site
	views   *web.Templates
	service *search.Service
}

// path is where the paper is searched.
const path = "/search"

// What one address may ask for: whoever types is asked for often, a page seldom.
var (
	searching = front.Rate{PerSecond: 5, Burst: 40}
	typing    = front.Rate{PerSecond: 20, Burst: 60}
)

// Register puts search on the site: in the masthead of every page and under its
// paths. Its errors are mistakes in the embedded files.
func Register(site *web.Site, service *search.Service) error {
	views, err := site.Templates(files)
	if err != nil {
		return err
	}
	p := &pages{site, views, service}
	site.Search(web.Search{Path: path, Suggest: path + "/suggest"})
	site.Finds(func(ctx context.Context, text string, most int) ([]story.Story, error) {
		found, err := service.Search(ctx, search.Query{Text: text, Limit: most})
		if err != nil {
			return nil, err
		}
		stories := make([]story.Story, len(found.Hits))
		for i, hit := range found.Hits {
			stories[i] = hit.Story
		}
		return stories, nil
	})
	get := func(pattern string, rate front.Rate, h web.Handler) {
		site.Route(front.Route{Pattern: http.MethodGet + " " + pattern, Access: auth.Everyone, Rate: rate}, h)
	}
	get(path, searching, p.show)
	get(path+"/feed.atom", searching, p.follow)
	get(path+"/feed.json", searching, p.follow)
	get(path+"/suggest", typing, p.suggest)
	return nil
}
