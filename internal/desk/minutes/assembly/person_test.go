package assembly

import "testing"

func TestWithin(t *testing.T) {
	for _, tt := range []struct {
		day, from, until string
		want             bool
	}{
		{"2026-03-02", "", "", true},
		{"2026-03-02", "2026-03-02", "2026-03-02", true},
		{"2026-03-02", "2026-03-03", "", false},
		{"2026-03-02", "", "2026-03-01", false},
		{"2026-03-02", "2026", "2026", true},
		{"2026-03-02", "2026-04", "", false},
		{"2026-03-02", "2020", "2026-02", false},
		{"2026-03-02", "2026-03-02T10:00:00", "2026-03-02T23:59:59", true},
		{"", "2020", "2021", true},
	} {
		if got := within(tt.day, tt.from, tt.until); got != tt.want {
			t.Errorf("%s within %s and %s: %v", tt.day, tt.from, tt.until, got)
		}
	}
}

// register has somebody who changed parties, and somebody who sits for a party
// without a time.
func register() *Register {
	r := &Register{}
	for id, kind := range map[string]Kind{"red": Party, "blue": Party, "green": Group, "house": House, "cabinet": Cabinet} {
		o := r.Organisation(id)
		o.Kind = kind
		o.Names = []Name{{Text: "The " + id}, {Text: id, Short: true}}
	}
	p := r.Person("quill")
	p.Names = []Name{{Text: "Ada Quill", From: "2020-01-01"}, {Text: "Ada Pen", Until: "2019-12-31"}, {Text: "クイル", Language: "ja"}}
	p.Offices = []Office{
		{Organisation: "red", From: "2015", Until: "2019"},
		{Organisation: "house", Role: "member", Party: "blue", From: "2020-01-01"},
		{Organisation: "green", From: "2024-06-01", Until: "2025-06-01"},
		{Organisation: "cabinet", Role: "minister", From: "2025-01-01", Titles: []Name{{Text: "Minister of Ink"}}},
		{Organisation: "red"},
	}
	return r
}

func TestPartyOn(t *testing.T) {
	r := register()
	for day, want := range map[string]string{
		"2014-05-05": "red", "2018-05-05": "red", "2021-05-05": "blue", "2024-07-01": "green", "2026-01-01": "blue",
	} {
		if got := r.PartyOn(r.People["quill"], day); got != want {
			t.Errorf("on %s: %s, want %s", day, got, want)
		}
	}
}

func TestResolve(t *testing.T) {
	r := register()
	r.Join("seat/1", "quill")
	m := Meeting{Date: "2026-01-01", Language: "en", Parts: []Part{
		{Speech: &Speech{Person: "seat/1", Role: Member}},
		{Speech: &Speech{Person: "quill", Role: Chair, Name: "The Speaker", Party: "none"}},
		{Vote: &Vote{Positions: []Position{{Person: "quill", Option: Aye}, {Person: "nobody", Option: No}}}},
		{Speech: &Speech{Person: "nobody"}},
	}}
	r.Resolve(&m)
	first, second := m.Parts[0].Speech, m.Parts[1].Speech
	if first.Person != "quill" || first.Name != "Ada Quill" || first.Party != "blue" || first.PartyID != "blue" || first.Office != "Minister of Ink" || first.Role != Government {
		t.Errorf("%+v", first)
	}
	if second.Name != "The Speaker" || second.Party != "none" || second.Office != "" || second.Role != Chair {
		t.Errorf("what the record says is gone: %+v", second)
	}
	if p := m.Parts[2].Vote.Positions[0]; p.Name != "Ada Quill" || p.Party != "blue" {
		t.Errorf("%+v", p)
	}
	if len(m.Warnings) != 1 {
		t.Errorf("warnings %q", m.Warnings)
	}
	if got := NameIn(r.People["quill"].Names, "ja", "2018-01-01", false); got != "クイル" {
		t.Errorf("in Japanese %q", got)
	}
	if got := NameIn(r.People["quill"].Names, "en", "2018-01-01", false); got != "Ada Pen" {
		t.Errorf("before the name changed %q", got)
	}
}

// What is said of a seat before its person is known is that person's.
func TestJoin(t *testing.T) {
	r := &Register{}
	seat := r.Person("seat/1")
	seat.Names = []Name{{Text: "A. Quill"}}
	seat.Offices = []Office{{Organisation: "house"}}
	r.Join("seat/1", "quill")
	p := r.Find("seat/1")
	if p == nil || p.ID != "quill" || len(p.Offices) != 1 || len(p.Names) != 1 || r.People["seat/1"] != nil {
		t.Errorf("%+v", p)
	}
}

// Files that say the same of somebody, and more, make one person.
func TestMerge(t *testing.T) {
	r := register()
	again := register()
	again.Person("quill").Offices = append(again.Person("quill").Offices, Office{Organisation: "house", Role: "clerk"})
	again.Person("quill").Sex = "F"
	again.Join("seat/1", "quill")
	again.Organisation("red").Attrs = Attrs{"colour": "red"}
	before := len(r.People["quill"].Offices)
	if err := r.merge(again); err != nil {
		t.Fatal(err)
	}
	p := r.Find("seat/1")
	if len(p.Offices) != before+1 || len(p.Names) != 3 || p.Sex != "F" || r.Organisations["red"].Attrs["colour"] != "red" || len(r.Organisations["red"].Names) != 2 {
		t.Errorf("%+v", p)
	}
}
