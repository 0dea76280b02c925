package bounce

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha1" //nolint:gosec // the first version of Amazon's signatures
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"pressroom/internal/errs"
)

// SNS takes notifications of Amazon SES from one topic of Amazon SNS. Anybody can have a
// topic, so a good signature alone proves nothing.
type SNS struct {
	Topic string // its ARN
	// Client asks Amazon. It must not follow redirects.
	Client interface {
		Do(*http.Request) (*http.Response, error)
	}
	Now func() time.Time // default time.Now

	mu    sync.Mutex
	certs map[string]*x509.Certificate
}

// notification is what SNS posts
// (https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html).
type notification struct {
	Type, MessageID, TopicArn, Subject, Message, Timestamp, Token string
	SignatureVersion, Signature, SigningCertURL, SubscribeURL     string
}

// The longest bodies that are read of Amazon, and how old a notification may be: SNS tries
// for an hour at most by default.
const (
	answerMax = 64 << 10
	tooOld    = 2 * time.Hour
)

// Notice takes in what SNS posts. One that is not of the topic, or is not signed by
// Amazon, is [errs.Forbidden].
func (in *Intake) Notice(ctx context.Context, raw []byte) (Outcome, error) {
	none := Outcome{Verdict: None, Addresses: []string{}}
	if in.SNS == nil {
		return none, errs.NotFound
	}
	var n notification
	if err := json.Unmarshal(raw, &n); err != nil {
		return none, errs.Wrap(err, errs.Malformed, "The notification cannot be read.")
	}
	if err := in.SNS.check(ctx, &n); err != nil {
		return none, err
	}
	switch n.Type {
	case "SubscriptionConfirmation":
		none.Reason = "the subscription is confirmed"
		_, err := in.SNS.get(ctx, n.SubscribeURL)
		return none, err
	case "Notification":
		out, err := meaning(n.Message)
		if err != nil || out.Verdict == None {
			return out, err
		}
		return out, in.count(ctx, out)
	}
	none.Reason = "a notification of another type"
	return none, nil
}

func (s *SNS) check(ctx context.Context, n *notification) error {
	wrong := func(why string) error {
		return errs.Wrap(fmt.Errorf("notification %s: %s", n.MessageID, why), errs.Forbidden, "The notification is not of this newsroom's topic.")
	}
	now := time.Now
	if s.Now != nil {
		now = s.Now
	}
	at, err := time.Parse(time.RFC3339, n.Timestamp)
	switch {
	case s.Topic == "" || n.TopicArn != s.Topic:
		return wrong("another topic")
	case err != nil || now().Sub(at).Abs() > tooOld:
		return wrong("it is too old")
	}
	signature, err := base64.StdEncoding.DecodeString(n.Signature)
	if err != nil {
		return wrong("no signature")
	}
	cert, err := s.cert(ctx, n.SigningCertURL)
	if err != nil {
		return wrong(err.Error())
	}
	key, ok := cert.PublicKey.(*rsa.PublicKey)
	if !ok {
		return wrong("the certificate has another kind of key")
	}
	var sum []byte
	hash := crypto.SHA256
	if n.SignatureVersion == "2" {
		all := sha256.Sum256(n.signed())
		sum = all[:]
	} else {
		all := sha1.Sum(n.signed()) //nolint:gosec // see above
		sum, hash = all[:], crypto.SHA1
	}
	if err := rsa.VerifyPKCS1v15(key, hash, sum, signature); err != nil {
		return wrong("a bad signature")
	}
	return nil
}

// signed is what the signature is of
// (https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html).
func (n *notification) signed() []byte {
	fields := [][2]string{{"Message", n.Message}, {"MessageId", n.MessageID}}
	if n.Type == "Notification" {
		if n.Subject != "" {
			fields = append(fields, [2]string{"Subject", n.Subject})
		}
	} else {
		fields = append(fields, [2]string{"SubscribeURL", n.SubscribeURL})
	}
	fields = append(fields, [2]string{"Timestamp", n.Timestamp})
	if n.Type != "Notification" {
		fields = append(fields, [2]string{"Token", n.Token})
	}
	fields = append(fields, [2]string{"TopicArn", n.TopicArn}, [2]string{"Type", n.Type})
	var out []byte
	for _, f := range fields {
		out = fmt.Appendf(out, "%s\n%s\n", f[0], f[1])
	}
	return out
}

