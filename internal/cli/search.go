package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/desk"
	"pressroom/internal/errs"
	"pressroom/internal/local"
	"pressroom/internal/search"
	"pressroom/internal/story"
	"pressroom/model"
)

// searchCmd is what operators do with the search index.
type searchCmd struct {
	Rebuild searchRebuildCmd `cmd:"" help:"Make the search index again from all that the desks published."`
}

// searchRebuildCmd makes the index again.
type searchRebuildCmd struct {
	targetSettings
	nameSettings
	searchSettings
	commonSettings
	JSON bool `setting:"-" name:"json" help:"Print JSON."`
}

// Help is the text under the command's usage line.
func (searchRebuildCmd) Help() string {
	return `The index follows the tables by itself, and is made again by itself when it is lost or
damaged; this is for when you want it now. A pressroom that serves the directory does it itself
and goes on being searched: the new index takes the place of the old one when it is whole. An
index in OpenSearch (--search-url) can be made again from anywhere, also with --store aws.`
}

// rebuilt is what the command prints.
type rebuilt struct {
	Documents int     `json:"documents"`
	Seconds   float64 `json:"seconds"`
	Server    bool    `json:"server"` // the process that serves the directory did it
}

// Run makes the index again and says what is in it.
func (c *searchRebuildCmd) Run(r *run) error {
	log := r.logger(c.commonSettings)
	if err := c.possible(); err != nil {
		return err
	}
	began, made := time.Now(), rebuilt{}
	show := rebuildProgress(r.Stderr)
	st, err := c.targetSettings.open(r.ctx, endpointSettings{}, log)
	switch {
	case errors.Is(err, local.ErrHeld):
		made.Server = true
		made.Documents, err = rebuildByServer(r.ctx, c.Data, err, show)
	case err == nil:
		made.Documents, err = c.rebuild(r.ctx, st, show)
		err = errors.Join(err, st.Close())
	}
	show(-1)
	if err != nil {
		return ignoreCanceled(r.ctx, err)
	}
	took := time.Since(began)
	if made.Seconds = took.Seconds(); c.JSON {
		return indented(r.Stdout, made)
	}
	fmt.Fprintf(r.Stdout, "the search index is made again, of %d documents in %s\n", made.Documents, took.Round(time.Millisecond))
	return nil
}

// possible refuses what has no index that outlives this command.
func (c *searchRebuildCmd) possible() error {
	if c.remote() {
		if !c.shared() {
			return errs.New(errs.Usage, "with --store aws and no --search-url each process has a search index of its own in memory, made when it starts; restart it, or name the cluster that all share with --search-url")
		}
		return nil
	}
	if _, err := os.Stat(c.Data); err != nil {
		return errs.Wrap(err, errs.NotFound, "there is no data directory %s; name one with --data", c.Data)
	}
	return nil
}

// rebuild makes the index of a store that nobody serves.
func (c *searchRebuildCmd) rebuild(ctx context.Context, st *store, tell func(int)) (n int, err error) {
	dir := c.searchDir(c.storeSettings, st)
	if dir == "" && !c.shared() {
		return 0, errs.New(errs.Usage, "the search index of encrypted data is in memory alone, and is made whenever they are served; there is none to make again")
	}
	schemas, err := c.names().schemas()
	if err != nil {
		return 0, err
	}
	if err := st.prepare(ctx, schemas...); err != nil {
		return 0, err
	}
	stories, err := c.names().stories(st.db)
	if err != nil {
		return 0, err
	}
	desks, err := shelves(ctx, st.db, st.client, c.names(), st.log)
	if err != nil {
		return 0, err
	}
	// What came while nobody served has no card yet.
	adopter := &story.Adopter{Stories: stories, Shelves: desks, Log: st.log}
	if err := adopter.Reconcile(ctx, nil); err != nil {
		return 0, err
	}
	index, err := c.openIndex(ctx, dir, st.log)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	feed := search.NewFeed(index, stories, desks, &search.FeedOptions{Log: st.log, Shared: c.shared()})
	return feed.BuildNow(ctx, tell)
}

// shelves are the desks as sources of stories.
func shelves(ctx context.Context, db model.DB, objects *s3.Client, names tableNames, log *slog.Logger) ([]*story.Shelf, error) {
	all, err := askedAlone(ctx, db, objects, names, log)
	if err != nil {
		return nil, err
	}
	var found []*story.Shelf
	for _, parts := range all {
		if parts.Shelf != nil {
			found = append(found, parts.Shelf)
		}
	}
	return found, nil
}

// rebuildProgress returns what shows how many documents are done, if somebody
// looks; a number below zero ends it.
func rebuildProgress(w io.Writer) func(int) {
	if !newProgress(w).show {
		return func(int) {}
	}
	line := (&desk.Terminal{Err: w}).Progress()
	return func(documents int) {
		if documents < 0 {
			line("")
			return
		}
		line(fmt.Sprintf("%d documents", documents))
	}
}

// rebuildLine is one line of what the serving process says.
type rebuildLine struct {
	Documents int    `json:"documents"`
	Done      bool   `json:"done,omitempty"`
	Error     string `json:"error,omitempty"`
}

// rebuildByServer lets the process that has the directory open make its index
// again.
func rebuildByServer(ctx context.Context, data string, held error, tell func(int)) (n int, err error) {
	res, err := callControl(ctx, data, "/search/rebuild", struct{}{})
	if errors.Is(err, errs.NotFound) {
		return 0, errs.Wrap(errors.Join(err, held), errs.Unavailable, "%s, and it cannot be asked to make the search index again: %s", errs.Message(held), errs.Message(err))
	}
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, res.Body.Close()) }()
	in := json.NewDecoder(res.Body)
	for {
		var line rebuildLine
		if err := in.Decode(&line); err != nil {
			return 0, errs.Wrap(err, errs.Unavailable, "the serving pressroom ended before the search index was made")
		}
		switch {
		case line.Error != "":
			return 0, errs.New(errs.Unavailable, "the serving pressroom could not make the search index again: %s", line.Error)
		case line.Done:
			return line.Documents, nil
		}
		tell(line.Documents)
	}
}

// serveRebuild makes the index again, and answers with a line now and then, and a
// last one that says how it ended. A caller that hangs up ends it.
func (c *control) serveRebuild(w http.ResponseWriter, r *http.Request) {
	// Only once the body is read does the server notice that the caller is gone.
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return
	}
	answer, out := http.NewResponseController(w), json.NewEncoder(w)
	say := func(line rebuildLine) { _ = errors.Join(out.Encode(line), answer.Flush()) } // a caller that is gone ends the context
	rebuild := c.st.rebuild.Load()
	if rebuild == nil {
		say(rebuildLine{Error: "it has no search index"})
		return
	}
	var told time.Time
	n, err := (*rebuild)(r.Context(), func(documents int) {
		if time.Since(told) > 100*time.Millisecond {
			told = time.Now()
			say(rebuildLine{Documents: documents})
		}
	})
	if err != nil {
		say(rebuildLine{Error: errs.Message(err)})
		return
	}
	say(rebuildLine{Documents: n, Done: true})
}
