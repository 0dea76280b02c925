package minutes

import (
	"context"
	"iter"
	"strings"

	"pressroom/model"
)

// Assembly is the articles of one assembly: a parliament or a council. Its lists,
// people, keywords and bills are its own, whatever others have of the same name.
type Assembly struct {
	Code string // "" is the Diet
	desk *Desk
}

// In returns the articles of an assembly; "" is the Diet. There need not be any.
func (d *Desk) In(code string) Assembly { return Assembly{code, d} }

// Timeline is that of the Diet: see [Assembly.Timeline].
func (d *Desk) Timeline(ctx context.Context, issue string, o PageOptions) (model.Page[Light], error) {
	return d.In("").Timeline(ctx, issue, o)
}

// Facets are those of the Diet: see [Assembly.Facets].
func (d *Desk) Facets(ctx context.Context) (map[Kind][]Facet, error) { return d.In("").Facets(ctx) }

// Months are those of the Diet: see [Assembly.Months].
func (d *Desk) Months(ctx context.Context, most int) ([]string, error) {
	return d.In("").Months(ctx, most)
}

// GetPerson returns somebody in the Diet: see [Assembly.GetPerson].
func (d *Desk) GetPerson(ctx context.Context, name string, o PageOptions) (Person, error) {
	return d.In("").GetPerson(ctx, name, o)
}

// AssemblyOf returns the code of the assembly whose meeting has the id, "" for the
// Diet: ids of others are @code:id, and none of the Diet begins so.
func AssemblyOf(id string) string {
	rest, ok := strings.CutPrefix(id, "@")
	code, _, found := strings.Cut(rest, ":")
	if !ok || !found {
		return ""
	}
	return code
}

// Kept is an assembly that an operator added: its declaration, and what its last
// collection brought.
type Kept struct {
	Code        string `dynamodbav:"code" json:"code"`
	Declaration string `dynamodbav:"declaration" json:"-"`
	// Origin says where the declaration is from; Base is the folder that its relative
	// paths are in.
	Origin      string          `dynamodbav:"origin" json:"origin"`
	Base        string          `dynamodbav:"base,omitempty" json:"-"`
	AddedAt     string          `dynamodbav:"addedAt" json:"addedAt"`
	CollectedAt string          `dynamodbav:"collectedAt,omitempty" json:"collectedAt,omitempty"`
	Report      *AssemblyReport `dynamodbav:"report,omitempty" json:"report,omitempty"`
	Version     int             `dynamodbav:"version" json:"-"`
}

// Kept yields the assemblies that were added, by their codes.
func (d *Desk) Kept(ctx context.Context) iter.Seq2[Kept, error] {
	return d.kept.All(ctx, "Assemblies", nil)
}
