package sqlproof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/sqlproof/proof"
)

// same are aggregates whose value does not change if rows repeat.
var same = map[string]bool{
	"min": true, "max": true, "bool_and": true, "bool_or": true, "every": true, "any_value": true, "arbitrary": true,
	"bit_and": true, "bit_or": true, "arg_max": true, "arg_min": true, "argmax": true, "argmin": true, "max_by": true,
	"min_by": true, "approx_count_distinct": true,
}

// counting are aggregates that count rows.
var counting = map[string]bool{"count": true, "count_star": true, "count_if": true, "countif": true, "regr_count": true}

// A grouping is a block with aggregates.
type grouping struct {
	*scope
	sel    *sqlast.Select
	group  []attr
	exact  bool // each row of the result is a group of all terms
	by     []sqlast.Expr
	unsure bool // a recursion is read: nothing is known
	judged []judgement
}

// A judgement is what was found out about a term before.
type judgement struct {
	term  term
	group []attr
	judged
}

// checkAggregates checks the aggregates and window functions of a block.
func (s *scope) checkAggregates(sel *sqlast.Select, order []sqlast.Order) {
	g := &grouping{scope: s, sel: sel, exact: !sel.Rollup && sel.Groupings <= 1}
	for _, e := range sel.GroupBy {
		e = s.term(sel, e)
		g.by = append(g.by, e)
		if _, a := s.value(s.frame, e); a != 0 && g.exact {
			g.group = append(g.group, a)
		}
	}
	for _, l := range s.leaves {
		g.unsure = g.unsure || l.rows != nil && l.rows.unknown
	}
	grouped := len(sel.GroupBy) > 0 || aggregates(sel)
	eachExpr(sel, order, func(e sqlast.Expr) { g.calls(e, grouped) })
	if grouped {
		g.bare(order)
		return
	}
	for _, o := range s.optional {
		s.missingRows(o)
	}
	if s.depth == 1 && !sel.Distinct {
		s.pairs()
	}
}

// aggregates reports whether a block has an aggregate of its own.
func aggregates(sel *sqlast.Select) bool {
	return sel.Having != nil || slices.ContainsFunc(sel.Items, func(it sqlast.Item) bool { return sqlast.HasAggregate(it.Expr) })
}

func (g *grouping) calls(e sqlast.Expr, grouped bool) {
	sqlast.Walk(e, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Query:
			return false
		case *sqlast.Call:
			switch {
			case n.Over != nil:
				g.window(n, grouped)
			case sqlast.IsAggregate(n):
				g.call(n, g.group)
				return false
			}
		}
		return true
	})
}

// window checks a window function. Over groups it sees each of them once.
func (g *grouping) window(call *sqlast.Call, grouped bool) {
	plain := *call
	plain.Over = nil
	if !sqlast.IsAggregate(&plain) || grouped {
		item := proof.Aggregate{Text: g.text(call), Verdict: dates.NotChecked, RowsRepeat: proof.Unknown, Affected: proof.Unknown, At: int(call.Pos)}
		if grouped {
			item.Verdict, item.RowsRepeat, item.Affected, item.RestsOn = dates.Proved, proof.No, proof.No, "each group is one row"
		}
		g.report.Aggregates = append(g.report.Aggregates, item)
		return
	}
	var partition []attr
	for _, p := range window(g.sel, call.Over).PartitionBy {
		if _, a := g.value(g.frame, p); a != 0 {
			partition = append(partition, a)
		}
	}
	g.call(call, partition)
}

// call checks an aggregate of the rows that agree in group.
func (g *grouping) call(call *sqlast.Call, group []attr) {
	item := proof.Aggregate{Text: g.text(call), RowsRepeat: proof.No, Affected: proof.No, At: int(call.Pos)}
	terms := g.ownersOf(call, group)
	rests := ""
	var bad []judged
	for _, t := range terms {
		j := g.judge(t, group)
		item.Of = appendNew(item.Of, j.of...)
		rests = first(rests, j.restsOn)
		if len(j.by) > 0 {
			bad = append(bad, j)
		}
	}
	constants := g.addsConstants(call)
	more := false
	if (counting[call.Name] || constants) && !call.Distinct {
		counted := terms
		if call.Star || constants {
			counted = nil
		}
		item.Counts, more = g.countsRows(counted, group)
	}
	g.decide(&item, call, bad, rests, len(terms))
	if rowsOnly := len(terms) == 0 && counting[call.Name]; len(bad) == 0 && len(g.leaves) > 1 && (rowsOnly || constants) {
		g.counts(&item, more, group)
	}
	if more {
		item.Counts = ""
	}
	if item.Verdict == dates.Proved && item.RowsRepeat == proof.No {
		g.dropped(&item, call, terms)
	}
	g.report.Aggregates = append(g.report.Aggregates, item)
	g.averages(call)
}

