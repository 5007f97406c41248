package lint_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/qedkit/qed"
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

		{"numbers as names", `{"mark":"bar","encoding":{"x":{"field":"note","type":"nominal"},"y":{"field":"sales","type":"ordinal"}}}`, lint.ErrFieldType, "/encoding/y/type"},
		{"numbers as names, sideways", `{"mark":"bar","encoding":{"y":{"field":"note","type":"nominal"},"x":{"field":"sales","type":"nominal"}}}`, lint.ErrFieldType, "/encoding/x/type"},
		{"numbers as names of a line", `{"mark":"line","encoding":{"x":{"field":"year","type":"ordinal"},"y":{"field":"sales","type":"nominal"},"color":{"field":"product"}}}`, lint.ErrFieldType, "/encoding/y/type"},
		{"numbers that are places", `{"mark":"bar","encoding":{"x":{"field":"sales","type":"ordinal"},"y":{"field":"growth","type":"quantitative"}}}`, "", ""},
		{"numbers that are cells", `{"mark":"rect","encoding":{"x":{"field":"sales","type":"ordinal"},"y":{"field":"note","type":"nominal"},"color":{"field":"growth","type":"quantitative"}}}`, "", ""},
		{"numbers that are counted", `{"mark":"bar","encoding":{"x":{"field":"sales","type":"ordinal"},"y":{"aggregate":"count","type":"quantitative"}}}`, "", ""},
		{"years of a line", `{"mark":"line","encoding":{"x":{"field":"note","type":"nominal"},"y":{"field":"year","type":"ordinal"}}}`, "", ""},
		{"names along a line of numbers", `{"mark":"line","encoding":{"x":{"field":"sales","type":"ordinal"},"y":{"field":"note","type":"nominal"}}}`, "", ""},
		{"numbers as points", `{"mark":"point","encoding":{"x":{"field":"note","type":"nominal"},"y":{"field":"sales","type":"ordinal"}}}`, "", ""},
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
		t.Run(tt.name, func(t *testing.T) { checkSense(t, tt.spec, rows, tt.code, tt.path) })
	}
	s, err := lint.Check(t.Context(), []byte(`{"mark":"bar","encoding":{"x":{"field":"id","type":"nominal"},"y":{"field":"sales","type":"quantitative"}}}`), rows, lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if id := data(t, s)[0]["id"]; id != "9007199254740993" {
		t.Errorf("an id that a browser would round is %v", id)
	}
}

// checkSense checks that a spec is refused with one problem, or taken if code is empty.
func checkSense(t *testing.T, spec string, rows *qed.Table, code refusal.Code, path string) {
	t.Helper()
	_, err := lint.Check(t.Context(), []byte(spec), rows, lint.Options{})
	switch {
	case code == "" && err != nil:
		t.Error(err)
	case code == "":
	case err == nil:
		t.Error("it was taken")
	default:
		if got := codes(t, err); len(got) != 1 || got[0] != code || !strings.Contains(err.Error(), path+":") {
			t.Errorf("want %s at %s: %v", code, path, err)
		}
	}
}

