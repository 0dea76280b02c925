package engine

import (
	"encoding/binary"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// However much is written, what was written last takes no more memory than the tables'
// share of a small process.
func TestMemoryOfWritesIsBounded(t *testing.T) {
	e, err := Open("data", &Options{FS: vfs.NewMem(), SweepEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	value := make([]byte, 100<<10)
	for i := range 800 {
		if err := e.db.Set(binary.BigEndian.AppendUint32([]byte{0xff}, uint32(i)), value, pebble.NoSync); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.db.Flush(); err != nil {
		t.Fatal(err)
	}
	m := e.db.Metrics()
	if got := m.MemTable.Size + m.MemTable.ZombieSize; got > 24<<20 {
		t.Errorf("80 MB of writes leave %d MB in memory", got>>20)
	}
}
