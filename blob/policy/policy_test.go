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
		if got := p.Judge(tt.action, tt.key); got != tt.want {
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
		"condition":        {stmt(`{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*","Condition":{}}`), fault.NotImplemented},
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
