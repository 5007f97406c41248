package lint

import (
	"fmt"
	"maps"
	"slices"

	"github.com/qedkit/qed/chart/internal/vegalite"
)

// stackedMarks are the marks that Vega-Lite stacks by default if they have parts.
var stackedMarks = words("bar area arc")

// stacked refuses stacked parts whose numbers do not add up, such as means: the
// height of the stack would be a wrong number. o has the encoding of the view and
// of the views around it.
func (l *linter) stacked(o object, path, mark string) {
	for _, name := range words("x y theta radius") {
		c, _ := o[name].(object)
		op := c["aggregate"]
		if op == nil || !l.stacks(c, mark) {
			continue
		}
		if s, ok := op.(string); ok && (vegalite.AddsUp(s) || !slices.Contains(aggregateOps, s)) {
			continue
		}
		if s, _ := op.(string); parted(o, name) {
			if s == "" {
				s = "number"
			}
			l.fault(ErrAggregateType, pointer(path, name),
				`the %s of parts cannot be stacked, because it does not add up to that of the whole: `+
					`write "stack": null and give the parts an xOffset or a yOffset, or draw a line`, s)
		}
	}
}

// stacks reports whether Vega-Lite stacks the numbers of a channel.
func (l *linter) stacks(c object, mark string) bool {
	if scale, ok := c["scale"].(object); ok && scale["type"] != nil && scale["type"] != "linear" {
		return false
	}
	if !hasKey(c, "stack") {
		return slices.Contains(stackedMarks, mark)
	}
	return c["stack"] != nil && c["stack"] != false
}

// parted reports whether a field other than the other axis or an offset divides
// the marks.
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

// fieldOf identifies a field as it is drawn.
func fieldOf(c object) string { return fmt.Sprint(c["field"], c["timeUnit"], c["bin"]) }
