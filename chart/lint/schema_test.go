package lint_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/chart"
	"github.com/qedkit/qed/chart/lint"
	"github.com/qedkit/qed/refusal"
)

// TestSchema has specs whose names and types are right, and that only the JSON
// schema of Vega-Lite refuses, each with one that it allows.
func TestSchema(t *testing.T) {
	const bar = `{"mark":"bar","encoding":{"x":{"field":"port"},"y":{"field":"delay","aggregate":"sum"}}%s}`
	for name, tt := range map[string]struct {
		spec, bad, good string // the last two are put into spec
		want            refusal.Problem
	}{
		"a value of a property": {
			`{"mark":{"type":"boxplot","extent":%s},"encoding":{"y":{"field":"delay","type":"quantitative"}}}`, `"iqr"`, `"min-max"`,
			refusal.Problem{Code: lint.ErrMalformed, Path: "/mark/extent", Candidates: []string{"min-max"},
				Message: "Vega-Lite does not allow the value: it has to be of type number"},
		},
		"a word": {
			bar, `,"resolve":{"scale":{"x":"separate"}}`, `,"resolve":{"scale":{"x":"independent"}}`,
			refusal.Problem{Code: lint.ErrUnknownName, Path: "/resolve/scale/x", Candidates: []string{"independent", "shared"},
				Message: `there is no value "separate"`},
		},
		"a property": {
			bar, `,"resolve":{"scales":{"x":"shared"}}`, `,"resolve":{"scale":{"x":"shared"}}`,
			refusal.Problem{Code: lint.ErrUnknownName, Path: "/resolve/scales", Candidates: []string{"scale"},
				Message: `there is no property "scales"`},
		},
		"a type": {
			bar, `,"description":5`, `,"description":"Delays"`,
			refusal.Problem{Code: lint.ErrMalformed, Path: "/description",
				Message: "Vega-Lite does not allow the value: it has to be of type string"},
		},
		"an order": {
			`{"mark":"bar","encoding":{"x":{"field":"port","sort":%s},"y":{"field":"delay","aggregate":"sum"}}}`, `"desc"`, `null`,
			refusal.Problem{Code: lint.ErrUnknownName, Path: "/encoding/x/sort", Candidates: []string{"descending"}, Message: `there is no value "desc"`},
		},
		"a word of another library": {
			`{"mark":"bar","encoding":{"x":{"field":"port"},"y":{"field":"delay","aggregate":%s}}}`, `"avg"`, `"mean"`,
			refusal.Problem{Code: lint.ErrUnknownName, Path: "/encoding/y/aggregate", Candidates: []string{"mean"}, Message: `there is no value "avg"`},
		},
		"a channel": {
			`{"mark":"bar","encoding":{"x":%s,"y":{"field":"delay","aggregate":"sum"}}}`, `"port:N"`, `{"field":"port","type":"nominal"}`,
			refusal.Problem{Code: lint.ErrMalformed, Path: "/encoding/x",
				Message: `Vega-Lite does not allow the value: it has to be of type object, such as {"field": "name"}`},
		},
		"a number of bins": {
			`{"mark":"bar","encoding":{"x":{"field":"delay","bin":%s},"y":{"aggregate":"count"}}}`, `10`, `{"maxbins":10}`,
			refusal.Problem{Code: lint.ErrMalformed, Path: "/encoding/x/bin",
				Message: `Vega-Lite does not allow the value: write true, or {"maxbins": 10}`},
		},
		"a width in quotation marks": {
			bar, `,"width":"400"`, `,"width":400`,
			refusal.Problem{Code: lint.ErrMalformed, Path: "/width",
				Message: "Vega-Lite does not allow the value: it has to be of type number, without quotation marks"},
		},
		"a time unit in other words": {
			`{"mark":"bar","encoding":{"x":{"field":"arrived","timeUnit":%s},"y":{"aggregate":"count"}}}`, `"monthly"`, `"yearmonth"`,
			refusal.Problem{Code: lint.ErrUnknownName, Path: "/encoding/x/timeUnit", Candidates: []string{"yearmonth"}, Message: `there is no value "monthly"`},
		},
		"a time unit of several": {
			`{"mark":"bar","encoding":{"x":{"field":"arrived","timeUnit":%s},"y":{"aggregate":"count"}}}`, `"months"`, `"month"`,
			refusal.Problem{Code: lint.ErrUnknownName, Path: "/encoding/x/timeUnit", Candidates: []string{"month"}, Message: `there is no value "months"`},
		},
		"a mark next to layers": {
			`{%s"layer":[{"mark":"bar","encoding":{"x":{"field":"port"},"y":{"aggregate":"count"}}}]}`, `"mark":"bar",`, ``,
			refusal.Problem{Code: lint.ErrMalformed, Message: "a view has one of mark and layer: put the others into a view of their own"},
		},
		"a mark next to rows of charts": {
			`{%s"hconcat":[{"mark":"bar","encoding":{"x":{"field":"port"},"y":{"aggregate":"count"}}}]}`, `"mark":"bar",`, ``,
			refusal.Problem{Code: lint.ErrMalformed, Message: "a view has one of mark and hconcat: put the others into a view of their own"},
		},
		"a missing property": {
			bar, `,"transform":[{"filter":{"field":"delay"}}]`, `,"transform":[{"filter":{"field":"delay","gt":1}}]`,
			refusal.Problem{Code: lint.ErrMalformed, Path: "/transform/0/filter", Message: "it needs equal or gt or gte or lt or lte or oneOf or range or valid"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			check := func(part string) error {
				_, err := lint.Check(t.Context(), fmt.Appendf(nil, tt.spec, part), shipments(t), lint.Options{})
				return err
			}
			if err := check(tt.good); err != nil {
				t.Errorf("the good one: %v", err)
			}
			refused, ok := errors.AsType[*refusal.Error](check(tt.bad))
			if !ok {
				t.Fatal("it was accepted")
			}
			if diff := cmp.Diff([]refusal.Problem{tt.want}, refused.Problems); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// style returns the config of a spec.
func style(t *testing.T, s *chart.Spec) map[string]any {
	t.Helper()
	var spec map[string]any
	if err := json.Unmarshal(s.JSON, &spec); err != nil {
		t.Fatal(err)
	}
	if spec["background"] != nil {
		t.Errorf("the background is %v", spec["background"])
	}
	config, _ := spec["config"].(map[string]any)
	return config
}

func TestHouseStyle(t *testing.T) {
	spec := []byte(`{"config":{"axis":{"labelColor":"white"}},"background":"black","mark":"bar","encoding":{"x":{"field":"port"},"y":{"aggregate":"count"}}}`)
	usual, err := lint.Check(t.Context(), spec, shipments(t), lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	config := style(t, usual)
	axis, _ := config["axis"].(map[string]any)
	colors, _ := config["range"].(map[string]any)["category"].([]any)
	if len(axis) == 0 || axis["labelColor"] != nil {
		t.Errorf("the axis is %v", axis)
	}
	slices.SortFunc(colors, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
	if len(slices.Compact(colors)) != 20 { // as many as a chart may have
		t.Errorf("the colors are %v", colors)
	}

}

func TestKind(t *testing.T) {
	x, y := `"x":{"field":"arrived","type":"temporal"}`, `"y":{"field":"delay","type":"quantitative"}`
	mark := func(mark string) string { return `{"mark":"` + mark + `","encoding":{` + x + `,` + y + `}}` }
	layers := `{"layer":[` + mark("line") + `,` + mark("point") + `]}`
	for _, tt := range []struct {
		kind chart.Kind
		spec string
		want refusal.Code // empty: accepted
	}{
		{"", mark("bar"), ""},
		{chart.Bar, mark("bar"), ""},
		{chart.Bar, mark("line"), lint.ErrOtherKind},
		{chart.Line, mark("line"), ""},
		{chart.Line, layers, ""},
		{chart.Scatter, layers, ""},
		{chart.Area, layers, lint.ErrOtherKind},
		{chart.Area, mark("area"), ""},
		{chart.Histogram, mark("bar"), ""},
		{chart.Histogram, mark("point"), lint.ErrOtherKind},
		{chart.Box, mark("boxplot"), ""},
		{chart.Box, mark("bar"), lint.ErrOtherKind},
		{"pictogram", mark("bar"), lint.ErrUnknownName},
	} {
		s, err := lint.Check(t.Context(), []byte(tt.spec), shipments(t), lint.Options{Kind: tt.kind})
		switch {
		case tt.want != "":
			if !errors.Is(err, tt.want) {
				t.Errorf("%s for %s: %v", tt.spec, tt.kind, err)
			}
		case err != nil:
			t.Errorf("%s for %s: %v", tt.spec, tt.kind, err)
		case s.Kind != tt.kind:
			t.Errorf("%s is a %s", tt.spec, s.Kind)
		}
	}
}

func TestTitle(t *testing.T) {
	const spec = `{"mark":"bar","encoding":{"x":{"field":"port"},"y":{"aggregate":"count"}}%s}`
	for title, want := range map[string]string{
		``:                              `"Ports"`,
		`,"title":"Another"`:            `"Ports"`,
		`,"title":["Several","lines"]`:  `"Ports"`,
		`,"title":{"text":"x","dx":12}`: `{"dx":12,"text":"Ports"}`,
	} {
		s, err := lint.Check(t.Context(), fmt.Appendf(nil, spec, title), shipments(t), lint.Options{Title: "Ports"})
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Title json.RawMessage }
		if err := json.Unmarshal(s.JSON, &got); err != nil {
			t.Fatal(err)
		}
		if string(got.Title) != want || s.Title != "Ports" {
			t.Errorf("%s: the title is %s", title, got.Title)
		}
	}
}
