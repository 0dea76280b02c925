package blog

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"time"

	"pressroom/model"
)

// postItem is a post's METADATA.
type postItem struct {
	ID string `dynamodbav:"id"`
	Facts
	Status      Status   `dynamodbav:"status"`
	CreatedAt   string   `dynamodbav:"createdAt"`
	UpdatedAt   string   `dynamodbav:"updatedAt"`
	PublishedAt string   `dynamodbav:"publishedAt"`
	Tags        []string `dynamodbav:"tags"`
	Version     int      `dynamodbav:"version"`
	SaveID      string   `dynamodbav:"saveId"`
	Digest      string   `dynamodbav:"digest"`
	Fence       int      `dynamodbav:"fence"`              // counted up to make saves on their way fail, see uses.go
	Revision    string   `dynamodbav:"revision,omitempty"` // that this is; other programs write none
}

// cardItem is what stands for a post in a list: its STATUS# item, and the most
// of its TAG# items.
type cardItem struct {
	ID          string `dynamodbav:"id"`
	Title       string `dynamodbav:"title"`
	Status      Status `dynamodbav:"status"`
	CreatedAt   string `dynamodbav:"createdAt"`
	Summary     string `dynamodbav:"summary"`
	Thumbnail   string `dynamodbav:"thumbnail"`
	PublishedAt string `dynamodbav:"publishedAt"`
	UpdatedAt   string `dynamodbav:"updatedAt"`
}

type tagItem struct {
	TagName string `dynamodbav:"tagName"`
	cardItem
}

// listedItem is what GSI1 holds of a card.
type listedItem struct {
	ID        string `dynamodbav:"id"`
	Title     string `dynamodbav:"title"`
	Status    Status `dynamodbav:"status"`
	CreatedAt string `dynamodbav:"createdAt"`
	Summary   string `dynamodbav:"summary"`
	Thumbnail string `dynamodbav:"thumbnail"`
}

type blockItem struct {
	ID       string `dynamodbav:"id"`
	Order    int    `dynamodbav:"order"`
	Type     Kind   `dynamodbav:"type"`
	Content  string `dynamodbav:"content"`
	Layout   Layout `dynamodbav:"layout"`
	Alt      string `dynamodbav:"alt"`
	Caption  string `dynamodbav:"caption"`
	Language string `dynamodbav:"language"`
}

func (p *postItem) card() cardItem {
	return cardItem{
		ID: p.ID, Title: p.Title, Status: p.Status, CreatedAt: p.CreatedAt, Summary: p.Summary,
		Thumbnail: p.Thumbnail, PublishedAt: p.PublishedAt, UpdatedAt: p.UpdatedAt,
	}
}

func blockItems(id string, blocks []Block) []blockItem {
	items := make([]blockItem, len(blocks))
	for i, b := range blocks {
		items[i] = blockItem{
			ID: id, Order: i + 1, Type: b.Type, Content: b.Content, Layout: b.Layout,
			Alt: b.Alt, Caption: b.Caption, Language: b.Language,
		}
	}
	return items
}

func (b *blockItem) block() Block {
	return Block{Type: b.Type, Content: b.Content, Layout: b.Layout, Alt: b.Alt, Caption: b.Caption, Language: b.Language}
}

// digest is a hash over a body; two bodies that differ have different ones.
func digest(blocks []Block) string {
	h := sha256.New()
	var buf []byte
	for _, b := range blocks {
		buf = buf[:0]
		for _, text := range []string{string(b.Type), b.Content, string(b.Layout), b.Alt, b.Caption, b.Language} {
			buf = binary.AppendUvarint(buf, uint64(len(text)))
			buf = append(buf, text...)
		}
		h.Write(buf)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// post is the noun behind the items.
func (p *postItem) post(blocks []Block) (Post, error) {
	times, err := parseTimes(p.CreatedAt, p.UpdatedAt, p.PublishedAt)
	if err != nil {
		return Post{}, fmt.Errorf("post %s: %w", p.ID, err)
	}
	tags := p.Tags
	if tags == nil {
		tags = []string{}
	}
	if blocks == nil {
		blocks = []Block{}
	}
	return Post{
		ID: p.ID, Status: p.Status, CreatedAt: times[0], UpdatedAt: times[1], Version: p.Version,
		Content: Content{Facts: p.Facts, Tags: tags, Blocks: blocks, PublishedAt: times[2]},
	}, nil
}

// parseTimes reads stored times; "" is the zero time.
func parseTimes(texts ...string) ([]time.Time, error) {
	times := make([]time.Time, len(texts))
	for i, text := range texts {
		if text == "" {
			continue
		}
		var err error
		if times[i], err = model.ParseTime(text); err != nil {
			return nil, err
		}
	}
	return times, nil
}

// key is the key of items that belong to a post alone.
func key(id string) model.Values { return model.Values{"id": id} }
