package api

import (
	"context"
	"slices"

	"pressroom/internal/auth"
)

// index is what one sees who types the address: where things are.
func (a *API) index() {
	Get(a, "", auth.Everyone, Op{ID: "index", Summary: "What is here", Tags: []string{"api"}, Scope: "api"},
		func(context.Context, *struct{}) (*Index, error) {
			return &Index{Version: a.o.Version, Specification: specPath, Documentation: docsPath, Collections: a.collections()}, nil
		})
}

// Index is the answer of /api/v1 itself.
type Index struct {
	Version       string   `json:"version" doc:"of the program"`
	Specification string   `json:"specification" doc:"where the OpenAPI document is"`
	Documentation string   `json:"documentation" doc:"where a person reads about it"`
	Collections   []string `json:"collections" doc:"the paths of all that can be listed or read without an id"`
}

// collections returns the paths that can be read as they are.
func (a *API) collections() []string {
	var paths []string
	for _, o := range a.ops {
		if o.method == "GET" && o.ID != "index" && len(placeholders(o.path)) == 0 {
			paths = append(paths, o.path)
		}
	}
	slices.Sort(paths)
	return paths
}
