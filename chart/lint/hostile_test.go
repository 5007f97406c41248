package lint_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/chart/lint"
	"github.com/qedkit/qed/refusal"
)

// codesOf returns the codes with which a spec on many rows is refused.
func codesOf(t *testing.T, spec string) []refusal.Code {
	t.Helper()
	rows := &qed.Table{}
	for _, name := range []string{"id", "n", "v", "g", "d"} {
		rows.Columns = append(rows.Columns, qed.Column{Name: name})
	}
	for i := range 1000 {
		if err := rows.Append(fmt.Sprint("id", i), i, float64(i*7919+1), []string{"a", "b", "c"}[i%3], fmt.Sprintf("2026-01-%02d", 1+i%28)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := lint.Check(t.Context(), []byte(spec), rows, lint.Options{})
	if err == nil {
		return nil
	}
	refused, ok := errors.AsType[*refusal.Error](err)
	if !ok {
		t.Fatal(err)
	}
	var codes []refusal.Code
	for _, p := range refused.Problems {
		codes = append(codes, p.Code)
	}
	return codes
}

// TestRunsNothing has styles and formats that become part of an expression, name
// a function, or load something.
func TestRunsNothing(t *testing.T) {
	point := func(more string) string {
		return `{"mark":"point","encoding":{"x":{"field":"n","type":"quantitative"},"y":{"field":"v","type":"quantitative"}}` + more + `}`
	}
	text := func(format string) string {
		return `{"mark":"text","encoding":{"text":{"field":"n","type":"quantitative","format":` + format + `}}}`
	}
	for spec, want := range map[string]refusal.Code{
		text(`"\") + warn(\"x"`):   lint.ErrExpression,
		text(`"') + warn('x"`):     lint.ErrExpression,
		text(`"\\"`):               lint.ErrExpression,
		text(`"0999999999d"`):      lint.ErrTooLarge,
		text(`",.2f"`):             "",
		text(`"$,.0f"`):            "",
		text(`{"year":"%Y'+1+'"}`): lint.ErrExpression,
		`{"mark":"line","encoding":{"x":{"field":"d","type":"temporal","axis":{"format":"%b') + warn('"}},"y":{"field":"v","type":"quantitative"}}}`:             lint.ErrExpression,
		`{"mark":"line","encoding":{"x":{"field":"d","timeUnit":"yearmonth","type":"temporal","axis":{"format":"%b %Y"}},"y":{"field":"v","aggregate":"mean"}}}`: "",
		point(`,"config":{"numberFormat":"\") + warn(\""}`):                                                                                                                  "",
		point(`,"config":{"timeFormat":"%Y-%m-%d","numberFormat":",.1f"}`):                                                                                                   "",
		point(`,"config":{"tooltipFormat":{"numberFormatType":"evil"}}`):                                                                                                     "",
		point(`,"params":[{"name":"p","select":"point"}],"config":{"selection":{"point":{"toggle":"warn(event)"}}}`):                                                         "",
		point(`,"params":[{"name":"p","select":"interval"}],"config":{"selection":{"interval":{"on":"[mousedown[warn(1)], mouseup] > mousemove"}}}`):                         "",
		point(`,"params":[{"name":"p","select":"interval"}],"config":{"selection":{"interval":{"mark":{"fill":"#333","fillOpacity":0.1}},"point":{"on":"pointerover"}}}`):    "",
		point(`,"params":[{"name":"p","select":"point"}],"transform":[{"filter":{"param":{"and":["p","q"]}}}]`):                                                              lint.ErrMalformed,
		point(`,"params":[{"name":"p","select":"point"}],"transform":[{"filter":{"param":{"not":"p"}}}]`):                                                                    lint.ErrMalformed,
		point(`,"params":[{"name":"p","select":"point"}],"transform":[{"filter":{"not":{"param":"p"}}}]`):                                                                    "",
		point(`,"params":[{"name":"p","select":"point"}],"transform":[{"filter":{"and":[{"param":"p"},{"param":"q"}]}}]`):                                                    lint.ErrUnknownName,
		point(`,"transform":[{"filter":{"and":["datum.n > 1"]}}]`):                                                                                                           lint.ErrExpression,
		point(`,"transform":[{"filter":{"not":"warn(datum)"}}]`):                                                                                                             lint.ErrExpression,
		point(`,"transform":[{"filter":{"or":[{"and":[{"field":"n","gt":1},{"not":"warn(1)"}]}]}}]`):                                                                         lint.ErrExpression,
		point(`,"transform":[{"window":[{"op":"lag","param":1,"field":"v","as":"before"}],"sort":[{"field":"n"}]}]`):                                                         "",
		point(`,"params":[{"name":"p","select":{"type":"point","fields":["n"]},"value":[{"n":1,"height":12000}]}]`):                                                          "",
		`{"mark":{"type":"point","opacity":{"condition":{"test":{"and":["warn(1)"]},"value":0}}},"encoding":{"x":{"field":"v"}}}`:                                            lint.ErrExpression,
		`{"mark":"point","encoding":{"x":{"field":"n","type":"quantitative","axis":{"labelColor":{"condition":{"test":{"or":["warn(1)"]},"value":"red"},"value":"blue"}}}}}`: lint.ErrExpression,
		text(`{"year":["%Y'+1+'"]}`): lint.ErrExpression,
		`{"hconcat":[{"data":{"name":"table"},"mark":"point","encoding":{"x":{"field":"v","type":"quantitative"}}}]}`: "",
		point(`,"title":{"text":"T","font":"\\75rl(http://example.com/x)"}`):                                          lint.ErrExternal,
		point(`,"title":{"text":"T","font":"\\000075 \\72 l(http://example.com/x)"}`):                                 lint.ErrExternal,
		point(`,"title":{"text":"T","font":"u\\rl(http://example.com/x)"}`):                                           lint.ErrExternal,
		point(`,"title":{"text":"T","font":"image-set('http://example.com/x' 1x)"}`):                                  lint.ErrExternal,
		point(`,"title":"Ports \\ quays (2026)"`):                                                                     "",
		point(`,"config":{"style":{"__proto__":{"x":true}}}`):                                                         "",
		point(`,"config":{"style":{"constructor":{"prototype":{"x":1}}}}`):                                            "",
		point(`,"transform":[{"timeUnit":"year","field":"d","as":"a']||warn('x')||datum['b"}]`):                       lint.ErrUnsupported,
		point(`,"transform":[{"joinaggregate":[{"op":"sum","field":"v","as":"__proto__"}]}]`):                         lint.ErrUnsupported,
		point(`,"transform":[{"joinaggregate":[{"op":"sum","field":"v","as":"all of them"}]}]`):                       "",
	} {
		codes := codesOf(t, spec)
		if want == "" && len(codes) > 0 || want != "" && !slices.Contains(codes, want) {
			t.Errorf("%s: refused for %v, want %q", spec, codes, want)
		}
	}
}

// TestCosts has specs that keep a browser busy for minutes, or need too much
// memory.
func TestCosts(t *testing.T) {
	x := func(scale string) string {
		return `{"mark":"point","encoding":{"x":{"field":"v","type":"quantitative","scale":` + scale + `}}}`
	}
	filled := func(impute, group string) string {
		return `{"mark":"line","encoding":{"x":{"field":"n","type":"quantitative"},"y":{"field":"v","type":"quantitative","impute":` + impute + `},"detail":{"field":"` + group + `"}}}`
	}
	facet := func(row, column string) string {
		return `{"mark":"point","encoding":{"row":` + row + `,"column":` + column + `,"x":{"field":"v","type":"quantitative"}}}`
	}
	sorted := func(values int) string {
		return `{"mark":"point","encoding":{"x":{"field":"v","type":"quantitative"},"y":{"field":"n","type":"ordinal","sort":[` +
			strings.Repeat("1,", values) + `1]}}}`
	}
	compared := func(times int, predicate string) string {
		return `{"transform":[{"filter":{"and":[` + strings.Repeat(predicate+",", times) + predicate + `]}}],` +
			`"mark":"point","encoding":{"x":{"field":"v","type":"quantitative"}}}`
	}
	hidden := "[" + strings.Repeat(`{"a":{}},`, 3000) + "1]"
	one := `{"mark":"point","encoding":{"x":{"field":"v","type":"quantitative"}}}`
	for spec, ok := range map[string]bool{
		`{"mark":"point","encoding":{"x":{"field":"d","type":"temporal","axis":{"tickCount":"day"}},"y":{"field":"v","type":"quantitative"}}}`:                                                true,
		`{"mark":"point","encoding":{"x":{"field":"d","type":"temporal","scale":{"domain":["1900-01-01","9999-12-31"]},"axis":{"tickCount":"day"}},"y":{"field":"v","type":"quantitative"}}}`: false,
		`{"mark":"bar","encoding":{"x":{"field":"v","bin":{"steps":[50,5000]}},"y":{"aggregate":"count"}}}`:                                                                                   true,
		compared(600, `{"field":"n","gt":1}`):                 true,
		compared(2100, `{"field":"n","gt":1}`):                false,
		compared(0, `{"field":"n","gt":{"data":`+hidden+`}}`): false, // data are not counted in a view only
		`{"params":[{"name":"p","select":"point","value":{"data":` + hidden + `}}],` + compared(0, `{"field":"n","gt":1}`)[1:]: false,
		sorted(9_000):  true,
		sorted(10_000): false, // each alternative of the schema is compared with each value
		x(`{"bins":{"start":0,"stop":1000,"step":1e-9}}`):                                                    false,
		x(`{"bins":{"start":-1e308,"stop":1e308,"step":1}}`):                                                 false,
		x(`{"bins":{"step":10}}`):                                                                            false, // how many these are the data says
		x(`{"bins":{"start":0,"stop":100,"step":"0.000001"}}`):                                               false,
		x(`{"bins":{"start":0,"stop":100,"step":10}}`):                                                       true,
		`{"padding":1e9,` + one[1:]:                                                                          false,
		`{"padding":{"left":1e9},` + one[1:]:                                                                 false,
		`{"padding":{"left":20,"top":-5},` + one[1:]:                                                         true,
		`{"title":{"text":"t","fontSize":1e6},` + one[1:]:                                                    false,
		`{"title":{"text":"t","fontSize":20},` + one[1:]:                                                     true,
		`{"spacing":1e9,"hconcat":[` + one + `]}`:                                                            false,
		`{"mark":{"type":"text","fontSize":99999},"encoding":{"text":{"field":"v"}}}`:                        false,
		`{"mark":"point","encoding":{"x":{"field":"v","type":"quantitative","axis":{"labelFontSize":1e7}}}}`: false,
		x(`{"bins":[0,10,100]}`):                                                                             true,
		x(`{"type":"log","base":1e15}`):                                                                      false,
		x(`{"type":"log","base":1}`):                                                                         false,
		x(`{"type":"log","base":2}`):                                                                         true,
		filled(`{"value":0,"keyvals":{"start":0,"stop":50}}`, "g"):                                           false,
		`{"mark":"bar","encoding":{"x":{"field":"v","bin":{"step":1,"extent":["0","1e12"]}},"y":{"aggregate":"count"}}}`:                                                                               false,
		`{"mark":"point","encoding":{"x":{"field":"v","type":"quantitative"},"color":{"field":"n","type":"quantitative","scale":{"scheme":{"name":"blues","count":1e9}}}}}`:                            false,
		`{"mark":"point","encoding":{"x":{"field":"v","type":"quantitative"},"color":{"field":"n","type":"quantitative","scale":{"scheme":{"name":"blues","count":9}}}}}`:                              true,
		facet(`{"field":"n","type":"quantitative"}`, `{"field":"v","type":"quantitative"}`):                                                                                                            false,
		facet(`{"field":"g"}`, `{"field":"d","type":"temporal","timeUnit":"month"}`):                                                                                                                   true,
		`{"transform":[{"filter":{"field":"n","gte":0}}],` + facet(`{"field":"id"}`, `{"field":"n"}`)[1:]:                                                                                              false,
		`{"transform":[{"filter":{"field":"n","lt":5}}],` + facet(`{"field":"g"}`, `{"field":"id"}`)[1:]:                                                                                               false, // 3 by 1000, as far as is known
		`{"transform":[{"filter":{"field":"n","lt":5}}],"mark":"point","encoding":{"facet":{"field":"id"},"x":{"field":"v","type":"quantitative"}}}`:                                                   true,
		`{"transform":[{"window":[{"op":"row_number","as":"a"},{"op":"rank","as":"b"}]}],"facet":{"row":{"field":"a"},"column":{"field":"b"}},"spec":{"mark":"point","encoding":{"x":{"field":"v"}}}}`: false,
	} {
		if codes := codesOf(t, spec); ok != (len(codes) == 0) {
			t.Errorf("%s: refused for %v", spec, codes)
		}
	}
}

// TestTicks has a date that stands for none, years after all others.
func TestTicks(t *testing.T) {
	for _, test := range []struct {
		every, last string
		filter      string
		ok          bool
	}{
		{"day", "2026-03-01", "", true}, {"month", "2026-03-01", "", true},
		{"day", "2999-12-31", "", false}, {"week", "2999-12-31", "", false}, {"month", "2999-12-31", "", false},
		{"year", "2999-12-31", "", true}, {"day", "9999-12-31", "", true}, // which is read as no date
		{"year", "2026-03-01", "", true},
		{`{"interval":"day","step":7}`, "2060-01-01", "", true}, {`{"interval":"day","step":1}`, "2060-01-01", "", false},
		{"day", "2999-12-31", `"transform":[{"filter":{"field":"d","lt":{"year":2100}}}],`, true},
	} {
		rows := table(t, "d|v", []any{"2025-01-01", 1}, []any{"2025-06-01", 2}, []any{test.last, 3})
		every := test.every
		if every[0] != '{' {
			every = strconv.Quote(every)
		}
		spec := `{` + test.filter + `"mark":"point","encoding":{"x":{"field":"d","type":"temporal","axis":{"tickCount":` + every + `}},"y":{"field":"v","type":"quantitative"}}}`
		if _, err := lint.Check(t.Context(), []byte(spec), rows, lint.Options{}); (err == nil) != test.ok {
			t.Errorf("a tick for each %s until %s: %v", test.every, test.last, err)
		}
	}
}

// TestConfigIsDropped checks that nothing of a spec's config and background is left: the
// house style replaces them.
func TestConfigIsDropped(t *testing.T) {
	rows := table(t, "v", []any{1})
	for _, config := range []string{
		`{"numberFormat":"\") + evil(\""}`, `{"customFormatTypes":true,"tooltipFormat":{"numberFormatType":"evil"}}`,
		`{"params":[{"name":"evil","expr":"1"}]}`, `{"selection":{"point":{"toggle":"evil(event)"}}}`,
		`{"mark":{"cursor":"\\75rl(http://evil.example/x)"}}`, `{"style":{"__proto__":{"evil":true}}}`, `{"view":{"step":1e12}}`, `"evil"`,
	} {
		spec := `{"config":` + config + `,"background":"evil","mark":"point","encoding":{"x":{"field":"v","type":"quantitative"}}}`
		s, err := lint.Check(t.Context(), []byte(spec), rows, lint.Options{})
		if err != nil {
			t.Errorf("%s: %v", config, err)
			continue
		}
		if text := string(s.JSON); strings.Contains(text, "evil") || strings.Contains(text, "1e12") {
			t.Errorf("%s: it is in %s", config, text)
		}
	}
}