func appendNew(list []string, more ...string) []string {
	for _, name := range more {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// ownersOf returns the rows whose values a call aggregates. One that adds or counts
// constants counts the rows that it is chosen by.
func (g *grouping) ownersOf(call *sqlast.Call, group []attr) []term {
	if len(call.Args) == 0 {
		return nil
	}
	decides := func(t term) bool { return len(g.seenBy(g.leavesOf(t)).missing(union(t, group))) == 0 }
	args := call.Args[:1]
	if call.Name == "json_object_agg" || call.Name == "jsonb_object_agg" || call.Name == "json_objectagg" || call.Name == "json_group_object" {
		args = call.Args
	}
	var all []term
	for _, arg := range args {
		all = product(all, g.terms(g.frame, arg, decides))
	}
	if len(all) == 0 {
		if rows := g.rowsUnder(args[0]); len(rows) > 0 {
			all = []term{rows}
		}
	}
	return all
}

// judged is what was found out about the rows of a term.
type judged struct {
	of      []string
	by      []string
	leaves  []*leaf // that repeat them
	lookup  bool    // the first table of the FROM determines all: the value is looked up for each of its rows
	chasm   bool    // several independent joins
	known   bool    // the keys of the tables that repeat are known
	range_  bool    // a range of values of the other table that may not overlap
	joined  bool    // by columns of relationships, keys or nothing at all, not by others
	inside  bool    // a subquery repeated them
	merged  bool    // a subquery took different rows together
	united  kept    // if it was a UNION
	restsOn string
}

// judge finds out what repeats the rows of a term within a group.
func (g *grouping) judge(t term, group []attr) judged {
	for _, j := range g.judged {
		if slices.Equal(j.term, t) && slices.Equal(j.group, group) {
			return j.judged
		}
	}
	j := g.judgeNew(t, group)
	g.judged = append(g.judged, judgement{t, group, j})
	return j
}

func (g *grouping) judgeNew(t term, group []attr) judged {
	c := g.seenBy(g.leavesOf(t))
	j := judged{known: true, joined: true}
	for _, l := range g.leavesOf(t) {
		j.of = appendNew(j.of, g.leaves[l].label)
	}
	for _, row := range t {
		if l := g.leaves[g.owner[row]]; row != l.row {
			o := l.rows.origins[slices.Index(l.origins, row)]
			if !o.unique {
				j.inside = true
				j.by = appendNew(j.by, o.by...)
				if len(o.by) == 0 {
					j.by = appendNew(j.by, l.label)
				}
			}
			if o.unique && !o.whole {
				j.merged, j.united = true, o.united
			}
		}
	}
	start := union(t, group)
	if j.inside {
		return j
	}
	j.leaves = c.repeating(start, t)
	if len(j.leaves) == 0 {
		j.restsOn = c.keysUsed()
		if j.merged {
			j.by = j.of
		}
		return j
	}
	j.by = names(j.leaves)
	for _, l := range j.leaves {
		j.known = j.known && c.knowsKeys(l)
		j.joined = j.joined && c.joinedByKeys(l)
		j.range_ = j.range_ || c.byValidity(l)
	}
	base := !slices.ContainsFunc(c.leavesOf(t), func(l int) bool { return c.leaves[l].rows != nil })
	j.lookup = base && len(g.leaves) > 0 && len(c.missing(append([]attr{g.leaves[0].row}, group...))) == 0
	of := g.leavesOf(t)
	for _, l := range j.leaves {
		of = append(of, l.index)
	}
	j.chasm = !j.lookup && g.seenBy(of).independent(t, j.leaves)
	return j
}

// repeating returns the leaves whose joins repeat the rows of start, in the order in which
// they are reached from the rows of t.
func (c *view) repeating(start []attr, t term) []*leaf {
	var out []*leaf
	start = slices.Clone(start)
	for missing := c.missing(start); len(missing) > 0; missing = c.missing(start) {
		next := c.nearest(start, missing)
		out = append(out, next)
		start = append(start, next.row)
	}
	return out
}

// nearest returns one of the missing leaves that a condition connects with a known one.
func (c *view) nearest(start []attr, missing []*leaf) *leaf {
	known := closure(c.n, c.rules, start, c.holds)
	for i := range c.conds {
		k := &c.conds[i]
		of := c.leavesOf(c.columns(k.frame, k.expr))
		if !slices.ContainsFunc(of, func(l int) bool {
			return known[c.leaves[l].row] || slices.ContainsFunc(start, func(a attr) bool { return c.owner[a] == l })
		}) {
			continue
		}
		for _, l := range missing {
			if slices.Contains(of, l.index) {
				return l
			}
		}
	}
	return missing[0]
}

func names(leaves []*leaf) (out []string) {
	for _, l := range leaves {
		out = appendNew(out, l.label)
	}
	return out
}

// knowsKeys reports whether the schema tells which rows of a leaf are unique: it has a key,
// or it is the many side of a relationship.
func (c *view) knowsKeys(l *leaf) bool {
	switch {
	case l.rows != nil:
		return !l.rows.unknown
	case l.call:
		return true
	case l.table == nil:
		return false
	}
	// A foreign key refers to columns that are unique, although no key of the schema says so.
	return !slices.ContainsFunc(l.table.refers, func(e *edge) bool { return e.back && e.declared && !l.table.isKey(e.from) && c.compares(l, e.from) }) &&
		(len(l.table.keys) > 0 || slices.ContainsFunc(l.table.refers, func(e *edge) bool { return !e.back }))
}

// compares reports whether conditions compare columns of a leaf with those of others.
func (c *view) compares(l *leaf, columns []int) bool {
	return !slices.ContainsFunc(columns, func(column int) bool {
		a := attrOf(l, column)
		return a == 0 || !slices.ContainsFunc(c.conds, func(k cond) bool {
			for x, y := range equalities(k.expr) {
				_, p := c.value(k.frame, x)
				_, q := c.value(k.frame, y)
				if p == a && q != 0 || q == a && p != 0 {
					return true
				}
			}
			return false
		})
	})
}

// joinedByKeys reports whether the columns that connect a leaf with others are part of a key
// or a relationship of its table, or no columns are compared. Nothing says whether other
// columns repeat.
func (c *view) joinedByKeys(l *leaf) bool {
	if l.table == nil {
		return true
	}
	for i := range c.conds {
		k := &c.conds[i]
		for x, y := range equalities(k.expr) {
			for range 2 {
				if of, a := c.value(k.frame, x); of == l && len(c.columns(k.frame, y)) > 0 {
					if _, column := columnOf(l, a); !l.table.mentions(column) {
						return false
					}
				}
				x, y = y, x
			}
		}
	}
	return true
}

// mentions reports whether a column is part of a key or a relationship.
func (t *table) mentions(column int) bool {
	return slices.ContainsFunc(t.keys, func(k key) bool { return slices.Contains(k.columns, column) }) ||
		slices.ContainsFunc(t.refers, func(e *edge) bool { return slices.Contains(e.from, column) })
}

// byValidity reports whether a leaf is joined by a value of another one between two of its
// columns, as with periods of validity. They may never overlap; no key says so.
func (c *view) byValidity(l *leaf) bool {
	only := func(k *cond, e sqlast.Expr) bool {
		of := c.leavesOf(c.columns(k.frame, e))
		return len(of) == 1 && of[0] == l.index
	}
	below, above := false, false
	for i := range c.conds {
		k := &c.conds[i]
		switch e := k.expr.(type) {
		case *sqlast.Between:
			if !e.Not && only(k, e.Low) && only(k, e.High) && !only(k, e.X) {
				return true
			}
		case *sqlast.Binary:
			x, y := only(k, e.X), only(k, e.Y)
			switch e.Op {
			case sqlast.Lt, sqlast.Le:
				below, above = below || y && !x, above || x && !y
			case sqlast.Gt, sqlast.Ge:
				below, above = below || x && !y, above || y && !x
			}
		}
	}
	return below && above
}

// independent reports whether several leaves repeat the rows of a term, or one repeats rows
// next to others that the same rows repeat: none of them belongs to the other.
func (c *view) independent(t term, leaves []*leaf) bool {
	if len(leaves) > 1 {
		for _, l := range leaves {
			for _, other := range leaves {
				if l != other && !slices.Contains(c.missing([]attr{l.row}), other) {
					return false
				}
			}
		}
		return true
	}
	missing := c.missing([]attr{leaves[0].row})
	return slices.ContainsFunc(missing, func(l *leaf) bool {
		return slices.ContainsFunc(t, func(a attr) bool { return c.owner[a] == l.index })
	})
}

// keysUsed says on what the keys of the tables rest.
func (c *view) keysUsed() string {
	if len(c.leaves) < 2 {
		return ""
	}
	var out []string
	for _, l := range c.leaves {
		if l.table == nil {
			continue
		}
		for _, k := range l.table.keys {
			if c.keyOf(l, k) != nil {
				out = appendNew(out, k.basis+" of "+l.table.name)
				break
			}
		}
	}
	return strings.Join(out, ", ")
}

// countsRows returns the table of which a count of values of some rows counts rows. more
// means that it counts others as well, which an outer join kept without a row of the table.
func (g *grouping) countsRows(terms []term, group []attr) (table string, more bool) {
	var of []int
	for _, t := range terms {
		of = append(of, g.leavesOf(t)...)
	}
	seen := g.seenBy(of)
	for _, l := range g.leaves {
		start := append([]attr{l.row}, group...)
		missing := slices.ContainsFunc(seen.free, func(side span) bool { return side.has(l.index) })
		switch {
		case !missing && len(seen.missing(start)) == 0:
			return l.label, false
		case missing && table == "" && len(g.seenBy(append(of, l.index)).missing(start)) == 0:
			table, more = l.label, true
		}
	}
	return table, more
}

// decide sets the verdict of an aggregate, and adds what there is to say about it.
func (g *grouping) decide(item *proof.Aggregate, call *sqlast.Call, bad []judged, rests string, terms int) {
	unaffected := same[call.Name] || call.Distinct && (counting[call.Name] || isList(call.Name))
	var repeated []judged
	for _, j := range bad {
		if !j.merged || j.inside || len(j.leaves) > 0 {
			repeated = append(repeated, j)
		}
	}
	switch {
	case g.unsure:
		item.Verdict, item.RowsRepeat, item.Affected = dates.NotChecked, proof.Unknown, proof.Unknown
	case len(bad) == 0:
		item.Verdict, item.RestsOn = dates.Proved, rests
	case len(repeated) == 0:
		g.merged(item, call, bad[0])
	default:
		g.repeated(item, call, repeated, unaffected, terms)
	}
}

// counts says what a count of joined rows counts.
func (g *grouping) counts(item *proof.Aggregate, more bool, group []attr) {
	f := proof.Finding{
		Code: proof.CountRows, Severity: proof.Note, Subject: item.Text, Of: []string{item.Counts}, At: item.At,
		Message: fmt.Sprintf("%s counts rows of %s", item.Text, item.Counts),
	}
	switch {
	case more:
		f.Message += ", and what has no row of " + item.Counts + " as one"
		f.Fix = "COUNT(key of " + item.Counts + ") counts 0 for these"
	case item.Counts == "":
		f.By = g.combined(group)
		f.Message = fmt.Sprintf("%s counts each combination of rows of %s", item.Text, list(f.By))
		f.Fix = "COUNT(DISTINCT key) counts the rows of one of them"
		item.Verdict, item.RowsRepeat, item.Affected = dates.NotChecked, proof.Unknown, proof.Unknown
	}
	g.say(f)
}

// combined returns the tables whose rows make a joined row of a group.
func (g *grouping) combined(group []attr) (labels []string) {
	c := g.seenBy(nil)
	var all []attr
	for _, l := range g.leaves {
		all = append(all, l.row)
	}
	enough := func(rows []attr) bool { return len(c.missing(slices.Concat(rows, group))) == 0 }
	for _, row := range smallest(all, enough) {
		labels = appendNew(labels, g.leaves[g.owner[row]].label)
	}
	return labels
}

// merged says that a subquery took rows together whose values are equal.
func (g *grouping) merged(item *proof.Aggregate, call *sqlast.Call, j judged) {
	if same[call.Name] || call.Distinct || counting[call.Name] || isList(call.Name) {
		item.Verdict = dates.Proved
		return
	}
	item.Verdict, item.Affected, item.By = dates.Contradicted, proof.Yes, nil
	f := proof.Finding{
		Code: proof.DistinctNoRepair, Severity: proof.Error, Subject: item.Text, Of: j.of, At: item.At,
		Message: fmt.Sprintf("%s: the subquery %s makes one row of different rows with equal values, so some are missing in the result",
			item.Text, list(j.of)),
		Fix: "keep the primary key of the table in the subquery's DISTINCT or GROUP BY",
	}
	if j.united != notUnited {
		f.Code, f.Fix = proof.UnionDedup, "write UNION ALL"
	}
	if j.united == unitedKeys {
		f.Severity = proof.Question // only rows of different arms can be equal
	}
	g.say(f)
}

// repeated says that joins repeat what is aggregated.
func (g *grouping) repeated(item *proof.Aggregate, call *sqlast.Call, bad []judged, unaffected bool, terms int) {
	item.RowsRepeat = proof.Yes
	known, joined, lookup, chasm, validity, inside := true, true, true, false, false, false
	var of []string
	for _, j := range bad {
		item.By = appendNew(item.By, j.by...)
		of = appendNew(of, j.of...)
		known, joined, lookup = known && j.known, joined && j.joined, lookup && j.lookup
		chasm, validity, inside = chasm || j.chasm, validity || j.range_, inside || j.inside
	}
	switch {
	case unaffected:
		item.Verdict, item.Affected = dates.Proved, proof.No
		item.RestsOn = "repeated rows do not change the value"
		return
	case validity || !known:
		item.Verdict, item.RowsRepeat, item.Affected = dates.NotChecked, proof.Unknown, proof.Yes
		if !known {
			item.Affected = proof.Unknown
		}
		g.say(proof.Finding{
			Code: proof.FanOut, Severity: proof.Note, Subject: item.Text, Of: of, By: item.By, At: item.At,
			Message: fmt.Sprintf("%s: nothing says whether %s has one row for each row of %s at most", item.Text, list(item.By), list(of)),
		})
		return
	}
	item.Verdict, item.Affected = dates.Contradicted, proof.Yes
	f := proof.Finding{Code: proof.FanOut, Severity: proof.Error, Subject: item.Text, Of: of, By: item.By, At: item.At}
	if chasm {
		f.Code = proof.Chasm
	}
	f.Message = fmt.Sprintf("%s: a row of %s is there once for each row of %s, so its value is taken several times", item.Text, list(of), list(item.By))
	f.Fix = fmt.Sprintf("aggregate %s before joining %s, or test for rows of %s with EXISTS instead of joining", list(of), list(item.By), list(item.By))
	switch {
	case counting[call.Name] || g.addsConstants(call):
		f.Severity, f.Code = proof.Note, proof.CountRows
		f.Message = fmt.Sprintf("%s counts rows of %s, not of %s", item.Text, first(item.Counts, "the join of "+list(append(slices.Clone(of), item.By...))), list(of))
		f.Fix = "COUNT(DISTINCT key) counts each row once"
	case call.Distinct:
		f.Code = proof.DistinctNoRepair
		f.Message = fmt.Sprintf("%s: DISTINCT drops equal values of different rows of %s, not only those that %s repeats", item.Text, list(of), list(item.By))
	case !inside && (lookup || !joined || len(bad) < terms):
		f.Severity = proof.Question
	}
	g.say(f)
}

// addsConstants reports whether a call adds constants that a condition chooses, which
// counts rows.
func (g *grouping) addsConstants(call *sqlast.Call) bool {
	if call.Name != "sum" && call.Name != "total" || len(call.Args) == 0 {
		return false
	}
	return len(g.terms(g.frame, call.Args[0], func(term) bool { return false })) == 0
}

func isList(name string) bool {
	switch name {
	case "group_concat", "string_agg", "array_agg", "listagg", "list", "json_agg", "jsonb_agg", "json_arrayagg", "json_group_array", "jsonb_group_array":
		return true
	}
	return false
}

// dropped says that an inner join removes rows whose key may be NULL.
func (g *grouping) dropped(item *proof.Aggregate, call *sqlast.Call, terms []term) {
	if same[call.Name] {
		return
	}
	for _, o := range g.optional {
		if !slices.Contains(item.Of, o.from.label) && !(len(terms) == 0 && item.Counts == o.from.label) || g.groupedBy(o.to) {
			continue
		}
		item.Verdict, item.Affected = dates.NotChecked, proof.Yes
		item.By = appendNew(item.By, o.to.label)
		g.missingRows(o)
	}
}

// groupedBy reports whether groups are made by values of a leaf.
func (g *grouping) groupedBy(l *leaf) bool {
	return slices.ContainsFunc(g.group, func(a attr) bool { return g.owner[a] == l.index })
}

// averages says that an average of averages does not weigh the groups.
func (g *grouping) averages(call *sqlast.Call) {
	if call.Name != "avg" || len(call.Args) == 0 {
		return
	}
	l, a := g.value(g.frame, call.Args[0])
	if l == nil || l.rows == nil || slices.ContainsFunc(l.rows.keys, func(k []int) bool { return len(k) == 0 }) {
		return
	}
	if i := slices.Index(l.attrs, a); i < len(l.rows.columns) && l.rows.columns[i].average {
		g.say(proof.Finding{
			Code: proof.AverageOfAverages, Severity: proof.Question, Subject: g.text(call), At: int(call.Pos),
			Message: g.text(call) + " is an average of averages: each group weighs the same, however many rows it has",
			Fix:     "divide the sum of all rows by their number, or say that each group weighs the same",
		})
	}
}

// bare checks the columns that stand next to aggregates.
func (g *grouping) bare(order []sqlast.Order) {
	c := g.seenBy(nil)
	known := closure(c.n, c.rules, g.group, c.holds)
	extremes := g.extremes()
	visit := func(e sqlast.Expr) {
		g.outside(e, func(column *sqlast.Column) {
			l, a := g.value(g.frame, column)
			if a == 0 || !g.exact {
				return
			}
			item := proof.Aggregate{Text: describe(column), RowsRepeat: proof.No, Affected: proof.No, Verdict: dates.Proved, At: int(column.Pos), Of: []string{l.label}}
			switch {
			case known[a]:
				item.RestsOn = "the group determines it"
			case g.dialect == "sqlite" && extremes == 1:
				item.RestsOn = "SQLite takes it from the row of the minimum or maximum"
			case g.unsure:
				item.Verdict, item.RowsRepeat, item.Affected = dates.NotChecked, proof.Unknown, proof.Unknown
			default:
				item.Verdict, item.Affected = dates.Contradicted, proof.Yes
				g.say(proof.Finding{
					Code: proof.BareColumn, Severity: proof.Question, Subject: item.Text, Of: item.Of, At: item.At,
					Message: fmt.Sprintf("a group can have several values of %s, and the result shows one of them", item.Text),
					Fix:     fmt.Sprintf("add %s to GROUP BY, or choose by MIN or MAX", item.Text),
				})
			}
			g.report.Aggregates = append(g.report.Aggregates, item)
		})
	}
	for _, it := range g.sel.Items {
		visit(it.Expr)
	}
	if g.sel.Having != nil {
		visit(g.sel.Having)
	}
	for _, o := range order {
		if o.Expr != nil {
			visit(g.term(g.sel, o.Expr))
		}
	}
}

// extremes returns how many calls of min or max the block has, if it has no other aggregate.
func (g *grouping) extremes() (n int) {
	for _, it := range g.sel.Items {
		sqlast.Walk(it.Expr, func(node sqlast.Node) bool {
			if call, ok := node.(*sqlast.Call); ok && sqlast.IsAggregate(call) && (call.Name == "min" || call.Name == "max") {
				n++
			}
			_, query := node.(*sqlast.Query)
			return !query
		})
	}
	return n
}

// outside calls visit for the columns of the block that stand outside of aggregates and of
// the terms of GROUP BY.
func (g *grouping) outside(e sqlast.Expr, visit func(*sqlast.Column)) {
	sqlast.Walk(e, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Query:
			return false
		case *sqlast.Call:
			if sqlast.IsAggregate(n) {
				return false
			}
		}
		if x, ok := n.(sqlast.Expr); ok && slices.ContainsFunc(g.by, func(term sqlast.Expr) bool { return sqlast.EqualExpr(x, term) }) {
			return false
		}
		if c, ok := n.(*sqlast.Column); ok && c.Of != nil {
			visit(c)
		}
		return true
	})
}
