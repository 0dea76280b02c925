package edge

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// Who is given the certificate can call by every name of this machine.
func TestMakeCertificate(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	if err := MakeCertificate(cert, key, "192.0.2.1", "newsroom.example"); err != nil {
		t.Fatal(err)
	}
	made, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	if err := MakeCertificate(cert, key); err != nil {
		t.Fatal(err)
	}
	if again, _ := os.ReadFile(cert); string(again) != string(made) {
		t.Error("a certificate that was there was made anew")
	}
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key is %v, %v", info.Mode(), err)
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	srv.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	srv.StartTLS()
	defer srv.Close()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(made)
	for _, name := range []string{"127.0.0.1", "localhost", "bucket.localhost", "bucket.s3.localhost.localstack.cloud", "192.0.2.1", "newsroom.example"} {
		conn, err := tls.Dial("tcp", srv.Listener.Addr().String(), &tls.Config{RootCAs: roots, ServerName: name})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_ = conn.Close()
	}
	if conn, err := tls.Dial("tcp", srv.Listener.Addr().String(), &tls.Config{RootCAs: roots, ServerName: "elsewhere.example"}); err == nil {
		_ = conn.Close()
		t.Error("it is good for another name")
	}
}
