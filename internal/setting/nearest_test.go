package setting

import "testing"

func TestEditDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"serve", "serve", 0},
		{"srve", "serve", 1},
		{"sevre", "serve", 1}, // two neighbours swapped
		{"serf", "serve", 2},
		{"kitten", "sitting", 3},
		{"記事", "記者", 1},
	}
	for _, tt := range tests {
		if got := editDistance(tt.a, tt.b); got != tt.want {
			t.Errorf("editDistance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if got := editDistance(tt.b, tt.a); got != tt.want {
			t.Errorf("editDistance(%q, %q) = %d, want %d", tt.b, tt.a, got, tt.want)
		}
	}
}

func TestNearest(t *testing.T) {
	commands := []string{"demo", "serve", "config", "version"}
	tests := []struct {
		word string
		want string
	}{
		{"serv", "serve"},
		{"Serve", "serve"},
		{"conf", "config"},
		{"dmeo", "demo"},
		{"vresion", "version"},
		{"nonsense", ""},
		{"x", ""},
		{"", ""},
	}
	for _, tt := range tests {
		if got, ok := Nearest(tt.word, commands); got != tt.want || ok != (tt.want != "") {
			t.Errorf("nearest(%q) = %q, %v; want %q", tt.word, got, ok, tt.want)
		}
	}
	if got, ok := Nearest("x", nil); ok {
		t.Errorf("nearest among none = %q", got)
	}
}
