// Command pocketbase serves PocketBase with one collection of records, for
// Pressroom to be measured against. Its first line of output is its address; it
// serves until its standard input ends.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/types"
)

// records is how many there are; a list shows twenty of them.
const records = 500

func main() {
	dir, err := os.MkdirTemp("", "pocketbase-")
	if err != nil {
		log.Fatal(err)
	}
	err = serve(dir)
	if rm := os.RemoveAll(dir); err == nil {
		err = rm
	}
	if err != nil {
		log.Fatal(err)
	}
}

func serve(dir string) error {
	app := pocketbase.NewWithConfig(pocketbase.Config{DefaultDataDir: dir, HideStartBanner: true})
	if err := app.Bootstrap(); err != nil {
		return err
	}
	if err := app.RunAllMigrations(); err != nil {
		return err
	}
	if err := fill(app); err != nil {
		return err
	}
	router, err := apis.NewRouter(app)
	if err != nil {
		return err
	}
	h, err := router.BuildMux()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", listener.Addr())
	go func() { _ = http.Serve(listener, h) }()
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// fill makes a collection that everyone may list, like the published posts of a
// blog: an id, a title, a summary, a state, a number and two times.
func fill(app core.App) error {
	c := core.NewBaseCollection("posts")
	c.ListRule, c.ViewRule = types.Pointer(""), types.Pointer("")
	c.Fields.Add(
		&core.TextField{Name: "title"}, &core.TextField{Name: "summary"}, &core.TextField{Name: "state"},
		&core.NumberField{Name: "version"},
		&core.AutodateField{Name: "created", OnCreate: true}, &core.AutodateField{Name: "updated", OnCreate: true, OnUpdate: true},
	)
	if err := app.Save(c); err != nil {
		return err
	}
	for i := range records {
		r := core.NewRecord(c)
		r.Set("title", fmt.Sprintf("Post %d of the newsroom", i))
		r.Set("summary", "A short, plain account of what was said, with the source one click away, so that everyone can look for themselves.")
		r.Set("state", "published")
		r.Set("version", i)
		if err := app.Save(r); err != nil {
			return err
		}
	}
	return nil
}
