package sqlproof_test

import (
	"fmt"
	"strings"
)

// A source is an operand of a FROM.
type source struct {
	alias  string
	label  string // the name of its table, or its alias
	text   string // in the statement
	hidden string // with columns that tell from which rows of tables its rows come
	row    string // the column of hidden that tells its rows apart
	fields []field
	parts  []string // columns of hidden: the rows of the tables that it joins, if it does no more than that
}

// A field is a column of a source.
type field struct {
	of     string // the alias of the source
	name   string
	table  string // the column of a table that it is, if it is one
	column string
	terms  [][]string // the columns of hidden of the rows that a sum of the field adds up
}

func (f field) String() string { return f.of + "." + f.name }

// A block is a SELECT with aggregates.
type block struct {
	sources    []*source
	outer      *source // of the enclosing query, for a correlated block
	from       string  // with hidden columns
	where      string
	when       string // the condition of the aggregate that is judged
	group      []string
	top        bool   // it is the whole statement
	statement  string // that, as a guard lets it run
	aggregates []*aggregate
}

type aggregate struct {
	text, alias string
	when        string // the condition of a FILTER or CASE
	terms       [][]string
	chosen      bool // the value is one of several terms
	rows        bool // it counts rows
	function    string
	value       string // the argument, if the value is that of an aggregate of distinct rows
}

// query returns the joined rows of a block.
func (b *block) query(items string) string {
	from := b.from
	if b.outer != nil {
		from += ", " + b.outer.hidden
	}
	where := b.where
	if b.when != "" && where == "" {
		where = " WHERE " + b.when
	} else if b.when != "" {
		where += " AND " + b.when
	}
	return "SELECT " + items + " FROM " + from + where
}

// labelled returns the columns that tell the rows of a table of the block apart, with those
// of all tables of subqueries.
func (b *block) labelled(label string) (rows []string) {
	for _, s := range b.sources {
		if s.label == label || s.alias == label {
			rows = append(rows, s.row)
		}
		rows = append(rows, s.parts...)
	}
	return rows
}

func (w *world) one(n int) bool { return w.rng.IntN(n) == 0 }

func pick[T any](w *world, list []T) T { return list[w.rng.IntN(len(list))] }

func (w *world) next() string {
	w.alias++
	return fmt.Sprintf("a%d", w.alias)
}

// statement returns a random statement, and its blocks with aggregates.
func (w *world) statement() (string, []*block) {
	g := &writer{world: w}
	w.alias = 0
	var text string
	switch w.rng.IntN(12) {
	case 0, 1:
		text = g.correlated()
	case 2:
		text = g.windowed()
	default:
		text = g.grouped(2, g.from(1+w.rng.IntN(3), 2)).text
		g.blocks[len(g.blocks)-1].top = true
	}
	if len(g.with) > 0 {
		text = "WITH " + strings.Join(g.with, ", ") + " " + text
	}
	return text, g.blocks
}

type writer struct {
	*world
	with   []string
	shared []*derived // CTEs
	names  []string
	blocks []*block
}

// table returns a table as a source.
func (g *writer) table() *source {
	tab := pick(g.world, g.tables)
	s := &source{alias: g.next(), label: tab.name}
	s.row = s.alias + ".r" + s.alias
	s.text = tab.name + " AS " + s.alias
	s.hidden = fmt.Sprintf("(SELECT rowid AS r%s, * FROM %s) AS %s", s.alias, tab.name, s.alias)
	for _, c := range tab.columns {
		s.fields = append(s.fields, field{of: s.alias, name: c, table: tab.name, column: c, terms: [][]string{{s.row}}})
	}
	return s
}

// source returns a table, a subquery or a CTE.
func (g *writer) source(depth int) *source {
	switch {
	case depth > 0 && g.one(5):
		return g.use(g.derived(depth-1), "")
	case depth > 0 && len(g.shared) > 0 && g.one(3):
		i := g.rng.IntN(len(g.shared))
		return g.use(g.shared[i], g.names[i])
	case depth > 1 && g.one(6):
		d := g.derived(depth - 1)
		name := fmt.Sprintf("c%d", len(g.shared))
		g.with = append(g.with, name+" AS ("+d.text+")")
		g.shared, g.names = append(g.shared, d), append(g.names, name)
		return g.use(d, name)
	}
	return g.table()
}

