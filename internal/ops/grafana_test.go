package ops

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"testing"
)

// Every name that the Grafana dashboard asks for is one that Pressroom tells, and
// every number that it tells is on the dashboard.
func TestGrafanaDashboard(t *testing.T) {
	text, err := os.ReadFile("../../deploy/grafana/pressroom.json")
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(text) {
		t.Fatal("it is no JSON")
	}
	asked := regexp.MustCompile(`pressroom_[a-z_]+`).FindAllString(string(text), -1)
	var told []string
	for _, d := range numbers {
		told = append(told, regexp.MustCompile(`fqName: "([a-z_]+)"`).FindStringSubmatch(d.String())[1])
	}
	// The door tells of requests.
	door := []string{"pressroom_http_request_duration_seconds_count", "pressroom_http_request_duration_seconds_bucket"}
	for _, name := range asked {
		if !slices.Contains(told, name) && !slices.Contains(door, name) {
			t.Errorf("the dashboard asks for %s", name)
		}
	}
	quiet := []string{"pressroom_job_running", "pressroom_job_paused", "pressroom_table_items", "pressroom_bucket_objects"}
	for _, name := range told {
		if !slices.Contains(asked, name) && !slices.Contains(quiet, name) {
			t.Errorf("%s is not on the dashboard", name)
		}
	}
}
