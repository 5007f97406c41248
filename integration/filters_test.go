package integration_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/secureview/provision"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/duckdb"
	duckdbdialect "github.com/qedkit/qed/sqldb/duckdb/dialect"
	"github.com/qedkit/qed/sqldb/postgresdb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// filteredTables have rows of several tenants: tenant 1 has Ann and Bob, whose name is
// the name of an order's state, tenant 2 has Eve, 11 has Kim. TEXT is the type of a text
// that ignores case if the engine has one.
const filteredTables = `
	CREATE TABLE employee (id INT PRIMARY KEY, name VARCHAR(40), salary BIGINT, tenant INT, team TEXT);
	INSERT INTO employee VALUES (1, 'Ann', 10, 1, 'red'), (2, 'Bob', 20, 1, 'Red'), (3, 'Eve', 9223372036854775807, 2, 'red'),
		(4, 'Kim', 40, 11, 'red,blue'), (5, 'Leo', 50, NULL, NULL), (6, 'Pat', 60, 0, '0'), (7, 'Sam', 70, 3, 'red ');
	CREATE TABLE dept (id INT PRIMARY KEY, name VARCHAR(40), budget INT);
	INSERT INTO dept VALUES (1, 'Sales', 7), (2, 'Ops', 8)`

// A filteredEngine is a database whose policy filters rows.
type filteredEngine struct {
	dialect dialect.Dialect
	schema  string
	team    string // the type of a text that ignores case
	open    func(t *testing.T, script string) *sqldb.DB
}

func filteredEngines() map[string]filteredEngine {
	file := func(t *testing.T, driver, script string) string {
		path := filepath.Join(t.TempDir(), "filters.db")
		pool, err := sql.Open(driver, path)
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		if _, err := pool.Exec(script); err != nil {
			t.Fatal(err)
		}
		return path
	}
	opt := sqldb.Options{Session: securedSessionOf}
	return map[string]filteredEngine{
		"SQLite": {sqlite.Dialect{}, "main", "TEXT COLLATE NOCASE", func(t *testing.T, script string) *sqldb.DB {
			db, err := sqlitedb.Open(file(t, "sqlite", script), &sqlitedb.Options{Options: opt})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { db.Close() })
			return db
		}},
		"DuckDB": {duckdbdialect.Dialect{}, "main", "VARCHAR COLLATE NOCASE", func(t *testing.T, script string) *sqldb.DB {
			db, err := duckdb.Open(t.Context(), file(t, "duckdb", script), &duckdb.Options{Options: opt})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { db.Close() })
			return db
		}},
		"MariaDB": {mysql.Dialect{}, "filters", "VARCHAR(40)", func(t *testing.T, script string) *sqldb.DB {
			return granted(t, newMaria(t, integration.MariaDB(t), "filters", script)).open(t, &opt)
		}},
		"MySQL": {mysql.Dialect{}, "filters", "VARCHAR(40)", func(t *testing.T, script string) *sqldb.DB {
			return granted(t, newMaria(t, integration.MySQL(t), "filters", script)).open(t, &opt)
		}},
		"PostgreSQL": {postgres.Dialect{}, "public", "TEXT COLLATE folding", func(t *testing.T, script string) *sqldb.DB {
			script = "CREATE COLLATION folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false);" + script +
				"; GRANT SELECT ON ALL TABLES IN SCHEMA public TO filters"
			return newPostgres(t, pgServer(t), "filters", script).open(t, &postgresdb.Options{Options: opt})
		}},
	}
}

// granted gives the account the columns of the tables that the policy and its filter read.
func granted(t *testing.T, m *maria) *maria {
	m.grant(t, "SELECT (id, name, salary, tenant, team) ON employee")
	m.grant(t, "SELECT (id, name) ON dept")
	return m
}

// A filteredCompany asks about the tables under a policy.
type filteredCompany struct {
	dialect dialect.Dialect
	db      *sqldb.DB
	guard   *secureview.Guard
}

