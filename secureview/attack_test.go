package secureview_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/xwb1989/sqlparser"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// attacks try to read the table secret, the columns pw and salary of employee, or
// something else that the policy does not list. Those that are accepted must not
// do so.
var attacks = []string{
	// A name that only one parser reads as a CTE, or as a table.
	"WITH secret AS (SELECT * FROM secret) SELECT * FROM secret",
	"WITH RECURSIVE secret AS (SELECT * FROM secret) SELECT * FROM secret",
	"WITH RECURSIVE a AS (SELECT * FROM secret), secret AS (SELECT 1 AS pw) SELECT * FROM a",
	"WITH a AS (SELECT * FROM secret), secret AS (SELECT 1 AS pw) SELECT * FROM a",
	"WITH secret AS (SELECT 1 AS pw) SELECT * FROM main.secret",
	"WITH secret AS (SELECT 1 AS pw) SELECT * FROM (WITH secret AS (SELECT * FROM secret) SELECT * FROM secret) AS x",
	"SELECT * FROM secret, (WITH secret AS (SELECT 1 AS x) SELECT * FROM secret) AS s",
	"SELECT * FROM (WITH secret AS (SELECT 1 AS x) SELECT * FROM secret) AS s JOIN secret ON 1 = 1",
	"(WITH secret AS (SELECT 1 AS x) SELECT x FROM secret) UNION SELECT pw FROM secret",
	"SELECT x FROM (WITH secret AS (SELECT 1 AS x) SELECT x FROM secret) AS s UNION SELECT pw FROM secret",
	"WITH \u017fecret AS (SELECT 1 AS pw) SELECT pw FROM secret",
	"WITH secret AS (SELECT 1 AS pw) SELECT pw FROM \u017fecret",
	"WITH \u212Aey AS (SELECT 1 AS pw) SELECT pw FROM key",
	"WITH SECRET AS (SELECT 1 AS pw) SELECT pw FROM secret",
	"WITH `secret` AS (SELECT 1 AS pw) SELECT pw FROM `secret `",
	"WITH employee AS (SELECT 1 AS pw) SELECT pw FROM main.employee",
	"WITH secure_employee AS (SELECT 1 AS pw) SELECT pw FROM employee",
	"WITH cte1_employee AS (SELECT 1 AS x), employee AS (SELECT 2 AS x) SELECT * FROM employee, cte1_employee",

	// A hidden column through an alias, a nearer scope, or a merged column.
	"SELECT name AS pw FROM employee WHERE pw = 'x'",
	"SELECT name AS pw FROM employee GROUP BY pw HAVING pw > 'a'",
	"SELECT name AS pw FROM employee HAVING max(pw) > 'a'",
	"SELECT name AS pw FROM employee ORDER BY pw",
	"SELECT name AS pw FROM employee ORDER BY pw || 'x'",
	"SELECT name AS pw FROM employee ORDER BY lower(pw)",
	"SELECT name AS pw, (SELECT max(pw) FROM dept) AS m FROM employee",
	"SELECT name AS pw FROM employee WHERE EXISTS (SELECT 1 AS one FROM employee e WHERE pw > 1)",
	"SELECT name AS pw FROM dept HAVING EXISTS (SELECT 1 AS one FROM employee e WHERE pw > 1)",
	"SELECT d.pw FROM (SELECT 1 AS pw) AS d WHERE EXISTS (SELECT 1 AS one FROM employee WHERE pw = 1)",
	"SELECT d.pw FROM (SELECT 1 AS pw) AS d WHERE EXISTS (SELECT 1 AS one FROM employee AS d WHERE d.pw = 1)",
	"SELECT d.pw FROM (SELECT 1 AS pw) AS d WHERE EXISTS (SELECT 1 AS one FROM employee AS d WHERE pw = 1)",
	"SELECT d.pw FROM (SELECT 1 AS pw) AS \u017f, employee AS d WHERE EXISTS (SELECT 1 AS one FROM employee AS s WHERE \u017f.pw = 1)",
	"SELECT (SELECT s.pw FROM employee AS \u017f) AS x FROM (SELECT 1 AS pw) AS s",
	"SELECT (SELECT 1 AS one FROM dept a JOIN dept b ON x.pw = 1 JOIN employee x ON 1 = 1) AS y FROM (SELECT 1 AS pw) AS x",
	"SELECT (SELECT 1 AS one FROM dept a JOIN (dept b JOIN dept c ON x.pw = 1) ON 1 = 1, (SELECT 1 AS pw) AS x) AS y FROM employee AS x",
	"SELECT (SELECT 1 AS one FROM dept a JOIN (dept b JOIN dept c ON pw = 1) ON 1 = 1, (SELECT 1 AS pw) AS x) AS y FROM employee AS x",
	"SELECT 1 AS one FROM (SELECT 1 AS pw) AS x WHERE 1 = (SELECT max(x.pw) FROM employee AS x)",
	"SELECT * FROM employee NATURAL JOIN (SELECT 1 AS pw) AS x",
	"SELECT pw FROM employee NATURAL JOIN (SELECT 1 AS pw) AS x",
	"SELECT name FROM employee JOIN (SELECT 1 AS pw) AS x USING (pw)",
	"SELECT e.name FROM employee e JOIN (SELECT 1 AS pw) AS y ON 1 = 1 JOIN (SELECT 1 AS pw) AS x USING (pw)",
	"SELECT * FROM employee e JOIN (SELECT 1 AS pw) AS y ON 1 = 1",
	"SELECT c.* FROM (SELECT e.* FROM employee e) AS c WHERE c.pw = 1",
	"WITH c AS (SELECT * FROM employee) SELECT pw FROM c",
	"WITH c(a, b, c, d) AS (SELECT * FROM employee) SELECT d FROM c",
	"SELECT x.pw FROM (SELECT * FROM employee UNION SELECT id, name, deptId FROM employee) AS x",
	"SELECT employee.pw FROM secure_employee AS employee",
	"SELECT secure_employee.pw FROM secure_employee",
	"SELECT main.secure_employee.pw FROM main.secure_employee",
	"SELECT main.employee.pw FROM employee",

	// A clause that a resolver may forget.
	"SELECT name FROM dept UNION SELECT name FROM dept ORDER BY (SELECT max(pw) FROM employee)",
	"SELECT name FROM dept UNION SELECT name FROM dept ORDER BY (SELECT max(pw) FROM secret)",
	"SELECT name FROM dept ORDER BY (SELECT pw FROM secret)",
	"SELECT name FROM dept GROUP BY (SELECT pw FROM secret)",
	"SELECT name FROM dept GROUP BY name HAVING (SELECT pw FROM secret) = 1",
	"SELECT name FROM dept LIMIT (SELECT pw FROM secret)",
	"SELECT name FROM dept LIMIT 1 OFFSET (SELECT pw FROM secret)",
	"SELECT name FROM dept WHERE id IN (SELECT id FROM crew LIMIT (SELECT pw FROM secret))",
	"SELECT name FROM dept WHERE id IN secret",
	"SELECT name FROM dept WHERE id IN main.secret",
	"SELECT name FROM dept WHERE id NOT IN (SELECT pw FROM secret)",
	"SELECT name FROM dept WHERE EXISTS (SELECT * FROM secret)",
	"SELECT name FROM dept WHERE (id, name) IN (SELECT pw, pw FROM secret)",
	"SELECT name FROM dept WHERE id = ANY (SELECT pw FROM secret)",
	"SELECT name FROM dept WHERE id BETWEEN (SELECT pw FROM secret) AND 5",
	"SELECT name FROM dept WHERE name LIKE (SELECT pw FROM secret) ESCAPE (SELECT pw FROM secret)",
	"SELECT CASE (SELECT pw FROM secret) WHEN 1 THEN 2 END AS c",
	"SELECT CASE WHEN 1 = 1 THEN (SELECT pw FROM secret) ELSE 1 END AS c",
	"SELECT CAST((SELECT pw FROM secret) AS CHAR) AS c",
	"SELECT count(*) FILTER (WHERE (SELECT pw FROM secret) = 1) AS n FROM dept",
	"SELECT group_concat(name ORDER BY (SELECT pw FROM secret)) AS n FROM dept",
	"SELECT group_concat(DISTINCT name SEPARATOR (SELECT pw FROM secret)) AS n FROM dept",
	"SELECT sum(id) OVER (ORDER BY (SELECT pw FROM secret)) AS s FROM dept",
	"SELECT sum(id) OVER (PARTITION BY pw) AS s FROM employee",
	"SELECT sum(id) OVER (ROWS (SELECT pw FROM secret) PRECEDING) AS s FROM dept",
	"SELECT sum(id) OVER w AS s FROM employee WINDOW w AS (PARTITION BY salary)",
	"SELECT id FROM employee WINDOW w AS (PARTITION BY salary)",
	"SELECT id + INTERVAL (SELECT pw FROM secret) DAY AS d FROM dept",
	"SELECT date_add(name, INTERVAL pw DAY) AS d FROM employee",
	"SELECT * FROM dept, LATERAL (SELECT pw FROM secret) AS x",
	"SELECT * FROM dept, LATERAL (SELECT employee.pw FROM employee) AS x",
	"SELECT * FROM dept JOIN crew ON (SELECT pw FROM secret) = 1",
	"VALUES ((SELECT pw FROM secret))",
	"SELECT * FROM (VALUES ((SELECT pw FROM secret))) AS v",
	"VALUES ROW((SELECT pw FROM secret))",
	"SELECT name FROM dept EXCEPT SELECT pw FROM secret",
	"SELECT name FROM dept INTERSECT SELECT pw FROM employee",
	"WITH unused AS (SELECT pw FROM secret) SELECT 1 AS one",
	"WITH RECURSIVE r AS (SELECT id FROM dept UNION ALL SELECT pw FROM secret) SELECT * FROM r",
	"WITH RECURSIVE r(x) AS (SELECT id FROM dept UNION ALL SELECT e.pw FROM r JOIN employee e ON e.id = r.x) SELECT * FROM r",
	"TABLE secret",

	// Text that one parser does not see.
	"SELECT name FROM dept /*! UNION SELECT pw FROM secret */",
	"SELECT name FROM dept /*!50000 UNION SELECT pw FROM secret */",
	"SELECT name FROM dept /*M! UNION SELECT pw FROM secret */",
	"SELECT name FROM dept -- \n UNION SELECT pw FROM secret",
	"SELECT name FROM dept --1\n UNION SELECT pw FROM secret",
	"SELECT name FROM dept # \n UNION SELECT pw FROM secret",
	`SELECT 'a\' UNION SELECT pw FROM secret -- ' AS x`,
	`SELECT "a\" UNION SELECT pw FROM secret -- " AS x`,
	"SELECT 'a'' UNION SELECT pw FROM secret -- ' AS x",
	"SELECT name AS `x`` FROM secret` FROM dept",
	`SELECT name AS "x"" FROM secret" FROM dept`,
	"SELECT [pw] FROM employee",
	"SELECT `pw` FROM employee",
	`SELECT "pw" FROM employee`,
	`SELECT "pw" FROM (SELECT 1 AS x FROM employee) AS e`,
	`SELECT name FROM dept WHERE id = (SELECT "pw" FROM employee LIMIT 1)`,
	"SELECT rowid FROM employee",
	"SELECT oid, _rowid_ FROM dept",
	"SELECT name FROM dept; SELECT pw FROM secret",
	"SELECT name FROM dept INDEXED BY secret_index",
	"SELECT name FROM dept USE INDEX (x)",
	"SELECT /*+ MAX_EXECUTION_TIME(1) */ name FROM dept",
	"SELECT * FROM json_each((SELECT pw FROM secret))",
	"SELECT * FROM pragma_table_list",
	"SELECT sql FROM sqlite_schema",
	"SELECT * FROM `secret`",
	"SELECT * FROM \"secret\"",
	"SELECT * FROM [secret]",
	"SELECT * FROM 'secret'",
	"SELECT * FROM main . secret",
	"SELECT * FROM secure_secret",
	"SELECT load_extension('x')",
	"SELECT sys_eval('x')",
	"SELECT main.lower(name) FROM dept",
}

