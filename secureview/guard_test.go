package secureview_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

var dialects = []dialect.Dialect{sqlite.Dialect{}, mysql.Dialect{}}

// policy lists tables with and without views. It hides employee.pw and
// employee.salary, which the view does not have, the table secret, and everything
// else in the database.
func policy(d dialect.Dialect) *secureview.Policy {
	return &secureview.Policy{
		Dialect: d.Name(),
		Schema:  "main",
		Tables: map[string][]string{
			"employee":         {"id", "name", "deptId", "pw", "salary"},
			"secure_employee":  {"id", "name", "deptId"},
			"customer":         {"id", "name", "city"},
			"secure_workorder": {"id", "customerId", "status", "price"},
			"dept":             {"id", "name", "budget"},
			"crew":             {"id", "workOrderId", "createdBy"},
			"employeeCrew":     {"id", "crewId", "employeeId", "isLead"},
		},
		Views: map[string]string{
			"employee":  "secure_employee",
			"customer":  "secure_customer",
			"workOrder": "secure_workorder",
		},
		Schemas: map[string]secureview.Schema{
			"archive": {Tables: map[string][]string{"invoice": {"id", "total"}, "dept": {"id", "closed"}}},
		},
		Functions: []string{"Full_Name"},
		RowLimit:  100,

		DoubleQuotedStrings: d.Name() == "sqlite",
	}
}

func guard(tb testing.TB, d dialect.Dialect) *secureview.Guard {
	tb.Helper()
	g, err := secureview.New(policy(d), d)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// plain removes the quotes around names and the limit of the policy.
func plain(sql string) string {
	return strings.TrimSuffix(strings.NewReplacer("`", "", `"`, "").Replace(sql), " LIMIT 100")
}

// refuse returns the first problem of a refusal. Only unknown names have several.
func refuse(t *testing.T, err error) refusal.Problem {
	t.Helper()
	var e *refusal.Error
	if !errors.As(err, &e) || e.Package != "secureview" || len(e.Problems) == 0 {
		t.Fatalf("the error is a %T: %v", err, err)
	}
	for _, p := range e.Problems {
		unknown := p.Code == secureview.ErrUnknownColumn || p.Code == secureview.ErrUnknownTable || p.Code == secureview.ErrUnknownSchema ||
			p.Code == secureview.ErrUnknownView || p.Code == secureview.ErrFunction
		if p.Message == "" || len(e.Problems) > 1 && !unknown {
			t.Fatalf("several problems that are not unknown names: %v", err)
		}
	}
	return e.Problems[0]
}

// Every name that does not exist is a problem of its own, found in one reading, and what
// follows from a table that does not exist is none.
func TestEveryUnknownName(t *testing.T) {
	for _, tt := range []struct{ sql, want string }{
		{"SELECT e.nam, e.deptd, d.budgt FROM employee AS e JOIN dept AS d ON d.idd = e.dept_Id WHERE e.hired > 5",
			"unknown_column d.idd, unknown_column e.dept_Id, unknown_column e.nam, unknown_column e.deptd, unknown_column d.budgt, unknown_column e.hired"},
		{"SELECT e.nam, e.nam FROM employee AS e ORDER BY e.nam", "unknown_column e.nam"},
		{"SELECT x.a, b, e.nam FROM ghost AS x JOIN employee AS e ON e.id = x.id WHERE b > 1", "unknown_table ghost, unknown_column e.nam"},
		{"SELECT y.id FROM employee AS e JOIN ghost ON ghost.id = e.id", "unknown_table ghost, unknown_table y"},
		{"SELECT conct(e.nam), lowr(e.nam) FROM employee AS e", "unknown_column e.nam, function conct, function lowr"},
		{"SELECT (SELECT max(d.budgt) FROM dept AS d WHERE d.idd = e.idd) FROM employee AS e",
			"unknown_column d.idd, unknown_column e.idd, unknown_column d.budgt"},
		{"WITH w AS (SELECT e.nam AS n FROM employee AS e) SELECT w.n, w.m FROM w", "unknown_column e.nam, unknown_column w.m"},
		{"SELECT e.id FROM employee AS e GROUP BY e.idd HAVING max(e.nam) > 1 ORDER BY e.deptd",
			"unknown_column e.idd, unknown_column e.nam, unknown_column e.deptd"},
		{"SELECT nam FROM employee JOIN dept USING (id, dept_Id) WHERE budgt > 5", "unknown_column nam, unknown_column dept_Id, unknown_column budgt"},
		{"SELECT e.nam FROM employee AS e JOIN ghost USING (id)", "unknown_table ghost, unknown_column e.nam"},
		{"SELECT e.nam FROM ghost JOIN employee AS e USING (idd)", "unknown_table ghost, unknown_column idd, unknown_column e.nam"},
	} {
		for _, d := range dialects {
			_, err := guard(t, d).Rewrite(t.Context(), tt.sql)
			refuse(t, err)
			refused, _ := errors.AsType[*refusal.Error](err)
			var got []string
			for _, p := range refused.Problems {
				got = append(got, string(p.Code)+" "+p.Name)
				if p.Code == secureview.ErrUnknownColumn && len(p.Candidates) == 0 && p.Name != "w.m" && !strings.HasSuffix(p.Name, "hired") {
					t.Errorf("%s: %s: %s has no candidates: %s", d.Name(), tt.sql, p.Name, p.Message)
				}
			}
			slices.Sort(got)
			want := strings.Split(tt.want, ", ")
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", d.Name(), tt.sql, diff)
			}
		}
	}
}

