package wire

import (
	"bytes"
	"encoding/xml"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"pressroom/blob/disk"
	"pressroom/blob/fault"
)

type cors struct {
	XMLName xml.Name   `xml:"CORSConfiguration"`
	Rules   []corsRule `xml:"CORSRule"`
}

type corsRule struct {
	ID      string   `xml:"ID,omitempty"`
	Headers []string `xml:"AllowedHeader"`
	Methods []string `xml:"AllowedMethod"`
	Origins []string `xml:"AllowedOrigin"`
	Expose  []string `xml:"ExposeHeader"`
	MaxAge  *int     `xml:"MaxAgeSeconds"`
}

var corsMethods = []string{"GET", "PUT", "HEAD", "POST", "DELETE"}

const maxCORSRules = 100

func (c *cors) validate() error {
	if len(c.Rules) == 0 || len(c.Rules) > maxCORSRules {
		return fault.MalformedXML
	}
	for _, rule := range c.Rules {
		if len(rule.Methods) == 0 || len(rule.Origins) == 0 {
			return fault.MalformedXML
		}
		for _, o := range rule.Origins {
			if strings.Count(o, "*") > 1 {
				return fault.InvalidRequest.Say(`AllowedOrigin "%s" can not have more than one wildcard.`, o)
			}
		}
		for _, m := range rule.Methods {
			if !slices.Contains(corsMethods, m) {
				return fault.InvalidRequest.Say("Found unsupported HTTP method in CORS config. Unsupported method is %s", m)
			}
		}
		for _, h := range slices.Concat(rule.Headers, rule.Expose) {
			if !headerPattern(h) {
				return fault.InvalidRequest.Say(`AllowedHeader "%s" contains invalid character.`, h)
			}
		}
	}
	return nil
}

// headerPattern accepts the characters of header names, and "*".
func headerPattern(h string) bool {
	const token = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return strings.Trim(h, token) == ""
}

func (r *request) getCORS() error { return r.getDoc(corsDoc, fault.NoSuchCORSConfiguration) }

func (r *request) putCORS() error {
	body, err := r.readConfig()
	if err != nil {
		return err
	}
	c, err := parseCORS(body)
	if err != nil {
		return err
	}
	if err := c.validate(); err != nil {
		return err
	}
	return r.putDoc(corsDoc, body, http.StatusOK)
}

func parseCORS(doc []byte) (*cors, error) {
	c := new(cors)
	return c, parseXML(bytes.TrimSpace(doc), c)
}

func corsOf(b *disk.Bucket) (*cors, error) { return disk.Memo(b, corsDoc, parseCORS) }

// find returns the first rule for a cross-origin request.
func (c *cors) find(origin, method string, headers []string) *corsRule {
	for i := range c.Rules {
		rule := &c.Rules[i]
		if rule.allowsOrigin(origin) && slices.Contains(rule.Methods, method) && rule.allowsHeaders(headers) {
			return rule
		}
	}
	return nil
}

func (c *corsRule) allowsOrigin(origin string) bool {
	return slices.ContainsFunc(c.Origins, func(p string) bool { return wildcard(p, origin) })
}

func (c *corsRule) allowsHeaders(headers []string) bool {
	for _, h := range headers {
		ok := slices.ContainsFunc(c.Headers, func(p string) bool {
			return wildcard(strings.ToLower(p), strings.ToLower(h))
		})
		if !ok {
			return false
		}
	}
	return true
}

// wildcard matches a pattern with at most one "*".
func wildcard(pattern, s string) bool {
	before, after, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == s
	}
	return len(s) >= len(before)+len(after) && strings.HasPrefix(s, before) && strings.HasSuffix(s, after)
}

// preflight answers OPTIONS, which nobody signs.
func (r *request) preflight() error {
	origin := r.header("Origin")
	if origin == "" {
		return fault.BadRequest.Say("Insufficient information. Origin request header needed.")
	}
	method := r.header("Access-Control-Request-Method")
	if !slices.Contains(corsMethods, method) {
		return fault.BadRequest.Say("Invalid Access-Control-Request-Method: %s", method)
	}
	headers, err := requestHeaders(r.header("Access-Control-Request-Headers"))
	if err != nil {
		return err
	}
	b, err := r.h.store.Bucket(r.bucket)
	if err != nil {
		return err
	}
	c, err := corsOf(b)
	if err != nil {
		return err
	}
	resource := "BUCKET"
	if r.key != "" {
		resource = "OBJECT"
	}
	if c == nil {
		return fault.CORSNotEnabled.With("Method", method).With("ResourceType", resource)
	}
	rule := c.find(origin, method, headers)
	if rule == nil {
		return fault.AccessForbidden.With("Method", method).With("ResourceType", resource)
	}
	r.allowOrigin(rule, origin)
	if len(headers) > 0 {
		r.w.Header().Set("Access-Control-Allow-Headers", strings.ToLower(strings.Join(headers, ", ")))
	}
	return r.status(http.StatusOK)
}

func requestHeaders(v string) ([]string, error) {
	if v == "" {
		return nil, nil
	}
	var list []string
	for _, h := range strings.Split(v, ",") {
		name := strings.TrimSpace(h)
		list = append(list, name)
		if name == "" || !headerPattern(name) || strings.Contains(name, "*") {
			return nil, fault.BadRequest.Say(`Access-Control-Request-Headers "%s" contains invalid character.`, h)
		}
	}
	return list, nil
}

// corsHeaders adds what a browser needs to hand an answer to its page. A
// request from an origin that is not allowed is served all the same; the
// browser keeps the answer to itself.
func (r *request) corsHeaders() error {
	origin := r.header("Origin")
	if origin == "" || r.bucket == "" {
		return nil
	}
	b, err := r.h.store.Bucket(r.bucket)
	if err != nil {
		return nil // the operation says so, in its own way
	}
	c, err := corsOf(b)
	if err != nil || c == nil {
		return err
	}
	method := r.Method
	if m := r.header("Access-Control-Request-Method"); m != "" {
		if !slices.Contains(corsMethods, m) {
			return fault.BadRequest.Say("Invalid Access-Control-Request-Method: %s", m)
		}
		method = m
	}
	headers, err := requestHeaders(r.header("Access-Control-Request-Headers"))
	if err != nil {
		return err
	}
	if rule := c.find(origin, method, headers); rule != nil {
		r.allowOrigin(rule, origin)
	}
	return nil
}

func (r *request) allowOrigin(rule *corsRule, origin string) {
	h := r.w.Header()
	if slices.Contains(rule.Origins, "*") {
		h.Set("Access-Control-Allow-Origin", "*")
	} else {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Allow-Credentials", "true")
	}
	h.Set("Access-Control-Allow-Methods", strings.Join(rule.Methods, ", "))
	if len(rule.Expose) > 0 {
		h.Set("Access-Control-Expose-Headers", strings.Join(rule.Expose, ", "))
	}
	if rule.MaxAge != nil {
		h.Set("Access-Control-Max-Age", strconv.Itoa(*rule.MaxAge))
	}
	h.Set("Vary", "Origin, Access-Control-Request-Headers, Access-Control-Request-Method")
}