func TestAttacks(t *testing.T) {
	for _, d := range dialects {
		g := guard(t, d)
		accepted := 0
		for _, sql := range attacks {
			stmt, err := g.Rewrite(context.Background(), sql)
			if err != nil {
				if refuse(t, err); !utf8Message(err) {
					t.Errorf("%s: the message is not UTF-8", sql)
				}
				continue
			}
			accepted++
			if err := harmless(d, stmt); err != nil {
				t.Errorf("%s: %s became %s: %v", d.Name(), sql, stmt.SQL(), err)
			}
		}
		if accepted == 0 {
			t.Errorf("%s refuses every statement, but some are harmless", d.Name())
		}
	}
}

func utf8Message(err error) bool { return strings.ToValidUTF8(err.Error(), "") == err.Error() }

// readable lists independently what [policy] allows.
var readable = map[string][]string{
	"main.secure_employee":  {"id", "name", "deptId"},
	"main.secure_customer":  {"id", "name", "city"},
	"main.secure_workorder": {"id", "customerId", "status", "price"},
	"main.dept":             {"id", "name", "budget"},
	"main.crew":             {"id", "workOrderId", "createdBy"},
	"main.employeeCrew":     {"id", "crewId", "employeeId", "isLead"},
	"archive.invoice":       {"id", "total"},
	"archive.dept":          {"id", "closed"},
}

