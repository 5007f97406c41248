package chart

import (
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
		setSize(body, usualWidth, object{"step": 20})
		if by.column.typ == temporal {
			setSize(body, usualWidth, usualHeight)
		}
		return body
	case Pie:
		mark["type"] = "arc"
		number["stack"] = true
		encoding["theta"], encoding["color"] = number, x.channel(true)
		encoding["order"] = d.slices(x, encoding)
		setSize(body, usualHeight, usualHeight)
		return body
	case Line, Area:
		mark["type"] = string(d.kind)
		if d.kind == Line && len(x.values) <= maxBars {
			mark["point"] = true
		}
		across := x.channel(false)
		if across["type"] == quantitative {
			across["scale"] = object{"zero": false}
		}
		encoding["x"], encoding["y"] = across, number
		if by != nil {
			encoding["color"] = by.channel(true)
		}
		if d.kind == Area {
			number["stack"] = d.stack(by)
		}
		setSize(body, usualWidth, usualHeight)
		return body
	}
	mark["type"] = "bar"
	main, other, offset := "x", "y", "xOffset"
	var width, height any = usualWidth, usualHeight
	if d.sideways(x) {
		main, other, offset = "y", "x", "yOffset"
		height = object{"step": 20}
	}
	encoding[main], encoding[other] = x.channel(true), number
	if by != nil {
		encoding["color"] = by.channel(true)
		if d.kind == GroupedBar {
			encoding[offset] = by.offset()
		}
	}
	number["stack"] = d.stack(by)
	setSize(body, width, height)
	return body
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
	out := object{"field": number["field"], "type": quantitative, "sort": "descending", "title": number["title"]}
	switch d.sort {
	case "", ByYDesc:
	case ByY:
		out["sort"] = "ascending"
	default:
		at := d.field("order")
		for i, row := range d.data {
			row[at] = i
		}
		out = object{"field": vegalite.Escape(at), "type": quantitative, "sort": "ascending"}
		// The default tooltip would show the order as well.
		encoding["tooltip"] = []any{
			object{"field": vegalite.Escape(x.field), "title": titled(x.column.name), "type": x.column.typ},
			object{"field": number["field"], "title": number["title"], "type": quantitative},
		}
	}
	return out
}

// offset is the scale within a group of bars.
func (s *scale) offset() object {
	c := s.channel(true)
	if s.column.typ == temporal {
		c["type"] = ordinal
	}
	return c
}

// sideways reports whether bars are horizontal, to make long labels readable.
func (d *drawing) sideways(x *scale) bool {
	if x.column.typ != nominal {
		return false
	}
	if len(x.values) > manyBars {
		return true
	}
	return slices.ContainsFunc(x.values, func(v any) bool { s, ok := v.(string); return ok && len([]rune(s)) > longLabel })
}
