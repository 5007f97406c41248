package sqlast

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/ascii"
)

// itemName is the name that an item gives its column.
func itemName(it *Item) string {
	if it.Alias != "" {
		return it.Alias
	}
	if c, ok := it.Expr.(*Column); ok {
		return c.Name
	}
	return ""
}

// names is the names of the columns of a body that is resolved.
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

// declared is the columns of a common table expression or a derived table: those
// in its list, else those of its query. Where several have one name that may stay,
// columns has other ones for all but the first, to be printed in a list, and named
// has what a statement calls them.
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
	switch {
	case distinct == nil:
		return columns, nil
	case r.flavor.RepeatsUnnamed:
		return distinct, columns
	case !r.flavor.NamesRepeat || list != nil:
		again := columns[firstDifference(columns, distinct)]
		r.fail(AmbiguousName, at, again, "'%s' has two columns named '%s': give each an alias", name, again)
		return nil, nil
	}
	if s, ok := first(b).(*Select); ok {
		for i := range columns {
			if distinct[i] != columns[i] {
				s.Items[i].Alias = distinct[i]
			}
		}
	}
	return distinct, nil
}

// distinct gives columns names that differ, as SQLite does: x, x becomes x, x:1.
// Nil: they differ.
func (r *resolver) distinct(columns []string) []string {
	seen := make(map[string]bool, len(columns))
	endings := map[string]int{} // the last one that was tried, by name
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

// fits puts an ending to a name, of which the engine must not cut anything off.
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

// publish gives every item of a result the name that it goes by, so that an
// engine has no name to choose, and returns the names.
func (r *resolver) publish(b Body) []string {
	names := r.names(b)
	if s, ok := first(b).(*Select); ok {
		for i := range s.Items {
			s.Items[i].Alias = names[i]
		}
	}
	return slices.Clip(names)
}
