package integration_test

import (
	"testing"

	"github.com/qedkit/qed/analyst"
	"github.com/qedkit/qed/internal/analysttest"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
)

const exploredTable = `CREATE TABLE t_parsed (region VARCHAR(20), amount INT, day DATE);
	INSERT INTO t_parsed WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 399)
		` + analysttest.Rows + ` FROM n;`

func exploredPolicy(schema string) *secureview.Policy {
	return &secureview.Policy{Schema: schema, Tables: map[string][]string{"t_parsed": {"region", "amount", "day"}}}
}

func TestAnalystMariaDB(t *testing.T) {
	server := mariaServer(t)
	m := newMaria(t, server, "explored", exploredTable)
	analysttest.Explore(t, analyst.Data{DB: m.openAsRoot(t, server, nil), Policy: exploredPolicy("explored"), Dialect: mysql.Dialect{}})
}

func TestAnalystPostgres(t *testing.T) {
	p := newPostgres(t, pgServer(t), "explored", exploredTable+
		"GRANT USAGE ON SCHEMA public TO explored; GRANT SELECT ON ALL TABLES IN SCHEMA public TO explored")
	analysttest.Explore(t, analyst.Data{DB: p.open(t, nil), Policy: exploredPolicy("public"), Dialect: postgres.Dialect{}})
}
