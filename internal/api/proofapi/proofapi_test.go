package proofapi_test

import (
	"fmt"
	"strings"
	"testing"

	"pressroom/internal/api/apitest"
	"pressroom/internal/api/proofapi"
	"pressroom/internal/auth"
	"pressroom/internal/proof"
)

const record = `{"date": "2026-04-16", "nameOfHouse": "参議院", "nameOfMeeting": "本会議", "speechRecord": [
	{"speechOrder": 1, "speaker": "竹内信吾", "speech": "○議長（竹内信吾君）　図書館連携法案を議題といたします。"},
	{"speechOrder": 2, "speaker": "竹内信吾", "speech": "○議長（竹内信吾君）　賛成二百四　反対二十五　よって、本案は可決されました。"}]}`

func open(t *testing.T) *apitest.House {
	h := apitest.Open(t, "/api/v1/proof")
	proofapi.Register(h.API)
	return h
}

func body(record, answer string) string {
	return fmt.Sprintf(`{"record": %s, "answer": %s}`, record, answer)
}

func TestCheck(t *testing.T) {
	h := open(t)
	h.Doors(map[auth.Role]string{auth.Everyone: "POST /checks"})
	good := apitest.Read[proofapi.Report](t, h.Ask(200, "POST", "/checks", body(record, `{"summary": {"based_on_orders": [2], "summary": "図書館連携法案は賛成204、反対25で可決された。"}}`)))
	if good.Verdict != proof.Supported || len(good.Claims) == 0 {
		t.Errorf("report %+v", good)
	}
	bad := apitest.Read[proofapi.Report](t, h.Ask(200, "POST", "/checks", body(record, `{"summary": {"based_on_orders": [2], "summary": "図書館連携法案は否決された。"}}`)))
	if bad.Verdict != proof.Contradicted {
		t.Errorf("report %+v", bad)
	}
	page := `{"date": "2026-03-12", "passages": [{"order": 1, "text": "Spending rose by 4 per cent."}]}`
	if got := apitest.Read[proofapi.Report](t, h.Ask(200, "POST", "/checks", body(page, `{"key_points": ["Spending fell by 4 per cent."]}`))); got.Verdict != proof.Contradicted {
		t.Errorf("report %+v", got)
	}
	if got := apitest.Read[proofapi.Report](t, h.Ask(200, "POST", "/checks", body(record, `{}`))); got.Verdict != proof.Supported || got.Claims == nil {
		t.Errorf("an empty answer is %+v", got)
	}
}

func TestRefusals(t *testing.T) {
	h := open(t)
	for _, bad := range []string{
		body(`[]`, `{}`), body(`{}`, `{}`), body(`{"meetingRecord": []}`, `{}`), body(record, `[]`), body(record, `{"summary": "text"}`), `{"record": {}}`,
		body(record, `{"title": "`+strings.Repeat("可決された。", 2001)+`"}`),
	} {
		h.Ask(422, "POST", "/checks", bad)
	}
	h.Ask(413, "POST", "/checks", body(record, `{"title": "`+strings.Repeat("x", 4<<20)+`"}`))
}
