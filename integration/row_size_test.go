package integration_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/peakmem"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/sqldb"
)

// A row of a server that is much larger than Options.MaxBytes is an error before it
// is in the memory of the host, and the statement has ended on the server. Smaller
// rows are read, however large they are together.
func TestSizeOfRows(t *testing.T) {
	const document = 3 << 20
	t.Run("MariaDB", func(t *testing.T) {
		m := newMaria(t, mariaServer(t), "row_size", fmt.Sprintf(`
			CREATE TABLE doc(id BIGINT PRIMARY KEY, a LONGTEXT);
			INSERT INTO doc WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 8) SELECT x, REPEAT('a', %d) FROM c`,
			document))
		m.grant(t, "SELECT ON doc")
		testSizeOfRows(t, mysql.Dialect{}, "row_size", m.open(t, nil), func() int { return len(m.running(t)) })
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		p := newPostgres(t, pgServer(t), "row_size", fmt.Sprintf(`
			CREATE TABLE doc(id BIGINT PRIMARY KEY, a TEXT);
			INSERT INTO doc SELECT x, repeat('a', %d) FROM generate_series(1, 8) AS x;
			GRANT SELECT ON doc TO row_size`, document))
		testSizeOfRows(t, postgres.Dialect{}, "public", p.open(t, nil), func() (n int) {
			err := p.admin.QueryRow("SELECT count(*) FROM pg_stat_activity WHERE usename = 'row_size' AND state = 'active'").Scan(&n)
			if err != nil {
				t.Fatal(err)
			}
			return n
		})
	})
}

func testSizeOfRows(t *testing.T, d dialect.Dialect, schema string, db *sqldb.DB, running func() int) {
	guard, err := secureview.New(&secureview.Policy{Schema: schema, Tables: map[string][]string{"doc": {"id", "a"}}}, d)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(text string) (table *qed.Table, err error) {
		t.Helper()
		stmt, err := guard.Rewrite(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		grown := peakmem.Growth(t, func() { table, err = db.Query(t.Context(), stmt) })
		if limit := 64<<20 + 4<<20; grown >= limit {
			t.Errorf("%.60s: the memory of the host grows by %d MB", text, grown>>20)
		}
		t.Logf("%.60s: %d MB, %v", text, grown>>20, err)
		return table, err
	}
	for _, columns := range []int{5, 40} {
		text := "SELECT id" + strings.Repeat(", a AS x", columns) + " FROM doc ORDER BY id"
		for i := range columns {
			text = strings.Replace(text, " x,", fmt.Sprintf(" x%d,", i), 1)
		}
		_, err := ask(text)
		var e *sqldb.Error
		if !errors.As(err, &e) || e.Kind != sqldb.ErrTooLarge {
			t.Errorf("%d columns: %v, want %v", columns, err, sqldb.ErrTooLarge)
		}
		if n := running(); n > 0 {
			t.Errorf("%d columns: %d statements are still running", columns, n)
		}
		table, err := ask("SELECT id, a, a AS b FROM doc ORDER BY id")
		if err != nil || len(table.Rows) != 8 || !strings.HasSuffix(table.Rows[7][1].(string), "… (cut: 3145728 bytes)") {
			t.Errorf("documents: %v", err)
		}
	}
}
