package auth

import (
	"testing"

	"pressroom/model"
	"pressroom/model/modeltest"
)

// openKeep returns a house with an operator, an author and someone from a provider.
func openKeep(t *testing.T) (h *house, d modeltest.Damage, ids map[string]string) {
	t.Helper()
	h = open(t, Options{})
	ids = map[string]string{}
	for name, role := range map[string]Role{"olga": Operator, "otto": Operator, "anna": Author} {
		made, err := h.Add(t.Context(), NewAccount{Name: name, Password: secretWord, Role: role})
		if err != nil {
			t.Fatal(err)
		}
		ids[name] = made.ID
	}
	if err := h.SetDisabled(t.Context(), ids["otto"], true); err != nil {
		t.Fatal(err)
	}
	item := &accountItem{UserID: h.ids.New(), Name: "oidc", Role: "reader", Issuer: "https://id.example", Subject: "7", CreatedAt: h.Auth.now()}
	if _, err := h.Auth.add(t.Context(), item, anyRoster); err != nil {
		t.Fatal(err)
	}
	ids["oidc"] = item.UserID
	return h, modeltest.Damage{T: t, DB: h.db, Table: &users}, ids
}

func TestCheckFindsNothing(t *testing.T) {
	h, _, ids := openKeep(t)
	modeltest.WantSound(t, h.Check)
	for name := range ids {
		if name == "olga" {
			continue
		}
		if err := h.Delete(t.Context(), ids[name]); err != nil {
			t.Fatal(err)
		}
	}
	modeltest.WantSound(t, h.Check)
}

func TestCheckFinds(t *testing.T) {
	for _, tt := range []struct {
		name   string
		damage func(d modeltest.Damage, ids map[string]string, identity string)
		words  []string
	}{
		{"name not kept", func(d modeltest.Damage, _ map[string]string, _ string) { d.Delete("LOGIN#anna", "LOGIN") }, []string{"its name anna is not kept for it"}},
		{"name of another", func(d modeltest.Damage, ids map[string]string, _ string) {
			d.Set("user_id", ids["olga"], "LOGIN#anna", "LOGIN")
		}, []string{"its name anna is kept for account"}},
		{"name differs", func(d modeltest.Damage, ids map[string]string, _ string) {
			d.Set("user_id", ids["olga"], "LOGIN#anna", "LOGIN")
		}, []string{"LOGIN#anna", "is called olga"}},
		{"name of no account", func(d modeltest.Damage, ids map[string]string, _ string) { d.Delete("ACCOUNT#"+ids["anna"], "ACCOUNT") }, []string{"LOGIN#anna", "there is no account"}},
		{"identity not kept", func(d modeltest.Damage, _ map[string]string, id string) { d.Delete(id, "IDENTITY") }, []string{"its identity at https://id.example is not kept"}},
		{"identity of another", func(d modeltest.Damage, ids map[string]string, id string) {
			d.Set("user_id", ids["olga"], id, "IDENTITY")
		}, []string{"is that of account"}},
		{"identity differs", func(d modeltest.Damage, ids map[string]string, id string) {
			d.Set("user_id", ids["olga"], id, "IDENTITY")
		}, []string{"has another identity"}},
		{"identity of no account", func(d modeltest.Damage, ids map[string]string, _ string) { d.Delete("ACCOUNT#"+ids["oidc"], "ACCOUNT") }, []string{"IDENTITY#", "there is no account"}},
		{"operators not counted", func(d modeltest.Damage, _ map[string]string, _ string) { d.Delete("ROSTER", "OPERATORS") }, []string{"operators are not counted"}},
		{"operators miscounted", func(d modeltest.Damage, _ map[string]string, _ string) { d.Set("operators", 2, "ROSTER", "OPERATORS") }, []string{"2 operators are counted, and there are 1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, d, ids := openKeep(t)
			tt.damage(d, ids, identityKey(t))
			modeltest.WantFinding(t, h.Check, tt.words...)
		})
	}
}

// identityKey is the key under which the identity is stored.
func identityKey(t *testing.T) string {
	t.Helper()
	key, err := model.Template("IDENTITY#{issuer}#{subject}").Render(model.Values{"issuer": "https://id.example", "subject": "7"})
	if err != nil {
		t.Fatal(err)
	}
	return key
}
