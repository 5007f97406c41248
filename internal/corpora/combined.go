package corpora

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/joinpath"
)

// Combined returns the schemas of the public set as one, filled up to 1,000 tables and
// 20,000 columns, and the name that a table has in it. It returns nil as [Public].
func Combined(tb testing.TB) (*joinpath.Schema, func(db, table string) string) {
	tb.Helper()
	c := Public(tb)
	if c == nil {
		return nil, nil
	}
	count := map[string]int{}
	for _, db := range c.Schemas {
		for table := range db.Tables {
			count[strings.ToLower(table)]++
		}
	}
	name := func(db, table string) string {
		table = strings.ToLower(table)
		if count[table] > 1 {
			return strings.ToLower(db) + "_" + table
		}
		return table
	}
	s := &joinpath.Schema{Tables: map[string]joinpath.Table{}}
	columns := 0
	seen := map[string]bool{}
	for _, db := range c.Schemas {
		for table, names := range db.Tables {
			s.Tables[name(db.DB, table)] = joinpath.Table{Columns: slices.Clone(names)}
			columns += len(names)
		}
		for _, k := range db.ForeignKeys {
			r := joinpath.Relationship{
				FromTable: name(db.DB, k[0]), FromColumn: k[1], ToTable: name(db.DB, k[2]), ToColumn: k[3], Confidence: 1,
			}
			if !seen[r.Key()] {
				seen[r.Key()] = true
				s.Relationships = append(s.Relationships, r)
			}
		}
	}
	// The tables that fill it up are named after pairs of words of the others.
	var words []string
	for table := range s.Tables {
		words = append(words, strings.Split(table, "_")...)
	}
	slices.Sort(words)
	words = slices.Compact(words)
	word := func(i int) string { return words[i%len(words)] }
	for i := 0; len(s.Tables) < 1000; i++ {
		s.Tables[fmt.Sprintf("%s_%s_%d", word(7*i), word(13*i+5), i)] = joinpath.Table{Columns: []string{"id"}}
		columns++
	}
	tables := slices.Sorted(maps.Keys(s.Tables))
	for i := 0; columns < 20_000; i++ {
		t := s.Tables[tables[i%len(tables)]]
		t.Columns = append(t.Columns, fmt.Sprintf("%s_%s_%d", word(11*i), word(17*i+3), i))
		s.Tables[tables[i%len(tables)]] = t
		columns++
	}
	return s, name
}
