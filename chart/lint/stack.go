package lint

import (
	"fmt"
	"maps"
	"slices"
)

// stackedMarks are the marks that Vega-Lite stacks by default if they have parts.
var stackedMarks = words("bar area arc")

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
		for _, e := range listOf(o[name]) {
			if c, ok := e.(object); ok && c["field"] != nil && c["aggregate"] == nil && !places[fieldOf(c)] {
				return true
			}
		}
	}
	return false
}

// fieldOf identifies a field as it is drawn.
func fieldOf(c object) string { return fmt.Sprint(c["field"], c["timeUnit"], c["bin"]) }
