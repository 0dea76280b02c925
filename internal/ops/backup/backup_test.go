package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"pressroom/blob"
	"pressroom/internal/errs"
)

var taken = time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC)

// makeData makes a directory with files of all sizes in both parts.
func makeData(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for i, name := range []string{"tables/000001.log", "tables/000002.sst", "tables/LOCK", "objects/meta/000001.log", "objects/data/00000001/0a", "objects/data/00000001/0b", "other/file"} {
		writeFile(t, filepath.Join(dir, name), bytes.Repeat([]byte{byte(i)}, i*10_000))
	}
	return dir
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// files returns the content of the parts.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if validName(filepath.ToSlash(rel)) && !isLock(rel) {
			data, err := os.ReadFile(path)
			all[filepath.ToSlash(rel)] = string(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func write(t *testing.T, from, to string) *Manifest {
	t.Helper()
	m, err := Write(t.Context(), from, to, About{Program: "test", Taken: taken}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func places(t *testing.T) map[string]string {
	return map[string]string{"directory": filepath.Join(t.TempDir(), "backup"), "file": filepath.Join(t.TempDir(), "backup.tar")}
}

func TestRoundTrip(t *testing.T) {
	data := makeData(t)
	for form, to := range places(t) {
		m := write(t, data, to)
		if len(m.Files) != 5 || m.Taken != taken || m.Data != DataFormat {
			t.Errorf("%s: %+v", form, m)
		}
		again, damage, err := Verify(t.Context(), to, nil)
		if err != nil || damage != nil {
			t.Errorf("%s: %v, %v", form, damage, err)
		}
		if diff := cmp.Diff(m, again); diff != "" {
			t.Errorf("%s: the manifest (-written +read):\n%s", form, diff)
		}
		back := filepath.Join(t.TempDir(), "new")
		var last Progress
		if _, err := Restore(t.Context(), to, back, &Restoring{Progress: func(p Progress) { last = p }}); err != nil {
			t.Fatal(err)
		}
		if last.Files != 5 || last.Bytes != m.Bytes {
			t.Errorf("%s: the progress ends at %+v", form, last)
		}
		if diff := cmp.Diff(files(t, data), files(t, back)); diff != "" {
			t.Errorf("%s: %s", form, diff)
		}
		if err := Ready(t.Context(), back, nil); err != nil {
			t.Error(err)
		}
	}
}

// A backup that is cut off anywhere leaves nothing that could be taken for one.
func TestCutOff(t *testing.T) {
	data := makeData(t)
	for form, to := range places(t) {
		for n := 1; ; n++ {
			ctx, cancel := context.WithCancel(t.Context())
			seen := 0
			_, err := Write(ctx, data, to, About{Taken: taken}, func(Progress) {
				if seen++; seen == n {
					cancel()
				}
			})
			cancel()
			if err == nil {
				break // it was whole before the cut
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("%s, cut %d: %v", form, n, err)
			}
			if left, _ := filepath.Glob(to + "*"); left != nil {
				t.Fatalf("%s, cut %d: it left %v", form, n, left)
			}
		}
	}
	// As a dead process leaves it, and as a disk does that lost the end.
	all := places(t)
	write(t, data, all["directory"])
	if err := os.Remove(filepath.Join(all["directory"], manifestName)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Verify(t.Context(), all["directory"], nil); err == nil || !strings.Contains(err.Error(), "no whole backup") {
		t.Errorf("without a manifest: %v", err)
	}
	write(t, data, all["file"])
	text, err := os.ReadFile(all["file"])
	if err != nil {
		t.Fatal(err)
	}
	for cut := 0; cut < len(text)-1024; cut += 3001 { // a tar ends with two blocks of nothing
		writeFile(t, all["file"], text[:cut])
		if _, damage, err := Verify(t.Context(), all["file"], nil); err == nil && damage == nil {
			t.Errorf("cut at %d of %d it is taken for whole", cut, len(text))
		}
		back := t.TempDir()
		if _, err := Restore(t.Context(), all["file"], back, nil); err == nil {
			t.Errorf("cut at %d it is restored", cut)
		}
		if left, err := os.ReadDir(back); err != nil || len(left) > 0 {
			t.Errorf("cut at %d: the restore left %v, %v", cut, left, err)
		}
	}
}

// Whatever byte is changed, the damage is found and not restored.
func TestDamage(t *testing.T) {
	data := makeData(t)
	all := places(t)
	m := write(t, data, all["directory"])
	for _, f := range m.Files {
		path := filepath.Join(all["directory"], f.Name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(whole) == 0 {
			continue
		}
		changed := bytes.Clone(whole)
		changed[len(changed)/2] ^= 1
		for what, bad := range map[string][]byte{"changed": changed, "shorter": whole[:len(whole)-1], "missing": nil} {
			if bad == nil {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			} else {
				writeFile(t, path, bad)
			}
			_, damage, err := Verify(t.Context(), all["directory"], nil)
			if err != nil || len(damage) != 1 || damage[0].File != f.Name {
				t.Errorf("%s %s: %v, %v", f.Name, what, damage, err)
			}
			if _, err := Restore(t.Context(), all["directory"], filepath.Join(t.TempDir(), "x"), nil); !errors.Is(err, ErrDamaged) {
				t.Errorf("%s %s: restored with %v", f.Name, what, err)
			}
		}
		writeFile(t, path, whole)
	}
	path := filepath.Join(all["directory"], manifestName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ old, new, want string }{
		{`"taken": "2026`, `"taken": "2025`, "manifest was changed"},
		{`"format": 1`, `"format": 9`, "newer program"},
		{`{`, `[`, "cannot be read"},
	} {
		writeFile(t, path, bytes.Replace(text, []byte(tt.old), []byte(tt.new), 1))
		if _, _, err := Verify(t.Context(), all["directory"], nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.new, err)
		}
	}
	// A manifest that is sound in itself and names a file elsewhere.
	m.Files = append(m.Files, File{Name: "tables/../../evil"})
	evil, err := m.encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parseManifest(evil); !errors.Is(err, ErrDamaged) {
		t.Errorf("a file elsewhere: %v", err)
	}
}

func TestValidName(t *testing.T) {
	for name, valid := range map[string]bool{
		"tables/a": true, "objects/data/1/2": true, "tables/": false, "tables": false, "other/a": false,
		"tables/../x": false, "/tables/a": false, "tables//a": false, "../tables/a": false, "": false,
	} {
		if validName(name) != valid {
			t.Errorf("%q: %v", name, !valid)
		}
	}
}

func FuzzManifest(f *testing.F) {
	m := Manifest{Format: 1, Data: 1, Files: []File{{Name: "tables/a", Size: 1}}}
	text, err := m.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"format":1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := parseManifest(text)
		if err != nil {
			return
		}
		for _, file := range m.Files {
			if !filepath.IsLocal(file.Name) {
				t.Errorf("it accepts %q", file.Name)
			}
		}
	})
}

func TestReady(t *testing.T) {
	ctx := t.Context()
	dir := makeData(t)
	before := files(t, dir)
	if err := Ready(ctx, dir, nil); err != nil {
		t.Fatal(err)
	}
	runs := 0
	steps := []Step{
		{From: 1, What: "rename", Run: func(_ context.Context, dir string) error {
			runs++
			return os.WriteFile(filepath.Join(dir, Tables, "000001.log"), []byte("new"), 0o600)
		}},
		{From: 2, What: "fail once", Run: func(context.Context, string) error {
			if runs++; runs == 2 {
				return errors.New("no room")
			}
			return nil
		}},
	}
	now := taken
	o := &Readying{Program: "v3", Now: func() time.Time { now = now.Add(time.Second); return now }, current: 3, steps: steps}
	err := Ready(ctx, dir, o)
	if err == nil || !strings.Contains(err.Error(), "no room") {
		t.Errorf("a step that fails: %v", err)
	}
	backups, err := filepath.Glob(filepath.Join(dir, "backups", "format-1-*"))
	if err != nil || len(backups) != 1 {
		t.Fatalf("backups: %v, %v", backups, err)
	}
	if _, damage, err := Verify(ctx, backups[0], nil); err != nil || damage != nil {
		t.Errorf("the backup before the upgrade: %v, %v", damage, err)
	}
	if diff := cmp.Diff(before, files(t, backups[0])); diff != "" {
		t.Errorf("the backup is not what was there:\n%s", diff)
	}
	if err := Ready(ctx, dir, o); err != nil {
		t.Fatal(err)
	}
	if runs != 3 {
		t.Errorf("the steps ran %d times: the one that was done ran again", runs)
	}
	if f, err := readFormat(dir, ""); err != nil || f.Format != 3 || f.Program != "v3" {
		t.Errorf("the format is %+v, %v", f, err)
	}
	// The present program refuses it now.
	err = Ready(ctx, dir, nil)
	if !errors.Is(err, errs.Unavailable) || !strings.Contains(errs.Message(err), "written by a newer Pressroom (v3, data format 3; this one knows up to 1)") {
		t.Errorf("a newer format: %v", err)
	}
	writeFile(t, filepath.Join(dir, formatName), []byte("nonsense"))
	if err := Ready(ctx, dir, nil); err == nil {
		t.Error("a damaged format is accepted")
	}
	empty := t.TempDir()
	if err := Ready(ctx, empty, &Readying{Program: "v1"}); err != nil {
		t.Error(err)
	}
	var f format
	text, err := os.ReadFile(filepath.Join(empty, formatName))
	if err != nil || json.Unmarshal(text, &f) != nil || f.Format != DataFormat || f.Program != "v1" {
		t.Errorf("a new directory: %s, %v", text, err)
	}
}

func TestKeepVersions(t *testing.T) {
	now := taken
	store, err := blob.Open("objects", &blob.Options{FS: vfs.NewMem(), Now: func() time.Time { return now }, SweepEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	client, ctx := blob.Client(store), t.Context()
	if _, err := client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: aws.String("bodies")}); err != nil {
		t.Fatal(err)
	}
	rule := types.LifecycleRule{ID: aws.String("own"), Status: types.ExpirationStatusEnabled, Filter: &types.LifecycleRuleFilter{Prefix: aws.String("tmp/")}, Expiration: &types.LifecycleExpiration{Days: aws.Int32(1)}}
	_, err = client.PutBucketLifecycleConfiguration(ctx, &s3.PutBucketLifecycleConfigurationInput{Bucket: aws.String("bodies"), LifecycleConfiguration: &types.BucketLifecycleConfiguration{Rules: []types.LifecycleRule{rule}},
		TransitionDefaultMinimumObjectSize: types.TransitionDefaultMinimumObjectSizeVariesByStorageClass})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := KeepVersions(ctx, client, 35, "bodies"); err != nil {
			t.Fatal(err)
		}
	}
	has, err := lifecycleOf(ctx, client, "bodies")
	if err != nil || len(has.Rules) != 2 || aws.ToString(has.Rules[0].ID) != "own" || has.TransitionDefaultMinimumObjectSize != types.TransitionDefaultMinimumObjectSizeVariesByStorageClass {
		t.Errorf("lifecycle: %+v, %v", has, err)
	}
	for i := range 3 {
		_, err := client.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String("bodies"), Key: aws.String("k"), Body: strings.NewReader(fmt.Sprint(i))})
		if err != nil {
			t.Fatal(err)
		}
		now = now.AddDate(0, 0, 20)
	}
	versions := func() int {
		out, err := client.ListObjectVersions(ctx, &s3.ListObjectVersionsInput{Bucket: aws.String("bodies")})
		if err != nil {
			t.Fatal(err)
		}
		return len(out.Versions)
	}
	if n := versions(); n != 3 {
		t.Errorf("%d versions are kept", n)
	}
	if _, err := store.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	if n := versions(); n != 2 {
		t.Errorf("after 35 days %d versions are kept", n)
	}
}