// ask returns the rows of a statement for a session, in order.
func (c filteredCompany) ask(t *testing.T, settings map[string]any, text string) (string, error) {
	ctx := context.WithValue(t.Context(), securedSession{}, &sqldb.Session{Settings: settings})
	table, err := c.db.QueryText(ctx, c.guard, text)
	if err != nil {
		return "", err
	}
	rows := make([]string, len(table.Rows))
	for i, row := range table.Rows {
		rows[i] = strings.TrimSuffix(fmt.Sprintln(row...), "\n")
	}
	slices.Sort(rows)
	return strings.Join(rows, "; "), nil
}

// onEachFiltered runs a test on each engine, with a filter of the employees.
func onEachFiltered(t *testing.T, filter string, test func(t *testing.T, c filteredCompany)) {
	for name, e := range filteredEngines() {
		t.Run(name, func(t *testing.T) {
			c := filteredCompany{dialect: e.dialect, db: e.open(t, strings.ReplaceAll(filteredTables, "TEXT", e.team))}
			c.guard = c.filteredBy(t, e.schema, filter)
			test(t, c)
		})
	}
}

func (c filteredCompany) filteredBy(t *testing.T, schema, filter string) *secureview.Guard {
	t.Helper()
	p := &secureview.Policy{
		Dialect: c.dialect.Name(), Schema: schema,
		Tables:  map[string][]string{"employee": {"id", "name", "salary"}, "dept": {"id", "name"}},
		Filters: map[string]string{"employee": filter},
	}
	guard, err := secureview.New(p, c.dialect)
	if err != nil {
		t.Fatal(err)
	}
	return guard
}

// Values select exactly the rows that have them as a text.
func TestFilterValues(t *testing.T) {
	tests := []struct {
		filter string
		value  any
		want   string
	}{
		{"tenant = :value", 1, "1; 2"},
		{"tenant = :value", int64(11), "4"},
		{"tenant = :value", "1", "1; 2"},
		{"tenant = :value", "", ""},
		{"tenant IN (:value)", "2,11", "3; 4"},
		{"tenant IN (:value)", "", ""},
		{"tenant IN (:value)", "0", "6"},
		{"tenant <> :value", "1", "3; 4; 6; 7"},
		{"tenant NOT IN (:value)", "1,2", "4; 6; 7"},
		{"NOT tenant IN (:value)", "", ""},
		{"team = :value", "red", "1; 3"},
		{"team = :value", "Red", "2"},
		{"team = :value", "RED", ""},
		{"team = :value", "red ", "7"},
		{"team = :value", "red,blue", "4"},
		{"team IN (:value)", "red,Red", "1; 2; 3"},
		{"team = :value", 0, "6"},
		{"team = :value", "x' OR '1'='1", ""},
		{"team = :value", `x\' OR 1=1 -- `, ""},
		{"team <> :value", "red", "2; 4; 6; 7"},
		{"tenant IS NULL OR tenant = :value", 2, "3; 5"},
		{"(tenant = :value OR team = 'Red') AND id < 3", 7, "1; 2"}, // a literal follows the collation
		{"NOT (tenant = :value OR salary > 30)", "11", "1; 2"},
		{"id = tenant AND tenant = :value", "1", "1"},
	}
	for name, e := range filteredEngines() {
		t.Run(name, func(t *testing.T) {
			c := filteredCompany{dialect: e.dialect, db: e.open(t, strings.ReplaceAll(filteredTables, "TEXT", e.team))}
			for _, tt := range tests {
				c.guard = c.filteredBy(t, e.schema, tt.filter)
				got, err := c.ask(t, map[string]any{"value": tt.value}, "SELECT id FROM employee")
				if err != nil || got != tt.want {
					t.Errorf("%s with %v: %q, want %q: %v", tt.filter, tt.value, got, tt.want, err)
				}
			}
			// A value that is no number selects no row, and may be an error.
			c.guard = c.filteredBy(t, e.schema, "tenant IN (:value)")
			for _, value := range []string{"1abc", "1.0", "01", "+1", " 1", "1 OR 1=1", "abc", "1e0"} {
				if got, _ := c.ask(t, map[string]any{"value": value}, "SELECT id FROM employee"); got != "" {
					t.Errorf("the value %q shows %s", value, got)
				}
			}
		})
	}
}

