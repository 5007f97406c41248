package chart

import (
	"cmp"
	"fmt"

	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/refusal"
)

// A plan is what to draw, with everything chosen that Options left open.
type plan struct {
	kind Kind
	x    *field
	y    *field // the number, or y of a heatmap; nil: rows are counted
	by   *field // the colors, or the number of a heatmap; nil: none

	aggregate Aggregate // empty: Sum, if rows share a place
	sort      Sort
	limit     int
	title     string
}

// few is the number of colors that are chosen at most.
const few = 10

// choose finds the columns of the options, and chooses the rest.
func choose(columns []*field, o Options) (plan, error) {
	p := plan{kind: o.Kind, aggregate: o.Aggregate, sort: o.Sort, limit: o.Top, title: o.Title}
	c := &chooser{columns: columns, used: map[*field]bool{}}
	p.x, p.y, p.by = c.named("/x", o.X), c.named("/y", o.Y), c.named("/color", o.Color)
	if len(c.problems) > 0 {
		return p, refuse(c.problems...)
	}
	if err := p.readNumbers(); err != nil {
		return p, err
	}
	if p.kind == "" {
		p.kind = c.kindFor(&p)
	}
	switch p.kind {
	case Bar, StackedBar, GroupedBar, Line, Area:
		c.fillPlaces(&p)
		if p.by != nil && p.by != p.x && !p.aggregate.addsUp() {
			switch p.kind {
			case Bar:
				p.kind = GroupedBar
			case Area:
				c.fault("/aggregate", ErrAggregateType, fmt.Sprintf(
					"areas of several colors are stacked, and the %s of parts does not add up: draw a line", p.aggregate))
			}
		}
	case Pie:
		if p.x == nil {
			p.x, p.by = p.by, nil
		}
		c.fillPlaces(&p)
		if p.by != nil {
			c.fault("/color", ErrMalformed, "the colors of a pie are its slices: use the column as x")
		}
	case Scatter:
		c.fill(&p.x, "/x", "two columns of numbers", (*field).measures, (*field).timed)
		c.fill(&p.y, "/y", "two columns of numbers", (*field).measures)
		c.numbers("/y", p.y)
		if p.y != nil && p.y == p.x {
			c.fault("/y", ErrMalformed, "x and y are the same column: use two")
		}
	case Histogram:
		if p.x == nil && p.y != nil {
			p.x, p.y = p.y, nil
		}
		c.fill(&p.x, "/x", "a column of numbers", (*field).measures, (*field).timed)
		if p.x != nil && !p.x.numeric() && p.x.typ != vegalite.Temporal {
			c.fault("/x", ErrFieldType, "a histogram needs numbers or dates: draw a bar for texts")
		}
		if p.y != nil {
			c.fault("/y", ErrMalformed, "y of a histogram is the number of rows: leave it out")
		}
	case Box:
		if p.x == nil {
			p.x, p.by = p.by, nil
		}
		c.fill(&p.y, "/y", "a column of numbers", (*field).measures)
		c.numbers("/y", p.y)
		if p.by != nil {
			c.fault("/color", ErrMalformed, "a box has no colors: use the column as x")
		}
	case Heatmap:
		c.fill(&p.x, "/x", "two columns of categories or dates", (*field).timed, (*field).categories)
		c.fill(&p.y, "/y", "two columns of categories or dates", (*field).categories, (*field).timed)
		if p.by == nil && p.aggregate != Count {
			p.by = c.first((*field).measures)
		}
		c.number("/color", p.by, &p.aggregate)
	}
	if len(c.problems) > 0 {
		return p, refuse(c.problems...)
	}
	return p, nil
}

// readNumbers reads decimals in a column of a text type as numbers if the options
// need numbers there.
func (p *plan) readNumbers() error {
	needs := []*field{}
	switch {
	case p.aggregate == Count:
	case p.kind == Heatmap:
		needs = append(needs, p.by)
	case p.kind == Scatter:
		needs = append(needs, p.x, p.y)
	case p.kind == Histogram:
		needs = append(needs, p.x)
	case p.kind == Box || p.x != nil || p.aggregate != "":
		needs = append(needs, p.y)
	}
	for _, f := range needs {
		if f == nil {
			continue
		}
		if err := f.readNumbers(); err != nil {
			return err
		}
	}
	return nil
}

type chooser struct {
	columns  []*field
	used     map[*field]bool
	problems []refusal.Problem
}

func (c *chooser) fault(path string, code refusal.Code, message string) {
	c.problems = append(c.problems, refusal.Problem{Code: code, Path: path, Message: message})
}

// named finds the column of a name.
func (c *chooser) named(path, name string) *field {
	if name == "" {
		return nil
	}
	i, p := column.Find(c.columns[0].table, name)
	switch {
	case p != nil:
		p.Path, p.Name = path, ""
		c.problems = append(c.problems, *p)
		return nil
	case c.columns[i].values == 0:
		c.fault(path, ErrNoData, fmt.Sprintf("the column %s has no values", vegalite.Quoted(name)))
		return nil
	}
	c.used[c.columns[i]] = true
	return c.columns[i]
}

func (c *field) measures() bool { return c.typ == vegalite.Quantitative }
func (c *field) timed() bool    { return c.typ == vegalite.Temporal }
func (c *field) categories() bool {
	return (c.typ == vegalite.Nominal || c.typ == vegalite.Ordinal) && !column.IsIdentifier(c.name)
}
func (c *field) ordered() bool  { return c.typ == vegalite.Ordinal && !column.IsIdentifier(c.name) }
func (c *field) anything() bool { return true }

