package integration_test

import (
	"slices"
	"strconv"
	"strings"
)

// queryOptions are what a query is for.
type queryOptions struct {
	top    bool
	one    bool // at most one row
	exists bool // its columns do not matter
	named  bool // its columns have different names
}

// query returns a query whose columns have the kinds of want, or any if it is nil.
// It returns the items of its first SELECT, and the columns that sort its rows.
func (g *generator) query(outer *genScope, want []genKind, opt queryOptions) (string, []genItem, []int) {
	g.depth++
	defer func() { g.depth-- }()
	if !opt.top {
		g.budget = max(g.budget, 2) + 1
	}
	if want == nil && !opt.exists {
		for range 1 + g.rng.IntN(4) {
			want = append(want, pickOne(g, []genKind{integerColumn, integerColumn, 'n', textColumn, textColumn, textColumn, dateColumn, stampColumn, booleanColumn}))
		}
	}
	if !opt.one && !opt.exists && g.depth < 3 && g.chance(12) {
		return g.setOperation(outer, want, opt)
	}
	body, items, s, form := g.block(outer, want, opt)
	tail, keys := "", []int(nil)
	switch {
	case opt.one && form != genAggregated:
		tail, keys = g.orderBy(s, items, form, true)
		tail += " " + g.limit(1)
	case s.first != "" || opt.top && g.chance(60) || g.chance(8):
		limit := g.chance(45)
		tail, keys = g.orderBy(s, items, form, limit)
		if limit && tail != "" {
			tail += " " + g.limit(1+g.rng.IntN(9))
		}
	}
	return body + tail, items, keys
}

// setOperation returns two or three SELECTs with the operators between them.
func (g *generator) setOperation(outer *genScope, want []genKind, opt queryOptions) (string, []genItem, []int) {
	var text string
	var items []genItem
	for i := range 2 + g.rng.IntN(4)/3 {
		arm, armItems, s, form := g.block(outer, want, queryOptions{named: opt.named})
		if i == 0 {
			items = armItems
		} else {
			text += " " + pickOne(g, g.setOps) + " "
		}
		switch {
		case g.chance(10) && g.name != "sqlite":
			tail, _ := g.orderBy(s, armItems, form, true)
			if tail != "" {
				tail += " " + g.limit(3)
			}
			arm = "(" + arm + tail + ")"
		case g.chance(10) && g.name != "sqlite":
			arm = "(" + arm + ")"
		}
		text += arm
	}
	if !opt.top && g.chance(70) {
		return text, items, nil
	}
	limit := g.chance(40)
	tail, keys := g.orderBy(nil, items, genDistinct, limit)
	if limit && tail != "" {
		tail += " " + g.limit(1+g.rng.IntN(9))
	}
	return text + tail, items, keys
}

// A genForm is a form of a SELECT.
type genForm int

const (
	genPlain genForm = iota
	genGrouped
	genAggregated
	genDistinct
)

// block returns a SELECT without ORDER BY.
func (g *generator) block(outer *genScope, want []genKind, opt queryOptions) (string, []genItem, *genScope, genForm) {
	s := &genScope{outer: outer, merged: map[string]bool{}}
	from, where := g.from(s)
	f := genPlain
	switch n := g.rng.IntN(100); {
	case from == "" || opt.exists:
	case opt.one && n < 60, n < 8:
		f = genAggregated
	case n < 40:
		f = genGrouped
	case n < 50:
		f = genDistinct
	}
	if g.chance(55) {
		where = append(where, g.operand(g.expr(s, booleanColumn), len(where) > 0))
	}
	b := "SELECT "
	var items []genItem
	var tail string
	switch {
	case opt.exists:
		item := pickOne(g, []string{"1", "*", "NULL", "1"})
		if from == "" {
			item = "1"
		}
		b += item
		f = genPlain
	case opt.top && f == genPlain && g.chance(12):
		star := g.star(s)
		b += star
		items = nil
	case f == genGrouped:
		items, tail = g.groups(s, want, opt)
	case f == genAggregated:
		s.grouped = true
		items = g.items(s, want, opt, func(k genKind) string {
			if k == booleanColumn || g.chance(70) {
				return g.aggregate(s, k)
			}
			return g.expr(s, k)
		})
	default:
		s.window = f == genPlain && from != "" && g.chance(5)
		items = g.items(s, want, opt, func(k genKind) string { return g.output(s, k, f) })
		if g.name == "duckdb" && f == genPlain && !s.window && from != "" && g.chance(8) {
			tail = g.expand(s, " QUALIFY row_number() OVER (PARTITION BY {c} {o}) <= {w}")
		} else if s.window {
			tail = g.expand(s, " WINDOW w AS (PARTITION BY {c} ORDER BY {c})")
		}
		if g.standard && f == genPlain && opt.top && g.chance(6) {
			s.first = g.atom(s, textColumn)
			b += "DISTINCT ON (" + s.first + ") "
		}
	}
	if f == genDistinct {
		b += "DISTINCT "
	}
	b += genList(items)
	if from != "" {
		b += " FROM " + from
	}
	if len(where) > 0 {
		b += " WHERE " + strings.Join(where, " AND ")
	}
	return b + tail, items, s, f
}

