//go:build unix

package erase

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pressroom/blob"
	"pressroom/dynamo"
)

var kills = flag.Int("kills", 6, "how many processes TestKill kills while they erase, and again while they restore")

// killedRole tells a process what it does in killedData, and killedLeft after how many
// writes it dies.
const killedRole, killedData, killedLeft = "PRESSROOM_TEST_ERASE_ROLE", "PRESSROOM_TEST_ERASE_DATA", "PRESSROOM_TEST_ERASE_LEFT"

// openKilled opens a data directory; its register lies in it.
func openKilled(t testing.TB, dir string) (*room, func()) {
	t.Helper()
	db, err := dynamo.Open(filepath.Join(dir, "tables"), nil)
	if err != nil {
		t.Fatal(err)
	}
	store, err := blob.Open(filepath.Join(dir, "objects"), &blob.Options{SweepEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	r := newRoom(t, db, store, filepath.Join(dir, RegisterName), time.Now())
	return r, func() { r.check(errors.Join(db.Close(), store.Close())) }
}

// eraseUntilKilled is a process: it erases the name, or what a register says, and dies
// by SIGKILL with one of its writes, in the midst of those of its other workers.
func eraseUntilKilled(t *testing.T, role string) {
	r, done := openKilled(t, os.Getenv(killedData))
	left, err := strconv.Atoi(os.Getenv(killedLeft))
	r.check(err)
	r.faulty.left = left
	r.faulty.die = func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) }
	ctx := t.Context()
	if role == "restore" {
		entries, err := ReadRegister(os.Getenv(killedRole + "_REGISTER"))
		r.check(err)
		_, err = r.erasures.Apply(ctx, entries, nil)
		r.check(err)
		r.check(r.erasures.Adopt(ctx, entries))
		done()
		return
	}
	begun := false
	for _, err := range r.erasures.All(ctx) {
		r.check(err)
		begun = true
	}
	if !begun {
		_, err := r.erasures.Begin(ctx, Subject{Person, name}, "ann", "asked")
		r.check(err)
	}
	r.check(r.erasures.Run(ctx, nil))
	done()
}

// Processes are killed while they erase a name, and while they erase it from what was
// backed up the day before. The last one ends it: the name is nowhere, here and there.
func TestKill(t *testing.T) {
	if role := os.Getenv(killedRole); role != "" {
		eraseUntilKilled(t, role)
		return
	}
	if testing.Short() {
		t.Skip("starts processes")
	}
	data, yesterday := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "yesterday")
	r, done := openKilled(t, data)
	r.fill(*many)
	done()
	if err := os.CopyFS(yesterday, os.DirFS(data)); err != nil {
		t.Fatal(err)
	}
	killUntilErased(t, "erase", data, "")
	r, done = openKilled(t, data)
	r.wantNowhere()
	for one, err := range r.erasures.All(t.Context()) {
		if r.check(err); one.State != Done {
			t.Errorf("%+v", one)
		}
	}
	done()
	killUntilErased(t, "restore", yesterday, filepath.Join(data, RegisterName))
	r, done = openKilled(t, yesterday)
	r.wantNowhere()
	done()
}

// killUntilErased starts processes until one comes to its end.
func killUntilErased(t *testing.T, role, data, register string) {
	t.Helper()
	killed, began := 0, time.Now()
	for {
		left := -1
		if killed < *kills {
			left = 1 + rand.IntN(max(2, 4**many/(*kills+1))) // a name is in some four places of a story
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestKill$", "-test.timeout=1h")
		cmd.Env = append(os.Environ(), killedRole+"="+role, killedData+"="+data, killedLeft+"="+strconv.Itoa(left), killedRole+"_REGISTER="+register)
		start := time.Now()
		out, err := cmd.CombinedOutput()
		state := cmd.ProcessState
		if state == nil {
			t.Fatal(err)
		}
		t.Logf("%s: %s after %s, %s of them at work, %d MB", role, state, time.Since(start).Round(time.Millisecond),
			(state.UserTime() + state.SystemTime()).Round(time.Millisecond), state.SysUsage().(*syscall.Rusage).Maxrss>>10)
		if state.Success() {
			break
		}
		if state.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatalf("%s: %v: %s", role, err, out)
		}
		killed++
	}
	if killed == 0 {
		t.Error("no process was killed")
	}
	t.Logf("%s: %d stories, %d kills, %s in all", role, *many, killed, time.Since(began).Round(time.Millisecond))
}

// wantNowhere looks for the name in everything that is stored, and for every story.
func (r *room) wantNowhere() {
	r.t.Helper()
	found, cards := 0, 0
	r.each(func(text string) {
		if strings.Contains(text, "山田") || strings.Contains(text, "太郎") {
			if found++; found < 5 {
				r.t.Errorf("the name is left: %s", text)
			}
		}
		if strings.Contains(text, "昨日、〔削除〕氏は述べた。") {
			cards++
		}
	})
	if cards != 3**many {
		r.t.Errorf("%d stories are in %d places, not in 3 each", *many, cards)
	}
	if found >= 5 {
		r.t.Error(fmt.Sprint(found, " in all"))
	}
}
