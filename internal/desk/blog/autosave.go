package blog

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Autosave is what an editor has typed and not saved. Each editor has one for
// each post, and one for a post that does not exist yet. It goes after 30 days.
type Autosave struct {
	PostID  string    `json:"post_id"` // "" for a new post
	Editor  string    `json:"editor"`  // who types: an account's id
	Version int       `json:"version"` // of the post that the editor began with
	SavedAt time.Time `json:"saved_at"`
	Content Content   `json:"content"` // not judged: it may be incomplete
}

// maxAutosave is how many bytes unsaved work may have.
const maxAutosave = MaxBody + MaxBody/2

// PutAutosave keeps unsaved work over what was kept before, and returns it with
// the time.
func (d *Desk) PutAutosave(ctx context.Context, a Autosave) (Autosave, error) {
	key, err := d.autosaveKey(a.PostID, a.Editor)
	if err != nil {
		return a, err
	}
	a.SavedAt = d.now().UTC().Truncate(time.Millisecond)
	body, err := json.Marshal(a)
	if err != nil {
		return a, err
	}
	if len(body) > maxAutosave {
		return a, errs.New(errs.TooLarge, "The post is too large to be kept.")
	}
	_, err = d.objects.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &d.bucket.Name, Key: &key, Body: bytes.NewReader(body), ContentType: aws.String("application/json"),
	})
	if err != nil {
		return a, fmt.Errorf("autosave post %s: %w", a.PostID, err)
	}
	return a, nil
}

// GetAutosave returns the editor's unsaved work on a post, or errs.NotFound.
// Whether it is still wanted, its version and time say.
func (d *Desk) GetAutosave(ctx context.Context, postID, editor string) (Autosave, error) {
	var a Autosave
	key, err := d.autosaveKey(postID, editor)
	if err != nil {
		return a, err
	}
	out, err := d.objects.GetObject(ctx, &s3.GetObjectInput{Bucket: &d.bucket.Name, Key: &key})
	if isMissing(err) {
		return a, fmt.Errorf("autosave of post %s: %w", postID, errs.NotFound)
	}
	if err != nil {
		return a, fmt.Errorf("autosave of post %s: %w", postID, err)
	}
	defer func() { _ = out.Body.Close() }()
	if err := json.NewDecoder(io.LimitReader(out.Body, maxAutosave)).Decode(&a); err != nil {
		return a, fmt.Errorf("autosave of post %s: %w", postID, err)
	}
	return a, nil
}

// DropAutosave forgets the editor's unsaved work on a post, if there is any:
// after a save, or when the editor does not want it.
func (d *Desk) DropAutosave(ctx context.Context, postID, editor string) error {
	key, err := d.autosaveKey(postID, editor)
	if err != nil {
		return err
	}
	if _, err := d.objects.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &d.bucket.Name, Key: &key}); err != nil {
		return fmt.Errorf("drop autosave of post %s: %w", postID, err)
	}
	return nil
}

// dropAutosaves forgets all unsaved work on a deleted post. What is left expires.
func (d *Desk) dropAutosaves(ctx context.Context, postID string) {
	prefix := "autosaves/" + postID + "/"
	out, err := d.objects.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &d.bucket.Name, Prefix: &prefix})
	if err == nil {
		for _, o := range out.Contents {
			if _, err = d.objects.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &d.bucket.Name, Key: o.Key}); err != nil {
				break
			}
		}
	}
	if err != nil {
		d.opt.Log.Warn("blog: unsaved work on a deleted post is left to expire", "post", postID, "err", err)
	}
}

// newPost stands in keys for a post that does not exist yet; it is no ULID.
const newPost = "new"

func (d *Desk) autosaveKey(postID, editor string) (string, error) {
	if editor == "" || len(editor) > 200 {
		return "", errs.Validation(errs.Field{Name: "editor", Message: "is missing"})
	}
	if postID == "" {
		postID = newPost
	}
	// Names of accounts may hold anything; in the key they are letters.
	key, err := d.objectKey("Autosave", model.Values{"id": postID, "editor": base64.RawURLEncoding.EncodeToString([]byte(editor))})
	if err != nil || !plausible(postID) {
		return "", noPost(postID)
	}
	return key, nil
}
