package esquery

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// Page says which part of a search's hits is read, in a point in time.
type Page struct {
	// PIT is the id of the point in time, and KeepAlive for how long it is kept
	// after this page, such as "1m".
	PIT, KeepAlive string
	// Size is how many hits the page has.
	Size int
	// After are the sort values of the last hit of the page before, as an array.
	// Nil: the first page.
	After json.RawMessage
	// Tiebreak are the fields that make the order of the hits unique, and follow
	// the search's own sort. A search without a sort has them alone, and no scores.
	Tiebreak []string
}

// Page returns what may be sent to _search for one page of the hits, without an
// index, as the point in time has it. Aggregations, suggestions and the total come
// with the first page alone.
//
// The error is of an After that is no array, or of a search that has no pages: one with
// a collapse, a rescore or a retriever, which engines do not take together with a sort
// of several fields, or not after the first page.
func (s *Search) Page(p Page) (json.RawMessage, error) {
	for _, key := range [...]string{"collapse", "rescore", "retriever"} {
		if s.root.get(key) != nil {
			return nil, fmt.Errorf("esquery: a search with a %s cannot be read by page: run it as it is", key)
		}
	}
	body := objectValue()
	for _, m := range s.root.members {
		switch m.key {
		case "from", "size", "sort", "search_after":
			continue
		case "aggs", "aggregations", "suggest", "track_total_hits":
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
			return nil, errors.New("esquery: Page.After is no array of sort values")
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
