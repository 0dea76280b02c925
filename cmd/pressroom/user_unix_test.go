//go:build unix

package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// asOrdinaryUser makes cmd run as somebody to whom permissions apply. Root is
// above them, so that root's run is handed to an unprivileged user, who gets the
// directory and a copy of the program in it.
func asOrdinaryUser(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	const nobody = 65534
	program := filepath.Join(cmd.Dir, "program")
	copyProgram(t, cmd.Path, program)
	cmd.Path = program
	entries, err := os.ReadDir(cmd.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.Chown(filepath.Join(cmd.Dir, e.Name()), nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{cmd.Dir, filepath.Dir(cmd.Dir)} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}

func copyProgram(t *testing.T, from, to string) {
	t.Helper()
	src, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(dst, src); err != nil {
		t.Fatal(err)
	}
	if err := dst.Close(); err != nil {
		t.Fatal(err)
	}
}
