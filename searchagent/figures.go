package searchagent

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
)

// figures makes a table of what aggregations returned, at most limit rows: one for
// each bucket, with the keys of the buckets around it, how many documents it has, and
// its metrics. What has no place in a table stands in it as JSON, without what the
// search hides. Nil: there is nothing.
func figures(search *esquery.Search, raw json.RawMessage, limit int) (*qed.Table, error) {
	all, _ := decoded(raw).(map[string]any)
	if len(all) == 0 {
		return nil, nil
	}
	f := flattener{search: search, limit: limit, at: map[string]int{}}
	if err := f.level(all, nil); err != nil {
		return nil, fmt.Errorf("searchagent: the aggregations cannot be read: %w", err)
	}
	if len(f.rows) == 0 {
		return nil, nil
	}
	t := &qed.Table{Columns: f.columns, Truncated: f.more}
	for _, r := range f.rows {
		row := make([]any, len(f.columns))
		for _, c := range r {
			row[f.at[c.column]] = c.value
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// flattener makes rows of a tree of buckets.
type flattener struct {
	search  *esquery.Search
	limit   int
	columns []qed.Column
	at      map[string]int // the columns' places
	rows    [][]figure
	more    bool // there are more buckets than rows
}

type figure struct {
	column string
	value  any
}

// countColumn has the number of documents of a row's innermost bucket.
const countColumn = "count"

// level adds the rows of the aggregations at one level, below buckets that have the
// figures around.
func (f *flattener) level(all map[string]any, around []figure) error {
	own := slices.Clone(around)
	var deeper []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		agg, ok := all[name].(map[string]any)
		switch {
		case !ok:
		case agg["buckets"] != nil:
			deeper = append(deeper, name)
			others, _ := agg["sum_other_doc_count"].(json.Number)
			f.more = f.more || others != "" && others != "0"
		default:
			more, err := f.metrics(name, agg)
			if err != nil {
				return err
			}
			own = append(own, more...)
			if len(subs(agg)) > 0 {
				deeper = append(deeper, name)
			}
		}
	}
	// A row of a bucket's own, unless its parts say all of it.
	if len(own) > len(around) || len(deeper) == 0 && len(around) > 0 {
		f.add(own)
	}
	for _, name := range deeper {
		agg := all[name].(map[string]any)
		var err error
		switch buckets := agg["buckets"].(type) {
		case []any:
			for _, b := range buckets {
				bucket, _ := b.(map[string]any)
				if err = f.bucket(name, keyOf(bucket), bucket, around); err != nil {
					return err
				}
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(buckets)) {
				bucket, _ := buckets[key].(map[string]any)
				if err = f.bucket(name, key, bucket, around); err != nil {
					return err
				}
			}
		default:
			err = f.level(subs(agg), around)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *flattener) bucket(name string, key any, bucket map[string]any, around []figure) error {
	if len(f.rows) >= f.limit {
		f.more = true
		return nil
	}
	row := slices.DeleteFunc(slices.Clone(around), func(c figure) bool { return c.column == countColumn })
	f.column(name)
	row = append(row, figure{name, key})
	f.column(countColumn)
	row = append(row, figure{countColumn, scalar(bucket["doc_count"])})
	return f.level(subs(bucket), row)
}

func (f *flattener) add(row []figure) {
	if len(f.rows) >= f.limit {
		f.more = true
		return
	}
	for _, c := range row {
		f.column(c.column)
	}
	f.rows = append(f.rows, row)
}

func (f *flattener) column(name string) {
	if _, known := f.at[name]; !known {
		f.at[name] = len(f.columns)
		f.columns = append(f.columns, qed.Column{Name: name})
	}
}

// metrics are the figures of an aggregation without a list of buckets.
func (f *flattener) metrics(name string, agg map[string]any) ([]figure, error) {
	if text, ok := agg["value_as_string"].(string); ok {
		return []figure{{name, text}}, nil
	}
	if value, ok := agg["value"]; ok {
		return []figure{{name, scalar(value)}}, nil
	}
	if found, ok := agg["hits"].(map[string]any); ok {
		docs, err := f.documents(found)
		return []figure{{name, docs}}, err
	}
	var out []figure
	for _, key := range slices.Sorted(maps.Keys(agg)) {
		value := agg[key]
		_, nested := value.(map[string]any)
		switch {
		case key == "meta", nested && key != "values":
		case key == "doc_count":
			out = append(out, figure{name, scalar(value)})
		default:
			out = append(out, figure{name + "." + key, scalar(value)})
		}
	}
	return out, nil
}

// documents are those of a top_hits, as JSON.
func (f *flattener) documents(found map[string]any) (any, error) {
	list, _ := found["hits"].([]any)
	var docs []any
	for _, h := range list {
		hit, _ := h.(map[string]any)
		source, err := marshal(hit["_source"])
		if err != nil {
			return nil, err
		}
		doc := map[string]any{"_id": hit["_id"]}
		if hit["_source"] != nil {
			if source, err = f.search.Redact(source); err != nil {
				return nil, err
			}
			doc["_source"] = json.RawMessage(source)
		}
		docs = append(docs, doc)
	}
	return scalar(docs), nil
}

// subs are the aggregations within a bucket.
func subs(bucket map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range bucket {
		sub, ok := v.(map[string]any)
		if ok && name != "key" && name != "meta" && name != "values" && name != "after_key" && name != "hits" {
			out[name] = sub
		}
	}
	return out
}

// keyOf is what a bucket is for: its text where it has one, as dates do.
func keyOf(bucket map[string]any) any {
	if text, ok := bucket["key_as_string"].(string); ok {
		return text
	}
	return scalar(bucket["key"])
}
