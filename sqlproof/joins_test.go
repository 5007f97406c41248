package sqlproof_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlproof"
	"github.com/qedkit/qed/sqlproof/proof"
)

// parts returns the tables of a policy whose customers are read through a view, without
// relationships.
func parts(tb testing.TB, d dialect.Dialect) (*secureview.Guard, *sqlproof.Prover) {
	tb.Helper()
	tables := map[string][]string{
		"secure_customer": {"id", "name", "city"},
		"orders":          {"id", "customer_id", "billing_id", "shipping_id", "total"},
		"items":           {"id", "order_id", "product", "qty"},
		"address":         {"id", "city"},
		"employee":        {"id", "manager_id", "dept"},
		"part":            {"company", "number", "price"},
		"stock":           {"company", "number", "qty"},
	}
	s := &joinpath.Schema{Tables: map[string]joinpath.Table{}}
	for name, columns := range tables {
		s.Tables[strings.TrimPrefix(name, "secure_")] = joinpath.Table{Columns: columns}
	}
	g, err := secureview.New(&secureview.Policy{
		Dialect: d.Name(), Schema: "main", RowLimit: 100,
		Views: map[string]string{"customer": "secure_customer"}, Tables: tables,
	}, d)
	if err != nil {
		tb.Fatal(err)
	}
	return g, sqlproof.New(s)
}

// joinTexts returns the joins of a report in one line each.
func joinTexts(r *proof.Report) []string {
	var all []string
	for _, j := range r.Joins {
		left, right := j.Left, j.Right
		if left != j.Tables[0] {
			left = strings.TrimSpace(j.Tables[0] + " " + left)
		}
		if right != j.Tables[1] {
			right = strings.TrimSpace(j.Tables[1] + " " + right)
		}
		var columns []string
		for _, pair := range j.Columns {
			columns = append(columns, left+"."+pair[0]+" = "+right+"."+pair[1])
		}
		switch {
		case j.Condition:
			columns = append(columns, left+", "+right+" otherwise")
		case len(columns) == 0:
			columns = append(columns, left+", "+right)
		}
		all = append(all, j.Kind+": "+strings.Join(columns, " and "))
	}
	return all
}

