package deliverapi_test

import (
	"net/http"
	"testing"

	"pressroom/internal/api/apitest"
	"pressroom/internal/api/deliverapi"
	"pressroom/internal/auth"
	"pressroom/internal/deliver"
)

func TestSuppressions(t *testing.T) {
	h := apitest.Open(t, "/api/v1", deliver.Schema)
	ledger, err := deliver.New(h.DB, nil)
	apitest.Check(t, err)
	deliverapi.Register(h.API, ledger)
	h.Doors(map[auth.Role]string{auth.Operator: "GET /suppressions|DELETE /suppressions/{channel}"})
	for _, to := range []string{"ann@reader.example", "Bob@reader.example"} {
		apitest.Check(t, ledger.Suppress(t.Context(), "mail", to, "gone"))
	}
	ops := h.Role(auth.Operator)
	type list struct {
		Items []deliver.Suppression `json:"items"`
	}
	if all := apitest.Read[list](t, ops.Ask(http.StatusOK, "GET", "/suppressions", "")); len(all.Items) != 2 || all.Items[0].Reason != "gone" {
		t.Fatalf("the list is %+v", all)
	}
	ops.Ask(http.StatusUnprocessableEntity, "GET", "/suppressions?channel=pigeon", "")
	ops.Ask(http.StatusUnprocessableEntity, "DELETE", "/suppressions/mail", "")
	ops.Ask(http.StatusNoContent, "DELETE", "/suppressions/mail?address=BOB@reader.example", "")
	if all := apitest.Read[list](t, ops.Ask(http.StatusOK, "GET", "/suppressions?limit=1", "")); len(all.Items) != 1 || all.Items[0].Target != "ann@reader.example" {
		t.Errorf("after lifting, the list is %+v", all)
	}
}
