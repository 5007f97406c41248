package chart

import (
	"fmt"
	"strings"
)

// A plan is what is drawn: all that Options left open is chosen.
type plan struct {
	kind Kind
	x    *column
	y    *column // the number, or what stands on y of a heatmap; nil: rows are counted
	by   *column // the colours, or the number of a heatmap; nil: none

	aggregate Aggregate // empty: Sum, where rows share a place
	sort      Sort
	limit     int
	title     string
}

// few is how many colours a chart has where nobody asked for them.
const few = 10

// choose finds the columns, and the kind of chart that suits them.
func choose(columns []*column, o Options) (plan, error) {
	p := plan{kind: o.Kind, aggregate: o.Aggregate, sort: o.Sort, limit: o.Top, title: o.Title}
	c := &chooser{columns: columns, used: map[*column]bool{}}
	p.x, p.y, p.by = c.named("/x", o.X), c.named("/y", o.Y), c.named("/color", o.Color)
	if len(c.problems) > 0 {
		return p, refuse(c.problems...)
	}
	if p.kind == "" {
		p.kind = c.kindFor(&p)
	}
	switch p.kind {
	case Bar, StackedBar, GroupedBar, Line, Area:
		c.fillPlaces(&p)
		if p.by != nil && p.by != p.x && !p.aggregate.stacks() {
			switch p.kind {
			case Bar:
				p.kind = GroupedBar
			case Area:
				c.fault("/aggregate", AggregateType, fmt.Sprintf("areas of several colours stand on each other, and the %s of parts cannot, as it is not that of the whole: draw a line", p.aggregate))
			}
		}
	case Pie:
		if p.x == nil {
			p.x, p.by = p.by, nil
		}
		c.fillPlaces(&p)
		if p.by != nil {
			c.fault("/color", Malformed, "the colours of a pie are its slices: put the column on x")
		}
	case Scatter:
		c.fill(&p.x, "/x", "two columns of numbers", (*column).measures, (*column).timed)
		c.fill(&p.y, "/y", "two columns of numbers", (*column).measures)
		c.numbers("/y", p.y)
		if p.y != nil && p.y == p.x {
			c.fault("/y", Malformed, "x and y are the same column: take two")
		}
	case Histogram:
		if p.x == nil && p.y != nil {
			p.x, p.y = p.y, nil
		}
		c.fill(&p.x, "/x", "a column of numbers", (*column).measures, (*column).timed)
		if p.x != nil && !p.x.numeric() && p.x.typ != temporal {
			c.fault("/x", FieldType, "a histogram is of numbers or dates: draw a bar of texts")
		}
		if p.y != nil {
			c.fault("/y", Malformed, "what stands on y of a histogram is how many rows there are: leave it out")
		}
	case Box:
		if p.x == nil {
			p.x, p.by = p.by, nil
		}
		c.fill(&p.y, "/y", "a column of numbers", (*column).measures)
		c.numbers("/y", p.y)
		if p.by != nil {
			c.fault("/color", Malformed, "a box has no colours: put the column on x")
		}
	case Heatmap:
		c.fill(&p.x, "/x", "two columns of categories or dates", (*column).timed, (*column).categories)
		c.fill(&p.y, "/y", "two columns of categories or dates", (*column).categories, (*column).timed)
		if p.by == nil && p.aggregate != Count {
			p.by = c.first((*column).measures)
		}
		c.number("/color", p.by, &p.aggregate)
	}
	if len(c.problems) > 0 {
		return p, refuse(c.problems...)
	}
	return p, nil
}

type chooser struct {
	columns  []*column
	used     map[*column]bool
	problems []Problem
}

func (c *chooser) fault(path string, code Code, message string) {
	c.problems = append(c.problems, Problem{Code: code, Path: path, Message: message})
}

// named finds the column of a name, which has to be the only one.
func (c *chooser) named(path, name string) *column {
	if name == "" {
		return nil
	}
	var found *column
	var names []string
	for _, col := range c.columns {
		names = append(names, col.name)
		if col.name != name {
			continue
		}
		if found != nil {
			c.fault(path, Malformed, fmt.Sprintf("two columns are called %s: give them different names in the query", quoted(name)))
			return nil
		}
		found = col
	}
	switch {
	case found == nil:
		p := Problem{Code: UnknownField, Path: path, Message: "there is no column " + quoted(name), Candidates: similar(name, names)}
		c.problems = append(c.problems, p)
		return nil
	case found.values == 0:
		c.fault(path, NoData, fmt.Sprintf("the column %s has no values", quoted(name)))
		return nil
	}
	c.used[found] = true
	return found
}