// isKey reports whether each value is in one row, so that bars of their numbers would all be 1.
func (c *field) isKey() bool { return c.values > 1 && c.distinct == c.values && !c.timed() }

// first returns the first unused column that one of the conditions holds for, in
// the order of the conditions.
func (c *chooser) first(sorts ...func(*field) bool) *field {
	for _, is := range sorts {
		for _, col := range c.columns {
			if is(col) && !c.used[col] && col.values > 0 && col.name != "" && c.single(col.name) {
				c.used[col] = true
				return col
			}
		}
	}
	return nil
}

func (c *chooser) single(name string) bool {
	return lists.Count(c.columns, func(col *field) bool { return col.name == name }) == 1
}

// fill chooses a column if *at is nil; needs is what the chart needs.
func (c *chooser) fill(at **field, path, needs string, sorts ...func(*field) bool) {
	if *at != nil {
		return
	}
	if *at = c.first(sorts...); *at == nil {
		c.fault(path, ErrNoData, "there is no column that fits: the chart needs "+needs)
	}
}

// kindFor chooses the kind that fits the columns.
func (c *chooser) kindFor(p *plan) Kind {
	count := func(is func(*field) bool) int {
		return lists.Count(c.columns, func(col *field) bool { return is(col) && col.values > 0 })
	}
	switch {
	case p.x != nil && p.y != nil && p.x.measures() && p.y.measures() && p.aggregate == "":
		return Scatter
	case p.x != nil && p.y != nil && !p.x.numeric() && !p.y.numeric():
		return Heatmap
	case p.x != nil && p.x.timed():
		return timeKind(p.x, p.y != nil || count((*field).measures) > 0)
	case p.x != nil && p.x.measures() && p.y == nil && p.aggregate == "":
		return Histogram
	case p.x != nil:
		return Bar
	case p.y != nil && !p.y.numeric():
		return Bar
	case p.by != nil && p.y == nil:
		return Bar
	}
	numbers := count((*field).measures)
	switch {
	case count((*field).timed) > 0:
		return timeKind(c.peek((*field).timed), numbers > 0 && p.aggregate != Count)
	case count((*field).categories) > 0:
		return Bar
	case numbers > 1 && p.aggregate == "":
		return Scatter
	case numbers > 0 && p.y == nil && p.aggregate == "":
		if id := c.peek((*field).names); id != nil {
			p.x, c.used[id] = id, true
			return Bar
		}
		return Histogram
	}
	return Bar
}

// names reports whether the column names a few things, such as customers by their ids, of
// which each row has a number. Of many the distribution is drawn.
func (c *field) names() bool {
	const most = 30
	return column.IsIdentifier(c.name) && c.isKey() && c.values <= most
}

func (c *chooser) peek(is func(*field) bool) *field {
	for _, col := range c.columns {
		if is(col) && col.values > 0 {
			return col
		}
	}
	return nil
}

// timeKind chooses a line if there are more than two numbers for it.
func timeKind(x *field, number bool) Kind {
	if number && x.distinct > 2 {
		return Line
	}
	return Bar
}

// fillPlaces chooses the columns of a chart with one number for each x.
func (c *chooser) fillPlaces(p *plan) {
	asked := p.by != nil || p.x != nil || p.y != nil
	across := []func(*field) bool{(*field).categories, (*field).timed, (*field).anything}
	if p.kind == Line || p.kind == Area || p.kind == Bar {
		across = []func(*field) bool{(*field).timed, (*field).ordered, (*field).categories, (*field).anything}
	}
	if p.y != nil && p.x == nil && !p.y.numeric() && p.aggregate == "" {
		p.x, p.y = p.y, nil // counts the rows of each y
	}
	c.fill(&p.x, "/x", "a column of categories, dates or numbers", across...)
	if p.y == nil && p.aggregate != Count {
		p.y = c.first((*field).measures)
		if p.y == nil && !asked && p.aggregate == "" && p.x != nil && p.x.isKey() { // counts the rows of another column
			if p.x = c.first(func(col *field) bool { return col.categories() && !col.isKey() }); p.x == nil {
				c.fault("/y", ErrNoData, "no column has numbers or the same value twice: "+
					"convert a column such as an amount of money to numbers first")
				return
			}
		}
	}
	c.number("/y", p.y, &p.aggregate)
	if p.by == nil && (p.kind == StackedBar || p.kind == GroupedBar || !asked && p.kind == Line) {
		p.by = c.first(func(col *field) bool { return col.categories() && col.distinct > 1 && col.distinct <= few })
		if p.by == nil && p.kind != Line {
			c.fault("/color", ErrNoData, "there is no column with few values for the parts of a bar: name one, or draw a bar")
		}
	}
}

// number checks that a column has the aggregate; nil means that rows are counted.
func (c *chooser) number(path string, col *field, a *Aggregate) {
	switch {
	case col == nil && *a != "" && *a != Count:
		c.fault(path, ErrAggregateType, fmt.Sprintf("the %s needs a column of numbers, and there is none", *a))
	case col == nil:
		*a = Count
	case *a != Count && !col.numeric():
		c.problems = append(c.problems, vegalite.NoAggregate(path, col.name, col.typ.Kind(), cmp.Or(string(*a), "sum")))
	}
}

// numbers checks a column whose single values are drawn.
func (c *chooser) numbers(path string, col *field) {
	if col != nil && !col.numeric() {
		c.fault(path, ErrFieldType,
			fmt.Sprintf("%s has %s, and the chart needs numbers", vegalite.Quoted(col.name), vegalite.Values(col.typ.Kind())))
	}
}
