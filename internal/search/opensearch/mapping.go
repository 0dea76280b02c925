package opensearch

import (
	"time"

	"pressroom/internal/search"
)

// object is a piece of JSON.
type object = map[string]any

// version is that of the fields below and of what they may show. It is a part of the
// aliases' names, so that nobody searches an index of another version.
const version = "4"

// before is the version before.
const before = "3"

// settings are the analysis and the fields of an index. The analyzer grams folds
// width and case, makes bigrams of Japanese and stems of English; bases are
// kuromoji's dictionary forms without particles.
func settings() object {
	text := func(analyzer string) object { return object{"type": "text", "analyzer": analyzer} }
	both := object{"type": "text", "analyzer": "grams", "fields": object{"bases": text("bases")}}
	read := object{"type": "text", "analyzer": "grams", "fields": object{"bases": text("bases"), "sounds": text("sounds")}}
	keyword := object{"type": "keyword"}
	return object{
		"settings": object{"analysis": object{
			"filter": object{
				"stem":   object{"type": "stemmer", "language": "english"},
				"nouns":  object{"type": "kuromoji_part_of_speech"},
				"starts": object{"type": "edge_ngram", "min_gram": 1, "max_gram": 16},
			},
			"normalizer": object{"folded": object{"type": "custom", "filter": []string{"cjk_width", "lowercase"}}},
			"analyzer": object{
				"grams":  object{"type": "custom", "tokenizer": "standard", "filter": []string{"cjk_width", "lowercase", "cjk_bigram", "stem"}},
				"bases":  object{"type": "custom", "tokenizer": "kuromoji_tokenizer", "filter": []string{"kuromoji_baseform", "nouns", "cjk_width", "lowercase", "stem"}},
				"sounds": object{"type": "custom", "tokenizer": "kuromoji_tokenizer", "filter": []string{"kuromoji_readingform", "cjk_width", "lowercase"}},
				"start":  object{"type": "custom", "tokenizer": "kuromoji_tokenizer", "filter": []string{"cjk_width", "lowercase", "starts"}},
				"typed":  object{"type": "custom", "tokenizer": "keyword", "filter": []string{"cjk_width", "lowercase"}},
			},
		}},
		"mappings": object{"dynamic": "strict", "properties": object{
			"key": keyword, "desk": keyword, "id": keyword, "kind": keyword, "language": keyword,
			"tags": object{"type": "keyword", "normalizer": "folded"},
			"date": object{"type": "date", "format": "strict_date_time"}, "level": object{"type": "integer"}, "revision": object{"type": "long", "index": false},
			"url":    object{"type": "keyword", "index": false},
			"source": object{"type": "keyword", "normalizer": "folded"}, "forms": keyword, "names": object{"type": "object", "enabled": false},
			"title": object{"type": "text", "analyzer": "grams", "fields": object{
				"bases": text("bases"), "sounds": text("sounds"),
				"start": object{"type": "text", "analyzer": "start", "search_analyzer": "typed"},
			}},
			"summary": read, "body": both, "hidden": both,
		}},
	}
}

// document is a document as the cluster has it.
type document struct {
	Key      string        `json:"key"`
	Desk     string        `json:"desk"`
	ID       string        `json:"id"`
	Kind     string        `json:"kind"`
	Language string        `json:"language,omitempty"`
	Title    string        `json:"title"`
	Summary  string        `json:"summary"`
	Body     string        `json:"body"`
	Hidden   string        `json:"hidden,omitempty"`
	Tags     []string      `json:"tags,omitempty"`
	Source   string        `json:"source,omitempty"`
	Names    []search.Name `json:"names,omitempty"`
	Forms    []string      `json:"forms,omitempty"`
	Date     string        `json:"date"`
	URL      string        `json:"url"`
	Level    search.Level  `json:"level"`
	Revision int           `json:"revision"`
}

const dateFormat = "2006-01-02T15:04:05.000Z"

func toDocument(d *search.Document) document {
	names := d.AllNames()
	var forms []string
	for i := range names {
		forms = append(forms, search.Forms(&names[i])...)
	}
	return document{
		Source: d.Source, Names: names, Forms: forms,
		Key: d.String(), Desk: d.Desk, ID: d.ID, Kind: d.Kind, Language: d.Language, Title: d.Title, Summary: d.Summary,
		Body: d.Body, Hidden: d.Hidden, Tags: d.Tags, Date: d.Date.UTC().Format(dateFormat), URL: d.URL, Level: d.Level, Revision: d.Revision,
	}
}

func (d *document) date() (time.Time, error) { return time.Parse(dateFormat, d.Date) }