// harmless parses a guarded statement again and checks that it reads only what the
// policy lists: every table is one of readable or the name of a CTE, every column
// has a qualifier that a FROM declares, and every column of a table is listed.
func harmless(d dialect.Dialect, stmt *secureview.Statement) error {
	q, err := d.Read(stmt.SQL())
	if err != nil {
		return err
	}
	ctes := map[string]bool{}
	columns := map[string][]string{} // by alias; nil: anything
	opaque := map[string]bool{}
	sqlast.Walk(q, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.CTE:
			ctes[n.Name] = true
		case *sqlast.Derived:
			opaque[n.Alias] = true
		case *sqlast.TableFunction:
			opaque[n.Alias] = true
		}
		return true
	})
	sqlast.Walk(q, func(n sqlast.Node) bool {
		table, ok := n.(*sqlast.Table)
		if !ok {
			return true
		}
		alias := table.Alias
		if alias == "" {
			alias = table.Name
		}
		listed, known := readable[table.Schema+"."+table.Name]
		switch {
		case known:
			columns[alias] = append(columns[alias], listed...)
		case table.Schema == "" && ctes[table.Name]:
			opaque[alias] = true
		default:
			err = errors.Join(err, fmt.Errorf("it reads %s.%s", table.Schema, table.Name))
		}
		return true
	})
	ordered := map[*sqlast.Column]bool{} // aliases that need no qualifier
	sqlast.Walk(q, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Query:
			for _, o := range n.OrderBy {
				e := o.Expr
				if c, ok := e.(*sqlast.Collate); ok {
					e = c.X
				}
				if c, ok := e.(*sqlast.Column); ok && c.Table == "" {
					ordered[c] = true
				} else if _, ok := n.Body.(*sqlast.Select); !ok {
					sqlast.Walk(e, func(n sqlast.Node) bool { // a set operation has no tables
						if c, ok := n.(*sqlast.Column); ok {
							ordered[c] = true
						}
						_, isQuery := n.(*sqlast.Query)
						return !isQuery
					})
				}
			}
		case *sqlast.Select:
			if n.Having != nil && d.Name() == "mysql" {
				sqlast.Walk(n.Having, func(n sqlast.Node) bool {
					if c, ok := n.(*sqlast.Column); ok {
						ordered[c] = true
					}
					call, isCall := n.(*sqlast.Call)
					_, isQuery := n.(*sqlast.Query)
					return !isQuery && !(isCall && slices.Contains([]string{"max", "min", "sum", "avg", "count", "group_concat"}, call.Name))
				})
			}
		case *sqlast.Star:
			if !n.Row || !opaque[n.Table] || columns[n.Table] != nil { // a row whose columns were all listed
				err = errors.Join(err, errors.New("it holds a star"))
			}
		case *sqlast.Column:
			switch {
			case n.Table == "":
				if !ordered[n] {
					err = errors.Join(err, fmt.Errorf("column %s has no qualifier", n.Name))
				}
			case !opaque[n.Table] && !slices.Contains(columns[n.Table], n.Name):
				err = errors.Join(err, fmt.Errorf("it reads column %s.%s", n.Table, n.Name))
			}
		}
		return true
	})
	if d.Name() == "mysql" {
		err = errors.Join(err, tablesOfXWB(stmt.SQL()))
	}
	return err
}

