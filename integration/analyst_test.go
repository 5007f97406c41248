package integration_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"github.com/qedkit/qed/analyst"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/sqldb/duckdb"
	"github.com/qedkit/qed/sqldb/duckdb/dialect"
)

const exploredTable = `CREATE TABLE t_parsed (region VARCHAR(20), amount INT, day DATE);
	INSERT INTO t_parsed WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 399)
		` + exploredRows + ` FROM n;`

func exploredPolicy(schema string) *secureview.Policy {
	return &secureview.Policy{Schema: schema, Tables: map[string][]string{"t_parsed": {"region", "amount", "day"}}}
}

func TestAnalystMariaDB(t *testing.T) {
	server := mariaServer(t)
	m := newMaria(t, server, "explored", exploredTable)
	explore(t, analyst.Data{DB: m.openAsRoot(t, server, nil), Policy: exploredPolicy("explored"), Dialect: mysql.Dialect{}})
}

func TestAnalystPostgres(t *testing.T) {
	p := newPostgres(t, pgServer(t), "explored", exploredTable+
		"GRANT USAGE ON SCHEMA public TO explored; GRANT SELECT ON ALL TABLES IN SCHEMA public TO explored")
	explore(t, analyst.Data{DB: p.open(t, nil), Policy: exploredPolicy("public"), Dialect: postgres.Dialect{}})
}

func TestAnalystDuckDB(t *testing.T) {
	path := filepath.Join(t.TempDir(), "orders.db")
	raw, err := sql.Open("duckdb", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = raw.Exec("CREATE TABLE t_parsed AS " + exploredRows + " FROM range(400) n(i)")
	if err = errors.Join(err, raw.Close()); err != nil {
		t.Fatal(err)
	}
	db, err := duckdb.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	explore(t, analyst.Data{DB: db, Dialect: dialect.Dialect{}, Policy: &secureview.Policy{
		Dialect: "duckdb", Tables: exploredPolicy("").Tables,
	}})
}
