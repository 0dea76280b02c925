package blog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"golang.org/x/text/unicode/norm"

	"pressroom/internal/errs"
	"pressroom/model"
)

// addressItem says whose a readable address is, or was: it stays when the post gets
// another one or is deleted, so that no other post ever has it.
type addressItem struct {
	Slug string `dynamodbav:"slug"`
	ID   string `dynamodbav:"id"`
	At   string `dynamodbav:"at"`
}

// Slug makes the end of a readable address from a title, in whatever script; "" if the
// title has neither letters nor digits.
func Slug(title string) string {
	var b strings.Builder
	n := 0
	gap := false
	for _, r := range strings.ToLower(norm.NFKC.String(title)) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == 'ー':
			if gap && n > 0 {
				b.WriteByte('-')
				n++
			}
			if n >= maxSlug-20 { // room for a number
				return norm.NFC.String(b.String())
			}
			b.WriteRune(r)
			n++
			gap = false
		case r == '\'' || r == '’':
		default:
			gap = true
		}
	}
	return norm.NFC.String(b.String())
}

// slug wants letters, digits and single hyphens between them, and nothing that could be
// an id.
func (p *problems) slug(name, s string, most int) {
	_, idErr := model.IDTime(strings.ToUpper(s))
	switch {
	case s == "":
	case utf8.RuneCountInString(s) > most:
		p.add(name, "has %d characters; at most %d are allowed", utf8.RuneCountInString(s), most)
	case !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '-'
	}):
		p.add(name, "may have letters, digits and hyphens")
	case strings.HasPrefix(s, "-"), strings.HasSuffix(s, "-"), strings.Contains(s, "--"):
		p.add(name, "must have single hyphens, between words")
	case idErr == nil:
		p.add(name, "looks like an id")
	}
}

var errTaken = errs.Validation(errs.Field{Name: "slug", Message: "is or was the address of another post"})

// readable gives a post that is to be published an address, if it has none, and reports
// whether it did.
func (d *Desk) readable(ctx context.Context, next *stored) (bool, error) {
	if next == nil || next.item.Slug != "" || next.item.Status != Published {
		return false, nil
	}
	first := Slug(next.item.Title)
	var p problems
	if p.slug("slug", first, maxSlug); first == "" || len(p) > 0 {
		return false, nil // its id is its address
	}
	const tries = 20
	slug := first
	for n := 2; ; n++ {
		free, err := d.isFree(ctx, slug, next.item.ID)
		if err != nil {
			return false, err
		}
		if free {
			next.item.Slug = slug
			return true, nil
		}
		if slug = fmt.Sprintf("%s-%d", first, n); n > tries {
			slug = first + "-" + strings.ToLower(d.ids.New()[18:])
		}
	}
}

func (d *Desk) isFree(ctx context.Context, slug, id string) (bool, error) {
	a, err := d.addresses.Get(ctx, model.Values{"slug": slug})
	if errors.Is(err, model.ErrNotFound) {
		return true, nil
	}
	return err == nil && a.ID == id, err
}

// claimAddress gives the post its address, unless another one has or had it.
func (d *Desk) claimAddress(s *stored) guarded {
	mine := expression.AttributeNotExists(expression.Name("id")).Or(expression.Name("id").Equal(expression.Value(s.item.ID)))
	return guarded{d.addresses.PutPiece(&addressItem{s.item.Slug, s.item.ID, s.item.UpdatedAt}, mine), errTaken}
}

// At returns the published post behind an address: its id, its readable address, or one
// that it once had. What is none of these is errs.NotFound.
func (p *Public) At(ctx context.Context, address string) (*Article, error) {
	a, err := p.Post(ctx, address)
	if !errors.Is(err, errs.NotFound) {
		return a, err
	}
	slug := strings.ToLower(norm.NFC.String(address))
	if slug == "" || utf8.RuneCountInString(slug) > maxSlug {
		return nil, err
	}
	found, missing := p.d.addresses.Get(ctx, model.Values{"slug": slug})
	if errors.Is(missing, model.ErrNotFound) {
		return nil, err
	}
	if missing != nil {
		return nil, missing
	}
	return p.Post(ctx, found.ID)
}
