package sqlagent

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/internal/wordset"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqlproof/proof"
)

// A lookup is the join of a table that a statement forgot.
type lookup struct {
	table string        // the name in the catalog
	from  *sqlast.Table // of the statement
	by    joinpath.Relationship
}

// lookedUp returns a refused statement with the one table joined to it that has the columns
// it lacks, or nil. That table must be one declared key away, so that each row has one match
// at most, and it is joined by LEFT JOIN, so that no row is lost. A statement with subqueries
// is not repaired.
func (a *agent) lookedUp(ctx context.Context, sql string, problems []refusal.Problem) *secureview.Statement {
	q, err := a.guard.Dialect().Read(sql)
	if err != nil {
		return nil
	}
	sel, ok := q.Body.(*sqlast.Select)
	if !ok || sel.From == nil || hasBlocks(q) {
		return nil
	}
	var join *lookup
	wanted := map[string]bool{} // the columns, in lower case
	for _, p := range problems {
		column := ascii.Lower(lastPart(p.Name))
		next := a.lookupOf(sel, p)
		if next == nil || join != nil && (next.table != join.table || next.from != join.from || next.by.Key() != join.by.Key()) {
			return nil
		}
		join = next
		wanted[column] = p.Code == secureview.ErrUnknownColumn
	}
	if join == nil || !a.addLookup(q, sel, join, wanted) {
		return nil
	}
	text, err := a.guard.Dialect().Append(nil, q, false)
	if err != nil {
		return nil
	}
	again := a.accepted(ctx, string(text))
	if again == nil || !harmless(a.prover.Check(again), join.table) {
		return nil
	}
	return again
}

// hasBlocks reports whether a query has subqueries.
func hasBlocks(q *sqlast.Query) bool {
	blocks := 0
	sqlast.Walk(q, func(n sqlast.Node) bool {
		if _, ok := n.(*sqlast.Select); ok {
			blocks++
		}
		return blocks < 2
	})
	return blocks > 1 || q.With != nil
}

// harmless reports whether a statement is right after a table was joined: the join follows a
// relationship, and repeats nothing that is aggregated.
func harmless(r *proof.Report, table string) bool {
	return r.OK() && !slices.ContainsFunc(r.Aggregates, func(v proof.Aggregate) bool { return v.Verdict == dates.Contradicted }) &&
		slices.ContainsFunc(r.Joins, func(j proof.Join) bool {
			return slices.Contains(j.Tables[:], table) && j.Verdict == dates.Proved && j.Relationship == proof.Known
		})
}

// lookupOf returns the join that solves a problem, or nil if there is none or several.
func (a *agent) lookupOf(sel *sqlast.Select, p refusal.Problem) *lookup {
	table, qualifier := p.Name, ""
	switch p.Code {
	case secureview.ErrUnknownColumn:
		// A similar name of a table of the statement would be a candidate as well.
		if len(p.Candidates) != 1 || isGeneric(lastPart(p.Name)) {
			return nil
		}
		at := strings.LastIndexByte(p.Candidates[0], '.')
		if at < 0 || !ascii.EqualFold(p.Candidates[0][at+1:], lastPart(p.Name)) {
			return nil
		}
		table = p.Candidates[0][:at]
		qualifier = strings.TrimSuffix(strings.TrimSuffix(p.Name, lastPart(p.Name)), ".")
	case secureview.ErrUnknownTable:
		if len(p.Candidates) > 0 {
			return nil // an alias, or a similar table of the statement
		}
	default:
		return nil
	}
	table, ok := a.catalog.find(table)
	if !ok {
		return nil
	}
	var found []*lookup
	for _, r := range sqlast.Relations(sel.From) {
		from, ok := r.(*sqlast.Table)
		if !ok {
			return nil
		}
		name, ok := a.catalog.find(from.Name)
		if !ok || name == table || from.Schema != "" {
			return nil
		}
		if qualifier != "" && !ascii.EqualFold(qualifier, aliasOf(from)) {
			continue
		}
		for _, by := range a.catalog.relationships {
			if by.FromTable == name && by.ToTable == table || by.FromTable == table && by.ToTable == name {
				found = append(found, &lookup{table, from, by})
			}
		}
	}
	if len(found) != 1 || found[0].by.ToTable != table || !a.catalog.refers(found[0].by) {
		return nil
	}
	return found[0]
}

// refers reports whether a relationship is declared, and refers to a key of the other table.
func (c *catalog) refers(r joinpath.Relationship) bool {
	t := c.schema.Tables[r.ToTable]
	_, to := r.Columns()
	isTo := func(key []string) bool {
		return len(key) == len(to) && !slices.ContainsFunc(key, func(column string) bool { return !slices.Contains(to, column) })
	}
	return slices.Contains([]string{joinpath.ForeignKey, joinpath.Association, joinpath.Manual}, r.Type) && r.Confidence == 1 &&
		(isTo(t.PrimaryKey) || slices.ContainsFunc(t.UniqueKeys, isTo) || len(to) == 1 && slices.Contains(t.UniqueColumns, to[0]))
}

func aliasOf(t *sqlast.Table) string { return cmp.Or(t.Alias, t.Name) }

// addLookup adds the join to a block, and names the wanted columns by their table. It returns
// false if another name of the statement, or a *, could mean something else then.
func (a *agent) addLookup(q *sqlast.Query, sel *sqlast.Select, join *lookup, wanted map[string]bool) bool {
	t := a.catalog.schema.Tables[join.table]
	added := &sqlast.Table{Name: join.table}
	if t.Schema != "" {
		added.Schema, added.Name = t.Schema, join.table[len(t.Schema)+1:]
	}
	taken := slices.ContainsFunc(sqlast.Relations(sel.From), func(r sqlast.Relation) bool { return ascii.EqualFold(aliasOf(r.(*sqlast.Table)), added.Name) })
	for _, it := range sel.Items {
		star, ok := it.Expr.(*sqlast.Star)
		taken = taken || wanted[ascii.Lower(it.Alias)] || ok && star.Table == ""
	}
	sqlast.Walk(q, func(n sqlast.Node) bool {
		c, ok := n.(*sqlast.Column)
		if !ok {
			return true
		}
		own := slices.ContainsFunc(t.Columns, func(name string) bool { return ascii.EqualFold(name, c.Name) })
		switch name := ascii.Lower(c.Name); {
		case wanted[name] && (c.Table == "" || ascii.EqualFold(c.Table, aliasOf(join.from))):
			taken = taken || c.DoubleQuoted
			c.Table = added.Name
		case c.Table == "" && own:
			taken = true
		}
		return true
	})
	if taken {
		return false
	}
	from, to := join.by.Columns()
	with := &sqlast.Join{Kind: sqlast.LeftJoin, Left: sel.From, Right: added}
	for i := range from {
		with.On = sqlast.Conjunction(with.On, &sqlast.Binary{
			Op: sqlast.Eq, X: &sqlast.Column{Table: added.Name, Name: to[i]}, Y: &sqlast.Column{Table: aliasOf(join.from), Name: from[i]},
		})
	}
	sel.From = with
	return true
}

// isGeneric reports whether a column has a name that things of any kind may have. A table
// that has none may have another word for it, such as the title of a film.
func isGeneric(column string) bool {
	return len(textmatch.Split(textmatch.Spaced(column), genericWords)) == 0
}

var genericWords = wordset.Of(`id key code no nr number name title label description text comment note notes remark type kind
	category class group status state active flag date day time at on start end begin from to created updated value amount total sum
	price cost quantity count rank level position size nummer titel bezeichnung beschreibung text art datum wert betrag preis menge anzahl`)
