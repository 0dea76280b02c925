package sigv4_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"pressroom/sigv4"
)

// A handler for a service like DynamoDB, whose clients sign the hash of the
// body without saying what it is.
func ExampleVerifier_VerifyBody() {
	verifier := &sigv4.Verifier{
		Secret: func(id string) (string, bool) {
			secrets := map[string]string{"AKIDEXAMPLE": "a secret"}
			secret, ok := secrets[id]
			return secret, ok
		},
		Service: "dynamodb",
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 16<<20))
		if err != nil {
			return
		}
		id, err := verifier.VerifyBody(r, sha256.Sum256(body))
		if err != nil {
			var refused *sigv4.Error
			errors.As(err, &refused)
			fmt.Println("refused:", refused.Code)
			http.Error(w, refused.Message, http.StatusForbidden)
			return
		}
		fmt.Println("signed by", id.AccessKeyID)
	}))
	defer server.Close()

	// A client, with the right secret and with a wrong one.
	for _, secret := range []string{"a secret", "a guess"} {
		body := `{"TableName":"blog"}`
		r, err := http.NewRequest("POST", server.URL, strings.NewReader(body))
		if err != nil {
			log.Fatal(err)
		}
		r.Header.Set("X-Amz-Target", "DynamoDB_20120810.DescribeTable")
		sum := sha256.Sum256([]byte(body))
		creds := aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: secret}
		err = v4.NewSigner().SignHTTP(context.Background(), creds, r, hex.EncodeToString(sum[:]), "dynamodb", "eu-west-1", time.Now())
		if err != nil {
			log.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			log.Fatal(err)
		}
		resp.Body.Close()
	}
	// Output:
	// signed by AKIDEXAMPLE
	// refused: SignatureMismatch
}

// A presigned URL, from the Amazon S3 API Reference, on its day and after it.
func ExampleVerifier_Verify() {
	verifier := &sigv4.Verifier{
		Secret: func(string) (string, bool) { return "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", true },
		Now:    func() time.Time { return time.Date(2013, 5, 24, 12, 0, 0, 0, time.UTC) },
	}
	r := httptest.NewRequest("GET", "https://examplebucket.s3.amazonaws.com/test.txt"+
		"?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"+
		"&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"+
		"&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404", nil)
	id, err := verifier.Verify(r)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(id.Service, id.Region, id.Presigned, id.Expires, id.PayloadHash)

	verifier.Now = func() time.Time { return time.Date(2013, 5, 25, 0, 0, 1, 0, time.UTC) }
	_, err = verifier.Verify(r)
	fmt.Println(err)
	// Output:
	// s3 us-east-1 true 24h0m0s UNSIGNED-PAYLOAD
	// sigv4: Expired: Request has expired
}

// The chunked upload of the Amazon S3 API Reference: 65 KB in two chunks and
// an empty one. Whoever reads the framing of the body passes on the data of
// each chunk, and the signature from its header.
func ExampleChunks() {
	r := httptest.NewRequest("PUT", "https://s3.amazonaws.com/examplebucket/chunkObject.txt", nil)
	for name, value := range map[string]string{
		"X-Amz-Date":                   "20130524T000000Z",
		"X-Amz-Content-Sha256":         sigv4.StreamingPayload,
		"X-Amz-Decoded-Content-Length": "66560",
		"X-Amz-Storage-Class":          "REDUCED_REDUNDANCY",
		"Content-Encoding":             "aws-chunked",
		"Content-Length":               "66824",
		"Authorization": "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, " +
			"SignedHeaders=content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class, " +
			"Signature=4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9",
	} {
		r.Header.Set(name, value)
	}
	verifier := &sigv4.Verifier{
		Secret: func(string) (string, bool) { return "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", true },
		Now:    func() time.Time { return time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC) },
	}
	id, err := verifier.Verify(r)
	if err != nil {
		log.Fatal(err)
	}

	chunks := id.Chunks()
	for _, chunk := range []struct {
		data, signature string
	}{
		{strings.Repeat("a", 65536), "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648"},
		{strings.Repeat("a", 1024), "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497"},
		{"", "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9"},
	} {
		io.WriteString(chunks, chunk.data)
		fmt.Println(len(chunk.data), chunks.EndChunk(chunk.signature))
	}
	// Output:
	// 65536 <nil>
	// 1024 <nil>
	// 0 <nil>
}
