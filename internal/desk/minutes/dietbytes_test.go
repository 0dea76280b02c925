package minutes

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var writeDiet = flag.Bool("write-diet", false, "write testdata/diet.txt")

// varies is what differs from run to run: ids of saves.
var varies = regexp.MustCompile(`[0-9A-HJKMNP-TV-Z]{26}`)

// What the desk writes of the Diet, items with all their keys and attributes, is byte for byte what it was before the desk knew other assemblies: the file
// was written then.
func TestDietIsUnchanged(t *testing.T) {
	t.Parallel()
	const file = "testdata/diet.txt"
	d := newExhibit(t, nil, Options{Now: newClock().now})
	for _, a := range []*Article{
		{
			Type: "ARTICLE", AssetURL: "http://localhost:8080/minutes/assets/articles/121704601X00320260512/1/asset.json", ID: "121704601X00320260512",
			Title: "自転車道整備法案を可決", Date: "2026-05-12", Month: "2026-05", ImageKind: "会議録", Session: 217, House: "衆議院", Meeting: "国土交通委員会",
			Categories: labels{"国土交通"}, Description: "説明。", Keywords: labels{"ＰＦＩ", "自転車#道"}, Terms: []Term{{"自転車道", "自転車のための道。"}},
			Participants: []Participant{{Name: "鈴木　一郎", Yomi: "すずきいちろう", Group: "自転車の会"}, {Name: "@gb"}},
			Issues:       []string{"自転車道整備法案"}, PublishedAt: "2026-05-13T00:00:00.000Z", UpdatedAt: "2026-05-13T00:00:00.000Z",
			Progress: []Progress{{Item: "自転車道整備法案", Kind: "bill", Stage: "voted", Outcome: "passed", Vote: &Vote{Method: "standing", Result: "majority"}, Order: 9}},
		},
		{Type: "ARTICLE", AssetURL: "s3://x/y", ID: "100105254X00119470520", Title: "本会議", Date: "1947-05-20", Month: "1947-05", ImageKind: "目次", House: "参議院", Meeting: "本会議"},
	} {
		noErr(t, d.save(t.Context(), a, saving{}))
	}
	var lines []string
	for _, item := range rows(t, d) {
		line, err := json.Marshal(item)
		noErr(t, err)
		lines = append(lines, varies.ReplaceAllString(string(line), "ID"))
	}
	slices.Sort(lines)
	text := []byte(strings.Join(lines, "\n") + "\n")
	if *writeDiet {
		noErr(t, os.MkdirAll("testdata", 0o755))
		noErr(t, os.WriteFile(file, text, 0o644))
	}
	want, err := os.ReadFile(file)
	noErr(t, err)
	if !bytes.Equal(text, want) {
		for i, line := range bytes.Split(want, []byte("\n")) {
			if i >= len(lines) || string(line) != lines[i] {
				t.Fatalf("item %d of the Diet is\n%s\nnot\n%s", i, append(lines, "(missing)")[min(i, len(lines))], line)
			}
		}
		t.Fatal("there are more items than there were")
	}
}
