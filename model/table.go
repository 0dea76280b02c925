package model

// Schema is the data of one desk: its tables and buckets.
type Schema struct {
	Name    string // the desk: "blog"
	Tables  []Table
	Buckets []Bucket
}

// Table is one DynamoDB table.
type Table struct {
	Name    string // the default name
	Env     string // the variable that overrides the name
	Purpose string

	PK Key // the partition key attribute
	SK Key // the sort key attribute; zero if there is none

	Indexes  []Index
	Entities []Entity
	Patterns []Pattern // in the order of the document they come from

	TTL          string // the attribute with the time to live; "" for none
	RecoveryDays int    // point-in-time recovery; 0 for none
	Encrypted    bool   // encryption at rest asked for by name
	Stream       string // a stream view type; "" for none
	Tags         map[string]string
}

// Key is a key attribute.
type Key struct {
	Name string
	Kind Kind // Text if empty
}

// Index is one global secondary index.
type Index struct {
	Name       string
	PK, SK     Key // SK is zero if there is none
	Projection Projection
	Include    []string // with the projection Include, the attributes beside the keys
	Purpose    string
	Added      string // why it was added to the design; "" if it is the document's own
}

// Projection says what an index holds of an item.
type Projection string

// The projections of DynamoDB.
const (
	All      Projection = "ALL"
	KeysOnly Projection = "KEYS_ONLY"
	Include  Projection = "INCLUDE"
)

// Entity is one kind of item in a table.
type Entity struct {
	Name string
	Doc  string

	PK, SK Template
	Keys   []IndexKey // the indexes that it is in
	Fields []Field    // in the order of the document

	// Identity lists the fields that together name one of these, whatever its
	// keys are; the variables of the table's key if empty.
	Identity []string
	// Guards names a field that this entity keeps unique: its key holds nothing
	// but that field, and it is created only if it is not there.
	Guards string
	// Version names the number that counts changes, for optimistic
	// concurrency; "" for none.
	Version string
	// Head names the entity that items of this one belong to, and change together
	// with: see [Saver]. Its key's variables are in theirs. "" for none.
	Head string
	// Upgrades lead from old items to the present form: the first one from
	// schema version 1 to 2, and so on. See [Entity.SchemaVersion].
	Upgrades []Upgrade
	// Missing adds what follows from the rest to an item that another program wrote,
	// which knows the document and none of the additions. It fills attributes that are
	// not there, and changes none. Nil if there is nothing to add.
	Missing func(Raw)
	// Expires says after what time items go, for people; "" if they stay.
	Expires string
	// Peak is how many are written each second at most, over all partitions;
	// 0 means that nobody has thought about it.
	Peak float64

	Added string // why it was added to the design; "" if it is the document's own
}

// IndexKey is an entity's place in an index. The attributes that the index keys
// on are written from these templates. If an optional field that a template
// names is missing, the item is not in the index.
type IndexKey struct {
	Index  string
	PK, SK Template
	// When limits the index to items whose field has one of these values; nil
	// for all.
	When *Condition
}

// Condition holds for an item whose field has one of the values.
type Condition struct {
	Field string
	In    []string
}

// Field is one attribute of an entity.
type Field struct {
	Name     string
	Kind     Kind     // Text if empty
	Values   []string // the only values, if there is a list of them
	From     string   // how the value is made from others, if it is
	Optional bool
	Unique   bool // no two items of the table may share a value
	InKey    bool // a key alone holds it: it is not stored as an attribute
	Size     int  // bytes that are usual; 0 for what is usual for the kind
	Max      int  // bytes that are possible; 0 for the kind's bound, if it has one
	Added    bool // not the document's own
}

// Kind is what a field holds.
type Kind string

// The kinds of fields. Times and dates are text in ISO 8601, UTC, of fixed width.
const (
	Text   Kind = "text"
	Time   Kind = "time"
	Date   Kind = "date"
	Number Kind = "number"
	Epoch  Kind = "epoch" // seconds, for a time to live
	Bool   Kind = "bool"
	List   Kind = "list"
	Map    Kind = "map"
	Set    Kind = "set" // of strings
	Binary Kind = "binary"
)

// DynamoDB returns the type's name in DynamoDB: S, N, BOOL, L, M, SS or B.
func (k Kind) DynamoDB() string {
	switch k {
	case Number, Epoch:
		return "N"
	case Bool:
		return "BOOL"
	case List:
		return "L"
	case Map:
		return "M"
	case Set:
		return "SS"
	case Binary:
		return "B"
	}
	return "S"
}

// CanBeKey reports whether DynamoDB takes the kind for a key attribute.
func (k Kind) CanBeKey() bool {
	switch k.DynamoDB() {
	case "S", "N", "B":
		return true
	}
	return false
}

// Table returns the table of that default name.
func (s *Schema) Table(name string) (*Table, bool) {
	return find(s.Tables, func(t *Table) bool { return t.Name == name })
}

// Bucket returns the bucket of that default name.
func (s *Schema) Bucket(name string) (*Bucket, bool) {
	return find(s.Buckets, func(b *Bucket) bool { return b.Name == name })
}

// Named returns a copy whose tables and buckets have the names that lookup gives
// for their variables; where it gives "", the default stays.
func (s Schema) Named(lookup func(env string) string) Schema {
	s.Tables = append([]Table(nil), s.Tables...)
	s.Buckets = append([]Bucket(nil), s.Buckets...)
	for i, t := range s.Tables {
		if name := lookup(t.Env); name != "" {
			s.Tables[i].Name = name
		}
	}
	for i, b := range s.Buckets {
		if name := lookup(b.Env); name != "" {
			s.Buckets[i].Name = name
		}
	}
	return s
}

// Entity returns the entity of that name.
func (t *Table) Entity(name string) (*Entity, bool) {
	return find(t.Entities, func(e *Entity) bool { return e.Name == name })
}

// Index returns the index of that name.
func (t *Table) Index(name string) (*Index, bool) {
	return find(t.Indexes, func(x *Index) bool { return x.Name == name })
}

// Pattern returns the access pattern of that name.
func (t *Table) Pattern(name string) (*Pattern, bool) {
	return find(t.Patterns, func(p *Pattern) bool { return p.Name == name })
}

// Field returns the field of that name.
func (e *Entity) Field(name string) (*Field, bool) {
	return find(e.Fields, func(f *Field) bool { return f.Name == name })
}

// Key returns the entity's place in an index.
func (e *Entity) Key(index string) (*IndexKey, bool) {
	return find(e.Keys, func(k *IndexKey) bool { return k.Index == index })
}

func find[T any](list []T, is func(*T) bool) (*T, bool) {
	for i := range list {
		if is(&list[i]) {
			return &list[i], true
		}
	}
	return nil, false
}

// KeyNames returns the attributes that the table keys on.
func (t *Table) KeyNames() []string { return keyNames(t.PK, t.SK) }

// KeyNames returns the attributes that the index keys on.
func (x *Index) KeyNames() []string { return keyNames(x.PK, x.SK) }

func keyNames(pk, sk Key) []string {
	if sk.Name == "" {
		return []string{pk.Name}
	}
	return []string{pk.Name, sk.Name}
}