func TestRewrite(t *testing.T) {
	const (
		both   = ""
		sqlite = "sqlite"
		mysql  = "mysql"
	)
	tests := []struct{ name, only, sql, want string }{
		{"a table becomes its view", both,
			"SELECT employee.name FROM employee WHERE employee.id = 7",
			"SELECT employee.name AS name FROM main.secure_employee AS employee WHERE employee.id = 7"},
		{"an alias stays", both,
			"SELECT e.name FROM employee AS e",
			"SELECT e.name AS name FROM main.secure_employee AS e"},
		{"a schema as qualifier", both,
			"SELECT main.employee.name FROM main.employee",
			"SELECT employee.name AS name FROM main.secure_employee AS employee"},
		{"a view that the model knows", both,
			"SELECT secure_employee.name FROM secure_employee",
			"SELECT secure_employee.name AS name FROM main.secure_employee"},
		{"a view with an alias and a schema", both,
			"SELECT e.name FROM main.secure_employee e",
			"SELECT e.name AS name FROM main.secure_employee AS e"},
		{"a view that alone is listed", both,
			"SELECT status FROM workOrder",
			"SELECT workOrder.status AS status FROM main.secure_workorder AS workOrder"},
		{"a view that is not listed", both,
			"SELECT city FROM customer",
			"SELECT customer.city AS city FROM main.secure_customer AS customer"},
		{"a table without a view", both,
			"SELECT name FROM dept",
			"SELECT dept.name AS name FROM main.dept"},
		{"another schema", both,
			"SELECT i.total, dept.closed FROM archive.invoice i, archive.dept",
			"SELECT i.total AS total, dept.closed AS closed FROM archive.invoice AS i JOIN archive.dept"},
		{"names in any case", both,
			"SELECT E.NAME, eMployee.ID FROM EMPLOYEE, Secure_Employee e",
			"SELECT e.name AS NAME, employee.id AS ID FROM main.secure_employee AS employee JOIN main.secure_employee AS e"},
		{"a star is the listed columns", both,
			"SELECT * FROM employee",
			"SELECT employee.id AS id, employee.name AS name, employee.deptId AS deptId FROM main.secure_employee AS employee"},
		{"a star of one table", both,
			"SELECT d.*, e.id FROM employee e, dept d",
			"SELECT d.id AS id, d.name AS name, d.budget AS budget, e.id AS id FROM main.secure_employee AS e JOIN main.dept AS d"},
		{"an alias named like another table", both,
			"SELECT dept.name FROM employee AS dept",
			"SELECT dept.name AS name FROM main.secure_employee AS dept"},
		{"a CTE", both,
			"WITH d AS (SELECT id FROM dept) SELECT id FROM d",
			"WITH d AS (SELECT dept.id FROM main.dept) SELECT d.id AS id FROM d"},
		{"a CTE named like a table", both,
			"WITH employee AS (SELECT id FROM dept) SELECT employee.id FROM employee",
			"WITH cte1_employee AS (SELECT dept.id FROM main.dept) SELECT employee.id AS id FROM cte1_employee AS employee"},
		{"a CTE named like a view", both,
			"WITH secure_employee AS (SELECT id FROM dept) SELECT id FROM secure_employee",
			"WITH cte1_secure_employee AS (SELECT dept.id FROM main.dept) SELECT secure_employee.id AS id FROM cte1_secure_employee AS secure_employee"},
		{"a CTE over the table of its name", mysql,
			"WITH employee AS (SELECT id FROM employee) SELECT id FROM employee",
			"WITH cte1_employee AS (SELECT employee.id FROM main.secure_employee AS employee) SELECT employee.id AS id FROM cte1_employee AS employee"},
		{"a qualified name is no CTE", both,
			"WITH dept AS (SELECT 1 AS one) SELECT dept.id FROM main.dept",
			"WITH cte1_dept AS (SELECT 1 AS one) SELECT dept.id AS id FROM main.dept"},
		{"an inner WITH does not cover the outer FROM", both,
			"SELECT dept.id, (WITH dept AS (SELECT 1 AS one) SELECT one FROM dept) AS n FROM dept",
			"SELECT dept.id AS id, (WITH cte1_dept AS (SELECT 1 AS one) SELECT dept.one FROM cte1_dept AS dept) AS n FROM main.dept"},
		{"a recursive CTE, whose rows are counted", sqlite,
			"WITH RECURSIVE n(i) AS (SELECT 1 AS one UNION ALL SELECT i + 1 AS more FROM n WHERE i < 9) SELECT sum(i) AS s FROM n",
			"WITH RECURSIVE n (i) AS (SELECT 1 AS one UNION ALL SELECT n.i + 1 AS more FROM n WHERE n.i < 9 LIMIT 1000001) " +
				"SELECT sum(n.i) AS s FROM (SELECT n.i FROM (SELECT n.i, row_number() OVER () AS row FROM n) AS n WHERE " +
				"CASE WHEN n.row > 1000000 THEN json_extract(n.row, '" + sqlast.EndlessRecursion + "') ELSE TRUE END LIMIT 1000001) AS n"},
		{"a recursive CTE", mysql,
			"WITH RECURSIVE n(i) AS (SELECT 1 AS one UNION ALL SELECT i + 1 AS more FROM n WHERE i < 9) SELECT sum(i) AS s FROM n",
			"WITH RECURSIVE n (i) AS (SELECT 1 AS one UNION ALL SELECT n.i + 1 AS more FROM n WHERE n.i < 9) SELECT sum(n.i) AS s FROM n"},
		{"a derived table", both,
			"SELECT d.n FROM (SELECT name AS n FROM employee) AS d",
			"SELECT d.n AS n FROM (SELECT employee.name AS n FROM main.secure_employee AS employee) AS d"},
		{"a derived table without a name", sqlite,
			"SELECT n FROM (SELECT name AS n FROM employee)",
			"SELECT subquery1.n AS n FROM (SELECT employee.name AS n FROM main.secure_employee AS employee) AS subquery1"},
		{"a correlated subquery", both,
			"SELECT name FROM dept WHERE EXISTS (SELECT 1 AS one FROM employee WHERE deptId = dept.id AND budget > 5)",
			"SELECT dept.name AS name FROM main.dept WHERE EXISTS (SELECT 1 AS one FROM main.secure_employee AS employee WHERE employee.deptId = dept.id AND dept.budget > 5)"},
		{"LATERAL", mysql,
			"SELECT d.name, t.m FROM dept d, LATERAL (SELECT max(e.id) AS m FROM employee e WHERE e.deptId = d.id) AS t",
			"SELECT d.name AS name, t.m AS m FROM main.dept AS d JOIN LATERAL (SELECT max(e.id) AS m FROM main.secure_employee AS e WHERE e.deptId = d.id) AS t"},
		{"LATERAL before RIGHT JOIN", mysql,
			"SELECT t.m FROM dept d, LATERAL (SELECT d.id AS m) AS t RIGHT JOIN crew c ON c.id = t.m",
			"SELECT t.m AS m FROM main.dept AS d JOIN (LATERAL (SELECT d.id AS m) AS t RIGHT JOIN main.crew AS c ON c.id = t.m)"},
		{"USING", both,
			"SELECT id, e.name FROM employee e JOIN dept d USING (id)",
			"SELECT e.id AS id, e.name AS name FROM main.secure_employee AS e JOIN main.dept AS d ON e.id = d.id"},
		{"USING after RIGHT JOIN", both,
			"SELECT id FROM employee e RIGHT JOIN dept d USING (id)",
			"SELECT d.id AS id FROM main.secure_employee AS e RIGHT JOIN main.dept AS d ON e.id = d.id"},
		{"USING after FULL JOIN", sqlite,
			"SELECT id FROM employee e FULL JOIN dept d USING (id) JOIN crew USING (id)",
			"SELECT coalesce(e.id, d.id) AS id FROM main.secure_employee AS e FULL JOIN main.dept AS d ON e.id = d.id JOIN main.crew ON coalesce(e.id, d.id) = crew.id"},
		{"NATURAL takes the listed columns", both,
			"SELECT name FROM employee NATURAL JOIN dept",
			"SELECT employee.name AS name FROM main.secure_employee AS employee JOIN main.dept ON employee.id = dept.id AND employee.name = dept.name"},
		{"a star after USING", sqlite,
			"SELECT * FROM crew c JOIN employeeCrew USING (id)",
			"SELECT c.id AS id, c.workOrderId AS workOrderId, c.createdBy AS createdBy, employeeCrew.crewId AS crewId, employeeCrew.employeeId AS employeeId, employeeCrew.isLead AS isLead FROM main.crew AS c JOIN main.employeeCrew ON c.id = employeeCrew.id"},
		{"a star after USING comes first in MySQL", mysql,
			"SELECT * FROM dept d RIGHT JOIN customer c USING (name)",
			"SELECT c.name AS name, c.id AS id, c.city AS city, d.id AS id, d.budget AS budget FROM main.dept AS d RIGHT JOIN main.secure_customer AS c ON d.name = c.name"},
		{"ON to the right", sqlite,
			"SELECT a.id FROM dept a JOIN crew b ON c.id = a.id JOIN crew c ON c.id = b.id",
			"SELECT a.id AS id FROM main.dept AS a JOIN main.crew AS b ON c.id = a.id JOIN main.crew AS c ON c.id = b.id"},
		{"a set operation", both,
			"SELECT name AS n FROM employee UNION SELECT name FROM dept ORDER BY n",
			"SELECT employee.name AS n FROM main.secure_employee AS employee UNION SELECT dept.name FROM main.dept ORDER BY 1"},
		{"an alias before an equal item in a union", sqlite,
			"SELECT name AS n, id AS name FROM employee UNION SELECT name, id FROM dept ORDER BY name",
			"SELECT employee.name AS n, employee.id AS name FROM main.secure_employee AS employee " +
				"UNION SELECT dept.name, dept.id FROM main.dept ORDER BY 2"},
		{"booleans keep their names without an alias that ON would read", sqlite,
			"SELECT FALSE, (true) FROM employee e LEFT JOIN dept d ON FALSE",
			"SELECT FALSE, TRUE AS (true) FROM main.secure_employee AS e LEFT JOIN main.dept AS d ON FALSE"},
		{"a window", both,
			"SELECT rank() OVER w AS r FROM dept WINDOW w AS (PARTITION BY name ORDER BY budget)",
			"SELECT rank() OVER w AS r FROM main.dept WINDOW w AS (PARTITION BY dept.name ORDER BY dept.budget)"},
		{"an alias in ORDER BY stays", both,
			"SELECT budget * 2 AS total FROM dept ORDER BY total",
			"SELECT dept.budget * 2 AS total FROM main.dept ORDER BY total"},
		{"an alias within an ORDER BY does not", both,
			"SELECT budget * 2 AS total FROM dept ORDER BY -total",
			"SELECT dept.budget * 2 AS total FROM main.dept ORDER BY -(dept.budget * 2)"},
		{"an alias of a constant within an ORDER BY orders nothing", both,
			"SELECT 5 AS k, id FROM dept ORDER BY -k, k IS NULL, id",
			"SELECT 5 AS k, dept.id AS id FROM main.dept ORDER BY dept.id"},
		{"a repeated expression under ROLLUP becomes its position", mysql,
			"SELECT upper(name) AS u, count(*) AS n FROM dept GROUP BY upper(name), budget WITH ROLLUP",
			"SELECT upper(dept.name) AS u, count(*) AS n FROM main.dept GROUP BY 1, dept.budget WITH ROLLUP"},
		{"an alias in GROUP BY becomes its position", both,
			"SELECT budget * 2 AS total FROM dept GROUP BY total",
			"SELECT dept.budget * 2 AS total FROM main.dept GROUP BY 1"},
		{"an ambiguous name in ORDER BY is that of the select list", mysql,
			"SELECT e.id, d.name FROM employee e JOIN dept d ON d.id = e.deptId ORDER BY name DESC, id",
			"SELECT e.id AS id, d.name AS name FROM main.secure_employee AS e JOIN main.dept AS d ON d.id = e.deptId ORDER BY 2 DESC, 1"},
		{"an ambiguous name in ORDER BY after DISTINCT", mysql,
			"SELECT DISTINCT d.name FROM employee e JOIN dept d ON d.id = e.deptId ORDER BY name",
			"SELECT DISTINCT d.name AS name FROM main.secure_employee AS e JOIN main.dept AS d ON d.id = e.deptId ORDER BY 1"},
		{"an ambiguous name is not that of a column with another alias", mysql,
			"SELECT e.id AS i, d.id FROM employee e JOIN dept d ON d.id = e.deptId ORDER BY id",
			"SELECT e.id AS i, d.id AS id FROM main.secure_employee AS e JOIN main.dept AS d ON d.id = e.deptId ORDER BY 2"},
		{"an alias in HAVING", sqlite,
			"SELECT name, count(*) AS n FROM dept GROUP BY name HAVING n > 1",
			"SELECT dept.name AS name, count(*) AS n FROM main.dept GROUP BY dept.name HAVING count(*) > 1"},
		{"a total with the name of a column in HAVING", mysql,
			"SELECT name, sum(budget) AS budget FROM dept GROUP BY name HAVING budget > 1",
			"SELECT dept.name AS name, sum(dept.budget) AS budget FROM main.dept GROUP BY dept.name HAVING budget > 1"},
		{"a total with the name of a column in HAVING with a subquery", mysql, // MariaDB finds no row for min(..) IN (SELECT ..)
			"SELECT name, min(budget) AS budget FROM dept GROUP BY name HAVING budget IN (SELECT d.budget FROM dept d)",
			"SELECT dept.name AS name, min(dept.budget) AS budget FROM main.dept GROUP BY dept.name HAVING budget IN (SELECT d.budget FROM main.dept AS d)"},
		{"an alias in HAVING stays where it is looked for first", mysql,
			"SELECT id, budget * 2 AS total FROM dept HAVING total > 1",
			"SELECT dept.id AS id, dept.budget * 2 AS total FROM main.dept HAVING total > 1"},
		{"an alias in WHERE", sqlite,
			"SELECT budget * 2 AS total FROM dept WHERE total > 1",
			"SELECT dept.budget * 2 AS total FROM main.dept WHERE dept.budget * 2 > 1"},
		{"an alias below COLLATE", sqlite,
			"SELECT upper(name) AS name FROM dept ORDER BY name COLLATE NOCASE",
			"SELECT upper(dept.name) AS name FROM main.dept ORDER BY name COLLATE NOCASE"},
		{"an alias of a COLLATE", sqlite,
			"SELECT name COLLATE NOCASE AS n FROM dept ORDER BY n DESC, 1",
			"SELECT dept.name COLLATE NOCASE AS n FROM main.dept ORDER BY n DESC, 1"},
		{"positions with parentheses and plus", both,
			"SELECT name, id FROM dept ORDER BY (2), +1",
			"SELECT dept.name AS name, dept.id AS id FROM main.dept ORDER BY 2, 1"},
		{"columns of one name in a derived table", sqlite,
			"SELECT * FROM (SELECT d.id, c.id FROM dept d, crew c) AS x",
			"SELECT x.id AS id, x.id:1 AS id:1 FROM (SELECT d.id, c.id AS id:1 FROM main.dept AS d JOIN main.crew AS c) AS x"},
		{"a double-quoted string", sqlite,
			`SELECT name FROM dept WHERE name = "Sales"`,
			"SELECT dept.name AS name FROM main.dept WHERE dept.name = 'Sales'"},
		{"a truth value", sqlite,
			"SELECT name FROM dept WHERE true",
			"SELECT dept.name AS name FROM main.dept WHERE TRUE"},
		{"IN a table", sqlite,
			"WITH ids AS (SELECT id FROM crew) SELECT name FROM dept WHERE id IN ids",
			"WITH ids AS (SELECT crew.id FROM main.crew) SELECT dept.name AS name FROM main.dept WHERE dept.id IN (SELECT ids.id FROM ids)"},
		{"a function of the policy", both,
			"SELECT FULL_NAME(id) AS n FROM employee",
			"SELECT full_name(employee.id) AS n FROM main.secure_employee AS employee"},
		{"keywords in a string and a comment", both,
			"SELECT 'FROM secret; DELETE' AS s /* FROM secret */ FROM dept -- FROM secret",
			"SELECT 'FROM secret; DELETE' AS s FROM main.dept"},
	}
	for _, d := range dialects {
		g := guard(t, d)
		for _, tt := range tests {
			if tt.only != both && tt.only != d.Name() {
				continue
			}
			t.Run(d.Name()+"/"+tt.name, func(t *testing.T) {
				stmt, err := g.Rewrite(context.Background(), tt.sql)
				if err != nil {
					t.Fatalf("%s: %v", tt.sql, err)
				}
				got := plain(stmt.SQL())
				if d.Name() == mysql {
					got = strings.ReplaceAll(got, " ON TRUE", "")
				} else {
					got = barrier.ReplaceAllString(got, "$1") // see TestSQLiteBarrier
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", tt.sql, diff)
				}
			})
		}
	}
}

