package mail

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"net/mail"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-msgauth/dkim"
)

// python is an interpreter that has the package dkimpy; see .ci/letters.
const python = "PRESSROOM_PYTHON"

func edwards(t *testing.T) crypto.Signer {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func rivest(t *testing.T) crypto.Signer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// record is the key of a signer as DNS has it.
func record(t *testing.T, kind string, key crypto.Signer) string {
	t.Helper()
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if bare, ok := key.Public().(ed25519.PublicKey); ok {
		public = bare // RFC 8463 wants it so
	}
	if err != nil {
		t.Fatal(err)
	}
	return "v=DKIM1; k=" + kind + "; p=" + base64.StdEncoding.EncodeToString(public)
}

// Letters are read as they were meant, and their signatures verified, by programs that
// others wrote.
func TestForeignReaders(t *testing.T) {
	interpreter := os.Getenv(python)
	if interpreter == "" {
		t.Skipf("SKIPPED: no foreign reader of letters without $%s; .ci/letters sets it", python)
	}
	type signer struct {
		kind       string
		key, other crypto.Signer
	}
	signers := []signer{{}, {"ed25519", edwards(t), edwards(t)}, {"rsa", rivest(t), rivest(t)}}
	letters := map[string]Message{
		"plain":    {Subject: "A boat", Body: "Paper, and a line.\n"},
		"both":     {Subject: "A boat", Body: "Paper, and a line.", HTML: "<p>Paper, and <b>a line</b>.</p>", Leave: "https://news.example/follows/leave?key=abc.def"},
		"japanese": {Subject: "訂正: 紙の舟についての長い見出しは、ヘッダーの一行には収まらないので折り返されます（その二）", Body: "紙の舟が浮かびました。a\n\n次の段落。", HTML: "<p>紙の舟が浮かびました。a</p>", Leave: "https://news.example/follows/leave?key=abc"},
		"long":     {Subject: strings.Repeat("a long subject of many words ", 20) + "ends", Body: strings.Repeat("a long line ", 300), HTML: "<p>" + strings.Repeat("a long line ", 300) + "</p>", Leave: "https://news.example/follows/leave?key=" + strings.Repeat("k", 300)},
		"spaces":   {Subject: "Spaces", Body: "trailing spaces   \n\ttabs\t\n\n\n.dot at the beginning\n..two dots\nFrom the start = an equals sign a\n", HTML: "<pre>  two  spaces a </pre>"},
		"unusual":  {Subject: `Quotes "and" <angles>, =?utf-8?q?no_word?= 🚢`, Body: "🚢 a ship", HTML: "<p>🚢 a ship</p>", Leave: "https://news.example/follows/leave?key=a&lang=ja"},
	}
	dir := t.TempDir()
	for name, m := range letters {
		for _, by := range signers {
			s := serve(t, serverOptions{})
			line := &Line{Server: &Server{Addr: s.addr}}
			want := map[string]any{"subject": m.Subject, "plain": m.Body, "html": m.HTML, "leave": m.Leave, "from": "The 新聞, daily", "to": "ann@example.org", "domain": ""}
			if by.key != nil {
				line.Signer = &Signer{Domain: "news.example", Selector: "k1", Key: by.key}
				want["domain"], want["selector"], want["key"], want["other"] = "news.example", "k1", record(t, by.kind, by.key), record(t, by.kind, by.other)
			}
			m.From, m.To = mail.Address{Name: "The 新聞, daily", Address: "letters@news.example"}, mail.Address{Address: "ann@example.org"}
			m.Date, m.ListName = time.Date(2026, 11, 16, 7, 0, 0, 0, time.UTC), "follows"
			if err := line.Send(t.Context(), &m); err != nil {
				t.Fatal(err)
			}
			line.Close()
			_, came := s.said()
			if len(came) != 1 {
				t.Fatalf("%s: %d letters came", name, len(came))
			}
			says, err := json.Marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			at := filepath.Join(dir, fmt.Sprintf("%s-%s", name, by.kind))
			for ext, data := range map[string][]byte{".eml": []byte(came[0]), ".json": says} {
				if err := os.WriteFile(at+ext, data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	out, err := exec.CommandContext(t.Context(), interpreter, "testdata/letters.py", dir).CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

// A subject stands beside the header's name, in lines that are not too long, and says what
// it said.
func TestSubject(t *testing.T) {
	for _, want := range []string{
		"", "A boat", strings.Repeat("many words ", 30) + "end", strings.Repeat("x", 200), "訂正: " + strings.Repeat("紙の舟", 40), "🚢" + strings.Repeat("é", 99), "=?utf-8?q?a_trick?=",
	} {
		got := subject(want)
		for i, line := range strings.Split(got, "\r\n ") {
			if len(line)+len("Subject: ") > 76 || line == "" && want != "" {
				t.Errorf("%q: line %d is %q", want, i, line)
			}
		}
		said, err := new(mime.WordDecoder).DecodeHeader(strings.ReplaceAll(got, "\r\n", ""))
		if err != nil || said != want {
			t.Errorf("%q is read as %q: %v", want, said, err)
		}
	}
}

// Nobody adds a header to a signed letter that mail programs act upon.
func TestSignatureCoversMore(t *testing.T) {
	key := edwards(t)
	l := &Line{Signer: &Signer{Domain: "news.example", Selector: "k1", Key: key}}
	m := letter()
	m.Leave = "https://news.example/leave"
	raw, err := l.bytes(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, more := range []string{"", "Subject: Another\r\n", "List-Unsubscribe: <https://evil.example/>\r\n", "Reply-To: <eve@example.net>\r\n", "Received: from relay\r\n"} {
		all, err := dkim.VerifyWithOptions(strings.NewReader(more+string(raw)), &dkim.VerifyOptions{LookupTXT: func(string) ([]string, error) { return []string{record(t, "ed25519", key)}, nil }})
		if err != nil || len(all) != 1 {
			t.Fatalf("%d signatures: %v", len(all), err)
		}
		if harmless := more == "" || strings.HasPrefix(more, "Received"); harmless != (all[0].Err == nil) {
			t.Errorf("with %q: %v", more, all[0].Err)
		}
	}
}
