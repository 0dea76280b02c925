package sigv4

// Policy holds the form fields of an S3 POST that carry its signature, as
// they were sent. See "Authenticating Requests in Browser-Based Uploads Using
// POST (AWS Signature Version 4)" in the Amazon S3 API Reference.
type Policy struct {
	Policy        string // "policy": the base64 text that is signed
	Algorithm     string // "x-amz-algorithm"
	Credential    string // "x-amz-credential"
	Date          string // "x-amz-date"
	Signature     string // "x-amz-signature"
	SecurityToken string // "x-amz-security-token", if any
}

// VerifyPolicy checks the signature of a browser upload (S3 POST). The
// caller checks the policy's expiration and conditions, which are all that
// bounds such a request in time. The error is always an [*Error].
func (v *Verifier) VerifyPolicy(p *Policy) (*Identity, error) {
	c := &claim{policy: true, signature: p.Signature, token: p.SecurityToken}
	fields := []struct{ name, value string }{
		{"policy", p.Policy},
		{"x-amz-algorithm", p.Algorithm},
		{"x-amz-credential", p.Credential},
		{"x-amz-date", p.Date},
		{"x-amz-signature", p.Signature},
	}
	if p.Signature == "" && p.Credential == "" {
		return nil, c.errorf(CodeMissing, "Form is not signed")
	}
	for _, f := range fields {
		if f.value == "" {
			return nil, c.errorf(CodeMalformed, "Form field %s is missing", f.name)
		}
	}
	if err := c.checkAlgorithm(p.Algorithm); err != nil {
		return nil, err
	}
	if err := c.setCredential(p.Credential); err != nil {
		return nil, err
	}
	if err := c.setDate(p.Date); err != nil {
		return nil, err
	}
	secret, err := v.check(c)
	if err != nil {
		return nil, err
	}
	key, cached := v.keys.get(c, secret)
	if !newSigner(key).matches([]byte(p.Policy), p.Signature) {
		e := c.errorf(CodeMismatch, "The signature is not the one computed for this policy; check the secret access key")
		e.StringToSign = p.Policy
		return nil, e
	}
	if !cached {
		v.keys.put(c, secret, key)
	}
	return c.identity("", key), nil
}
