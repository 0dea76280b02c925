package newswire

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

// tracking are parameters that say where a reader comes from, not what he reads.
var tracking = []string{
	"fbclid", "gclid", "gclsrc", "dclid", "wbraid", "gbraid", "msclkid", "yclid", "twclid", "ttclid", "igshid", "mc_cid", "mc_eid", "_ga", "_gl",
	"mkt_tok", "oly_anon_id", "oly_enc_id", "vero_id", "ref_src", "ref_url", "s_cid", "cmpid", "ncid", "sr_share", "_hsenc", "_hsmi",
}

func isTracking(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "utm_") || strings.HasPrefix(name, "pk_") || slices.Contains(tracking, name)
}

// Canonical returns the one form of an address: no fragment, no tracking
// parameters, scheme and host in lower case, no default port, no dots in the
// path. It is "" for what is no web address.
func Canonical(address string) string {
	u, err := webURL(address)
	if err != nil {
		return ""
	}
	return canonical(u)
}

func canonical(u *url.URL) string {
	c := *u
	c.Scheme = strings.ToLower(c.Scheme)
	host := strings.ToLower(strings.TrimSuffix(c.Hostname(), "."))
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if p := c.Port(); p != "" && !(c.Scheme == "http" && p == "80") && !(c.Scheme == "https" && p == "443") {
		host += ":" + p
	}
	c.Host = host
	c.Fragment, c.RawFragment, c.User, c.ForceQuery = "", "", nil, false
	if c.Path == "" {
		c.Path = "/"
	}
	if strings.Contains(c.Path, "/.") || strings.Contains(c.Path, "//") {
		c = *c.ResolveReference(&url.URL{Path: c.Path, RawPath: c.RawPath, RawQuery: c.RawQuery})
	}
	if c.RawQuery != "" {
		kept := slices.DeleteFunc(strings.Split(c.RawQuery, "&"), func(pair string) bool {
			name, _, _ := strings.Cut(pair, "=")
			return name == "" || isTracking(name)
		})
		c.RawQuery = strings.Join(kept, "&")
	}
	return c.String()
}

// scope is what of the web belongs to a site.
type scope struct {
	host  string
	paths []string
}

func (s *Site) scope() scope {
	u, err := url.Parse(canonical(must(url.Parse(s.BaseURL))))
	if err != nil {
		u = &url.URL{}
	}
	return scope{host: bare(u.Host), paths: s.AllowedPaths}
}

func must(u *url.URL, err error) *url.URL {
	if err != nil {
		return &url.URL{}
	}
	return u
}

// bare is the host without the www that means nothing.
func bare(host string) string { return strings.TrimPrefix(host, "www.") }

// holds reports whether an address is on the site's host and under its allowed
// paths, and if not, why.
func (s scope) holds(u *url.URL) (bool, string) {
	if bare(u.Host) != s.host {
		return false, "on another host"
	}
	p := u.Path
	if p == "" {
		p = "/"
	}
	// A path that is not clean could name another folder than it begins with.
	if clean := path.Clean(p); clean != p && clean+"/" != p {
		return false, "not a clean path"
	}
	for _, allowed := range s.paths {
		if strings.HasPrefix(p, allowed) {
			return true, ""
		}
	}
	return false, "outside the allowed paths"
}

// sameHost reports whether an address is on the site's host, whatever its path.
func (s scope) sameHost(u *url.URL) bool { return bare(u.Host) == s.host }
