package sqlproof

import (
	"fmt"
	"slices"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/sqlproof/proof"
)

// decide sets the verdict of an aggregate, and adds what there is to say about it.
func (g *grouping) decide(item *proof.Aggregate, call *sqlast.Call, group []attr, bad []judged, rests string, terms int) {
	unaffected := same[call.Name] || call.Distinct && (counting[call.Name] || collecting[call.Name]) ||
		(call.Distinct || call.Name == "avg" || call.Name == "median") && g.constant(call, group)
	repeated := lists.Filter(bad, func(j judged) bool { return !j.merged || j.inside || len(j.leaves) > 0 })
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

// constant reports whether an aggregate has one value in all rows of a group.
func (g *grouping) constant(call *sqlast.Call, group []attr) bool {
	return len(call.Args) == 1 && g.steady(g.frame, call.Args[0]) &&
		hasAll(closure(g.n, g.seenBy(nil).rules, group, g.seenBy(nil).holds), g.columns(g.frame, call.Args[0]))
}

// evensOut reports whether a call takes values of rows only that are numbered 1, or divides them
// by a number of rows.
func (g *grouping) evensOut(call *sqlast.Call) (found bool) {
	sqlast.Walk(call, func(n sqlast.Node) bool {
		e, _ := n.(sqlast.Expr)
		_, a := g.firstRow(g.frame, e)
		d, ok := e.(*sqlast.Binary)
		found = found || a != 0 || ok && d.Op == sqlast.Div && (g.isCount(d.Y) || sqlast.Any(d.Y, func(c *sqlast.Column) bool { return g.isCount(c) }))
		return !found
	})
	return found
}

// counts says what a count of joined rows counts.
func (g *grouping) counts(item *proof.Aggregate, of string, group []attr) {
	f := proof.Finding{
		Code: proof.CountRows, Severity: proof.Note, Subject: item.Text, Of: []string{of}, At: item.At,
		Message: fmt.Sprintf("%s counts rows of %s", item.Text, of),
	}
	switch {
	case of == "":
		f.By = g.combined(group)
		f.Message = fmt.Sprintf("%s counts each combination of rows of %s", item.Text, list(f.By))
		f.Fix = "COUNT(DISTINCT key) counts the rows of one of them"
		item.Verdict, item.RowsRepeat, item.Affected = dates.NotChecked, proof.Unknown, proof.Unknown
	case item.Counts == "":
		f.Code = proof.CountOuter
		f.Message += ", and what has no row of " + of + " as one"
		f.Fix = "COUNT(key of " + of + ") counts 0 for these"
	}
	g.say(f)
}

// falseToo says that a count takes rows for which its condition is false, because only NULL is
// not counted: COUNT(CASE WHEN n > 1 THEN 1 ELSE 0 END), COUNT(n > 1). A count of each value
// of the condition, or of the names of classes, is meant.
func (g *grouping) falseToo(item *proof.Aggregate, call *sqlast.Call) {
	if call.Name != "count" || call.Distinct || len(call.Args) != 1 {
		return
	}
	e := call.Args[0]
	if slices.ContainsFunc(g.sel.GroupBy, func(by sqlast.Expr) bool { return sqlast.EqualExpr(g.term(g.sel, by), e) }) {
		return
	}
	_, other := choice(e)
	b, ok := e.(*sqlast.Binary)
	if !isZero(other) && !(ok && sqlast.Eq <= b.Op && b.Op <= sqlast.Ge) || sqlast.Any(e, func(*sqlast.Null) bool { return true }) {
		return
	}
	item.Verdict = dates.Contradicted
	g.say(proof.Finding{
		Code: proof.CountRows, Severity: proof.Error, Subject: item.Text, Of: []string{item.Counts}, At: item.At,
		Message: item.Text + " counts the rows for which the condition is false as well",
		Fix:     "count CASE WHEN .. THEN 1 END without ELSE",
	})
}

// combined returns the tables whose rows make a joined row of a group.
func (g *grouping) combined(group []attr) (labels []string) {
	c := g.seenBy(nil)
	enough := func(rows []attr) bool { return len(c.missing(slices.Concat(rows, group))) == 0 }
	for _, row := range smallest(rowAttrs(g.leaves), enough) {
		labels = lists.Add(labels, g.leaves[g.owner[row]].label)
	}
	return labels
}

// merged says that a subquery took rows together whose values are equal.
func (g *grouping) merged(item *proof.Aggregate, call *sqlast.Call, j judged) {
	if same[call.Name] || call.Distinct || counting[call.Name] || collecting[call.Name] {
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
	known, joined, lookup, chasm, chosen, inside, paired, totals := true, true, true, false, g.evensOut(call), false, false, false
	windows := true // an error is certain only for the sum of the value itself, not of a difference to it
	if (call.Name == "sum" || call.Name == "total") && !call.Distinct && len(call.Args) == 1 {
		_, column := g.value(g.frame, call.Args[0])
		windows = column == 0
	}
	var of []string
	for _, j := range bad {
		item.By = lists.Add(item.By, j.by...)
		of = lists.Add(of, j.of...)
		known, joined, lookup = known && j.known, joined && j.joined, lookup && j.lookup
		chasm, inside, paired, totals = chasm || j.chasm, inside || j.inside, paired || j.paired, totals || j.totals
		chosen, windows = chosen || j.chosen, windows && j.window
	}
	chosen = chosen || windows
	known = known && !paired
	switch {
	case unaffected && !totals:
		item.Verdict, item.Affected = dates.Proved, proof.No
		if paired {
			item.RowsRepeat = proof.Unknown
		}
		item.RestsOn = "repeated rows do not change the value"
		return
	case call.Distinct && g.ofKey(call):
		item.Verdict, item.RowsRepeat, item.Affected = dates.NotChecked, proof.Unknown, proof.Unknown
		return
	case chosen || !known:
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
	rows, others := list(of), list(item.By)
	f.Message = fmt.Sprintf("%s: a row of %s is there once for each row of %s, so its value is taken several times", item.Text, rows, others)
	f.Fix = fmt.Sprintf("aggregate %s before joining %s, or test for rows of %s with EXISTS instead of joining", rows, others, others)
	switch {
	case counting[call.Name] || g.addsConstants(call):
		f.Severity, f.Code = proof.Note, proof.CountRows
		f.Message = fmt.Sprintf("%s counts a row of %s several times if it has several rows of %s", item.Text, rows, others)
		f.Fix = "COUNT(DISTINCT key) counts each row once"
	case totals:
		f.Message = fmt.Sprintf("%s: %s has rows with totals of its other rows, so values are taken several times", item.Text, rows)
		f.Fix = "leave out the rows with totals, or group without ROLLUP, CUBE and GROUPING SETS"
	case call.Distinct:
		f.Code = proof.DistinctNoRepair
		f.Message = fmt.Sprintf("%s: DISTINCT drops equal values of different rows of %s, not only those that %s repeats",
			item.Text, rows, others)
	case !inside && (lookup || !joined || len(bad) < terms):
		f.Severity = proof.Question
	}
	g.say(f)
}

// ofKey reports whether a call aggregates a value that is computed from the keys of its rows, as
// SUM(DISTINCT id * 1000 + total) does: each row may have another one.
func (g *grouping) ofKey(call *sqlast.Call) bool {
	c := g.seenBy(nil)
	return len(call.Args) == 1 && hasAll(closure(c.n, c.rules, c.columns(g.frame, call.Args[0]), c.holds), g.rowsUnder(call.Args[0]))
}

// addsConstants reports whether a call adds or counts constants that a condition chooses, which
// counts rows.
func (g *grouping) addsConstants(call *sqlast.Call) bool {
	if call.Name != "sum" && call.Name != "total" && call.Name != "count" || len(call.Args) == 0 {
		return false
	}
	return len(g.terms(g.frame, call.Args[0], func(terms []term) []term { return terms })) == 0
}

// collecting are aggregates that list values.
var collecting = map[string]bool{
	"group_concat": true, "string_agg": true, "array_agg": true, "listagg": true, "list": true, "json_agg": true, "jsonb_agg": true,
	"json_arrayagg": true, "json_group_array": true, "jsonb_group_array": true,
}

// dropped says that an inner join removes rows whose key may be NULL.
func (g *grouping) dropped(item *proof.Aggregate, call *sqlast.Call, terms []term) {
	if same[call.Name] {
		return
	}
	for _, o := range g.optional {
		if !slices.Contains(item.Of, o.from.label) && !(len(terms) == 0 && item.Counts == o.from.label) ||
			slices.ContainsFunc(g.group, func(a attr) bool { return g.owner[a] == o.to.index }) {
			continue
		}
		item.Verdict, item.Affected = dates.NotChecked, proof.Yes
		item.By = lists.Add(item.By, o.to.label)
		g.missingRows(o)
	}
}
