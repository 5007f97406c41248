package secureview_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

func TestRefused(t *testing.T) {
	tests := []struct {
		sql        string
		code       refusal.Code
		name       string
		candidates []string
	}{
		{"SELECT * FROM secret", secureview.ErrUnknownTable, "secret", nil},
		{"SELECT * FROM employe", secureview.ErrUnknownTable, "employe", []string{"employee", "employeeCrew"}},
		{"SELECT * FROM main.invoice", secureview.ErrUnknownTable, "invoice", []string{"archive.invoice"}},
		{"SELECT * FROM invoice", secureview.ErrUnknownTable, "invoice", []string{"archive.invoice"}},
		{"SELECT * FROM secure_employees", secureview.ErrUnknownView, "secure_employees", []string{"secure_employee", "employee"}},
		{"SELECT * FROM secure_dept", secureview.ErrUnknownView, "secure_dept", []string{"dept", "archive.dept"}},
		{"SELECT * FROM SECURE_payroll", secureview.ErrUnknownView, "SECURE_payroll", nil},
		{"SELECT * FROM information_schema.tables", secureview.ErrUnknownSchema, "information_schema", nil},
		{"SELECT * FROM mysql.user", secureview.ErrUnknownSchema, "mysql", nil},
		{"SELECT * FROM pg_catalog.pg_class", secureview.ErrUnknownSchema, "pg_catalog", nil},
		{"SELECT * FROM temp.employee", secureview.ErrUnknownSchema, "temp", []string{"employee"}},
		{"SELECT * FROM sqlite_master", secureview.ErrUnknownTable, "sqlite_master", nil},
		{"SELECT pw FROM employee", secureview.ErrUnknownColumn, "pw", nil},
		{"SELECT e.salary FROM employee e", secureview.ErrUnknownColumn, "e.salary", nil},
		{"SELECT crew.isLead FROM crew", secureview.ErrUnknownColumn, "crew.isLead", []string{"employeeCrew.isLead"}},
		{"SELECT crew.isLead FROM crew JOIN employeeCrew ec ON ec.crewId = crew.id", secureview.ErrUnknownColumn, "crew.isLead", []string{"ec.isLead"}},
		{"SELECT naem FROM dept", secureview.ErrUnknownColumn, "naem", []string{"dept.name"}},
		{"SELECT x.name FROM dept", secureview.ErrUnknownTable, "x", nil},
		{"SELECT employee.name FROM secure_employee", secureview.ErrUnknownTable, "employee", []string{"secure_employee"}},
		{"SELECT archive.dept.name FROM dept", secureview.ErrUnknownTable, "dept", []string{"dept"}},
		{"SELECT name FROM employee, dept", secureview.ErrAmbiguousColumn, "name", []string{"employee.name", "dept.name"}},
		{"SELECT a.id FROM dept a JOIN crew a ON 1 = 1", secureview.ErrAmbiguousName, "a", nil},
		{"WITH a AS (SELECT 1 AS x), a AS (SELECT 2 AS x) SELECT x FROM a", secureview.ErrAmbiguousName, "a", nil},
		{"SELECT id FROM dept UNION SELECT id, name FROM dept", secureview.ErrColumnCount, "", nil},
		{"WITH a(x, y) AS (SELECT id FROM dept) SELECT x FROM a", secureview.ErrColumnCount, "a", nil},
		{"SELECT id FROM dept WHERE id IN (SELECT id, name FROM dept)", secureview.ErrColumnCount, "IN", nil},
		{"SELECT name FROM dept WHERE count(*) > 1", secureview.ErrMisplaced, "count", nil},
		{"SELECT name FROM dept ORDER BY 2", secureview.ErrMisplaced, "2", nil},
		{"SELECT name FROM dept GROUP BY (9)", secureview.ErrMisplaced, "9", nil},
		{"SELECT *", secureview.ErrMisplaced, "*", nil},
		{"SELECT (SELECT 1 AS one FROM crew a JOIN (crew b JOIN crew c ON d.pw = 1) ON 1 = 1 JOIN (SELECT 1 AS pw) AS d ON 1 = 1) AS y FROM dept AS d", secureview.ErrMisplaced, "d", nil},
		{"SELECT id FROM employee JOIN crew USING (pw)", secureview.ErrUnknownColumn, "pw", nil},
		{"SELECT load_file('/etc/passwd') AS f", secureview.ErrFunction, "load_file", nil},
		{"SELECT lowr(name) AS n FROM dept", secureview.ErrFunction, "lowr", []string{"lower"}},
		{"SELECT len(name) AS n FROM dept", secureview.ErrFunction, "len", nil},
		{"SELECT ful_name(name) AS n FROM dept", secureview.ErrFunction, "ful_name", []string{"full_name"}},
		{"DELETE FROM employee", secureview.ErrNotSelect, "", nil},
		{"DROP TABLE employee", secureview.ErrNotSelect, "", nil},
		{"SELECT 1; SELECT 2", secureview.ErrMultipleQueries, "", nil},
		{"", secureview.ErrMultipleQueries, "", nil},
		{"SELECT FROM WHERE", secureview.ErrSyntax, "", nil},
		{"SELECT id FROM dept WHERE id = ?", secureview.ErrParameter, "", nil},
		{"SELECT 1 \x00", secureview.ErrInvalidText, "", nil},
		{"SELECT '\xff'", secureview.ErrInvalidText, "", nil},
		{"SELECT " + strings.Repeat("(", 4_000) + "1" + strings.Repeat(")", 4_000), secureview.ErrTooDeep, "", nil},
		{"SELECT '" + strings.Repeat("x", 1<<20) + "'", secureview.ErrTooLarge, "", nil},
		{"SELECT 1 FROM dept WHERE 1" + strings.Repeat(" AND 1", 1_300), secureview.ErrTooDeep, "", nil},
		{"SELECT d0.id FROM dept d0" + commas("dept d", 600), secureview.ErrTooComplex, "", nil},
	}
	for _, d := range dialects {
		g := guard(t, d)
		for _, tt := range tests {
			t.Run(d.Name(), func(t *testing.T) {
				stmt, err := g.Rewrite(context.Background(), tt.sql)
				if err == nil {
					t.Fatalf("%.200s: accepted as %s", tt.sql, stmt.SQL())
				}
				e := refuse(t, err)
				if e.Code != tt.code || !errors.Is(err, tt.code) {
					t.Fatalf("%.200s: code %q, want %q: %v", tt.sql, string(e.Code), string(tt.code), err)
				}
				if tt.name != "" && e.Name != tt.name {
					t.Errorf("%.200s: name %q, want %q", tt.sql, e.Name, tt.name)
				}
				if tt.candidates != nil {
					if diff := cmp.Diff(tt.candidates, e.Candidates); diff != "" {
						t.Errorf("%.200s: candidates (-want +got):\n%s", tt.sql, diff)
					}
				}
			})
		}
	}
}