func (s *SNS) cert(ctx context.Context, address string) (*x509.Certificate, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.certs[address]; c != nil {
		return c, nil
	}
	if u, err := url.Parse(address); err != nil || !strings.HasSuffix(u.Path, ".pem") {
		return nil, fmt.Errorf("%q is not the address of a certificate", address)
	}
	body, err := s.get(ctx, address)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(body)
	if block == nil {
		return nil, fmt.Errorf("there is no certificate at %s", address)
	}
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, err
	}
	if s.certs == nil || len(s.certs) > 20 {
		s.certs = map[string]*x509.Certificate{}
	}
	s.certs[address] = c
	return c, nil
}

// amazon are the hosts of SNS.
var amazon = regexp.MustCompile(`^sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$`)

// get asks an address of SNS, and no other.
func (s *SNS) get(ctx context.Context, address string) ([]byte, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.User != nil || u.Port() != "" || !amazon.MatchString(u.Host) {
		return nil, errs.New(errs.Forbidden, "The notification names an address that is not of Amazon SNS.")
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	resp, err := s.Client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", u.Host, err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, answerMax))
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answered %s", u.Host, resp.Status)
	}
	return body, err
}

// ses is what SES says of a letter
// (https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html); events have
// eventType where notifications have notificationType.
type ses struct {
	NotificationType string `json:"notificationType"`
	EventType        string `json:"eventType"`
	Mail             struct {
		Destination []string `json:"destination"`
	} `json:"mail"`
	Bounce struct {
		BounceType    string    `json:"bounceType"`
		BounceSubType string    `json:"bounceSubType"`
		Recipients    []bounced `json:"bouncedRecipients"`
	} `json:"bounce"`
	Complaint struct {
		Kind       string    `json:"complaintFeedbackType"`
		Recipients []bounced `json:"complainedRecipients"`
	} `json:"complaint"`
}

type bounced struct {
	Address    string `json:"emailAddress"`
	Diagnostic string `json:"diagnosticCode"`
}

// meaning is what a notification says. Only addresses to which the letter went count.
func meaning(message string) (Outcome, error) {
	out := Outcome{Verdict: None, Addresses: []string{}}
	var s ses
	if err := json.Unmarshal([]byte(message), &s); err != nil {
		out.Reason = "it is not a notification of SES" // a test message, for one
		return out, nil                                //nolint:nilerr // see above
	}
	var all []bounced
	switch s.NotificationType + s.EventType {
	case "Bounce":
		b := s.Bounce
		out.Verdict, out.Reason, all = Strike, "SES: "+b.BounceType+" "+b.BounceSubType, b.Recipients
		if b.BounceType == "Permanent" && !slices.Contains([]string{"ContentRejected", "AttachmentRejected", "MessageTooLarge", "MailboxFull"}, b.BounceSubType) {
			out.Verdict = Gone
		}
	case "Complaint":
		out.Reason, all = "SES: its owner complained ("+s.Complaint.Kind+")", s.Complaint.Recipients
		if s.Complaint.Kind != "not-spam" {
			out.Verdict = Complaint
		}
	default:
		out.Reason = "SES: " + s.NotificationType + s.EventType
	}
	for _, b := range all {
		if slices.ContainsFunc(s.Mail.Destination, func(to string) bool { return strings.EqualFold(to, b.Address) }) {
			out.Addresses = append(out.Addresses, strings.ToLower(b.Address))
		}
		if b.Diagnostic != "" {
			out.Reason = short(oneLine(out.Reason + ": " + b.Diagnostic))
		}
	}
	return out, nil
}
