package sqlproof_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlproof/proof"
)

// A condition is said with the operator of the statement.
func TestMeaningOfPatterns(t *testing.T) {
	for _, tt := range []struct {
		dialect   dialect.Dialect
		condition string
	}{
		{sqlite.Dialect{}, "status LIKE 'a%'"},
		{sqlite.Dialect{}, "status NOT GLOB 'a*'"},
		{mysql.Dialect{}, "status NOT LIKE 'a%'"},
		{mysql.Dialect{}, "status REGEXP '^a'"},
		{postgres.Dialect{}, "status NOT ILIKE 'a%'"},
		{postgres.Dialect{}, "status SIMILAR TO 'a|b'"},
	} {
		report := check(t, tt.dialect, "SELECT id FROM orders WHERE "+tt.condition)
		if diff := cmp.Diff([]string{tt.condition}, report.Meaning.Where); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.dialect.Name(), diff)
		}
	}
}

// What a statement computes is said with the brackets and the conditions that it has.
func TestMeaning(t *testing.T) {
	for _, tt := range []struct {
		sql  string
		want proof.Meaning
	}{
		{"SELECT SUM(i.price * (1 - i.quantity)) FROM items i", proof.Meaning{
			Values: []proof.Value{{Function: "sum", Of: "price * (1 - quantity)"}}, Tables: []string{"items"}}},
		{"SELECT SUM(o.total - (o.id - o.code)), MAX(-(o.total + 1)) FROM orders o", proof.Meaning{
			Values: []proof.Value{{Function: "sum", Of: "total - (id - code)"}, {Function: "max", Of: "-(total + 1)"}}, Tables: []string{"orders"}}},
		{"SELECT COUNT(*), SUM(DISTINCT total) FROM orders WHERE total / (id * 2) > 3 AND NOT (status = 'a' OR status IS NULL)", proof.Meaning{
			Values: []proof.Value{{Function: "count"}, {Function: "sum", Of: "total", Distinct: true}}, Tables: []string{"orders"},
			Where: []string{"total / (id * 2) > 3", "NOT (status = 'a' OR status IS NULL)"}}},
		{"SELECT customer_id FROM orders GROUP BY customer_id HAVING COUNT(DISTINCT status) > 1", proof.Meaning{
			Tables: []string{"orders"}, GroupBy: []string{"customer_id"}, Having: "count(DISTINCT status) > 1"}},
		{"SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders GROUP BY customer_id HAVING COUNT(*) > 3)", proof.Meaning{
			Tables: []string{"customers"},
			Where:  []string{"customers.id NOT IN (SELECT orders.customer_id FROM orders GROUP BY orders.customer_id HAVING count(*) > 3)"}}},
		{"SELECT c.name FROM customers c WHERE EXISTS (SELECT 1 FROM orders c2 JOIN items c ON c.order_id = c2.id WHERE c2.customer_id = 7)", proof.Meaning{
			Tables: []string{"customers"},
			Where:  []string{"EXISTS (SELECT 1 FROM orders AS c2 JOIN items AS c ON c.order_id = c2.id WHERE c2.customer_id = 7)"}}},
		{"SELECT c.name, COUNT(o.id) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id AND o.status = 'late' WHERE c.city = 'Rome' GROUP BY c.id, c.name", proof.Meaning{
			Values: []proof.Value{{Function: "count", Of: "orders.id"}}, Tables: []string{"customers", "orders"},
			Where: []string{"customers.city = 'Rome'"}, Matching: []string{"orders.status = 'late'"}, GroupBy: []string{"customers.id", "customers.name"}}},
		{"SELECT c.name FROM customers c LEFT JOIN (SELECT customer_id FROM orders WHERE total > 9) o ON o.customer_id = c.id", proof.Meaning{
			Tables: []string{"customers", "o"}, Matching: []string{"o.total > 9"}}},
		{"SELECT name FROM employees ORDER BY salary DESC LIMIT 1", proof.Meaning{Tables: []string{"employees"}, OrderBy: []string{"salary DESC"}, Limit: 1}},
		{"SELECT name FROM employees ORDER BY salary DESC LIMIT 1 OFFSET 1", proof.Meaning{Tables: []string{"employees"}, Limit: 1}},
	} {
		for _, d := range dialects {
			if diff := cmp.Diff(&tt.want, check(t, d, tt.sql).Meaning); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", d.Name(), tt.sql, diff)
			}
		}
	}
	const filtered = "SELECT COUNT(*) FILTER (WHERE status = 'late'), percentile_cont(0.5) WITHIN GROUP (ORDER BY total) FROM orders WHERE code LIKE 'a!_%' ESCAPE '!'"
	want := &proof.Meaning{Tables: []string{"orders"}, Where: []string{"code LIKE 'a!_%' ESCAPE '!'"}, Values: []proof.Value{
		{Function: "count", Of: "* FILTER (WHERE status = 'late')"}, {Function: "percentile_cont", Of: "0.5, total"}}}
	if diff := cmp.Diff(want, check(t, postgres.Dialect{}, filtered).Meaning); diff != "" {
		t.Errorf("%s (-want +got):\n%s", filtered, diff)
	}
}
