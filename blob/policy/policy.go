// Package policy reads bucket policies and judges requests by them. It knows
// the statements that a store with one owner can mean: Allow or Deny, for
// everyone (Principal "*"), of S3 actions, on the bucket or on objects, with
// wildcards and conditions. That is what making a prefix public takes. What it cannot honour
// it refuses, so that no policy is stored that does not hold.
//
// Start reading at [Parse]; [Policy.Judge] follows "Policy evaluation logic"
// in the IAM User Guide.
package policy

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"pressroom/blob/fault"
)

// A Verdict is what a policy says of a request.
type Verdict int

// None says nothing, and Deny outweighs Allow.
const (
	None Verdict = iota
	Allow
	Deny
)

// A Policy is a bucket's policy.
type Policy struct {
	bucket     string
	statements []statement
}

type statement struct {
	effect    Verdict
	actions   []string
	resources []string // after "arn:aws:s3:::"
	when      []condition
}

type document struct {
	Version   *string         `json:"Version"`
	ID        string          `json:"Id"`
	Statement json.RawMessage `json:"Statement"`
}

type rawStatement struct {
	Sid          string          `json:"Sid"`
	Effect       string          `json:"Effect"`
	Principal    json.RawMessage `json:"Principal"`
	NotPrincipal json.RawMessage `json:"NotPrincipal"`
	Action       texts           `json:"Action"`
	NotAction    texts           `json:"NotAction"`
	Resource     texts           `json:"Resource"`
	NotResource  texts           `json:"NotResource"`
	Condition    json.RawMessage `json:"Condition"`
}

// texts is a string or a list of strings.
type texts []string

func (t *texts) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*t = texts{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(t))
}

func malformed(message string) error { return fault.MalformedPolicy.Say("%s", message) }

func unsupported(what string) error {
	return fault.NotImplemented.Say("Bucket policies with %s are not implemented: this store has one owner, and policies say what everyone may do.", what)
}

// Parse reads the policy of a bucket. Its errors are S3's.
func Parse(doc []byte, bucket string) (*Policy, error) {
	if !bytes.HasPrefix(doc, []byte("{")) {
		return nil, fault.MalformedPolicy
	}
	var d document
	dec := json.NewDecoder(bytes.NewReader(doc))
	if err := dec.Decode(&d); err != nil || dec.More() {
		return nil, malformed("This policy contains invalid Json")
	}
	if d.Version != nil && *d.Version != "2012-10-17" && *d.Version != "2008-10-17" {
		return nil, malformed("The policy must contain a valid version string")
	}
	if d.Statement == nil {
		return nil, malformed("Missing required field Statement")
	}
	raws, err := statements(d.Statement)
	if err != nil {
		return nil, err
	}
	p := &Policy{bucket: bucket}
	for _, raw := range raws {
		st, err := raw.read(bucket)
		if err != nil {
			return nil, err
		}
		p.statements = append(p.statements, st)
	}
	return p, nil
}

func statements(raw json.RawMessage) ([]rawStatement, error) {
	var list []rawStatement
	if err := json.Unmarshal(raw, &list); err != nil {
		var one rawStatement
		if err := json.Unmarshal(raw, &one); err != nil {
			return nil, malformed("This policy contains invalid Json")
		}
		list = []rawStatement{one}
	}
	if len(list) == 0 {
		return nil, malformed("Could not parse the policy: Statement is empty!")
	}
	return list, nil
}

func (raw *rawStatement) read(bucket string) (statement, error) {
	st := statement{actions: raw.Action}
	switch raw.Effect {
	case "Allow":
		st.effect = Allow
	case "Deny":
		st.effect = Deny
	default:
		return st, malformed("Invalid effect: " + raw.Effect)
	}
	switch {
	case raw.NotPrincipal != nil:
		return st, unsupported("NotPrincipal")
	case raw.NotAction != nil:
		return st, unsupported("NotAction")
	case raw.NotResource != nil:
		return st, unsupported("NotResource")
	}
	if err := everyone(raw.Principal); err != nil {
		return st, err
	}
	if err := checkActions(raw.Action); err != nil {
		return st, err
	}
	var err error
	if st.when, err = readConditions(raw.Condition); err != nil {
		return st, err
	}
	if st.resources, err = readResources(raw.Resource, bucket); err != nil {
		return st, err
	}
	return st, checkPairs(st.actions, st.resources)
}

// everyone accepts "*" and {"AWS": "*"}.
func everyone(raw json.RawMessage) error {
	invalid := malformed("Invalid principal in policy")
	if raw == nil {
		return malformed("Missing required field Principal")
	}
	var list texts
	if json.Unmarshal(raw, &list) != nil {
		var byKind map[string]texts
		if json.Unmarshal(raw, &byKind) != nil || len(byKind) != 1 {
			return invalid
		}
		list = byKind["AWS"]
	}
	if len(list) != 1 || list[0] != "*" {
		return invalid // there are no other principals here
	}
	return nil
}

func readResources(list texts, bucket string) ([]string, error) {
	if len(list) == 0 {
		return nil, malformed("Policy has invalid resource")
	}
	var out []string
	for _, r := range list {
		rest, ok := strings.CutPrefix(r, "arn:aws:s3:::")
		name, _, _ := strings.Cut(rest, "/")
		if !ok || name != bucket && !match(name, bucket) {
			return nil, malformed("Policy has invalid resource")
		}
		if !slices.Contains(out, rest) {
			out = append(out, rest)
		}
	}
	return out, nil
}

// Public reports whether the policy lets everyone do anything. As in S3, a
// statement for some addresses is not public.
func (p *Policy) Public() bool {
	return slices.ContainsFunc(p.statements, func(s statement) bool {
		return s.effect == Allow && !slices.ContainsFunc(s.when, func(c condition) bool { return c.key == "aws:sourceip" && !c.negated })
	})
}

// Judge returns what the policy says of an action on a key, "" for the bucket
// itself, by a request.
func (p *Policy) Judge(action, key string, r Request) Verdict {
	resource := p.bucket
	if key != "" {
		resource += "/" + key
	}
	verdict := None
	for _, s := range p.statements {
		if s.covers(action, resource) && s.applies(r) {
			verdict = max(verdict, s.effect)
		}
	}
	return verdict
}

// applies reports whether all conditions hold.
func (s *statement) applies(r Request) bool {
	for i := range s.when {
		if !s.when[i].holds(r) {
			return false
		}
	}
	return true
}

func (s *statement) covers(action, resource string) bool {
	byAction := slices.ContainsFunc(s.actions, func(p string) bool { return match(strings.ToLower(p), strings.ToLower(action)) })
	return byAction && slices.ContainsFunc(s.resources, func(p string) bool { return match(p, resource) })
}

// match compares text with a pattern in which "*" is any text and "?" any one
// character. It takes time in proportion to the product of their lengths at
// worst, never more.
func match(pattern, s string) bool {
	p, i, star, mark := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == s[i]):
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
