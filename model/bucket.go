package model

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Bucket is one S3 bucket.
type Bucket struct {
	Name      string // the default name
	Env       string // the variable that overrides the name
	Purpose   string
	Objects   []Object
	Lifecycle []Rule
	Tags      map[string]string // on every object
	Metadata  []string          // user metadata that every object carries
}

// Object is one kind of object in a bucket.
type Object struct {
	Name  string
	Key   ObjectKey
	Vars  []Field // the variables of the key, with their largest sizes
	Holds string
	Added string
}

// Rule is a lifecycle rule for the objects under a prefix. Zero days mean never.
type Rule struct {
	ID           string
	Prefix       string
	ColdAfter    int    // days until the objects move to the class
	Class        string // the storage class: "GLACIER"
	ExpiresAfter int    // days until the objects go
	AbortAfter   int    // days until unfinished uploads go
	Added        string
}

// ObjectKey is the key of an object with variables in braces, as in
// "raw-html/{siteId}/{articleId}.html.gz".
type ObjectKey string

// MaxObjectKey is the longest key of an object in bytes.
const MaxObjectKey = 1024

// Object returns the kind of object of that name.
func (b *Bucket) Object(name string) (*Object, bool) {
	return find(b.Objects, func(o *Object) bool { return o.Name == name })
}

// Vars returns the variables of the key, in order.
func (k ObjectKey) Vars() []string {
	var names []string
	for rest := string(k); ; {
		_, after, found := strings.Cut(rest, "{")
		name, tail, closed := strings.Cut(after, "}")
		if !found || !closed {
			return names
		}
		names = append(names, name)
		rest = tail
	}
}

// Render writes the key. A value may not be empty, a dot or two dots, and may not
// hold a slash or a control character: it never reaches into another folder.
func (k ObjectKey) Render(v Values) (string, error) {
	key := string(k)
	for _, name := range k.Vars() {
		if err := checkObjectValue(v[name]); err != nil {
			return "", fmt.Errorf("object %s: %s %w", k, name, err)
		}
	}
	var pairs []string
	for _, name := range k.Vars() {
		pairs = append(pairs, "{"+name+"}", v[name])
	}
	key = strings.NewReplacer(pairs...).Replace(key)
	if len(key) > MaxObjectKey {
		return "", fmt.Errorf("object %s: the key has %d bytes, more than %d", k, len(key), MaxObjectKey)
	}
	return key, nil
}

func checkObjectValue(value string) error {
	switch {
	case value == "":
		return errEmptyValue
	case !utf8.ValidString(value):
		return errNotUTF8
	case value == "." || value == ".." || strings.ContainsRune(value, '/') || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("may not be %q", value)
	}
	return nil
}
