package policy

import (
	"errors"
	"strings"
	"testing"

	"pressroom/blob/fault"
)

const public = `{"Version":"2012-10-17","Statement":[
	{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::b/media/*"},
	{"Effect":"Deny","Principal":{"AWS":"*"},"Action":["s3:Get*"],"Resource":["arn:aws:s3:::b/media/private/*"]},
	{"Effect":"Allow","Principal":{"AWS":["*"]},"Action":"s3:ListBucket","Resource":"arn:aws:s3:::b"}]}`

func TestJudge(t *testing.T) {
	p, err := Parse([]byte(public), "b")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		action, key string
		want        Verdict
	}{
		{"s3:GetObject", "media/a", Allow},
		{"s3:getobject", "media/a", Allow},
		{"s3:GetObject", "media/", Allow},
		{"s3:GetObject", "media", None},
		{"s3:GetObject", "other", None},
		{"s3:GetObject", "media/private/x", Deny},
		{"s3:PutObject", "media/a", None},
		{"s3:GetObjectVersion", "media/a", None},
		{"s3:ListBucket", "", Allow},
		{"s3:DeleteBucket", "", None},
	}
	for _, tt := range tests {
		if got := p.Judge(tt.action, tt.key, func(string) ([]string, bool) { return nil, false }); got != tt.want {
			t.Errorf("%s on %q: %v, want %v", tt.action, tt.key, got, tt.want)
		}
	}
	if !p.Public() {
		t.Error("it is public")
	}
}

func TestParseRefuses(t *testing.T) {
	stmt := func(s string) string { return `{"Statement":[` + s + `]}` }
	tests := map[string]struct {
		doc  string
		want *fault.Error
	}{
		"no JSON":          {"x", fault.MalformedPolicy},
		"broken JSON":      {"{", fault.MalformedPolicy},
		"no statement":     {"{}", fault.MalformedPolicy},
		"empty":            {`{"Statement":[]}`, fault.MalformedPolicy},
		"version":          {`{"Version":"1","Statement":[{}]}`, fault.MalformedPolicy},
		"effect":           {stmt(`{"Effect":"Maybe","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*"}`), fault.MalformedPolicy},
		"a user":           {stmt(`{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::1:root"},"Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*"}`), fault.MalformedPolicy},
		"a service":        {stmt(`{"Effect":"Allow","Principal":{"Service":"*"},"Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*"}`), fault.MalformedPolicy},
		"no principal":     {stmt(`{"Effect":"Allow","Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*"}`), fault.MalformedPolicy},
		"unknown action":   {stmt(`{"Effect":"Allow","Principal":"*","Action":"s3:Fly","Resource":"arn:aws:s3:::b/*"}`), fault.MalformedPolicy},
		"another bucket":   {stmt(`{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::c/*"}`), fault.MalformedPolicy},
		"no resource":      {stmt(`{"Effect":"Allow","Principal":"*","Action":"s3:GetObject"}`), fault.MalformedPolicy},
		"object on bucket": {stmt(`{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::b"}`), fault.MalformedPolicy},
		"condition":        {stmt(`{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*","Condition":{"StringEquals":{"aws:PrincipalOrgID":"o"}}}`), fault.NotImplemented},
		"operator":         {stmt(`{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*","Condition":{"ArnLike":{"aws:SourceIp":"o"}}}`), fault.NotImplemented},
		"no condition":     {stmt(`{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*","Condition":[]}`), fault.MalformedPolicy},
		"not action":       {stmt(`{"Effect":"Allow","Principal":"*","NotAction":"s3:GetObject","Resource":"arn:aws:s3:::b/*"}`), fault.NotImplemented},
	}
	for name, tt := range tests {
		if _, err := Parse([]byte(tt.doc), "b"); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %s", name, err, tt.want.Code)
		}
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("a*b?c", "axxbyc")
	f.Add("*", "")
	f.Add(strings.Repeat("*a", 50), strings.Repeat("a", 200))
	f.Fuzz(func(t *testing.T, pattern, s string) {
		got := match(pattern, s)
		if !strings.ContainsAny(pattern, "*?") && got != (pattern == s) {
			t.Errorf("match(%q, %q) = %v", pattern, s, got)
		}
		if got && !match(pattern+"*", s+"x") {
			t.Errorf("%q matches %q, but with a star not more", pattern, s)
		}
	})
}

func TestConditions(t *testing.T) {
	request := map[string]string{
		"aws:sourceip": "192.0.2.7", "aws:securetransport": "false", "s3:prefix": "home/ann/", "s3:max-keys": "10",
		"aws:currenttime": "2026-11-15T12:00:00Z", "aws:referer": "https://example.com/page",
	}
	have := func(key string) ([]string, bool) { v, ok := request[key]; return []string{v}, ok }
	for text, want := range map[string]bool{
		`{}`: true,
		`{"IpAddress":{"aws:SourceIp":"192.0.2.0/24"}}`:                                                                  true,
		`{"IpAddress":{"aws:SourceIp":["10.0.0.0/8","192.0.2.7"]}}`:                                                      true,
		`{"IpAddress":{"aws:SourceIp":"10.0.0.0/8"}}`:                                                                    false,
		`{"NotIpAddress":{"aws:SourceIp":"192.0.2.0/24"}}`:                                                               false,
		`{"Bool":{"aws:SecureTransport":"false"}}`:                                                                       true,
		`{"Bool":{"aws:SecureTransport":true}}`:                                                                          false,
		`{"StringLike":{"s3:prefix":["home/bob/*","home/ann/*"]}}`:                                                       true,
		`{"StringEquals":{"s3:prefix":"home/ann"}}`:                                                                      false,
		`{"StringNotEquals":{"s3:prefix":"home/ann"}}`:                                                                   true,
		`{"StringLike":{"aws:Referer":"https://example.com/*"}}`:                                                         true,
		`{"NumericLessThanEquals":{"s3:max-keys":10}}`:                                                                   true,
		`{"NumericLessThan":{"s3:max-keys":"10"}}`:                                                                       false,
		`{"DateGreaterThan":{"aws:CurrentTime":"2026-01-01T00:00:00Z"},"DateLessThan":{"aws:CurrentTime":"2027-01-01"}}`: true,
		`{"StringEquals":{"s3:x-amz-acl":"private"}}`:                                                                    false,
		`{"StringEqualsIfExists":{"s3:x-amz-acl":"private"}}`:                                                            true,
		`{"StringNotEquals":{"s3:x-amz-acl":"private"}}`:                                                                 true,
		`{"Null":{"s3:x-amz-acl":"true"}}`:                                                                               true,
		`{"Null":{"s3:prefix":"true"}}`:                                                                                  false,
		`{"IpAddress":{"aws:SourceIp":"192.0.2.0/24"},"Bool":{"aws:SecureTransport":"true"}}`:                            false,
	} {
		p, err := Parse([]byte(`{"Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*","Condition":`+text+`}]}`), "b")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := p.Judge("s3:GetObject", "k", have) == Allow; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
		if p.Public() == strings.Contains(text, `{"IpAddress"`) {
			t.Errorf("%s: public is %v", text, p.Public())
		}
	}
}
