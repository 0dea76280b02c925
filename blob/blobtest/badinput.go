package blobtest

import (
	"net/http"
	"strings"
	"time"
)

// badBodies sends bodies that are not what their headers say. Nothing of them
// may be kept.
func badBodies(s *suite) {
	path := "/" + s.bucket + "/bad"
	const crc = "x-amz-checksum-crc32:DUoRhQ==\r\n" // of "hello world"
	chunked := map[string]string{
		"X-Amz-Content-Sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER", "X-Amz-Decoded-Content-Length": "11",
		"X-Amz-Trailer": "x-amz-checksum-crc32", "Content-Encoding": "aws-chunked",
	}
	with := func(h map[string]string, k, v string) map[string]string {
		c := map[string]string{k: v}
		for k, v := range h {
			if _, ok := c[k]; !ok {
				c[k] = v
			}
		}
		return c
	}
	tests := []struct {
		name   string
		header map[string]string
		body   string
		status int
		code   string
	}{
		{"truncated chunk", chunked, "b\r\nhello", 400, "IncompleteBody"},
		{"no last chunk", chunked, "b\r\nhello world\r\n", 400, "IncompleteBody"},
		{"no end of trailers", chunked, "b\r\nhello world\r\n0\r\n" + crc, 400, "IncompleteBody"},
		{"size is no number", chunked, "xyz\r\nhello world\r\n0\r\n" + crc + "\r\n", 400, "IncompleteBody"},
		{"huge size", chunked, "7fffffffffffffff\r\nhello world\r\n0\r\n" + crc + "\r\n", 400, "IncompleteBody"},
		{"negative size", chunked, "-1\r\nhello world\r\n0\r\n" + crc + "\r\n", 400, "IncompleteBody"},
		{"text after the end", chunked, "b\r\nhello world\r\n0\r\n" + crc + "\r\nmore", 400, "IncompleteBody"},
		{"no trailer", chunked, "b\r\nhello world\r\n0\r\n\r\n", 400, "MalformedTrailerError"},
		{"another trailer", chunked, "b\r\nhello world\r\n0\r\nx-amz-checksum-sha1:x\r\n\r\n", 400, "MalformedTrailerError"},
		{"wrong trailer", chunked, "b\r\nhello world\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n", 400, "BadDigest"},
		{"malformed trailer", chunked, "b\r\nhello world\r\n0\r\nx-amz-checksum-crc32:!\r\n\r\n", 400, "InvalidRequest"},
		{"other length", with(chunked, "X-Amz-Decoded-Content-Length", "12"), "b\r\nhello world\r\n0\r\n" + crc + "\r\n", 400, "IncompleteBody"},
		{"no length", with(chunked, "X-Amz-Decoded-Content-Length", ""), "b\r\nhello world\r\n0\r\n" + crc + "\r\n", 411, "MissingContentLength"},
		{"unknown trailer", with(chunked, "X-Amz-Trailer", "x-evil"), "b\r\nhello world\r\n0\r\nx-evil:1\r\n\r\n", 400, "InvalidRequest"},
	}
	for _, tt := range tests {
		req := s.request("PUT", path, tt.body)
		for k, v := range tt.header {
			if v != "" {
				req.Header.Set(k, v)
			}
		}
		s.sign(req, tt.header["X-Amz-Content-Sha256"], s.Secret, time.Now())
		resp, body := s.send(req)
		s.wantError(tt.name, resp, body, tt.status, tt.code)
	}
	_, _, err := s.tryGet("bad")
	s.wantCode("nothing was written", err, "NoSuchKey")

	req := s.request("PUT", "/"+s.bucket+"/good", "b\r\nhello world\r\n0\r\n"+crc+"\r\n")
	for k, v := range chunked {
		req.Header.Set(k, v)
	}
	s.sign(req, chunked["X-Amz-Content-Sha256"], s.Secret, time.Now())
	if resp, body := s.send(req); resp.StatusCode != 200 {
		s.Fatalf("the same without fault: %d %s", resp.StatusCode, body)
	}
	s.equal("the same without fault", s.get("good"), "hello world")
}

