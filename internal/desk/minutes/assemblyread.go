package minutes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"pressroom/internal/errs"
	"pressroom/model"
)

// KeptAssembly returns an assembly that was added, or errs.NotFound: readers see no
// other.
func (d *Desk) KeptAssembly(ctx context.Context, code string) (Declared, error) {
	none := errs.New(errs.NotFound, "There is no such assembly here.")
	if code == "" {
		return Declared{}, none
	}
	k, err := d.kept.Get(ctx, model.Values{"code": code})
	if errors.Is(err, model.ErrNotFound) {
		return Declared{}, none
	}
	if err != nil {
		return Declared{}, fmt.Errorf("assembly %s: %w", code, err)
	}
	one, err := Declare(code+".toml", []byte(k.Declaration), k.Base)
	one.Kept, one.From = &k, k.Origin
	return one, err
}

// KeptAssemblies returns all assemblies that were added, by their codes.
func (d *Desk) KeptAssemblies(ctx context.Context) ([]Declared, error) {
	var out []Declared
	for k, err := range d.Kept(ctx) {
		if err != nil {
			return nil, fmt.Errorf("assemblies: %w", err)
		}
		one, err := Declare(k.Code+".toml", []byte(k.Declaration), k.Base)
		if err != nil {
			d.o.Log.Warn("an assembly's declaration cannot be read", "code", k.Code, "error", err)
			continue
		}
		one.Kept, one.From = &k, k.Origin
		out = append(out, one)
	}
	return out, nil
}

// Voted is a meeting in which votes were taken.
type Voted struct {
	Light
	Votes []Division `json:"votes"`
}

// votesPage is how many meetings a page of votes has at most: each costs a read of its
// asset.
const votesPage = 20

// Votes returns a page of the meetings in which votes were taken, the newest first.
func (a Assembly) Votes(ctx context.Context, o PageOptions) (model.Page[Voted], error) {
	var out model.Page[Voted]
	if o.Limit == 0 || o.Limit > votesPage {
		o.Limit = votesPage
	}
	page, err := a.desk.Articles(ctx, Filter{Assembly: a.Code, ImageKind: KindVotes}, o)
	if err != nil {
		return out, err
	}
	out.Next = page.Next
	for _, l := range page.Items {
		full, err := a.desk.GetFull(ctx, l.ID)
		if errors.Is(err, errs.NotFound) {
			continue
		}
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, Voted{l, full.Asset.Votes})
	}
	return out, nil
}

// VotesOf returns a page of the votes in which a member took part, the newest first:
// each division has that member's position alone. The page has as many meetings as one
// of Votes, and may have none. Without a name it is that of Votes.
func (a Assembly) VotesOf(ctx context.Context, name string, o PageOptions) (model.Page[Voted], error) {
	page, err := a.Votes(ctx, o)
	if err != nil {
		return page, err
	}
	key := keyText(name)
	if key == "" {
		return page, nil
	}
	for i := range page.Items {
		var own []Division
		for _, v := range page.Items[i].Votes {
			if at := slices.IndexFunc(v.Positions, func(p Position) bool { return keyText(p.Name) == key }); at >= 0 {
				v.Positions = v.Positions[at : at+1]
				own = append(own, v)
			}
		}
		page.Items[i].Votes = own
	}
	page.Items = slices.DeleteFunc(page.Items, func(v Voted) bool { return len(v.Votes) == 0 })
	return page, nil
}

// Member is somebody who spoke in the latest meetings.
type Member struct {
	Name     string `json:"name"`
	Yomi     string `json:"yomi,omitempty"`
	Party    string `json:"party,omitempty"`
	Office   string `json:"office,omitempty"`
	Meetings int    `json:"meetings" doc:"in how many of the latest meetings the person spoke"`
	Last     string `json:"last" doc:"the day of the last of them"`
}

// Members returns who spoke in the latest meetings, by party and name, and how many
// meetings were looked at.
func (a Assembly) Members(ctx context.Context) ([]Member, int, error) {
	seen := map[string]*Member{}
	meetings := 0
	for article, err := range a.All(ctx) {
		if err != nil {
			return nil, 0, fmt.Errorf("members: %w", err)
		}
		for _, p := range article.Participants {
			m := seen[keyText(p.Name)]
			if m == nil {
				m = &Member{Name: p.Name, Yomi: p.Yomi, Last: article.Date}
				seen[keyText(p.Name)] = m
			}
			m.Party, m.Office = cmp.Or(m.Party, p.Group), cmp.Or(m.Office, p.Position)
			m.Meetings++
		}
		if meetings++; meetings == facetSample {
			break
		}
	}
	var out []Member
	for _, m := range seen {
		out = append(out, *m)
	}
	slices.SortFunc(out, func(a, b Member) int {
		if (a.Party == "") != (b.Party == "") {
			if a.Party == "" {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(a.Party, b.Party), cmp.Compare(cmp.Or(a.Yomi, a.Name), cmp.Or(b.Yomi, b.Name)), cmp.Compare(a.Name, b.Name))
	})
	return out, meetings, nil
}
