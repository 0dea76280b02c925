package follow

import (
	"testing"

	"pressroom/model/modeltest"
)

func TestSchema(t *testing.T) { modeltest.Run(t, Schema, "../../docs/design/follow.md") }

func FuzzKeys(f *testing.F) { modeltest.FuzzKeys(f, Schema) }
