package minutes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	neturl "net/url"
	"strings"

	"pressroom/internal/errs"
	"pressroom/model"
)

// AssetPath is where the newsroom's own pages serve assets, by their keys.
const AssetPath = "/minutes/assets"

// defaultBase is the public base of a process that knows no other: the newsroom's own
// address as it is by default. A server that knows better gives articles their address
// anew.
const defaultBase = "http://localhost:8080" + AssetPath

// assetURL is the address at which readers fetch an asset.
func (d *Desk) assetURL(key string) string { return d.o.AssetBase + "/" + key }

// assetKeys are the keys that an asset may have in the bucket, the likelier first. The
// base of an address may be any: it was another one yesterday, or another program's.
func (d *Desk) assetKeys(at string) []string {
	bucket := d.objects.assets.Name
	if key, ok := strings.CutPrefix(at, "s3://"+bucket+"/"); ok {
		return []string{key}
	}
	if key, ok := strings.CutPrefix(at, d.o.AssetBase+"/"); ok {
		return []string{key}
	}
	u, err := neturl.Parse(at)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil
	}
	path := strings.TrimPrefix(u.Path, "/")
	keys := []string{path}
	if key, ok := strings.CutPrefix(path, bucket+"/"); ok {
		keys = append(keys, key)
	}
	if i := strings.Index("/"+path, "/articles/"); i > 0 {
		keys = append(keys, path[i:])
	}
	return keys
}

// ownAsset returns the key of an asset that this desk wrote; "" for any other.
func (d *Desk) ownAsset(a *Article) string {
	for _, key := range d.assetKeys(a.AssetURL) {
		if id, ok := assetID(key); ok && id == a.ID {
			return key
		}
	}
	return ""
}

// assetID returns the article of an asset's key.
func assetID(key string) (string, bool) {
	parts := strings.Split(key, "/")
	if len(parts) != 4 || parts[0] != "articles" || parts[2] == "" || parts[3] != "asset.json" {
		return "", false
	}
	return parts[1], true
}

// readAsset reads what an article's address leads to in the bucket, or answers
// errNoObject.
func (d *Desk) readAsset(ctx context.Context, a *Article) ([]byte, error) {
	err := fmt.Errorf("%q is in none of the desk's buckets: %w", a.AssetURL, errNoObject)
	for _, key := range d.assetKeys(a.AssetURL) {
		var data []byte
		if data, err = d.objects.read(ctx, url(d.objects.assets.Name, key)); !errors.Is(err, errNoObject) {
			return data, err
		}
	}
	return nil, err
}

// getAsset reads the asset of an article. Another program's may be elsewhere, or have
// parts of another form: of that what can be read is there.
func (d *Desk) getAsset(ctx context.Context, a *Article, into *Asset) error {
	data, err := d.readAsset(ctx, a)
	if errors.Is(err, errNoObject) && a.foreign() {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil && !a.foreign() {
		return fmt.Errorf("read %s: %w", a.AssetURL, err)
	}
	return nil
}

// Asset returns the JSON of a published article's asset by its key, or errs.NotFound:
// also of one that is no longer the article's, and of an article that is gone.
func (d *Desk) Asset(ctx context.Context, key string) ([]byte, error) {
	none := errs.New(errs.NotFound, "There is no such asset.")
	id, ok := assetID(key)
	if !ok {
		return nil, none
	}
	a, err := d.GetArticle(ctx, id)
	if err != nil {
		return nil, err
	}
	if d.ownAsset(&a) != key {
		return nil, none
	}
	data, err := d.objects.read(ctx, url(d.objects.assets.Name, key))
	if errors.Is(err, errNoObject) {
		return nil, none
	}
	return bytes.TrimSpace(data), err
}

// Readdress gives articles of this desk, and their index items, the address of their
// asset under the present base, where they have another. It returns how many it
// changed.
func (d *Desk) Readdress(ctx context.Context) (int, error) {
	n := 0
	for a, err := range d.All(ctx) {
		if err != nil {
			return n, fmt.Errorf("readdress: %w", err)
		}
		if key := d.ownAsset(&a); key == "" || a.AssetURL == d.assetURL(key) || a.foreign() {
			continue
		}
		changed, err := d.readdress(ctx, a.ID)
		if err != nil {
			return n, fmt.Errorf("readdress article %s: %w", a.ID, err)
		}
		if changed {
			n++
		}
	}
	return n, nil
}

func (d *Desk) readdress(ctx context.Context, id string) (bool, error) {
	changed := false
	err := d.saver.Retry(ctx, id, func() error {
		old, err := d.articles.Get(ctx, model.Values{"id": id})
		key := d.ownAsset(&old)
		if changed = false; errors.Is(err, model.ErrNotFound) || err == nil && (key == "" || old.foreign()) {
			return nil
		}
		if err != nil {
			return err
		}
		next := old
		next.AssetURL = d.assetURL(key)
		changed = true
		return overtaken(d.saveOver(ctx, &next, &old, nil))
	})
	return changed, known(err, "save of article %s", id)
}
