package erase

import (
	"strings"
	"unicode/utf8"

	"pressroom/model"
)

// Schema is what is stored of erasures.
var Schema = model.Schema{Name: "rights", Tables: []model.Table{table}}

// Longest values in bytes.
const (
	idMax  = 300
	whoMax = 256
	whyMax = 2048
)

const whyErasures = "what was erased stays erased, also after a restore"

var table = model.Table{
	Name: "Rights", Env: "RIGHTS_TABLE", Purpose: "what was erased, and what people asked for",
	PK: model.Key{Name: "pk"}, SK: model.Key{Name: "sk"}, TTL: "ttl", RecoveryDays: 35, Encrypted: true,
	Entities: []model.Entity{
		{Name: "Erasure", Doc: "something that was erased, as a key or a mark that does not tell it", PK: "ERASURES", SK: "{erasure}", Version: "version", Peak: 1, Added: whyErasures,
			Fields: []model.Field{
				{Name: "erasure", Size: 26, Max: 26},
				{Name: "kind", Values: []string{string(Story), string(Page), string(Site), string(Person)}},
				{Name: "at", Kind: model.Time},
				{Name: "story", Optional: true, Size: 40, Max: idMax},
				{Name: "page", Optional: true, From: "SHA-256 of the canonical address", Size: 64, Max: 64},
				{Name: "site", Optional: true, Size: 20, Max: idMax},
				{Name: "mark", Kind: model.Map, Optional: true, Size: 140, Max: 512},
				{Name: "state", Values: []string{Scrubbing, Done}},
				{Name: "who", Size: 10, Max: whoMax},
				{Name: "why", Optional: true, Size: 40, Max: whyMax},
				{Name: "changed", Kind: model.Number},
				{Name: "doneAt", Kind: model.Time, Optional: true},
				{Name: "recovery", Kind: model.Time},
				{Name: "backups", Kind: model.Time},
				{Name: "version", Kind: model.Number},
			}},
	},
	Patterns: []model.Pattern{
		{Name: "GetErasure", Who: "operator", Asks: "an erasure", Op: model.Get, Yields: []string{"Erasure"}, By: []string{"erasure"}, Strong: true, Added: whyErasures},
		{Name: "Erasures", Who: "program", Asks: "all erasures, the newest first", Op: model.Query, Yields: []string{"Erasure"}, Desc: true, Order: "erasure", Limit: 100, Strong: true, Added: whyErasures},
		{Name: "Erase", Who: "operator", Asks: "record an erasure, or its end", Op: model.Put, Writes: []model.Write{{Entity: "Erasure", Max: 1}}, Added: whyErasures},
	},
}

// clip cuts text to at most n bytes, between characters.
func clip(text string, n int) string {
	for len(text) > n {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text
}

func cut(text, prefix string) (string, bool) { return strings.CutPrefix(text, prefix) }
