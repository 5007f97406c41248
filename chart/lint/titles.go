package lint

import (
	"slices"

	"github.com/qedkit/qed/chart/internal/vegalite"
)

// titledChannels have an axis, a legend, a header or an entry in a tooltip.
var titledChannels = words("x y theta color fill stroke size shape opacity strokeDash row column facet tooltip")

// titles writes the titles that the channels of a view and of the views in it do not have:
// the words of the column, and what is computed from it.
func (l *linter) titles(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			l.titles(e)
		}
	case object:
		encoding, _ := v["encoding"].(object)
		for name, c := range encoding {
			if slices.Contains(titledChannels, name) {
				l.entitled(c)
			}
		}
		l.entitled(v["facet"])
		for _, key := range words("layer hconcat vconcat concat spec") {
			l.titles(v[key])
		}
	}
}

func (l *linter) entitled(v any) {
	for _, e := range listOf(v) {
		c, ok := e.(object)
		if !ok || hasKey(c, "title") || slices.ContainsFunc(words("axis legend header"), func(part string) bool {
			o, _ := c[part].(object)
			return hasKey(o, "title")
		}) {
			continue
		}
		op, _ := c["aggregate"].(string)
		field, isText := c["field"].(string)
		if field == "*" {
			field = ""
		}
		plain, _ := vegalite.Unescape(field)
		if op == "count" || isText && (op != "" || c["aggregate"] == nil) {
			c["title"] = vegalite.Title(l.texts.Aggregated(op, l.texts.Words(plain)))
		}
	}
}
