package sqlitedb

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/joinpath"
)

// foreignKey is one declared key, as it was written.
type foreignKey struct {
	table, target string
	from, to      []string // an empty name in to: the target's primary key
}

// foreignKeys adds the declared keys, in the order of their declaration. SQLite
// lets a schema declare keys that lead nowhere; those are skipped.
func (r *introspection) foreignKeys(ctx context.Context, c *conn) error {
	rows, err := c.scan(ctx, `
		SELECT t.name, f.id, f."table", f."from", f."to"
		FROM (SELECT m.name, m.rowid AS place`+ordinary+`) AS t
		CROSS JOIN pragma_foreign_key_list(t.name, 'main') AS f
		ORDER BY t.place, f.id DESC, f.seq`)
	if err != nil {
		return err
	}
	for start := 0; start < len(rows); {
		first := rows[start]
		key := foreignKey{table: first[0], target: first[2]}
		for ; start < len(rows) && rows[start][0] == first[0] && rows[start][1] == first[1]; start++ {
			key.from = append(key.from, rows[start][3])
			key.to = append(key.to, rows[start][4])
		}
		r.relate(key)
	}
	return nil
}

func (r *introspection) relate(key foreignKey) {
	rel, problem := r.relationship(key)
	if problem != "" {
		r.skipped(key.table, fmt.Sprintf("foreign key (%s): %s", strings.Join(key.from, ", "), problem))
		return
	}
	if same := identity(rel); !r.related[same] {
		r.related[same] = true
		r.schema.Relationships = append(r.schema.Relationships, rel)
	}
}

// identity tells a key that is declared twice, in whatever order of columns.
func identity(rel joinpath.Relationship) string {
	from, to := rel.Columns()
	pairs := make([]string, len(from))
	for i := range from {
		pairs[i] = fmt.Sprintf("%q=%q", from[i], to[i])
	}
	slices.Sort(pairs)
	return fmt.Sprintf("%q %q %s", rel.FromTable, rel.ToTable, strings.Join(pairs, " "))
}

// relationship resolves a key against the tables that exist, whose spelling of
// names it takes over.
func (r *introspection) relationship(key foreignKey) (rel joinpath.Relationship, problem string) {
	targetName, ok := r.names[ascii.Lower(key.target)]
	if !ok {
		return rel, "there is no table " + key.target
	}
	table, target := r.schema.Tables[key.table], r.schema.Tables[targetName]
	if target.View {
		return rel, key.target + " is a view"
	}
	if key.to[0] == "" {
		if len(target.PrimaryKey) != len(key.from) {
			return rel, fmt.Sprintf("the primary key of %s has %d columns", targetName, len(target.PrimaryKey))
		}
		key.to = target.PrimaryKey
	}
	from, missing := spelled(key.from, table.Columns)
	if missing != "" {
		return rel, "there is no column " + missing + " in " + key.table
	}
	to, missing := spelled(key.to, target.Columns)
	if missing != "" {
		return rel, "there is no column " + missing + " in " + targetName
	}
	rel = joinpath.Relationship{
		FromTable:   key.table,
		FromColumn:  from[0],
		ToTable:     targetName,
		ToColumn:    to[0],
		Type:        joinpath.ForeignKey,
		Confidence:  1,
		Cardinality: cardinality(!identifies(table, from), !identifies(target, to)),
		Provenance:  []string{"foreign key"},
	}
	if len(from) > 1 {
		rel.FromColumns, rel.ToColumns = from, to
	}
	return rel, ""
}

// spelled returns names as columns spells them, and the first that is missing.
func spelled(names, columns []string) (found []string, missing string) {
	for _, name := range names {
		i := slices.IndexFunc(columns, func(column string) bool { return ascii.Lower(column) == ascii.Lower(name) })
		if i < 0 {
			return nil, name
		}
		found = append(found, columns[i])
	}
	return found, ""
}

// identifies reports whether columns hold a key of the table, so that at most
// one row has given values in them.
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

// place reads a number that SQLite wrote.
func place(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
