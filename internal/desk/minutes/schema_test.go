package minutes

import (
	"testing"

	"pressroom/model/modeltest"
)

func TestSchema(t *testing.T) {
	t.Parallel()
	modeltest.Run(t, Schema, "../../../docs/design/minutes.md")
}

func FuzzKeys(f *testing.F) { modeltest.FuzzKeys(f, Schema) }
