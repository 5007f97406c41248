package tabular_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/analyst/tabular"
)

func TestJSON(t *testing.T) {
	type kinds = []tabular.WarningKind
	for _, test := range []struct {
		name, text string
		names      []string
		rows       [][]any
		warns      kinds
	}{
		{"rows in an object", `{"count":2,"data":[{"a":1},{"a":2}],"next":null}`, []string{"a"}, [][]any{{int64(1)}, {int64(2)}}, kinds{tabular.Header}},
		{"hits of a search", `{"took":3,"hits":{"total":{"value":1},"hits":[{"_id":"x","_source":{"a":1,"b":{"c":"y"}}}]}}`,
			[]string{"_id", "_source.a", "_source.b.c"}, [][]any{{"x", int64(1), "y"}}, kinds{tabular.Header}},
		{"GeoJSON", `{"type":"FeatureCollection","bbox":[1,2],"features":[{"type":"Feature","properties":{"name":"x"},"geometry":{"type":"Point","coordinates":[1.5,2]}}]}`,
			[]string{"type", "properties.name", "geometry.type", "geometry.coordinates"}, [][]any{{"Feature", "x", "Point", "[1.5,2]"}}, kinds{tabular.Header}},
		{"a description of columns", `{"schema":{"fields":[{"name":"a"}]},"data":[{"a":1}]}`, []string{"a"}, [][]any{{int64(1)}}, kinds{tabular.Header}},
		{"rows that are called fields", `{"fields":[{"a":1}],"total":1}`, []string{"a"}, [][]any{{int64(1)}}, kinds{tabular.Header}},
		{"one object with a list", `{"id":1,"tags":["x"]}`, []string{"id", "tags"}, [][]any{{int64(1), `["x"]`}}, nil},
		{"lists in lines", "{\"a\":[1]}\n{\"a\":[2]}\n", []string{"a"}, [][]any{{"[1]"}, {"[2]"}}, nil},
		{"one line with a list", "{\"id\":1,\"tags\":[{\"t\":1}]}\n{\"id\":2,\"tags\":[]}\n", []string{"id", "tags"},
			[][]any{{int64(1), `[{"t":1}]`}, {int64(2), "[]"}}, nil},
		{"nested objects", `[{"a":{"b":1,"c":{"d":"x"}}},{"a":{"b":2},"e":{}}]`, []string{"a.b", "a.c.d", "e"},
			[][]any{{int64(1), "x", nil}, {int64(2), nil, "{}"}}, nil},
		{"MongoDB", `[{"_id":{"$oid":"65a0"},"n":{"$numberLong":"9007199254740993"},"d":{"$numberDecimal":"1.50"},"at":{"$date":"2026-01-02T03:04:05Z"}},` +
			`{"_id":{"$oid":"65a1"},"n":{"$numberLong":"5"},"d":{"$numberDecimal":"2"},"at":{"$date":{"$numberLong":"1767323045000"}}}]`,
			[]string{"_id", "n", "d", "at"}, [][]any{{"65a0", int64(9007199254740993), 1.5, "2026-01-02T03:04:05.000Z"}, {"65a1", int64(5), 2.0, "2026-01-02T03:04:05.000Z"}},
			kinds{tabular.Converted}},
		{"values that look like MongoDB's", `[{"a":{"$date":{"$numberLong":""}},"b":{"$oid":{"x":1}},"c":{"$numberLong":"x"},"d":{"$date":null}}]`,
			[]string{"a.$date", "b.$oid.x", "c", "d.$date"}, [][]any{{nil, int64(1), "x", nil}}, nil},
		{"NaN", `[{"a":NaN,"b":"NaN \" NaN"},{"a":-Infinity,"b":"x"},{"a":1,"b":"y"}]`, []string{"a", "b"},
			[][]any{{nil, `NaN " NaN`}, {nil, "x"}, {int64(1), "y"}}, kinds{tabular.Converted}},
		{"last line cut off", "{\"a\":1}\n{\"a\":2}\n{\"a\":", []string{"a"}, [][]any{{int64(1)}, {int64(2)}}, kinds{tabular.Ragged}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := load(t, test.text, nil)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, c := range d.Columns {
				names = append(names, c.Name)
			}
			var warns kinds
			for _, w := range d.Warnings {
				warns = append(warns, w.Kind)
			}
			if diff := cmp.Diff(test.names, names) + cmp.Diff(test.rows, d.rows) + cmp.Diff(test.warns, warns); diff != "" {
				t.Errorf("%s%v", diff, d.Warnings)
			}
		})
	}
}
