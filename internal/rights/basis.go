package rights

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// Basis is what allows us to show somebody else's work. The zero value is a
// quotation.
type Basis struct {
	Kind Kind `dynamodbav:"kind" json:"kind" enum:"quotation,own,public_domain,licence,permission"`
	// Licence is the identifier of an open licence, as SPDX has it; see Licences.
	Licence string `dynamodbav:"licence,omitempty" json:"licence,omitempty" doc:"of an open licence, such as CC-BY-4.0"`
	// From is who gave a permission.
	From string `dynamodbav:"from,omitempty" json:"from,omitempty" doc:"who gave the permission"`
	// Until is the last day of a permission, 2006-01-02 in UTC; "" for no end.
	Until string `dynamodbav:"until,omitempty" json:"until,omitempty" doc:"the last day of the permission, such as 2027-03-31; without end if it is not there"`
	// Scope is what a permission is for.
	Scope []Use `dynamodbav:"scope,omitempty" json:"scope,omitempty" doc:"what the permission is for: copy, text, summarise, excerpt, search, picture, agents"`
}

// Kind is a kind of basis.
type Kind string

// The kinds of bases.
const (
	// Quotation allows a short quotation beside the name of the source and a link to
	// it. It is the basis of every source that has declared none.
	Quotation    Kind = "quotation"
	OwnWork      Kind = "own"
	PublicDomain Kind = "public_domain"
	OpenLicence  Kind = "licence"
	Permission   Kind = "permission"
)

// Kinds returns the kinds of bases, the narrowest first.
func Kinds() []Kind { return []Kind{Quotation, Permission, OpenLicence, PublicDomain, OwnWork} }

// Conditions are what an open licence asks for.
type Conditions struct {
	Attribution   bool // name the source and the licence
	ShareAlike    bool // what is made of it is under the same licence
	NonCommercial bool // no use for money
	NoDerivatives bool // nothing but the work as it is
}

var creativeCommons = regexp.MustCompile(`^CC-BY(-NC)?(-ND|-SA)?-(1\.0|2\.0|2\.5|3\.0|4\.0)$`)

// ConditionsOf returns what an open licence asks for; false if it is not known.
func ConditionsOf(licence string) (Conditions, bool) {
	switch licence {
	case "CC0-1.0", "CC-PDDC":
		return Conditions{}, true
	case "PDL-1.0", "OGL-UK-3.0", "etalab-2.0", "DL-DE-BY-2.0":
		return Conditions{Attribution: true}, true
	}
	m := creativeCommons.FindStringSubmatch(licence)
	if m == nil {
		return Conditions{}, false
	}
	return Conditions{Attribution: true, NonCommercial: m[1] != "", ShareAlike: m[2] == "-SA", NoDerivatives: m[2] == "-ND"}, true
}

// Licences returns the identifiers that operators are offered. Earlier versions of
// Creative Commons are known as well.
func Licences() []string {
	return []string{
		"CC0-1.0", "CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-ND-4.0", "CC-BY-NC-4.0", "CC-BY-NC-SA-4.0", "CC-BY-NC-ND-4.0",
		"PDL-1.0", "OGL-UK-3.0", "etalab-2.0", "DL-DE-BY-2.0",
	}
}

// Scopes returns the uses that a permission can be for.
func Scopes() []Use { return []Use{Text, Excerpt, Summarise, Search, Picture, Agents, Copy} }

// Validate returns what is wrong with the basis, by its JSON field, and leaves out
// what its kind has no use for.
func (b *Basis) Validate() map[string]string {
	wrong := map[string]string{}
	b.From, b.Licence = strings.TrimSpace(b.From), strings.TrimSpace(b.Licence)
	if b.Kind == "" {
		b.Kind = Quotation
	}
	if !slices.Contains(Kinds(), b.Kind) {
		wrong["kind"] = "must be quotation, permission, licence, public_domain or own"
	}
	if b.Kind != OpenLicence {
		b.Licence = ""
	} else if _, ok := ConditionsOf(b.Licence); !ok {
		wrong["licence"] = "must be an open licence that is known, such as CC-BY-4.0"
	}
	if b.Kind != Permission {
		b.From, b.Until, b.Scope = "", "", nil
		return wrong
	}
	if b.From == "" || len(b.From) > maxValue {
		wrong["from"] = "must say who gave the permission, in at most 200 bytes"
	}
	if _, err := time.Parse(time.DateOnly, b.Until); b.Until != "" && err != nil {
		wrong["until"] = "must be a day such as 2027-03-31"
	}
	for _, u := range b.Scope {
		if !slices.Contains(Scopes(), u) {
			wrong["scope"] = "must be of copy, text, summarise, excerpt, search, picture and agents"
		}
	}
	if len(b.Scope) == 0 {
		wrong["scope"] = "must say what the permission is for"
	}
	return wrong
}

// Ended reports whether the basis is a permission that has run out.
func (b Basis) Ended(now time.Time) bool {
	return b.Kind == Permission && b.inForce(now).Kind != Permission
}

// inForce is the basis as it is at a time: a permission that has run out, a licence
// that is not known and a kind that is none are a quotation.
func (b Basis) inForce(now time.Time) Basis {
	_, known := ConditionsOf(b.Licence)
	end, err := time.Parse(time.DateOnly, b.Until)
	switch {
	case b.Kind == OwnWork, b.Kind == PublicDomain, b.Kind == OpenLicence && known,
		b.Kind == Permission && (b.Until == "" || err == nil && now.Before(end.AddDate(0, 0, 1))):
		return b
	}
	return Basis{Kind: Quotation}
}

// covers reports whether the basis itself allows a use that is more than a quotation.
func (b Basis) covers(u Use) bool {
	switch b.Kind {
	case OwnWork, PublicDomain:
		return true
	case OpenLicence:
		// Whether this newsroom earns money, nobody here knows.
		c, _ := ConditionsOf(b.Licence)
		return !c.NonCommercial && (!c.NoDerivatives || u != Excerpt)
	case Permission:
		return slices.Contains(b.Scope, u)
	}
	return false
}

// outweighs reports whether the basis allows a use whatever the source signals to
// everybody: it is ours, or we were told so ourselves.
func (b Basis) outweighs(u Use) bool {
	switch {
	case u == Fetch:
		return false // robots.txt guards a door, not a work
	case b.Kind == Permission && u == Keep:
		return true // what may be used may be there
	}
	return b.Kind == OwnWork || b.Kind == Permission && slices.Contains(b.Scope, u)
}