// A derived is a query in a FROM. Its fields are named without a source.
type derived struct {
	text   string
	hidden string // with columns h0.. that tell from which rows a field comes
	extra  int    // how many of them
	parts  []string
	fields []field
}

// use returns a source that reads a query.
func (g *writer) use(d *derived, cte string) *source {
	s := &source{alias: g.next()}
	s.label = s.alias
	s.row = s.alias + ".r" + s.alias
	var names []string
	for _, f := range d.fields {
		names = append(names, f.name)
		f.of = s.alias
		var terms [][]string
		for _, t := range f.terms {
			var rows []string
			for _, h := range t {
				if h == "row" {
					rows = append(rows, s.row)
				} else {
					rows = append(rows, s.alias+"."+s.alias+h)
				}
			}
			terms = append(terms, rows)
		}
		f.terms = terms
		s.fields = append(s.fields, f)
	}
	for i := range d.extra {
		names = append(names, fmt.Sprintf("h%d AS %sh%d", i, s.alias, i))
	}
	for _, h := range d.parts {
		s.parts = append(s.parts, s.alias+"."+s.alias+h)
	}
	s.text = "(" + d.text + ") AS " + s.alias
	if cte != "" {
		s.text = cte + " AS " + s.alias
		s.label = cte
	}
	s.hidden = fmt.Sprintf("(SELECT %s, row_number() OVER () AS r%s FROM (%s)) AS %s", strings.Join(names, ", "), s.alias, d.hidden, s.alias)
	return s
}

// A from is the FROM and WHERE of a block.
type from struct {
	sources      []*source
	text, hidden string
	where        string
}

func (f *from) fields() (all []field) {
	for _, s := range f.sources {
		all = append(all, s.fields...)
	}
	return all
}

// from returns a FROM of n sources, and a WHERE.
func (g *writer) from(n, depth int) *from {
	f := &from{}
	var where []string
	for i := range n {
		s := g.source(depth)
		if i == 0 {
			f.text, f.hidden, f.sources = s.text, s.hidden, []*source{s}
			continue
		}
		where = append(where, g.join(f, s, depth)...)
	}
	for range g.rng.IntN(3) {
		if g.one(2) {
			where = append(where, g.filter(f.fields()))
		}
	}
	if len(where) > 0 {
		f.where = " WHERE " + strings.Join(where, " AND ")
	}
	return f
}