func badRequests(s *suite) {
	bomb := `<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>` +
		`<Tagging><TagSet><Tag><Key>&b;</Key><Value>x</Value></Tag></TagSet></Tagging>`
	deep := strings.Repeat("<a>", 100_000)
	s.put("k", "v")
	tests := []struct {
		name, method, path, body string
		header                   map[string]string
		status                   int
		code                     string
	}{
		{"entity bomb", "PUT", "/k?tagging", bomb, nil, 400, "MalformedXML"},
		{"deep XML", "PUT", "/k?tagging", deep, nil, 400, "MalformedXML"},
		{"no XML", "PUT", "?versioning", "{}", nil, 400, "MalformedXML"},
		{"empty XML", "PUT", "?cors", "", nil, 400, "MissingRequestBodyError"},
		{"two documents", "PUT", "/k?tagging", "<Tagging><TagSet/></Tagging><Tagging/>", nil, 400, "MalformedXML"},
		{"unknown versioning", "PUT", "?versioning", "<VersioningConfiguration><Status>Maybe</Status></VersioningConfiguration>", nil, 400, "MalformedXML"},
		{"lifecycle without rule", "PUT", "?lifecycle", "<LifecycleConfiguration/>", nil, 400, "MalformedXML"},
		{"large part number", "PUT", "/k?partNumber=10001&uploadId=00000000000000000000000000000000", "", nil, 400, "InvalidArgument"},
		{"part number that is none", "PUT", "/k?partNumber=x&uploadId=00000000000000000000000000000000", "", nil, 400, "InvalidArgument"},
		{"unknown upload", "PUT", "/k?partNumber=1&uploadId=../../etc", "", nil, 404, "NoSuchUpload"},
		{"max-keys that is none", "GET", "?list-type=2&max-keys=many", "", nil, 400, "InvalidArgument"},
		{"negative max-keys", "GET", "?max-keys=-1", "", nil, 400, "InvalidArgument"},
		{"unknown encoding", "GET", "?encoding-type=rot13", "", nil, 400, "InvalidArgument"},
		{"unknown class", "PUT", "/x", "v", map[string]string{"X-Amz-Storage-Class": "ICE"}, 400, "InvalidStorageClass"},
		{"unknown checksum", "PUT", "/x", "v", map[string]string{"X-Amz-Checksum-Crc9": "AAAA"}, 400, "InvalidRequest"},
		{"two checksums", "PUT", "/x", "v", map[string]string{"X-Amz-Checksum-Crc32": "AAAAAA==", "X-Amz-Checksum-Sha1": "2jmj7l5rSw0yVb/vlWAYkK/YBwk="}, 400, "InvalidRequest"},
		{"customer key", "PUT", "/x", "v", map[string]string{"X-Amz-Server-Side-Encryption-Customer-Algorithm": "AES256"}, 501, "NotImplemented"},
		{"grants", "PUT", "/x", "v", map[string]string{"X-Amz-Grant-Read": "id=1"}, 400, "AccessControlListNotSupported"},
		{"copy of nothing", "PUT", "/x", "", map[string]string{"X-Amz-Copy-Source": "/"}, 400, "InvalidArgument"},
		{"bad escape", "PUT", "/x", "", map[string]string{"X-Amz-Copy-Source": "b/%zz"}, 400, "InvalidArgument"},
		{"bad tags", "PUT", "/x", "v", map[string]string{"X-Amz-Tagging": "a=1&a=2"}, 400, "InvalidArgument"},
		{"bytes that are no text", "PUT", "/%ff%fe", "v", nil, 400, "InvalidURI"},
		{"delete without digest", "POST", "?delete", "<Delete><Object><Key>k</Key></Object></Delete>", nil, 400, "InvalidRequest"},
		{"a policy that is none", "PUT", "?policy", "hello", nil, 400, "MalformedPolicy"},
		{"patch", "PATCH", "/k", "", nil, 405, "MethodNotAllowed"},
		{"headers of 9 KB", "GET", "/k", "", map[string]string{"X-Long": strings.Repeat("x", 9000)}, 400, "RequestHeaderSectionTooLarge"},
	}
	for _, tt := range tests {
		req := s.request(tt.method, "/"+s.bucket+tt.path, tt.body)
		for k, v := range tt.header {
			req.Header.Set(k, v)
		}
		s.sign(req, hexSum(tt.body), s.Secret, time.Now())
		resp, body := s.send(req)
		s.wantError(tt.name, resp, body, tt.status, tt.code)
		if resp.Header.Get("X-Amz-Request-Id") == "" {
			s.Errorf("%s: no request id", tt.name)
		}
	}
	s.equal("the object itself", s.get("k"), "v")
	_, _, err := s.tryGet("x")
	s.wantCode("nothing was written", err, "NoSuchKey")
	req := s.request(http.MethodHead, "/"+s.bucket+"/none", "")
	s.sign(req, hexSum(""), s.Secret, time.Now())
	if resp, body := s.send(req); resp.StatusCode != 404 || body != "" {
		s.Errorf("head of none: %d %q", resp.StatusCode, body)
	}
}
