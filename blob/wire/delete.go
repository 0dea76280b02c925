package wire

import (
	"encoding/xml"
	"net/http"
	"strconv"

	"pressroom/blob/disk"
	"pressroom/blob/fault"
)

func (r *request) deleteObject() error {
	check, err := deleteCheck(r.header("If-Match"), r.header("X-Amz-If-Match-Last-Modified-Time"), r.header("X-Amz-If-Match-Size"))
	if err != nil {
		return err
	}
	version, err := r.versionQuery()
	if err != nil {
		return err
	}
	out, err := r.h.store.DeleteObjects(r.Context(), r.bucket, []disk.Deletion{{Key: r.key, Version: version, Check: check, Bypass: r.bypass()}})
	if err != nil {
		return err
	}
	d := out[0]
	if d.Err != nil {
		return d.Err
	}
	if d.Marker {
		r.w.Header().Set("x-amz-delete-marker", "true")
	}
	if d.Version != "" {
		r.w.Header().Set("x-amz-version-id", d.Version)
	}
	return r.status(http.StatusNoContent)
}

// versionQuery reads versionId, which must not be empty if it is there.
func (r *request) versionQuery() (string, error) {
	v := r.query.Get("versionId")
	if v == "" && r.has("versionId") {
		return "", fault.Argument("versionId", "", "Version id cannot be the empty string")
	}
	return v, nil
}

type deleteList struct {
	XMLName xml.Name `xml:"Delete"`
	Quiet   bool     `xml:"Quiet"`
	Objects []struct {
		Key       string `xml:"Key"`
		VersionID string `xml:"VersionId"`
		ETag      string `xml:"ETag"`
		Modified  string `xml:"LastModifiedTime"`
		Size      string `xml:"Size"`
	} `xml:"Object"`
}

const maxDelete = 1000

// deleteObjects is DeleteObjects. What fails, fails by itself.
func (r *request) deleteObjects() error {
	b, err := r.h.store.Bucket(r.bucket)
	if err != nil {
		return err
	}
	if c, err := r.readClaims(); err != nil {
		return err
	} else if c.md5 == nil && c.algorithm == "" {
		return fault.ChecksumRequired
	}
	var list deleteList
	if err := r.readXML(&list, maxList); err != nil {
		return err
	}
	if len(list.Objects) == 0 || len(list.Objects) > maxDelete {
		return fault.MalformedXML
	}
	out := make([]disk.Deleted, len(list.Objects))
	var todo []disk.Deletion
	var at []int
	for i, o := range list.Objects {
		check, err := deleteCheck(o.ETag, o.Modified, o.Size)
		if err == nil && r.isAnonymous() {
			err = r.allowed("s3:DeleteObject", r.bucket, o.Key)
		}
		if err != nil {
			out[i].Err = err
			continue
		}
		todo = append(todo, disk.Deletion{Key: o.Key, Version: o.VersionID, Check: check, Bypass: r.bypass()})
		at = append(at, i)
	}
	done, err := r.h.store.DeleteObjects(r.Context(), r.bucket, todo)
	if err != nil {
		return err
	}
	for i, d := range done {
		out[at[i]] = d
	}
	return r.answer(deleteResult(b, &list, out))
}

func deleteResult(b *disk.Bucket, list *deleteList, out []disk.Deleted) *doc {
	d := newDoc("DeleteResult")
	for i, o := range list.Objects {
		res := out[i]
		if res.Err != nil {
			e := fault.From(res.Err)
			d.begin("Error").text("Key", o.Key).opt("VersionId", o.VersionID).
				text("Code", e.Code).text("Message", e.Message).end()
			continue
		}
		if list.Quiet {
			continue
		}
		d.begin("Deleted").text("Key", o.Key).opt("VersionId", o.VersionID)
		if res.Marker {
			d.flag("DeleteMarker", true)
			if b.Versioning != disk.Unversioned {
				d.text("DeleteMarkerVersionId", res.Version)
			}
		}
		d.end()
	}
	return d
}

func itoa(n int) string { return strconv.Itoa(n) }
