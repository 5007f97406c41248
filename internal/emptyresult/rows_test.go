package emptyresult

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// On random rows, a gold statement has rows if and only if the probe of all its conditions
// has, and each condition alone has rows if all together have.
func TestProbesAgreeWithResults(t *testing.T) {
	c := corpora.Need(t)
	statements := map[string][]*secureview.Statement{}
	counts := map[string]int{}
	for _, s := range c.Schemas {
		guard, err := secureview.New(&secureview.Policy{
			Dialect: "sqlite", Schema: "main", Tables: maps.Clone(s.Tables), DoubleQuotedStrings: true,
		}, sqlite.Dialect{})
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range c.Statements {
			if g.DB != s.DB {
				continue
			}
			if stmt, err := guard.Rewrite(t.Context(), g.SQL); err == nil {
				statements[s.DB] = append(statements[s.DB], stmt)
			}
		}
		db := corpora.Rows(t, s.Tables, lists.Map(statements[s.DB], (*secureview.Statement).Query))
		r := &Prober{Guard: guard}
		for _, stmt := range statements[s.DB] {
			b := readBlock(stmt.Query(), nil, false)
			if b == nil || len(b.late()) > 0 || summarises(b) {
				continue
			}
			rows, ok := hasRows(t, db, stmt)
			if !ok {
				continue
			}
			counts[fmt.Sprint("rows ", rows)]++
			probe := func(tests []*test) (found, ok bool) {
				made := r.statement(t.Context(), b.sqlOf(tests))
				if made == nil {
					t.Errorf("%s: no probe", stmt.Source())
					return false, false
				}
				return hasRows(t, db, made)
			}
			if found, ok := probe(b.tests); ok && found != rows {
				t.Errorf("%s: %s: rows %v, and the probe %v", s.DB, stmt.Source(), rows, found)
			}
			for _, one := range b.tests {
				if found, ok := probe([]*test{one}); ok && rows && !found {
					t.Errorf("%s: %s: no row meets %s", s.DB, stmt.Source(), r.text(b, one.conditions[0]))
				}
			}
		}
		db.Close()
	}
	t.Log(counts)
	if counts["rows true"] < 500 || counts["rows false"] < 500 {
		t.Errorf("too few statements: %v", counts)
	}
}

// summarises reports whether a block has one row whatever its conditions are.
func summarises(b *block) bool {
	sel := b.query.Body.(*sqlast.Select)
	return len(sel.GroupBy) == 0 && slices.ContainsFunc(sel.Items, func(it sqlast.Item) bool { return sqlast.HasAggregate(it.Expr) })
}

func hasRows(t *testing.T, db *dbsql.DB, stmt *secureview.Statement) (found, ok bool) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	rows, err := db.QueryContext(ctx, stmt.SQL())
	if err != nil {
		return false, false
	}
	defer rows.Close()
	found = rows.Next()
	return found, rows.Err() == nil
}
