package blog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Proposal is a post that its author wants published. It ends when the post is
// published, or sent back.
type Proposal struct {
	ID   string    `json:"id"`
	At   time.Time `json:"at"`
	By   string    `json:"by,omitempty"`
	Note string    `json:"note,omitempty" doc:"what the author says to the editor"`
}

type proposalItem struct {
	ID   string `dynamodbav:"id"`
	At   string `dynamodbav:"at"`
	By   string `dynamodbav:"by,omitempty"`
	Note string `dynamodbav:"note,omitempty"`
}

// Propose asks for a post to be published. A post that is published is errs.Conflict,
// one without blocks an errs.Validation.
func (d *Desk) Propose(ctx context.Context, id, note string) error {
	post, err := d.Get(ctx, id)
	if err != nil {
		return err
	}
	note = strings.TrimSpace(normalText(note))
	var p problems
	p.text("note", note, 0, maxComment)
	if len(post.Blocks) == 0 {
		p.add(needsBlock.Name, "%s", needsBlock.Message)
	}
	if err := p.err(); err != nil {
		return err
	}
	if post.Status == Published {
		return errs.New(errs.Conflict, "The post is published already.")
	}
	item := proposalItem{ID: id, At: d.stamp(), By: d.opt.Who(ctx), Note: note}
	return d.beside(ctx, id, d.proposals.PutPiece(&item))
}

// beside writes something that belongs to a post which is there.
func (d *Desk) beside(ctx context.Context, id string, piece model.Piece) error {
	err := model.Transact(ctx, d.db, piece, d.posts.CheckPiece(key(id)))
	var refused *model.TransactionError
	if errors.As(err, &refused) && slices.Contains(refused.Pieces, 1) {
		return noPost(id)
	}
	return err
}

// Proposed returns the proposal of a post, and false if there is none.
func (d *Desk) Proposed(ctx context.Context, id string) (Proposal, bool, error) {
	if !plausible(id) {
		return Proposal{}, false, noPost(id)
	}
	item, err := d.proposals.Get(ctx, key(id))
	if errors.Is(err, model.ErrNotFound) {
		return Proposal{}, false, nil
	}
	return item.noun(), err == nil, err
}

func (i *proposalItem) noun() Proposal {
	at, _ := model.ParseTime(i.At)
	return Proposal{ID: i.ID, At: at, By: i.By, Note: i.Note}
}

// Proposals returns up to limit proposals, the oldest first.
func (d *Desk) Proposals(ctx context.Context, limit int) ([]Proposal, error) {
	var all []Proposal
	for i, err := range d.views.proposals.All(ctx, nil, model.Window{}) {
		if err != nil {
			return nil, fmt.Errorf("proposals: %w", err)
		}
		if all = append(all, i.noun()); len(all) == limit {
			break
		}
	}
	return all, nil
}

// Decline ends a proposal: the author takes it back, or an editor sends it back. What
// the editor says becomes a comment.
func (d *Desk) Decline(ctx context.Context, id, why string) error {
	if strings.TrimSpace(why) != "" {
		if _, err := d.AddComment(ctx, id, 0, why); err != nil {
			return err
		}
	}
	return d.proposals.Delete(ctx, key(id))
}

// Comment is what somebody says of a post, or of one of its blocks.
type Comment struct {
	ID   string    `json:"id"`
	At   time.Time `json:"at"`
	By   string    `json:"by,omitempty"`
	Text string    `json:"text"`
	// Block is the number of the block, as the post is now.
	Block int    `json:"block,omitempty" doc:"missing if it is about the post, or if the block has changed since"`
	About string `json:"about,omitempty" doc:"how the block began"`
	Done  string `json:"done,omitempty" doc:"who settled it"`
}

// commentItem holds on to the block by what it says: numbers change.
type commentItem struct {
	ID      string `dynamodbav:"id"`
	Comment string `dynamodbav:"comment"`
	At      string `dynamodbav:"at"`
	By      string `dynamodbav:"by,omitempty"`
	Text    string `dynamodbav:"text"`
	Block   string `dynamodbav:"block,omitempty"`
	About   string `dynamodbav:"about,omitempty"`
	Done    string `dynamodbav:"done,omitempty"`
}

func blockMark(b *Block) string {
	sum := sha256.Sum256([]byte(string(b.Type) + "\x00" + b.Content))
	return hex.EncodeToString(sum[:8])
}

// AddComment says something of a post, or of its block with a number, from 1. A block
// that is not there is an errs.Validation.
func (d *Desk) AddComment(ctx context.Context, id string, block int, text string) (Comment, error) {
	post, err := d.Get(ctx, id)
	if err != nil {
		return Comment{}, err
	}
	text = strings.TrimSpace(normalText(text))
	var p problems
	p.text("text", text, 1, maxComment)
	if block < 0 || block > len(post.Blocks) {
		p.add("block", "is not there")
	}
	if err := p.err(); err != nil {
		return Comment{}, err
	}
	item := commentItem{ID: id, Comment: d.ids.New(), At: d.stamp(), By: d.opt.Who(ctx), Text: text}
	if block > 0 {
		b := &post.Blocks[block-1]
		item.Block, item.About = blockMark(b), beginning(b.Content)
	}
	if err := d.beside(ctx, id, d.comments.CreatePiece(&item)); err != nil {
		return Comment{}, err
	}
	return item.noun(post.Blocks), nil
}

// beginning is how a block begins.
func beginning(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= maxAbout {
		return text
	}
	return string([]rune(text)[:maxAbout-1]) + "…"
}

func (i *commentItem) noun(blocks []Block) Comment {
	at, _ := model.ParseTime(i.At)
	c := Comment{ID: i.Comment, At: at, By: i.By, Text: i.Text, About: i.About, Done: i.Done}
	if i.Block != "" {
		c.Block = 1 + slices.IndexFunc(blocks, func(b Block) bool { return blockMark(&b) == i.Block })
	}
	return c
}

// Comments lists what was said of a post, the first first.
func (d *Desk) Comments(ctx context.Context, id string, o PageOptions) (Page[Comment], error) {
	found := Page[Comment]{Items: []Comment{}}
	post, err := d.Get(ctx, id)
	if err != nil {
		return found, err
	}
	page, err := d.views.comments.Page(ctx, key(id), o.page())
	if err != nil {
		return found, listError(err)
	}
	found.Next = page.Next
	for i := range page.Items {
		found.Items = append(found.Items, page.Items[i].noun(post.Blocks))
	}
	return found, nil
}

// SettleComment notes that what was said is done.
func (d *Desk) SettleComment(ctx context.Context, id, comment string) error {
	by := d.opt.Who(ctx)
	if by == "" {
		by = "-"
	}
	_, err := d.comments.Update(ctx, model.Values{"id": id, "comment": comment}, expression.Set(expression.Name("done"), expression.Value(by)))
	if errors.Is(err, model.ErrNotFound) {
		return errs.New(errs.NotFound, "There is no such comment.")
	}
	return err
}
