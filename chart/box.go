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

// box draws the quartiles and outliers of y, for each x if there is one.
func (d *drawing) box() (object, error) {
	x, err := d.boxes()
	if err != nil {
		return nil, err
	}
	y := d.field(composite.Replace(d.y.name))
	d.emitBoxes(x, y)
	encoding := object{"y": object{
		"field": vegalite.Escape(y), "type": vegalite.Quantitative, "title": vegalite.Title(d.y.label), "scale": object{"zero": false},
	}}
	if x != nil {
		encoding["x"] = x.channel(true)
		if d.x.typ == vegalite.Temporal {
			encoding["x"] = object{
				"field": vegalite.Escape(x.field), "type": vegalite.Ordinal, "timeUnit": x.unit.name, "title": vegalite.Title(d.x.label),
			}
		}
	}
	body := object{"mark": object{"type": "boxplot"}, "encoding": encoding}
	return body, nil
}

// boxes returns the scale of x, nil if there is one box only.
func (d *drawing) boxes() (*scale, error) {
	if d.x == nil {
		return nil, nil
	}
	x := d.newScale(d.x)
	most := min(maxBars, d.rows)
	if d.x.typ == vegalite.Temporal && x.together(most) {
		d.note(d.texts.ByUnit, "column", d.x.label, "unit", x.unit.word(d.texts))
	}
	if len(x.values) > most {
		return nil, refuse(refusal.Problem{Code: ErrTooManyCategories, Path: "/x", Message: fmt.Sprintf(
			"%s has %d values, and a chart has at most %d boxes: use another column",
			vegalite.Quoted(d.x.name), len(x.values), most)})
	}
	x.field = d.field(composite.Replace(d.x.name))
	if d.sort == ByXDesc {
		slices.Reverse(x.values)
	}
	return x, nil
}

// emitBoxes writes the values of y for each box. If there are too many it writes
// those at even ranks, which keep the quartiles and the extremes.
func (d *drawing) emitBoxes(x *scale, y string) {
	groups := []any{nil}
	if x != nil {
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
		d.noteRows(d.texts.NotDrawn, n)
	}
	if total > d.rows {
		d.note(d.texts.Boxes, "n", d.rows, "all", total)
	}
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
}