// tablesOfXWB checks the tables with another parser, if it can parse the text.
func tablesOfXWB(sql string) error {
	tree, err := sqlparser.Parse(sql)
	if err != nil {
		return nil
	}
	return sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		from, ok := n.(*sqlparser.AliasedTableExpr)
		if !ok {
			return true, nil
		}
		if table, ok := from.Expr.(sqlparser.TableName); ok {
			name := table.Qualifier.String() + "." + table.Name.String()
			if _, ok := readable[name]; !ok && name != ".dual" { // which it adds to a SELECT without FROM
				return false, fmt.Errorf("xwb1989 reads %s", name)
			}
		}
		return true, nil
	}, tree)
}

func FuzzRewriteSQLite(f *testing.F) { fuzzRewrite(f, sqlite.Dialect{}) }

func FuzzRewriteMySQL(f *testing.F) { fuzzRewrite(f, mysql.Dialect{}) }

func fuzzRewrite(f *testing.F, d dialect.Dialect) {
	for _, sql := range attacks {
		f.Add(sql)
	}
	for _, sql := range []string{
		"SELECT * FROM employee e LEFT JOIN dept d ON d.id = e.deptId WHERE d.budget > 5 ORDER BY e.name LIMIT 10",
		"WITH a AS (SELECT * FROM dept), b AS (SELECT id FROM a) SELECT * FROM a NATURAL JOIN b",
		"SELECT deptId, count(*) AS n FROM employee GROUP BY deptId HAVING n > 1 ORDER BY n DESC",
		"SELECT x.id FROM (SELECT id FROM crew UNION ALL SELECT id FROM dept) AS x ORDER BY 1",
	} {
		f.Add(sql)
	}
	g := guard(f, d)
	f.Fuzz(func(t *testing.T, sql string) {
		stmt, err := g.Rewrite(context.Background(), sql)
		if err != nil {
			if e := refuse(t, err); e.Code == "" || e.Message == "" {
				t.Fatalf("%q: an empty refusal: %v", sql, err)
			}
			return
		}
		if err := harmless(d, stmt); err != nil {
			t.Fatalf("%q became %s: %v", sql, stmt.SQL(), err)
		}
	})
}
