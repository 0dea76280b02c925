package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// settingsOf runs "config --json" and returns what it prints, by name.
func settingsOf(t *testing.T, environ []string, args ...string) (map[string]effective, result) {
	t.Helper()
	got := runIn(t, environ, append([]string{"config", "--json"}, args...)...)
	if got.Code != 0 {
		t.Fatalf("config: %+v", got)
	}
	var rows []effective
	if err := json.Unmarshal([]byte(got.Stdout), &rows); err != nil {
		t.Fatalf("config --json printed no JSON: %v\n%s", err, got.Stdout)
	}
	byName := map[string]effective{}
	for _, row := range rows {
		byName[row.Name] = row
	}
	return byName, got
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestPrecedence(t *testing.T) {
	const file = "# settings\naddr = \"127.0.0.1:3\"\n"
	env := []string{"PRESSROOM_ADDR=127.0.0.1:2"}
	tests := []struct {
		name string
		file string
		env  []string
		args []string
		want effective
	}{
		{"default", "", nil, nil, effective{Value: "127.0.0.1:8080", Source: "default"}},
		{"file", file, nil, nil, effective{Value: "127.0.0.1:3", Source: "file", Place: "pressroom.toml:2"}},
		{"environment over file", file, env, nil, effective{Value: "127.0.0.1:2", Source: "environment", Place: "PRESSROOM_ADDR"}},
		{"flag over both", file, env, []string{"--addr=127.0.0.1:1"}, effective{Value: "127.0.0.1:1", Source: "flag"}},
		{"flag over environment", "", env, []string{"--addr", "127.0.0.1:1"}, effective{Value: "127.0.0.1:1", Source: "flag"}},
		{"an empty variable is not set", file, []string{"PRESSROOM_ADDR="}, nil, effective{Value: "127.0.0.1:3", Source: "file", Place: "pressroom.toml:2"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if tt.file != "" {
				write(t, "pressroom.toml", tt.file)
			}
			got, _ := settingsOf(t, tt.env, tt.args...)
			tt.want.Name = "addr"
			if diff := cmp.Diff(tt.want, got["addr"]); diff != "" {
				t.Errorf("addr (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSettingsFileIsChosen(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "pressroom.toml", `addr = "127.0.0.1:1"`)
	write(t, "env.toml", `addr = "127.0.0.1:2"`)
	write(t, "flag.toml", `addr = "127.0.0.1:3"`)
	env := []string{"PRESSROOM_CONFIG=env.toml"}
	tests := []struct {
		env    []string
		args   []string
		addr   string
		config effective
	}{
		{nil, nil, "127.0.0.1:1", effective{Name: "config", Value: "pressroom.toml", Source: "default"}},
		{env, nil, "127.0.0.1:2", effective{Name: "config", Value: "env.toml", Source: "environment", Place: "PRESSROOM_CONFIG"}},
		{env, []string{"--config=flag.toml"}, "127.0.0.1:3", effective{Name: "config", Value: "flag.toml", Source: "flag"}},
	}
	for _, tt := range tests {
		got, _ := settingsOf(t, tt.env, tt.args...)
		if got["addr"].Value != tt.addr {
			t.Errorf("%v: addr is %s, want %s", tt.config.Value, got["addr"].Value, tt.addr)
		}
		if diff := cmp.Diff(tt.config, got["config"]); diff != "" {
			t.Errorf("config (-want +got):\n%s", diff)
		}
	}
}

func TestBadSettingNamesItsPlace(t *testing.T) {
	tests := []struct {
		name string
		file string
		env  []string
		args []string
		want string
	}{
		{"environment", "", []string{"PRESSROOM_DRAIN=soon"}, nil, `PRESSROOM_DRAIN: "soon" is not a duration such as 3s`},
		{"file", "\n\ndrain = \"1h\"\n", nil, nil, `pressroom.toml:3: 1h0m0s is not between 0s and 5s`},
		{"file, wrong type", "addr = [1]\n", nil, nil, `pressroom.toml:1: a setting is a string, a number, true or false`},
		{"file, no TOML", "addr = \n", nil, nil, `settings file: pressroom.toml:1: toml: `},
		{"file, missing", "", nil, []string{"--config=nowhere.toml"}, `settings file: open nowhere.toml: `},
		{"file, missing, from the environment", "", []string{"PRESSROOM_CONFIG=nowhere.toml"}, nil, `settings file: open nowhere.toml: `},
		{"secret twice", "", []string{"PRESSROOM_AWS_SECRET_ACCESS_KEY=a", "PRESSROOM_AWS_SECRET_ACCESS_KEY_FILE=b"}, nil, `PRESSROOM_AWS_SECRET_ACCESS_KEY: is set, and so is PRESSROOM_AWS_SECRET_ACCESS_KEY_FILE; keep one of them`},
		{"secret file missing", "", []string{"PRESSROOM_AWS_SECRET_ACCESS_KEY_FILE=nowhere"}, nil, `PRESSROOM_AWS_SECRET_ACCESS_KEY_FILE: open nowhere: `},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if tt.file != "" {
				write(t, "pressroom.toml", tt.file)
			}
			got := runIn(t, tt.env, append([]string{"config"}, tt.args...)...)
			if got.Code != 2 || !strings.HasPrefix(got.Stderr, "pressroom: "+tt.want) || strings.Count(got.Stderr, "\n") != 1 {
				t.Errorf("exit status %d, stderr\n got %swant %s", got.Code, got.Stderr, tt.want)
			}
		})
	}
}

// A wrong value that a stronger source covers does no harm.
func TestCoveredMistakeIsNotRead(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "pressroom.toml", `drain = "1h"`)
	got, _ := settingsOf(t, []string{"PRESSROOM_DRAIN=2s"})
	if got["drain"].Value != "2s" {
		t.Errorf("drain is %s", got["drain"].Value)
	}
}

func TestSecrets(t *testing.T) {
	const secret = "wJalrXUtnFEMI"
	tests := []struct {
		name string
		file string
		env  []string
		args []string
		from string
	}{
		{"flag", "", nil, []string{"--aws-secret-access-key=" + secret}, "flag"},
		{"environment", "", []string{"PRESSROOM_AWS_SECRET_ACCESS_KEY=" + secret}, nil, "environment PRESSROOM_AWS_SECRET_ACCESS_KEY"},
		{"file of the environment", "", []string{"PRESSROOM_AWS_SECRET_ACCESS_KEY_FILE=secret.txt"}, nil, "environment PRESSROOM_AWS_SECRET_ACCESS_KEY_FILE"},
		{"settings file", `aws-secret-access-key = "` + secret + `"`, nil, nil, "file pressroom.toml:1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			write(t, "secret.txt", secret+"\n")
			if tt.file != "" {
				write(t, "pressroom.toml", tt.file)
			}
			rows, asJSON := settingsOf(t, tt.env, tt.args...)
			want := effective{Name: "aws-secret-access-key", Value: Secret("x").String(), Secret: true}
			want.Source, want.Place, _ = strings.Cut(tt.from, " ")
			if diff := cmp.Diff(want, rows["aws-secret-access-key"]); diff != "" {
				t.Errorf("setting (-want +got):\n%s", diff)
			}
			table := runIn(t, tt.env, append([]string{"config"}, tt.args...)...)
			for _, out := range []result{asJSON, table} {
				if strings.Contains(out.Stdout+out.Stderr, secret) {
					t.Errorf("the secret is shown:\n%+v", out)
				}
			}
		})
	}
}

// The secret itself, without the file's line end, reaches whoever needs it.
func TestSecretFileIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	write(t, path, "s3cret with space \r\n")
	var g grammar
	src := newSources([]string{"PRESSROOM_AWS_SECRET_ACCESS_KEY_FILE=" + path})
	parser, err := newParser(&g, Process{}, src)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse([]string{"config", "--config=" + os.DevNull}); err != nil {
		t.Fatal(err)
	}
	if got := g.Config.AWSSecretAccessKey.Reveal(); got != "s3cret with space " {
		t.Errorf("secret is %q", got)
	}
}

func TestUnknownSettingsAreWarnedAbout(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "pressroom.toml", "adr = \"x\"\nlog_level = \"info\"\ndata = \"d\"\nzebra.stripes = 7\nzebra.legs = 4\n")
	env := []string{
		"PRESSROOM_ADR=x", "PRESSROOM_LOGLEVEL=x", "PRESSROOM_ADDR_FILE=x", "PRESSROOM_WHATEVER=x",
		"PRESSROOM_DATA=d2", "PRESSROOM_BLOG_TABLE=b", "PRESSROOM_AWS_SECRET_ACCESS_KEY_FILE=" + os.DevNull, "HOME=/", "PRESSROOM_EMPTY=",
	}
	_, got := settingsOf(t, env)
	want := []string{
		"unknown environment variable PRESSROOM_ADDR_FILE; it is ignored",
		"unknown environment variable PRESSROOM_ADR, did you mean PRESSROOM_ADDR?",
		"unknown environment variable PRESSROOM_LOGLEVEL, did you mean PRESSROOM_LOG_LEVEL?",
		"unknown environment variable PRESSROOM_WHATEVER; it is ignored",
		`pressroom.toml:1: unknown setting "adr", did you mean addr?`,
		`pressroom.toml:2: unknown setting "log_level", did you mean log-level?`,
		`pressroom.toml:4: unknown setting "zebra"; it is ignored`,
	}
	if diff := cmp.Diff(want, warnings(t, got.Stderr)); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// warnings returns the messages of the log's lines, all of which must be warnings.
func warnings(t *testing.T, log string) []string {
	t.Helper()
	var all []string
	for line := range strings.Lines(log) {
		_, msg, ok := strings.Cut(strings.TrimSpace(line), "level=WARN msg=")
		if !ok {
			t.Errorf("not a warning: %s", line)
		}
		all = append(all, strings.ReplaceAll(strings.Trim(msg, `"`), `\"`, `"`))
	}
	return all
}

// Every table and bucket keeps the variable and the name of the document that
// defines it.
func TestNamesOfTablesAndBuckets(t *testing.T) {
	t.Chdir(t.TempDir())
	names := map[string][2]string{ // variable: setting, default
		"LLM_TASK_TABLE":            {"llm-task-table", "PoliTopics-llm-tasks"},
		"ARTICLE_TABLE_NAME":        {"article-table-name", "PoliTopics-articles"},
		"PROMPT_BUCKET_NAME":        {"prompt-bucket-name", "politopics-prompts"},
		"ARTICLE_ASSET_BUCKET_NAME": {"article-asset-bucket-name", "politopics-articles"},
		"SUMMANOW_TABLE":            {"summanow-table", "summanow"},
		"SUMMANOW_BUCKET":           {"summanow-bucket", "summanow-artifacts"},
		"BLOG_TABLE":                {"blog-table", "blog"},
		"BLOG_MEDIA_BUCKET":         {"blog-media-bucket", "blog-media"},
		"USERS_TABLE":               {"users-table", "UsersTable"},
		"TRANSLATIONS_TABLE":        {"translations-table", "TranslationsTable"},
		"SUBMISSIONS_TABLE":         {"submissions-table", "SubmissionsTable"},
		"LEXICON_TABLE":             {"lexicon-table", "LexiconTable"},
		"TRENDING_TABLE":            {"trending-table", "TrendingTable"},
	}
	defaults, _ := settingsOf(t, nil)
	for variable, n := range names {
		if got := defaults[n[0]].Value; got != n[1] {
			t.Errorf("%s is %q by default, want %q", n[0], got, n[1])
		}
		got, out := settingsOf(t, []string{variable + "=mine"})
		want := effective{Name: n[0], Value: "mine", Source: "environment", Place: variable}
		if diff := cmp.Diff(want, got[n[0]]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", variable, diff)
		}
		if out.Stderr != "" {
			t.Errorf("%s: %s", variable, out.Stderr)
		}
		got, _ = settingsOf(t, []string{variable + "=mine", "PRESSROOM_" + variable + "=more mine"})
		if got[n[0]].Value != "more mine" {
			t.Errorf("PRESSROOM_%s does not win: %+v", variable, got[n[0]])
		}
	}
}

// The table for people shows the same as the JSON, in the same order.
func TestConfigTable(t *testing.T) {
	t.Chdir(t.TempDir())
	got := runIn(t, []string{"PRESSROOM_ADDR=:9"}, "config", "--drain=1s")
	want := []string{
		"SETTING VALUE FROM",
		"addr :9 environment PRESSROOM_ADDR",
		"run all default",
		"drain 1s flag",
		"store embedded default",
		"data ./pressroom-data default",
		"key-file - default",
		"aws-region - default",
	}
	var lines []string
	for line := range strings.Lines(got.Stdout) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	if diff := cmp.Diff(want, lines[:len(want)]); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	if last := lines[len(lines)-1]; last != "backup-days 35 default" {
		t.Errorf("last line is %q", last)
	}
}
