package bounce

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html/charset"
)

// report is what is read from a mail.
type report struct {
	verdict Verdict
	reason  string
	all     strings.Builder // everything in it, decoded, where stamps are looked for
	words   strings.Builder // what the other side says, without the returned letter
	said    bool            // a part for machines said what happened
}

// Bounds of what is read: whoever may send here is not always a mail server.
const (
	mostDepth = 6
	mostParts = 50
)

// daemon are the senders of bounces that have no part for machines. Programs that answer
// for people on holiday have other names.
var daemon = regexp.MustCompile(`(?i)mailer-?daemon|^<?(postmaster|mail-?daemon|mail delivery|mailadmin|system administrator)|"?mail delivery (sub)?system|system administrator|postmaster@`)

// read reads a mail. What cannot be read is none.
func read(raw []byte) *report {
	r := &report{verdict: None, reason: "the mail is no bounce"}
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		r.reason = "the mail cannot be read"
		return r
	}
	r.header(textproto.MIMEHeader(m.Header))
	parts := mostParts
	r.part(textproto.MIMEHeader(m.Header), m.Body, 0, &parts)
	if r.said {
		return r
	}
	from, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("From"))
	if err != nil {
		from = m.Header.Get("From")
	}
	if daemon.MatchString(from) || m.Header.Get("X-Failed-Recipients") != "" {
		r.guess(r.words.String())
	}
	return r
}

func (r *report) header(h textproto.MIMEHeader) {
	for name, values := range h {
		for _, v := range values {
			r.all.WriteString(name + ": " + v + "\n")
		}
	}
}

// part reads a part of a mail, and those in it.
func (r *report) part(h textproto.MIMEHeader, body io.Reader, depth int, left *int) {
	if *left--; *left < 0 || depth > mostDepth {
		return
	}
	kind, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		kind = "text/plain"
	}
	switch strings.ToLower(strings.TrimSpace(h.Get("Content-Transfer-Encoding"))) {
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	}
	if strings.HasPrefix(kind, "multipart/") {
		for parts := multipart.NewReader(body, params["boundary"]); ; {
			p, err := parts.NextRawPart()
			if err != nil {
				return // a part that was cut off says what it says
			}
			r.part(p.Header, p, depth+1, left)
		}
	}
	text, _ := io.ReadAll(body) // what was cut off says what it says
	switch kind {
	case "message/delivery-status", "message/global-delivery-status":
		r.status(text)
	case "message/feedback-report":
		r.feedback(text)
	case "message/rfc822", "message/global":
		if m, err := mail.ReadMessage(bytes.NewReader(text)); err == nil { // the returned letter
			r.header(textproto.MIMEHeader(m.Header))
			return
		}
	case "text/plain", "text/html":
		if reader, err := charset.NewReaderLabel(params["charset"], bytes.NewReader(text)); err == nil {
			if decoded, err := io.ReadAll(reader); err == nil {
				text = decoded
			}
		}
		if h.Get("Content-Disposition") == "" || !strings.HasPrefix(h.Get("Content-Disposition"), "attachment") {
			r.words.Write(text)
			r.words.WriteByte('\n')
		}
	}
	r.all.Write(text)
	r.all.WriteByte('\n')
}

// groups are the fields of a part for machines: blocks with an empty line between them.
func groups(text []byte) []textproto.MIMEHeader {
	var all []textproto.MIMEHeader
	in := textproto.NewReader(bufio.NewReader(io.MultiReader(bytes.NewReader(bytes.TrimLeft(text, "\r\n")), strings.NewReader("\r\n\r\n"))))
	for range mostParts {
		h, err := in.ReadMIMEHeader()
		if len(h) > 0 {
			all = append(all, h)
		}
		if err != nil {
			break
		}
	}
	return all
}

// status reads a delivery status (RFC 3464).
func (r *report) status(text []byte) {
	for _, h := range groups(text) {
		action := strings.ToLower(strings.TrimSpace(h.Get("Action")))
		if action == "" {
			continue
		}
		r.said = true
		if !strings.HasPrefix(action, "fail") {
			if r.verdict == None {
				r.reason = "the mail says " + action
			}
			continue
		}
		_, why, ok := strings.Cut(h.Get("Diagnostic-Code"), ";")
		if !ok {
			why = h.Get("Diagnostic-Code")
		}
		status := ""
		if m := statuses.FindString(h.Get("Status")); m != "" {
			status = m
		}
		// Some write 5.0.0 and say what they know in the words.
		if inner := statuses.FindString(why); (status == "" || strings.HasSuffix(status, ".0.0")) && inner != "" {
			status = inner
		}
		if strings.HasSuffix(status, ".0.0") {
			status = ""
		}
		if why == "" {
			why = summary(r.words.String())
		}
		r.judge(codeIn(why), status, strings.TrimSpace(status+" "+oneLine(why)))
	}
}

// judge keeps the gravest of what was found.
func (r *report) judge(code int, status, why string) {
	v := Judge(code, status, why)
	if r.verdict == None || v == Gone {
		r.verdict, r.reason = v, short(why)
	}
}

// feedback reads a complaint (RFC 5965). Not all of them complain.
func (r *report) feedback(text []byte) {
	for _, h := range groups(text) {
		kind := strings.ToLower(strings.TrimSpace(h.Get("Feedback-Type")))
		switch kind {
		case "":
			continue
		case "abuse", "fraud", "opt-out", "opt-out-list", "miscategorized", "virus", "other":
			r.verdict, r.reason = Complaint, "its owner complained ("+kind+")"
		default:
			r.reason = "the mail says " + kind
		}
		r.said = true
	}
}

// returned is where a returned letter begins in a bounce that is plain text.
var returned = regexp.MustCompile(`(?im)^[\s>]*-{2,}.{0,12}(below this line|(this is a )?copy of|original message|returned message|transcript ends|the header|元の|以下は|送信された).*$|^(original (message|headers)|received: ).*$`)

// guess reads a bounce that is written for people.
func (r *report) guess(words string) {
	if at := returned.FindStringIndex(words); at != nil {
		words = words[:at[0]]
	}
	status, code := statuses.FindString(words), codeIn(words)
	if strings.HasSuffix(status, ".0.0") {
		status = ""
	}
	passing := regexp.MustCompile(`(?i)will (be retried|keep trying|retry)|delayed|warning: message|still trying|no need to (send|do)|do not need to resend`).MatchString(words)
	switch {
	case passing, strings.HasPrefix(status, "2."):
		r.reason = "the mail says that it is not over"
	case status != "" || code != 0 || nobody.MatchString(words) || failed.MatchString(words):
		r.judge(code, status, summary(words))
	}
}

var failed = regexp.MustCompile(`(?i)(un|not |n't |could not be |permanent(ly)? )(deliver|fail)|undeliver|delivery .{0,30}fail|permanent error|(送信|配信|配達)できません`)

func codeIn(words string) int {
	if m := codes.FindStringSubmatch(words); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			return n
		}
	}
	return 0
}

// summary is the line that says why.
func summary(words string) string {
	for _, pick := range []*regexp.Regexp{statuses, nobody, codes, failed} {
		for line := range strings.Lines(words) {
			if pick.MatchString(line) {
				return short(oneLine(line))
			}
		}
	}
	return short(oneLine(words))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func short(s string) string {
	if runes := []rune(s); len(runes) > 300 {
		return string(runes[:300]) + "…"
	}
	return s
}
