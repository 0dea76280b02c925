package request

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"pressroom/internal/errs"
)

// FilePath is where a site's own file has the code, and recordName what is put before
// its domain for the DNS record that has it.
const (
	FilePath   = "/.well-known/pressroom-request.txt"
	recordName = "_pressroom."
)

// Domain is the domain that a request is about, "" if it is about no address.
func (one *Request) Domain() string {
	text := one.About
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || !strings.Contains(u.Hostname(), ".") || strings.ContainsAny(u.Hostname(), " _%") {
		return ""
	}
	return strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
}

// Code is what proves that whoever asks has the domain: it is worth nothing for another
// request.
func (r *Requests) Code(one *Request) string {
	return "pressroom-request=" + r.keyed("code " + one.ID)[:32]
}

// ProveDomain looks for the code at the domain that a request is about: in its file, or
// in a TXT record. Without it the answer is errs.Invalid.
func (r *Requests) ProveDomain(ctx context.Context, id string) (Request, error) {
	one, err := r.Get(ctx, id)
	if err != nil {
		return one, err
	}
	domain, code := one.Domain(), r.Code(&one)
	if domain == "" {
		return one, errs.New(errs.Invalid, "The request is about no domain.")
	}
	how := ""
	if r.o.Fetch != nil {
		if text, err := r.o.Fetch(ctx, "https://"+domain+FilePath); err == nil && slices.Contains(strings.Fields(text), code) {
			how = ByFile
		}
	}
	if how == "" && r.o.Lookup != nil {
		if records, err := r.o.Lookup(ctx, recordName+domain); err == nil && slices.Contains(records, code) {
			how = ByDNS
		}
	}
	if how == "" {
		return one, errs.New(errs.Invalid, "The code was found neither in https://%s%s nor in a TXT record of %s%s.", domain, FilePath, recordName, domain)
	}
	return r.proven(ctx, id, how, "", func(now *Request) error {
		if now.About != one.About {
			return errs.New(errs.Conflict, "The request was changed.")
		}
		return nil
	})
}

// Judge lets a request count because an operator knows who asks, and says how.
func (r *Requests) Judge(ctx context.Context, id, who, reasons string) (Request, error) {
	if reasons = strings.TrimSpace(reasons); reasons == "" {
		return Request{}, errs.Validation(errs.Field{Name: "reasons", Message: "are needed: how do you know who asks?"})
	}
	return r.proven(ctx, id, ByOperator, who+": "+reasons, func(*Request) error { return nil })
}
