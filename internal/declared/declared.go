// Package declared makes relationships of the foreign keys that a database
// declares, for the packages that read catalogues.
package declared

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/joinpath"
)

// Key is one foreign key. Its tables are named as the schema spells them; its
// columns may be in another case.
type Key struct {
	From, To               string
	FromColumns, ToColumns []string
}

// Relate adds the relationship of a key to the schema, unless it is there already;
// a key may be declared twice, in whatever order of columns. problem says why there
// is none.
func Relate(schema *joinpath.Schema, k Key) (problem string) {
	from, to := schema.Tables[k.From], schema.Tables[k.To]
	fromColumns, missing := Spelled(k.FromColumns, from.Columns)
	if missing != "" {
		return "there is no column " + missing + " in " + k.From
	}
	toColumns, missing := Spelled(k.ToColumns, to.Columns)
	if missing != "" {
		return "there is no column " + missing + " in " + k.To
	}
	rel := joinpath.Relationship{
		FromTable:   k.From,
		FromColumn:  fromColumns[0],
		ToTable:     k.To,
		ToColumn:    toColumns[0],
		Type:        joinpath.ForeignKey,
		Confidence:  1,
		Cardinality: cardinality(!identifies(from, fromColumns), !identifies(to, toColumns)),
		Provenance:  []string{"foreign key"},
	}
	if len(fromColumns) > 1 {
		rel.FromColumns, rel.ToColumns = fromColumns, toColumns
	}
	same := func(other joinpath.Relationship) bool {
		return other.FromTable == rel.FromTable && other.ToTable == rel.ToTable && slices.Equal(pairs(other), pairs(rel))
	}
	// The keys of a table come one after the other.
	for i := len(schema.Relationships) - 1; i >= 0 && schema.Relationships[i].FromTable == rel.FromTable; i-- {
		if same(schema.Relationships[i]) {
			return ""
		}
	}
	schema.Relationships = append(schema.Relationships, rel)
	return ""
}

// Unusable is what is told of a key with a problem.
func Unusable(columns []string, problem string) string {
	return fmt.Sprintf("foreign key (%s): %s", strings.Join(columns, ", "), problem)
}

// pairs is the pairs of columns of a relationship, sorted.
func pairs(rel joinpath.Relationship) []string {
	from, to := rel.Columns()
	out := make([]string, len(from))
	for i := range from {
		out[i] = fmt.Sprintf("%q=%q", from[i], to[i])
	}
	slices.Sort(out)
	return out
}

// Spelled returns names as columns spells them, and the first that is missing.
func Spelled(names, columns []string) (found []string, missing string) {
	for _, name := range names {
		i := slices.Index(columns, name)
		if i < 0 {
			i = slices.IndexFunc(columns, func(column string) bool { return ascii.EqualFold(column, name) })
		}
		if i < 0 {
			return nil, name
		}
		found = append(found, columns[i])
	}
	return found, ""
}

// identifies reports whether columns hold a key of the table, so that at most one
// row has given values in them.
func identifies(t joinpath.Table, columns []string) bool {
	holds := func(key []string) bool {
		return len(key) > 0 && !slices.ContainsFunc(key, func(column string) bool { return !slices.Contains(columns, column) })
	}
	return holds(t.PrimaryKey) || slices.ContainsFunc(t.UniqueKeys, holds) ||
		slices.ContainsFunc(columns, func(column string) bool { return slices.Contains(t.UniqueColumns, column) })
}

func cardinality(manyFrom, manyTo bool) joinpath.Cardinality {
	switch {
	case manyFrom && manyTo:
		return joinpath.ManyToMany
	case manyFrom:
		return joinpath.ManyToOne
	case manyTo:
		return joinpath.OneToMany
	}
	return joinpath.OneToOne
}
