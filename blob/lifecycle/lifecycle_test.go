package lifecycle

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pressroom/blob/fault"
)

func config(t *testing.T, rules string) *Config {
	t.Helper()
	c, err := Parse([]byte("<LifecycleConfiguration>" + rules + "</LifecycleConfiguration>"))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	return c
}

func at(day int) time.Time { return time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC) }

func object(key string, size int64, tags ...string) *Object {
	return &Object{Key: key, Size: size, Modified: at(1).Add(12 * time.Hour), Tags: func(name string) (string, bool) {
		for i := 0; i+1 < len(tags); i += 2 {
			if tags[i] == name {
				return tags[i+1], true
			}
		}
		return "", false
	}}
}

func TestCurrent(t *testing.T) {
	expire := func(filter string) string {
		return "<Rule><ID>r</ID><Status>Enabled</Status>" + filter + "<Expiration><Days>3</Days></Expiration></Rule>"
	}
	tests := []struct {
		name   string
		rules  string
		o      *Object
		day    int
		expire bool
		class  string
	}{
		{"too early: counted to the midnight after", expire("<Filter/>"), object("k", 1), 4, false, ""},
		{"due", expire("<Filter/>"), object("k", 1), 5, true, ""},
		{"old form of prefix", expire("<Prefix>a/</Prefix>"), object("a/k", 1), 5, true, ""},
		{"other prefix", expire("<Filter><Prefix>a/</Prefix></Filter>"), object("b/k", 1), 5, false, ""},
		{"tag", expire("<Filter><Tag><Key>t</Key><Value>1</Value></Tag></Filter>"), object("k", 1, "t", "1"), 5, true, ""},
		{"other tag", expire("<Filter><Tag><Key>t</Key><Value>1</Value></Tag></Filter>"), object("k", 1, "t", "2"), 5, false, ""},
		{"and", expire("<Filter><And><Prefix>a</Prefix><Tag><Key>t</Key><Value>1</Value></Tag><ObjectSizeGreaterThan>10</ObjectSizeGreaterThan></And></Filter>"), object("a", 11, "t", "1"), 5, true, ""},
		{"and, but too small", expire("<Filter><And><Prefix>a</Prefix><Tag><Key>t</Key><Value>1</Value></Tag><ObjectSizeGreaterThan>10</ObjectSizeGreaterThan></And></Filter>"), object("a", 10, "t", "1"), 5, false, ""},
		{"disabled", strings.Replace(expire("<Filter/>"), "Enabled", "Disabled", 1), object("k", 1), 5, false, ""},
		{"date", "<Rule><ID>r</ID><Status>Enabled</Status><Filter/><Expiration><Date>2026-01-10T00:00:00Z</Date></Expiration></Rule>", object("k", 1), 10, true, ""},
		{"the coldest due", `<Rule><ID>r</ID><Status>Enabled</Status><Filter/><Transition><Days>1</Days><StorageClass>GLACIER</StorageClass></Transition><Transition><Days>90</Days><StorageClass>DEEP_ARCHIVE</StorageClass></Transition></Rule>`, object("k", 1<<20), 5, false, "GLACIER"},
		{"small stays", `<Rule><ID>r</ID><Status>Enabled</Status><Filter/><Transition><Days>1</Days><StorageClass>GLACIER</StorageClass></Transition></Rule>`, object("k", 100), 5, false, ""},
		{"small goes if sizes are named", `<Rule><ID>r</ID><Status>Enabled</Status><Filter><ObjectSizeGreaterThan>0</ObjectSizeGreaterThan></Filter><Transition><Days>1</Days><StorageClass>GLACIER</StorageClass></Transition></Rule>`, object("k", 100), 5, false, "GLACIER"},
	}
	for _, tt := range tests {
		got := config(t, tt.rules).Current(tt.o, at(tt.day))
		if got.Expire != tt.expire || got.Class != tt.class {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

func TestNoncurrent(t *testing.T) {
	c := config(t, `<Rule><ID>r</ID><Status>Enabled</Status><Filter/><NoncurrentVersionExpiration><NoncurrentDays>5</NoncurrentDays><NewerNoncurrentVersions>2</NewerNoncurrentVersions></NoncurrentVersionExpiration></Rule>`)
	o := object("k", 1)
	if c.Noncurrent(o, at(1), 1, at(20)).Expire {
		t.Error("the two newest are kept")
	}
	if !c.Noncurrent(o, at(1), 2, at(20)).Expire || c.Noncurrent(o, at(1), 2, at(6)).Expire {
		t.Error("the third goes, when its days are over")
	}
}

func TestValidateRefuses(t *testing.T) {
	rule := func(s string) string { return "<Rule><ID>r</ID><Status>Enabled</Status><Filter/>" + s + "</Rule>" }
	for name, tt := range map[string]struct {
		rules string
		want  *fault.Error
	}{
		"none":              {"", fault.MalformedXML},
		"no action":         {rule(""), fault.InvalidRequest},
		"no status":         {"<Rule><Filter/><Expiration><Days>1</Days></Expiration></Rule>", fault.MalformedXML},
		"no days":           {rule("<Expiration/>"), fault.MalformedXML},
		"zero days":         {rule("<Expiration><Days>0</Days></Expiration>"), fault.InvalidArgument},
		"days and date":     {rule("<Expiration><Days>1</Days><Date>2026-01-01</Date></Expiration>"), fault.MalformedXML},
		"noon":              {rule("<Expiration><Date>2026-01-01T12:00:00Z</Date></Expiration>"), fault.InvalidArgument},
		"unknown class":     {rule("<Transition><Days>1</Days><StorageClass>ICE</StorageClass></Transition>"), fault.MalformedXML},
		"gone before moved": {rule("<Transition><Days>9</Days><StorageClass>GLACIER</StorageClass></Transition><Expiration><Days>5</Days></Expiration>"), fault.InvalidArgument},
		"same id twice":     {rule("<Expiration><Days>1</Days></Expiration>") + rule("<Expiration><Days>2</Days></Expiration>"), fault.InvalidArgument},
		"two filters":       {"<Rule><Status>Enabled</Status><Filter><Prefix>a</Prefix><Tag><Key>k</Key></Tag></Filter><Expiration><Days>1</Days></Expiration></Rule>", fault.MalformedXML},
	} {
		c, err := Parse([]byte("<LifecycleConfiguration>" + tt.rules + "</LifecycleConfiguration>"))
		if err == nil {
			err = c.Validate()
		}
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %s", name, err, tt.want.Code)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`<LifecycleConfiguration><Rule><Status>Enabled</Status><Filter><Prefix>a</Prefix></Filter><Expiration><Days>1</Days></Expiration></Rule></LifecycleConfiguration>`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		c, err := Parse(doc)
		if err != nil || c.Validate() != nil {
			return
		}
		o := object("a", 1)
		c.Current(o, at(5))
		c.Noncurrent(o, at(1), 0, at(9))
		c.LoneMarker(o, at(9))
		c.AbortUpload("a", at(1), at(9))
	})
}
