package rights

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Reservation reads the value of a tdm-reservation header or meta element, and of the
// tdm-policy beside it. Anything but 0 reserves.
func Reservation(where Where, reservation, policy string) Said {
	return Said{Signal: TDM, Value: reservationValue(reservation, policy), Where: where}
}

func reservationValue(reservation, policy string) string {
	value := recorded(reservation)
	if value != "0" {
		value = "1"
	}
	if policy = recorded(policy); policy != "" && value == "1" {
		value += " " + policy
	}
	return value
}

// maxRules is how many rules of one file are kept. If there are more, the file counts
// as one that cannot be read.
const maxRules = 100

// TDMFile reads a tdmrep.json. One that is JSON of another form, or broken, reserves
// everything; a page, which many servers send for any address, is no such file.
func TDMFile(body []byte) []Said {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	if len(body) == 0 || body[0] == '<' {
		return nil
	}
	var rules []struct {
		Location    string          `json:"location"`
		Reservation json.RawMessage `json:"tdm-reservation"`
		Policy      string          `json:"tdm-policy"`
	}
	if err := json.Unmarshal(body, &rules); err != nil || len(rules) > maxRules {
		return []Said{{Signal: TDM, Value: "1", Where: InTDMFile}}
	}
	var said []Said
	for _, r := range rules {
		value := reservationValue(strings.Trim(string(r.Reservation), `"`), r.Policy)
		path := r.Location
		if !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "*") || len(path) > maxValue {
			if value == "0" {
				continue // nobody knows of what
			}
			path = ""
		}
		said = append(said, Said{Signal: TDM, Value: value, Where: InTDMFile, Path: path})
	}
	return said
}
