package sqlast

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/ascii"
)

// itemName returns the name of the column that an item produces, or "".
func itemName(it *Item) string {
	if it.Alias != "" {
		return it.Alias
	}
	if c, ok := it.Expr.(*Column); ok {
		return c.Name
	}
	return ""
}

// names returns the names of the columns of a resolved body.
func (r *resolver) names(b Body) []string {
	switch b := first(b).(type) {
	case *Select:
		names := make([]string, len(b.Items))
		for i := range b.Items {
			names[i] = itemName(&b.Items[i])
		}
		return names
	case *Values:
		names := make([]string, width(b))
		for i := range names {
			if r.flavor.ValuesFromOne {
				names[i] = "column" + strconv.Itoa(i+1)
			} else {
				names[i] = "column_" + strconv.Itoa(i)
			}
		}
		return names
	}
	return nil
}

// declared returns the columns of a common table expression or a derived table:
// those of its list, or those of its query. If several may have the same name,
// columns has distinct names, which the query gets as aliases, and named has the names
// that a statement uses.
func (r *resolver) declared(at Pos, name string, list []string, b Body) (columns, named []string) {
	columns = list
	if list == nil {
		columns = r.names(b)
	} else if n := width(b); n > len(list) && r.flavor.ShortLists {
		columns = append(slices.Clip(list), r.names(b)[len(list):]...)
	} else if n := width(b); n != len(list) {
		r.fail(ColumnCount, at, name, "'%s' lists %d columns, its query has %d", name, len(list), n)
		return nil, nil
	}
	distinct := r.distinct(columns)
	_, ok := first(b).(*Select)
	switch {
	case distinct == nil:
		return columns, nil
	case !r.flavor.RepeatsUnnamed && !r.flavor.RepeatsNumbered || list != nil || !ok:
		again := columns[firstDifference(columns, distinct)]
		r.repeated(AmbiguousName, at, name, again)
		return nil, nil
	}
	if r.flavor.RepeatsNumbered {
		return distinct, nil
	}
	return distinct, columns
}

// rename gives the items of a resolved body the names of its columns, where they repeat.
func (r *resolver) rename(b Body, columns []string) {
	s, ok := first(b).(*Select)
	if !ok || len(columns) != len(s.Items) {
		return
	}
	for i := range s.Items {
		if itemName(&s.Items[i]) != columns[i] {
			s.Items[i].Alias = columns[i]
		}
	}
}

// distinct returns distinct names for columns, as SQLite does: x, x becomes x, x:1.
// It returns nil if they are distinct already.
func (r *resolver) distinct(columns []string) []string {
	seen := make(map[string]bool, len(columns))
	endings := map[string]int{} // the last ending that was tried, by name
	var out []string
	for i, column := range columns {
		key := ascii.Lower(column)
		if !seen[key] {
			seen[key] = true
			continue
		}
		if out == nil {
			out = slices.Clone(columns)
		}
		for free := key; seen[free]; free = ascii.Lower(out[i]) {
			endings[key]++
			out[i] = r.fits(column, ":"+strconv.Itoa(endings[key]))
		}
		seen[ascii.Lower(out[i])] = true
	}
	return out
}

// fits appends an ending to a name and shortens the name so that the engine keeps
// the ending.
func (r *resolver) fits(name, ending string) string {
	if most := r.flavor.MaxName - len(ending); r.flavor.MaxName > 0 && len(name) > most {
		for !utf8.RuneStart(name[most]) {
			most--
		}
		name = name[:most]
	}
	return name + ending
}

func firstDifference(a, b []string) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// publish sets the alias of every item of a result to its name, so that the engine
// does not choose names. It returns the names.
func (r *resolver) publish(b Body) []string {
	names := r.names(b)
	if s, ok := first(b).(*Select); ok {
		for i := range s.Items {
			s.Items[i].Alias = names[i]
		}
	}
	return slices.Clip(names)
}