// join joins a source. It returns conditions that are left to WHERE.
func (g *writer) join(f *from, s *source, depth int) (where []string) {
	text, hidden, added := s.text, s.hidden, []*source{s}
	if g.one(8) { // a LEFT JOIN (b JOIN c ON ..) ON ..
		other := g.source(depth)
		on := g.on(s.fields, other.fields)
		kind := pick(g.world, []string{" JOIN ", " LEFT JOIN "})
		text, hidden = "("+text+kind+other.text+" ON "+on+")", "("+hidden+kind+other.hidden+" ON "+on+")"
		added = append(added, other)
	}
	var fields []field
	for _, a := range added {
		fields = append(fields, a.fields...)
	}
	kind := pick(g.world, []string{" JOIN ", " JOIN ", " JOIN ", " LEFT JOIN ", " LEFT JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " FULL JOIN ", ", "})
	tail := ""
	switch shared := sharedNames(f.sources, s); {
	case kind == ", ":
		where = append(where, g.on(f.fields(), fields))
	case len(added) == 1 && len(f.sources) == 1 && len(shared) > 0 && g.one(8):
		tail = " USING (" + strings.Join(shared[:1+g.rng.IntN(len(shared))], ", ") + ")"
	case len(added) == 1 && len(f.sources) == 1 && len(shared) > 0 && g.one(20):
		kind = " NATURAL" + kind
	default:
		tail = " ON " + g.on(f.fields(), fields)
	}
	if strings.Contains(kind, "LEFT") && g.one(5) { // rows without a match
		where = append(where, pick(g.world, fields).String()+" IS NULL")
	}
	f.text += kind + text + tail
	f.hidden += kind + hidden + tail
	f.sources = append(f.sources, added...)
	return where
}

func sharedNames(sources []*source, s *source) (names []string) {
	for _, a := range sources[0].fields {
		for _, b := range s.fields {
			if a.name == b.name {
				names = append(names, a.name)
			}
		}
	}
	return names
}

// on returns a condition between two lists of fields.
func (g *writer) on(left, right []field) string {
	var all []string
	if pairs := g.linked(left, right); len(pairs) > 0 && !g.one(4) {
		p := pick(g.world, pairs)
		for _, q := range pairs {
			if q[0].of == p[0].of && q[1].of == p[1].of && !g.one(6) {
				all = append(all, g.equal(q[0], q[1]))
			}
		}
	}
	for len(all) == 0 || g.one(5) {
		l, r := pick(g.world, left), pick(g.world, right)
		all = append(all, pick(g.world, []func() string{
			func() string { return g.equal(l, r) },
			func() string { return g.equal(l, r) },
			func() string { return fmt.Sprintf("%v < %v", l, r) },
			func() string { return fmt.Sprintf("(%v = %v OR %v = %v)", l, r, pick(g.world, left), r) },
			func() string {
				return fmt.Sprintf("(%v, %v) = (%v, %v)", l, pick(g.world, left), r, pick(g.world, right))
			},
			func() string { return g.constant(r) },
			func() string { return g.constant(l) },
			func() string { return fmt.Sprintf("%v IN (%v)", l, r) },
			func() string { return fmt.Sprintf("%v BETWEEN %v AND %v", l, r, pick(g.world, right)) },
			func() string { return fmt.Sprintf("%v = %v + %v", l, r, pick(g.world, right)) },
		})())
	}
	return strings.Join(all, " AND ")
}

// linked returns the pairs of fields that the relationships of the schema compare.
func (g *writer) linked(left, right []field) (pairs [][2]field) {
	for _, l := range left {
		for _, r := range right {
			for _, link := range g.links {
				a, b := link[0], link[1]
				if l.table == a.table && l.column == a.column && r.table == b.table && r.column == b.column ||
					l.table == b.table && l.column == b.column && r.table == a.table && r.column == a.column {
					pairs = append(pairs, [2]field{l, r})
				}
			}
		}
	}
	return pairs
}

func (g *writer) equal(l, r fmt.Stringer) string {
	switch g.rng.IntN(14) {
	case 0:
		return fmt.Sprintf("%v IS %v", l, r)
	case 1:
		return fmt.Sprintf("%v = abs(%v)", l, r)
	case 2:
		return fmt.Sprintf("coalesce(%v, 0) = %v", l, r)
	case 3:
		return fmt.Sprintf("CAST(%v AS TEXT) = CAST(%v AS TEXT)", l, r)
	case 4:
		return fmt.Sprintf("%v = %v + 1", l, r)
	}
	return fmt.Sprintf("%v = %v", l, r)
}

func (g *writer) constant(f field) string {
	return fmt.Sprintf("%v = %d", f, g.rng.IntN(2))
}

// filter returns a condition for WHERE.
func (g *writer) filter(fields []field) string {
	f, h := pick(g.world, fields), pick(g.world, fields)
	tab := pick(g.world, g.tables)
	c := pick(g.world, tab.columns)
	x := g.next()
	return pick(g.world, []func() string{
		func() string { return g.constant(f) },
		func() string { return g.constant(f) },
		func() string { return fmt.Sprintf("%v IS NULL", f) },
		func() string { return fmt.Sprintf("%v IS NOT NULL", f) },
		func() string { return fmt.Sprintf("%v IS %d", f, g.rng.IntN(2)) },
		func() string { return fmt.Sprintf("%v > %d", f, g.rng.IntN(2)) },
		func() string { return fmt.Sprintf("%v = %v", f, h) },
		func() string { return fmt.Sprintf("NOT (%v = %v)", f, h) },
		func() string { return fmt.Sprintf("(%v = 1 OR %v = 0)", f, h) },
		func() string {
			return fmt.Sprintf("EXISTS (SELECT 1 FROM %s AS %s WHERE %s.%s = %v)", tab.name, x, x, c, f)
		},
		func() string {
			return fmt.Sprintf("NOT EXISTS (SELECT 1 FROM %s AS %s WHERE %s.%s = %v)", tab.name, x, x, c, f)
		},
		func() string { return fmt.Sprintf("%v IN (SELECT %s.%s FROM %s AS %s)", f, x, c, tab.name, x) },
		func() string { return fmt.Sprintf("%v = (SELECT max(%s.%s) FROM %s AS %s)", f, x, c, tab.name, x) },
		func() string {
			return fmt.Sprintf("%v = (SELECT min(%s.%s) FROM %s AS %s WHERE %s.k = %v)", f, x, c, tab.name, x, x, h)
		},
		func() string {
			return fmt.Sprintf("%v = (SELECT max(%s.%s) FROM %s AS %s WHERE %s.v = %v)", f, x, f.name, tab.name, x, x, h)
		},
	})()
}

// derived returns a query that a FROM can read.
func (g *writer) derived(depth int) *derived {
	f := g.from(1+g.rng.IntN(2), depth)
	switch g.rng.IntN(9) {
	case 0, 1:
		return g.simple(f, "", nil)
	case 2:
		return g.distinct(f)
	case 3, 4:
		return g.grouped(depth, f)
	case 5:
		return g.limited(f)
	case 6, 7:
		return g.numbered(f)
	}
	return g.united(f, depth)
}

// chosenFields returns some fields, each once.
func (g *writer) chosenFields(f *from, n int) []field {
	fields := f.fields()
	g.rng.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	return fields[:min(n, len(fields))]
}

// hide numbers the columns that tell from which rows fields come.
type hide struct {
	columns []string
	wrap    func(string) string
}

func (h *hide) terms(of [][]string) (out [][]string) {
	for _, t := range of {
		var rows []string
		for _, r := range t {
			rows = append(rows, h.name(r))
		}
		out = append(out, rows)
	}
	return out
}

func (h *hide) name(row string) string {
	for i, c := range h.columns {
		if c == row {
			return fmt.Sprintf("h%d", i)
		}
	}
	h.columns = append(h.columns, row)
	return fmt.Sprintf("h%d", len(h.columns)-1)
}

func (h *hide) items() (text string) {
	for i, c := range h.columns {
		if h.wrap != nil {
			c = h.wrap(c)
		}
		text += fmt.Sprintf(", %s AS h%d", c, i)
	}
	return text
}

// simple returns a query that selects, filters and joins. extra is one more item of it.
func (g *writer) simple(f *from, extra string, order []string) *derived {
	d := &derived{}
	h := &hide{}
	var items []string
	for i, x := range g.chosenFields(f, 2+g.rng.IntN(4)) {
		name := fmt.Sprintf("f%d", i)
		items = append(items, fmt.Sprintf("%v AS %s", x, name))
		d.fields = append(d.fields, field{name: name, table: x.table, column: x.column, terms: h.terms(x.terms)})
	}
	if extra == "" {
		for _, s := range f.sources {
			d.parts = append(d.parts, h.name(s.row))
		}
	}
	list := strings.Join(items, ", ") + extra
	d.text = "SELECT " + list + " FROM " + f.text + f.where
	d.hidden = "SELECT " + list + h.items() + " FROM " + f.hidden + f.where
	d.extra = len(h.columns)
	return d
}

func (g *writer) distinct(f *from) *derived {
	d := &derived{}
	h := &hide{wrap: func(row string) string { return "group_concat(DISTINCT " + row + ")" }}
	var items, by []string
	for i, x := range g.chosenFields(f, 1+g.rng.IntN(3)) {
		name := fmt.Sprintf("f%d", i)
		items = append(items, fmt.Sprintf("%v AS %s", x, name))
		by = append(by, x.String())
		d.fields = append(d.fields, field{name: name, table: x.table, column: x.column, terms: h.terms(x.terms)})
	}
	list := strings.Join(items, ", ")
	d.text = "SELECT DISTINCT " + list + " FROM " + f.text + f.where
	d.hidden = "SELECT " + list + h.items() + " FROM " + f.hidden + f.where + " GROUP BY " + strings.Join(by, ", ")
	d.extra = len(h.columns)
	return d
}

// limited returns a query with LIMIT.
func (g *writer) limited(f *from) *derived {
	d := g.simple(f, "", nil)
	d.parts = nil
	var names []string
	for _, x := range d.fields {
		names = append(names, x.name)
	}
	tail := fmt.Sprintf(" ORDER BY %s LIMIT %d", strings.Join(names, ", "), 1+g.rng.IntN(2))
	d.text += tail
	d.hidden += tail
	return d
}

// numbered returns the rows of a query with the number 1, or all with their numbers.
func (g *writer) numbered(f *from) *derived {
	fields := f.fields()
	p, o := pick(g.world, fields), pick(g.world, fields)
	by := fmt.Sprintf("PARTITION BY %v ORDER BY %v", p, o)
	switch g.rng.IntN(4) {
	case 0:
		by = fmt.Sprintf("PARTITION BY %v, %v ORDER BY %v", p, pick(g.world, fields), o)
	case 1:
		by = fmt.Sprintf("ORDER BY %v", o)
	}
	function := pick(g.world, []string{"row_number", "row_number", "row_number", "rank", "dense_rank"})
	d := g.simple(f, fmt.Sprintf(", %v AS fp, %s() OVER (%s) AS rn", p, function, by), nil)
	d.fields = append(d.fields, field{name: "fp", terms: [][]string{{"row"}}}, field{name: "rn", terms: [][]string{{"row"}}})
	if g.one(4) {
		return d
	}
	// SELECT .. FROM (..) WHERE rn = 1
	s := g.use(d, "")
	inner := &from{sources: []*source{s}, text: s.text, hidden: s.hidden, where: fmt.Sprintf(" WHERE %s.rn = 1", s.alias)}
	return g.simple(inner, fmt.Sprintf(", %s.fp AS fp", s.alias), nil).with(field{name: "fp", terms: [][]string{{"row"}}})
}

func (d *derived) with(f field) *derived {
	d.fields = append(d.fields, f)
	return d
}

// united returns the rows of two queries.
func (g *writer) united(f *from, depth int) *derived {
	one, two := g.simple(f, "", nil), g.simple(g.from(1, depth), "", nil)
	n := min(len(one.fields), len(two.fields))
	op := pick(g.world, []string{" UNION ALL ", " UNION ALL ", " UNION ", " EXCEPT ", " INTERSECT "})
	d := &derived{}
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("f%d", i))
		d.fields = append(d.fields, field{name: names[i], terms: [][]string{{"row"}}})
	}
	list := strings.Join(names, ", ")
	d.text = fmt.Sprintf("SELECT %s FROM (%s) AS %s%sSELECT %s FROM (%s) AS %s", list, one.text, g.next(), op, list, two.text, g.next())
	d.hidden = fmt.Sprintf("SELECT %s FROM (%s)%sSELECT %s FROM (%s)", list, one.hidden, op, list, two.hidden)
	return d
}