// commas returns a name n times, each after a comma and with another number.
func commas(name string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(", ")
		b.WriteString(name)
		b.WriteString("x")
		for ; i > 0; i /= 10 {
			b.WriteByte(byte('0' + i%10))
		}
	}
	return b.String()
}

func TestRefusedByOneDialect(t *testing.T) {
	tests := []struct {
		dialect dialect.Dialect
		sql     string
		code    refusal.Code
	}{
		{mysql.Dialect{}, "SELECT @aesKey", secureview.ErrVariable},
		{mysql.Dialect{}, "SELECT @tenant := 2", secureview.ErrVariable},
		{mysql.Dialect{}, "SELECT @@version", secureview.ErrVariable},
		{mysql.Dialect{}, "SELECT name FROM dept FOR UPDATE", secureview.ErrLocking},
		{mysql.Dialect{}, "SELECT name FROM dept INTO OUTFILE '/tmp/x'", secureview.ErrInto},
		{mysql.Dialect{}, "SELECT name AS n FROM dept WHERE n = 'x'", secureview.ErrUnknownColumn},
		{mysql.Dialect{}, "SELECT * FROM (SELECT d.id, c.id FROM dept d, crew c) AS x", secureview.ErrAmbiguousName},
		{mysql.Dialect{}, "SELECT e.id AS i, d.name FROM employee e JOIN dept d ON d.id = e.deptId ORDER BY id", secureview.ErrAmbiguousColumn},
		{mysql.Dialect{}, "SELECT e.id, d.id FROM employee e JOIN dept d ON d.id = e.deptId ORDER BY id", secureview.ErrAmbiguousColumn},
		{mysql.Dialect{}, "SELECT e.id, d.name FROM employee e JOIN dept d ON d.id = e.deptId ORDER BY id + 1", secureview.ErrAmbiguousColumn},
		{mysql.Dialect{}, "SELECT e.id, d.name FROM employee e JOIN dept d ON d.id = e.deptId WHERE id > 1", secureview.ErrAmbiguousColumn},
		{mysql.Dialect{}, "SELECT name AS n, count(*) AS name FROM dept GROUP BY name WITH ROLLUP", secureview.ErrAmbiguousColumn},
		{mysql.Dialect{}, "SELECT sum(budget) AS budget FROM dept GROUP BY budget HAVING budget > 1", secureview.ErrAmbiguousColumn},
		{mysql.Dialect{}, "SELECT budget AS b, sum(budget) AS budget FROM dept GROUP BY b HAVING budget > 1", secureview.ErrAmbiguousColumn},
		{mysql.Dialect{}, "SELECT budget AS b, sum(budget) AS budget FROM dept GROUP BY 1 HAVING budget > 1", secureview.ErrAmbiguousColumn},
		{mysql.Dialect{}, "SELECT sum(budget) + (SELECT max(id) FROM crew) AS budget FROM dept HAVING budget > 1", secureview.ErrAmbiguousColumn},
		{mysql.Dialect{}, "SELECT sum(budget) / budget AS budget FROM dept HAVING budget > 1", secureview.ErrAmbiguousColumn},
		{mysql.Dialect{}, "SELECT sum(budget) OVER () AS budget FROM dept HAVING budget > 1", secureview.ErrAmbiguousColumn},
		{mysql.Dialect{}, "SELECT budget + 1 AS budget FROM dept HAVING budget > 1", secureview.ErrAmbiguousColumn},
		{mysql.Dialect{}, "SELECT sum(budget) AS budget FROM dept HAVING 1 IN (SELECT id FROM crew WHERE budget > 1)", secureview.ErrAmbiguousColumn},
		{mysql.Dialect{}, "SELECT name FROM dept d WHERE id IN (SELECT max(e.id) AS name FROM employee e HAVING name > 1)", secureview.ErrAmbiguousColumn},
		{sqlite.Dialect{}, "SELECT sum(budget) AS budget FROM dept HAVING budget > 1", secureview.ErrAmbiguousColumn},
		{mysql.Dialect{}, "SELECT count(*) AS k FROM (SELECT budget + 1 AS k FROM dept) x GROUP BY x.k HAVING k > 1", secureview.ErrAmbiguousColumn},
		{mysql.Dialect{}, "SELECT name, budget, name AS n FROM dept GROUP BY n, budget, name WITH ROLLUP", secureview.ErrUnsupported},
		{mysql.Dialect{}, "SELECT x.name AS k, count(*) AS n FROM (SELECT name, budget AS k FROM dept) x GROUP BY k", secureview.ErrAmbiguousColumn},
		{mysql.Dialect{}, "SELECT name, upper(name) AS name FROM dept GROUP BY budget, name WITH ROLLUP HAVING budget > 1", secureview.ErrAmbiguousColumn},
		{mysql.Dialect{}, "SELECT d.name FROM employee e JOIN dept d ON d.id = e.deptId GROUP BY e.name, d.name HAVING name > 'a'", secureview.ErrAmbiguousColumn},
		{mysql.Dialect{}, "SELECT upper(name) AS name FROM dept HAVING 1 IN (SELECT id FROM crew GROUP BY id HAVING name = 'A')", secureview.ErrAmbiguousColumn},
		{mysql.Dialect{}, "SELECT upper(name) AS name, 1 IN (SELECT id FROM crew GROUP BY id HAVING name = 'A') AS k FROM dept d", secureview.ErrAmbiguousColumn},
		{mysql.Dialect{}, "SELECT d.name FROM employee e JOIN dept d ON d.id = e.deptId GROUP BY d.name HAVING name > 'a'", secureview.ErrAmbiguousColumn},
		{mysql.Dialect{}, "SELECT name AS budget FROM dept GROUP BY budget", secureview.ErrAmbiguousColumn},
		{mysql.Dialect{}, "SELECT crew.id FROM dept LEFT JOIN crew USING (id) GROUP BY id", secureview.ErrAmbiguousColumn},
		{sqlite.Dialect{}, "SELECT name AS budget FROM dept GROUP BY budget", secureview.ErrAmbiguousColumn},
		{sqlite.Dialect{}, "SELECT * FROM customer, crew ORDER BY id", secureview.ErrAmbiguousColumn},
		{sqlite.Dialect{}, "SELECT name COLLATE NOCASE AS n FROM dept WHERE n = 'hr'", secureview.ErrUnsupported},
		{mysql.Dialect{}, "SELECT name AS n FROM dept ORDER BY (SELECT max(n) FROM crew)", secureview.ErrMisplaced},
		{mysql.Dialect{}, "SELECT budget, 1 IN (SELECT id FROM crew GROUP BY id HAVING budget > 1) AS k FROM dept GROUP BY budget WITH ROLLUP", secureview.ErrAmbiguousColumn},
		{mysql.Dialect{}, "SELECT e.id, (SELECT max(x.n) FROM (SELECT id, count(*) AS n FROM dept GROUP BY id HAVING name = 'a') x) AS m FROM employee e", secureview.ErrMisplaced},
		{mysql.Dialect{}, "SELECT group_concat(name ORDER BY id) FROM dept GROUP BY budget ORDER BY group_concat(name)", secureview.ErrUnsupported},
		{mysql.Dialect{}, "SELECT DISTINCT budget + 1 AS k FROM dept GROUP BY budget ORDER BY -k", secureview.ErrUnsupported},
		{mysql.Dialect{}, "SELECT DISTINCT max(budget) AS k FROM dept GROUP BY name ORDER BY -k", secureview.ErrUnsupported},
		{mysql.Dialect{}, "SELECT a.id FROM dept a JOIN crew b ON c.id = a.id JOIN crew c ON c.id = b.id", secureview.ErrMisplaced},
		{mysql.Dialect{}, "SELECT a.id FROM dept a, (SELECT id FROM crew WHERE crew.id = a.id) AS b", secureview.ErrUnknownTable},
		{mysql.Dialect{}, "WITH RECURSIVE a AS (SELECT x FROM b), b AS (SELECT 1 AS x) SELECT x FROM a", secureview.ErrAmbiguousName},
		// MySQL would read e of the outer query, which has hidden columns.
		{mysql.Dialect{}, "SELECT (SELECT max(z.x) FROM dept e RIGHT JOIN LATERAL (SELECT e.name AS x) AS z ON 1 = 1) AS m FROM employee e", secureview.ErrMisplaced},
		{mysql.Dialect{}, "SELECT (SELECT max(z.x) FROM dept e RIGHT JOIN LATERAL (SELECT name AS x) AS z ON 1 = 1) AS m FROM employee e", secureview.ErrAmbiguousName},
		{mysql.Dialect{}, "SELECT (SELECT max(dept.name) IN (SELECT 'a') FROM crew) AS x FROM dept GROUP BY (SELECT max(dept.name) IN (SELECT 'a') FROM crew)", secureview.ErrUnsupported},
		{mysql.Dialect{}, "SELECT (SELECT max(dept.name) FROM crew) AS x FROM dept GROUP BY (SELECT max(dept.name) FROM crew)", secureview.ErrMisplaced},
		{mysql.Dialect{}, "SELECT id FROM dept ORDER BY id, abs((SELECT EXISTS (SELECT 1 FROM crew WHERE name IN (SELECT 'a'))))", secureview.ErrUnsupported},
		{mysql.Dialect{}, "SELECT id FROM dept WHERE id IN (SELECT id FROM crew ORDER BY id IN (SELECT 1))", secureview.ErrUnsupported},
		{mysql.Dialect{}, "SELECT z.x FROM dept e, JSON_TABLE(e.name, '$' COLUMNS (x INT PATH '$')) AS z", secureview.ErrUnsupported},
		{mysql.Dialect{}, "SELECT JSON_TABLE(name, '$') AS x FROM dept", secureview.ErrFunction},
		{sqlite.Dialect{}, "WITH employee AS (SELECT * FROM employee) SELECT * FROM employee", secureview.ErrMisplaced},
		{sqlite.Dialect{}, "SELECT name COLLATE NOCASE AS n FROM dept ORDER BY n || 'x'", secureview.ErrUnsupported},
		{sqlite.Dialect{}, "SELECT coalesce(name, '' COLLATE NOCASE) AS n FROM dept WHERE coalesce(n, 'x') > 'y'", secureview.ErrUnsupported},
		{sqlite.Dialect{}, "SELECT name COLLATE NOCASE = 'hr' AS n FROM dept ORDER BY CASE WHEN n = 1 THEN 'a' ELSE name END", secureview.ErrUnsupported},
		{sqlite.Dialect{}, "SELECT name COLLATE NOCASE AS n FROM dept ORDER BY +n", secureview.ErrUnsupported},
		{sqlite.Dialect{}, "SELECT 'hr' COLLATE NOCASE AS n FROM dept WHERE name IN (n)", secureview.ErrUnsupported},
		{sqlite.Dialect{}, "WITH a AS (SELECT * FROM b), b AS (SELECT * FROM a) SELECT * FROM a", secureview.ErrAmbiguousName},
		{sqlite.Dialect{}, "SELECT a.id FROM dept a, (SELECT id FROM crew WHERE crew.id = a.id) AS b", secureview.ErrMisplaced},
		{sqlite.Dialect{}, `SELECT "pw" FROM employee`, secureview.ErrUnknownColumn},
		{sqlite.Dialect{}, `SELECT "rowid" FROM employee`, secureview.ErrUnknownColumn},
		{sqlite.Dialect{}, "SELECT rowid FROM dept", secureview.ErrUnknownColumn},
		{sqlite.Dialect{}, "SELECT name FROM employee WHERE id IN secret", secureview.ErrUnknownTable},
		{sqlite.Dialect{}, "SELECT * FROM pragma_table_info('employee')", secureview.ErrFunction},
		{sqlite.Dialect{}, "PRAGMA table_info(employee)", secureview.ErrNotSelect},
		{sqlite.Dialect{}, "ATTACH 'x' AS y", secureview.ErrNotSelect},
	}
	for _, tt := range tests {
		stmt, err := guard(t, tt.dialect).Rewrite(context.Background(), tt.sql)
		if err == nil {
			t.Errorf("%s: accepted as %s", tt.sql, stmt.SQL())
		} else if !errors.Is(err, tt.code) {
			t.Errorf("%s: want %q: %v", tt.sql, string(tt.code), err)
		}
	}
}