// A statement without the setting, or with another one that the database does not have,
// does not run.
func TestFilterMissing(t *testing.T) {
	onEachFiltered(t, "tenant = :tenant", func(t *testing.T, c filteredCompany) {
		for _, settings := range []map[string]any{nil, {"tenant": nil}, {"tenants": 1}, {"tenant": true}} {
			_, err := c.ask(t, settings, "SELECT id FROM employee")
			if kind, ok := errors.AsType[*sqldb.Error](err); !ok || kind.Kind != sqldb.ErrSession && kind.Kind != sqldb.ErrArgument {
				t.Errorf("%v: %v", settings, err)
			}
		}
		if got, err := c.ask(t, nil, "SELECT name FROM dept"); err != nil || got != "Ops; Sales" {
			t.Errorf("a table without a filter: %s, %v", got, err)
		}
		if got, err := c.ask(t, map[string]any{"Tenant": 2}, "SELECT id FROM employee"); err != nil || got != "3" {
			t.Errorf("another letter case: %s, %v", got, err)
		}
	})
}

// No statement shows a row, or a column, that is hidden.
func TestFilterScopes(t *testing.T) {
	onEachFiltered(t, "tenant IN (:tenant)", func(t *testing.T, c filteredCompany) {
		for text, want := range map[string]string{
			"SELECT count(*) AS n FROM employee":                                                                                          "2",
			"SELECT count(e.id) AS n FROM dept d LEFT JOIN employee e ON e.id > 0":                                                        "4",
			"SELECT e.id FROM employee e JOIN employee f ON e.id = f.id":                                                                  "1; 2",
			"SELECT e.id FROM employee e, employee f WHERE e.id = f.id":                                                                   "1; 2",
			"SELECT id FROM employee JOIN dept USING (id)":                                                                                "1; 2",
			"SELECT id FROM dept NATURAL JOIN (SELECT id FROM employee) AS e":                                                             "1; 2",
			"SELECT name FROM dept WHERE id + 1 IN (SELECT id FROM employee)":                                                             "Sales",
			"SELECT name FROM dept d WHERE NOT EXISTS (SELECT 1 AS one FROM employee e WHERE e.id = d.id + 2)":                            "Ops; Sales",
			"SELECT name FROM dept WHERE id <> ALL (SELECT salary FROM employee)":                                                         "Ops; Sales",
			"SELECT (SELECT max(salary) FROM employee) AS m FROM dept":                                                                    "20; 20",
			"SELECT id FROM employee UNION SELECT id + 10 FROM employee":                                                                  "1; 11; 12; 2",
			"SELECT id FROM employee EXCEPT SELECT id FROM dept":                                                                          "",
			"WITH e AS (SELECT id FROM employee) SELECT count(*) AS n FROM e, e AS f":                                                     "4",
			"WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < (SELECT count(*) FROM employee)) SELECT n FROM r": "1; 2",
			"SELECT id FROM employee WHERE 1 = 1 OR salary > 0":                                                                           "1; 2",
			"SELECT sum(salary) OVER () AS s FROM employee":                                                                               "30; 30",
			"SELECT max(x.name) AS m FROM (SELECT * FROM employee) AS x":                                                                  "Bob",
			"SELECT name FROM employee WHERE id IN (3, 4, 5) OR name = 'Eve' OR name LIKE 'E%'":                                           "",
			"SELECT dept.name FROM employee AS dept WHERE dept.id = 1":                                                                    "Ann",
		} {
			if c.dialect.Name() == "sqlite" && strings.Contains(text, "<> ALL") {
				continue
			}
			if got, err := c.ask(t, map[string]any{"tenant": "1"}, text); err != nil || got != want {
				t.Errorf("%s: %q, want %q: %v", text, got, want, err)
			}
		}
		for _, text := range []string{
			"SELECT tenant FROM employee", "SELECT id FROM employee WHERE tenant = 2", "SELECT team FROM employee", "SELECT budget FROM dept",
			"SELECT id FROM employee ORDER BY tenant", "SELECT e.tenant FROM employee AS e", "SELECT id FROM employee WHERE id = :tenant",
		} {
			if got, err := c.ask(t, map[string]any{"tenant": "1"}, text); err == nil {
				t.Errorf("%s runs: %s", text, got)
			}
		}
	})
}

