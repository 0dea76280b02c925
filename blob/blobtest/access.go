package blobtest

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// publicPrefix opens one prefix to everyone by a policy.
func publicPrefix(s *suite) {
	s.put("media/a.jpg", "picture")
	s.put("private", "secret")
	if _, err := s.Client.DeletePublicAccessBlock(s.ctx(), &s3.DeletePublicAccessBlockInput{Bucket: &s.bucket}); err != nil {
		s.Fatal(err)
	}
	policy := fmt.Sprintf(`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::%s/media/*"}]}`, s.bucket)
	put := func(doc string) error {
		_, err := s.Client.PutBucketPolicy(s.ctx(), &s3.PutBucketPolicyInput{Bucket: &s.bucket, Policy: &doc})
		return err
	}
	if err := put(policy); err != nil {
		s.Fatal(err)
	}
	got, err := s.Client.GetBucketPolicy(s.ctx(), &s3.GetBucketPolicyInput{Bucket: &s.bucket})
	if err != nil || str(got.Policy) != policy {
		s.Errorf("policy: %+v, %v", got, err)
	}
	s.wantCode("a policy for another bucket", put(strings.ReplaceAll(policy, s.bucket, "another-bucket")), "MalformedPolicy")
	s.wantCode("no policy", put(`{"Statement":[]}`), "MalformedPolicy")
	if !s.Verifies {
		return
	}
	resp, body := s.raw("GET", "/"+s.bucket+"/media/a.jpg", nil, nil)
	s.equal("public", body, "picture")
	s.equal("public status", resp.StatusCode, http.StatusOK)
	for what, path := range map[string]string{"private": "/private", "listing": "?list-type=2", "escape": "/media/../private"} {
		resp, body := s.raw("GET", "/"+s.bucket+path, nil, nil)
		s.wantError(what, resp, body, 403, "AccessDenied")
	}
	resp, body = s.raw("PUT", "/"+s.bucket+"/media/b.jpg", nil, []byte("x"))
	s.wantError("write", resp, body, 403, "AccessDenied")
	resp, body = s.raw("GET", "/"+s.bucket+"/media/a.jpg?response-content-type=text/html", nil, nil)
	s.wantError("another content type", resp, body, 400, "InvalidRequest")
	if _, err := s.Client.DeleteBucketPolicy(s.ctx(), &s3.DeleteBucketPolicyInput{Bucket: &s.bucket}); err != nil {
		s.Fatal(err)
	}
	resp, body = s.raw("GET", "/"+s.bucket+"/media/a.jpg", nil, nil)
	s.wantError("closed again", resp, body, 403, "AccessDenied")
}

func crossOrigin(s *suite) {
	_, err := s.Client.PutBucketCors(s.ctx(), &s3.PutBucketCorsInput{Bucket: &s.bucket, CORSConfiguration: &types.CORSConfiguration{
		CORSRules: []types.CORSRule{{
			AllowedOrigins: []string{"https://*.example.com"}, AllowedMethods: []string{"GET", "PUT"},
			AllowedHeaders: []string{"content-type", "x-amz-*"}, ExposeHeaders: []string{"ETag"}, MaxAgeSeconds: aws.Int32(60),
		}},
	}})
	if err != nil {
		s.Fatal(err)
	}
	preflight := func(origin, method, headers string) (*reply, string) {
		h := map[string]string{"Origin": origin, "Access-Control-Request-Method": method}
		if headers != "" {
			h["Access-Control-Request-Headers"] = headers
		}
		return s.raw("OPTIONS", "/"+s.bucket+"/k", h, nil)
	}
	resp, _ := preflight("https://a.example.com", "PUT", "X-Amz-Date, Content-Type")
	s.equal("status", resp.StatusCode, 200)
	s.equal("origin", resp.Header.Get("Access-Control-Allow-Origin"), "https://a.example.com")
	s.equal("methods", resp.Header.Get("Access-Control-Allow-Methods"), "GET, PUT")
	s.equal("age", resp.Header.Get("Access-Control-Max-Age"), "60")
	for _, bad := range [][3]string{{"https://evil.com", "PUT", ""}, {"https://a.example.com", "DELETE", ""}, {"https://a.example.com", "PUT", "x-other"}} {
		resp, body := preflight(bad[0], bad[1], bad[2])
		s.wantError(fmt.Sprint(bad), resp, body, 403, "AccessForbidden")
	}
	req := s.request("GET", "/"+s.bucket+"?list-type=2", "")
	req.Header.Set("Origin", "https://b.example.com")
	s.sign(req, hexSum(""), s.Secret, time.Now())
	resp, _ = s.send(req)
	s.equal("expose", resp.Header.Get("Access-Control-Expose-Headers"), "ETag")
	s.equal("origin", resp.Header.Get("Access-Control-Allow-Origin"), "https://b.example.com")
	got, err := s.Client.GetBucketCors(s.ctx(), &s3.GetBucketCorsInput{Bucket: &s.bucket})
	if err != nil || len(got.CORSRules) != 1 || got.CORSRules[0].AllowedHeaders[1] != "x-amz-*" {
		s.Errorf("%+v, %v", got, err)
	}
}