// grouped returns a query with aggregates.
func (g *writer) grouped(depth int, f *from) *derived {
	b := &block{sources: f.sources, from: f.hidden, where: f.where}
	g.blocks = append(g.blocks, b)
	d := &derived{}
	h := &hide{wrap: func(row string) string { return "group_concat(DISTINCT " + row + ")" }}
	var items, by []string
	for i, x := range g.chosenFields(f, g.rng.IntN(3)) {
		name := fmt.Sprintf("f%d", i)
		term, terms := x.String(), h.terms(x.terms)
		if g.one(8) {
			term, terms = term+" % 2", [][]string{{"row"}}
			d.fields = append(d.fields, field{name: name, terms: terms})
		} else {
			d.fields = append(d.fields, field{name: name, table: x.table, column: x.column, terms: terms})
		}
		items = append(items, term+" AS "+name)
		by = append(by, term)
		b.group = append(b.group, term)
	}
	for range 1 + g.rng.IntN(2) {
		a := g.aggregate(f)
		b.aggregates = append(b.aggregates, a)
		items = append(items, a.text+" AS "+a.alias)
		d.fields = append(d.fields, field{name: a.alias, terms: [][]string{{"row"}}})
	}
	list := strings.Join(items, ", ")
	tail := ""
	if len(by) > 0 {
		tail = " GROUP BY " + strings.Join(by, ", ")
		if g.one(8) {
			tail = " GROUP BY " + ordinals(len(by))
		}
	}
	d.text = "SELECT " + list + " FROM " + f.text + f.where + tail
	d.hidden = "SELECT " + list + h.items() + " FROM " + f.hidden + f.where + tail
	d.extra = len(h.columns)
	return d
}

