package chart

import (
	"fmt"
	"slices"

	"github.com/qedkit/qed/chart/internal/vegalite"
)

// emit writes the data, ordered by x and then by color.
func (d *drawing) emit(x, by *scale, value string, tallies map[place]*tally) {
	colours := []any{nil}
	if by != nil {
		colours = by.values
	}
	for _, v := range x.values {
		for _, c := range colours {
			p := place{x: x.order[v]}
			if by != nil {
				p.by = by.order[c]
			}
			t := tallies[p]
			if t == nil {
				continue
			}
			n, ok := t.value(d.aggregate)
			if !ok {
				continue
			}
			row := object{x.field: x.data(v), value: n}
			if by != nil {
				row[by.field] = by.data(c)
			}
			d.data = append(d.data, row)
		}
	}
}

// encode writes the mark and the channels.
func (d *drawing) encode(x, by *scale, number object) object {
	mark, encoding := object{"tooltip": true}, object{}
	body := object{"mark": mark, "encoding": encoding}
	switch d.kind {
	case Heatmap:
		mark["type"] = "rect"
		encoding["x"], encoding["y"], encoding["color"] = x.channel(true), by.channel(true), number
		return body
	case Pie:
		mark["type"] = "arc"
		number["stack"] = true
		encoding["theta"], encoding["color"] = number, x.channel(true)
		encoding["order"] = d.slices(x, encoding)
		body["width"], body["height"] = pieSize, pieSize
		return body
	case Line, Area:
		mark["type"] = string(d.kind)
		if d.kind == Line && len(x.values) <= maxDots {
			mark["point"] = true
		}
		across := x.channel(false)
		if across["type"] == vegalite.Quantitative {
			across["scale"] = object{"zero": false}
		}
		encoding["x"], encoding["y"] = across, number
		if d.kind == Area {
			number["stack"] = d.stack(by)
		}
		d.colored(x, by, encoding, number)
		return body
	}
	mark["type"] = "bar"
	main, other, offset := "x", "y", "xOffset"
	if d.sideways(x, by) {
		main, other, offset = "y", "x", "yOffset"
	}
	encoding[main], encoding[other] = x.channel(true), number
	number["stack"] = d.stack(by)
	d.colored(x, by, encoding, number)
	if by != nil && d.kind == GroupedBar {
		encoding[offset] = by.offset()
	}
	return body
}

const (
	pieSize = 300 // pixels
	maxDots = 40  // on a line
)

// colored encodes the colors. Parts that are stacked have the order of the legend, from
// top to bottom.
func (d *drawing) colored(x, by *scale, encoding, number object) {
	if by == nil {
		return
	}
	encoding["color"] = by.channel(true)
	if number["stack"] == "zero" && by.column != x.column {
		encoding["order"] = d.ordered(encoding, func(row object) int {
			return slices.IndexFunc(by.values, func(v any) bool {
				return by.data(v) == row[by.field]
			})
		}, "descending", x.tip(), by.tip(), number)
	}
}

// ordered orders marks by an index that is no part of what the tooltip shows.
func (d *drawing) ordered(encoding object, index func(row object) int, sort string, shown ...object) object {
	at := d.field("order")
	for _, row := range d.data {
		row[at] = index(row)
	}
	tips := make([]any, len(shown))
	for i, c := range shown {
		tip := object{"field": c["field"], "title": c["title"], "type": c["type"]}
		if c["timeUnit"] != nil {
			tip["timeUnit"] = c["timeUnit"]
		}
		tips[i] = tip
	}
	encoding["tooltip"] = tips
	return object{"field": vegalite.Escape(at), "type": vegalite.Quantitative, "sort": sort}
}

// tip encodes a scale in a tooltip, with times in UTC.
func (s *scale) tip() object {
	c := object{"field": vegalite.Escape(s.field), "title": vegalite.Title(s.column.label), "type": s.column.typ}
	if s.column.typ == vegalite.Temporal {
		unit := s.unit
		if unit == nil {
			unit = timeUnits[s.finest()]
		}
		c["timeUnit"] = unit.name
	}
	return c
}

// stack returns whether parts are stacked. It is always written: the default of
// Vega-Lite depends on the aggregate of the encoding, which is empty because rows
// are grouped here.
func (d *drawing) stack(by *scale) any {
	if by == nil || d.kind == GroupedBar || !d.aggregate.addsUp() {
		return false
	}
	return "zero"
}

// slices orders the slices of a pie, independently of their colors.
func (d *drawing) slices(x *scale, encoding object) object {
	number, _ := encoding["theta"].(object)
	out := object{"field": number["field"], "type": vegalite.Quantitative, "sort": "descending", "title": number["title"]}
	switch d.sort {
	case "", ByYDesc:
	case ByY:
		out["sort"] = "ascending"
	default:
		at := -1
		return d.ordered(encoding, func(object) int { at++; return at }, "ascending", x.tip(), number)
	}
	return out
}

// offset is the scale within a group of bars.
func (s *scale) offset() object {
	c := s.channel(true)
	if s.column.typ == vegalite.Temporal {
		c["type"] = vegalite.Ordinal
	}
	return c
}

// sideways reports whether bars are horizontal: those of names, which need room, and
// those whose labels would have to be turned.
func (d *drawing) sideways(x, by *scale) bool {
	if x.column.typ != vegalite.Nominal {
		return false
	}
	labels := make([]string, len(x.values))
	for i, v := range x.values {
		labels[i] = fmt.Sprint(x.data(v))
	}
	return !vegalite.Fits(labels) || !x.column.hasOrder() && by == nil
}
