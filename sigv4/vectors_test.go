package sigv4

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// The examples that AWS publishes: the Signature Version 4 test suite, and
// those in the Amazon S3 API Reference.

const (
	suiteKey    = "AKIDEXAMPLE"
	suiteSecret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
	suiteDate   = "20150830T123600Z"
	suiteScope  = "20150830/us-east-1/service/aws4_request"

	docKey    = "AKIAIOSFODNN7EXAMPLE"
	docSecret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
	docDate   = "20130524T000000Z"
	docScope  = "20130524/us-east-1/s3/aws4_request"
)

// suite has what the test suite signs and the two signatures it gives. All
// requests go to example.amazonaws.com, and are signed with host, their
// headers, and x-amz-date, or as presigned URLs for an hour. Left out are the
// cases with a space in the request line, which no HTTP server reads.
var suite = []struct {
	name, method, target string
	headers              string
	token, body          string
	header, query        string // signatures
}{
	{name: "get-header-key-duplicate", method: "GET", target: "/", headers: "My-Header1:value2\nMy-Header1:value2\nMy-Header1:value1",
		header: "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea", query: "3349ee0b81b4b589da0ff28a395c3591e04de515651dd74f298fa992d1507a97"},
	{name: "get-header-value-multiline", method: "GET", target: "/", headers: "My-Header1:value1\n  value2\n     value3",
		header: "cfd34249e4b1c8d6b91ef74165d41a32e5fab3306300901bb65a51a73575eefd", query: "e6f5def831211aca02987a44b96826706278c7bc078112ae0263659c5b2f2d56"},
	{name: "get-header-value-order", method: "GET", target: "/", headers: "My-Header1:value4\nMy-Header1:value1\nMy-Header1:value3\nMy-Header1:value2",
		header: "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01", query: "313720e71ca6202fdcfa9b20f88de01a4eb0638a83c833b1c184359a4eda864e"},
	{name: "get-header-value-trim", method: "GET", target: "/", headers: "My-Header1: value1\nMy-Header2: \"a   b   c\"",
		header: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736", query: "e7bb0fd515e125e1aec2ecc4c0c17484fb06f6846b927c35e46005dd3df3acd4"},
	{name: "get-relative-normalized", method: "GET", target: "/example/..",
		header: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31", query: "e93c787ed7f371d5c6b165c1b38ede9550f4dce4144713e844b25b7192d3865d"},
	{name: "get-relative-relative-normalized", method: "GET", target: "/example1/example2/../..",
		header: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31", query: "e93c787ed7f371d5c6b165c1b38ede9550f4dce4144713e844b25b7192d3865d"},
	{name: "get-relative-relative-unnormalized", method: "GET", target: "/example1/example2/../..",
		header: "dc33e0856fd4baca4d7aa2146c38958283844764f38c74252a333df5e613003b", query: "b45db0bfd1cf15003493b733e33aa208dd981bd0e63037a6ed953f71d2118a16"},
	{name: "get-relative-unnormalized", method: "GET", target: "/example/..",
		header: "eca7ead57bb5aa5c8e28007acd4ff04e1ff9a0ff3b237ec1554a184887ff9282", query: "cbcb213b928a077e43275df47b500f1dfaa864ab3f5a18f6b95f4ff0938167ee"},
	{name: "get-slash-dot-slash-normalized", method: "GET", target: "/./",
		header: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31", query: "e93c787ed7f371d5c6b165c1b38ede9550f4dce4144713e844b25b7192d3865d"},
	{name: "get-slash-dot-slash-unnormalized", method: "GET", target: "/./",
		header: "68714168e6557f8f2de0ef956fc24dc2593a4bd2961f8df51898d8a134695145", query: "a9b13e8f3484d9505bf1a6f347219f8f35b0fe8f128ceea597efc146a3dfe90c"},
	{name: "get-slash-normalized", method: "GET", target: "//",
		header: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31", query: "e93c787ed7f371d5c6b165c1b38ede9550f4dce4144713e844b25b7192d3865d"},
	{name: "get-slash-pointless-dot-normalized", method: "GET", target: "/./example",
		header: "ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5", query: "35034b1a0bdd969f346975386daf8aedfd4976573b8348cf4f67eaa41c5857de"},
	{name: "get-slash-pointless-dot-unnormalized", method: "GET", target: "/./example",
		header: "beb03f223f7deae4146464f06e29eebbee9c8afbe15c290cf07aa8b119e14cff", query: "72b11f16d9530b18204bfb71f2d6ab085894c0ed8d352730a6e76234c58b5e10"},
	{name: "get-slash-unnormalized", method: "GET", target: "//",
		header: "c88bcd3d312d75078c0cd961d6deae3f4c754924b01669efcfcb439fd5e5b76e", query: "b2a9542809db687769200f56a844a03f2bd0291d6eb90232d5101c6a579446cd"},
	{name: "get-slashes-normalized", method: "GET", target: "//example//",
		header: "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84", query: "c1834e8fb0307243711f0f907f6ab7311ed300d87f13792d7ee4da89ab93e082"},
	{name: "get-slashes-unnormalized", method: "GET", target: "//example//",
		header: "87cca117541a147f6df867677d98a7d80dff226d2bfca9e4ffa899665623c7e5", query: "822a5a9ba28072c5ab2bb4a6307d0c88276d40e49fec6b724c03fb4d4ba60fc2"},
	{name: "get-unreserved", method: "GET", target: "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
		header: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f", query: "95968482db1b9e0fadef6efc1bd24689f77c77d9ef56919c96a28cc92e0d6005"},
	{name: "get-utf8", method: "GET", target: "/ሴ",
		header: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85", query: "10eae3f14a260bd3911cc6d008d3c576d143b05b62f09782a7a4b37f52178e44"},
	{name: "get-vanilla", method: "GET", target: "/",
		header: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31", query: "e93c787ed7f371d5c6b165c1b38ede9550f4dce4144713e844b25b7192d3865d"},
	{name: "get-vanilla-empty-query-key", method: "GET", target: "/?Param1=value1",
		header: "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb", query: "49096700cbbaa5753443850f40df10f904fc2fdb544dc9512203cc77c471a9de"},
	{name: "get-vanilla-query-order-encoded", method: "GET", target: "/?Param-3=Value3&Param=Value2&%E1%88%B4=Value1",
		header: "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac", query: "c5f1848ceec943ac2ca68ee720460c23aaae30a2300586597ada94c4a65e4787"},
	{name: "get-vanilla-query-order-key-case", method: "GET", target: "/?Param2=value2&Param1=value1",
		header: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500", query: "86012e2c9ad4d77369f5d81c11f75158aae4f895a085212cc6d3f923d300bed5"},
	{name: "get-vanilla-query-unreserved", method: "GET", target: "/?-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz=-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
		header: "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197", query: "8e76a88a7433637b12778d5592799b29ad21ecd6cf6325051c21d86f0acda2bf"},
	{name: "get-vanilla-utf8-query", method: "GET", target: "/?ሴ=bar",
		header: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04", query: "0bdd809b1519ac4f0c1dc3540e2cc46bd0c7f778eda408b2ebf3b913d21ff600"},
	{name: "get-vanilla-with-session-token", method: "GET", target: "/", token: "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267",
		header: "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8", query: "7ff2b50b376cb4d151970630573d6291dc128cc5c2a12ffb237f73cc53f67b6c"},
	{name: "post-header-key-case", method: "POST", target: "/",
		header: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b", query: "2ce6e6d2e0cf2f9d1b55fafec88cd20574c31dc2e7631979f71ba2310083e95b"},
	{name: "post-header-key-sort", method: "POST", target: "/", headers: "My-Header1:value1",
		header: "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c", query: "c09d07e0d55871f10f2a6d350d994acf6825a3cae70673d7def55616e6119dd7"},
	{name: "post-header-value-case", method: "POST", target: "/", headers: "My-Header1:VALUE1",
		header: "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d", query: "0698bc9e4f7f9139065ba2909c0e99da257e8e2a42492a097bcd46d792391fed"},
	{name: "post-vanilla-empty-query-value", method: "POST", target: "/?Param1=value1",
		header: "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11", query: "a9ef26247f293bffe40eeff86a0480ba8c14d31503b2e0c3399e3a16bf1a3682"},
	{name: "post-x-www-form-urlencoded", method: "POST", target: "/", headers: "Content-Type:application/x-www-form-urlencoded", body: "Param1=value1",
		header: "d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b", query: "89a40deed0f26f9461242825a082d2222717248abc7ab41f552ad84a94ad46e9"},
	{name: "post-x-www-form-urlencoded-parameters", method: "POST", target: "/", headers: "Content-Type:application/x-www-form-urlencoded; charset=utf-8", body: "Param1=value1",
		header: "328d1b9eaadca9f5818ef05e8392801e091653bafec24fcab71e7344e7f51422", query: "0dbeb9b026c7b6675f266b8427efec9b4fa8b1f6ef1477d717aea231106eab4d"},
}

// readRequest reads a request as a server would.
func readRequest(t testing.TB, text string) *http.Request {
	t.Helper()
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(strings.ReplaceAll(text, "\n", "\r\n"))))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func at(t testing.TB, date string) func() time.Time {
	t.Helper()
	now, err := time.Parse(timeFormat, date)
	if err != nil {
		t.Fatal(err)
	}
	return func() time.Time { return now }
}

func oneKey(id, secret string) func(string) (string, bool) {
	return func(got string) (string, bool) { return secret, got == id }
}

// names returns the header names in a block of header lines and more,
// lower-case and sorted.
func names(headers string, more ...string) string {
	for line := range strings.Lines(headers) {
		if name, _, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, " ") {
			more = append(more, strings.ToLower(name))
		}
	}
	slices.Sort(more)
	return strings.Join(slices.Compact(more), ";")
}

func authorization(key, scope, signed, signature string) string {
	return fmt.Sprintf("%s Credential=%s/%s, SignedHeaders=%s, Signature=%s", algorithm, key, scope, signed, signature)
}

func TestSuite(t *testing.T) {
	v := &Verifier{
		Secret: oneKey(suiteKey, suiteSecret), Service: "service", Region: "us-east-1", Now: at(t, suiteDate),
	}
	for _, tt := range suite {
		headers := "Host: example.amazonaws.com\n"
		if tt.headers != "" {
			headers += tt.headers + "\n"
		}
		if tt.body != "" {
			headers += fmt.Sprintf("Content-Length: %d\n", len(tt.body))
		}
		sum := sha256.Sum256([]byte(tt.body))
		t.Run(tt.name+"/header", func(t *testing.T) {
			signed := headers + "X-Amz-Date: " + suiteDate + "\n"
			if tt.token != "" {
				signed += "X-Amz-Security-Token: " + tt.token + "\n"
			}
			if tt.body != "" {
				signed += "X-Amz-Content-Sha256: " + hex.EncodeToString(sum[:]) + "\n"
			}
			auth := "Authorization: " + authorization(suiteKey, suiteScope, names(signed), tt.header)
			r := readRequest(t, tt.method+" "+tt.target+" HTTP/1.1\n"+signed+auth+"\n\n"+tt.body)
			id, err := v.VerifyBody(r, sum)
			if err != nil {
				t.Fatalf("%v\n%s", err, err.(*Error).CanonicalRequest)
			}
			if id.AccessKeyID != suiteKey || id.SecurityToken != tt.token || id.Presigned || !id.Date.Equal(v.Now()) {
				t.Errorf("identity = %+v", id)
			}
		})
		t.Run(tt.name+"/query", func(t *testing.T) {
			target := tt.target + "?"
			if strings.Contains(tt.target, "?") {
				target = tt.target + "&"
			}
			target += "X-Amz-Algorithm=" + algorithm + "&X-Amz-Credential=" + url.QueryEscape(suiteKey+"/"+suiteScope) +
				"&X-Amz-Date=" + suiteDate + "&X-Amz-SignedHeaders=" + url.QueryEscape(names(headers)) + "&X-Amz-Expires=3600"
			if tt.token != "" {
				target += "&X-Amz-Security-Token=" + url.QueryEscape(tt.token)
			}
			target += "&X-Amz-Signature=" + tt.query
			r := readRequest(t, tt.method+" "+target+" HTTP/1.1\n"+headers+"\n"+tt.body)
			id, err := v.VerifyBody(r, sum)
			if err != nil {
				t.Fatalf("%v\n%s", err, err.(*Error).CanonicalRequest)
			}
			if id.AccessKeyID != suiteKey || id.SecurityToken != tt.token || !id.Presigned || id.Expires != time.Hour {
				t.Errorf("identity = %+v", id)
			}
		})
	}
}

func docVerifier(t testing.TB) *Verifier {
	return &Verifier{Secret: oneKey(docKey, docSecret), Service: "s3", Region: "us-east-1", Now: at(t, docDate)}
}

func TestS3Examples(t *testing.T) {
	tests := []struct {
		name, line, headers, payload, signature string
	}{
		{"get object", "GET /test.txt", "Range: bytes=0-9\n", EmptyPayload,
			"f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
		{"put object", "PUT /test%24file.text",
			"Date: Fri, 24 May 2013 00:00:00 GMT\nX-Amz-Storage-Class: REDUCED_REDUNDANCY\n",
			"44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
			"98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"},
		{"put object, path less escaped", "PUT /test$file.text",
			"Date: Fri, 24 May 2013 00:00:00 GMT\nX-Amz-Storage-Class: REDUCED_REDUNDANCY\n",
			"44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
			"98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"},
		{"get lifecycle", "GET /?lifecycle", "", EmptyPayload,
			"fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
		{"list objects", "GET /?max-keys=2&prefix=J", "", EmptyPayload,
			"34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
	}
	v := docVerifier(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			headers := "Host: examplebucket.s3.amazonaws.com\nX-Amz-Date: " + docDate +
				"\nX-Amz-Content-Sha256: " + tt.payload + "\n" + tt.headers
			auth := authorization(docKey, docScope, names(headers), tt.signature)
			r := readRequest(t, tt.line+" HTTP/1.1\n"+headers+"Authorization: "+auth+"\n\n")
			id, err := v.Verify(r)
			if err != nil {
				t.Fatalf("%v\n%s", err, err.(*Error).CanonicalRequest)
			}
			if id.PayloadHash != tt.payload {
				t.Errorf("payload hash = %s", id.PayloadHash)
			}
		})
	}
}

const docPresigned = "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256" +
	"&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request" +
	"&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host" +
	"&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"

func TestS3PresignedExample(t *testing.T) {
	r := readRequest(t, "GET "+docPresigned+" HTTP/1.1\nHost: examplebucket.s3.amazonaws.com\n\n")
	id, err := docVerifier(t).Verify(r)
	if err != nil {
		t.Fatal(err)
	}
	if !id.Presigned || id.Expires != 24*time.Hour || id.PayloadHash != UnsignedPayload {
		t.Errorf("identity = %+v", id)
	}
}

// chunked returns the seed of the documented chunked uploads: 65 KB of "a",
// in a chunk of 64 KB and one of 1 KB.
func chunked(t testing.TB, payload, more, signature string) *Chunks {
	t.Helper()
	headers := "Host: s3.amazonaws.com\nX-Amz-Date: " + docDate + "\nX-Amz-Storage-Class: REDUCED_REDUNDANCY\n" +
		"X-Amz-Content-Sha256: " + payload + "\nContent-Encoding: aws-chunked\nX-Amz-Decoded-Content-Length: 66560\n" + more
	auth := authorization(docKey, docScope, names(headers), signature)
	r := readRequest(t, "PUT /examplebucket/chunkObject.txt HTTP/1.1\n"+headers+"Authorization: "+auth+"\n\n")
	id, err := docVerifier(t).Verify(r)
	if err != nil {
		t.Fatalf("%v\n%s", err, err.(*Error).CanonicalRequest)
	}
	if !id.Streaming() {
		t.Error("not streaming")
	}
	return id.Chunks()
}

func feed(t testing.TB, c *Chunks, n int, signature string) error {
	t.Helper()
	for n > 0 { // in pieces, as it arrives
		piece := min(n, 1000)
		if _, err := c.Write([]byte(strings.Repeat("a", piece))); err != nil {
			t.Fatal(err)
		}
		n -= piece
	}
	return c.EndChunk(signature)
}

var docChunks = []struct {
	size      int
	signature string
}{
	{64 << 10, "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648"},
	{1 << 10, "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497"},
	{0, "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9"},
}

const docSeed = "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9"

func TestChunkedExample(t *testing.T) {
	c := chunked(t, StreamingPayload, "Content-Length: 66824\n", docSeed)
	for _, chunk := range docChunks {
		if err := feed(t, c, chunk.size, chunk.signature); err != nil {
			t.Fatal(err)
		}
	}
}

var docTrailer = http.Header{"X-Amz-Checksum-Crc32c": {"sOO8/Q=="}}

func chunkedWithTrailer(t testing.TB) *Chunks {
	t.Helper()
	c := chunked(t, StreamingPayloadTrailer, "X-Amz-Trailer: x-amz-checksum-crc32c\n",
		"106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e")
	for _, chunk := range []struct {
		size      int
		signature string
	}{
		{64 << 10, "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2"},
		{1 << 10, "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7"},
		{0, "2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992"},
	} {
		if err := feed(t, c, chunk.size, chunk.signature); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

const docTrailerSignature = "d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435"

func TestTrailerExample(t *testing.T) {
	if err := chunkedWithTrailer(t).Trailer(docTrailer, docTrailerSignature); err != nil {
		t.Fatal(err)
	}
}
