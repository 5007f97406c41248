package lint

import "strings"

var (
	aggregateOps = words(`argmax argmin average count distinct max mean median min missing product q1 q3 ci0 ci1
		stderr stdev stdevp sum valid values variance variancep`)
	countingOps = words("count distinct valid missing values") // of any values
	orderingOps = words("min max argmin argmax")               // of numbers and dates

	timeUnitParts = words("year quarter month week dayofyear day date hours minutes seconds milliseconds")

	positionChannels = words(`x y x2 y2 xOffset yOffset xError yError xError2 yError2 theta theta2 radius radius2
		latitude longitude latitude2 longitude2`)
	separatingChannels = words("color fill stroke shape strokeDash row column facet") // each value has its own look
	facetChannels      = words("row column facet")
)

func words(s string) []string { return strings.Fields(s) }

// unitParts returns the parts of a time unit of Vega-Lite, the largest first, and nil if
// there is no such unit.
func unitParts(name string) (parts []string) {
	rest := strings.TrimPrefix(strings.TrimPrefix(name, "binned"), "utc")
	for _, part := range timeUnitParts {
		if part == "day" && strings.HasPrefix(rest, "date") {
			continue
		}
		if after, ok := strings.CutPrefix(rest, part); ok {
			rest, parts = after, append(parts, part)
		}
	}
	if rest != "" {
		return nil
	}
	return parts
}