func TestColumnsInMessages(t *testing.T) {
	p := &secureview.Policy{Dialect: "sqlite", ColumnsInMessages: 2, Tables: map[string][]string{"crew": {"id", "name", "size"}}}
	g, err := secureview.New(p, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = g.Rewrite(context.Background(), "SELECT lead FROM crew")
	if want := "column 'lead' does not exist in table 'crew'; columns of crew: id, name, ..."; refuse(t, err).Message != want {
		t.Errorf("message %q, want %q", refuse(t, err).Message, want)
	}
}

func TestMessages(t *testing.T) {
	tests := []struct{ sql, want string }{
		{"SELECT crew.isLead FROM crew",
			"column 'isLead' does not exist in table 'crew'; found in: employeeCrew; columns of crew: id, workOrderId, createdBy"},
		{"SELECT c.isLead FROM crew c",
			"column 'isLead' does not exist in table 'crew'; found in: employeeCrew; columns of crew: id, workOrderId, createdBy"},
		{"SELECT isLead FROM crew, dept",
			"column 'isLead' does not exist in the tables in scope; found in: employeeCrew; columns of crew: id, workOrderId, createdBy; columns of dept: id, name, budget"},
		{"SELECT * FROM secure_customr", "secure view 'secure_customr' does not exist; did you mean: secure_customer"},
		{"SELECT * FROM secure_payroll", "secure view 'secure_payroll' does not exist; the views are: secure_customer, secure_employee, secure_workorder"},
		{"SELECT * FROM hr.payroll", "schema 'hr' of table 'payroll' cannot be read; declared: archive, main"},
		{"SELECT name FROM employee, dept", "column 'name' is ambiguous: qualify it as one of employee.name, dept.name"},
	}
	for _, d := range dialects {
		g := guard(t, d)
		for _, tt := range tests {
			_, err := g.Rewrite(context.Background(), tt.sql)
			if diff := cmp.Diff(tt.want, refuse(t, err).Message); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", d.Name(), tt.sql, diff)
			}
		}
	}
}

