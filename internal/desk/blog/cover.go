package blog

import (
	"fmt"
	"strings"

	"pressroom/internal/story"
)

// Cover is the picture of a post as its page shows it.
type Cover struct {
	Src    string `json:"src"`
	SrcSet string `json:"srcset,omitempty" doc:"the sizes that there are"`
	Width  int    `json:"width,omitempty" doc:"of the full size, if it is known"`
	Height int    `json:"height,omitempty"`
	Alt    string `json:"alt,omitempty" doc:"what it shows"`
	Focus  string `json:"focus,omitempty" doc:"the point that stays in sight where it is cut: percent from the left and from the top" example:"30 70"`

	Repeated bool `json:"repeated,omitempty" doc:"the body shows it as well"`
}

// coverWidth is how wide the cover is for browsers that do not choose a size.
const coverWidth = 960

// cover returns the cover of a post, nil if it has none that can be shown.
func (p pictures) cover(post *Post) *Cover {
	found, ok := p.find(post.Thumbnail)
	if !ok {
		return nil
	}
	c := &Cover{
		Src: p.desk.ImageURL(post.Thumbnail, coverWidth), SrcSet: found.SrcSet, Width: found.Width, Height: found.Height,
		Alt: post.ThumbnailAlt, Focus: post.ThumbnailFocus,
	}
	id, ours := mediaRef(post.Thumbnail)
	body := stored{blocks: post.Blocks}
	c.Repeated = ours && body.refs()[id] != ""
	for i := range post.Blocks {
		c.Repeated = c.Repeated || post.Blocks[i].Type == Image && post.Blocks[i].Content == post.Thumbnail
	}
	return c
}

// cardWidths are the sizes that a card chooses from. A picture that is not as wide
// answers with its full size.
var cardWidths = []int{320, thumbnailWidth, 960}

// cardPicture is the cover as lists of the whole paper show it.
func (d *Desk) cardPicture(p *Post) story.Picture {
	shown := story.Picture{Path: d.ImageURL(p.Thumbnail, thumbnailWidth)}
	if shown.Path == "" {
		return shown
	}
	shown.Text, shown.Focus = p.ThumbnailAlt, p.ThumbnailFocus
	if id, ours := mediaRef(p.Thumbnail); ours {
		set := make([]string, len(cardWidths))
		for i, w := range cardWidths {
			set[i] = fmt.Sprintf("%s %dw", d.mediaURL(id, fmt.Sprint("w", w)), w)
		}
		shown.Set = strings.Join(set, ", ")
	}
	return shown
}

// Undescribed names the fields of pictures that lack a description for readers who
// cannot see them: "thumbnail_alt", "blocks[3].alt". They keep nothing from being
// published.
func (c Content) Undescribed() []string {
	var fields []string
	if strings.TrimSpace(c.Thumbnail) != "" && strings.TrimSpace(c.ThumbnailAlt) == "" {
		fields = append(fields, "thumbnail_alt")
	}
	for i := range c.Blocks {
		if c.Blocks[i].Type == Image && strings.TrimSpace(c.Blocks[i].Alt) == "" {
			fields = append(fields, fmt.Sprintf("blocks[%d].alt", i))
		}
	}
	return fields
}
