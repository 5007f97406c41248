package searchagent

import (
	"slices"
	"strings"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/strictjson"
)

// A definition is an aggregation in a search. The zero value is an aggregation of which
// nothing is known.
type definition struct {
	kind   string
	params map[string]any
	subs   map[string]definition
}

// definitions returns the aggregations of a search, by their names.
func definitions(search *esquery.Search) map[string]definition {
	if search == nil {
		return nil
	}
	body, _ := decoded(search.Body()).(map[string]any)
	return defined(body)
}

func defined(of map[string]any) map[string]definition {
	out := map[string]definition{}
	for _, key := range []string{"aggs", "aggregations"} {
		all, _ := of[key].(map[string]any)
		for name, v := range all {
			agg, _ := v.(map[string]any)
			d := definition{subs: defined(agg)}
			for kind, params := range agg {
				if kind != "aggs" && kind != "aggregations" && kind != "meta" {
					d.kind = kind
					d.params, _ = params.(map[string]any)
				}
			}
			out[name] = d
		}
	}
	return out
}

// split separates the members of a result or a bucket from the aggregations below it.
func (d definition) split(of map[string]any) (own, below map[string]any) {
	own, below = map[string]any{}, map[string]any{}
	for name, v := range of {
		_, asked := d.subs[name]
		_, isObject := v.(map[string]any)
		switch {
		case asked, isObject && !slices.Contains(ownMembers, name):
			below[name] = v
		default:
			own[name] = v
		}
	}
	return own, below
}

// ownMembers are objects that belong to a result, unless an aggregation has the name.
var ownMembers = []string{"key", "meta", "values", "hits", "buckets"}

// shown returns a number, or the engine's text for it if it is a time. The texts of
// booleans ("true" for 0.66 and for 1320) and of numbers with separators are ignored,
// because nothing can be computed with them.
func (d definition) shown(number, text any) any {
	s, ok := text.(string)
	if !ok || s == "true" || s == "false" || d.decimal() {
		return strictjson.Cell(number)
	}
	return s
}

// decimal reports whether the format in the search is a format of numbers: those contain
// 0 or #, which a format of times has only in quotes.
func (d definition) decimal() bool {
	format, _ := d.params["format"].(string)
	for i, part := range strings.Split(format, "'") {
		if i%2 == 0 && strings.ContainsAny(part, "0#") {
			return true
		}
	}
	return false
}

// key returns the key of a bucket: its text if it has one, as times do.
func (d definition) key(bucket map[string]any) any {
	if text, ok := bucket["key_as_string"].(string); ok && !d.decimal() {
		return text
	}
	return strictjson.Cell(bucket["key"])
}
