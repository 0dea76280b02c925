package bounce

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1" //nolint:gosec // the first version of Amazon's signatures
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net/http"
	"testing"
	"time"

	"pressroom/internal/errs"
)

// amazonia answers for the hosts of Amazon, and remembers who was asked.
type amazonia struct {
	pem   []byte
	asked []string
}

func (a *amazonia) Do(r *http.Request) (*http.Response, error) {
	a.asked = append(a.asked, r.URL.String())
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(a.pem))}, nil
}

const certAt = "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem"

func TestNotice(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	must(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	must(t, err)
	gone := `{"notificationType":"Bounce","mail":{"destination":["Ann@reader.example"]},"bounce":{"bounceType":"Permanent","bounceSubType":"General","bouncedRecipients":[{"emailAddress":"ann@reader.example","diagnosticCode":"smtp; 550 5.1.1 unknown"},{"emailAddress":"eve@reader.example"}]}}`
	full := `{"eventType":"Bounce","mail":{"destination":["ann@reader.example"]},"bounce":{"bounceType":"Transient","bounceSubType":"MailboxFull","bouncedRecipients":[{"emailAddress":"ann@reader.example"}]}}`
	complaint := `{"notificationType":"Complaint","mail":{"destination":["ann@reader.example"]},"complaint":{"complaintFeedbackType":"abuse","complainedRecipients":[{"emailAddress":"ann@reader.example"}]}}`
	for name, c := range map[string]struct {
		message   string
		change    func(*notification) // before it is signed
		spoil     func(*notification) // afterwards
		want      Verdict
		forbidden bool
		closed    bool
	}{
		"gone":              {message: gone, want: Gone, closed: true},
		"version 1":         {message: gone, change: func(n *notification) { n.SignatureVersion = "1" }, want: Gone, closed: true},
		"full":              {message: full, want: Strike},
		"complaint":         {message: complaint, want: Complaint, closed: true},
		"delivery":          {message: `{"notificationType":"Delivery"}`, want: None},
		"a test":            {message: "Successfully validated SNS topic", want: None},
		"another topic":     {message: gone, change: func(n *notification) { n.TopicArn = "arn:aws:sns:eu-west-1:2:evil" }, forbidden: true},
		"old":               {message: gone, change: func(n *notification) { n.Timestamp = "2026-11-15T12:00:00.000Z" }, forbidden: true},
		"changed":           {message: gone, spoil: func(n *notification) { n.Message = complaint }, forbidden: true},
		"own certificate":   {message: gone, spoil: func(n *notification) { n.SigningCertURL = "https://sns.evil.example/SimpleNotificationService-1.pem" }, forbidden: true},
		"looks like Amazon": {message: gone, spoil: func(n *notification) { n.SigningCertURL = "https://sns.eu-west-1.amazonaws.com.evil.example/x.pem" }, forbidden: true},
		"a bucket":          {message: gone, spoil: func(n *notification) { n.SigningCertURL = "https://evil.s3.eu-west-1.amazonaws.com/x.pem" }, forbidden: true},
		"subscription": {message: "You have chosen", change: func(n *notification) {
			n.Type, n.Token, n.SubscribeURL = "SubscriptionConfirmation", "t", "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription"
		}, want: None},
		"subscription elsewhere": {message: "You have chosen", change: func(n *notification) {
			n.Type, n.Token, n.SubscribeURL = "SubscriptionConfirmation", "t", "https://127.0.0.1/?Action=ConfirmSubscription"
		}, forbidden: true},
	} {
		t.Run(name, func(t *testing.T) {
			o := open(t)
			net := &amazonia{pem: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}
			o.SNS = &SNS{Topic: "arn:aws:sns:eu-west-1:1:bounces", Client: net, Now: func() time.Time { return o.now }}
			n := notification{
				Type: "Notification", MessageID: "m", TopicArn: o.SNS.Topic, Message: c.message, Timestamp: "2026-11-16T11:59:00.000Z",
				SignatureVersion: "2", SigningCertURL: certAt,
			}
			if c.change != nil {
				c.change(&n)
			}
			sum256, sum1 := sha256.Sum256(n.signed()), sha1.Sum(n.signed()) //nolint:gosec // see above
			sum, hash := sum256[:], crypto.SHA256
			if n.SignatureVersion == "1" {
				sum, hash = sum1[:], crypto.SHA1
			}
			signature, err := rsa.SignPKCS1v15(nil, key, hash, sum)
			must(t, err)
			n.Signature = base64.StdEncoding.EncodeToString(signature)
			if c.spoil != nil {
				c.spoil(&n)
			}
			raw, err := json.Marshal(n)
			must(t, err)
			out, err := o.Notice(t.Context(), raw)
			if errors.Is(err, errs.Forbidden) != c.forbidden || !c.forbidden && (err != nil || out.Verdict != c.want) {
				t.Fatalf("%+v, %v", out, err)
			}
			if o.suppressed(t, "ann@reader.example") != c.closed || o.suppressed(t, "eve@reader.example") {
				t.Errorf("suppressed: %v", !c.closed)
			}
			for _, at := range net.asked {
				if at != certAt && at != n.SubscribeURL || at == "https://127.0.0.1/?Action=ConfirmSubscription" {
					t.Errorf("%s was asked", at)
				}
			}
			if name == "subscription" && len(net.asked) != 2 {
				t.Errorf("asked %v", net.asked)
			}
		})
	}
}
