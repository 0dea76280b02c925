// Package opensearch is the search index for more than one machine: an
// OpenSearch cluster, spoken to in its JSON over HTTP.
//
// It promises what search.Index asks for. Text is analysed by the cluster, twice
// as everywhere: cjk bigrams and kuromoji's dictionary forms (the plugin
// analysis-kuromoji must be installed). Public documents and the others are in
// two indexes, and a search for everyone names only the first. An index that is
// built again has a new name; the aliases that are searched move to it in one
// request.
//
// Start with Open; mapping.go has the fields, query.go what a search asks,
// index.go how documents are written and indexes take each other's place.
package opensearch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"pressroom/internal/errs"
	"pressroom/internal/search"
)

// Options of a connection; the zero value and nil are the defaults.
type Options struct {
	Prefix   string        // of the names of indexes; default "pressroom"
	User     string        // for basic authentication; default none
	Password string        // likewise
	Client   *http.Client  // default one of its own
	Timeout  time.Duration // of one request; default 30 s
	Now      func() time.Time
	Log      *slog.Logger // default none
}

// Index is a search.Index in an OpenSearch cluster.
type Index struct {
	url     string
	o       Options
	current names
	former  names // of the version before this one
}

var _ search.Index = (*Index)(nil)

// maxAnswer bounds what is read of an answer.
const maxAnswer = 64 << 20

// Open connects to a cluster and makes empty indexes if it has none.
func Open(ctx context.Context, address string, o *Options) (*Index, error) {
	x := &Index{url: strings.TrimRight(address, "/")}
	if o != nil {
		x.o = *o
	}
	if x.o.Prefix == "" {
		x.o.Prefix = "pressroom"
	}
	if x.o.Client == nil {
		x.o.Client = &http.Client{}
	}
	if x.o.Timeout <= 0 {
		x.o.Timeout = 30 * time.Second
	}
	if x.o.Now == nil {
		x.o.Now = time.Now
	}
	if x.o.Log == nil {
		x.o.Log = slog.New(slog.DiscardHandler)
	}
	of := func(version string) names {
		return names{public: x.o.Prefix + "-public-" + version, private: x.o.Prefix + "-private-" + version}
	}
	x.former, x.current = of(before), of(version)
	err := x.call(ctx, http.MethodHead, "/_alias/"+x.current.public, nil, nil)
	if errors.Is(err, errs.NotFound) {
		b, err := x.Rebuild(ctx)
		if err != nil {
			return nil, err
		}
		return x, errors.Join(b.Commit(ctx), b.Abort())
	}
	if err != nil {
		return nil, err
	}
	return x, nil
}

// Close does nothing: the cluster stays.
func (x *Index) Close() error { return nil }

// failure is what the cluster says when it refuses.
type failure struct {
	Status int `json:"status"`
	Error  struct {
		Type   string `json:"type"`
		Reason string `json:"reason"`
	} `json:"error"`
}

// call sends a request with a JSON body and reads a JSON answer. A 404 is
// errs.NotFound; what does not answer, or not in time, errs.Unavailable.
func (x *Index) call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	return x.send(ctx, method, path, "application/json", body, out)
}

func (x *Index) send(ctx context.Context, method, path, kind string, body []byte, out any) error {
	ctx, cancel := context.WithTimeout(ctx, x.o.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, x.url+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if body != nil {
		req.Header.Set("Content-Type", kind)
	}
	if x.o.User != "" {
		req.SetBasicAuth(x.o.User, x.o.Password)
	}
	res, err := x.o.Client.Do(req)
	if err != nil {
		return errs.Wrap(err, errs.Unavailable, "The search cluster does not answer. Try again shortly.")
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return errs.Wrap(err, errs.Unavailable, "The search cluster broke off its answer. Try again shortly.")
	}
	if res.StatusCode >= 300 {
		return refused(method, path, res.StatusCode, answer)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("%s %s: read the answer: %w", method, path, err)
	}
	return nil
}

func refused(method, path string, status int, answer []byte) error {
	var f failure
	_ = json.Unmarshal(answer, &f) // a proxy answers in its own way
	err := fmt.Errorf("%s %s: %d %s: %s", method, path, status, f.Error.Type, f.Error.Reason)
	switch {
	case status == http.StatusNotFound:
		return errs.Wrap(err, errs.NotFound, "The search index is not there.")
	case status == http.StatusTooManyRequests, status >= 500:
		return errs.Wrap(err, errs.Unavailable, "The search cluster is busy. Try again shortly.")
	}
	return err
}

func escape(s string) string { return url.PathEscape(s) }
