package channel

import (
	"bytes"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"pressroom/internal/deliver"
	"pressroom/internal/outbound"
)

func unbase(t testing.TB, s string) []byte {
	t.Helper()
	raw, err := b64.DecodeString(s)
	must(t, err)
	return raw
}

// The example of RFC 8291, section 5.
func TestSealExample(t *testing.T) {
	sender, err := ecdh.P256().NewPrivateKey(unbase(t, "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
	must(t, err)
	got, err := seal([]byte("When I grow up, I want to be a watermelon"),
		unbase(t, "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"), unbase(t, "BTBZMqHH6r4Tts7J_aSIgg"), unbase(t, "DGv6ra1nlYgDCS1FRnbzlw"), sender)
	must(t, err)
	want := "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
	if b64.EncodeToString(got) != want {
		t.Errorf("sealed %s", b64.EncodeToString(got))
	}
}

// browser is a subscription, with the keys that only the browser has.
type browser struct {
	private *ecdh.PrivateKey
	auth    []byte
}

func newBrowser(t testing.TB) *browser {
	t.Helper()
	private, err := ecdh.P256().GenerateKey(rand.Reader)
	must(t, err)
	b := &browser{private, make([]byte, authLen)}
	_, _ = rand.Read(b.auth)
	return b
}

func (b *browser) keys(t testing.TB) []byte {
	t.Helper()
	keys, err := PushKeys(b64.EncodeToString(b.private.PublicKey().Bytes()), b64.EncodeToString(b.auth))
	must(t, err)
	return keys
}

// What is sent is signed for the service, and others' programs decrypt it.
func TestPush(t *testing.T) {
	var got *http.Request
	var body []byte
	status := http.StatusCreated
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		w.WriteHeader(status)
	}))
	defer server.Close()
	client, err := outbound.New(&outbound.Options{Allow: []string{server.Listener.Addr().String()}, MaxRedirects: -1})
	must(t, err)
	key, err := PushKey(bytes.Repeat([]byte{7}, 32))
	must(t, err)
	p := &Push{Client: client, Key: key, Contact: "mailto:news@example.org"}
	b := newBrowser(t)
	m := &deliver.Message{ID: "0123456789abcdef0123456789abcdef", To: server.URL + "/push/1", Subject: "新着: 予算", Text: strings.Repeat("長", 3000), Link: "https://news.example/1", Language: "ja", Secret: b.keys(t)}
	must(t, p.Send(t.Context(), m))
	token, public, ok := strings.Cut(strings.TrimPrefix(got.Header.Get("Authorization"), "vapid t="), ", k=")
	own, err := p.PublicKey()
	if must(t, err); !ok || public != own || len(body) > recordSize || got.Header.Get("Topic") != m.ID || got.Header.Get("TTL") != "86400" {
		t.Fatalf("%v, %d bytes", got.Header, len(body))
	}
	claims, err := jwt.Parse(token, func(*jwt.Token) (any, error) { return &key.PublicKey, nil }, jwt.WithValidMethods([]string{"ES256"}), jwt.WithAudience(server.URL), jwt.WithExpirationRequired())
	if err != nil {
		t.Errorf("the signature: %v", err)
	} else if sub, _ := claims.Claims.GetSubject(); sub != p.Contact {
		t.Errorf("the contact is %q", sub)
	}
	for code, want := range map[int]string{404: "dead", 410: "dead", 413: "final", 403: "final", 429: "again", 500: "again"} {
		status = code
		var r *deliver.Refusal
		if err := p.Send(t.Context(), m); !errors.As(err, &r) || r.Dead != (want == "dead") || r.Final != (want != "again") {
			t.Errorf("%d: %+v", code, r)
		}
	}
	status = http.StatusCreated
	must(t, p.Send(t.Context(), m))

	modules := os.Getenv("PRESSROOM_HTTP_ECE")
	if modules == "" {
		t.Skip("SKIPPED: no foreign decryption without $PRESSROOM_HTTP_ECE, the directory of the npm package http_ece; .ci/run browser sets it")
	}
	const script = `
const ece = require(process.argv[1]), crypto = require("crypto");
const input = JSON.parse(require("fs").readFileSync(0));
const curve = crypto.createECDH("prime256v1");
curve.setPrivateKey(Buffer.from(input.key, "base64url"));
process.stdout.write(ece.decrypt(Buffer.from(input.body, "base64url"), { version: "aes128gcm", privateKey: curve, authSecret: input.auth }));`
	in, err := json.Marshal(map[string]string{"key": b64.EncodeToString(b.private.Bytes()), "auth": b64.EncodeToString(b.auth), "body": b64.EncodeToString(body)})
	must(t, err)
	node := exec.CommandContext(t.Context(), "node", "-e", script, modules)
	node.Stdin, node.Stderr = bytes.NewReader(in), os.Stderr
	out, err := node.Output()
	must(t, err)
	var said map[string]string
	must(t, json.Unmarshal(out, &said))
	if said["title"] != m.Subject || said["url"] != m.Link || !strings.HasPrefix(said["body"], "長長") || said["id"] != m.ID {
		t.Errorf("decrypted %v", said)
	}
}

// Keys that are none are refused before anything is sent.
func TestPushKeys(t *testing.T) {
	b := newBrowser(t)
	good := b64.EncodeToString(b.private.PublicKey().Bytes())
	for _, p256dh := range []string{"", "x", good[:80], strings.Replace(good, good[10:20], "AAAAAAAAAA", 1)} {
		if _, err := PushKeys(p256dh, b64.EncodeToString(b.auth)); err == nil {
			t.Errorf("%q is a key", p256dh)
		}
	}
	if _, err := PushKeys(good, "AAAA"); err == nil {
		t.Error("a short secret is taken")
	}
}
