package integration_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/sqldb"
)

// mariaViewsScript creates a database with views of all kinds.
const mariaViewsScript = "CREATE TABLE t (n INT PRIMARY KEY, s VARCHAR(20), d DATE); CREATE TABLE u (a INT PRIMARY KEY, n INT, KEY (n)); CREATE TABLE secret (n INT PRIMARY KEY, s VARCHAR(20));" +
	"CREATE TABLE `o'dd ``name` (n INT); CREATE TABLE single (n INT, s VARCHAR(90)) ENGINE = MEMORY;" +
	"INSERT INTO t VALUES (1, 'a', '2024-01-02'), (2, 'b', NULL), (3, 'it''s', '2024-02-03'); INSERT INTO u VALUES (1, 1), (2, 1), (3, 2); INSERT INTO secret VALUES (1, 'hunter2'), (2, 'x');" +
	"INSERT INTO `o'dd ``name` VALUES (5); INSERT INTO single VALUES (1, 'it''s \\\\ from `reread`.`secret` \\'');" +
	"CREATE VIEW v AS SELECT n, s FROM t WHERE n > 0;" +
	"CREATE VIEW vv AS SELECT v.n, v.s, u.a FROM v JOIN u ON u.n = v.n;" +
	"CREATE ALGORITHM = TEMPTABLE VIEW vt AS SELECT s, count(*) AS c FROM t GROUP BY s;" +
	"CREATE VIEW vu AS SELECT n FROM t UNION SELECT a FROM u;" +
	"CREATE VIEW vw AS WITH c AS (SELECT n FROM secret) SELECT c.n, (SELECT max(s) FROM secret) AS m FROM c LEFT JOIN vv ON vv.n = c.n;" +
	"CREATE VIEW vs AS SELECT s FROM single;"

var mariaViewsTables = map[string][]string{
	"t": {"n", "s", "d"}, "u": {"a", "n"}, "o'dd `name": {"n"}, "single": {"n", "s"},
	"v": {"n", "s"}, "vv": {"n", "s", "a"}, "vt": {"s", "c"}, "vu": {"n"}, "vw": {"n", "m"}, "vs": {"s"},
}

// mariaViewsStatements have tables in every position where one can stand.
var mariaViewsStatements = []string{
	"SELECT 1",
	"SELECT n FROM t WHERE s = 'it''s \"here\"' OR s LIKE '%`secret`%'",
	"SELECT t.n, u.a FROM t JOIN u ON u.n = t.n LEFT JOIN t AS x ON x.n = u.a",
	"SELECT * FROM t NATURAL JOIN u",
	"SELECT t.n FROM t RIGHT JOIN (u JOIN v ON v.n = u.n) ON u.a = t.n",
	"SELECT n FROM t WHERE n IN (SELECT n FROM u) AND n NOT IN (SELECT a FROM u WHERE u.n > t.n)",
	"SELECT n FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.n = t.n) OR n = ALL (SELECT n FROM v)",
	"SELECT n FROM t WHERE 1 = 0",
	"SELECT n FROM t WHERE n = 2",
	"SELECT (SELECT max(a) FROM u), count(*) FROM t GROUP BY s WITH ROLLUP",
	"SELECT d.k FROM (SELECT n, count(*) AS k FROM u GROUP BY n) AS d WHERE d.k > 1",
	"SELECT n FROM t UNION ALL SELECT a FROM u ORDER BY 1 LIMIT 3",
	"(SELECT n FROM t LIMIT 1) UNION (SELECT a FROM u)",
	"SELECT n FROM t INTERSECT SELECT n FROM u EXCEPT SELECT 7",
	"WITH c AS (SELECT n FROM t), e AS (SELECT a FROM u, c) SELECT * FROM c JOIN e ON e.a = c.n",
	"WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT c.n + 1 FROM c JOIN t ON t.n = c.n) SELECT n FROM c",
	"WITH `monthly sales` AS (SELECT n FROM t) SELECT * FROM `monthly sales` AS `it is`",
	"WITH RECURSIVE `select` (`from`) AS (SELECT n FROM t) SELECT `from` FROM `select`",
	"SELECT row_number() OVER (PARTITION BY s ORDER BY n), sum(n) OVER w FROM t WINDOW w AS (ORDER BY n)",
	"SELECT EXTRACT(YEAR FROM e.d), TRIM(BOTH 'x' FROM e.s) FROM (SELECT d, s FROM t) AS e",
	"SELECT count('x'), CASE WHEN s = 'a' THEN 'it''s' END FROM t GROUP BY s",
	"SELECT n FROM `o'dd ``name`",
	"SELECT s, n FROM single",
	"SELECT n FROM v", "SELECT * FROM vv WHERE a > 0", "SELECT c FROM vt", "SELECT n FROM vu", "SELECT n, m FROM vw", "SELECT s FROM vs",
	"SELECT v.n FROM v JOIN vv ON vv.n = v.n JOIN vt ON vt.s = v.s WHERE v.n IN (SELECT n FROM vw)",
}

