package lint_test

import (
	"strings"
	"testing"

	"github.com/qedkit/qed/chart/lint"
	"github.com/qedkit/qed/refusal"
)

// TestSense has charts that draw something else than the rows, and next to each one that
// draws them.
func TestSense(t *testing.T) {
	rows := table(t, "region|year|product|sales|margin_pct|of_total_pct|avg_delay|growth|id|note",
		[]any{"north", 2024, "a", 55, 40.5, 30.0, 2.5, 0.12, int64(9007199254740993), "x"},
		[]any{"north", 2024, "b", 60, 85.0, 70.0, 3.5, 0.40, int64(9007199254740995), "y"},
		[]any{"south", 2024, "a", 65, 12.5, 45.0, 4.5, -0.05, int64(9007199254740997), "z"},
		[]any{"south", 2024, "b", 70, 99.0, 55.0, 1.5, 0.02, int64(9007199254740999), "w"})
	for _, tt := range []struct {
		name, spec string
		code       refusal.Code // empty: it is taken
		path       string
	}{
		{"two rows in a bar", `{"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"sales","type":"quantitative"}}}`, lint.ErrMalformed, "/encoding/y"},
		{"two rows at a point of a line", `{"mark":"line","encoding":{"x":{"field":"region"},"y":{"field":"sales","type":"quantitative"}}}`, lint.ErrMalformed, "/encoding/y"},
		{"two rows in a slice", `{"mark":"arc","encoding":{"theta":{"field":"sales","type":"quantitative"},"color":{"field":"region"}}}`, lint.ErrMalformed, "/encoding/theta"},
		{"a named sum", `{"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"sales","type":"quantitative","aggregate":"sum"}}}`, "", ""},
		{"a row in each part", `{"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"sales","type":"quantitative"},"color":{"field":"product"}}}`, "", ""},
		{"a row in each bar side by side", `{"mark":"bar","encoding":{"x":{"field":"region"},"xOffset":{"field":"product"},"y":{"field":"sales","type":"quantitative"}}}`, "", ""},
		{"a row in each small chart", `{"mark":"bar","encoding":{"x":{"field":"region"},"column":{"field":"product"},"y":{"field":"sales","type":"quantitative"}}}`, "", ""},
		{"points", `{"mark":"point","encoding":{"x":{"field":"region"},"y":{"field":"sales","type":"quantitative"}}}`, "", ""},
		{"one row left by a transform", `{"transform":[{"aggregate":[{"op":"sum","field":"sales","as":"all"}],"groupby":["region"]}],"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"all","type":"quantitative"}}}`, "", ""},

		{"bars that begin at 50", `{"mark":"bar","encoding":{"x":{"field":"note"},"y":{"field":"sales","type":"quantitative","scale":{"domain":[50,70]}}}}`, lint.ErrMalformed, "/encoding/y/scale/domain"},
		{"bars without zero", `{"mark":"bar","encoding":{"x":{"field":"note"},"y":{"field":"sales","type":"quantitative","scale":{"zero":false}}}}`, lint.ErrMalformed, "/encoding/y/scale/zero"},
		{"bars of sums that begin at 50", `{"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"sales","aggregate":"sum","scale":{"domain":[50,200]}}}}`, lint.ErrMalformed, "/encoding/y/scale/domain"},
		{"bars that leave the chart", `{"mark":"bar","encoding":{"x":{"field":"note"},"y":{"field":"sales","type":"quantitative","scale":{"domain":[0,60]}}}}`, lint.ErrMalformed, "/encoding/y/scale/domain"},
		{"bars with room", `{"mark":"bar","encoding":{"x":{"field":"note"},"y":{"field":"sales","type":"quantitative","scale":{"domain":[0,100]}}}}`, "", ""},
		{"points without zero", `{"mark":"point","encoding":{"x":{"field":"note"},"y":{"field":"sales","type":"quantitative","scale":{"domain":[50,70]}}}}`, "", ""},
		{"a line without zero", `{"mark":"line","encoding":{"x":{"field":"note"},"y":{"field":"sales","type":"quantitative","scale":{"zero":false}}}}`, "", ""},

		{"shares of different wholes", `{"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"margin_pct","type":"quantitative"},"color":{"field":"product"}}}`, lint.ErrAggregateType, "/encoding/y"},
		{"shares of one whole", `{"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"of_total_pct","type":"quantitative"},"color":{"field":"product"}}}`, "", ""},
		{"shares side by side", `{"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"margin_pct","type":"quantitative"},"xOffset":{"field":"product"},"color":{"field":"product"}}}`, "", ""},
		{"a sum of shares", `{"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"margin_pct","aggregate":"sum"}}}`, lint.ErrAggregateType, "/encoding/y"},
		{"a sum of averages", `{"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"avg_delay","aggregate":"sum"}}}`, lint.ErrAggregateType, "/encoding/y"},
		{"stacked averages", `{"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"avg_delay","type":"quantitative"},"color":{"field":"product"}}}`, lint.ErrAggregateType, "/encoding/y"},
		{"a mean of averages", `{"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"avg_delay","aggregate":"mean"}}}`, "", ""},
		{"an average in each bar", `{"mark":"bar","encoding":{"x":{"field":"note"},"y":{"field":"avg_delay","type":"quantitative"}}}`, "", ""},

		{"percent of percent", `{"mark":"bar","encoding":{"x":{"field":"note"},"y":{"field":"margin_pct","type":"quantitative","axis":{"format":".0%"}}}}`, lint.ErrMalformed, "/encoding/y/axis/format"},
		{"percent in a tooltip", `{"mark":"point","encoding":{"x":{"field":"note"},"tooltip":[{"field":"sales","format":".1%"}]}}`, lint.ErrMalformed, "/encoding/tooltip/0/format"},
		{"percent of fractions", `{"mark":"bar","encoding":{"x":{"field":"note"},"y":{"field":"growth","type":"quantitative","axis":{"format":"+.0%"}}}}`, "", ""},

		{"a filter of nothing", `{"transform":[{"filter":{"field":"region","equal":"North"}}],"mark":"point","encoding":{"x":{"field":"sales","type":"quantitative"}}}`, lint.ErrNoData, "/transform/0/filter"},
		{"two filters of nothing", `{"transform":[{"filter":{"field":"sales","gt":60}},{"filter":{"field":"region","oneOf":["north","west"]}}],"mark":"point","encoding":{"x":{"field":"sales","type":"quantitative"}}}`, lint.ErrNoData, "/transform/1/filter"},
		{"none of two", `{"transform":[{"filter":{"or":[{"field":"sales","lt":10},{"and":[{"field":"sales","gte":60},{"field":"year","equal":2023}]}]}}],"mark":"point","encoding":{"x":{"field":"sales","type":"quantitative"}}}`, lint.ErrNoData, "/transform/0/filter"},
		{"a filter of some", `{"transform":[{"filter":{"or":[{"field":"sales","lt":60},{"field":"region","equal":"west"}]}}],"mark":"point","encoding":{"x":{"field":"sales","type":"quantitative"}}}`, "", ""},
		{"a filter that a browser knows", `{"transform":[{"filter":{"not":{"field":"region","equal":"north"}}}],"mark":"point","encoding":{"x":{"field":"sales","type":"quantitative"}}}`, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := lint.Check([]byte(tt.spec), rows, lint.Options{})
			if tt.code == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil {
				t.Fatal("it was taken")
			}
			if got := codes(t, err); len(got) != 1 || got[0] != tt.code || !strings.Contains(err.Error(), tt.path+":") {
				t.Errorf("want %s at %s: %v", tt.code, tt.path, err)
			}
		})
	}
	s, err := lint.Check([]byte(`{"mark":"bar","encoding":{"x":{"field":"id","type":"nominal"},"y":{"field":"sales","type":"quantitative"}}}`), rows, lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if id := data(t, s)[0]["id"]; id != "9007199254740993" {
		t.Errorf("an id that a browser would round is %v", id)
	}
}
