package demo

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/desk/minutes"
)

// dayOf finds the days in a record of the demo, as DAY-20: so many before it began.
var dayOf = regexp.MustCompile(`DAY-(\d+)`)

// loadAssemblies puts the records of three parliaments, of three traditions, into a
// bucket, declares them, collects them and has articles made of them.
func (d *Demo) loadAssemblies(ctx context.Context) error {
	declarations, err := fs.Glob(embedded, "content/assemblies/*.toml")
	if err != nil {
		return err
	}
	bucket := d.stage.Schema(minutes.Schema).Buckets[0].Name
	made := 0
	for _, name := range declarations {
		code := strings.TrimSuffix(path.Base(name), ".toml")
		prefix := "demo/" + code + "/"
		if err := d.putRecords(ctx, code, bucket, prefix); err != nil {
			return err
		}
		text, err := embedded.ReadFile(name)
		if err != nil {
			return err
		}
		one, err := minutes.Declare(name, []byte(strings.ReplaceAll(string(text), "BUCKET", "s3://"+bucket+"/"+prefix)), "")
		if err != nil {
			return err
		}
		if _, err := d.minutes.AddAssembly(ctx, one); err != nil {
			return err
		}
		r, err := d.minutes.CollectAssembly(ctx, code, nil)
		if err != nil {
			return err
		}
		if len(r.Problems) > 0 || r.Meetings == 0 {
			return fmt.Errorf("assembly %s: %+v", code, r)
		}
		made += r.New
	}
	for range made {
		if err := d.Work(ctx); err != nil {
			return err
		}
	}
	return nil
}

// putRecords writes an assembly's files into the bucket, with the days that they are of.
func (d *Demo) putRecords(ctx context.Context, code, bucket, prefix string) error {
	files, err := fs.Glob(embedded, "content/assemblies/"+code+"/*")
	if err != nil {
		return err
	}
	for _, name := range files {
		data, err := embedded.ReadFile(name)
		if err != nil {
			return err
		}
		day := ""
		text := dayOf.ReplaceAllStringFunc(string(data), func(s string) string {
			n, _ := strconv.Atoi(s[len("DAY-"):]) // it is digits
			day = d.mark.ago(n, 0).UTC().Format(time.DateOnly)
			return day
		})
		file := path.Base(name)
		if day != "" { // records are named after their days
			file = strings.TrimSuffix(file, path.Ext(file)) + "_" + day + path.Ext(file)
		}
		_, err = d.stage.Objects.PutObject(ctx, &s3.PutObjectInput{Bucket: &bucket, Key: aws.String(prefix + file), Body: strings.NewReader(text)})
		if err != nil {
			return err
		}
	}
	return nil
}
