package thread

import (
	"testing"

	"pressroom/model/modeltest"
)

func TestSchema(t *testing.T) { modeltest.Run(t, Schema, "../../docs/design/thread.md") }

func FuzzKeys(f *testing.F) { modeltest.FuzzKeys(f, Schema) }
