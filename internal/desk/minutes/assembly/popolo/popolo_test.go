package popolo

import (
	"errors"
	"strings"
	"testing"

	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/desk/minutes/assembly/assemblytest"
)

func TestGolden(t *testing.T) { assemblytest.Golden(t, Format{}) }

func FuzzPeople(f *testing.F) { assemblytest.Fuzz(f, Format{}, "x.json") }

func TestHostile(t *testing.T) {
	long := strings.Repeat("x", 2*MaxObject)
	for _, tt := range []struct{ name, doc, want string }{
		{"truncated", "{\"persons\": [\n{\"id\": \"1\", \"name\": \"A\"},\n{\"id\"", "x.json:3: the file ends too early"},
		{"empty", "", "x.json:1: the file ends too early"},
		{"not JSON", "<html>", "x.json:1: invalid character '<'"},
		{"a number", "7", "x.json:1: 7 is not an object of Popolo"},
		{"a list of lists", "{\"persons\":\n[[1]]}", "x.json:2: json: cannot unmarshal array"},
		{"a huge object", "{\"persons\":\n[{\"id\": \"" + long + "\"}]}", "x.json:2: an object is longer than 8 MB"},
		{"a huge field", "{\"id\":\"1\",\n\"x\": \"" + long + "\"}", "an object is longer than 8 MB"},
		{"many fields", "{\"id\":\"1\"" + strings.Repeat(",\"y\":\""+strings.Repeat("x", 1000)+"\"", 10_000) + "}", "x.json:1: an object is longer than 8 MB"},
		{"deep", strings.Repeat("[", 100_000), "x.json:1: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var r assembly.Register
			err := (Format{}).People(assembly.NewFile("x.json", strings.NewReader(tt.doc)), &r)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%.200v, want %s", err, tt.want)
			}
		})
	}
}

// A register that is full takes nobody more.
func TestTooLarge(t *testing.T) {
	var r assembly.Register
	if err := r.Take(assembly.MaxRegister - 1000); err != nil {
		t.Fatal(err)
	}
	people := `{"persons": [` + strings.Repeat(`{"id": "1", "name": "A"},`, 10) + "\n" + strings.Repeat(`{"id": "2", "name": "B"},`, 10)
	err := (Format{}).People(assembly.NewFile("x.json", strings.NewReader(people)), &r)
	if !errors.Is(err, assembly.ErrTooLarge) || !strings.HasPrefix(err.Error(), "x.json:1: ") {
		t.Error(err)
	}
}
