package setting

import "log/slog"

// mask stands for a secret wherever one would be shown.
const mask = "********"

// Secret is a string that does not show itself: printed, logged or marshalled it
// is a mask, or empty if it is empty. Only Reveal gives it away.
type Secret string

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }

func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return mask
}

// GoString masks the %#v form.
func (s Secret) GoString() string { return `setting.Secret("` + s.String() + `")` }

// LogValue masks the secret in logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText masks the secret in JSON and other encodings.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
