package cli

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/web"
	"pressroom/model"
)

// newsdesks put the desks behind the door, each with its pages and its JSON. They
// are called in this order, which is not that of the navigation. The demo comes
// before the desks, which are built with what it says about the world outside.
var newsdesks = []func(context.Context, *wiring) error{
	mountDemo,
	mountIndex,
	mountBlog,
	mountMinutes,
	mountNewswire,
	mountLexicon,
	mountOperations,
	mountSearch,
}

// wiring is what a desk is built with.
type wiring struct {
	set     serverSettings
	demo    bool
	tables  model.DB
	objects *s3.Client
	pages   *web.Site
	api     *api.API
	auth    *auth.Auth
	ops     *operations
	log     *slog.Logger
	store   *store
	finding *finding
}

// background runs something beside the requests until the store is closed, which
// waits for it.
func (w *wiring) background(name string, run func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		run(ctx)
	}()
	w.store.halts = append(w.store.halts, cancel)
	w.store.add(name, func() error {
		<-ended
		return nil
	})
}

// mountDesks builds every desk.
func (s *site) mountDesks(ctx context.Context, set serverSettings, demo bool, st *store, pages *web.Site, json *api.API, log *slog.Logger) error {
	w := &wiring{
		set: set, demo: demo, tables: st.db, objects: st.client,
		pages: pages, api: json, auth: s.auth, ops: s.ops, log: log, store: st,
	}
	for _, mount := range newsdesks {
		if err := mount(ctx, w); err != nil {
			return err
		}
	}
	if !demo { // which begins its jobs once its content is there
		w.background("jobs", func(ctx context.Context) {
			_ = s.ops.scheduler.Run(ctx) // it always returns nil, when ctx ends
		})
	}
	return nil
}

// schema returns the schema of a desk with the names that are configured.
func (w *wiring) schema(s model.Schema) *model.Schema {
	named := s.Named(w.set.nameOf)
	return &named
}

// leastSecret is how long a configured secret must be.
const leastSecret = 16

// secret returns a desk's own key.
func (w *wiring) secret(desk string) ([]byte, error) { return w.set.key(desk) }

// key returns a part's own key, made of the configured secret or of one that is
// drawn once and kept in the data directory. Links and cursors made with it hold
// over restarts, and in all processes on one store.
func (s *serverSettings) key(part string) ([]byte, error) {
	root := []byte(s.Secret.Reveal())
	switch {
	case len(root) == 0 && s.remote():
		return nil, errs.New(errs.Usage, "--store aws needs --secret, the same in every process that shares the store: at least %d characters that nobody can guess, which make cursors, preview links and the cookies of known devices", leastSecret)
	case len(root) == 0:
		var err error
		if root, err = keptSecret(filepath.Join(s.Data, "secret")); err != nil {
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
