package demo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/errs"
)

func write(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMarkIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "demo")
	began := time.Now()
	mark := must(Open(dir, began))(t)
	first := must(mark.Accounts())(t)
	if err := mark.Finish("posts"); err != nil {
		t.Fatal(err)
	}
	again := must(Open(dir, began.Add(72*time.Hour)))(t)
	if diff := cmp.Diff(first, must(again.Accounts())(t)); diff != "" {
		t.Errorf("the passwords changed: %s", diff)
	}
	if !again.Done("posts") || again.Done("terms") || !again.Began().Equal(began.UTC().Truncate(time.Second)) {
		t.Errorf("the mark is %+v", again.data)
	}
	info, err := os.Stat(filepath.Join(dir, markName))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("everybody may read the passwords: %v, %v", info.Mode(), err)
	}
}

func TestOpenLeavesOthersAlone(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "tables/000001.log")
	if _, err := Open(dir, time.Now()); !errors.Is(err, errs.Conflict) {
		t.Errorf("a directory with data: %v", err)
	}
	write(t, dir, markName)
	if _, err := Open(dir, time.Now()); !errors.Is(err, errs.Unavailable) {
		t.Errorf("a damaged mark: %v", err)
	}
}

func TestReset(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "demo")
	if _, err := Reset(dir); !errors.Is(err, errs.NotFound) {
		t.Errorf("no directory: %v", err)
	}
	kept := write(t, dir, "notes.txt")
	table := write(t, dir, "tables/000001.log")
	if _, err := Reset(dir); !errors.Is(err, errs.Conflict) {
		t.Errorf("a directory of others: %v", err)
	}
	if _, err := os.Stat(table); err != nil {
		t.Errorf("it was touched: %v", err)
	}
	write(t, dir, markName)
	others := must(Reset(dir))(t)
	if diff := cmp.Diff([]string{"notes.txt"}, others); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("what the demo did not make: %v", err)
	}
	if _, err := os.Stat(table); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the tables: %v", err)
	}

	whole := filepath.Join(parent, "whole")
	must(Open(whole, time.Now()))(t)
	if others := must(Reset(whole))(t); others != nil {
		t.Errorf("%v stayed", others)
	}
	if _, err := os.Stat(whole); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory: %v", err)
	}
}

func TestParseFile(t *testing.T) {
	tests := []struct {
		name, text string
		ok         bool
	}{
		{"whole", "---\ntitle: A: b\npoint: 1\npoint: 2\n---\ntext\n", true},
		{"no fields", "text\n", false},
		{"no end", "---\ntitle: a\n", false},
		{"no field", "---\ntitle\n---\n", false},
	}
	for _, test := range tests {
		f, err := parseFile(test.name, test.text)
		if (err == nil) != test.ok {
			t.Errorf("%s: %v", test.name, err)
		}
		if test.ok && (f.get("title") != "A: b" || len(f.fields["point"]) != 2 || f.text != "text\n") {
			t.Errorf("%s: %+v", test.name, f)
		}
	}
}

func TestDrawEveryPicture(t *testing.T) {
	for name := range pictures {
		if data := must(draw(name))(t); len(data) < 1000 {
			t.Errorf("%s has %d bytes", name, len(data))
		}
	}
	if _, err := draw("nothing"); err == nil {
		t.Error("a picture that is not there was drawn")
	}
}