// The candidates for an unknown table are few and different, however many tables contain its name.
func TestCandidatesOfManyTables(t *testing.T) {
	p := &secureview.Policy{Dialect: "mysql", Schema: "app", Tables: map[string][]string{"other": {"id"}}, Schemas: map[string]secureview.Schema{}}
	for i := range 5_000 {
		p.Tables[fmt.Sprintf("orders_%d", i)] = []string{"id"}
	}
	for i := range 7 {
		p.Schemas[fmt.Sprintf("s%d", i)] = secureview.Schema{Tables: map[string][]string{"people": {"id"}, "kept_orders_7": {"id"}}}
	}
	g, err := secureview.New(p, mysql.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"orders_12x":                       "orders_12 orders_120 orders_121 orders_122 orders_123",
		"orders":                           "orders_0 orders_1 orders_2 orders_3 orders_4",
		"people":                           "s0.people s1.people s2.people s3.people s4.people",
		"a_of_the_orders_4711_of_the_time": "orders_4 orders_47 orders_471 orders_4711",
		"absent":                           "",
	} {
		_, err := g.Rewrite(context.Background(), "SELECT id FROM "+name)
		if got := strings.Join(refuse(t, err).Candidates, " "); got != want {
			t.Errorf("%s: candidates %s, want %s", name, got, want)
		}
	}
}

