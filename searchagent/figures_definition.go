package searchagent

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/qedkit/qed/esquery"
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
var ownMembers = []string{"key", "meta", "values", "after_key", "hits", "buckets"}

// hidden returns the name of an aggregation that would replace a member of the buckets
// around it, or "".
func hidden(defs map[string]definition, inBuckets bool) string {
	for _, name := range slices.Sorted(maps.Keys(defs)) {
		if inBuckets && slices.Contains(bucketMembers, name) {
			return name
		}
		if found := hidden(defs[name].subs, true); found != "" {
			return found
		}
	}
	return ""
}

// bucketMembers are the members of buckets that are not aggregations.
var bucketMembers = []string{
	"doc_count", "doc_count_error_upper_bound", "from", "from_as_string", "key", "key_as_string", "to", "to_as_string",
}

// thinned reports whether the search removes buckets from the result.
func (d definition) thinned() bool {
	for _, sub := range d.subs {
		if sub.kind == "bucket_selector" || sub.kind == "bucket_sort" {
			return true
		}
	}
	return false
}

// size returns how many buckets of a composite the search asks for.
func (d definition) size() int {
	if n := whole(d.params["size"]); n > 0 {
		return int(n)
	}
	return defaultComposite
}

const defaultComposite = 10 // of both engines

// shown returns a number, or the engine's text for it if it is a time. The texts of
// booleans ("true" for 0.66 and for 1320) and of numbers with separators are ignored,
// because nothing can be computed with them.
func (d definition) shown(number, text any) any {
	s, ok := text.(string)
	if !ok || s == "true" || s == "false" || d.decimal() {
		return scalar(number)
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

// keys returns the key of a bucket: its text if it has one, as times do, and the values
// of the sources in their order for a composite.
func (d definition) keys(name string, bucket map[string]any) []figure {
	parts, ok := bucket["key"].(map[string]any)
	if !ok {
		if text, ok := bucket["key_as_string"].(string); ok && !d.decimal() {
			return []figure{{name, text}}
		}
		return []figure{{name, scalar(bucket["key"])}}
	}
	var keys []figure
	for _, source := range d.sources(parts) {
		value := parts[source.name]
		if number, ok := value.(json.Number); ok && source.times {
			if ms, err := number.Int64(); err == nil {
				value = time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") // the form of engines
			}
		}
		keys = append(keys, figure{source.name, scalar(value)})
	}
	return keys
}

// A compositeSource is a source of a composite aggregation.
type compositeSource struct {
	name  string
	times bool // its values are times
}

func (d definition) sources(key map[string]any) []compositeSource {
	var all []compositeSource
	for _, item := range items(d.params["sources"]) {
		source, _ := item.(map[string]any)
		for name, v := range source { // one entry
			kinds, _ := v.(map[string]any)
			_, times := kinds["date_histogram"]
			all = append(all, compositeSource{name, times})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(key)) {
		if !slices.ContainsFunc(all, func(s compositeSource) bool { return s.name == name }) {
			all = append(all, compositeSource{name: name})
		}
	}
	return all
}
