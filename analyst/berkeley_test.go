package analyst_test

import (
	"encoding/json"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/qedkit/qed/analyst"
	"github.com/qedkit/qed/analyst/claims"
	"github.com/qedkit/qed/analyst/dataset"
	"github.com/qedkit/qed/analyst/tabular"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// berkeley returns the applications of the six largest departments of Berkeley in 1973,
// one row each.
func berkeley(t *testing.T) analyst.Data {
	t.Helper()
	var text strings.Builder
	text.WriteString("department,gender,admitted\n")
	for _, row := range []struct {
		department, gender string
		yes, no            int
	}{
		{"A", "men", 512, 313}, {"B", "men", 353, 207}, {"C", "men", 120, 205}, {"D", "men", 138, 279}, {"E", "men", 53, 138}, {"F", "men", 22, 351},
		{"A", "women", 89, 19}, {"B", "women", 17, 8}, {"C", "women", 202, 391}, {"D", "women", 131, 244}, {"E", "women", 94, 299}, {"F", "women", 24, 317},
	} {
		text.WriteString(strings.Repeat(row.department+","+row.gender+",yes\n", row.yes))
		text.WriteString(strings.Repeat(row.department+","+row.gender+",no\n", row.no))
	}
	d, err := dataset.Load(t.Context(), strings.NewReader(text.String()), &tabular.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return analyst.Data{DB: d.DB, Policy: d.Policy, Dialect: sqlite.Dialect{}}
}

// The known answer of Berkeley: men are admitted more often, and within the departments
// it is the other way round.
func TestBerkeley(t *testing.T) {
	result := oneOf(t, berkeley(t), "validateAnalysis", object{
		"finding":      "Men are admitted more often than women.",
		"relatedQuery": "SELECT gender, avg(admitted = 'yes') AS share FROM t_parsed GROUP BY gender",
		"claim": object{"causal": false, "kind": "shares", "metric": "admitted", "outcome": "yes", "by": "gender",
			"groups": []string{"men", "women"}, "comparison": "more"},
	})
	var out struct{ Report claims.Report }
	result = result[strings.Index(result, "{") : strings.LastIndex(result, "}")+1] // what frames it is not JSON
	if err := json.Unmarshal([]byte(result), &out); err != nil {
		t.Fatalf("%v in %s", err, result)
	}
	if out.Report.Verdict != dates.Contradicted || out.Report.Rows != 4526 || !strings.Contains(out.Report.Text, "Simpson's paradox") {
		t.Errorf("%s, %d rows: %s", out.Report.Verdict, out.Report.Rows, out.Report.Text)
	}
	for _, c := range out.Report.Checks {
		if c.Name != claims.CheckSimpson {
			continue
		}
		if before, after := c.Figures["before"], c.Figures["after"]; math.Abs(before-0.1416) > 5e-5 || math.Abs(after+0.0184) > 5e-5 {
			t.Errorf("the difference is %v, and %v within the departments", before, after)
		}
		return
	}
	t.Errorf("there is no check for Simpson's paradox: %+v", out.Report.Checks)
}

// Each kind of chart can be drawn.
func TestChartKinds(t *testing.T) {
	quantitative := func(field string) object { return object{"field": field, "type": "quantitative"} }
	nominal := func(field string) object { return object{"field": field, "type": "nominal"} }
	counts := "SELECT department, count(*) AS n FROM t_parsed GROUP BY department ORDER BY department"
	rows := "SELECT row_number() OVER (ORDER BY department, gender) AS i, length(admitted) AS size, department FROM t_parsed LIMIT 900"
	for kind, test := range map[string]struct {
		query string
		spec  object
	}{
		"bar":       {counts, object{"mark": "bar", "encoding": object{"x": nominal("department"), "y": quantitative("n")}}},
		"line":      {rows, object{"mark": "line", "encoding": object{"x": quantitative("i"), "y": quantitative("size")}}},
		"area":      {rows, object{"mark": "area", "encoding": object{"x": quantitative("i"), "y": quantitative("size")}}},
		"scatter":   {rows, object{"mark": "point", "encoding": object{"x": quantitative("i"), "y": quantitative("size")}}},
		"histogram": {rows, object{"mark": "bar", "encoding": object{"x": object{"field": "i", "type": "quantitative", "bin": true}, "y": object{"aggregate": "count", "type": "quantitative"}}}},
		"boxplot":   {rows, object{"mark": "boxplot", "encoding": object{"x": nominal("department"), "y": quantitative("i")}}},
	} {
		arguments := object{"chartType": kind, "title": "T", "sqlQuery": test.query, "spec": test.spec}
		if result := oneOf(t, berkeley(t), "createVisualization", arguments); !strings.Contains(result, `"success":true`) {
			t.Errorf("%s: %s", kind, result)
		}
		if kind == "bar" {
			continue
		}
		arguments["chartType"] = "bar"
		if result := oneOf(t, berkeley(t), "createVisualization", arguments); kind != "histogram" && !strings.Contains(result, `"success":false`) {
			t.Errorf("%s is taken for bars: %s", kind, result)
		}
	}
}

// A spec that loads data, or has a link, is refused. Without these parts it is drawn.
func TestHostileCharts(t *testing.T) {
	for name, part := range map[string]object{
		"nothing":    {},
		"url":        {"data": object{"url": "https://example.com/x.csv"}},
		"values":     {"data": object{"values": []object{{"department": "Z", "n": 1}}}},
		"lookup":     {"transform": []object{{"lookup": "department", "from": object{"data": object{"url": "x"}, "key": "a", "fields": []string{"b"}}}}},
		"image":      {"mark": object{"type": "image", "url": "https://example.com/x.png"}},
		"href":       {"mark": object{"type": "bar", "href": "javascript:alert(1)"}},
		"expression": {"transform": []object{{"calculate": "datum.department + 'x'", "as": "y"}}},
		"signal":     {"params": []object{{"name": "p", "expr": "while(true)"}}},
	} {
		spec := object{"mark": "bar", "encoding": object{
			"x": object{"field": "department", "type": "nominal"}, "y": object{"field": "n", "type": "quantitative"},
		}}
		maps.Copy(spec, part)
		result := oneOf(t, berkeley(t), "createVisualization", object{"chartType": "bar", "title": "T", "spec": spec,
			"sqlQuery": "SELECT department, count(*) AS n FROM t_parsed GROUP BY department"})
		if drawn := strings.Contains(result, `"success":true`); drawn != (name == "nothing") {
			t.Errorf("%s: %s", name, result)
		}
	}
}
