package lint

import (
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed/chart"
	"github.com/qedkit/qed/chart/internal/vegalite"
)

// kindMarks are the marks that draw a kind of chart. The ranges of a histogram may
// come from the query, so it can be any of these marks.
var kindMarks = map[chart.Kind][]string{
	chart.Bar:        {"bar"},
	chart.StackedBar: {"bar"},
	chart.GroupedBar: {"bar"},
	chart.Line:       {"line", "trail"},
	chart.Area:       {"area"},
	chart.Scatter:    {"point", "circle", "square"},
	chart.Histogram:  {"bar", "rect", "area", "line"},
	chart.Box:        {"boxplot"},
	chart.Heatmap:    {"rect"},
	chart.Pie:        {"arc"},
}

// kind checks that a view has a mark of the kind of chart.
func (l *linter) kind(root object, want chart.Kind) {
	known, ok := kindMarks[want]
	switch {
	case want == "":
	case !ok:
		l.report(vegalite.UnknownWord("", "kind", want, slices.Sorted(maps.Keys(kindMarks))))
	case !slices.ContainsFunc(marks(root, nil), func(mark string) bool { return slices.Contains(known, mark) }):
		l.fault(ErrOtherKind, "", "it draws no %s chart: write a mark such as %s, or ask for the kind that it draws",
			want, strings.Join(known, ", "))
	}
}

// marks appends the marks of all views in v.
func marks(v any, found []string) []string {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			found = marks(e, found)
		}
	case object:
		if v["mark"] != nil {
			found = append(found, vegalite.MarkName(v["mark"]))
		}
		for _, key := range words("layer hconcat vconcat concat spec") {
			found = marks(v[key], found)
		}
	}
	return found
}
