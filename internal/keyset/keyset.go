// Package keyset records the keys of tables, and the names of tables of several schemas,
// for the engines of package sqldb.
package keyset

import (
	"slices"

	"github.com/qedkit/qed/joinpath"
)

// Add records in t that columns are unique, unless it is recorded already. The
// order of the columns does not matter.
func Add(t *joinpath.Table, columns []string) {
	isKey := func(key []string) bool { return Contains(key, columns) && Contains(columns, key) }
	switch {
	case len(columns) == 1:
		if !slices.Contains(t.UniqueColumns, columns[0]) {
			t.UniqueColumns = append(t.UniqueColumns, columns[0])
		}
	case !isKey(t.PrimaryKey) && !slices.ContainsFunc(t.UniqueKeys, isKey):
		t.UniqueKeys = append(t.UniqueKeys, columns)
	}
}

// Contains reports whether all of some are among names.
func Contains(names, some []string) bool {
	return !slices.ContainsFunc(some, func(name string) bool { return !slices.Contains(names, name) })
}
