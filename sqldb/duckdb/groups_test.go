package duckdb_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// An aggregate that keeps each value of each group with its count is refused for many
// groups only, and one that reads a whole frame for each row for many rows only.
func TestCountedGroups(t *testing.T) {
	path := filepath.Join(t.TempDir(), "groups.duckdb")
	raw, err := sql.Open("duckdb", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = raw.Exec("CREATE TABLE t AS SELECT i AS id, i % 1000 AS k, 'x' || (i % 7) AS s, DATE '2020-01-01' + (i % 900)::INTEGER AS day " +
		"FROM range(1_000_000) r(i)")
	if err := errors.Join(err, raw.Close()); err != nil {
		t.Fatal(err)
	}
	db := open(t, path, nil)
	g := newGuard(t, &secureview.Policy{Dialect: "duckdb", Tables: map[string][]string{"t": {"id", "k", "s", "day"}}})
	for _, query := range []string{
		"SELECT count(*) FROM t JOIN (SELECT k, mode(s) AS m FROM t GROUP BY k) USING (k) WHERE s = m",
		"SELECT mode(s), entropy(s), histogram(s) FROM t",
		"SELECT k, mode(s) FROM t GROUP BY k",
		"SELECT day, entropy(s) FROM t GROUP BY day",
		"SELECT date_trunc('month', day) AS m, histogram(s) FROM t WHERE k < 200 GROUP BY m",
		"SELECT id, max(s) AS mode FROM t GROUP BY id",
		"SELECT count(DISTINCT s) OVER (ORDER BY id) FROM (SELECT * FROM t LIMIT 50000)",
		"SELECT first_value(s ORDER BY k, id) OVER (PARTITION BY k ORDER BY id) FROM t WHERE id < 50000",
		"SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN 9 PRECEDING AND 9 FOLLOWING EXCLUDE CURRENT ROW) FROM t",
	} {
		if _, err := ask(db, g, query); err != nil {
			t.Errorf("%s\n%v", query, err)
		}
	}
	for _, query := range []string{
		"SELECT id, mode(s) FROM t GROUP BY id",
		"SELECT id, k, entropy(s) FROM t GROUP BY id, k",
		"SELECT count(*) FROM (SELECT id, histogram(s) AS h FROM t GROUP BY id) WHERE h IS NOT NULL",
	} {
		_, err := ask(db, g, query)
		var known *sqldb.Error
		if !errors.As(err, &known) || known.Kind != sqldb.ErrTooLarge || !strings.Contains(known.Error(), "columns with fewer values") {
			t.Errorf("%s\nerror %v, want one of kind too large with a remedy", query, err)
		}
	}
}
