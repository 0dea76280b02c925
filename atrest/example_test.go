package atrest_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/atrest"
)

// A Pebble database on an encrypted directory.
func ExampleOpen() {
	tmp, err := os.MkdirTemp("", "atrest-example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	keyFile, dir := filepath.Join(tmp, "keys"), filepath.Join(tmp, "data")
	if err := os.WriteFile(keyFile, []byte(atrest.GenerateKey()+"\n"), 0o600); err != nil {
		log.Fatal(err)
	}

	keys, err := atrest.LoadKeys(keyFile)
	if err != nil {
		log.Fatal(err)
	}
	fs, err := atrest.Open(vfs.Default, dir, keys)
	if err != nil {
		log.Fatal(err)
	}
	db, err := pebble.Open(dir, &pebble.Options{FS: fs})
	if err != nil {
		log.Fatal(err)
	}
	if err := db.Set([]byte("headline"), []byte("Rain expected"), pebble.Sync); err != nil {
		log.Fatal(err)
	}
	if err := db.Close(); err != nil {
		log.Fatal(err)
	}

	_, err = atrest.Open(vfs.Default, dir, nil)
	fmt.Println(err != nil)
	// Output: true
}

// A file of one's own: written as a stream, put in place by a rename, read
// in part.
func ExampleOpen_file() {
	keys, err := atrest.NewKeys([]byte("a key is random; this one is not"))
	if err != nil {
		log.Fatal(err)
	}
	fs, err := atrest.Open(vfs.NewMem(), "objects", keys)
	if err != nil {
		log.Fatal(err)
	}

	f, err := fs.Create("objects/1.tmp", vfs.WriteCategoryUnspecified)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprint(f, "All the news ")
	fmt.Fprint(f, "that fits")
	if err := f.Sync(); err != nil {
		log.Fatal(err)
	}
	f.Close()
	if err := fs.Rename("objects/1.tmp", "objects/1"); err != nil {
		log.Fatal(err)
	}

	f, err = fs.Open("objects/1")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	part := make([]byte, 4)
	if _, err := f.ReadAt(part, 8); err != nil {
		log.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s of %d bytes\n", part, info.Size())
	// Output: news of 22 bytes
}

// Rotation: the new key first, the old one below it until it is not in use.
func ExampleReencrypt() {
	disk := vfs.NewMem()
	oldKey, newKey := []byte("the old key, which somebody saw."), []byte("the new key, which nobody has...")

	open := func(keys ...[]byte) vfs.FS {
		ks, err := atrest.NewKeys(keys...)
		if err != nil {
			log.Fatal(err)
		}
		fs, err := atrest.Open(disk, "data", ks)
		if err != nil {
			log.Fatal(err)
		}
		return fs
	}
	f, err := open(oldKey).Create("data/a", vfs.WriteCategoryUnspecified)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprint(f, "text")
	f.Close()

	fs := open(newKey, oldKey)
	done, err := atrest.Reencrypt(fs, "data")
	if err != nil {
		log.Fatal(err)
	}
	uses, err := atrest.KeyUsage(fs, "data")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(done.Files, "file rewritten;", len(uses), "key in use")
	open(newKey)
	// Output: 1 file rewritten; 1 key in use
}
