package chart

import (
	"fmt"
	"maps"
	"slices"
)

// summingOps are the aggregates of parts that add up to that of the whole.
var summingOps = words("count distinct missing sum valid")

// stackedMarks are those that Vega-Lite stacks by itself where something tells their parts apart.
var stackedMarks = words("bar area arc")

// stacked refuses parts on top of each other whose numbers do not add up, such as means: the
// whole would be drawn as a number that it is not. o has the encoding of the view and of those
// around it.
func (l *linter) stacked(o object, path, mark string) {
	for _, name := range words("x y theta radius") {
		c, _ := o[name].(object)
		op := c["aggregate"]
		if op == nil || !l.stacks(c, mark) {
			continue
		}
		if s, ok := op.(string); ok && (slices.Contains(summingOps, s) || !slices.Contains(aggregateOps, s)) {
			continue
		}
		if s, _ := op.(string); parted(o, name) {
			if s == "" {
				s = "number"
			}
			l.fault(AggregateType, pointer(path, name), `the %s of parts is not stacked, as it does not add up to that of the whole: write "stack": null and give the parts an xOffset or a yOffset, or draw a line`, s)
		}
	}
}

// stacks reports whether Vega-Lite stacks a channel's number where there are parts.
func (l *linter) stacks(c object, mark string) bool {
	if scale, ok := c["scale"].(object); ok && scale["type"] != nil && scale["type"] != "linear" {
		return false
	}
	if !hasKey(c, "stack") {
		return slices.Contains(stackedMarks, mark)
	}
	return c["stack"] != nil && c["stack"] != false
}

// parted reports whether some field that is neither the other axis nor an offset tells marks
// apart.
func parted(o object, measured string) bool {
	places := map[string]bool{}
	for _, name := range words("x y theta radius xOffset yOffset") {
		if c, ok := o[name].(object); ok && name != measured {
			places[fieldOf(c)] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if slices.Contains(positionChannels, name) || slices.Contains(facetChannels, name) || name == "tooltip" {
			continue
		}
		list, several := o[name].([]any)
		if !several {
			list = []any{o[name]}
		}
		for _, e := range list {
			if c, ok := e.(object); ok && c["field"] != nil && c["aggregate"] == nil && !places[fieldOf(c)] {
				return true
			}
		}
	}
	return false
}

// fieldOf tells fields apart as they are drawn.
func fieldOf(c object) string { return fmt.Sprint(c["field"], c["timeUnit"], c["bin"]) }
