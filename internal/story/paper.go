package story

import (
	"context"
	"errors"
	"fmt"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Paper is how the paper as a whole presents itself. What is empty is as the program has
// it.
type Paper struct {
	Name string `dynamodbav:"name"`
	// Descriptions say by language, in one or two sentences, what the paper is.
	Descriptions map[string]string `dynamodbav:"descriptions"`
	// Languages are those that pages are shown in, the default first; empty for all.
	Languages []string `dynamodbav:"languages"`
	Zone      string   `dynamodbav:"zone"`   // such as Asia/Tokyo
	Accent    string   `dynamodbav:"accent"` // #rrggbb
	Logo      Logo     `dynamodbav:"logo"`
	// Settled says that the steps of the first run were put away.
	Settled bool `dynamodbav:"settled"`
	// Version counts the changes, from 1; 0 if nothing was ever set.
	Version int `dynamodbav:"version"`
}

// Logo is a picture that stands for the paper; zero for none.
type Logo struct {
	Digest string `dynamodbav:"digest,omitempty"` // of its bytes, part of its address
	Type   string `dynamodbav:"type,omitempty"`
	Width  int    `dynamodbav:"width,omitempty"`
	Height int    `dynamodbav:"height,omitempty"`
}

// MaxLogo is how many bytes a logo has at most.
const MaxLogo = 200 << 10

// emblem is the bytes of the logo.
type emblem struct {
	Of     string `dynamodbav:"of"`
	Digest string `dynamodbav:"digest"`
	Data   []byte `dynamodbav:"data"`
}

// paperItem is a Paper with its key. There is one.
type paperItem struct {
	Paper
	Of string `dynamodbav:"of"`
}

var paperKey = model.Values{"of": "paper"}

// Paper returns how the paper presents itself now; the zero Paper if nothing was set.
func (s *Stories) Paper(ctx context.Context) (Paper, error) {
	p, err := s.papers.Get(ctx, paperKey)
	if errors.Is(err, model.ErrNotFound) {
		return Paper{}, nil
	}
	if err != nil {
		return Paper{}, fmt.Errorf("read the paper's settings: %w", err)
	}
	return p.Paper, nil
}

// SetPaper replaces the version that p was made of. If another one is there by now,
// the answer is errs.Stale. A logo that is not nil becomes p's, in the same write.
func (s *Stories) SetPaper(ctx context.Context, p *Paper, logo []byte) error {
	item := paperItem{*p, "paper"}
	pieces := []model.Piece{s.papers.PutPiece(&item).Means(errs.Stale)}
	if logo != nil {
		if len(logo) > MaxLogo {
			return errs.New(errs.TooLarge, "the logo has %d bytes, more than %d", len(logo), MaxLogo)
		}
		pieces = append(pieces, s.emblems.PutPiece(&emblem{"paper", p.Logo.Digest, logo}))
	}
	if err := model.Transact(ctx, s.db, pieces...); err != nil {
		return fmt.Errorf("set the paper's settings: %w", err)
	}
	p.Version++
	return nil
}

// LogoData returns the bytes of the paper's logo, or errs.NotFound if it has another
// one, or none.
func (s *Stories) LogoData(ctx context.Context, digest string) ([]byte, error) {
	e, err := s.emblems.Get(ctx, paperKey)
	if errors.Is(err, model.ErrNotFound) || err == nil && e.Digest != digest {
		err = errs.NotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read the logo %s: %w", digest, err)
	}
	return e.Data, nil
}
