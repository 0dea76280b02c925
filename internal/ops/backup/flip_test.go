package backup

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// One flipped bit anywhere in a backup is found, or what comes back is the same.
func TestFlippedBit(t *testing.T) {
	data := makeData(t)
	want := files(t, data)
	for _, form := range []string{"backup", "backup.tar"} {
		place := filepath.Join(t.TempDir(), form)
		if _, err := Write(t.Context(), data, place, About{Program: "test", Taken: taken}, nil); err != nil {
			t.Fatal(err)
		}
		names := []string{place}
		if form == "backup" {
			names = nil
			for name := range want {
				names = append(names, filepath.Join(place, name))
			}
			names = append(names, filepath.Join(place, manifestName))
		}
		for _, name := range names {
			flipAll(t, place, name, want)
		}
	}
}

// flipAll flips bits all over one file, one at a time.
func flipAll(t *testing.T, place, name string, want map[string]string) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	const steps = 40
	for i := range min(steps, len(b)) {
		at := i * len(b) / min(steps, len(b))
		b[at] ^= 1 << (i % 8)
		writeFile(t, name, b)
		b[at] ^= 1 << (i % 8)
		_, damage, err := Verify(t.Context(), place, nil)
		if err != nil || len(damage) > 0 {
			found++
			continue
		}
		to := filepath.Join(t.TempDir(), "to")
		if _, err := Restore(t.Context(), place, to, nil); err != nil {
			t.Errorf("%s byte %d: verified, but cannot be restored: %v", name, at, err)
		} else if !maps.Equal(files(t, to), want) {
			t.Errorf("%s byte %d: something else is restored, and nobody notices", name, at)
		}
	}
	writeFile(t, name, b)
	if len(b) > 0 && found == 0 {
		t.Errorf("%s: no damage was found", name)
	}
}
