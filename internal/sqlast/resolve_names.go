package sqlast

import (
	"slices"
	"strconv"

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
// in its list, else those of its query.
func (r *resolver) declared(at Pos, name string, list []string, b Body) []string {
	columns := list
	if list == nil {
		columns = r.names(b)
	} else if n := width(b); n != len(list) {
		r.fail(ColumnCount, at, name, "'%s' lists %d columns, its query has %d", name, len(list), n)
		return nil
	}
	seen := make(map[string]bool, len(columns))
	for i, column := range columns {
		key := ascii.Lower(column)
		if !seen[key] {
			seen[key] = true
			continue
		}
		if !r.flavor.NamesRepeat || list != nil {
			r.fail(AmbiguousName, at, column, "'%s' has two columns named '%s': give each an alias", name, column)
			return nil
		}
		for n := 1; seen[key]; n++ {
			columns[i] = column + ":" + strconv.Itoa(n)
			key = ascii.Lower(columns[i])
		}
		seen[key] = true
		if s, ok := first(b).(*Select); ok {
			s.Items[i].Alias = columns[i]
		}
	}
	return columns
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
