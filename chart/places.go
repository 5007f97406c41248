package chart

import (
	"fmt"
	"slices"
)

const (
	maxBars    = 100 // on x
	maxPoints  = 400 // categories of a line
	longLabel  = 12  // characters
	manyBars   = 12
	otherParts = "(other)"
)

// places draws one number for each x and colour, or for each x and y of a heatmap.
func (d *drawing) places() (object, error) {
	number, second := d.y, d.by
	if d.kind == Heatmap {
		number, second = d.by, d.y
	}
	x := newScale(d.x)
	x.field = d.field(d.x.name)
	var by *scale
	if second != nil {
		by = newScale(second)
		if second == d.x {
			by.field = x.field
		} else {
			by.field = d.field(second.name)
		}
	}
	if err := d.bound(x, by); err != nil {
		return nil, err
	}
	if d.aggregate == "" && d.shared(x, by, number) {
		d.aggregate = Sum
		d.note("Where several rows share a place, their %s is added up.", number.name)
	}
	d.unknown(x, by, number)
	if d.kind == Pie { // before slices are drawn together, in which a negative one cannot be seen
		for _, t := range d.tallies(x, by, number) {
			if v, ok := t.value(d.aggregate); ok && v < 0 {
				return nil, refuse(Problem{Code: FieldType, Path: "/y", Message: "some of the numbers are negative, and a pie has only shares: draw a bar"})
			}
		}
	}
	additive := d.aggregate == Sum || d.aggregate == Count
	if by != nil {
		d.fewer(by, d.sizes(by, x, by, number), d.seconds(), additive && d.kind != Heatmap, false)
	}
	d.fewer(x, d.sizes(x, x, by, number), d.firsts(x, by), d.kind == Pie, true) // shares add up, whatever they are of
	d.arrange(x, d.sizes(x, x, by, number))
	value := d.field(d.valueName(number))
	tallies := d.tallies(x, by, number)
	d.left(x, by)
	d.emit(x, by, value, tallies)
	measured := object{"field": escaped(value), "type": quantitative, "title": titled(d.numberTitle(number))}
	return d.encode(x, by, measured), nil
}

// valueName is the name of the number in the data.
func (d *drawing) valueName(number *column) string {
	switch {
	case number == nil:
		return "count"
	case d.aggregate == "":
		return number.name
	}
	return string(d.aggregate) + "_" + number.name
}

// bound makes dates coarse enough, and refuses numbers that are no categories.
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
				most = max(1, most/max(1, min(len(b.values), d.categories)))
			}
		case i == 1 && d.kind != Heatmap, d.kind == Pie:
			most = d.categories
		}
		most = min(most, d.rows)
		switch {
		case s.column.typ == temporal && (!line || len(s.values) > most):
			if s.together(most) {
				d.note("Dates of %s are drawn by %s.", s.column.name, s.unit.word)
			}
		case s.column.typ == quantitative && !line && len(s.values) > most:
			return refuse(Problem{Code: TooManyCategories, Path: slot, Message: fmt.Sprintf("%s has %d different numbers, and %d can be told apart there: draw a histogram, a line or a scatter, or take another column",
				quoted(s.column.name), len(s.values), most)})
		}
	}
	return nil
}

// left notes the rows that have no place.
func (d *drawing) left(scales ...*scale) {
	for i, s := range scales {
		if s == nil || i > 0 && s.column == scales[0].column {
			continue
		}
		none := 0
		for _, cell := range s.cells {
			if cell == nil {
				none++
			}
		}
		if none > 0 {
			d.note("%s without a value of %s %s not drawn.", rowsOf(none), s.column.name, isOrAre(none))
		}
	}
}

// unknown leaves out the values of x and the colours that have no number, and notes the rows.
// What is counted has one: a row without a value is none.
func (d *drawing) unknown(x, by *scale, number *column) {
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
			gone += fmt.Sprintf("; %d of the %d values of %s %s no other", n, all, s.column.name, []string{"has", "have"}[min(1, n-1)])
		}
	}
	d.note("%s without a value of %s %s not drawn%s.", rowsOf(none), number.name, isOrAre(none), gone)
}

func isOrAre(n int) string { return []string{"is", "are"}[min(1, n-1)] }

func rowsOf(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}