// aggregate returns a random aggregate of the fields of a FROM.
func (g *writer) aggregate(f *from) *aggregate {
	fields := f.fields()
	x, y := pick(g.world, fields), pick(g.world, fields)
	a := &aggregate{terms: x.terms, function: pick(g.world, []string{"sum", "sum", "sum", "count", "avg", "total", "group_concat"})}
	g.alias++
	a.alias = fmt.Sprintf("g%d", g.alias)
	value := x.String()
	exact := true
	when := fmt.Sprintf(pick(g.world, []string{"%v > 1", "%v = 1", "%v = 1", "%v IS NULL", "%v IS NOT NULL", "NOT %v = 1"}), y)
	switch g.rng.IntN(16) {
	case 0:
		value, a.terms = fmt.Sprintf("%v * %v", x, y), products(x.terms, y.terms)
	case 1:
		value, a.terms = fmt.Sprintf("%v + %v", x, y), append(append([][]string{}, x.terms...), y.terms...)
	case 2:
		value, a.when = fmt.Sprintf("CASE WHEN %s THEN %v END", when, x), when
	case 3:
		value = fmt.Sprintf("CASE WHEN %s THEN %v ELSE 0 END", when, x)
		if a.function == "sum" || a.function == "total" {
			a.when = when
		}
	case 4:
		value, a.terms, a.chosen = fmt.Sprintf("coalesce(%v, %v)", x, y), append(append([][]string{}, x.terms...), y.terms...), true
		exact = false
	case 5:
		value = fmt.Sprintf("coalesce(%v, 0)", x)
		exact = a.function != "count" && a.function != "avg" && a.function != "group_concat"
	case 6:
		value = fmt.Sprintf("-abs(%v)", x)
	case 7:
		value = fmt.Sprintf("%v * 2", x)
	case 8, 9:
		value, a.terms, a.rows, exact = "*", nil, true, false
		a.function = "count"
	case 10:
		value, a.terms, a.rows, exact = "1", nil, true, false
		a.function = pick(g.world, []string{"count", "sum"})
	case 11:
		value, a.terms, exact = fmt.Sprintf("CASE WHEN %s THEN 1 ELSE 0 END", when), y.terms, false
		a.function, a.when = "sum", when
		if strings.HasSuffix(when, "IS NULL") {
			a.terms = nil
		}
	}
	if len(a.terms) > 1 && exact {
		exact = a.function == "sum" || a.function == "total"
	}
	if a.function == "group_concat" {
		exact = false
	}
	a.text = a.function + "(" + value + ")"
	if a.function == "count" && value != "*" && g.one(8) {
		a.text, exact = "count(DISTINCT "+value+")", false
	}
	if a.when == "" && g.one(6) {
		a.text, a.when = a.text+" FILTER (WHERE "+when+")", when
	}
	if exact && a.when == "" && !strings.Contains(value, "CASE") {
		a.value = value
	}
	return a
}