// TestSenseOfNeighbours has the same faults in other forms, each next to charts that only
// look like it.
func TestSenseOfNeighbours(t *testing.T) {
	rows := table(t, "day|port|kind|teu|cost|share_pct|hit_rate|growth|temp|customer_id|open|empty")
	for i, port := range []string{"Oslo", "Kiel", "Riga"} {
		for month := range 4 {
			for k, kind := range []string{"in", "out"} {
				n := 8*i + 2*month + k
				if err := rows.Append(fmt.Sprintf("2025-%02d-%02d", month+1, 3+k), port, kind, 100+n, float64(n)-4.5, []float64{62.5, 37.5}[k],
					0.5+float64(n)/100, float64(n)/100, 12.5+float64(n), strconv.FormatInt(9007199254740993+2*int64(n), 10), k == 0, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	const (
		sum   = `"y":{"field":"teu","aggregate":"sum"`
		plain = `"y":{"field":"teu","type":"quantitative"`
		all   = `"x":{"field":"day","type":"temporal"},"xOffset":{"field":"kind"},"column":{"field":"port"},`
	)
	bar := func(encoding string) string { return `{"mark":"bar","encoding":{` + encoding + `}}` }
	line := func(encoding string) string { return `{"mark":"line","encoding":{` + encoding + `}}` }
	point := func(encoding string) string { return `{"mark":"point","encoding":{` + encoding + `}}` }
	filter := func(condition string) string {
		return `{"transform":[{"filter":` + condition + `}],"mark":"point","encoding":{"x":{"field":"teu","type":"quantitative"}}}`
	}
	bad := []struct {
		name, spec string
		code       refusal.Code
		path       string
	}{
		// Several rows in one mark.
		{"rows of a month in a bar", bar(`"x":{"field":"day","timeUnit":"yearmonth"},` + plain + `}`), lint.ErrMalformed, "/encoding/y"},
		{"rows of a quarter in a line", line(`"x":{"field":"day","timeUnit":"yearquarter"},"color":{"field":"kind"},` + plain + `}`), lint.ErrMalformed, "/encoding/y"},
		{"rows of a range in a bar", bar(`"x":{"field":"temp","bin":{"maxbins":5}},` + plain + `}`), lint.ErrMalformed, "/encoding/y"},
		{"rows in a bar of a number", bar(`"x":{"field":"share_pct","type":"quantitative"},` + plain + `}`), lint.ErrMalformed, "/encoding/y"},
		{"rows in a horizontal bar", bar(`"y":{"field":"port"},"x":{"field":"teu","type":"quantitative"}`), lint.ErrMalformed, "/encoding/x"},
		{"rows in an area", `{"mark":"area","encoding":{"x":{"field":"port"},` + plain + `}}}`, lint.ErrMalformed, "/encoding/y"},
		{"rows in a cell", `{"mark":"rect","encoding":{"x":{"field":"port"},"y":{"field":"kind"},"color":{"field":"teu","type":"quantitative"}}}`, lint.ErrMalformed, "/encoding/color"},
		{"rows in a small chart", `{"facet":{"field":"port"},"spec":` + bar(`"x":{"field":"kind"},`+plain+`}`) + `}`, lint.ErrMalformed, "/spec/encoding/y"},
		{"rows in small charts of two fields", `{"facet":{"row":{"field":"port"},"column":{"field":"open"}},"spec":` + bar(`"x":{"field":"kind"},`+plain+`}`) + `}`, lint.ErrMalformed, "/spec/encoding/y"},
		{"rows that a filter leaves", `{"transform":[{"filter":{"field":"kind","equal":"in"}}],"mark":"bar","encoding":{"x":{"field":"port"},` + plain + `}}}`, lint.ErrMalformed, "/encoding/y"},
		{"rows in a bar of a layer", `{"layer":[` + bar(`"x":{"field":"port"},`+plain+`}`) + `]}`, lint.ErrMalformed, "/layer/0/encoding/y"},
		{"rows in a bar with a colored rule", bar(`"x":{"field":"port"},"color":{"condition":{"test":{"field":"teu","gt":110},"value":"red"},"value":"gray"},` + plain + `}`), lint.ErrMalformed, "/encoding/y"},
		{"rows in a slice of a radius", `{"mark":{"type":"arc","innerRadius":40},"encoding":{"theta":{"field":"teu","type":"quantitative"},"color":{"field":"port"}}}`, lint.ErrMalformed, "/encoding/theta"},
		// Sums and stacks of what does not add up.
		{"a line of sums of rates", line(`"x":{"field":"port"},"y":{"field":"hit_rate","aggregate":"sum"}`), lint.ErrAggregateType, "/encoding/y"},
		{"points of sums of rates", point(`"x":{"field":"port"},"y":{"field":"hit_rate","aggregate":"sum"}`), lint.ErrAggregateType, "/encoding/y"},
		{"cells of sums of rates", `{"mark":"rect","encoding":{"x":{"field":"port"},"y":{"field":"kind"},"color":{"field":"hit_rate","aggregate":"sum"}}}`, lint.ErrAggregateType, "/encoding/color"},
		{"slices of rates", `{"mark":"arc","encoding":{"theta":{"field":"hit_rate","aggregate":"sum"},"color":{"field":"port"}}}`, lint.ErrAggregateType, "/encoding/theta"},
		{"rates as shares of their sum", bar(`"x":{"field":"port"},"color":{"field":"kind"},"y":{"field":"hit_rate","aggregate":"sum","stack":"normalize"}`), lint.ErrAggregateType, "/encoding/y"},
		{"sums of rates by month", bar(`"x":{"field":"day","timeUnit":"yearmonth"},"y":{"field":"hit_rate","aggregate":"sum"}`), lint.ErrAggregateType, "/encoding/y"},
		{"shares of each port added up", bar(`"x":{"field":"kind"},"y":{"field":"share_pct","aggregate":"sum"}`), lint.ErrAggregateType, "/encoding/y"},
		{"shares of several months stacked", bar(`"x":{"field":"port"},"color":{"field":"kind"},"y":{"field":"share_pct","aggregate":"sum"}`), lint.ErrAggregateType, "/encoding/y"},
		{"a pie of shares of several wholes", `{"mark":"arc","encoding":{"theta":{"field":"share_pct","aggregate":"sum"},"color":{"field":"port"}}}`, lint.ErrAggregateType, "/encoding/theta"},
		{"stacked means", bar(`"x":{"field":"port"},"color":{"field":"kind"},"y":{"field":"teu","aggregate":"mean"}`), lint.ErrAggregateType, "/encoding/y"},
		{"an area of stacked medians", `{"mark":"area","encoding":{"x":{"field":"day","type":"temporal"},"color":{"field":"port"},"y":{"field":"teu","aggregate":"median"}}}`, lint.ErrAggregateType, "/encoding/y"},
		{"a filtered sum of rates", `{"transform":[{"filter":{"field":"port","equal":"Oslo"}}],"mark":"bar","encoding":{"x":{"field":"kind"},"y":{"field":"hit_rate","aggregate":"sum"}}}`, lint.ErrAggregateType, "/encoding/y"},
		// Bars that do not begin at zero, or leave the plot.
		{"a least number above zero", bar(all + plain + `,"scale":{"domainMin":90}}`), lint.ErrMalformed, "/encoding/y/scale/domainMin"},
		{"a largest number below a bar", bar(all + plain + `,"scale":{"domainMax":110}}`), lint.ErrMalformed, "/encoding/y/scale/domainMax"},
		{"sums that leave the plot", bar(`"x":{"field":"port"},` + sum + `,"scale":{"domain":[0,120]}}`), lint.ErrMalformed, "/encoding/y/scale/domain"},
		{"a stack that leaves the plot", bar(`"x":{"field":"port"},"color":{"field":"kind"},` + sum + `,"scale":{"domain":[0,500]}}`), lint.ErrMalformed, "/encoding/y/scale/domain"},
		{"means that leave the plot", bar(`"x":{"field":"port"},"y":{"field":"teu","aggregate":"mean","scale":{"domain":[0,110]}}`), lint.ErrMalformed, "/encoding/y/scale/domain"},
		{"losses that leave the plot", bar(all + `"y":{"field":"cost","type":"quantitative","scale":{"domain":[0,30]}}`), lint.ErrMalformed, "/encoding/y/scale/domain"},
		{"a domain from the other end", bar(all + plain + `,"scale":{"domain":[130,50]}}`), lint.ErrMalformed, "/encoding/y/scale/domain"},
		{"counts from 5", bar(`"x":{"field":"port"},"y":{"aggregate":"count","scale":{"domain":[5,10]}}`), lint.ErrMalformed, "/encoding/y/scale/domain"},
		{"counts without zero", bar(`"x":{"field":"port"},"y":{"aggregate":"count","scale":{"zero":false}}`), lint.ErrMalformed, "/encoding/y/scale/zero"},
		{"bars on a logarithmic scale", bar(`"x":{"field":"port"},` + sum + `,"scale":{"type":"log"}}`), lint.ErrMalformed, "/encoding/y/scale/type"},
		{"bars from another number", bar(`"x":{"field":"port"},` + sum + `},"y2":{"datum":50}`), lint.ErrMalformed, "/encoding/y2"},
		{"an area from 95", `{"mark":"area","encoding":{"x":{"field":"day","type":"temporal"},` + sum + `,"scale":{"domain":[95,1000]}}}}`, lint.ErrMalformed, "/encoding/y/scale/domain"},
		{"bars of computed numbers from 5", `{"transform":[{"aggregate":[{"op":"count","as":"n"}],"groupby":["port"]}],"mark":"bar","encoding":{"x":{"field":"port"},"y":{"field":"n","type":"quantitative","scale":{"domain":[5,9]}}}}`, lint.ErrMalformed, "/encoding/y/scale/domain"},
		{"horizontal bars from 50", bar(`"y":{"field":"port"},"x":{"field":"teu","aggregate":"mean","scale":{"domain":[50,150]}}`), lint.ErrMalformed, "/encoding/x/scale/domain"},
		// Identifiers.
		{"an axis of identifiers", point(`"x":{"field":"customer_id","type":"quantitative"},` + plain + `}`), lint.ErrFieldType, "/encoding/x/type"},
		{"labels of identifiers as numbers", `{"mark":"text","encoding":{"x":{"field":"teu","type":"quantitative"},"text":{"field":"customer_id","type":"quantitative"}}}`, lint.ErrFieldType, "/encoding/text/type"},
		// Percent.
		{"12.5 as percent", point(`"x":{"field":"teu","type":"quantitative"},"y":{"field":"temp","type":"quantitative","axis":{"format":".0%"}}`), lint.ErrMalformed, "/encoding/y/axis/format"},
		{"a mean of percentages as percent", bar(`"x":{"field":"port"},"y":{"field":"share_pct","aggregate":"mean","axis":{"format":".1%"}}`), lint.ErrMalformed, "/encoding/y/axis/format"},
		{"a count as percent", bar(`"x":{"field":"port"},"y":{"aggregate":"count","axis":{"format":".0%"}}`), lint.ErrMalformed, "/encoding/y/axis/format"},
		{"a label of percentages", `{"mark":"text","encoding":{"x":{"field":"teu","type":"quantitative"},"text":{"field":"share_pct","type":"quantitative","format":".2p"}}}`, lint.ErrMalformed, "/encoding/text/format"},
		{"a legend of percentages", point(`"x":{"field":"teu","type":"quantitative"},"color":{"field":"share_pct","type":"quantitative","legend":{"format":"%"}}`), lint.ErrMalformed, "/encoding/color/legend/format"},
		// Filters.
		{"a day after all", filter(`{"field":"day","gte":{"year":2026}}`), lint.ErrNoData, "/transform/0/filter"},
		{"a year of none", filter(`{"field":"day","timeUnit":"year","equal":2024}`), lint.ErrNoData, "/transform/0/filter"},
		{"a period before all", filter(`{"field":"day","range":[{"year":2024,"month":1,"date":1},{"year":2024,"month":12,"date":31}]}`), lint.ErrNoData, "/transform/0/filter"},
		{"not one of all", filter(`{"not":{"field":"port","oneOf":["Oslo","Kiel","Riga"]}}`), lint.ErrNoData, "/transform/0/filter"},
		{"a value that is missing everywhere", filter(`{"field":"empty","valid":true}`), lint.ErrNoData, "/transform/0/filter"},
		{"conditions that exclude each other", filter(`{"and":[{"field":"open","equal":true},{"field":"kind","equal":"out"}]}`), lint.ErrNoData, "/transform/0/filter"},
	}
	good := map[string]string{
		"a sum of the rows of a month":       bar(`"x":{"field":"day","timeUnit":"yearmonth"},` + sum + `}`),
		"a row in each day, kind and port":   bar(all + plain + `}`),
		"a row in each month, kind and port": line(`"x":{"field":"day","timeUnit":"yearmonth"},"color":{"field":"kind"},"row":{"field":"port"},` + plain + `}`),
		"weeks, which a browser counts":      line(`"x":{"field":"day","timeUnit":"yearweek"},` + plain + `}`),
		"a sum of a range":                   bar(`"x":{"field":"temp","bin":true},` + sum + `}`),
		"ranges with few rows":               bar(`"x":{"field":"temp","bin":{"maxbins":30}},` + plain + `}`),
		"one row at each number":             bar(`"x":{"field":"temp","type":"quantitative"},` + plain + `}`),
		"a line through points":              line(`"x":{"field":"share_pct","type":"quantitative"},` + plain + `}`),
		"a sum in a cell":                    `{"mark":"rect","encoding":{"x":{"field":"port"},"y":{"field":"kind"},"color":{"field":"teu","aggregate":"sum"}}}`,
		"a count in a cell":                  `{"mark":"rect","encoding":{"x":{"field":"port"},"y":{"field":"kind"},"color":{"aggregate":"count"}}}`,
		"rectangles of one color":            `{"mark":"rect","encoding":{"x":{"field":"port"},"y":{"field":"kind"},"color":{"value":"red"}}}`,
		"small charts with a row in a mark":  `{"facet":{"field":"port"},"spec":` + bar(`"x":{"field":"day","type":"temporal"},"color":{"field":"kind"},`+plain+`}`) + `}`,
		"small charts of sums":               `{"facet":{"row":{"field":"port"},"column":{"field":"open"}},"spec":` + bar(`"x":{"field":"kind"},`+sum+`}`) + `}`,
		"a filter that leaves a row each":    `{"transform":[{"filter":{"and":[{"field":"kind","equal":"in"},{"field":"port","equal":"Oslo"}]}}],"mark":"bar","encoding":{"x":{"field":"day","type":"temporal"},` + plain + `}}}`,
		"a filter that leaves one":           `{"transform":[{"filter":{"field":"teu","equal":107}}],"mark":"bar","encoding":{"x":{"field":"port"},` + plain + `}}}`,
		"a bar with a colored rule":          bar(`"x":{"field":"port"},"color":{"condition":{"test":{"field":"port","equal":"Oslo"},"value":"red"},"value":"gray"},` + sum + `}`),
		"labels on bars of sums":             `{"encoding":{"x":{"field":"port"},` + sum + `}},"layer":[{"mark":"bar"},{"mark":"text","encoding":{"text":{"field":"teu","aggregate":"sum"}}}]}`,
		"a stack of single rows":             bar(`"x":{"field":"port"},"detail":{"field":"day"},"color":{"field":"kind"},` + plain + `}`),
		"means of rates":                     line(`"x":{"field":"port"},"y":{"field":"hit_rate","aggregate":"mean"}`),
		"the sum of one rate":                bar(`"x":{"field":"temp","type":"ordinal"},"y":{"field":"hit_rate","aggregate":"sum"}`),
		"the sum of one rate by day":         bar(all + `"y":{"field":"hit_rate","aggregate":"sum"}`),
		"the largest rate":                   bar(`"x":{"field":"port"},"y":{"field":"hit_rate","aggregate":"max"}`),
		"rates side by side":                 bar(`"x":{"field":"port"},"xOffset":{"field":"kind"},"y":{"field":"hit_rate","aggregate":"mean","stack":null}`),
		"shares of a month stacked":          bar(`"x":{"field":"day","timeUnit":"yearmonth"},"row":{"field":"port"},"color":{"field":"kind"},"y":{"field":"share_pct","type":"quantitative"}`),
		"shares that a filter leaves":        `{"transform":[{"filter":{"and":[{"field":"port","equal":"Kiel"},{"field":"day","lt":{"year":2025,"month":2,"date":1}}]}}],"mark":"arc","encoding":{"theta":{"field":"share_pct","type":"quantitative"},"color":{"field":"kind"}}}`,
		"parts of a sum":                     bar(`"x":{"field":"port"},"color":{"field":"kind"},` + sum + `,"stack":"normalize","axis":{"format":".0%"}}`),
		"a pie of sums":                      `{"mark":"arc","encoding":{"theta":{"field":"teu","aggregate":"sum"},"color":{"field":"port"}}}`,
		"areas of sums":                      `{"mark":"area","encoding":{"x":{"field":"day","type":"temporal"},"color":{"field":"port"},` + sum + `}}}`,
		"sums with room":                     bar(`"x":{"field":"port"},"color":{"field":"kind"},` + sum + `,"scale":{"domain":[0,2000]}}`),
		"means with room":                    bar(`"x":{"field":"port"},"y":{"field":"teu","aggregate":"mean","scale":{"domain":[0,130]}}`),
		"parts of a bar below its end":       bar(all + plain + `,"scale":{"domain":[0,130]}}`),
		"losses with room":                   bar(all + `"y":{"field":"cost","type":"quantitative","scale":{"domain":[-10,30]}}`),
		"a domain of negative numbers":       bar(all + `"y":{"field":"cost","type":"quantitative","scale":{"domain":[-10,40]}}`),
		"a domain that is turned":            bar(all + plain + `,"scale":{"domain":[130,0]}}`),
		"a largest number above all":         bar(all + plain + `,"scale":{"domainMax":150}}`),
		"a line on a logarithmic scale":      line(`"x":{"field":"day","type":"temporal"},"y":{"field":"teu","aggregate":"sum","scale":{"type":"log"}}`),
		"points from 90":                     point(`"x":{"field":"day","type":"temporal"},` + plain + `,"scale":{"domain":[90,130]}}`),
		"a line from 90":                     line(`"x":{"field":"day","type":"temporal"},` + sum + `,"scale":{"domainMin":90}}`),
		"a zoomed domain of points":          point(`"x":{"field":"teu","type":"quantitative","scale":{"domain":[100,110]}},"y":{"field":"temp","type":"quantitative"}`),
		"bars between two numbers":           bar(`"x":{"field":"day","type":"temporal"},"y":{"field":"temp","type":"quantitative"},"y2":{"field":"teu"}`),
		"bars from zero by name":             bar(`"x":{"field":"port"},` + sum + `},"y2":{"datum":0}`),
		"counts from zero":                   bar(`"x":{"field":"port"},"y":{"aggregate":"count","scale":{"domain":[0,10]}}`),
		"identifiers as names":               bar(`"x":{"field":"customer_id","type":"nominal"},` + plain + `}`),
		"identifiers in a tooltip":           point(`"x":{"field":"teu","type":"quantitative"},"tooltip":{"field":"customer_id"}`),
		"fractions as percent":               point(`"x":{"field":"teu","type":"quantitative"},"y":{"field":"growth","type":"quantitative","axis":{"format":".0%"}}`),
		"a mean of fractions as percent":     bar(`"x":{"field":"port"},"y":{"field":"hit_rate","aggregate":"mean","axis":{"format":".1%"}}`),
		"percentages as numbers":             bar(`"x":{"field":"port"},"y":{"field":"share_pct","aggregate":"mean","axis":{"format":".1f"}}`),
		"a clock":                            point(`"x":{"field":"day","type":"temporal","axis":{"format":"%d.%m. %p"}},` + plain + `}`),
		"days after some":                    filter(`{"field":"day","gte":{"year":2025,"month":3,"date":1}}`),
		"a year of all":                      filter(`{"field":"day","timeUnit":"year","equal":2025}`),
		"a month, which a browser reads":     filter(`{"field":"day","timeUnit":"month","equal":12}`),
		"a text against a date":              filter(`{"field":"day","gt":"2030-01-01"}`),
		"not one of some":                    filter(`{"not":{"field":"port","oneOf":["Oslo","Kiel"]}}`),
		"values that are missing":            filter(`{"field":"empty","valid":false}`),
		"a number as a text":                 filter(`{"field":"teu","equal":"101"}`),
		"open ones":                          filter(`{"field":"open","equal":true}`),
	}
	if len(bad) < 50 || len(good) < 50 {
		t.Errorf("%d of nonsense and %d good ones", len(bad), len(good))
	}
	for _, tt := range bad {
		t.Run(tt.name, func(t *testing.T) { checkSense(t, tt.spec, rows, tt.code, tt.path) })
	}
	for name, spec := range good {
		t.Run(name, func(t *testing.T) { checkSense(t, spec, rows, "", "") })
	}
}

// A browser rounds whole numbers above 2^53 and reads every number as milliseconds.
func TestNumbersOfABrowser(t *testing.T) {
	const id = 1<<53 + 1
	rows := &qed.Table{Columns: []qed.Column{{Name: "id"}, {Name: "n"}, {Name: "seconds"}, {Name: "millis"}, {Name: "digits"}, {Name: "change"}, {Name: "none"}}}
	for i := range int64(3) {
		rows.Rows = append(rows.Rows, []any{id + 2*i, i + 1, 1710460800 + i, 1710460800000 + i, 20240315103000 + i, i - 1, nil})
	}
	const bars = `"mark":"bar","encoding":{"x":{"field":"id","type":"nominal"},"y":{"field":"n","type":"quantitative"}}}`
	point := func(field, more string) string {
		return `{"mark":"point","encoding":{"x":{"field":"` + field + `"` + more + `},"y":{"field":"n","type":"quantitative"}}}`
	}
	for _, tt := range []struct {
		name, spec string
		code       refusal.Code
		path       string
	}{
		{"ids", `{` + bars, "", ""},
		{"ids as numbers", point("id", `,"type":"quantitative"`), lint.ErrFieldType, "/encoding/x/type"},
		{"the largest id", point("id", `,"aggregate":"max"`), lint.ErrFieldType, "/encoding/x/type"},
		{"the number of ids", `{"mark":"point","encoding":{"x":{"field":"id","aggregate":"distinct"}}}`, "", ""},
		{"a filter by a number", `{"transform":[{"filter":{"field":"id","equal":9007199254740993}}],` + bars, lint.ErrFieldType, "/transform/0/filter/equal"},
		{"a filter by numbers", `{"transform":[{"filter":{"field":"id","oneOf":[1,9007199254740993]}}],` + bars, lint.ErrFieldType, "/transform/0/filter/oneOf"},
		{"a filter by a text", `{"transform":[{"filter":{"field":"id","equal":"9007199254740993"}}],` + bars, "", ""},
		{"a filter by another id", `{"transform":[{"filter":{"field":"id","oneOf":["9007199254740992"]}}],` + bars, lint.ErrNoData, "/transform/0/filter"},
		{"seconds as dates", point("seconds", `,"type":"temporal"`), lint.ErrFieldType, "/encoding/x/type"},
		{"milliseconds as dates", point("millis", `,"type":"temporal"`), "", ""},
		{"digits as dates", point("digits", `,"type":"temporal"`), lint.ErrFieldType, "/encoding/x/type"},
		{"a negative radius", `{"mark":"arc","encoding":{"theta":{"field":"n","type":"quantitative"},"radius":{"field":"change","type":"quantitative"},"color":{"field":"n","type":"nominal"}}}`, lint.ErrFieldType, "/encoding/radius"},
		{"no values", point("none", `,"type":"quantitative"`), lint.ErrFieldType, "/encoding/x/type"},
	} {
		t.Run(tt.name, func(t *testing.T) { checkSense(t, tt.spec, rows, tt.code, tt.path) })
	}
}