// The server reads nothing but what the guard saw, whether the account may see what
// the views read or not.
func TestMySQLDBVerifies(t *testing.T) {
	server := mariaServer(t)
	m := newMaria(t, server, "mysqldb_rereads", mariaViewsScript)
	for table := range mariaViewsTables {
		m.grant(t, "SELECT ON "+mysqlDialect.Quote(table))
	}
	for name, db := range map[string]*sqldb.DB{"an account that may see everything": m.openAsRoot(t, server, nil), "an account of the views": m.open(t, nil)} {
		for _, text := range mariaViewsStatements {
			if _, err := db.Query(t.Context(), mariaGuarded(t, m.name, mariaViewsTables, text)); err != nil {
				t.Errorf("%s: %s: %v", name, text, err)
			}
		}
	}
}

// A statement that would read more than the guard saw is refused, wherever the table
// stands, and even if a statement with the same fingerprint was checked before.
func TestMySQLDBDenies(t *testing.T) {
	server := mariaServer(t)
	m := newMaria(t, server, "mysqldb_refuses", mariaViewsScript)
	db := m.openAsRoot(t, server, nil)
	s := "`" + m.name + "`."
	for _, tt := range []struct {
		text  string
		reads []string
	}{
		{"SELECT `n` FROM " + s + "`secret`", nil},
		{"SELECT `t`.`n` FROM " + s + "`t` JOIN " + s + "`secret` ON TRUE", []string{"t"}},
		{"SELECT `n` FROM " + s + "`t` AS `secret` WHERE EXISTS (SELECT 1 FROM " + s + "`secret`)", []string{"t"}},
		{"SELECT (SELECT max(`s`) FROM " + s + "`secret`) AS `x` FROM " + s + "`t`", []string{"t"}},
		{"SELECT `n` FROM " + s + "`t` UNION SELECT `n` FROM " + s + "`secret`", []string{"t"}},
		{"SELECT `n` FROM " + s + "`t` ORDER BY (SELECT `s` FROM " + s + "`secret` LIMIT 1)", []string{"t"}},
		{"WITH `secret` AS (SELECT * FROM `secret`) SELECT `n` FROM `secret`", nil},
		{"WITH `secret` AS (SELECT 1 AS `n`) SELECT `n` FROM " + s + "`secret`", nil},
		{"WITH `a` AS (SELECT `n` FROM `secret`), `secret` AS (SELECT 1 AS `n`) SELECT `n` FROM `a`", nil},
		{"SELECT `d`.`n` FROM (WITH `secret` AS (SELECT 1 AS `n`) SELECT `n` FROM `secret`) AS `d` JOIN `secret` ON TRUE", nil},
		{"SELECT `n` FROM " + s + "`vw`", []string{"vv"}},
		{"SELECT `n` FROM " + s + "`vv` JOIN " + s + "`u` USING (`n`)", []string{"v", "t"}},
		{"SELECT TABLE_NAME FROM information_schema.TABLES", nil},
		{"SELECT User FROM mysql.global_priv", nil},
		{"SELECT 1 FROM `mysql`.`user`", []string{"user"}},
		{"WITH `x'` AS (SELECT `n` FROM `secret`), `y'` AS (SELECT 1) SELECT `n` FROM `x'`", nil},
		{"SELECT 1 FROM " + s + "`t` AS `x'` WHERE `n` NOT IN (SELECT `n` FROM " + s + "`secret`)", []string{"t"}},
	} {
		for range 2 {
			_, err := db.Query(t.Context(), mariaUnguarded(t, tt.text, m.name, tt.reads...))
			if !errors.Is(err, sqldb.ErrDenied) {
				t.Errorf("%s: %v", tt.text, err)
			}
		}
	}
	// The result of a check is only valid for the tables that the statement claimed.
	text := "SELECT `t`.`n` FROM " + s + "`t` JOIN " + s + "`secret` ON TRUE"
	if _, err := db.Query(t.Context(), mariaUnguarded(t, text, m.name, "t", "secret")); err != nil {
		t.Errorf("%s: %v", text, err)
	}
	if _, err := db.Query(t.Context(), mariaUnguarded(t, text, m.name, "t")); !errors.Is(err, sqldb.ErrDenied) {
		t.Errorf("%s, which claims to read less: %v", text, err)
	}
}

