package chart

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/refusal"
)

const (
	maxBars   = 100 // on x
	maxPoints = 400 // categories of a line
)

// places draws one number for each x and color, or for each x and y of a heatmap.
func (d *drawing) places() (object, error) {
	number, second := d.y, d.by
	if d.kind == Heatmap {
		number, second = d.by, d.y
	}
	x := d.newScale(d.x)
	x.field = d.field(d.x.name)
	var by *scale
	if second != nil {
		by = d.newScale(second)
		if second == d.x {
			by.field = x.field
		} else {
			by.field = d.field(second.name)
		}
	}
	if err := d.bound(x, by); err != nil {
		return nil, err
	}
	if err := d.combine(x, by, number); err != nil {
		return nil, err
	}
	d.unknown(x, by, number)
	if d.kind == Pie { // small slices are drawn together, which would hide a negative one
		for _, t := range d.tallies(x, by, number) {
			if v, ok := t.value(d.aggregate); ok && v < 0 {
				return nil, refuse(refusal.Problem{
					Code: ErrFieldType, Path: "/y", Message: fmt.Sprintf(
						"some of the numbers of %s are negative, and a slice cannot be: draw a bar", vegalite.Quoted(d.valueName(number))),
				})
			}
		}
	}
	additive := d.aggregate == Sum || d.aggregate == Count
	if by != nil {
		d.fewer(by, d.sizes(by, x, by, number), d.seconds(), additive && d.kind != Heatmap, false)
	}
	d.fewer(x, d.sizes(x, x, by, number), d.firsts(x, by), d.kind == Pie, true) // the shares of a pie always add up
	d.arrange(x, d.sizes(x, x, by, number))
	value := d.field(d.valueName(number))
	tallies := d.tallies(x, by, number)
	d.left(x, by)
	d.emit(x, by, value, tallies)
	measured := object{"field": vegalite.Escape(value), "type": vegalite.Quantitative, "title": vegalite.Title(d.numberTitle(number))}
	return d.encode(x, by, measured), nil
}

// valueName names the number in the data.
func (d *drawing) valueName(number *field) string {
	switch {
	case number == nil:
		return "count"
	case d.aggregate == "":
		return number.name
	}
	return string(d.aggregate) + "_" + number.name
}

// bound rounds dates to longer periods, and refuses numbers that are too many for
// categories.
func (d *drawing) bound(scales ...*scale) error {
	for i, s := range scales {
		if s == nil {
			continue
		}
		slot := []string{"/x", "/color"}[i]
		line := i == 0 && (d.kind == Line || d.kind == Area)
		most := maxBars
		switch {
		case line:
			most = d.rows
			if d.aggregate == Count {
				most = maxBars
			}
			if b := scales[1]; b != nil {
				most = max(1, most/max(1, min(len(b.values), vegalite.MaxCategories)))
			}
		case i == 1 && d.kind != Heatmap, d.kind == Pie:
			most = vegalite.MaxCategories
		}
		most = min(most, d.rows)
		switch {
		case s.column.typ == vegalite.Temporal && (!line || len(s.values) > most):
			if s.together(most) {
				d.note(d.texts.ByUnit, "column", s.column.label, "unit", s.unit.word(d.texts))
			}
		case s.column.typ == vegalite.Quantitative && !line && len(s.values) > most:
			return refuse(vegalite.TooMany(slot, s.column.name, len(s.values), most))
		}
	}
	return nil
}

// left adds notes on rows without a value on a scale.
func (d *drawing) left(scales ...*scale) {
	for i, s := range scales {
		if s == nil || i > 0 && s.column == scales[0].column {
			continue
		}
		none := -s.column.other // these have a note of their own
		for _, cell := range s.cells {
			if cell == nil {
				none++
			}
		}
		if none > 0 {
			d.noteRows(d.texts.NoValueOf, none, "column", s.column.label, "more", "")
		}
	}
}

// unknown drops the values of x and the colors without any number, and adds a note
// on the rows. Counts always have a number.
func (d *drawing) unknown(x, by *scale, number *field) {
	if number == nil || d.aggregate == Count {
		return
	}
	none := 0
	with := map[*scale]map[any]bool{x: {}, by: {}}
	for i, cell := range number.cells {
		switch _, ok := placeOf(x, by, i); {
		case !ok:
		case cell == nil:
			none++
		default:
			with[x][x.cells[i]] = true
			if by != nil {
				with[by][by.cells[i]] = true
			}
		}
	}
	if none == 0 {
		return
	}
	gone := ""
	for _, s := range []*scale{x, by} {
		if s == nil {
			continue
		}
		all := len(s.values)
		s.keep(slices.DeleteFunc(slices.Clone(s.values), func(v any) bool { return !with[s][v] }), "")
		if n := all - len(s.values); n > 0 {
			have := []string{d.texts.Has, d.texts.Have}[min(1, n-1)]
			gone += usertext.Fill(d.texts.AlsoGone, "n", strconv.Itoa(n), "all", strconv.Itoa(all), "column", s.column.label, "have", have)
		}
	}
	d.noteRows(d.texts.NoValueOf, none, "column", number.label, "more", gone)
}
