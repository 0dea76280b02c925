package cli

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStoreClosesInReverseAndGoesOn(t *testing.T) {
	path := t.TempDir()
	st, err := openStore(storeSettings{Data: path}, endpointSettings{}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	boom := errors.New("boom")
	st.add("early", func() error { order = append(order, "early"); return nil })
	st.add("late", func() error { order = append(order, "late"); return boom })
	err = st.Close()
	if diff := cmp.Diff([]string{"late", "early"}, order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if !errors.Is(err, boom) || err.Error() != "close late: boom" {
		t.Errorf("Close: %v", err)
	}
	if err := st.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	again, err := openStore(storeSettings{Data: path}, endpointSettings{}, quiet)
	if err != nil {
		t.Fatalf("the lock was not given up: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}
