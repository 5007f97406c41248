package sqlast

import (
	"slices"
	"strconv"

	"github.com/qedkit/qed/internal/ascii"
)

// MySQL and MariaDB know a column of a view, or of a derived table that they merge, by
// the table that the view or derived table reads. Let C be one that reads a table called
// A. In some clauses the servers take A.x for C.x, or for an item C.y that is called x, and
// MariaDB 10.11 may end. Therefore A is printed with an alias that nothing else has. A view
// usually has the table's own name in the policy, so A is compared with that, and C may be
// A itself.

// distinguish finds the tables that are printed with another alias in a block that groups
// or orders.
func (r *resolver) distinguish(s *scope) {
	for k := range s.tables {
		for _, name := range r.namesRead(&s.tables[k]) {
			for of := s; of != nil; of = of.outer { // a subquery may name the tables around it
				i := r.byAlias(of, "", name)
				if i < 0 || of == s && i == k && !s.windowed && !r.takesNames(s, &s.tables[i]) {
					continue
				}
				if rel := of.tables[i].rel; !slices.Contains(r.confused, rel) {
					r.confused = append(r.confused, rel)
				}
			}
		}
	}
}

// takesNames reports whether an item gives a column the name of a column of b.
func (r *resolver) takesNames(s *scope, b *binding) bool {
	return slices.ContainsFunc(s.items, func(it Item) bool {
		c, ok := it.Expr.(*Column)
		return ok && it.Alias != "" && !r.fold(it.Alias, c.Name) && r.column(b, it.Alias) >= 0
	})
}

// namesRead returns the names of the tables that b reads if it is a view, a derived table
// or a common table expression.
func (r *resolver) namesRead(b *binding) (names []string) {
	add := func(o *Object) {
		if o != nil && (o.Filter != nil || o.Name != o.Logical) {
			names = append(names, o.Logical)
		}
	}
	add(b.object)
	if b.query != nil && !r.spent(b.query.Pos) {
		Walk(b.query, func(n Node) bool {
			r.work++
			if t, ok := n.(*Table); ok {
				names = append(names, t.Alias)
				add(t.Object)
			}
			return true
		})
	}
	return names
}

// setPrinted gives each of the confused tables of q its own alias, in ASCII.
func (r *resolver) setPrinted(q *Query) {
	if len(r.confused) == 0 || r.tables == 1 && !r.flavor.ServersVary { // a single one is read alone
		return
	}
	taken := map[string]bool{}
	Walk(q, func(n Node) bool {
		if rel, ok := n.(Relation); ok {
			alias, _ := aliasesOf(rel)
			taken[ascii.Lower(alias)] = true
		}
		return true
	})
	for i, rel := range r.confused {
		alias, printed := aliasesOf(rel)
		if !isASCII(alias) {
			alias = "table"
		}
		for n := i + 1; *printed == "" || taken[ascii.Lower(*printed)]; n++ {
			*printed = r.fits(alias, ":"+strconv.Itoa(n))
		}
		taken[ascii.Lower(*printed)] = true
	}
}

// aliasesOf returns the alias of a relation, and where the one is that is printed instead.
func aliasesOf(rel Relation) (alias string, printed *string) {
	switch rel := rel.(type) {
	case *Table:
		return rel.Alias, &rel.Printed
	case *Derived:
		return rel.Alias, &rel.Printed
	case *TableFunction:
		return rel.Alias, &rel.Printed
	}
	return "", new(string)
}

// refuseConcat refuses a GROUP_CONCAT by which rows are ordered. MySQL takes it for an item
// that has another DISTINCT, ORDER BY or SEPARATOR.
func (r *resolver) refuseConcat(e Expr) {
	if call, ok := e.(*Call); ok && call.Name == "group_concat" {
		r.fail(Unsupported, e.At(), "group_concat", "GROUP_CONCAT is not supported as a term of ORDER BY or of a window: "+
			"give it an alias in the select list, and order by that, or put the block into a WITH")
	}
}
