package disk

import (
	"encoding/binary"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// However much is written, what was written last takes no more memory than the objects'
// share of a small process.
func TestMemoryOfWritesIsBounded(t *testing.T) {
	s, err := Open("data", Options{FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	value := make([]byte, 60<<10)
	for i := range 1400 {
		if err := s.db.Set(binary.BigEndian.AppendUint32([]byte{0xff}, uint32(i)), value, pebble.NoSync); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.db.Flush(); err != nil {
		t.Fatal(err)
	}
	m := s.db.Metrics()
	if got := m.MemTable.Size + m.MemTable.ZombieSize; got > 24<<20 {
		t.Errorf("80 MB of writes leave %d MB in memory", got>>20)
	}
}
