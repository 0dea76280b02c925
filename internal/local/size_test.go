package local

import (
	"os/exec"
	"strings"
	"testing"
)

// TestSmall: the program is small because of what it does not hold. A parser that
// calls methods by their names would keep every method of the SDK in it.
func TestSmall(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "pressroom/cmd/pressroom-local").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for dep := range strings.FieldsSeq(string(out)) {
		for _, heavy := range []string{
			"github.com/alecthomas/kong", "text/template", "html/template", "time/tzdata",
			"github.com/aws/aws-sdk-go-v2/config", "pressroom/internal/cli", "pressroom/model", "pressroom/llm",
		} {
			if dep == heavy || strings.HasPrefix(dep, heavy+"/") {
				t.Errorf("it holds %s", dep)
			}
		}
	}
}
