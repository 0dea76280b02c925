package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pressroom/internal/errs"
	"pressroom/internal/local"
	"pressroom/internal/ops"
	"pressroom/internal/ops/backup"
)

// A process that has a data directory open answers other commands about it on a
// local socket, whose path is in the file CONTROL of the directory. Only who may
// write the directory can reach it.

const (
	controlName = "CONTROL"
	// maxSocket is below what every system takes for the path of a socket.
	maxSocket = 100
)

// control serves the socket.
type control struct {
	st     *store
	data   string
	socket string
	own    string // a directory that was made for the socket; "" if none was
	http   *http.Server
	one    chan struct{} // holds a token while there is a checkpoint
	done   context.Context
	end    context.CancelFunc
	served chan struct{}
}

// startControl begins to answer. Without it the store is of use all the same, so
// that what goes wrong is only logged.
func (s *store) startControl(data string) {
	if err := os.RemoveAll(filepath.Join(data, local.CheckpointsDir)); err != nil {
		s.log.Warn("cannot remove what an unfinished backup left", "error", err)
	}
	c, err := newControl(s, data)
	if err != nil {
		s.log.Warn("backups while serving are not possible", "error", err)
		return
	}
	s.add("control socket", c.Close)
}

func newControl(s *store, data string) (*control, error) {
	data, err := filepath.Abs(data)
	if err != nil {
		return nil, err
	}
	c := &control{st: s, data: data, socket: filepath.Join(data, "control.sock"), one: make(chan struct{}, 1), served: make(chan struct{})}
	if len(c.socket) > maxSocket {
		if c.own, err = os.MkdirTemp("", "pressroom-"); err != nil {
			return nil, err
		}
		c.socket = filepath.Join(c.own, "control.sock")
	}
	if err := os.Remove(c.socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "unix", c.socket)
	if err != nil {
		return nil, errors.Join(err, c.cleanUp())
	}
	err = errors.Join(os.Chmod(c.socket, 0o600), os.WriteFile(filepath.Join(data, controlName), []byte(c.socket+"\n"), 0o600))
	if err != nil {
		return nil, errors.Join(err, listener.Close(), c.cleanUp())
	}
	c.done, c.end = context.WithCancel(context.Background())
	mux := http.NewServeMux()
	mux.HandleFunc("POST /checkpoint", c.serveCheckpoint)
	mux.HandleFunc("POST /check", c.serveCheck)
	mux.HandleFunc("POST /search/rebuild", c.serveRebuild)
	c.http = &http.Server{
		Handler: mux, ReadHeaderTimeout: readHeaderTimeout,
		ErrorLog:    slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		BaseContext: func(net.Listener) context.Context { return c.done },
	}
	go func() {
		defer close(c.served)
		if err := c.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.log.Warn("control socket", "error", err)
		}
	}()
	return c, nil
}

// Close ends the requests under way and removes the socket.
func (c *control) Close() error {
	c.end()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err := c.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = c.http.Close()
	}
	<-c.served
	c.one <- struct{}{} // whoever made a checkpoint has removed it
	return errors.Join(err, c.cleanUp())
}

func (c *control) cleanUp() error {
	var all []error
	for _, path := range []string{filepath.Join(c.data, controlName), c.socket} {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			all = append(all, err)
		}
	}
	if c.own != "" {
		all = append(all, os.RemoveAll(c.own))
	}
	return errors.Join(all...)
}

// checkpointed says where a checkpoint is.
type checkpointed struct {
	Dir       string    `json:"dir"`
	Taken     time.Time `json:"taken"`
	Encrypted bool      `json:"encrypted"`
	Error     string    `json:"error,omitempty"`
}

// serveCheckpoint makes a checkpoint, says where it is, and keeps it until the
// caller hangs up. A caller that dies hangs up too.
func (c *control) serveCheckpoint(w http.ResponseWriter, r *http.Request) {
	// Only once the body is read does the server notice that the caller is gone.
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return
	}
	select {
	case c.one <- struct{}{}:
		defer func() { <-c.one }()
	case <-r.Context().Done():
		return
	}
	root := filepath.Join(c.data, local.CheckpointsDir)
	made, err := c.st.checkpoint(filepath.Join(root, fmt.Sprint(time.Now().UnixNano())))
	defer func() {
		if err := os.RemoveAll(root); err != nil {
			c.st.log.Warn("cannot remove a checkpoint", "error", err)
		}
	}()
	if err != nil {
		made.Error = err.Error()
		c.st.log.Error("checkpoint for a backup", "error", err)
	}
	made.Encrypted = backup.Encrypted(c.data)
	answer := http.NewResponseController(w)
	if err := errors.Join(json.NewEncoder(w).Encode(made), answer.Flush()); err != nil || made.Error != "" {
		return
	}
	if told := c.st.backedUp.Load(); told != nil {
		(*told)()
	}
	<-r.Context().Done()
}

// checkpoint puts tables and objects of one moment into dir. No object changes
// while the tables are cut, so that every row finds the objects that it names,
// and no object is of a later moment than the rows.
func (s *store) checkpoint(dir string) (checkpointed, error) {
	made := checkpointed{Dir: dir}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return made, err
	}
	err := s.objects.Checkpoint(filepath.Join(dir, backup.Objects), func() error {
		err := s.tables.Checkpoint(filepath.Join(dir, backup.Tables))
		made.Taken = time.Now().UTC()
		return err
	})
	return made, err
}

// serveCheck runs the checks of the stores and of what they hold, and answers
// one finding a line, then a line that says how it ended.
func (c *control) serveCheck(w http.ResponseWriter, r *http.Request) {
	var names tableNames
	if err := json.NewDecoder(r.Body).Decode(&names); err != nil {
		http.Error(w, "the body is no list of names", http.StatusBadRequest)
		return
	}
	answer, out := http.NewResponseController(w), json.NewEncoder(w)
	say := func(line checkLine) { _ = errors.Join(out.Encode(line), answer.Flush()) } // a caller that is gone ends the context
	var told time.Time
	err := c.st.check(r.Context(), names, func(f ops.Finding) { say(checkLine{Finding: &f}) }, func(p checkProgress) {
		if p.Items == 0 || time.Since(told) > 100*time.Millisecond {
			told = time.Now()
			say(checkLine{Progress: &p})
		}
	})
	last := checkLine{Done: true}
	if err != nil {
		last.Error = err.Error()
	}
	if err := out.Encode(last); err != nil {
		c.st.log.Debug("check answer not sent", "error", err)
	}
}

// callControl sends a request to the process that has the directory open. It is
// NotFound if none answers.
func callControl(ctx context.Context, data, path string, body any) (*http.Response, error) {
	socket, err := os.ReadFile(filepath.Join(data, controlName))
	if err != nil {
		return nil, errs.Wrap(err, errs.NotFound, "the process that has %s open does not say how to reach it", data)
	}
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", strings.TrimSpace(string(socket)))
		},
	}}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://pressroom"+path, strings.NewReader(string(text)))
	if err != nil {
		return nil, err
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, errs.Wrap(err, errs.NotFound, "the process that has %s open does not answer: %v", data, err)
	}
	if res.StatusCode != http.StatusOK {
		return nil, errors.Join(errs.New(errs.Unavailable, "the process that has %s open answers %s", data, res.Status), res.Body.Close())
	}
	return res, nil
}
