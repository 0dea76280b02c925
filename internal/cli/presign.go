package cli

import (
	"fmt"
	"net"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// presigner makes addresses for uploads on the endpoint that others reach, as far
// as it is known before it listens; otherwise nil.
func (w *wiring) presigner() *s3.Client {
	if w.store.remote() {
		return nil // the client's own endpoint is one that others reach
	}
	host, port, err := net.SplitHostPort(string(w.set.AWSAddr))
	if err != nil || port == "0" {
		return nil
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	endpoint := fmt.Sprintf("http://%s", net.JoinHostPort(host, port))
	id, key := w.set.AWSAccessKeyID, w.set.AWSSecretAccessKey.Reveal()
	if id == "" {
		id, key = "pressroom", "pressroom" // any will do
	}
	return s3.New(s3.Options{
		BaseEndpoint: &endpoint, Region: "us-east-1", UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(id, key, ""),
	})
}
