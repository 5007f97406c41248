package lint_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/chart"
	"github.com/qedkit/qed/chart/lint"
	"github.com/qedkit/qed/refusal"
)

func shipments(t testing.TB) *qed.Table {
	rows := table(t, "port|arrived|delay|a.b|year|image|code", nil...)
	for i := range 30 {
		if err := rows.Append([]string{"Miami", "Oslo", "Riga"}[i%3], fmt.Sprintf("2025-01-%02d", 1+i), i%7, i, 2020+i%5, "https://example.com/x.png", fmt.Sprint("C", i)); err != nil {
			t.Fatal(err)
		}
	}
	return rows
}

// data returns the rows in a spec.
func data(t testing.TB, s *chart.Spec) []map[string]any {
	t.Helper()
	var spec struct {
		Data struct{ Values []map[string]any }
	}
	if err := json.Unmarshal(s.JSON, &spec); err != nil {
		t.Fatal(err)
	}
	return spec.Data.Values
}

func TestAccepts(t *testing.T) {
	for name, spec := range map[string]string{
		"a bar":                        `{"mark":"bar","encoding":{"x":{"field":"port","type":"nominal"},"y":{"field":"delay","aggregate":"mean","type":"quantitative"}}}`,
		"a title about code":           `{"title":{"text":"JavaScript: how often url() is called","subtitle":"javascript:"},"mark":"bar","encoding":{"x":{"field":"port","title":"url(x)"},"y":{"aggregate":"count"}}}`,
		"another version":              `{"$schema":"https://vega.github.io/schema/vega-lite/v5.json","mark":"bar","encoding":{"x":{"field":"port"},"y":{"aggregate":"count"}}}`,
		"named data":                   `{"data":{"name":"rows"},"mark":"point","encoding":{"x":{"field":"delay"}}}`,
		"an invalid path":              `{"mark":"point","encoding":{"x":{"field":"a\\.b","type":"quantitative"}}}`,
		"a time unit":                  `{"mark":"line","encoding":{"x":{"field":"arrived","timeUnit":"utcyearmonthdate","type":"temporal"},"y":{"field":"delay","aggregate":"sum"}}}`,
		"min of a date":                `{"mark":"bar","encoding":{"x":{"field":"port"},"y":{"field":"arrived","aggregate":"min","type":"temporal"}}}`,
		"count of texts":               `{"mark":"bar","encoding":{"x":{"field":"port"},"y":{"field":"code","aggregate":"distinct"}}}`,
		"layers":                       `{"layer":[{"mark":"line","encoding":{"x":{"field":"arrived","type":"temporal"},"y":{"field":"delay","type":"quantitative"}}},{"mark":"rule","encoding":{"y":{"datum":4}}}]}`,
		"a zoom":                       `{"params":[{"name":"grid","select":"interval","bind":"scales"}],"mark":"point","encoding":{"x":{"field":"delay","type":"quantitative"}}}`,
		"a brush":                      `{"params":[{"name":"brush","select":{"type":"interval","encodings":["x"]}}],"mark":"bar","encoding":{"x":{"field":"delay","bin":true},"y":{"aggregate":"count"},"opacity":{"condition":{"param":"brush","value":1},"value":0.3}}}`,
		"a filter and a window":        `{"transform":[{"filter":{"field":"delay","gt":1}},{"window":[{"op":"rank","as":"rank"}],"sort":[{"field":"delay","order":"descending"}]},{"filter":{"field":"rank","lte":5}}],"mark":"bar","encoding":{"x":{"field":"code","type":"nominal"},"y":{"field":"delay","type":"quantitative"}}}`,
		"an aggregate as a transform":  `{"transform":[{"aggregate":[{"op":"mean","field":"delay","as":"average"}],"groupby":["port"]}],"mark":"bar","encoding":{"x":{"field":"port"},"y":{"field":"average","type":"quantitative"}}}`,
		"small charts":                 `{"mark":"point","encoding":{"x":{"field":"delay","type":"quantitative"},"facet":{"field":"port","columns":2}}}`,
		"a condition with a predicate": `{"mark":{"type":"bar","cornerRadius":2},"encoding":{"x":{"field":"port"},"y":{"field":"delay","aggregate":"max"},"color":{"condition":{"test":{"field":"delay","gt":3},"value":"red"},"value":"#ccc"}}}`,
		"a style":                      `{"config":{"axis":{"grid":false},"bar":{"color":"teal"}},"title":{"text":"Delays","subtitle":"by port"},"width":"container","mark":"bar","encoding":{"x":{"field":"port","axis":{"labelAngle":-45,"title":null}},"y":{"field":"delay","aggregate":"sum","scale":{"zero":true}}}}`,
		"a tooltip with a title":       `{"mark":"point","encoding":{"x":{"field":"delay","type":"quantitative"},"tooltip":[{"field":"image","title":"Image"}]}}`,
		"years as categories":          `{"mark":"bar","encoding":{"x":{"field":"year","type":"ordinal"},"y":{"aggregate":"count"}}}`,
		"a box":                        `{"mark":{"type":"boxplot","extent":"min-max"},"encoding":{"y":{"field":"delay","type":"quantitative"},"x":{"field":"port"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			s, err := lint.Check(t.Context(), []byte(spec), shipments(t), lint.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if n := len(data(t, s)); n != 30 {
				t.Errorf("it has %d rows", n)
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	bar := func(more string) string {
		return `{"mark":"bar","encoding":{"x":{"field":"port"},"y":{"field":"delay","aggregate":"sum"}}` + more + `}`
	}
	x := func(def string) string {
		return `{"mark":"bar","encoding":{"x":` + def + `,"y":{"aggregate":"count"}}}`
	}
	color := func(def string) string {
		return `{"mark":"point","encoding":{"x":{"field":"delay"},"color":` + def + `}}`
	}
	for name, tt := range map[string]struct {
		spec string
		code refusal.Code
		path string
	}{
		"no JSON":                    {`{"mark":`, lint.ErrInvalidJSON, ""},
		"a list":                     {`[]`, lint.ErrInvalidJSON, ""},
		"two specs":                  {`{} {}`, lint.ErrInvalidJSON, ""},
		"a key twice":                {`{"mark":"bar","mark":"image"}`, lint.ErrInvalidJSON, "/mark"},
		"too deep":                   {`{"mark":` + strings.Repeat("[", 60) + strings.Repeat("]", 60) + `}`, lint.ErrTooLarge, "/mark" + strings.Repeat("/0", 39)},
		"nothing to draw":            {`{"title":"x"}`, lint.ErrMalformed, ""},
		"a mark without fields":      {`{"mark":"bar"}`, lint.ErrNoData, ""},
		"no such mark":               {`{"mark":"bars","encoding":{"x":{"field":"port"}}}`, lint.ErrUnknownName, "/mark"},
		"no such channel":            {`{"mark":"bar","encoding":{"xx":{"field":"port"}}}`, lint.ErrUnknownName, "/encoding/xx"},
		"no such property":           {bar(`,"colour":"red"`), lint.ErrUnknownName, "/colour"},
		"no such mark property":      {`{"mark":{"type":"bar","onclick":"x"},"encoding":{"x":{"field":"port"}}}`, lint.ErrUnknownName, "/mark/onclick"},
		"no such field":              {x(`{"field":"ports"}`), lint.ErrUnknownField, "/encoding/x/field"},
		"a field read as a path":     {x(`{"field":"a.b"}`), lint.ErrFieldPath, "/encoding/x/field"},
		"texts as numbers":           {x(`{"field":"port","type":"quantitative"}`), lint.ErrFieldType, "/encoding/x/type"},
		"texts as dates":             {x(`{"field":"port","type":"temporal"}`), lint.ErrFieldType, "/encoding/x/type"},
		"years as dates":             {x(`{"field":"year","type":"temporal"}`), lint.ErrFieldType, "/encoding/x/type"},
		"bins of texts":              {x(`{"field":"port","bin":true}`), lint.ErrFieldType, "/encoding/x/bin"},
		"the month of a number":      {x(`{"field":"delay","timeUnit":"month"}`), lint.ErrFieldType, "/encoding/x/timeUnit"},
		"the mean of texts":          {x(`{"field":"port","aggregate":"mean"}`), lint.ErrAggregateType, "/encoding/x/aggregate"},
		"the mean of dates":          {x(`{"field":"arrived","aggregate":"mean"}`), lint.ErrAggregateType, "/encoding/x/aggregate"},
		"no such aggregate":          {x(`{"field":"delay","aggregate":"avg"}`), lint.ErrUnknownName, "/encoding/x/aggregate"},
		"an aggregate of nothing":    {x(`{"aggregate":"mean"}`), lint.ErrMalformed, "/encoding/x"},
		"too many colours":           {color(`{"field":"code","type":"nominal"}`), lint.ErrTooManyCategories, "/encoding/color"},
		"data from elsewhere":        {bar(`,"data":{"url":"https://example.com/x.csv"}`), lint.ErrExternal, "/data/url"},
		"values of its own":          {bar(`,"data":{"values":[{"port":"Miami","delay":99}]}`), lint.ErrForeignData, "/data/values"},
		"datasets":                   {bar(`,"datasets":{"a":[]}`), lint.ErrForeignData, "/datasets"},
		"endless data":               {bar(`,"data":{"sequence":{"start":0,"stop":1e12}}`), lint.ErrForeignData, "/data/sequence"},
		"data of another place":      {bar(`,"transform":[{"lookup":"port","from":{"data":{"url":"x"},"key":"a","fields":["b"]}}]`), lint.ErrForeignData, "/transform/0/lookup"},
		"an expression":              {bar(`,"transform":[{"calculate":"datum.delay*2","as":"d"}]`), lint.ErrExpression, "/transform/0/calculate"},
		"a filter as an expression":  {bar(`,"transform":[{"filter":"datum.delay>2"}]`), lint.ErrExpression, "/transform/0/filter"},
		"a test as an expression":    {color(`{"condition":{"test":"datum.delay>2","value":"red"},"value":"blue"}`), lint.ErrExpression, "/encoding/color/condition/test"},
		"a label as an expression":   {x(`{"field":"port","axis":{"labelExpr":"datum.label"}}`), lint.ErrExpression, "/encoding/x/axis/labelExpr"},
		"a width as a signal":        {bar(`,"width":{"signal":"x"}`), lint.ErrExpression, "/width/signal"},
		"a mark's expression":        {`{"mark":{"type":"bar","color":{"expr":"x"}},"encoding":{"x":{"field":"port"}}}`, lint.ErrExpression, "/mark/color/expr"},
		"a parameter's expression":   {bar(`,"params":[{"name":"p","expr":"1+1"}]`), lint.ErrExpression, "/params/0/expr"},
		"a slider":                   {bar(`,"params":[{"name":"p","value":1,"bind":{"input":"range","element":"#x"}}]`), lint.ErrUnsupported, "/params/0/bind"},
		"events with a filter":       {bar(`,"params":[{"name":"p","select":{"type":"point","on":"click[event.altKey]"}}]`), lint.ErrExpression, "/params/0/select/on"},
		"a name that is code":        {bar(`,"params":[{"name":"p;x","select":"point"}]`), lint.ErrMalformed, "/params/0/name"},
		"an invalid parameter":       {color(`{"condition":{"param":"brush","value":"red"},"value":"blue"}`), lint.ErrUnknownName, "/encoding/color/condition/param"},
		"a link":                     {`{"mark":"point","encoding":{"x":{"field":"delay"},"href":{"field":"image"}}}`, lint.ErrExternal, "/encoding/href"},
		"a link of a mark":           {`{"mark":{"type":"point","href":"https://example.com"},"encoding":{"x":{"field":"delay"}}}`, lint.ErrExternal, "/mark/href"},
		"an image":                   {`{"mark":"image","encoding":{"x":{"field":"delay"},"url":{"field":"image"}}}`, lint.ErrExternal, "/encoding/url"},
		"an image in a tooltip":      {`{"mark":"point","encoding":{"x":{"field":"delay"},"tooltip":[{"field":"image"}]}}`, lint.ErrExternal, "/encoding/tooltip/0/field"},
		"a title that is an image":   {`{"mark":"point","encoding":{"x":{"field":"delay"},"tooltip":[{"field":"code","title":"image"}]}}`, lint.ErrExternal, "/encoding/tooltip/0/title"},
		"a title that breaks out":    {x(`{"field":"port","title":"a\\\": now(), \""}`), lint.ErrExpression, "/encoding/x/title"},
		"a tooltip of all the rows":  {`{"mark":{"type":"point","tooltip":{"content":"data"}},"encoding":{"x":{"field":"delay"}}}`, lint.ErrUnsupported, "/mark/tooltip/content"},
		"a colour that loads":        {`{"mark":{"type":"bar","fill":"URL(https://example.com/x)"},"encoding":{"x":{"field":"port"}}}`, lint.ErrExternal, "/mark/fill"},
		"what embeds obey":           {bar(`,"usermeta":{"embedOptions":{"loader":{}}}`), lint.ErrExternal, "/usermeta"},
		"functions of the page":      {x(`{"field":"port","axis":{"formatType":"evil"}}`), lint.ErrExpression, "/encoding/x/axis/formatType"},
		"a domain as an expression":  {x(`{"field":"delay","scale":{"domainRaw":{"expr":"d"}}}`), lint.ErrExpression, "/encoding/x/scale/domainRaw"},
		"animation":                  {`{"mark":{"type":"bar","time":1},"encoding":{"x":{"field":"port"}}}`, lint.ErrUnsupported, "/mark/time"},
		"a repeated view":            {`{"repeat":["delay","a\\.b"],"spec":{"mark":"bar","encoding":{"x":{"field":{"repeat":"repeat"}}}}}`, lint.ErrUnsupported, "/repeat"},
		"endless bins":               {x(`{"field":"delay","bin":{"step":1e-9}}`), lint.ErrTooLarge, "/encoding/x/bin/step"},
		"endless ticks":              {x(`{"field":"arrived","type":"temporal","axis":{"tickCount":{"interval":"second","step":1}}}`), lint.ErrTooLarge, "/encoding/x/axis/tickCount"},
		"endless rows":               {bar(`,"transform":[` + strings.Repeat(`{"fold":["port","delay","year","code","arrived"]},`, 9) + `{"fold":["port"]}]`), lint.ErrTooLarge, "/transform/5"},
		"a wide chart":               {bar(`,"width":1e9`), lint.ErrMalformed, "/width"},
		"another language":           {bar(`,"$schema":"https://vega.github.io/schema/vega/v5.json"`), lint.ErrUnsupported, "/$schema"},
		"an invalid type":            {x(`{"field":"port","type":"category"}`), lint.ErrUnknownName, "/encoding/x/type"},
		"a property of another type": {x(`{"field":"port","axis":{"labelAngle":"steep"}}`), lint.ErrMalformed, "/encoding/x/axis/labelAngle"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := lint.Check(t.Context(), []byte(tt.spec), shipments(t), lint.Options{})
			if err == nil {
				t.Fatal("it was accepted")
			}
			var refused *refusal.Error
			if !errors.As(err, &refused) {
				t.Fatalf("the error is %v", err)
			}
			for _, p := range refused.Problems {
				if p.Code == tt.code && (p.Path == tt.path || tt.code == lint.ErrTooLarge) {
					return
				}
			}
			t.Errorf("want %s at %s: %+v", tt.code, tt.path, refused.Problems)
		})
	}
}

func TestLimits(t *testing.T) {
	spec := []byte(`{"mark":"bar","encoding":{"x":{"field":"port"},"y":{"aggregate":"count"}}}`)
	rows := &qed.Table{Columns: []qed.Column{{Name: "port"}}}
	for range 5001 {
		rows.Rows = append(rows.Rows, []any{"Miami"})
	}
	if _, err := lint.Check(t.Context(), spec, rows, lint.Options{}); err == nil || codes(t, err)[0] != lint.ErrTooLarge {
		t.Errorf("too many rows: %v", err)
	}
	rows.Rows = [][]any{{strings.Repeat("a", 512<<10)}}
	if _, err := lint.Check(t.Context(), spec, rows, lint.Options{}); err == nil || codes(t, err)[0] != lint.ErrTooLarge {
		t.Errorf("too many bytes: %v", err)
	}
	if _, err := lint.Check(t.Context(), spec, nil, lint.Options{}); err == nil || codes(t, err)[0] != lint.ErrNoData {
		t.Errorf("without rows: %v", err)
	}
}

// TestTruncatedRows checks that a chart of the first rows does not look like one of
// all rows.
func TestTruncatedRows(t *testing.T) {
	for _, truncated := range []bool{false, true} {
		rows := shipments(t)
		rows.Truncated = truncated
		s, err := lint.Check(t.Context(), []byte(`{"mark":"bar","encoding":{"x":{"field":"port"},"y":{"aggregate":"count"}}}`), rows, lint.Options{})
		if err != nil || (len(s.Notes) > 0) != truncated {
			t.Errorf("truncated %t: %q, %v", truncated, s.Notes, err)
		}
	}
}

// TestKeepsDays: a browser reads a date without a time in UTC.
func TestKeepsDays(t *testing.T) {
	s, err := lint.Check(t.Context(), []byte(`{"mark":"point","encoding":{"x":{"field":"arrived","type":"temporal"}}}`), shipments(t), lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := data(t, s)[0]; got["arrived"] != "2025-01-01T00:00:00" || len(got) != 1 {
		t.Errorf("the first row is %v", got)
	}
}

func FuzzCheck(f *testing.F) {
	rows := shipments(f)
	for _, spec := range []string{
		`{"mark":"bar","encoding":{"x":{"field":"port"},"y":{"field":"delay","aggregate":"sum"}}}`,
		`{"layer":[{"mark":"line","encoding":{"x":{"field":"a\\.b","type":"quantitative","bin":{"step":1}}}}],"transform":[{"fold":["delay"]},{"filter":{"and":[{"field":"delay","gt":1}]}}]}`,
		`{"params":[{"name":"p","select":{"type":"point"},"bind":"legend"}],"mark":{"type":"area","line":{"color":"red"}},"encoding":{"y":{"field":"delay"},"color":{"condition":{"param":"p","value":"red"}}}}`,
		`{"data":{"values":[{"a":1}]},"facet":{"row":{"field":"a"}},"spec":{"mark":"text","encoding":{"text":{"value":"x"}}}}`,
		`{"mark":{"type":"image","url":"x"},"usermeta":{},"encoding":{"href":{"value":"javascript:x"}}}`,
	} {
		f.Add([]byte(spec))
	}
	f.Fuzz(func(t *testing.T, spec []byte) {
		s, err := lint.Check(t.Context(), spec, rows, lint.Options{})
		if err != nil {
			if _, refused := errors.AsType[*refusal.Error](err); !refused {
				t.Fatal(err)
			}
			return
		}
		var tree any
		if err := json.Unmarshal(s.JSON, &tree); err != nil {
			t.Fatal(err)
		}
		if bad := loads(tree); bad != "" {
			t.Fatalf("it may have %s: %s", bad, s.JSON)
		}
		if err := relint(s.JSON); err != nil {
			t.Fatalf("what was accepted is refused with its data: %v", err)
		}
	})
}

// loads returns a key in tree, outside of data, that loads or runs something.
func loads(tree any) string {
	switch v := tree.(type) {
	case map[string]any:
		for key, e := range v {
			switch key {
			case "url", "href", "expr", "signal", "calculate", "labelExpr", "usermeta", "lookup":
				return key
			case "values", "domain":
				continue
			}
			if bad := loads(e); bad != "" {
				return bad
			}
		}
	case []any:
		for _, e := range v {
			if bad := loads(e); bad != "" {
				return bad
			}
		}
	}
	return ""
}

// TestValues checks how cells are written for a browser: as numbers and times where
// the spec uses them so, and as they are otherwise.
func TestValues(t *testing.T) {
	tenOf := func(other any) []any {
		return []any{1, 2, 3, 4, 5, 6, 7, 8, "9.5", other, "N/A", nil}
	}
	for name, tt := range map[string]struct {
		cells []any
		typ   string
		want  []any // of the last cells
		note  string
	}{
		"numbers":           {tenOf(10), "quantitative", []any{9.5, 10.0, nil, nil}, ""},
		"numbers and text":  {tenOf("many"), "quantitative", []any{9.5, nil, nil, nil}, "1 of the 10 values of c"},
		"categories":        {tenOf("many"), "nominal", []any{"9.5", "many", "N/A", nil}, ""},
		"RFC 1123":          {[]any{"Mon, 06 Jan 2025 13:30:00 GMT"}, "temporal", []any{"2025-01-06T13:30:00Z"}, ""},
		"no zone":           {[]any{"2025-01-06 13:30", "2025-01"}, "temporal", []any{"2025-01-06T13:30:00", "2025-01-01T00:00:00"}, ""},
		"a zone":            {[]any{"2025-01-06 13:30:00+01"}, "temporal", []any{"2025-01-06T13:30:00+01:00"}, ""},
		"dates as a number": {[]any{int64(1736170200000)}, "temporal", []any{1736170200000.0}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			rows := table(t, "c")
			for _, cell := range tt.cells {
				if err := rows.Append(cell); err != nil {
					t.Fatal(err)
				}
			}
			s, err := lint.Check(t.Context(), fmt.Appendf(nil, `{"mark":"point","encoding":{"x":{"field":"c","type":%q}}}`, tt.typ), rows, lint.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []any
			for _, row := range data(t, s)[len(tt.cells)-len(tt.want):] {
				got = append(got, row["c"])
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if tt.note == "" && len(s.Notes) > 0 || tt.note != "" && !hasNote(s, tt.note) {
				t.Errorf("the notes are %q", s.Notes)
			}
		})
	}
}

// relint checks a finished spec again, with its own data as the rows.
func relint(spec []byte) error {
	var root map[string]any
	if err := json.Unmarshal(spec, &root); err != nil {
		return err
	}
	rows := &qed.Table{}
	at := map[string]int{}
	values := root["data"].(map[string]any)["values"].([]any)
	for _, v := range values {
		for name := range v.(map[string]any) {
			if _, known := at[name]; !known {
				at[name] = len(at)
				rows.Columns = append(rows.Columns, qed.Column{Name: name})
			}
		}
	}
	for _, v := range values {
		cells := make([]any, len(at))
		for name, cell := range v.(map[string]any) {
			cells[at[name]] = cell
		}
		rows.Rows = append(rows.Rows, cells)
	}
	delete(root, "data")
	bare, err := json.Marshal(root)
	if err != nil {
		return err
	}
	_, err = lint.Check(context.Background(), bare, rows, lint.Options{})
	return err
}
