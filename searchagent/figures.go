package searchagent

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/strictjson"
)

// bucketTable returns the result of aggregations as a table of at most limit rows. A row is
// a bucket: it has the keys of the buckets around it, its number of documents, and its
// metrics. Values that do not fit into a cell are JSON, without hidden fields. The table
// is nil if there is no result.
//
// reason says which of the figures are not exact, and why. It may be empty.
func bucketTable(
	search *esquery.Search, raw json.RawMessage, limit int, fieldType func(index, path string) string,
) (t *qed.Table, reason string, err error) {
	all, _ := decoded(raw).(map[string]any)
	if len(all) == 0 {
		return nil, "", nil
	}
	defs := definitions(search)
	f := flattener{search: search, limit: limit, fieldType: fieldType, at: map[string]int{}, counts: bucketed(all, defs)}
	if err := f.level(all, defs, nil); err != nil {
		return nil, "", fmt.Errorf("searchagent: the aggregations cannot be read: %w", err)
	}
	if len(f.rows) == 0 {
		return nil, "", nil
	}
	t = &qed.Table{Columns: f.columns, Truncated: f.more}
	for _, r := range f.rows {
		row := make([]any, len(f.columns))
		for _, c := range r {
			row[f.at[c.column]] = c.value
		}
		t.Rows = append(t.Rows, row)
	}
	return t, f.reason(), nil
}

// bucketed reports whether aggregations have buckets, so that a column with the number
// of documents is needed.
func bucketed(all map[string]any, defs map[string]definition) bool {
	for name, v := range all {
		agg, _ := v.(map[string]any)
		own, below := defs[name].split(agg)
		if own["buckets"] != nil || bucketed(below, defs[name].subs) {
			return true
		}
	}
	return false
}

// flattener turns a tree of buckets into rows.
type flattener struct {
	search    *esquery.Search
	fieldType func(index, path string) string
	limit     int
	columns   []qed.Column
	at        map[string]int // the indexes of columns
	rows      [][]figure
	more      bool     // there are more buckets than rows
	counts    bool     // there is a column with numbers of documents
	inexact   []string // aggregations whose counts are not exact
}

type figure struct {
	column string
	value  any
}

// countColumn is the column with the number of documents of a row's innermost bucket.
const (
	countColumn = "count"
	countType   = "long" // as the engines name it
)

// level adds the rows of the aggregations at one level. around has the figures of the
// buckets around them.
func (f *flattener) level(all map[string]any, defs map[string]definition, around []figure) error {
	own := slices.Clone(around)
	var deeper []buckets
	if err := f.gather("", all, defs, &own, &deeper); err != nil {
		return err
	}
	// The bucket has a row of its own, unless the rows of its parts contain all of it.
	if len(own) > len(around) || len(deeper) == 0 && len(around) > 0 {
		f.add(own)
	}
	for _, b := range deeper {
		f.checkComplete(&b)
		switch list := b.agg["buckets"].(type) {
		case []any:
			for _, item := range list {
				bucket, _ := item.(map[string]any)
				if err := f.bucket(&b, nil, bucket, around); err != nil {
					return err
				}
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(list)) {
				bucket, _ := list[key].(map[string]any)
				if err := f.bucket(&b, key, bucket, around); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// buckets is an aggregation with a list of buckets.
type buckets struct {
	name string // after the names of the single buckets around it
	agg  map[string]any
	def  definition
}

// gather adds the metrics of a level to own, and aggregations with lists of buckets to
// deeper. Metrics in single buckets, such as filters, are named after them.
func (f *flattener) gather(
	prefix string, all map[string]any, defs map[string]definition, own *[]figure, deeper *[]buckets,
) error {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		agg, ok := all[name].(map[string]any)
		def, asked := defs[name]
		if !ok || !asked && isText(name, all) {
			continue
		}
		agg, below := def.split(agg)
		if agg["buckets"] != nil {
			*deeper = append(*deeper, buckets{prefix + name, agg, def})
			continue
		}
		metrics, err := f.metrics(prefix+name, def, agg)
		if err != nil {
			return err
		}
		for _, m := range metrics {
			*own = f.with(*own, m)
		}
		if err := f.gather(prefix+name+".", below, def.subs, own, deeper); err != nil {
			return err
		}
	}
	return nil
}

// with adds a figure to a row. If the row has the column already, because an
// aggregation has the name of one around it, the new one gets a number.
func (f *flattener) with(row []figure, more figure) []figure {
	name := more.column
	taken := func(c figure) bool { return c.column == more.column }
	for n := 2; slices.ContainsFunc(row, taken) || f.counts && more.column == countColumn; n++ {
		more.column = name + "_" + strconv.Itoa(n)
	}
	return append(row, more)
}

// bucket adds the rows of a bucket. name is nil for a bucket of a list.
func (f *flattener) bucket(b *buckets, name any, bucket map[string]any, around []figure) error {
	if len(f.rows) >= f.limit {
		f.more = true
		return nil
	}
	row := slices.DeleteFunc(slices.Clone(around), func(c figure) bool { return c.column == countColumn })
	bucket, below := b.def.split(bucket)
	if name == nil {
		name = b.def.key(bucket)
	}
	row = f.with(row, figure{b.name, name})
	f.column(row[len(row)-1].column, f.keyType(b.def))
	f.column(countColumn, countType)
	row = append(row, figure{countColumn, strictjson.Cell(bucket["doc_count"])})
	return f.level(below, b.def.subs, row)
}

func (f *flattener) add(row []figure) {
	if len(f.rows) >= f.limit {
		f.more = true
		return
	}
	for _, c := range row {
		f.column(c.column, "")
	}
	f.rows = append(f.rows, row)
}

func (f *flattener) column(name, typ string) {
	if _, known := f.at[name]; !known {
		f.at[name] = len(f.columns)
		f.columns = append(f.columns, qed.Column{Name: name, Type: typ})
	}
}

// keyType returns the type of the keys of an aggregation's buckets, or "" if it is not
// known.
func (f *flattener) keyType(d definition) string {
	switch d.kind {
	case "date_histogram":
		return "date"
	case "terms":
		if field, ok := d.params["field"].(string); ok {
			return f.fieldType(f.search.Index(), field)
		}
	}
	return ""
}

// metrics returns the figures of an aggregation without a list of buckets.
func (f *flattener) metrics(name string, def definition, agg map[string]any) ([]figure, error) {
	if value, ok := agg["value"]; ok {
		f.checkEstimate(name, def, value)
		return []figure{{name, def.shown(value, agg["value_as_string"])}}, nil
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
		case isText(key, agg): // part of its number
		case key == "doc_count":
			out = append(out, figure{name, strictjson.Cell(value)})
		case slices.Contains(moments, key):
			out = append(out, figure{name + "." + key, def.shown(value, agg[key+asString])})
		default:
			out = append(out, figure{name + "." + key, strictjson.Cell(value)})
		}
	}
	return out, nil
}

const asString = "_as_string"

// isText reports whether a member is the text of another member.
func isText(key string, all map[string]any) bool {
	of, ok := strings.CutSuffix(key, asString)
	return ok && all[of] != nil
}

// moments are the members of statistics that are times if the values are times. Engines
// also write the sum and the variance as times, which means nothing.
var moments = []string{"min", "max", "avg"}

// documents returns the documents of a top_hits as JSON.
func (f *flattener) documents(found map[string]any) (any, error) {
	list, _ := found["hits"].([]any)
	var docs []any
	for _, h := range list {
		hit, _ := h.(map[string]any)
		source, err := strictjson.Encode(hit["_source"])
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
	return strictjson.Cell(docs), nil
}