// operand puts an operand of AND into parentheses, mostly.
func (g *generator) operand(text string, needed bool) string {
	if needed && !isAtom(text) && g.chance(70) {
		return "(" + text + ")"
	}
	return text
}

// star returns a select list with a star.
func (g *generator) star(s *genScope) string {
	if len(s.relations) == 0 {
		return "1"
	}
	text := pickOne(g, []string{"*", "#.*", "#.*, 1 AS one", "*, 'x' AS flag"})
	if g.name == "duckdb" && g.chance(50) {
		name := g.ident(pickOne(g, pickOne(g, s.relations).columns).name)
		text = pickOne(g, []string{
			"* EXCLUDE (" + name + ")", "* REPLACE (1 AS " + name + ")",
			"#.* EXCLUDE (" + name + ")",
		})
	}
	if g.name == "mysql" && text[0] == '*' {
		text = "*"
	}
	return strings.ReplaceAll(text, "#", g.ident(pickOne(g, s.relations).alias))
}

// output returns an expression of a select list.
func (g *generator) output(s *genScope, k genKind, f genForm) string {
	if s.window && k == integerColumn {
		return g.expand(s, pickOne(g, []string{"RANK() OVER w", "SUM({ci}) OVER w", "COUNT(*) OVER (w)", "MAX({i}) OVER w - {ci}"}))
	}
	if f == genPlain && g.chance(10) {
		group := k
		if k == 'n' {
			group = decimalColumn
		}
		templates := g.windows[group]
		if g.chance(50) && len(g.ordered[group]) > 0 {
			templates = g.ordered[group]
		}
		if len(templates) > 0 {
			return g.expand(s, g.template(s, templates))
		}
	}
	if g.chance(40) {
		return g.atom(s, k)
	}
	return g.expr(s, k)
}

// items returns a select list.
func (g *generator) items(s *genScope, want []genKind, opt queryOptions, expr func(genKind) string) []genItem {
	items := make([]genItem, len(want))
	for i, k := range want {
		items[i] = genItem{text: expr(k), kind: k}
	}
	g.entitle(items, opt)
	return items
}

// entitle gives items their aliases.
func (g *generator) entitle(items []genItem, opt queryOptions) {
	used := map[string]bool{}
	for i := range items {
		it := &items[i]
		if !opt.named && g.chance(50) {
			continue
		}
		name := pickOne(g, genAliases)
		if used[strings.ToLower(name)] && (opt.named || g.chance(98)) {
			name = "c" + strconv.Itoa(i+1)
		}
		used[strings.ToLower(name)] = true
		it.name, it.alias, it.quoted = name, true, g.chance(12)
	}
}

// genList prints a select list.
func genList(items []genItem) string {
	texts := make([]string, len(items))
	for i, it := range items {
		texts[i] = it.text
		if it.alias {
			if texts[i] += " AS "; it.quoted || needsQuotes(it.name) {
				texts[i] += "\x01" + it.name + "\x01"
			} else {
				texts[i] += it.name
			}
		}
	}
	return strings.Join(texts, ", ")
}

// written returns an alias as it is written, always in the same way.
func (it genItem) written() string {
	if needsQuotes(it.name) {
		return "\x00" + it.name + "\x00" // the noise replaces the quotes
	}
	return it.name
}

// label returns the name of the output column, or another text if it has none.
func (it genItem) label() string {
	if it.alias {
		return strings.ToLower(it.name)
	}
	return strings.ToLower(strings.Trim(it.text[strings.LastIndex(it.text, ".")+1:], "`\"[]"))
}

