package searchagent

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/qedkit/qed/esquery"
)

// A definition is an aggregation as a search asks for it. The zero value is one of which
// nothing is known.
type definition struct {
	kind   string
	params map[string]any
	subs   map[string]definition
}

// definitions are the aggregations of a search, by their names.
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

// split tells the members of a result, or of a bucket, from the aggregations below it.
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

// ownMembers are objects of a result's own, where no aggregation has their name.
var ownMembers = []string{"key", "meta", "values", "after_key", "hits", "buckets"}

// hidden returns the name of an aggregation that would stand where each of the buckets
// around it has a member of its own; empty: there is none.
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

// bucketMembers are what buckets have beside aggregations.
var bucketMembers = []string{"doc_count", "doc_count_error_upper_bound", "from", "from_as_string", "key", "key_as_string", "to", "to_as_string"}

// thinned reports whether buckets were taken out of what an engine returned.
func (d definition) thinned() bool {
	for _, sub := range d.subs {
		if sub.kind == "bucket_selector" || sub.kind == "bucket_sort" {
			return true
		}
	}
	return false
}

// size is how many buckets of a composite were asked for.
func (d definition) size() int {
	if n := whole(d.params["size"]); n > 0 {
		return int(n)
	}
	return defaultComposite
}

const defaultComposite = 10 // of both engines

// shown is a number, or the text that an engine gives for it where that is a time. The
// texts of booleans, such as "true" for 0.66 and for 1320, and those of numbers with
// separators are none to compute with.
func (d definition) shown(number, text any) any {
	s, ok := text.(string)
	if !ok || s == "true" || s == "false" || d.decimal() {
		return scalar(number)
	}
	return s
}

// decimal reports whether the format that was asked for is one of numbers: those have 0 or
// #, which no format of times has outside of quotes.
func (d definition) decimal() bool {
	format, _ := d.params["format"].(string)
	for i, part := range strings.Split(format, "'") {
		if i%2 == 0 && strings.ContainsAny(part, "0#") {
			return true
		}
	}
	return false
}

// keys are what a bucket is for: its text where it has one, as times do, and of a
// composite the values of its sources, in their order.
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
				value = time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") // as engines write keys of times
			}
		}
		keys = append(keys, figure{source.name, scalar(value)})
	}
	return keys
}

// A compositeSource is one of those that the keys of a composite have a value of.
type compositeSource struct {
	name  string
	times bool // its values are times
}

func (d definition) sources(key map[string]any) []compositeSource {
	var all []compositeSource
	for _, item := range items(d.params["sources"]) {
		source, _ := item.(map[string]any)
		for name, v := range source { // it has one
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