// The failure of a statement does not depend on rows that the filter hides, which could be
// read bit by bit otherwise. Each statement fails on a row for which COND is true, and on
// no row that the session may see.
func TestFilterOracles(t *testing.T) {
	fails := map[string][]string{
		"mysql": {
			"EXP(710 * (COND)) > 0",
			"9223372036854775807 + (COND) > 0",
			"(SELECT 1 AS one UNION ALL SELECT 2 FROM dept WHERE dept.id = 1 AND COND) = 1",
		},
		"postgres": {
			"1 / (CASE WHEN COND THEN 0 ELSE 1 END) = 1",
			"EXP(CASE WHEN COND THEN 10000 ELSE 1 END) > 0",
			"CAST(CASE WHEN COND THEN e.name ELSE '1' END AS INTEGER) > 0",
			"(SELECT 1 AS one UNION ALL SELECT 2 FROM dept WHERE dept.id = 1 AND COND) = 1",
		},
		"sqlite": {
			"abs(CASE WHEN COND THEN -9223372036854775808 ELSE 1 END) > 0",
			"json(CASE WHEN COND THEN '{' ELSE '1' END) > ''",
			"(SELECT sum(9223372036854775807) FROM dept WHERE COND) > 0",
		},
		"duckdb": {
			"CAST(CASE WHEN COND THEN e.name ELSE '1' END AS INTEGER) > 0",
			"CAST(CASE WHEN COND THEN 'x' ELSE '2020-01-01' END AS DATE) > DATE '1900-01-01'",
			"exp(CASE WHEN COND THEN e.name ELSE '1' END::DOUBLE) > 0",
		},
	}
	shapes := []string{
		"SELECT e.id FROM employee e WHERE FAILS",
		"SELECT e.id FROM employee e WHERE e.id = 3 AND FAILS",
		"SELECT e.id FROM employee e WHERE FAILS AND e.id = 3",
		"SELECT e.id FROM employee e WHERE e.id IN (3, 4) AND FAILS",
		"SELECT e.id FROM employee e WHERE e.id > 2 AND FAILS",
		"SELECT e.id FROM employee e WHERE e.salary > 100 AND FAILS",
		"SELECT d.id FROM dept d LEFT JOIN employee e ON e.id = d.id + 2 AND FAILS",
		"SELECT d.id FROM dept d JOIN employee e ON e.id = d.id + 2 WHERE FAILS",
		"SELECT d.id FROM dept d WHERE EXISTS (SELECT 1 AS one FROM employee e WHERE e.id = d.id + 2 AND FAILS)",
		"SELECT count(*) AS n FROM employee e GROUP BY FAILS",
		"SELECT e.id FROM employee e ORDER BY FAILS",
		"SELECT FAILS AS x FROM employee e WHERE e.id = 3",
		"SELECT count(*) AS n FROM employee e JOIN employee f ON e.id = f.id AND FAILS",
		"WITH e AS (SELECT * FROM employee) SELECT e.id FROM e WHERE FAILS",
		"SELECT e.id FROM (SELECT * FROM employee) AS e WHERE FAILS",
		"SELECT max(CASE WHEN FAILS THEN 1 END) AS m FROM employee e",
		"SELECT sum(e.salary) AS s FROM employee e",
		"SELECT e.salary + 1 AS s FROM employee e WHERE e.salary + 1 > 0",
	}
	// Without a barrier, engines would evaluate a condition first that costs less than this one.
	const costly = "tenant = :tenant OR team = 'x' OR team = 'y' OR team = 'z' OR team = :tenant OR salary < -1 OR salary = -2"
	onEachFiltered(t, costly, func(t *testing.T, c filteredCompany) {
		settings := map[string]any{"tenant": 1}
		for _, fail := range fails[c.dialect.Name()] {
			text := strings.ReplaceAll(shapes[0], "FAILS", strings.ReplaceAll(fail, "COND", "e.name = 'Ann'"))
			if rows, err := c.ask(t, settings, text); err == nil {
				t.Errorf("%s does not fail: %s", text, rows) // otherwise this test proves nothing
			}
			for _, shape := range shapes {
				text := strings.ReplaceAll(shape, "FAILS", strings.ReplaceAll(fail, "COND", "e.name = 'Eve'"))
				if _, err := c.ask(t, settings, text); err != nil && !errors.Is(err, secureview.ErrUnsupported) { // refused without reading rows
					t.Errorf("%s shows that there is an Eve: %v", text, err)
				}
			}
		}
	})
}

