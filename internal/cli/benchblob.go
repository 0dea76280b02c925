package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/blob"
	"pressroom/blob/blobbench"
	"pressroom/internal/errs"
)

// benchBlobCmd measures an object store through the SDK's client.
type benchBlobCmd struct {
	Endpoint string        `setting:"-" placeholder:"URL" help:"Measure the S3 server at this address, with the credentials that the AWS SDK finds; default is Pressroom's own store, in this process."`
	Clients  []int         `setting:"-" default:"1,64" help:"Numbers of concurrent clients."`
	For      time.Duration `setting:"-" default:"3s" help:"How long each row is measured."`
	Size     int           `setting:"-" default:"20000" help:"Size of the objects in bytes."`
	Keys     int           `setting:"-" default:"10000" help:"Keys in the bucket that is listed."`
	Dir      string        `setting:"-" placeholder:"DIR" help:"Keep the measured store below this directory while measuring; default a temporary one."`
	JSON     bool          `setting:"-" name:"json" help:"Print JSON."`
}

// Help is the text under the command's usage line.
func (benchBlobCmd) Help() string {
	return `Puts are on disk when they are answered. The bucket pressroom-bench is made for the run
and removed after it.`
}

// Run measures one store and prints one table.
func (c *benchBlobCmd) Run(r *run) (err error) {
	client, dir, stop, err := c.open(r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	report, err := blobbench.Run(r.ctx, blobbench.Options{
		Client: client, Size: c.Size, Clients: c.Clients, For: c.For, Keys: c.Keys, Dir: dir,
		Progress: func(what string) { fmt.Fprintln(r.Stderr, what) },
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(r.Stdout).Encode(report)
	}
	_, err = report.WriteTo(r.Stdout)
	return err
}

// open returns a client of the store to measure, where it is on this machine's
// disk, if it is, and what ends that store.
func (c *benchBlobCmd) open(r *run) (client *s3.Client, dir string, stop func() error, err error) {
	if c.Endpoint != "" {
		cfg, err := config.LoadDefaultConfig(r.ctx)
		if err != nil {
			return nil, "", nil, errs.Wrap(err, errs.Unavailable, "cannot read the settings of the AWS SDK: %v", err)
		}
		client = s3.NewFromConfig(cfg, func(o *s3.Options) { o.BaseEndpoint, o.UsePathStyle = aws.String(c.Endpoint), true })
		return client, "", func() error { return nil }, nil
	}
	dir, err = os.MkdirTemp(c.Dir, "pressroom-bench-")
	if err != nil {
		return nil, "", nil, errs.Wrap(err, errs.Unavailable, "cannot make a directory for the measured store: %v", err)
	}
	store, err := blob.Open(dir, nil)
	if err != nil {
		return nil, "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return blob.Client(store), dir, func() error { return errors.Join(store.Close(), os.RemoveAll(dir)) }, nil
}
