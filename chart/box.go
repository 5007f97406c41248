package chart

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/refusal"
)

// composite replaces the characters that Vega-Lite escapes wrongly in marks that
// it makes several others of.
var composite = strings.NewReplacer(".", "_", "[", "_", "]", "_")

// box draws the quartiles and outliers of y, for each x if there is one. If there
// are too many values it draws those at even ranks, which keep the quartiles and
// the extremes.
func (d *drawing) box() (object, error) {
	groups := []any{nil}
	var x *scale
	if d.x != nil {
		x = newScale(d.x)
		if d.x.typ == temporal && x.together(min(maxBars, d.rows)) {
			d.note("Dates of %s are drawn by %s.", d.x.name, x.unit.word)
		}
		if most := min(maxBars, d.rows); len(x.values) > most {
			return nil, refuse(refusal.Problem{Code: ErrTooManyCategories, Path: "/x", Message: fmt.Sprintf(
				"%s has %d values, and a chart has at most %d boxes: use another column", vegalite.Quoted(d.x.name), len(x.values), most)})
		}
		if x.field = d.field(composite.Replace(d.x.name)); d.sort == ByXDesc {
			slices.Reverse(x.values)
		}
		groups = x.values
	}
	values := make(map[any][]float64, len(groups))
	total := 0
	for i, cell := range d.y.cells {
		v, ok := cell.(float64)
		var key any
		if ok && x != nil {
			key = x.cells[i]
			ok = key != nil
		}
		if ok {
			values[key] = append(values[key], v)
			total++
		}
	}
	if n := len(d.y.cells) - total; n > 0 {
		d.note("%s without a value %s not drawn.", rowsOf(n), isOrAre(n))
	}
	if total > d.rows {
		d.note("The boxes are drawn from about %d of %d values, taken at even ranks.", d.rows, total)
	}
	y := d.field(composite.Replace(d.y.name))
	for _, g := range groups {
		of := values[g]
		slices.Sort(of)
		share := len(of)
		if total > d.rows {
			share = max(1, d.rows*len(of)/total)
		}
		for _, at := range evenly(len(of), share) {
			row := object{y: of[at]}
			if x != nil {
				row[x.field] = x.data(g)
			}
			d.data = append(d.data, row)
		}
	}
	encoding := object{"y": object{
		"field": vegalite.Escape(y), "type": quantitative, "title": titled(d.y.name), "scale": object{"zero": false},
	}}
	if x != nil {
		encoding["x"] = x.channel(true)
		if d.x.typ == temporal {
			encoding["x"] = object{
				"field": vegalite.Escape(x.field), "type": ordinal, "timeUnit": x.unit.name, "title": titled(d.x.name),
			}
		}
	}
	body := object{"mark": object{"type": "boxplot"}, "encoding": encoding}
	setSize(body, usualWidth, usualHeight)
	return body, nil
}