// A server can execute a subquery while it explains the statement, and MariaDB does so only
// in a comparison of rows. The subquery has more warnings than the server keeps by default.
// On MySQL the account may not raise that number.
func TestMySQLDBVerifiesAmongWarnings(t *testing.T) {
	for brand, start := range mysqlServers {
		t.Run(brand, func(t *testing.T) {
			m := newMaria(t, start(t), "mysqldb_warns_"+strings.ToLower(brand), "CREATE TABLE n (i INT PRIMARY KEY); "+
				"INSERT INTO n VALUES (1), (2), (3), (4); CREATE TABLE secret (i INT); INSERT INTO secret VALUES (7), (8)")
			m.grant(t, "SELECT ON n")
			m.grant(t, "SELECT ON secret")
			db := m.open(t, nil)
			subquery := "(SELECT max(`a`.`i`) FROM n AS a, n AS b, n AS c, n AS d, n AS e, n AS f, n AS g " +
				"WHERE CAST(concat('x', `a`.`i`, `b`.`i`, `c`.`i`, `d`.`i`, `e`.`i`, `f`.`i`) AS DECIMAL(2)) = `g`.`i`)"
			for _, many := range []string{"5 < " + subquery, "(`i`, 5) = (1, " + subquery + ")"} {
				text := "SELECT `i` FROM n WHERE " + many
				if _, err := db.Query(t.Context(), mariaGuarded(t, m.name, map[string][]string{"n": {"i"}}, text)); err != nil {
					t.Error(err)
				}
				text = "SELECT max(`i`) FROM secret AS s GROUP BY `i` HAVING `i` > 0 OR " + many
				if _, err := db.Query(t.Context(), mariaUnguarded(t, text, m.name, "n")); !errors.Is(err, sqldb.ErrDenied) {
					t.Errorf("%s: %v", text, err)
				}
			}
		})
	}
}

// For the gold statements, the server names no table that the guard did not see.
func TestMySQLDBVerifiesCorpus(t *testing.T) {
	server := mariaServer(t)
	gold := corpora.Find(t)
	var asked, failed int
	for i, schema := range gold.Schemas {
		t.Run(schema.DB, func(t *testing.T) {
			m := newMaria(t, server, fmt.Sprintf("mysqldb_corpus_%d", i), "")
			for table, columns := range schema.Tables {
				definition := ""
				for _, column := range columns {
					definition += ", " + mysqlDialect.Quote(column) + " VARCHAR(40)"
				}
				mariaExec(t, m.admin, "CREATE TABLE "+mysqlDialect.Quote(table)+" ("+definition[2:]+") ENGINE = MEMORY")
			}
			guard, err := secureview.New(&secureview.Policy{Schema: m.name, Tables: schema.Tables}, mysql.Dialect{})
			if err != nil {
				t.Fatal(err)
			}
			db := m.openAsRoot(t, server, nil)
			for _, statement := range gold.Statements {
				if statement.DB != schema.DB {
					continue
				}
				stmt, err := guard.Rewrite(t.Context(), statement.SQL)
				if err != nil {
					continue
				}
				asked++
				switch _, err := db.Query(t.Context(), stmt); {
				case errors.Is(err, sqldb.ErrDenied):
					t.Errorf("%s: %v", stmt.SQL(), err)
				case err != nil:
					failed++
				}
			}
		})
	}
	t.Logf("%d statements; %d fail in the engine", asked, failed)
	if failed*20 > asked {
		t.Errorf("%d of %d statements fail", failed, asked)
	}
}

// A statement that the server does not plan in time is refused, long before the time
// limit of the statement, and nothing of it runs afterwards.
func TestMySQLDBPlansInTime(t *testing.T) {
	for brand, start := range mysqlServers {
		t.Run(brand, func(t *testing.T) {
			server := start(t)
			m := newMaria(t, server, "mysqldb_plans_"+strings.ToLower(brand), "CREATE TABLE t (n INT)")
			m.grant(t, "SELECT ON t")
			db := m.open(t, &sqldb.Options{Timeout: time.Hour})
			tables := map[string][]string{"t": {"n"}}
			lock, err := m.admin.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer lock.Close()
			if _, err := lock.ExecContext(t.Context(), "LOCK TABLES t WRITE"); err != nil {
				t.Fatal(err)
			}
			_, err = db.Query(t.Context(), mariaGuarded(t, m.name, tables, "SELECT n FROM t"))
			if !errors.Is(err, sqldb.ErrTooLarge) {
				t.Errorf("a statement that is not planned: %v", err)
			}
			if list := m.running(t); len(list) > 0 {
				t.Errorf("the server still runs %q", list)
			}
			if _, err := lock.ExecContext(t.Context(), "UNLOCK TABLES"); err != nil {
				t.Fatal(err)
			}
			askMaria(t, db, m.name, tables, "SELECT n FROM t")
		})
	}
}