// groups returns the select list and the GROUP BY of a grouped SELECT.
func (g *generator) groups(s *genScope, want []genKind, opt queryOptions) ([]genItem, string) {
	var keys []genItem
	computed := false
	for range 1 + g.rng.IntN(2) {
		k := pickOne(g, []genKind{textColumn, textColumn, integerColumn, dateColumn, 'n', booleanColumn})
		expr := g.atom(s, k)
		if g.chance(35) {
			expr, computed = g.expr(s, k), true
		}
		if genIsNumber(expr) && g.chance(90) {
			continue // a position
		}
		keys = append(keys, genItem{text: expr, kind: k})
	}
	if len(keys) == 0 {
		keys = append(keys, genItem{text: g.atom(s, textColumn), kind: textColumn})
	}
	s.grouped, s.keys = true, keys
	subtotals := ""
	// MariaDB computes a key again in the rows that ROLLUP adds, and MySQL does not.
	// The guard's statement has MySQL's rows.
	if len(g.rollup) > 0 && g.chance(12) && (g.name != "mysql" || !computed) {
		subtotals = pickOne(g, g.rollup)
	}
	var items []genItem
	used := make([]int, len(keys)) // position of a key in the select list
	for _, k := range want {
		it := genItem{kind: k}
		at := slices.IndexFunc(keys, func(key genItem) bool { return key.kind == k })
		if subtotals != "" && k == integerColumn && g.standard && g.chance(40) {
			it.text = "GROUPING(" + keys[0].text + ")"
		} else if at >= 0 && g.chance(80) {
			it.text = keys[at].text
			used[at] = len(items) + 1
		} else {
			it.text = g.groupedOutput(s, k)
		}
		items = append(items, it)
	}
	if opt.top { // keys first, as models write them
		for i, key := range keys {
			if used[i] == 0 && g.chance(80) {
				items = append([]genItem{key}, items...)
				for j := range used {
					if used[j] > 0 {
						used[j]++
					}
				}
				used[i] = 1
			}
		}
	}
	g.entitle(items, opt)
	terms := make([]string, len(keys))
	for i, key := range keys {
		terms[i] = key.text
		if used[i] == 0 {
			continue
		}
		it := items[used[i]-1]
		switch n := g.rng.IntN(100); {
		case n < 25:
			terms[i] = strconv.Itoa(used[i])
		case n < 55 && it.alias:
			terms[i] = it.written()
		}
	}
	tail := " GROUP BY "
	joined := strings.Join(terms, ", ")
	switch {
	case subtotals != "":
		tail += strings.ReplaceAll(subtotals, "#", joined)
	case g.name == "duckdb" && g.chance(15):
		tail += "ALL"
	default:
		tail += joined
	}
	if g.chance(30) {
		condition := g.expr(s, booleanColumn)
		if it := pickOne(g, items); it.alias && g.name != "postgres" && g.chance(40) {
			condition = it.written() + pickOne(g, []string{" > 1", " IS NOT NULL", " <> 'x'", " < 100"})
		}
		tail += " HAVING " + condition
	}
	return items, tail
}

func (g *generator) groupedOutput(s *genScope, k genKind) string {
	if g.chance(5) && k == integerColumn {
		return g.expand(s, "SUM("+g.aggregate(s, integerColumn)+") OVER ()")
	}
	if g.chance(5) && k == integerColumn {
		return "RANK() OVER (ORDER BY " + g.aggregate(s, 'n') + " DESC)"
	}
	if g.chance(75) {
		return g.aggregate(s, k)
	}
	return g.expr(s, k)
}

// orderBy returns an ORDER BY and the output columns that it sorts by. With total
// set no rows tie but equal ones.
func (g *generator) orderBy(s *genScope, items []genItem, f genForm, total bool) (string, []int) {
	if len(items) == 0 {
		return "", nil // of a star
	}
	if s != nil && s.first != "" { // DISTINCT ON
		return " ORDER BY " + s.first + ", " + strings.TrimPrefix(g.totalOrder(s), "ORDER BY "), nil
	}
	var terms []string
	var keys []int
	sorted := true // keys are all terms so far
	labels := map[string]int{}
	for _, it := range items {
		labels[it.label()]++
	}
	add := func(i int) {
		it := items[i]
		term := strconv.Itoa(i + 1)
		switch n := g.rng.IntN(100); {
		case labels[it.label()] > 1: // the name could mean the other item
		case n < 40 && it.alias:
			term = it.written()
		case n < 60 && s != nil && f != genDistinct && !genIsNumber(it.text):
			term = it.text
		}
		terms = append(terms, term+g.direction())
		if sorted {
			keys = append(keys, i)
		}
	}
	order := g.rng.Perm(len(items))
	for n, i := range order {
		if n == 0 && s != nil && f != genDistinct && g.chance(25) {
			terms = append(terms, g.key(s, items)+g.direction())
			sorted = false
		}
		if total || n == 0 || g.chance(40) {
			add(i)
		}
	}
	if g.name == "duckdb" && s != nil && g.chance(10) {
		keys = make([]int, len(items))
		for i := range keys {
			keys[i] = i
		}
		return " ORDER BY ALL", keys
	}
	return " ORDER BY " + strings.Join(terms, ", "), keys
}

// key returns an expression to sort by, which may use an alias.
func (g *generator) key(s *genScope, items []genItem) string {
	it := pickOne(g, items)
	if it.alias && g.name != "postgres" && g.chance(40) {
		return strings.ReplaceAll(pickOne(g, []string{"# IS NULL", "-#", "# + 1", "ABS(#)", "COALESCE(#, 0)", "length(#)"}), "#", it.written())
	}
	if s.grouped {
		return g.aggregate(s, 'n')
	}
	return g.expr(s, pickOne(g, []genKind{'n', textColumn, dateColumn, booleanColumn}))
}

func genIsNumber(text string) bool { return strings.Trim(text, "()-0123456789xb'") == "" }

// limit returns a LIMIT of n rows.
func (g *generator) limit(n int) string {
	text := pickOne(g, g.limits)
	if n == 1 {
		text = g.limits[0]
	}
	text = strings.ReplaceAll(text, "##", strconv.Itoa(g.rng.IntN(4)))
	return strings.ReplaceAll(text, "#", strconv.Itoa(n))
}
