package lint_test

import (
	"testing"

	"github.com/qedkit/qed/chart/lint"
	"github.com/qedkit/qed/refusal"
)

// TestSenseInOtherForms has the faults of the other tests of sense in views that are layered,
// faceted or computed by a transform, and charts in these forms that are right.
func TestSenseInOtherForms(t *testing.T) {
	rows := table(t, "region|product|day|sales|margin_pct|avg_delay|temp|id|low|high",
		[]any{"north", "a", "2025-01-03", 55, 40.5, 2.5, 12.5, int64(9007199254740993), 0, 10},
		[]any{"north", "b", "2025-01-17", 60, 85.0, 3.5, 14.5, int64(9007199254740995), 10, 20},
		[]any{"south", "a", "2025-02-03", 65, 12.5, 4.5, 18.0, int64(9007199254740997), 20, 30},
		[]any{"south", "b", "2025-02-17", 70, 99.0, 1.5, 11.0, int64(9007199254740999), 30, 40})
	const sum = `"y":{"field":"sales","aggregate":"sum"}`
	for name, tt := range map[string]struct {
		spec string
		code refusal.Code // empty: it is taken
		path string
	}{
		// Sums of averages.
		"a layered sum of averages":      {`{"encoding":{"x":{"field":"region"}},"layer":[{"mark":"bar","encoding":{` + sum + `}},{"mark":"line","encoding":{"y":{"field":"avg_delay","aggregate":"sum"}}}]}`, lint.ErrAggregateType, "/layer/1/encoding/y"},
		"a transform that sums averages": {`{"transform":[{"aggregate":[{"op":"sum","field":"avg_delay","as":"delay"}],"groupby":["region"]}],"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"delay","type":"quantitative"}}}`, lint.ErrAggregateType, "/transform/0/aggregate/0"},
		"a running sum of averages":      {`{"transform":[{"window":[{"op":"sum","field":"avg_delay","as":"running"}],"sort":[{"field":"day"}]}],"mark":"line","encoding":{"x":{"field":"day","type":"temporal"},"y":{"field":"running","type":"quantitative"}}}`, lint.ErrAggregateType, "/transform/0/window/0"},
		"a transform that averages":      {`{"transform":[{"aggregate":[{"op":"mean","field":"avg_delay","as":"delay"}],"groupby":["region"]}],"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"delay","type":"quantitative"}}}`, "", ""},
		"a running mean of averages":     {`{"transform":[{"window":[{"op":"mean","field":"avg_delay","as":"running"}],"frame":[-1,0],"sort":[{"field":"day"}]}],"mark":"line","encoding":{"x":{"field":"day","type":"temporal"},"y":{"field":"running","type":"quantitative"}}}`, "", ""},
		"an average of each group":       {`{"transform":[{"aggregate":[{"op":"sum","field":"avg_delay","as":"delay"}],"groupby":["region","product"]}],"mark":"bar","encoding":{"x":{"field":"region"},"xOffset":{"field":"product"},"y":{"field":"delay","type":"quantitative"}}}`, "", ""},
		// Stacked percentages.
		"faceted slices of shares":      {`{"facet":{"field":"region"},"spec":{"mark":"arc","encoding":{"theta":{"field":"margin_pct","type":"quantitative"},"color":{"field":"product"}}}}`, lint.ErrAggregateType, "/spec/encoding/theta"},
		"a transform that stacks sales": {`{"transform":[{"stack":"sales","groupby":["region"],"as":["from","to"]}],"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"from","type":"quantitative"},"y2":{"field":"to"},"color":{"field":"product"}}}`, lint.ErrUnsupported, "/transform/0/stack"},
		// Bars with a cut domain.
		"the domain of the line in front": {`{"encoding":{"x":{"field":"region"}},"layer":[{"mark":"bar","encoding":{` + sum + `}},{"mark":"line","encoding":{"y":{"field":"sales","aggregate":"mean","scale":{"domain":[50,70]}}}}]}`, lint.ErrMalformed, "/layer/1/encoding/y/scale/domain"},
		"no zero in all of the chart":     {`{"config":{"scale":{"zero":false}},"mark":"bar","encoding":{"x":{"field":"region"},` + sum + `}}`, "", ""},
		"ranges that begin at 1":          {`{"mark":"bar","encoding":{"x":{"field":"low","bin":"binned"},"x2":{"field":"high"},"y":{"field":"sales","aggregate":"sum","scale":{"domain":[50,70]}}}}`, lint.ErrMalformed, "/encoding/y/scale/domain"},
		"a concatenated cut":              {`{"hconcat":[{"mark":"point","encoding":{"x":{"field":"sales","type":"quantitative"}}},{"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"sales","aggregate":"sum","scale":{"domain":[100,140]}}}}]}`, lint.ErrMalformed, "/hconcat/1/encoding/y/scale/domain"},
		"a line on an axis of its own":    {`{"encoding":{"x":{"field":"region"}},"resolve":{"scale":{"y":"independent"}},"layer":[{"mark":"bar","encoding":{` + sum + `}},{"mark":"line","encoding":{"y":{"field":"temp","aggregate":"mean","scale":{"domain":[10,20]}}}}]}`, "", ""},
		"a domain of a line with room":    {`{"encoding":{"x":{"field":"region"}},"layer":[{"mark":"bar","encoding":{` + sum + `}},{"mark":"line","encoding":{"y":{"field":"sales","aggregate":"mean","scale":{"domain":[0,150]}}}}]}`, "", ""},
		"no zero for a line":              {`{"config":{"scale":{"zero":false}},"mark":"line","encoding":{"x":{"field":"region"},` + sum + `}}`, "", ""},
		"a binned histogram":              {`{"mark":"bar","encoding":{"x":{"field":"low","bin":"binned"},"x2":{"field":"high"},"y":{"field":"sales","aggregate":"sum","scale":{"domain":[0,100]}}}}`, "", ""},
		"bars of time":                    {`{"mark":"bar","encoding":{"y":{"field":"id","type":"nominal"},"x":{"field":"low","type":"quantitative"},"x2":{"field":"high"}}}`, "", ""},
		// Rows added up in silence.
		"groups of a transform":          {`{"transform":[{"aggregate":[{"op":"sum","field":"sales","as":"total"}],"groupby":["region","product"]}],"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"total","type":"quantitative"}}}`, lint.ErrMalformed, "/encoding/y"},
		"a bar next to a rank":           {`{"transform":[{"window":[{"op":"row_number","as":"n"}]}],"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"sales","type":"quantitative"}}}`, lint.ErrMalformed, "/encoding/y"},
		"a layer of two rows":            {`{"encoding":{"x":{"field":"region"}},"layer":[{"mark":"bar","encoding":{"y":{"field":"sales","type":"quantitative"}}},{"mark":"rule","encoding":{"y":{"datum":60}}}]}`, lint.ErrMalformed, "/layer/0/encoding/y"},
		"two fields of detail":           {`{"mark":"bar","encoding":{"x":{"field":"region"},"detail":[{"field":"product"},{"field":"day"}],"y":{"field":"sales","type":"quantitative"}}}`, "", ""},
		"a total next to each row":       {`{"transform":[{"joinaggregate":[{"op":"sum","field":"sales","as":"total"}],"groupby":["region"]}],"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"total","type":"quantitative"}}}`, lint.ErrMalformed, "/encoding/y"},
		"a sum in place of its field":    {`{"transform":[{"aggregate":[{"op":"sum","field":"sales","as":"sales"}],"groupby":["region"]},{"filter":{"field":"sales","gt":100}}],"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"sales","type":"quantitative"}}}`, "", ""},
		"folded fields side by side":     {`{"transform":[{"fold":["low","high"],"as":["end","value"]}],"mark":"bar","encoding":{"x":{"field":"day"},"xOffset":{"field":"end"},"y":{"field":"value","type":"quantitative"}}}`, "", ""},
		"months of a transform":          {`{"transform":[{"timeUnit":"yearmonth","field":"day","as":"month"},{"aggregate":[{"op":"sum","field":"sales","as":"total"}],"groupby":["month"]}],"mark":"bar","encoding":{"x":{"field":"month","type":"temporal"},"y":{"field":"total","type":"quantitative"}}}`, "", ""},
		"all groups of a transform":      {`{"transform":[{"aggregate":[{"op":"sum","field":"sales","as":"total"}],"groupby":["region","product"]}],"mark":"bar","encoding":{"x":{"field":"region"},"color":{"field":"product"},"y":{"field":"total","type":"quantitative"}}}`, "", ""},
		"a group that a filter leaves":   {`{"transform":[{"filter":{"field":"product","equal":"a"}},{"aggregate":[{"op":"sum","field":"sales","as":"total"}],"groupby":["region","product"]}],"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"total","type":"quantitative"}}}`, "", ""},
		"a bar for each number of a row": {`{"transform":[{"window":[{"op":"row_number","as":"n"}]}],"mark":"bar","encoding":{"x":{"field":"n","type":"ordinal"},"y":{"field":"sales","type":"quantitative"}}}`, "", ""},
		// Identifiers.
		"the largest id of a group":    {`{"transform":[{"aggregate":[{"op":"max","field":"id","as":"last"}],"groupby":["region"]}],"mark":"point","encoding":{"x":{"field":"region"},"y":{"field":"last","type":"quantitative"}}}`, lint.ErrFieldType, "/transform/0/aggregate/0/field"},
		"an id as a datum":             {`{"layer":[{"mark":"bar","encoding":{"x":{"field":"id","type":"nominal"},"y":{"field":"sales","type":"quantitative"}}},{"mark":"rule","encoding":{"x":{"datum":9007199254740993}}}]}`, lint.ErrFieldType, "/layer/1/encoding/x/datum"},
		"an order of ids":              {`{"mark":"bar","encoding":{"x":{"field":"id","type":"nominal","sort":["9007199254740995",9007199254740993]},"y":{"field":"sales","type":"quantitative"}}}`, lint.ErrFieldType, "/encoding/x/sort/1"},
		"an id as a text":              {`{"layer":[{"mark":"bar","encoding":{"x":{"field":"id","type":"nominal"},"y":{"field":"sales","type":"quantitative"}}},{"mark":"rule","encoding":{"x":{"datum":"9007199254740993"}}}]}`, "", ""},
		"the number of ids of a group": {`{"transform":[{"aggregate":[{"op":"distinct","field":"id","as":"n"}],"groupby":["region"]}],"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"n","type":"quantitative"}}}`, "", ""},
		// Percent.
		"percents of a whole chart":   {`{"config":{"numberFormat":".0%"},"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"temp","aggregate":"mean"}}}`, "", ""},
		"computed percents":           {`{"transform":[{"aggregate":[{"op":"mean","field":"margin_pct","as":"margin"}],"groupby":["region"]}],"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"margin","type":"quantitative","axis":{"format":".0%"}}}}`, lint.ErrMalformed, "/encoding/y/axis/format"},
		"percents in a condition":     {`{"mark":"text","encoding":{"x":{"field":"region"},"text":{"condition":{"test":{"field":"sales","gt":60},"field":"temp","format":".1%"},"value":""}}}`, lint.ErrMalformed, "/encoding/text/condition/format"},
		"counted percents of a layer": {`{"encoding":{"x":{"field":"region"}},"layer":[{"mark":"bar","encoding":{"y":{"aggregate":"count"}}},{"mark":"text","encoding":{"y":{"aggregate":"count"},"text":{"aggregate":"count","format":".0%"}}}]}`, lint.ErrMalformed, "/layer/1/encoding/text/format"},
		"computed numbers":            {`{"transform":[{"aggregate":[{"op":"mean","field":"margin_pct","as":"margin"}],"groupby":["region"]}],"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"margin","type":"quantitative","axis":{"format":".1f"}}}}`, "", ""},
		// Filters that leave nothing.
		"a sample of none":               {`{"transform":[{"sample":0}],"mark":"point","encoding":{"x":{"field":"sales","type":"quantitative"}}}`, lint.ErrUnsupported, "/transform/0/sample"},
		"a filter within a filter":       {`{"transform":[{"filter":{"field":"region","equal":"north"}}],"layer":[{"mark":"point","encoding":{"x":{"field":"sales","type":"quantitative"}}},{"transform":[{"filter":{"field":"sales","gt":60}}],"mark":"rule","encoding":{"x":{"field":"sales","type":"quantitative"}}}]}`, lint.ErrNoData, "/layer/1/transform/0/filter"},
		"a filter after a rank":          {`{"transform":[{"window":[{"op":"rank","as":"rank"}],"sort":[{"field":"sales"}]},{"filter":{"field":"region","equal":"west"}}],"mark":"point","encoding":{"x":{"field":"sales","type":"quantitative"}}}`, lint.ErrNoData, "/transform/1/filter"},
		"a filter of small charts":       {`{"facet":{"field":"region"},"spec":{"transform":[{"filter":{"field":"product","oneOf":["c","d"]}}],"mark":"point","encoding":{"x":{"field":"sales","type":"quantitative"}}}}`, lint.ErrNoData, "/spec/transform/0/filter"},
		"a filter of groups":             {`{"transform":[{"aggregate":[{"op":"sum","field":"sales","as":"total"}],"groupby":["region"]},{"filter":{"field":"region","equal":"west"}}],"mark":"bar","encoding":{"x":{"field":"region"},"y":{"field":"total","type":"quantitative"}}}`, lint.ErrNoData, "/transform/1/filter"},
		"a filter by a rank":             {`{"transform":[{"window":[{"op":"rank","as":"rank"}],"sort":[{"field":"sales"}]},{"filter":{"field":"rank","lte":3}}],"mark":"point","encoding":{"x":{"field":"sales","type":"quantitative"}}}`, "", ""},
		"a filter in each of two layers": {`{"layer":[{"transform":[{"filter":{"field":"region","equal":"north"}}],"mark":"point","encoding":{"x":{"field":"sales","type":"quantitative"}}},{"transform":[{"filter":{"field":"region","equal":"south"}}],"mark":"tick","encoding":{"x":{"field":"sales","type":"quantitative"}}}]}`, "", ""},
	} {
		t.Run(name, func(t *testing.T) { checkSense(t, tt.spec, rows, tt.code, tt.path) })
	}
}