func products(x, y [][]string) (out [][]string) {
	for _, a := range x {
		for _, b := range y {
			out = append(out, append(append([]string{}, a...), b...))
		}
	}
	return out
}

// correlated returns a query with an aggregate for each row of a table.
func (g *writer) correlated() string {
	s := g.table()
	f := g.from(1+g.rng.IntN(2), 1)
	b := &block{sources: f.sources, outer: s, from: f.hidden}
	b.group = []string{s.row}
	on := g.on(s.fields, f.fields())
	if f.where == "" {
		f.where = " WHERE " + on
	} else {
		f.where += " AND " + on
	}
	b.where = f.where
	a := g.aggregate(f)
	a.value = ""
	b.aggregates = []*aggregate{a}
	g.blocks = append(g.blocks, b)
	return fmt.Sprintf("SELECT %v, (SELECT %s AS %s FROM %s%s) FROM %s", s.fields[0], a.text, a.alias, f.text, f.where, s.text)
}

// windowed returns a query with an aggregate for each partition.
func (g *writer) windowed() string {
	f := g.from(1+g.rng.IntN(3), 2)
	b := &block{sources: f.sources, from: f.hidden, where: f.where}
	over := ""
	for i, p := range g.chosenFields(f, g.rng.IntN(3)) {
		over += []string{"PARTITION BY ", ", "}[min(i, 1)] + p.String()
		b.group = append(b.group, p.String())
	}
	a := g.aggregate(f)
	a.text += " OVER (" + over + ")"
	a.value = ""
	b.aggregates = []*aggregate{a}
	g.blocks = append(g.blocks, b)
	return fmt.Sprintf("SELECT %s AS %s FROM %s%s", a.text, a.alias, f.text, f.where)
}

func ordinals(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprint(i+1))
	}
	return strings.Join(all, ", ")
}
