package cli

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"pressroom/internal/errs"
)

// leastSecret is how long a configured secret must be.
const leastSecret = 16

// key returns a part's own key, made of the configured secret or of one that is
// drawn once and kept in the data directory. Links and cursors made with it hold
// over restarts, and in all processes on one store.
func (s *serverSettings) key(part string) ([]byte, error) {
	if s.Secret.Reveal() == "" && s.remote() {
		return nil, errs.New(errs.Usage, "--store aws needs --secret, the same in every process that shares the store: at least %d characters that nobody can guess, which make cursors, preview links and the cookies of known devices", leastSecret)
	}
	return s.keyIn(s.Data, part)
}

// secretSettings are the secret of which all keys are made.
type secretSettings struct {
	Secret Secret `name:"secret" hidden:"" help:"Makes cursors, preview links and the cookies of known devices, at least 16 characters, the same for all processes on one store; by default one is drawn and kept in the data directory."`
}

// keyIn returns a part's own key, made of the configured secret or of that in a directory.
func (s *secretSettings) keyIn(dir, part string) ([]byte, error) {
	root := []byte(s.Secret.Reveal())
	switch {
	case len(root) == 0:
		var err error
		if root, err = keptSecret(filepath.Join(dir, "secret")); err != nil {
			return nil, errs.Wrap(err, errs.Unavailable, "cannot read or make the secret in the data directory: %v", err)
		}
	case len(root) < leastSecret:
		return nil, errs.New(errs.Usage, "--secret must have at least %d characters", leastSecret)
	}
	mac := hmac.New(sha256.New, root)
	mac.Write([]byte(part))
	return mac.Sum(nil), nil
}

// keptSecret reads the file, or draws a secret and writes it there first.
func keptSecret(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return drawSecret(path)
	}
	if err == nil && len(data) < leastSecret {
		err = fmt.Errorf("%s is too short; delete it, and a new one is made", path)
	}
	return data, err
}

func drawSecret(path string) ([]byte, error) {
	secret := []byte(rand.Text() + rand.Text())
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = file.Write(secret)
	return secret, errors.Join(err, file.Sync(), file.Close())
}
