package blog

import (
	"context"
	"fmt"
	"html/template"

	"pressroom/internal/desk/blog/prose"
	"pressroom/internal/errs"
)

// Profile is who writes here. It is configuration.
type Profile struct {
	Name   string `json:"name"`
	Role   string `json:"role,omitempty"`   // in a few words
	Bio    string `json:"bio,omitempty"`    // Markdown
	Avatar string `json:"avatar,omitempty"` // an address, or "media:" and an id
	Links  []Link `json:"links,omitempty"`
}

// Link is an address with a name.
type Link struct {
	Label string `json:"label"`
	URL   string `json:"url"` // https, http or mailto
}

// check finds mistakes in the configuration before anything is served.
func (p *Profile) check() error {
	var found problems
	found.line("profile.name", p.Name, 0, maxName)
	found.line("profile.role", p.Role, 0, maxName)
	found.text("profile.bio", p.Bio, 0, MaxContent)
	if p.Avatar != "" {
		found.image("profile.avatar", p.Avatar)
	}
	for i, l := range p.Links {
		at := fmt.Sprintf("profile.links[%d].", i)
		found.line(at+"label", l.Label, 1, maxName)
		if !isWebAddress(l.URL) && !isMailAddress(l.URL) {
			found.add(at+"url", "must begin with https://, http:// or mailto:")
		}
	}
	if err := found.err(); err != nil {
		return errs.Wrap(err, errs.Usage, "The profile is not right: %v", err)
	}
	return nil
}

// About is the profile as a page shows it.
type About struct {
	Name   string        `json:"name"`
	Role   string        `json:"role,omitempty"`
	Bio    template.HTML `json:"bio"`              // safe to put into a page
	Text   string        `json:"-"`                // of the bio, without its signs
	Avatar string        `json:"avatar,omitempty"` // an address
	Links  []Link        `json:"links"`
}

// About returns who writes here.
func (p *Public) About() About {
	profile := p.d.opt.Profile
	w := prose.NewWriter(context.Background(), func(ref string) (prose.Picture, bool) {
		url := p.d.ImageURL(ref, thumbnailWidth)
		return prose.Picture{Src: url}, url != ""
	})
	links := profile.Links
	if links == nil {
		links = []Link{}
	}
	return About{
		Name: profile.Name, Role: profile.Role, Text: prose.Plain(profile.Bio), Links: links,
		Bio:    template.HTML(w.Text(profile.Bio)), //nolint:gosec // sanitised
		Avatar: p.d.ImageURL(profile.Avatar, 320),
	}
}
