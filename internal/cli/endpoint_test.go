package cli

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/local"
)

// TestLocalIsTheProgram: the command has the flags of the program that is nothing else,
// and both show them all.
func TestLocalIsTheProgram(t *testing.T) {
	help := ok(t, "local", "--help")
	var own output
	if code := local.Run(t.Context(), Process{Args: []string{"--help"}, Stdout: &own}); code != 0 {
		t.Fatalf("exit status %d", code)
	}
	flags := regexp.MustCompile(`--[a-z-]+`)
	of := func(text string) map[string]bool {
		_, list, _ := strings.Cut(text, "\nFlags:\n")
		all := map[string]bool{}
		for line := range strings.Lines(list) {
			if begin := strings.TrimLeft(line, " "); strings.HasPrefix(begin, "-") {
				all[flags.FindString(begin)] = true
			}
		}
		delete(all, "--version") // is a command of its own
		return all
	}
	if diff := cmp.Diff(of(own.String()), of(help)); diff != "" || len(of(help)) < 12 {
		t.Errorf("flags (-program +command):\n%s\n%s", diff, help)
	}
}

// certificate writes a certificate for 127.0.0.1 and its key.
func certificate(t *testing.T) (cert, key string, roots *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})
	for name, content := range map[string][]byte{cert: text, key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	roots = x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	return cert, key, roots
}

func TestLocalOverTLS(t *testing.T) {
	cert, key, roots := certificate(t)
	url := startLocal(t, "--aws-tls-cert="+cert, "--aws-tls-key="+key)
	if !strings.HasPrefix(url, "https://") {
		t.Errorf("it says that it is at %s", url)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	defer client.CloseIdleConnections()
	for path, want := range map[string]string{"/_localstack/health": `"s3":"running"`, "/": "ListAllMyBucketsResult"} {
		resp, err := client.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if !strings.Contains(string(body), want) {
			t.Errorf("%s: %s %s", path, resp.Status, body)
		}
	}
	r, _ := http.NewRequest("POST", url, strings.NewReader("{}"))
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810.ListTables")
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("ListTables: %s", resp.Status)
	}
}

// TestLocalMakesItsCertificate: whoever has the file that it makes can call.
func TestLocalMakesItsCertificate(t *testing.T) {
	dir := t.TempDir()
	cert := filepath.Join(dir, "cert.pem")
	url := startLocal(t, "--aws-tls-make", "--aws-tls-cert="+cert, "--aws-tls-key="+filepath.Join(dir, "key.pem"))
	text, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	defer client.CloseIdleConnections()
	resp, err := client.Get(url + "/_pressroom/health")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("health: %s", resp.Status)
	}
}

// TestForeignHosts: pages that only this machine is served do not answer for
// names that somebody else chose.
func TestForeignHosts(t *testing.T) {
	site := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	here, everywhere := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}, &net.TCPAddr{IP: net.IPv4zero, Port: 8080}
	var plain, public, proxied newsroom
	public.settings.PublicURL = "https://news.example"
	proxied.settings.TrustedProxies = make([]network, 1)
	for _, tt := range []struct {
		name string
		n    newsroom
		addr net.Addr
		host string
		want int
	}{
		{"this machine", plain, here, "127.0.0.1:8080", 200},
		{"this machine by name", plain, here, "localhost:8080", 200},
		{"a rebound name", plain, here, "rebound.example.org:8080", 421},
		{"an address of the network", plain, here, "192.168.1.5:8080", 421},
		{"a public site", public, here, "news.example", 200},
		{"behind a proxy", proxied, here, "news.example", 200},
		{"on every interface", plain, everywhere, "newsroom.lan:8080", 200},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = tt.host
		w := httptest.NewRecorder()
		tt.n.guardHost(site, tt.addr).ServeHTTP(w, r)
		if w.Code != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, w.Code, tt.want)
		}
	}
}
