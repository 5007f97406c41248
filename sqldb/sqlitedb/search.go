package sqlitedb

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/sqldb"
)

var searchFunctions = map[string]bool{"match": true, "bm25": true, "highlight": true, "snippet": true}

// addSearch adds a table to those of g in which a statement may search, if it is a table of
// FTS5. Its index has the words of all its columns, so that a statement that searches has
// to name them all, which the guard does if the policy lists them. A table that has its
// rows from another one is refused unless the statement reads that too.
func (c *driverConn) addSearch(ctx context.Context, g *grant, table, statement string) error {
	defer c.setAccess(catalog{})()
	found, err := c.scan(ctx, "SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND rootpage = 0 AND lower(name) = lower("+literal(table)+")")
	if err != nil || len(found) == 0 {
		return err
	}
	module, ok := fullText(found[0][0])
	if !ok {
		return failure.Newf(sqldb.ErrDenied, "%s is a virtual table, of which only those of FTS5 can be read", table)
	}
	content := option(module, "content")
	if content != "" && g.named[content] == nil {
		return failure.Newf(sqldb.ErrDenied, "the full-text table %s has its rows from %s: join %s, which the policy has to allow",
			table, content, content)
	}
	name := ascii.Lower(table)
	g.search[name] = map[string]bool{}
	for _, part := range []string{"data", "idx", "content", "docsize", "config"} {
		g.search[name][name+"_"+part] = true
	}
	columns, err := c.scan(ctx, fmt.Sprintf(columnList, literal(table)))
	if err != nil {
		return err
	}
	searches := slices.ContainsFunc([]string{" MATCH ", "bm25(", "highlight(", "snippet("}, func(s string) bool {
		return strings.Contains(statement, s)
	})
	for _, column := range columns {
		if !g.named[name][ascii.Lower(column[0])] {
			if searches || content != "" {
				return failure.Newf(sqldb.ErrDenied, "a search of %s reads all its columns, but the policy does not list %s", table, column[0])
			}
			return nil
		}
	}
	for _, hidden := range []string{name, "rank", "rowid"} {
		g.named.add(name, hidden)
	}
	if content == "" {
		return nil
	}
	for _, column := range columns {
		g.named.add(content, ascii.Lower(column[0]))
	}
	g.named.add(content, cmp.Or(option(module, "content_rowid"), "rowid"))
	keys, err := c.scan(ctx, fmt.Sprintf(columnList, literal(content)))
	for _, column := range keys {
		if column[2] == "1" { // by which SQLite calls the rowid
			g.named.add(content, ascii.Lower(column[0]))
		}
	}
	return err
}

// fullText returns the module of a virtual table with its arguments, without blanks and in
// lower case. It reports whether the table is one of FTS5.
func fullText(sql string) (module string, ok bool) {
	_, module, _ = strings.Cut(strings.Join(strings.Fields(ascii.Lower(sql)), " "), " using ")
	module = strings.ReplaceAll(module, " ", "")
	return module, strings.HasPrefix(module, "fts5(")
}

// option returns an option of a table of FTS5, without quotes.
func option(module, name string) string {
	_, value, _ := strings.Cut(module, ","+name+"=")
	value, _, _ = strings.Cut(strings.TrimSuffix(value, ")"), ",")
	return strings.Trim(value, "\"'`[]")
}

// isKept reports whether SQLite keeps a full-text table of the statement in a table.
func (g *grant) isKept(table string) bool {
	for _, kept := range g.search {
		if kept[table] {
			return true
		}
	}
	return false
}
