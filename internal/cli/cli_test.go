package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// result is how a run ended.
type result struct {
	Stdout, Stderr string
	Code           int
}

// runIn runs the command with the given variables in an empty working directory,
// so that no settings file of the developer's is read.
func runIn(t *testing.T, environ []string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := Run(t.Context(), Process{Args: args, Environ: environ, Stdout: &stdout, Stderr: &stderr})
	return result{stdout.String(), stderr.String(), code}
}

func TestUsageMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"no command", nil, `pressroom: name a command: demo, serve, local, assembly, eval, collect, work, site, import, crawl, lexicon, proof, mcp, deliveries, mail, user, search, schema, bench, backup, restore, erase, export, check, health, config or version; see "pressroom --help"`},
		{"nonsense", []string{"nonsense"}, `pressroom: unknown command "nonsense", did you mean demo, serve, local, assembly, eval, collect, work, site, import, crawl, lexicon, proof, mcp, deliveries, mail, user, search, schema, bench, backup, restore, erase, export, check, health, config or version? See "pressroom --help"`},
		{"typo", []string{"srve"}, `pressroom: unknown command "srve", did you mean "serve"? See "pressroom --help"`},
		{"beginning", []string{"ver"}, `pressroom: unknown command "ver", did you mean "version"? See "pressroom --help"`},
		{"flag before command", []string{"--addr", "x", "serve"}, `pressroom: unknown flag --addr; flags come after the command; see "pressroom --help"`},
		{"unknown flag", []string{"serve", "--adr=x"}, `pressroom: unknown flag --adr, did you mean "--addr"? See "pressroom serve --help"`},
		{"extra argument", []string{"demo", "now"}, `pressroom: unexpected argument now; see "pressroom demo --help"`},
		{"bad address", []string{"serve", "--addr=here"}, `pressroom: --addr: "here" is not an address such as 127.0.0.1:8080; see "pressroom serve --help"`},
		{"bad port", []string{"serve", "--addr=:70000"}, `pressroom: --addr: ":70000" has no port between 0 and 65535; see "pressroom serve --help"`},
		{"bad drain", []string{"serve", "--drain=9s"}, `pressroom: --drain: 9s is not between 0s and 5s; see "pressroom serve --help"`},
		{"bad level", []string{"serve", "--log-level=loud"}, `pressroom: --log-level: "loud" is not debug, info, warn or error; see "pressroom serve --help"`},
		{"bad format", []string{"serve", "--log-format=xml"}, `pressroom: --log-format: "xml" is not text or json; see "pressroom serve --help"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := runIn(t, nil, tt.args...)
			if got.Code != 2 {
				t.Errorf("exit status %d, want 2", got.Code)
			}
			if got.Stdout != "" {
				t.Errorf("stdout has %q", got.Stdout)
			}
			if got.Stderr != tt.want+"\n" {
				t.Errorf("stderr\n got %s\nwant %s", got.Stderr, tt.want)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	t.Chdir(t.TempDir())
	tests := []struct {
		args []string
		has  []string
		not  []string
	}{
		{[]string{"--help"}, []string{"Usage: pressroom <command>", "demo ", "serve ", "config ", "version "}, []string{"--addr"}},
		{[]string{"-h"}, []string{"Usage: pressroom <command>"}, nil},
		{[]string{"serve", "--help"}, []string{"Usage: pressroom serve", `--addr="127.0.0.1:8080"`, "./pressroom-data", "$PRESSROOM_ADDR", "pressroom config"}, []string{"llm-task-table", "secret"}},
		{[]string{"demo", "--help"}, []string{"./pressroom-demo"}, []string{"./pressroom-data"}},
		{[]string{"config", "-h"}, []string{"_FILE", "TOML", "--json"}, []string{"$PRESSROOM_JSON"}},
		{[]string{"version", "--help"}, []string{"--json"}, []string{"--data"}},
	}
	for _, tt := range tests {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			// Help must not depend on a settings file being right.
			got := runIn(t, []string{"PRESSROOM_CONFIG=missing.toml"}, tt.args...)
			if got.Code != 0 || got.Stderr != "" {
				t.Fatalf("exit status %d, stderr %q", got.Code, got.Stderr)
			}
			for _, s := range tt.has {
				if !strings.Contains(got.Stdout, s) {
					t.Errorf("help lacks %q:\n%s", s, got.Stdout)
				}
			}
			for _, s := range tt.not {
				if strings.Contains(got.Stdout, s) {
					t.Errorf("help has %q:\n%s", s, got.Stdout)
				}
			}
		})
	}
}

func TestVersionNeedsNoSettings(t *testing.T) {
	got := runIn(t, []string{"PRESSROOM_CONFIG=missing.toml"}, "version")
	if got.Code != 0 || !strings.HasPrefix(got.Stdout, "pressroom ") || got.Stderr != "" {
		t.Errorf("version: %+v", got)
	}
	got = runIn(t, nil, "version", "--json")
	if got.Code != 0 || !strings.Contains(got.Stdout, `"go": "go`) {
		t.Errorf("version --json: %+v", got)
	}
}

// A run that is interrupted before it begins winds down like any other, and
// gives back what it took: a second run finds the directory free.
func TestRunWithEndedContext(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 2 {
		var stdout, stderr bytes.Buffer
		code := Run(ctx, Process{Args: []string{"serve", "--addr=127.0.0.1:0", "--aws-addr=127.0.0.1:0"}, Stdout: &stdout, Stderr: &stderr})
		if code != 0 || !strings.Contains(stderr.String(), "stopping") {
			t.Errorf("exit status %d, stderr %q", code, stderr.String())
		}
	}
}