var barrier = regexp.MustCompile(`\(SELECT [^()]* FROM (main\.secure_\w+) LIMIT -1\)`)

// TestJoinWithoutCondition: MySQL refuses an outer join without a condition, so a
// NATURAL join without common columns gets one.
func TestJoinWithoutCondition(t *testing.T) {
	stmt, err := guard(t, mysql.Dialect{}).Rewrite(t.Context(), "SELECT m FROM dept NATURAL LEFT JOIN (SELECT 1 AS m) AS x")
	if err != nil {
		t.Fatal(err)
	}
	want := "SELECT x.m AS m FROM main.dept LEFT JOIN (SELECT 1 AS m) AS x ON TRUE"
	if got := plain(stmt.SQL()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRowLimit(t *testing.T) {
	tests := []struct {
		tail   string
		limit  int
		capped bool
		want   string
	}{
		{"", 100, true, "LIMIT 100"},
		{"LIMIT 7", 7, false, "LIMIT 7"},
		{"LIMIT 0", 0, false, "LIMIT 0"},
		{"LIMIT 100", 100, false, "LIMIT 100"},
		{"LIMIT 101", 100, true, "LIMIT 100"},
		{"LIMIT 18446744073709551615", 100, true, "LIMIT 100"},
		{"LIMIT 500 OFFSET 20", 100, true, "LIMIT 100 OFFSET 20"},
		{"LIMIT 20, 7", 7, false, "LIMIT 7 OFFSET 20"},
		{"UNION SELECT name FROM crew JOIN dept ON 1 = 1 LIMIT 1000", 100, true, "LIMIT 100"},
	}
	for _, d := range dialects {
		for _, tt := range tests {
			sql := "SELECT name FROM dept " + tt.tail
			stmt, err := guard(t, d).Rewrite(context.Background(), sql)
			if err != nil {
				t.Errorf("%s: %v", sql, err)
				continue
			}
			if stmt.Limit() != tt.limit || stmt.Capped() != tt.capped || !strings.HasSuffix(stmt.SQL(), " "+tt.want) {
				t.Errorf("%s: limit %d, capped %t: %s", sql, stmt.Limit(), stmt.Capped(), stmt.SQL())
			}
		}
	}
	g := guard(t, sqlite.Dialect{})
	for _, tail := range []string{"LIMIT -1", "LIMIT -9"} {
		if stmt, err := g.Rewrite(context.Background(), "SELECT name FROM dept "+tail); err != nil || stmt.Limit() != 100 || !stmt.Capped() {
			t.Errorf("%s: %v", tail, err)
		}
	}
	for _, tail := range []string{"LIMIT 1+1", "LIMIT (SELECT 5)", "LIMIT '5'", "LIMIT 1e1", "LIMIT 0x10", "LIMIT NULL", "LIMIT -(5)*2"} {
		if _, err := g.Rewrite(context.Background(), "SELECT name FROM dept "+tail); !errors.Is(err, secureview.ErrRowLimit) {
			t.Errorf("%s: %v", tail, err)
		}
	}
	if _, err := g.Rewrite(context.Background(), "SELECT name FROM dept LIMIT 5 OFFSET (SELECT pw FROM employee)"); !errors.Is(err, secureview.ErrUnknownColumn) {
		t.Errorf("a hidden column in OFFSET: %v", err)
	}
	if _, err := g.Rewrite(context.Background(), "SELECT name FROM dept WHERE id IN (SELECT id FROM crew LIMIT (SELECT max(pw) FROM employee))"); !errors.Is(err, secureview.ErrUnknownColumn) {
		t.Errorf("a hidden column in an inner LIMIT: %v", err)
	}
}

func TestStatement(t *testing.T) {
	for _, d := range dialects {
		stmt, err := guard(t, d).Rewrite(context.Background(),
			"SELECT e.NAME, d.name, count(*) FROM employee e JOIN dept d ON d.id = e.deptId JOIN archive.invoice ON 1 = 1 GROUP BY e.name, d.name")
		if err != nil {
			t.Fatal(err)
		}
		if stmt.Dialect() != d {
			t.Errorf("dialect %v", stmt.Dialect())
		}
		name := func(schema, name string) dialect.TableName { return dialect.TableName{Schema: schema, Name: name} }
		if diff := cmp.Diff([]secureview.TableRead{
			{Table: name("main", "employee"), Object: name("main", "secure_employee"), Columns: []string{"name", "deptId"}},
			{Table: name("main", "dept"), Object: name("main", "dept"), Columns: []string{"id", "name"}},
			{Table: name("archive", "invoice"), Object: name("archive", "invoice")},
		}, stmt.Reads()); diff != "" {
			t.Errorf("reads (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]dialect.TableName{name("main", "employee"), name("main", "dept"), name("archive", "invoice")}, stmt.Tables()); diff != "" {
			t.Errorf("tables (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]dialect.TableName{name("main", "secure_employee")}, stmt.Views()); diff != "" {
			t.Errorf("views (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"NAME", "name", "count(*)"}, stmt.Columns()); diff != "" {
			t.Errorf("columns (-want +got):\n%s", diff)
		}
		stmt.Reads()[0].Columns[0], stmt.Columns()[0] = "pw", "pw"
		if stmt.Reads()[0].Columns[0] != "name" || stmt.Columns()[0] != "NAME" {
			t.Error("a caller can change the statement")
		}
	}
}

func TestRewriteAfterTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := guard(t, sqlite.Dialect{}).Rewrite(ctx, "SELECT 1"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestRewriteConcurrently(t *testing.T) {
	for _, d := range dialects {
		g := guard(t, d)
		done := make(chan error)
		for range 8 {
			go func() {
				for range 50 {
					if _, err := g.Rewrite(context.Background(), "WITH c AS (SELECT * FROM employee) SELECT c.*, d.name FROM c JOIN dept d USING (id)"); err != nil {
						done <- err
						return
					}
					if _, err := g.Rewrite(context.Background(), "SELECT pw FROM employee"); !errors.Is(err, secureview.ErrUnknownColumn) {
						done <- err
						return
					}
				}
				done <- nil
			}()
		}
		for range 8 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	}
}

func TestGuardTables(t *testing.T) {
	var got []string
	for _, table := range guard(t, mysql.Dialect{}).Tables() {
		got = append(got, table.String()+" "+table.View+" "+strings.Join(table.Columns, ","))
	}
	if diff := cmp.Diff([]string{
		"archive.dept  id,closed",
		"archive.invoice  id,total",
		"main.crew  id,workOrderId,createdBy",
		"main.customer secure_customer id,name,city",
		"main.dept  id,name,budget",
		"main.employee secure_employee id,name,deptId",
		"main.employeeCrew  id,crewId,employeeId,isLead",
		"main.workOrder secure_workorder id,customerId,status,price",
	}, got); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
}
