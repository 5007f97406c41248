package integration_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// With a guard that allows everything, a statement has the same result as
// without a guard, both on tables and if each table is replaced by a view. The
// names of columns keep their letter case.
func TestSQLiteGuard(t *testing.T) {
	for _, views := range []bool{false, true} {
		name := "tables"
		if views {
			name = "views"
		}
		t.Run(name, func(t *testing.T) { testSQLiteGuard(t, views) })
	}
}

func testSQLiteGuard(t *testing.T, views bool) {
	var d sqlite.Dialect
	var same, refused, failed int
	for name, corpus := range sqliteCorpora(t) {
		db := openSQLite(t)
		fill(t, db, corpus, rand.New(rand.NewPCG(2, uint64(len(name)))), false)
		policy := &secureview.Policy{Dialect: "sqlite", Tables: corpus.tables, RowLimit: 1 << 30, DoubleQuotedStrings: true}
		if views {
			policy.Views = map[string]string{}
			for table := range corpus.tables {
				policy.Views[table] = "secure_" + table
				mustExec(t, db, "CREATE VIEW "+d.Quote("secure_"+table)+" AS SELECT * FROM "+d.Quote(table))
			}
		}
		guard, err := secureview.New(policy, d)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, text := range corpus.statements {
			want, err := run(db, text)
			stmt, guardErr := guard.Rewrite(t.Context(), text)
			switch {
			case err != nil:
				failed++
				continue
			case guardErr != nil:
				t.Errorf("%s: %s is refused: %v", name, text, guardErr)
				refused++
				continue
			}
			got, err := run(db, stmt.SQL())
			if err != nil || !slices.EqualFunc(got.Columns, want.Columns, strings.EqualFold) || !reflect.DeepEqual(got.Rows, want.Rows) {
				t.Errorf("%s: %s\n%v\nexecuted as %s\n%v, %v", name, text, want, stmt.SQL(), got, err)
				continue
			}
			same++
		}
		db.Close()
	}
	t.Logf("%d statements answer the same, %d are refused, %d fail on the engine", same, refused, failed)
}

// sqliteAmbiguous are statements with a name that is declared later, or with an alias that
// SQLite reads without its COLLATE in some expressions. The guard refuses them.
var sqliteAmbiguous = []string{
	`WITH a AS (SELECT * FROM b), b AS MATERIALIZED (SELECT n FROM t) SELECT count(*), max(n) FROM a`,
	`SELECT n, s COLLATE NOCASE AS k, s COLLATE NOCASE IN ('A_E', 'B') AS i FROM t WHERE k > 'A' AND NOT length(k) = 9 ORDER BY k BETWEEN 'B' AND 'C', -i, n`,
	`SELECT count(*), min(s) COLLATE NOCASE AS k FROM t GROUP BY n HAVING k = 'A' OR k >= 'B' ORDER BY n`,
	`SELECT count(*) AS n FROM t GROUP BY n`,
}

// A guard does not change the results of difficult statements. It refuses only
// those whose names cannot be resolved or whose rows cannot be limited.
func TestSQLiteGuardStatements(t *testing.T) {
	db := openStatements(t)
	guard, err := secureview.New(&secureview.Policy{Dialect: "sqlite", DoubleQuotedStrings: true, Tables: map[string][]string{
		"t": {"n", "s"}, "u": {"a"}, "v": {"b"}, "from": {"select", "group by", "a`b", `c"d`},
	}}, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range slices.Concat(sqliteStatements, sqliteAmbiguous) {
		want, err := run(db, text)
		if err != nil {
			t.Errorf("%s: the engine: %v", text, err)
			continue
		}
		mayRefuse := strings.Contains(text, "rowid") || strings.Contains(text, "LIMIT (SELECT") || slices.Contains(sqliteAmbiguous, text)
		stmt, err := guard.Rewrite(t.Context(), text)
		if mayRefuse != (err != nil) {
			t.Errorf("Rewrite(%s): %v", text, err)
		}
		if err != nil {
			continue
		}
		got, err := run(db, stmt.SQL())
		if err != nil || !reflect.DeepEqual(got.Rows, want.Rows) {
			t.Errorf("%s\n%v\nexecuted as %s\n%v, %v", text, want, stmt.SQL(), got, err)
		}
	}
}

func TestSQLiteGuardExpressions(t *testing.T) {
	db := openExpressions(t)
	guard, err := secureview.New(&secureview.Policy{Dialect: "sqlite", Tables: map[string][]string{"t": {"n", "s", "r"}}}, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(8, 8))
	answered := 0
	for range 5_000 {
		text := `SELECT ` + randomExpr(rng, 1+rng.IntN(6)) + ` AS x, s FROM t`
		stmt, err := guard.Rewrite(t.Context(), text)
		if err != nil {
			continue
		}
		want, err := run(db, text)
		if err != nil {
			continue
		}
		got, err := run(db, stmt.SQL())
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n%v\nexecuted as %s\n%v, %v", text, want, stmt.SQL(), got, err)
			continue
		}
		answered++
	}
	if answered < 3_500 {
		t.Errorf("%d expressions ran on the engine", answered)
	}
}

// Columns that a policy does not list change no result, even if they have the names of
// columns of other tables or of aliases. No result contains their values.
func TestSQLiteGuardHiddenColumns(t *testing.T) {
	var d sqlite.Dialect
	for name, corpus := range sqliteCorpora(t) {
		listed, more := openSQLite(t), openSQLite(t)
		fill(t, listed, corpus, rand.New(rand.NewPCG(3, uint64(len(name)))), false)
		fill(t, more, corpus, rand.New(rand.NewPCG(3, uint64(len(name)))), true)
		guard, err := secureview.New(&secureview.Policy{Dialect: "sqlite", Tables: corpus.tables, DoubleQuotedStrings: true}, d)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, text := range corpus.statements {
			stmt, err := guard.Rewrite(t.Context(), text)
			if err != nil {
				continue
			}
			want, err := run(listed, stmt.SQL())
			got, gotErr := run(more, stmt.SQL())
			if (err == nil) != (gotErr == nil) || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s\nexecuted as %s\n%v, %v\nwith more columns\n%v, %v", name, text, stmt.SQL(), want, err, got, gotErr)
			}
		}
		listed.Close()
		more.Close()
	}
}

// hiddenColumns returns the names of columns that another table of the corpus has and
// this one does not, and some names that are common as aliases.
func hiddenColumns(c *sqliteCorpus, columns []string) []string {
	names := []string{"T1", "T2", "n", "total", "count", "max", "pw"}
	for _, table := range sorted(c.tables) {
		names = append(names, table)
		names = append(names, c.tables[table]...)
	}
	seen := slices.Clone(columns)
	var hidden []string
	for _, name := range names {
		if !slices.ContainsFunc(seen, func(s string) bool { return strings.EqualFold(s, name) }) {
			seen, hidden = append(seen, name), append(hidden, name)
		}
	}
	return hidden
}
