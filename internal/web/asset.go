package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"

	"pressroom/internal/errs"
)

// assetPath is where assets are served.
const assetPath = "/assets/"

// asset is a file that browsers may keep for ever, because its name changes with
// its content.
type asset struct {
	kind   string
	plain  []byte
	packed []byte // gzip; nil if it saves nothing
}

// assets are all such files: by their hashed name, and the hashed name by the
// plain one.
type assets struct {
	files map[string]asset
	names map[string]string
}

func newAssets() *assets {
	return &assets{files: map[string]asset{}, names: map[string]string{}}
}

// types are the media types of what we serve; the system's table may lack some.
var types = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".webp": "image/webp", ".woff2": "font/woff2",
}

// bundle joins the files that a pattern matches into one asset, in the order of
// their names.
func (a *assets) bundle(fsys fs.FS, name, pattern string) error {
	matches, err := fs.Glob(fsys, pattern)
	if err != nil || len(matches) == 0 {
		return fmt.Errorf("asset %s: nothing matches %s", name, pattern)
	}
	slices.Sort(matches)
	var all bytes.Buffer
	for _, match := range matches {
		data, err := fs.ReadFile(fsys, match)
		if err != nil {
			return err
		}
		all.Write(data)
	}
	return a.add(name, all.Bytes())
}

// directory adds each file of a package's static folder and returns the names of
// its style sheets and scripts.
func (a *assets) directory(fsys fs.FS) ([]string, error) {
	entries, err := fs.Glob(fsys, "static/*")
	if err != nil {
		return nil, err
	}
	var linked []string
	for _, entry := range entries {
		data, err := fs.ReadFile(fsys, entry)
		if err != nil {
			return nil, err
		}
		name := path.Base(entry)
		if err := a.add(name, data); err != nil {
			return nil, err
		}
		if ext := path.Ext(name); ext == ".css" || ext == ".js" {
			linked = append(linked, name)
		}
	}
	return linked, nil
}

func (a *assets) add(name string, data []byte) error {
	if _, known := a.names[name]; known {
		return fmt.Errorf("asset %s is given a second time", name)
	}
	ext := path.Ext(name)
	kind := types[ext]
	if kind == "" {
		kind = mime.TypeByExtension(ext)
	}
	if kind == "" {
		return fmt.Errorf("asset %s: unknown media type", name)
	}
	sum := sha256.Sum256(data)
	hashed := strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:6]) + ext
	a.names[name] = hashed
	a.files[hashed] = asset{kind: kind, plain: data, packed: pack(data)}
	return nil
}

// pack returns data compressed as well as gzip can, or nil if that is no gain.
func pack(data []byte) []byte {
	var buf bytes.Buffer
	w, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		return nil
	}
	if _, err := w.Write(data); err != nil || w.Close() != nil || buf.Len() >= len(data) {
		return nil
	}
	return buf.Bytes()
}

// url returns where an asset is served.
func (a *assets) url(name string) (string, error) {
	hashed, ok := a.names[name]
	if !ok {
		return "", fmt.Errorf("no asset is named %s", name)
	}
	return assetPath + hashed, nil
}

// serveAsset answers with a file, or with 404 for a name of another version.
func (s *Site) serveAsset(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("file")
	file, ok := s.assets.files[name]
	if !ok {
		return errs.NotFound
	}
	h := w.Header()
	h.Set("Content-Type", file.kind)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("ETag", `"`+name+`"`)
	h.Set("Vary", "Accept-Encoding")
	if matches(r, h.Get("ETag")) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	body := file.plain
	if file.packed != nil && acceptsGzip(r) {
		h.Set("Content-Encoding", "gzip")
		body = file.packed
	}
	return send(w, r, http.StatusOK, body)
}
