package chart_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/chart"
	"github.com/qedkit/qed/chart/lint"
	"github.com/qedkit/qed/refusal"
)

// table makes a table from names, separated by |, and rows.
func table(t testing.TB, names string, rows ...[]any) *qed.Table {
	t.Helper()
	out := &qed.Table{}
	for name := range strings.SplitSeq(names, "|") {
		out.Columns = append(out.Columns, qed.Column{Name: name})
	}
	for _, row := range rows {
		if err := out.Append(row...); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func delays(t testing.TB) *qed.Table {
	return table(t, "port|arrived|delay|weight",
		[]any{"Miami", "2025-01-08", 4, 10.5},
		[]any{"Rotterdam", "2025-01-09", 2, 7.0},
		[]any{"Miami", "2025-01-10", 1, 3.5},
		[]any{nil, "2025-01-10", 9, 2.0},
	)
}

// drawn is the part of a spec that tests read.
type drawn struct {
	Schema   string `json:"$schema"`
	Title    string
	Mark     struct{ Type string }
	Encoding map[string]channel
	Data     struct{ Values []map[string]any }
	Layer    []struct {
		Mark     struct{ Type string }
		Encoding map[string]channel
	}
}

type channel struct {
	Field    string
	Type     string
	TimeUnit string
	Title    string
	Sort     any
	Stack    any
}

// UnmarshalJSON leaves lists out, such as the entries of a tooltip.
func (c *channel) UnmarshalJSON(raw []byte) error {
	type plain channel
	if raw[0] == '[' {
		return nil
	}
	return json.Unmarshal(raw, (*plain)(c))
}

// read reads a spec. Horizontal bars are turned, and those with their values are read
// without them.
func read(t testing.TB, s *chart.Spec) drawn {
	t.Helper()
	var d drawn
	if err := json.Unmarshal(s.JSON, &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Layer) > 0 {
		d.Mark = d.Layer[0].Mark
		maps.Copy(d.Encoding, d.Layer[0].Encoding)
	}
	if x, y := d.Encoding["x"], d.Encoding["y"]; d.Mark.Type == "bar" && x.Type == "quantitative" && y.Type != "quantitative" {
		d.Encoding["x"], d.Encoding["y"] = y, x
	}
	return d
}

func build(t testing.TB, rows *qed.Table, opt *chart.Options) *chart.Spec {
	t.Helper()
	s, err := chart.New(t.Context(), rows, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func codes(t testing.TB, err error) []refusal.Code {
	t.Helper()
	var refused *refusal.Error
	if !errors.As(err, &refused) {
		t.Fatalf("the error is %v", err)
	}
	var out []refusal.Code
	for _, p := range refused.Problems {
		out = append(out, p.Code)
	}
	return out
}

func ids(t *testing.T, n int) *qed.Table {
	rows := make([][]any, n)
	for i := range rows {
		rows[i] = []any{100 + i, 3 * i % 7}
	}
	return table(t, "customer_id|orders", rows...)
}

func TestKindIsChosen(t *testing.T) {
	for name, tt := range map[string]struct {
		rows *qed.Table
		opt  chart.Options
		want chart.Kind
	}{
		"a category and a number":  {table(t, "port|n", []any{"a", 1}, []any{"b", 2}), chart.Options{}, chart.Bar},
		"dates and a number":       {table(t, "d|n", []any{"2025-01-01", 1}, []any{"2025-01-02", 2}, []any{"2025-01-03", 2}), chart.Options{}, chart.Line},
		"years and a number":       {table(t, "year|n", []any{2023, 1}, []any{2024, 2}), chart.Options{}, chart.Bar},
		"two numbers":              {table(t, "m|n", []any{1, 2}, []any{2, 3}), chart.Options{}, chart.Scatter},
		"one number":               {table(t, "n", []any{1}, []any{2}), chart.Options{}, chart.Histogram},
		"texts alone":              {table(t, "port", []any{"a"}, []any{"a"}), chart.Options{}, chart.Bar},
		"numbers that name things": {table(t, "port_id|n", []any{1, 2}, []any{2, 3}), chart.Options{X: "port_id"}, chart.Bar},
		"numbers of a few things":  {table(t, "orders|customer_id", []any{7, 101}, []any{2, 107}), chart.Options{}, chart.Bar},
		"of a thing in two rows":   {table(t, "customer_id|amount", []any{101, 7}, []any{101, 2}), chart.Options{}, chart.Histogram},
		"of many things":           {ids(t, 31), chart.Options{}, chart.Histogram},
		"of things, two":           {table(t, "customer_id|orders|sum", []any{101, 7, 5}, []any{107, 2, 9}), chart.Options{}, chart.Scatter},
		"things, counted":          {table(t, "customer_id|orders", []any{101, 7}, []any{107, 2}), chart.Options{X: "orders"}, chart.Histogram},
		"dates alone":              {table(t, "d", []any{"2025-01-01"}, []any{"2025-01-02"}), chart.Options{}, chart.Bar},
		"a number of dates":        {delays(t), chart.Options{X: "arrived", Y: "delay"}, chart.Line},
		"two texts":                {table(t, "a|b|n", []any{"x", "y", 1}), chart.Options{X: "a", Y: "b"}, chart.Heatmap},
	} {
		t.Run(name, func(t *testing.T) {
			if got := build(t, tt.rows, &tt.opt).Kind; got != tt.want {
				t.Errorf("it is drawn as %s", got)
			}
		})
	}
}

func TestAggregates(t *testing.T) {
	rows := table(t, "k|v", []any{"a", 1}, []any{"a", 2.5}, []any{"a", nil}, []any{"a", 10}, []any{"b", 7})
	for aggregate, want := range map[chart.Aggregate][]float64{
		"": {13.5, 7}, chart.Sum: {13.5, 7}, chart.Mean: {4.5, 7}, chart.Count: {3, 1}, chart.Median: {2.5, 7}, chart.Min: {1, 7}, chart.Max: {10, 7},
	} {
		t.Run(string(aggregate), func(t *testing.T) {
			d := read(t, build(t, rows, &chart.Options{Kind: chart.Bar, X: "k", Y: "v", Aggregate: aggregate, Sort: chart.ByX}))
			var got []float64
			for _, row := range d.Data.Values {
				got = append(got, row[d.Encoding["y"].Field].(float64))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOnlyWhatIsDrawnIsInTheData(t *testing.T) {
	s := build(t, delays(t), &chart.Options{Kind: chart.Scatter, X: "weight", Y: "delay"})
	if text := string(s.JSON); strings.Contains(text, "Miami") || strings.Contains(text, "2025") {
		t.Errorf("other columns are in it: %s", text)
	}
}

func TestTypes(t *testing.T) {
	decimal := table(t, "k|v", []any{"a", "12.50"}, []any{"b", "3"})
	decimal.Columns[1].Type = "DECIMAL(10,2)"
	codes := table(t, "k|v", []any{"a", "12.50"}, []any{"b", "3"})
	codes.Columns[1].Type = "VARCHAR(20)"
	for name, tt := range map[string]struct {
		rows    *qed.Table
		opt     chart.Options
		channel string
		want    string
		data    any // of the first row
	}{
		"numbers":                     {delays(t), chart.Options{Kind: chart.Scatter, X: "weight", Y: "delay"}, "x", "quantitative", 10.5},
		"days":                        {delays(t), chart.Options{Kind: chart.Line, X: "arrived", Y: "delay"}, "x", "temporal", "2025-01-08"},
		"times of one offset":         {table(t, "at|v", []any{"2025-01-08T23:30:00+08:00", 1}), chart.Options{Kind: chart.Line, X: "at"}, "x", "temporal", "2025-01-08T23:30:00Z"},
		"times of different offsets":  {table(t, "at|v", []any{"2025-01-08T23:30:00+08:00", 1}, []any{"2025-01-09T00:00:00Z", 1}), chart.Options{Kind: chart.Line, X: "at"}, "x", "temporal", "2025-01-08T15:30:00Z"},
		"texts":                       {delays(t), chart.Options{Kind: chart.Bar, X: "port", Sort: chart.ByRows}, "x", "nominal", "Miami"},
		"years":                       {table(t, "year|v", []any{2024, 1}), chart.Options{Kind: chart.Bar, X: "year", Y: "v"}, "x", "ordinal", 2024.0},
		"decimals of a database":      {decimal, chart.Options{Kind: chart.Bar, X: "k"}, "y", "quantitative", 12.5},
		"decimals without a type":     {table(t, "k|v", []any{"a", "12.50"}), chart.Options{Kind: chart.Bar, X: "k"}, "y", "quantitative", 12.5},
		"codes":                       {codes, chart.Options{Kind: chart.Bar, X: "v", Sort: chart.ByRows}, "x", "nominal", "12.50"},
		"codes that have to be added": {codes, chart.Options{X: "k", Y: "v"}, "y", "quantitative", 12.5},
		"digits that are no number":   {table(t, "zip|v", []any{"00501", 1}), chart.Options{Kind: chart.Bar, X: "zip"}, "x", "nominal", "00501"},
		"a date that MySQL knows not": {table(t, "d|v", []any{"2025-01-01", 1}, []any{"0000-00-00", 2}), chart.Options{Kind: chart.Line, X: "d"}, "x", "temporal", "2025-01-01"},
	} {
		t.Run(name, func(t *testing.T) {
			d := read(t, build(t, tt.rows, &tt.opt))
			c := d.Encoding[tt.channel]
			if c.Type != tt.want {
				t.Errorf("the type is %s, want %s", c.Type, tt.want)
			}
			if got := d.Data.Values[0][c.Field]; got != tt.data {
				t.Errorf("the data has %v, want %v", got, tt.data)
			}
		})
	}
}

func TestRowsOfWhatRepeats(t *testing.T) {
	d := read(t, build(t, table(t, "employee|dept", []any{"Ann", "IT"}, []any{"Bo", "IT"}, []any{"Cy", "HR"}), nil))
	if len(d.Data.Values) != 2 || d.Encoding["x"].Type != "nominal" {
		t.Errorf("not the rows of each department: %v", d.Data.Values)
	}
}

func TestSortAndLimit(t *testing.T) {
	rows := table(t, "k|v", []any{"b", 2}, []any{"c", 9}, []any{"a", 5}, []any{"d", 1})
	for name, tt := range map[string]struct {
		opt  chart.Options
		want string
	}{
		"nothing said":       {chart.Options{}, "cabd"},
		"as in the table":    {chart.Options{Sort: chart.ByRows}, "bcad"},
		"the first rows":     {chart.Options{Sort: chart.ByRows, Top: 2}, "bc"},
		"by name":            {chart.Options{Sort: chart.ByX}, "abcd"},
		"by name, backwards": {chart.Options{Sort: chart.ByXDesc}, "dcba"},
		"by number":          {chart.Options{Sort: chart.ByY}, "dbac"},
		"the largest":        {chart.Options{Sort: chart.ByYDesc, Top: 2}, "ca"},
		"the smallest":       {chart.Options{Sort: chart.ByY, Top: 2}, "db"},
		"some":               {chart.Options{Top: 3}, "cab"},
	} {
		t.Run(name, func(t *testing.T) {
			tt.opt.Kind = chart.Bar
			d := read(t, build(t, rows, &tt.opt))
			got := ""
			for _, row := range d.Data.Values {
				got += row["k"].(string)
			}
			if got != tt.want {
				t.Errorf("the bars are %s, want %s", got, tt.want)
			}
		})
	}
}

// TestDefaultOrder checks that categories of bars and pies are ordered by their
// number, unless they have an order of their own. Of the three values the second is
// the largest, and two are equal.
func TestDefaultOrder(t *testing.T) {
	for name, tt := range map[string]struct {
		kind    chart.Kind
		column  string
		x, want []any
	}{
		"bars":                     {chart.Bar, "port", []any{"c", "b", "a"}, []any{"b", "a", "c"}},
		"stacked bars":             {chart.StackedBar, "port", []any{"c", "b", "a"}, []any{"b", "a", "c"}},
		"grouped bars":             {chart.GroupedBar, "port", []any{"c", "b", "a"}, []any{"b", "a", "c"}},
		"slices":                   {chart.Pie, "port", []any{"c", "b", "a"}, []any{"b", "a", "c"}},
		"numbers that name things": {chart.Bar, "port_id", []any{3, 2, 1}, []any{2.0, 1.0, 3.0}},
		"a line":                   {chart.Line, "port", []any{"c", "b", "a"}, []any{"c", "b", "a"}},
		"years":                    {chart.Bar, "year", []any{2022, 2023, 2024}, []any{2022.0, 2023.0, 2024.0}},
		"dates":                    {chart.Bar, "d", []any{"2025-01-03", "2025-01-02", "2025-01-01"}, []any{"2025-01-01", "2025-01-02", "2025-01-03"}},
		"weekdays":                 {chart.Bar, "arrived", []any{"Monday", "Wed", "Sun."}, []any{"Monday", "Wed", "Sun."}},
		"months":                   {chart.Bar, "arrived", []any{"Jan 2025", "feb", "September"}, []any{"Jan 2025", "feb", "September"}},
		"months, by the name":      {chart.Bar, "month", []any{"janvier", "mars", "juin"}, []any{"janvier", "mars", "juin"}},
		"quarters":                 {chart.Bar, "arrived", []any{"2024-Q4", "Q1 2025", "Q2"}, []any{"2024-Q4", "Q1 2025", "Q2"}},
		"weeks":                    {chart.Bar, "arrived", []any{"2025-W09", "2025-W10", "2025W11"}, []any{"2025-W09", "2025-W10", "2025W11"}},
		"ranges":                   {chart.Bar, "late", []any{"< 5 days", "5-9", "10+"}, []any{"< 5 days", "5-9", "10+"}},
		"ranges of money":          {chart.Bar, "paid", []any{"0", "$1 to $50", "$51 or more"}, []any{"0", "$1 to $50", "$51 or more"}},
		"bins of a database":       {chart.Bar, "late", []any{"[0,5)", "[5, 10)", "[10,20]"}, []any{"[0,5)", "[5, 10)", "[10,20]"}},
		"weekdays and others":      {chart.Bar, "arrived", []any{"Monday", "Miami", "Sunday"}, []any{"Miami", "Monday", "Sunday"}},
		"digits without a range":   {chart.Bar, "model", []any{"00503", "00502", "00501"}, []any{"00502", "00501", "00503"}},
		"a name like a month":      {chart.Bar, "name", []any{"Marcus", "June", "April"}, []any{"June", "April", "Marcus"}},
	} {
		t.Run(name, func(t *testing.T) {
			rows := table(t, tt.column+"|part|n",
				[]any{tt.x[0], "p", 2}, []any{tt.x[2], "p", 4}, []any{tt.x[1], "q", 9}, []any{tt.x[0], "q", 2})
			if tt.want[0] == any(tt.x[0]) { // so that the order of the rows is the one of the values
				rows.Rows[1], rows.Rows[2] = rows.Rows[2], rows.Rows[1]
			}
			opt := &chart.Options{Kind: tt.kind, X: tt.column, Y: "n"}
			var got []any
			d := read(t, build(t, rows, opt))
			for _, row := range d.Data.Values {
				if x := row[tt.column]; !slices.Contains(got, x) {
					got = append(got, x)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestOrderOfCounts checks that counted categories are ordered by their count.
func TestOrderOfCounts(t *testing.T) {
	d := read(t, build(t, table(t, "port", []any{"b"}, []any{"c"}, []any{"a"}, []any{"c"}), nil))
	want := []map[string]any{{"port": "c", "count": 2.0}, {"port": "a", "count": 1.0}, {"port": "b", "count": 1.0}}
	if diff := cmp.Diff(want, d.Data.Values); diff != "" {
		t.Error(diff)
	}
}

// TestOrderOfSlices checks that slices have the given order, with those drawn
// together last.
func TestOrderOfSlices(t *testing.T) {
	rows := table(t, "port_id|n")
	for i := range 30 {
		if err := rows.Append((i*7)%30+1, i+1); err != nil {
			t.Fatal(err)
		}
	}
	for sort, first := range map[chart.Sort]any{"": "24", chart.ByYDesc: "24", chart.ByX: "2", chart.ByXDesc: "30", chart.ByRows: "18"} {
		t.Run(string(sort), func(t *testing.T) {
			s := build(t, rows, &chart.Options{Kind: chart.Pie, X: "port_id", Y: "n", Sort: sort})
			var spec struct {
				Encoding struct {
					Order struct{ Field, Sort string }
				}
				Data struct{ Values []map[string]any }
			}
			if err := json.Unmarshal(s.JSON, &spec); err != nil {
				t.Fatal(err)
			}
			order, values := spec.Encoding.Order, spec.Data.Values
			if values[0]["port_id"] != first || values[len(values)-1]["port_id"] != "(other)" {
				t.Errorf("they are %v", values)
			}
			if asked := sort != "" && sort != chart.ByYDesc; asked != (order.Sort == "ascending") || asked != (order.Field == "order") {
				t.Errorf("they are drawn by %+v", order)
			}
			if err := relint(s.JSON); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestNamesThatVegaLiteWouldMisread(t *testing.T) {
	for name, want := range map[string]string{
		"a.b": `a\.b`, "x[0]": `x\[0\]`, "日付": "日付", "datum": "datum", // escaped
		`d\e`: "d_e", `it's "q"`: "it_s _q_", "a\nb": "a_b", "toString": "toString_", "__proto__": "__proto___", // renamed
	} {
		t.Run(name, func(t *testing.T) {
			d := read(t, build(t, table(t, "v|"+name, []any{1, "x"}), &chart.Options{Kind: chart.Bar, X: name}))
			if got := d.Encoding["x"].Field; got != want {
				t.Errorf("the field is %s, want %s", got, want)
			}
		})
	}
}

// TestTooltipIsNoImage: vega-tooltip would show an entry with the name image as an
// image.
func TestTooltipIsNoImage(t *testing.T) {
	s := build(t, table(t, "image|n", []any{"https://example.com/pixel.png", 1}), nil)
	for channel, c := range read(t, s).Encoding {
		if c.Title == "image" || c.Title == "" {
			t.Errorf("the title of %s is %q", channel, c.Title)
		}
	}
}

func TestLimits(t *testing.T) {
	many := table(t, "at|device|v|w")
	for i := range 12_000 {
		if err := many.Append(fmt.Sprintf("2025-%02d-%02dT%02d:%02d:%02dZ", 1+i%12, 1+i/12%28, i%24, i%60, i/24%60), fmt.Sprintf("device %d", i%600), i%97, i); err != nil {
			t.Fatal(err)
		}
	}
	for _, kind := range []chart.Kind{chart.Bar, chart.Line, chart.Area, chart.Scatter, chart.Histogram, chart.Box, chart.Heatmap, chart.Pie} {
		t.Run(string(kind), func(t *testing.T) {
			opt := &chart.Options{Kind: kind}
			if kind == chart.Box {
				opt.X = "at"
			}
			s := build(t, many, opt)
			if n := len(read(t, s).Data.Values); n > 5000+100 || n == 0 || len(s.JSON) > 512<<10 {
				t.Errorf("it has %d rows and %d bytes", n, len(s.JSON))
			}
			if kind != chart.Histogram && len(s.Notes) == 0 {
				t.Error("nothing says that not all is drawn")
			}
		})
	}
}

func TestPartsAddUpToTheWhole(t *testing.T) {
	rows := table(t, "k|v")
	total := 0.0
	for i := range 60 {
		total += float64(i)
		if err := rows.Append(fmt.Sprint("k", i), i); err != nil {
			t.Fatal(err)
		}
	}
	d := read(t, build(t, rows, &chart.Options{Kind: chart.Pie}))
	got := 0.0
	for _, row := range d.Data.Values {
		got += row[d.Encoding["theta"].Field].(float64)
	}
	if got != total || len(d.Data.Values) != 20 {
		t.Errorf("%d slices of %v, want 20 of %v", len(d.Data.Values), got, total)
	}
}

func TestHistogramCountsEachRow(t *testing.T) {
	rows := table(t, "v")
	for i := range 500 {
		if err := rows.Append(float64(i*i%331)/10 - 12); err != nil {
			t.Fatal(err)
		}
	}
	d := read(t, build(t, rows, nil))
	got := 0.0
	for _, row := range d.Data.Values {
		got += row["count"].(float64)
	}
	if got != 500 || len(d.Data.Values) > 40 {
		t.Errorf("%d bins count %v rows", len(d.Data.Values), got)
	}
}

func TestRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		rows *qed.Table
		opt  chart.Options
		want refusal.Code
	}{
		"no rows":                    {table(t, "a|b"), chart.Options{}, chart.ErrNoData},
		"no table":                   {nil, chart.Options{}, chart.ErrNoData},
		"no such column":             {delays(t), chart.Options{X: "prot"}, chart.ErrUnknownField},
		"no such kind":               {delays(t), chart.Options{Kind: "3d"}, chart.ErrUnknownName},
		"no such aggregate":          {delays(t), chart.Options{Aggregate: "average"}, chart.ErrUnknownName},
		"the sum of texts":           {delays(t), chart.Options{Kind: chart.Bar, X: "arrived", Y: "port", Aggregate: chart.Sum}, chart.ErrAggregateType},
		"a column without values":    {table(t, "a|b", []any{nil, 1}), chart.Options{X: "a"}, chart.ErrNoData},
		"two columns of one name":    {table(t, "a|a|n", []any{"x", "y", 1}), chart.Options{X: "a"}, chart.ErrAmbiguousColumn},
		"a mean in a pie":            {delays(t), chart.Options{Kind: chart.Pie, Aggregate: chart.Mean}, chart.ErrAggregateType},
		"a negative slice":           {table(t, "a|n", []any{"x", -1}, []any{"y", 2}), chart.Options{Kind: chart.Pie}, chart.ErrFieldType},
		"a histogram of texts":       {delays(t), chart.Options{Kind: chart.Histogram, X: "port"}, chart.ErrFieldType},
		"a scatter of texts":         {delays(t), chart.Options{Kind: chart.Scatter, X: "delay", Y: "port"}, chart.ErrFieldType},
		"money as texts":             {table(t, "c|m", []any{"Ann", "$1,234.50"}, []any{"Bo", "$7.00"}), chart.Options{}, chart.ErrNoData},
		"a scatter without a number": {table(t, "a", []any{"x"}), chart.Options{Kind: chart.Scatter}, chart.ErrNoData},
		"a column against itself":    {delays(t), chart.Options{Kind: chart.Scatter, X: "delay", Y: "delay"}, chart.ErrMalformed},
		"a limit below zero":         {delays(t), chart.Options{Top: -1}, chart.ErrMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := chart.New(t.Context(), tt.rows, &tt.opt)
			if err == nil {
				t.Fatal("it was drawn")
			}
			if got := codes(t, err); got[0] != tt.want {
				t.Errorf("the codes are %v, want %s: %v", got, tt.want, err)
			}
		})
	}
}

// TestOwnChartsPassTheLint has every kind of chart, with names of all sorts.
func TestOwnChartsPassTheLint(t *testing.T) {
	for _, names := range []string{"at|port|part|delay|weight", `a.b|x[0]|it's|d\e|<b>`, "image|toString|count|日付|datum['x']"} {
		rows := table(t, names)
		for i := range 40 {
			var port any = []string{"Miami", "O'Hare.x[1]", "上海"}[i%3]
			if i%9 == 0 {
				port = nil
			}
			if err := rows.Append(fmt.Sprintf("2025-01-%02d", 1+i%28), port, []string{"A", "B"}[i%2], i*7%13, float64(i)/3); err != nil {
				t.Fatal(err)
			}
		}
		for _, kind := range []chart.Kind{"", chart.Bar, chart.StackedBar, chart.GroupedBar, chart.Line, chart.Area, chart.Scatter, chart.Histogram, chart.Box, chart.Heatmap, chart.Pie} {
			t.Run(names+" "+string(kind), func(t *testing.T) {
				s := build(t, rows, &chart.Options{Kind: kind})
				if err := relint(s.JSON); err != nil {
					t.Error(err)
				}
				if again := build(t, rows, &chart.Options{Kind: kind}); string(again.JSON) != string(s.JSON) {
					t.Error("the same rows give another chart")
				}
			})
		}
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

// Numbers that are the same for a browser are different categories, and can be added up.
func TestNumbersOfABrowser(t *testing.T) {
	rows := &qed.Table{Columns: []qed.Column{{Name: "ref"}, {Name: "n"}}}
	for i := range int64(3) {
		rows.Rows = append(rows.Rows, []any{int64(1<<53 + 1 + 2*i), i + 1})
	}
	s := build(t, rows, &chart.Options{Kind: chart.Bar, X: "ref", Y: "n"})
	if spec := string(s.JSON); len(s.Notes) > 0 || !strings.Contains(spec, `"n":2,"ref":"9007199254740995"`) {
		t.Errorf("%q, %s", s.Notes, spec)
	}
	build(t, rows, &chart.Options{Kind: chart.Bar, X: "n", Y: "ref"})
}