// The joins of a statement are the equalities of its columns, wherever they stand.
func TestJoinsOfStatements(t *testing.T) {
	const all, onlyPostgres, onlySQLite, notSQLite, notMySQL = "", "postgres", "sqlite", "mysql postgres", "sqlite postgres"
	tests := []struct {
		name, dialects, sql string
		want                []string
	}{
		{"none", all, "SELECT id FROM orders", nil},
		{"ON", all, "SELECT o.id FROM orders o JOIN customer c ON o.customer_id = c.id",
			[]string{"inner: orders.customer_id = customer.id"}},
		{"ON the other way round", all, "SELECT o.id FROM orders o LEFT JOIN customer c ON c.id = o.customer_id",
			[]string{"left: orders.customer_id = customer.id"}},
		{"without aliases", all, "SELECT orders.id FROM orders JOIN address ON address.id = shipping_id",
			[]string{"inner: orders.shipping_id = address.id"}},
		{"RIGHT JOIN", all, "SELECT o.id FROM orders o RIGHT JOIN customer c ON c.id = o.customer_id",
			[]string{"right: orders.customer_id = customer.id"}},
		{"FULL JOIN", notMySQL, "SELECT o.id FROM orders o FULL JOIN customer c ON c.id = o.customer_id",
			[]string{"full: orders.customer_id = customer.id"}},
		{"a comma", all, "SELECT o.id FROM orders o, customer c WHERE o.customer_id = c.id AND o.total > 5",
			[]string{"inner: orders.customer_id = customer.id"}},
		{"CROSS JOIN and WHERE", all, "SELECT o.id FROM orders o CROSS JOIN customer c WHERE (c.id = o.customer_id)",
			[]string{"inner: orders.customer_id = customer.id"}},
		{"USING", all, "SELECT p.price FROM part p JOIN stock s USING (company, number)",
			[]string{"inner: part.company = stock.company and part.number = stock.number"}},
		{"NATURAL JOIN", all, "SELECT p.price FROM part p NATURAL LEFT JOIN stock s",
			[]string{"left: part.company = stock.company and part.number = stock.number"}},
		{"USING with three tables", all, "SELECT a.id FROM orders a JOIN customer b USING (id) JOIN items c USING (id)",
			[]string{"inner: orders.id = customer.id", "inner: orders.id = items.id"}},
		{"FULL JOIN USING with three tables", notMySQL,
			"SELECT id FROM orders a FULL JOIN customer b USING (id) FULL JOIN items c USING (id)",
			[]string{"full: orders.id = customer.id", "full: orders.id = items.id"}},
		{"a row", all, "SELECT p.price FROM part p JOIN stock s ON (p.company, p.number) = (s.company, s.number)",
			[]string{"inner: part.company = stock.company and part.number = stock.number"}},
		{"a list of one column", all, "SELECT o.id FROM orders o JOIN customer c ON c.id IN (o.customer_id)",
			[]string{"inner: orders.customer_id = customer.id"}},
		{"NULL-safe", onlySQLite, "SELECT o.id FROM orders o JOIN customer c ON c.id IS o.customer_id",
			[]string{"inner: orders.customer_id = customer.id"}},
		{"one pair of tables twice", all,
			"SELECT o.id FROM orders o JOIN address b ON b.id = o.billing_id JOIN address s ON s.id = o.shipping_id",
			[]string{"inner: orders.billing_id = address b.id", "inner: orders.shipping_id = address s.id"}},
		{"ON and WHERE of one pair", all,
			"SELECT o.id FROM orders o JOIN items i ON i.order_id = o.id WHERE o.total = i.qty AND i.order_id = o.id",
			[]string{"inner: orders.id = items.order_id and orders.total = items.qty"}},
		{"a self-join", all, "SELECT e.id FROM employee e JOIN employee m ON e.manager_id = m.id",
			[]string{"inner: employee e.manager_id = employee m.id"}},
		{"columns of one table", all, "SELECT id FROM orders WHERE billing_id = shipping_id", nil},

		{"an OR", all, "SELECT o.id FROM orders o JOIN address a ON a.id = o.billing_id OR a.id = o.shipping_id",
			[]string{"inner: orders, address otherwise"}},
		{"a NOT", all, "SELECT o.id FROM orders o JOIN address a ON NOT a.id = o.billing_id",
			[]string{"inner: orders, address otherwise"}},
		{"another comparison", all, "SELECT o.id FROM orders o JOIN items i ON i.qty < o.total",
			[]string{"inner: orders, items otherwise"}},
		{"an expression", all, "SELECT o.id FROM orders o LEFT JOIN customer c ON c.id = o.customer_id + 1",
			[]string{"left: orders, customer otherwise"}},
		{"nothing", all, "SELECT o.id FROM orders o, customer c WHERE o.total > 5",
			[]string{"inner: orders, customer"}},
		{"the same constant", all, "SELECT o.id FROM orders o, customer c WHERE o.customer_id = 5 AND c.id = 5",
			[]string{"inner: orders, customer"}},
		{"a self-join by nothing", all, "SELECT a.id FROM address a, address b",
			[]string{"inner: address a, address b"}},
		{"a row with all", all, "SELECT o.id FROM orders o, (SELECT MAX(total) AS top FROM orders) m WHERE o.total > m.top / 2", []string{"inner: orders, m otherwise"}},
		{"the ON of an outer join for its left side", all,
			"SELECT o.id FROM orders o JOIN items i ON i.order_id = o.id LEFT JOIN address a ON a.id = o.billing_id AND o.customer_id = i.product",
			[]string{"inner: orders.id = items.order_id", "left: orders.billing_id = address.id"}},

		{"EXISTS", all, "SELECT c.id FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)",
			[]string{"semi: customer.id = orders.customer_id"}},
		{"NOT EXISTS", all, "SELECT c.id FROM customer c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)",
			[]string{"anti: customer.id = orders.customer_id"}},
		{"IN", all, "SELECT o.id FROM orders o WHERE o.customer_id IN (SELECT c.id FROM customer c)",
			[]string{"semi: orders.customer_id = customer.id"}},
		{"NOT IN", all, "SELECT o.id FROM orders o WHERE o.total > 1 AND customer_id NOT IN (SELECT id FROM customer)",
			[]string{"anti: orders.customer_id = customer.id"}},
		{"IN as a part of an OR", all, "SELECT o.id FROM orders o WHERE o.customer_id IN (SELECT c.id FROM customer c) OR o.total > 1",
			[]string{"subquery: orders.customer_id = customer.id"}},
		{"IN as a value", all, "SELECT o.id, o.customer_id IN (SELECT c.id FROM customer c) AS known FROM orders o",
			[]string{"subquery: orders.customer_id = customer.id"}},
		{"NOT before IN", all, "SELECT o.id FROM orders o WHERE NOT o.customer_id IN (SELECT id FROM customer)",
			[]string{"anti: orders.customer_id = customer.id"}},
		{"NOT before an OR", all, "SELECT o.id FROM orders o WHERE NOT (o.total > 1 OR EXISTS (SELECT 1 FROM customer c WHERE o.customer_id = c.id))",
			[]string{"subquery: orders.customer_id = customer.id"}},
		{"IN with a row", all, "SELECT p.price FROM part p WHERE (company, number) IN (SELECT company, number FROM stock WHERE qty > 0)",
			[]string{"semi: part.company = stock.company and part.number = stock.number"}},
		{"IN with a UNION", all,
			"SELECT a.id FROM address a WHERE a.id IN (SELECT billing_id FROM orders UNION SELECT shipping_id FROM orders)",
			[]string{"semi: address.id = orders.billing_id", "semi: address.id = orders.shipping_id"}},
		{"ANY", notSQLite, "SELECT o.id FROM orders o WHERE o.customer_id = ANY (SELECT c.id FROM customer c)",
			[]string{"semi: orders.customer_id = customer.id"}},
		{"a subquery of one value", all, "SELECT o.id FROM orders o WHERE o.customer_id = (SELECT c.id FROM customer c WHERE c.name = 'Kestrel')",
			[]string{"semi: orders.customer_id = customer.id"}},
		{"a value of the select list", all,
			"SELECT c.name, (SELECT SUM(o.total) FROM orders o WHERE o.customer_id = c.id) AS total FROM customer c",
			[]string{"subquery: customer.id = orders.customer_id"}},
		{"IN of an aggregate", all, "SELECT o.id FROM orders o WHERE o.total IN (SELECT MAX(total) FROM orders)", nil},
		{"nested EXISTS", all, "SELECT c.id FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id" +
			" AND EXISTS (SELECT 1 FROM items i WHERE i.order_id = o.id AND i.product = c.id))",
			[]string{"semi: customer.id = orders.customer_id", "semi: orders.id = items.order_id", "semi: customer.id = items.product"}},
		{"a shadowed alias", all, "SELECT o.id FROM orders o WHERE o.id IN (SELECT o.order_id FROM items o JOIN orders x ON x.id = o.order_id)",
			[]string{"semi: orders.id = items.order_id", "inner: items.order_id = orders.id"}},
		{"in an ORDER BY", all, "SELECT c.id FROM customer c ORDER BY (SELECT MAX(o.total) FROM orders o WHERE o.customer_id = c.id)",
			[]string{"subquery: customer.id = orders.customer_id"}},

		{"a common table expression", all,
			"WITH t AS (SELECT customer_id, SUM(total) AS total FROM orders GROUP BY customer_id) SELECT c.name, t.total FROM customer c JOIN t ON t.customer_id = c.id",
			[]string{"inner: customer.id = orders t.customer_id"}},
		{"renamed columns", all,
			"WITH t(k, v) AS (SELECT customer_id, total FROM orders) SELECT c.name FROM customer c JOIN (SELECT k AS n FROM t) d ON d.n = c.id",
			[]string{"inner: customer.id = orders d.customer_id"}},
		{"a computed column", all,
			"SELECT o.id FROM orders o JOIN (SELECT MAX(id) AS last FROM orders GROUP BY customer_id) m ON m.last = o.id",
			[]string{"inner: orders.id = m.last"}},
		{"several tables of a subquery", all,
			"SELECT c.name FROM customer c JOIN (SELECT o.customer_id, i.product FROM orders o JOIN items i ON i.order_id = o.id) t" +
				" ON t.customer_id = c.id AND t.product = c.city",
			[]string{"inner: orders.id = items.order_id", "inner: customer.id = orders.customer_id", "inner: customer.city = items.product"}},
		{"a UNION of one column", all,
			"SELECT c.name FROM customer c JOIN (SELECT customer_id AS k FROM orders WHERE total > 5 UNION ALL SELECT customer_id FROM orders) t ON t.k = c.id",
			[]string{"inner: customer.id = orders t.customer_id"}},
		{"a UNION of two columns", all,
			"SELECT a.city FROM address a JOIN (SELECT billing_id AS k FROM orders UNION ALL SELECT shipping_id FROM orders) t ON t.k = a.id",
			[]string{"inner: address.id = t.k"}},
		{"the arms of a UNION", all,
			"SELECT o.id FROM orders o JOIN customer c ON c.id = o.customer_id UNION SELECT i.id FROM items i JOIN orders o ON o.id = i.order_id",
			[]string{"inner: orders.customer_id = customer.id", "inner: items.order_id = orders.id"}},
		{"a recursive query", all,
			"WITH RECURSIVE t(id, boss) AS (SELECT id, manager_id FROM employee WHERE id = 1 UNION ALL" +
				" SELECT e.id, e.manager_id FROM employee e JOIN t ON e.manager_id = t.id) SELECT id FROM t",
			[]string{"inner: employee.manager_id = t.id"}},
		{"LATERAL", notSQLite,
			"SELECT c.name FROM customer c LEFT JOIN LATERAL (SELECT o.total FROM orders o WHERE o.customer_id = c.id ORDER BY o.total DESC LIMIT 1) t ON TRUE",
			[]string{"left: customer.id = orders.customer_id"}},
		{"a table function", onlyPostgres, "SELECT o.id FROM orders o CROSS JOIN generate_series(1, 3) AS g(n)", nil},
	}
	for _, d := range []dialect.Dialect{sqlite.Dialect{}, mysql.Dialect{}, postgres.Dialect{}} {
		g, p := parts(t, d)
		for _, tt := range tests {
			if tt.dialects != "" && !strings.Contains(tt.dialects, d.Name()) {
				continue
			}
			stmt, err := g.Rewrite(t.Context(), tt.sql)
			if err != nil {
				t.Errorf("%s, %s: %v", tt.name, d.Name(), err)
				continue
			}
			if diff := cmp.Diff(tt.want, joinTexts(p.Check(stmt))); diff != "" {
				t.Errorf("%s, %s: (-want +got):\n%s", tt.name, d.Name(), diff)
			}
		}
	}
}
