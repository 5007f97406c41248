package esquery

import (
	"encoding/json"
	"errors"
	"strconv"
)

// A Page is one page of the hits of a search, in a point in time.
type Page struct {
	// PIT is the id of the point in time. KeepAlive is how long the engine keeps
	// it after this page, such as "1m".
	PIT, KeepAlive string
	// Size is the number of hits of the page.
	Size int
	// After are the sort values of the last hit of the page before, as an array.
	// It is nil for the first page.
	After json.RawMessage
	// Tiebreak are fields that make the order unique. They follow the sort of
	// the search. A search without a sort is sorted by them alone and has no
	// scores.
	Tiebreak []string
}

// Page returns the body of a _search for one page of the hits. The request has
// no index, because the point in time has it. Only the first page has
// aggregations and the total. It is an error if After is not an array.
func (s *Search) Page(p Page) (json.RawMessage, error) {
	body := objectValue()
	for _, m := range s.root.members {
		switch m.key {
		case "from", "size", "sort", "search_after":
			continue
		case "aggs", "aggregations", "track_total_hits":
			if p.After != nil {
				continue
			}
		}
		body.members = append(body.members, m)
	}
	body.members = append(body.members,
		member{"size", value{kind: number, text: strconv.Itoa(p.Size)}},
		member{"sort", s.pageSort(p.Tiebreak)},
		member{"pit", objectValue(member{"id", stringValue(p.PIT)}, member{"keep_alive", stringValue(p.KeepAlive)})},
	)
	if p.After != nil {
		after, err := readJSON(string(p.After), maxJSONDepth, nil)
		if err != nil || after.kind != array {
			return nil, errors.New("esquery: Page.After is not an array of sort values")
		}
		body.members = append(body.members, member{"search_after", after},
			member{"track_total_hits", value{kind: boolean, text: "false"}})
	}
	return body.appendTo(nil), nil
}

func (s *Search) pageSort(tiebreak []string) value {
	var sorts []value
	if own := s.root.get("sort"); own != nil {
		sorts = append(sorts, list(own)...)
	}
	for _, name := range tiebreak {
		sorts = append(sorts, stringValue(name))
	}
	return arrayValue(sorts...)
}
