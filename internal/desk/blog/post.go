package blog

import "time"

// Status is the state of a post.
type Status string

// The states. A post begins as a draft; each state can follow each other one.
const (
	Draft     Status = "draft"     // readers do not see it; editors work on it
	Published Status = "published" // readers see it
	Archived  Status = "archived"  // readers do not see it any more
)

// Kind is what a block holds.
type Kind string

// The kinds of blocks.
const (
	Text  Kind = "text"  // Markdown
	Image Kind = "image" // an address, or "media:" and an id of the library
	Code  Kind = "code"  // shown as it is, highlighted
	Quote Kind = "quote" // Markdown; the caption says whose words
	Video Kind = "video" // an address
)

// Layout is the place of a block in its row.
type Layout string

// The layouts. A left half and a right half after it are two columns.
const (
	Full      Layout = "full"
	HalfLeft  Layout = "half_left"
	HalfRight Layout = "half_right"
)

// Block is a part of a post's body.
type Block struct {
	Type     Kind   `json:"type" dynamodbav:"type" enum:"text,image,code,quote,video"`
	Content  string `json:"content" dynamodbav:"content" doc:"Markdown of text and quotes; code as it is; the address of images and videos, or media: and an id of the library"`
	Layout   Layout `json:"layout,omitempty" dynamodbav:"layout,omitempty" enum:"full,half_left,half_right" doc:"full if it is not there; a half_left and a half_right after it are two columns"`
	Alt      string `json:"alt,omitempty" dynamodbav:"alt,omitempty" max:"500" doc:"what an image shows"`
	Caption  string `json:"caption,omitempty" dynamodbav:"caption,omitempty" max:"500" doc:"of images, videos, code and quotes"`
	Language string `json:"language,omitempty" dynamodbav:"language,omitempty" max:"32" doc:"of code" example:"go"`
}

// Content is what an editor writes of a post.
type Content struct {
	Facts
	Tags   []string `json:"tags,omitzero" doc:"at most 10, each once, of 1 to 50 characters"`
	Blocks []Block  `json:"blocks,omitzero" doc:"at most 5,000; a published post has at least one"`
	// PublishedAt is the date that readers see and lists go by. Zero keeps
	// what is there; the first publication sets it if nobody did. It cannot
	// lie in the future.
	PublishedAt time.Time `json:"published_at,omitzero" doc:"what readers see and lists go by; the moment of publication if it is not there"`
}

// Post is a post as editors see it: in any state, with its body as it was
// written.
type Post struct {
	ID string `json:"id"`
	Content
	Status    Status    `json:"status"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	// Version counts the changes, from 1. An edit names the version that it
	// began with.
	Version int `json:"version"`
}

// Card is a post in a list.
type Card struct {
	ID          string    `json:"id"`
	Title       string    `json:"title"`
	Summary     string    `json:"summary"`
	Thumbnail   string    `json:"thumbnail,omitempty"` // an address that a page can show
	Status      Status    `json:"status"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at,omitzero"`   // not in lists by state or tag
	PublishedAt time.Time `json:"published_at,omitzero"` // not in lists by state or tag
}