// TestMessageIsBounded: the message about a table with a thousand columns stays
// short enough for a prompt.
func TestMessageIsBounded(t *testing.T) {
	var columns []string
	for i := range 1000 {
		columns = append(columns, "column_"+strings.Repeat("x", i%7)+string(rune('a'+i%26))+strings.Repeat("y", i/26))
	}
	g, err := secureview.New(&secureview.Policy{Dialect: "sqlite", Tables: map[string][]string{"wide": columns}}, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = g.Rewrite(context.Background(), "SELECT missing FROM wide")
	if n := strings.Count(refuse(t, err).Message, "column_"); n != 100 {
		t.Errorf("the message lists %d columns", n)
	}
}

// TestLongNames: a message shortens a name that is as long as the statement.
func TestLongNames(t *testing.T) {
	for _, d := range dialects {
		name := strings.Repeat("é", 20_000)
		_, err := guard(t, d).Rewrite(context.Background(), "SELECT "+name+" FROM dept")
		if e := refuse(t, err); len(e.Message) > 10_000 || !utf8.ValidString(e.Message) {
			t.Errorf("%s: %d bytes", d.Name(), len(e.Message))
		}
	}
}

func TestErrorPlace(t *testing.T) {
	_, err := guard(t, sqlite.Dialect{}).Rewrite(context.Background(), "SELECT 'é',\n  pw FROM employee")
	e := refuse(t, err)
	if e.Line != 2 || e.Column != 3 {
		t.Errorf("line %d, column %d", e.Line, e.Column)
	}
	if want := "(line 2, column 3)"; !strings.HasPrefix(err.Error(), "secureview: ") || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("error %q", err)
	}
}
