package web

import (
	"cmp"
	"slices"
	"strings"

	"pressroom/internal/auth"
)

// NavItem is an entry of the navigation.
type NavItem struct {
	Path   string    // "/blog"
	Key    string    // of the words
	Order  int       // smaller is further left
	Access auth.Role // the least role that sees it
	Office bool      // it belongs to the staff's line, above the nameplate
	Exact  bool      // pages below its path are not part of it
	Foot   bool      // it stands at the foot of every page
}

// Nav adds an entry.
func (s *Site) Nav(item NavItem) {
	s.nav = append(s.nav, item)
	slices.SortStableFunc(s.nav, func(a, b NavItem) int { return cmp.Compare(a.Order, b.Order) })
}

// NavLink is an entry as a reader sees it.
type NavLink struct {
	Path, Key string
	Current   bool
}

// Sections are the desks that the reader may see.
func (v *View) Sections() []NavLink { return v.navLinks(false, false) }

// Office is where the staff works, as far as the reader is staff.
func (v *View) Office() []NavLink { return v.navLinks(true, false) }

// Foot is what stands at the foot of every page.
func (v *View) Foot() []NavLink { return v.navLinks(false, true) }

func (v *View) navLinks(office, foot bool) []NavLink {
	role := auth.RoleOf(v.r.Context())
	var links []NavLink
	for _, item := range v.site.nav {
		if item.Office == office && item.Foot == foot && role.Allows(item.Access) {
			links = append(links, NavLink{item.Path, item.Key, v.Path == item.Path || !item.Exact && within(v.Path, item.Path)})
		}
	}
	return links
}

// within reports whether path is base or below it.
func within(path, base string) bool {
	return path == base || strings.HasPrefix(path, strings.TrimSuffix(base, "/")+"/")
}
