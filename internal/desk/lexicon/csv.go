package lexicon

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"pressroom/internal/errs"
)

// csvLists are the columns that hold several values, separated by semicolons.
var csvLists = []string{"variants", "examples", "tags", "categories", "regions", "sources", "content_flags"}

// csvNames are other names that columns go by.
var csvNames = map[string]string{"word": "term", "definition": "gloss", "meaning": "gloss", "example": "examples", "tag": "tags", "category": "categories", "variant": "variants", "lang": "language"}

// fileOfCSV turns CSV into the JSON that [Desk.Import] reads. The first row names the
// columns as the fields of [Item], glosses of other languages as "gloss:ja". What a row
// does not say has a default. A row of one line is the same line of the JSON, so that
// what is wrong is said of the right one.
func fileOfCSV(r io.Reader) (io.Reader, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, errs.New(errs.TooLarge, "The file has more than %d MB.", maxFile>>20)
	}
	rows := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	rows.FieldsPerRecord, rows.ReuseRecord = -1, true
	head, err := rows.Read()
	if err != nil {
		return nil, errs.Wrap(err, errs.Malformed, "The file is no CSV: %v.", err)
	}
	columns := make([]string, len(head))
	for i, name := range head {
		name = strings.ToLower(strings.TrimSpace(name))
		if other, ok := csvNames[name]; ok {
			name = other
		}
		columns[i] = name
	}
	if !slices.Contains(columns, "term") || !slices.Contains(columns, "gloss") {
		return nil, errs.New(errs.Malformed, "The first row must name the columns, and among them term and gloss.")
	}
	var body bytes.Buffer
	n, lines := 0, 1
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errs.Wrap(err, errs.Malformed, "The file is no CSV: %v.", err)
		}
		item, err := json.Marshal(csvItem(columns, row))
		if err != nil {
			return nil, err
		}
		if n++; n > 1 {
			body.WriteByte(',')
		}
		line, _ := rows.FieldPos(0)
		body.WriteString(strings.Repeat("\n", line-lines))
		lines = line
		body.Write(item)
	}
	start := fmt.Sprintf(`{"version": "1", "generated_at": "1970-01-01T00:00:00.000Z", "count": %d, "items": [`, n)
	return io.MultiReader(strings.NewReader(start), &body, strings.NewReader("]}")), nil
}

// csvItem is a row as an item of a file.
func csvItem(columns, row []string) map[string]any {
	item := map[string]any{"examples": []string{}, "tags": []string{}, "categories": []string{"general"}, "confidence": 0.5, "momentum": 0.5}
	glosses := map[string]string{}
	for i, text := range row {
		text = strings.TrimSpace(text)
		if i >= len(columns) || columns[i] == "" || text == "" {
			continue
		}
		name := columns[i]
		language, isGloss := strings.CutPrefix(strings.ReplaceAll(name, "_", ":"), "gloss:")
		switch {
		case isGloss:
			glosses[language] = text
		case slices.Contains(csvLists, name):
			item[name] = splitCSV(text)
		case name == "confidence" || name == "momentum":
			if number, err := strconv.ParseFloat(text, 64); err == nil {
				item[name] = number
			} else {
				item[name] = text // which the import complains of
			}
		case name == "is_quiz_eligible" || name == "plain_word":
			item[name] = text == "1" || strings.EqualFold(text, "true") || strings.EqualFold(text, "yes")
		default:
			item[name] = text
		}
	}
	if len(glosses) > 0 {
		item["glosses"] = glosses
	}
	return item
}

func splitCSV(text string) []string {
	list := []string{}
	for part := range strings.SplitSeq(text, ";") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}
