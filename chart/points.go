package chart

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// scatter draws a point for each row.
func (d *drawing) scatter() (object, error) {
	encoding := object{}
	scales := map[string]*scale{"x": {column: d.x}, "y": {column: d.y}}
	if d.by != nil {
		scales["color"] = &scale{column: d.by}
		if !d.by.numeric() {
			scales["color"] = newScale(d.by)
			if d.by.typ == nominal && len(scales["color"].values) > d.categories {
				return nil, d.tooMany("/color", d.by)
			}
		}
	}
	byName := map[string]string{}
	for _, channel := range []string{"x", "y", "color"} {
		s := scales[channel]
		if s == nil {
			continue
		}
		if s.cells == nil {
			s.cells = s.column.cells
		}
		if byName[s.column.name] == "" {
			byName[s.column.name] = d.field(s.column.name)
		}
		s.field = byName[s.column.name]
		c := s.channel(false)
		if s.column.numeric() {
			c = object{"field": escaped(s.field), "title": titled(s.column.name), "type": quantitative}
		}
		if channel != "color" && c["type"] == quantitative {
			c["scale"] = object{"zero": false}
		}
		encoding[channel] = c
	}
	var rows []int
	for i := range d.x.cells {
		if d.x.cells[i] != nil && d.y.cells[i] != nil && (d.by == nil || scales["color"].cells[i] != nil) {
			rows = append(rows, i)
		}
	}
	if n := len(d.x.cells) - len(rows); n > 0 {
		d.note("%s without a value %s not drawn.", rowsOf(n), []string{"is", "are"}[min(1, n-1)])
	}
	if len(rows) > d.rows {
		d.note("Of %d points, %d are drawn, taken evenly.", len(rows), d.rows)
	}
	for _, at := range evenly(len(rows), d.rows) {
		row := object{}
		for _, s := range scales {
			row[s.field] = s.data(s.cells[rows[at]])
		}
		d.data = append(d.data, row)
	}
	body := object{"mark": object{"type": "point", "tooltip": true}, "encoding": encoding}
	d.size(body, usualWidth, usualHeight)
	return body, nil
}

func (d *drawing) tooMany(slot string, c *column) error {
	return refuse(Problem{Code: TooManyCategories, Path: slot, Message: fmt.Sprintf("%s has %d values, and %d can be told apart: take another column, or none", quoted(c.name), c.distinct, d.categories)})
}

const maxBins = 30

// histogram counts the rows in ranges of equal width, or by date.
func (d *drawing) histogram() (object, error) {
	if d.x.typ == temporal {
		d.aggregate = Count
		return d.places()
	}
	from, to := d.field(d.x.name), d.field(d.x.name+" end")
	count := d.field("count")
	var by *scale
	if d.by != nil {
		by = newScale(d.by)
		if len(by.values) > d.categories || d.by.typ == quantitative && len(by.values) > few {
			return nil, d.tooMany("/color", d.by)
		}
		if by.field = from; d.by != d.x {
			by.field = d.field(d.by.name)
		}
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, cell := range d.x.cells {
		if v, ok := cell.(float64); ok {
			low, high = min(low, v), max(high, v)
		}
	}
	step := binStep(low, high, d.x.values, d.x.whole)
	first := math.Floor(low / step)
	bins := int(min(math.Floor(high/step)-first+1, 4*maxBins))
	counts := map[place]int{}
	left := 0
	for i, cell := range d.x.cells {
		v, ok := cell.(float64)
		p := place{x: min(bins-1, max(0, int(math.Floor(v/step)-first)))}
		if ok && by != nil {
			p.by, ok = by.order[by.cells[i]]
		}
		if !ok {
			left++
			continue
		}
		counts[p]++
	}
	if left > 0 {
		d.note("%s without a value %s not counted.", rowsOf(left), []string{"is", "are"}[min(1, left-1)])
	}
	colours := 1
	if by != nil {
		colours = len(by.values)
	}
	for x := range bins {
		for c := range colours {
			n := counts[place{x, c}]
			if n == 0 {
				continue
			}
			row := object{from: (first + float64(x)) * step, to: (first + float64(x) + 1) * step, count: n}
			if by != nil && by.field != from {
				row[by.field] = by.data(by.values[c])
			}
			d.data = append(d.data, row)
		}
	}
	encoding := object{
		"x":  object{"field": escaped(from), "type": quantitative, "bin": object{"binned": true, "step": step}, "title": titled(d.x.name)},
		"x2": object{"field": escaped(to)},
		"y":  object{"field": escaped(count), "type": quantitative, "title": "Number of rows", "stack": "zero"},
	}
	if by != nil && by.field != from {
		encoding["color"] = by.channel(true)
	}
	body := object{"mark": object{"type": "bar", "tooltip": true}, "encoding": encoding}
	d.size(body, usualWidth, usualHeight)
	return body, nil
}

// binStep is a width of 1, 2 or 5 times a power of ten that gives a fitting number of bins.
func binStep(low, high float64, values int, whole bool) float64 {
	bins := min(maxBins, max(5, math.Sqrt(float64(values))))
	wide := high/bins - low/bins
	if wide == 0 || math.IsNaN(wide) {
		wide = math.Abs(high) / 10
	}
	if wide == 0 || whole && wide < 1 {
		return 1
	}
	power := math.Floor(math.Log10(wide))
	for _, digit := range []string{"1", "2", "5"} {
		// Read, and not computed, so that it is the number that is written so.
		if step, err := strconv.ParseFloat(fmt.Sprintf("%se%d", digit, int(power)), 64); err == nil && step >= wide {
			return step
		}
	}
	step, err := strconv.ParseFloat(fmt.Sprintf("1e%d", int(power)+1), 64)
	if err != nil || step == 0 {
		return wide
	}
	return step
}

// composite takes out what Vega-Lite escapes wrongly where it makes several marks of one.
var composite = strings.NewReplacer(".", "_", "[", "_", "]", "_")

// box draws the quartiles and outliers of y, for each x where there is one. Of many values,
// those at even ranks are drawn, so that quartiles and extremes stay where they are.
func (d *drawing) box() (object, error) {
	groups := []any{nil}
	var x *scale
	if d.x != nil {
		x = newScale(d.x)
		if d.x.typ == temporal && x.together(min(maxBars, d.rows)) {
			d.note("Dates of %s are drawn by %s.", d.x.name, x.unit.word)
		}
		if most := min(maxBars, d.rows); len(x.values) > most {
			return nil, refuse(Problem{Code: TooManyCategories, Path: "/x", Message: fmt.Sprintf("%s has %d values, and a chart at most %d boxes: take another column", quoted(d.x.name), len(x.values), most)})
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
		d.note("%s without a value %s not drawn.", rowsOf(n), []string{"is", "are"}[min(1, n-1)])
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
	encoding := object{"y": object{"field": escaped(y), "type": quantitative, "title": titled(d.y.name), "scale": object{"zero": false}}}
	if x != nil {
		encoding["x"] = x.channel(true)
		if d.x.typ == temporal {
			encoding["x"] = object{"field": escaped(x.field), "type": ordinal, "timeUnit": x.unit.name, "title": titled(d.x.name)}
		}
	}
	body := object{"mark": object{"type": "boxplot"}, "encoding": encoding}
	d.size(body, usualWidth, usualHeight)
	return body, nil
}