// One declaration is the filter of statements, of the view of a table and of row-level
// security, which all show the same rows.
func TestFilterProvisioned(t *testing.T) {
	filters := []string{
		"tenant = :NAME", "tenant IN (:NAME)", "tenant <> :NAME", "tenant NOT IN (:NAME)", "NOT (team IN (:NAME) OR salary > 1000)",
		"team = :NAME OR tenant IS NULL", "(team <> :NAME AND id < 6) OR name = 'it''s'", "team IN (:NAME) AND id IN (1, 2, 3)",
	}
	values := []any{"1", 11, "1,2", "red", "Red", "red ", "", nil, ",", "0", "x' OR '1'='1"}
	for name, e := range filteredEngines() {
		if e.dialect.Name() == "sqlite" || e.dialect.Name() == "duckdb" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			setting, account := "tenant", "'filters'@'%'"
			if name == "PostgreSQL" {
				setting, account = "app.tenant", "filters"
			}
			script := strings.ReplaceAll(filteredTables, "TEXT", e.team) + ";" +
				strings.ReplaceAll(strings.ReplaceAll(filteredTables[:strings.Index(filteredTables, "CREATE TABLE dept")], "TEXT", e.team), "employee", "person")
			var admin *sql.DB
			var db *sqldb.DB
			opt := sqldb.Options{Session: securedSessionOf}
			switch name {
			case "MariaDB":
				m := newMaria(t, integration.MariaDB(t), "filters", script)
				admin, db = m.admin, granted(t, m).open(t, &opt)
			case "MySQL":
				m := newMaria(t, integration.MySQL(t), "filters", script)
				admin, db = m.admin, granted(t, m).open(t, &opt)
			default:
				script = "CREATE COLLATION folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false);" + script
				p := newPostgres(t, pgServer(t), "filters", script)
				admin, db = p.admin, p.open(t, &postgresdb.Options{Options: opt})
			}
			for _, filter := range filters {
				filter = strings.ReplaceAll(filter, "NAME", setting)
				p := &secureview.Policy{
					Dialect: e.dialect.Name(), Schema: e.schema,
					Tables:  map[string][]string{"employee": {"id", "name"}, "person": {"id", "name"}},
					Views:   map[string]string{"person": "secure_person"},
					Filters: map[string]string{"employee": filter, "person": filter},
					Setup:   &secureview.Setup{Account: account},
				}
				statements, err := provision.SQL(p)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range statements {
					if name != "PostgreSQL" && strings.Contains(s, "CREATE USER") {
						continue // it would be locked
					}
					if _, err := admin.Exec(s); err != nil {
						t.Fatalf("%s: %v", s, err)
					}
				}
				if err := db.Check(t.Context(), p); err != nil {
					t.Errorf("%s: %v", filter, err)
				}
				guard, err := secureview.New(p, e.dialect)
				if err != nil {
					t.Fatal(err)
				}
				c := filteredCompany{dialect: e.dialect, db: db, guard: guard}
				for _, value := range values {
					if name == "PostgreSQL" && value == "" {
						continue // it is no value there
					}
					settings := map[string]any{setting: value}
					view, err := c.ask(t, settings, "SELECT id FROM person")
					if err != nil {
						t.Errorf("%s with %v: the view: %v", filter, value, err)
					}
					table, err := c.ask(t, settings, "SELECT id FROM employee")
					if value == nil {
						if err == nil || view != "" && !strings.Contains(filter, "IS NULL") && !strings.Contains(filter, "it") {
							t.Errorf("%s without a value: %s, %s, %v", filter, view, table, err)
						}
						continue
					}
					if err != nil && !(name == "PostgreSQL" && strings.Contains(err.Error(), "not a value of the type")) || err == nil && view != table {
						t.Errorf("%s with %v: the view shows %q, the statement %q: %v", filter, value, view, table, err)
					}
				}
			}
		})
	}
}
