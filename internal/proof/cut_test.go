package proof

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCut(t *testing.T) {
	const ja = "水野大臣は、直ちに義務づけることを考えていると述べた。\n\n水野大臣は、直ちに義務づけることは考えていないと述べた。漁業者への燃料の補助を延長する。"
	r := meeting()
	var claims []Claim
	for _, s := range Split("summary", ja, []int{3}) {
		claims = append(claims, r.Check(s)...)
	}
	v := ByPlace(claims)
	if want := (Verdicts{"summary": Contradicted, "summary#2": Supported, "summary#3": NotFound}); !cmp.Equal(want, v) {
		t.Fatal(cmp.Diff(want, v))
	}
	for worst, want := range map[Verdict]string{
		Contradicted: ja,
		NotFound:     "水野大臣は、直ちに義務づけることは考えていないと述べた。漁業者への燃料の補助を延長する。",
		Supported:    "水野大臣は、直ちに義務づけることは考えていないと述べた。",
	} {
		if got := v.Text("summary", ja, worst); got != want {
			t.Errorf("%s: %q", worst, got)
		}
	}
	worse := Worse(claims, Supported)
	if len(worse) != 2 || worse[0].Where != "summary" || worse[0].Verdict != Contradicted || worse[1].Where != "summary#3" {
		t.Errorf("%+v", worse)
	}
}

func TestCutEnglish(t *testing.T) {
	v := Verdicts{"summary": Supported, "summary#2": NotFound, "summary#3": Supported}
	if got := v.Text("summary", "Spending rose. It fell.\n\nMs. Calder agreed.", Supported); got != "Spending rose.\n\nMs. Calder agreed." {
		t.Errorf("%q", got)
	}
}

// What an answer says anywhere is checked: titles of sections, reactions, what is said of people, and of words.
func TestEveryPart(t *testing.T) {
	a, err := ReadAnswer([]byte(`{
		"dialogs": [{"order": 3, "speaker": "水野隆", "reaction": "議場は退席した。", "summary_sections": [{"title": "漁業の補助", "bullets": []}]}],
		"participants": [{"name": "水野隆", "summary": "直ちに義務づけることを考えていると述べた。"}],
		"terms": [{"term": "司書", "definition": "本の専門家。"}, {"term": "支援", "definition": "5億人を対象とする。"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	claims, err := meeting().CheckAnswer(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	v := ByPlace(claims)
	for where, want := range map[string]bool{
		"dialogs[0].reaction": false, "dialogs[0].summary_sections[0].title": false, "participants[0].summary": false, "participants[0]": true, "terms[0]": true, "terms[1]": false,
	} {
		if got := v.Keeps(where, Supported); got != want {
			t.Errorf("%s is kept: %v", where, got)
		}
	}
}