func (c *column) measures() bool { return c.typ == quantitative }
func (c *column) timed() bool    { return c.typ == temporal }
func (c *column) categories() bool {
	return (c.typ == nominal || c.typ == ordinal) && !identifierName(c.name)
}
func (c *column) ordered() bool  { return c.typ == ordinal && !identifierName(c.name) }
func (c *column) anything() bool { return true }

// first takes the first column that nothing uses and that is of a sort.
func (c *chooser) first(sorts ...func(*column) bool) *column {
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
	n := 0
	for _, col := range c.columns {
		if col.name == name {
			n++
		}
	}
	return n == 1
}

// fill takes a column where none was asked for. needs says what is missing where there is none.
func (c *chooser) fill(at **column, path, needs string, sorts ...func(*column) bool) {
	if *at != nil {
		return
	}
	if *at = c.first(sorts...); *at == nil {
		c.fault(path, NoData, "there is no column that fits: it takes "+needs)
	}
}

// kindFor says what the rows, or the columns that were asked for, are best drawn as.
func (c *chooser) kindFor(p *plan) Kind {
	count := func(is func(*column) bool) (n int) {
		for _, col := range c.columns {
			if is(col) && col.values > 0 {
				n++
			}
		}
		return n
	}
	switch {
	case p.x != nil && p.y != nil && p.x.measures() && p.y.measures() && p.aggregate == "":
		return Scatter
	case p.x != nil && p.y != nil && !p.x.numeric() && !p.y.numeric():
		return Heatmap
	case p.x != nil && p.x.timed():
		return timeKind(p.x, p.y != nil || count((*column).measures) > 0)
	case p.x != nil && p.x.measures() && p.y == nil && p.aggregate == "":
		return Histogram
	case p.x != nil:
		return Bar
	case p.y != nil && !p.y.numeric():
		return Bar
	case p.by != nil && p.y == nil:
		return Bar
	}
	numbers := count((*column).measures)
	switch {
	case count((*column).timed) > 0:
		return timeKind(c.peek((*column).timed), numbers > 0 && p.aggregate != Count)
	case count((*column).categories) > 0:
		return Bar
	case numbers > 1 && p.aggregate == "":
		return Scatter
	case numbers > 0 && p.y == nil && p.aggregate == "":
		return Histogram
	}
	return Bar
}

func (c *chooser) peek(is func(*column) bool) *column {
	for _, col := range c.columns {
		if is(col) && col.values > 0 {
			return col
		}
	}
	return nil
}

// timeKind: a line needs more than two numbers.
func timeKind(x *column, number bool) Kind {
	if number && x.distinct > 2 {
		return Line
	}
	return Bar
}

// fillPlaces completes a chart of one number for each x.
func (c *chooser) fillPlaces(p *plan) {
	asked := p.by != nil || p.x != nil || p.y != nil
	across := []func(*column) bool{(*column).categories, (*column).timed, (*column).anything}
	if p.kind == Line || p.kind == Area || p.kind == Bar {
		across = []func(*column) bool{(*column).timed, (*column).ordered, (*column).categories, (*column).anything}
	}
	if p.y != nil && p.x == nil && !p.y.numeric() && p.aggregate == "" {
		p.x, p.y = p.y, nil // how many there are of each
	}
	c.fill(&p.x, "/x", "a column of categories, dates or numbers", across...)
	if p.y == nil && p.aggregate != Count {
		p.y = c.first((*column).measures)
	}
	c.number("/y", p.y, &p.aggregate)
	if p.by == nil && (p.kind == StackedBar || p.kind == GroupedBar || !asked && p.kind == Line) {
		p.by = c.first(func(col *column) bool { return col.categories() && col.distinct > 1 && col.distinct <= few })
		if p.by == nil && p.kind != Line {
			c.fault("/color", NoData, "there is no column whose few values can be the parts of a bar: say which, or draw a bar")
		}
	}
}

// number checks that a column can be drawn as an aggregate; none means that rows are counted.
func (c *chooser) number(path string, col *column, a *Aggregate) {
	switch {
	case col == nil && *a != "" && *a != Count:
		c.fault(path, AggregateType, fmt.Sprintf("the %s of what: there is no column of numbers", *a))
	case col == nil:
		*a = Count
	case *a != Count && !col.numeric():
		c.fault(path, AggregateType, fmt.Sprintf("%s holds %s, of which there is no %s: take count, or a column of numbers",
			quoted(col.name), what(col.typ), strings.TrimSpace(string(*a)+" number")))
	}
}

// numbers checks a column whose single values are drawn.
func (c *chooser) numbers(path string, col *column) {
	if col != nil && !col.numeric() {
		c.fault(path, FieldType, fmt.Sprintf("%s holds %s, and it takes numbers", quoted(col.name), what(col.typ)))
	}
}

func what(m measure) string {
	if m == temporal {
		return "dates"
	}
	return "texts"
}
