package sqlproof_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed/sqlproof/proof"
)

// TestCheck checks statements on the tables of a shop. Each row has the statement, the
// dialects that read it (none: all), and the report in short.
func TestCheck(t *testing.T) {
	for _, d := range dialects {
		t.Run(d.Name(), func(t *testing.T) {
			g, p := guard(t, d), prover()
			for _, test := range checkTests {
				if test.dialects != "" && !strings.Contains(test.dialects, d.Name()) {
					continue
				}
				stmt, err := g.Rewrite(t.Context(), test.sql)
				if err != nil {
					t.Errorf("%v\n%s", err, test.sql)
					continue
				}
				if diff := cmp.Diff(test.want, summary(p.Check(stmt)), cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%s\n(-want +got)\n%s", test.sql, diff)
				}
			}
		})
	}
}

var checkTests = []struct {
	dialects string
	sql      string
	want     []string
}{
	// the condition of an aggregate chooses rows
	{"", "SELECT SUM(CASE WHEN p.year = 2026 THEN i.quantity ELSE 0 END), SUM(CASE p.year WHEN 2025 THEN i.quantity END) FROM items i JOIN prices p ON p.product_id = i.product_id", []string{
		"join items, prices proved by both refer to products",
		"SUM(CASE WHEN p.year = 2026 THEN i.quantity ELSE 0 END) proved",
		"SUM(CASE p.year WHEN 2025 THEN i.quantity END) proved",
	}},
	{"", "SELECT SUM(CASE WHEN p.year >= 2026 THEN i.quantity END), SUM(CASE WHEN p.year = 2026 THEN i.quantity ELSE 1 END) FROM items i JOIN prices p ON p.product_id = i.product_id", []string{
		"join items, prices proved by both refer to products",
		"SUM(CASE WHEN p.year >= 2026 THEN i.quantity END) contradicted, repeats yes, affected yes, by prices",
		"SUM(CASE WHEN p.year = 2026 THEN i.quantity ELSE 1 END) contradicted, repeats yes, affected yes, by prices",
		"error chasm SUM(CASE WHEN p.year >= 2026 THEN i.quantity END)",
		"error chasm SUM(CASE WHEN p.year = 2026 THEN i.quantity ELSE 1 END)",
	}},
	{"", "SELECT AVG(CASE WHEN p.year = 2026 THEN i.quantity END), AVG(CASE WHEN p.year = 2026 THEN i.quantity ELSE 0 END) FROM items i JOIN prices p ON p.product_id = i.product_id", []string{
		"join items, prices proved by both refer to products",
		"AVG(CASE WHEN p.year = 2026 THEN i.quantity END) proved",
		"AVG(CASE WHEN p.year = 2026 THEN i.quantity ELSE 0 END) contradicted, repeats yes, affected yes, by prices",
		"error chasm AVG(CASE WHEN p.year = 2026 THEN i.quantity ELSE 0 END)",
	}},
	{"", "SELECT SUM(CASE WHEN p.year = 2026 THEN i.quantity WHEN p.year = 2025 THEN i.price END) FROM items i JOIN prices p ON p.product_id = i.product_id", []string{
		"join items, prices proved by both refer to products",
		"SUM(CASE WHEN p.year = 2026 THEN i.quantity WHEN p.year = 2025 THEN i.price END) contradicted, repeats yes, affected yes, by prices",
		"error chasm SUM(CASE WHEN p.year = 2026 THEN i.quantity WHEN p.year = 2025 THEN i.price END)",
	}},
	{"", "SELECT SUM(ROUND(CASE WHEN p.year = 2026 THEN i.quantity ELSE 0 END)), SUM(ROUND(CASE WHEN p.year > 2025 THEN i.quantity ELSE 0 END)), SUM(1.0 * i.quantity) FROM items i JOIN prices p ON p.product_id = i.product_id", []string{
		"join items, prices proved by both refer to products",
		"SUM(ROUND(CASE WHEN p.year = 2026 THEN i.quantity ELSE 0 END)) not_checked, repeats unknown, affected yes, by prices",
		"SUM(ROUND(CASE WHEN p.year > 2025 THEN i.quantity ELSE 0 END)) contradicted, repeats yes, affected yes, by prices",
		"SUM(1.0 * i.quantity) contradicted, repeats yes, affected yes, by prices",
		"error chasm SUM(ROUND(CASE WHEN p.year > 2025 THEN i.quantity ELSE 0 END))",
		"error chasm SUM(1.0 * i.quantity)",
		"note fan_out SUM(ROUND(CASE WHEN p.year = 2026 THEN i.quantity ELSE 0 END))",
	}},
	{"mysql sqlite", "SELECT SUM(i.quantity * (p.year = 2026)) FROM items i JOIN prices p ON p.product_id = i.product_id", []string{
		"join items, prices proved by both refer to products",
		"SUM(i.quantity * (p.year = 2026)) not_checked, repeats unknown, affected yes, by prices",
		"note fan_out SUM(i.quantity * (p.year = 2026))",
	}},
	{"mysql", "SELECT SUM(IF(i.id IS NULL, o.total, 0)), SUM(IF(i.id IS NULL, o.total, 1)) FROM orders o LEFT JOIN items i ON i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"SUM(IF(i.id IS NULL, o.total, 0)) proved",
		"SUM(IF(i.id IS NULL, o.total, 1)) contradicted, repeats yes, affected yes, by items",
		"error fan_out SUM(IF(i.id IS NULL, o.total, 1))",
	}},
	{"sqlite postgres", "SELECT SUM(o.total) FILTER (WHERE i.id IS NULL), SUM(o.total) FILTER (WHERE i.id IS NOT NULL) FROM orders o LEFT JOIN items i ON i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"SUM(o.total) FILTER (WHERE i.id IS NULL) proved",
		"SUM(o.total) FILTER (WHERE i.id IS NOT NULL) contradicted, repeats yes, affected yes, by items",
		"error fan_out SUM(o.total) FILTER (WHERE i.id IS NOT NULL)",
	}},
	{"", "SELECT COUNT(CASE WHEN i.id IS NULL THEN 1 END), COUNT(CASE WHEN i.quantity > 1 THEN 1 END) FROM orders o LEFT JOIN items i ON i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"COUNT(CASE WHEN i.id IS NULL THEN 1 END) proved, counts orders",
		"COUNT(CASE WHEN i.quantity > 1 THEN 1 END) proved, counts items",
		"note count_rows COUNT(CASE WHEN i.id IS NULL THEN 1 END)",
		"note count_rows COUNT(CASE WHEN i.quantity > 1 THEN 1 END)",
	}},

	{"", "SELECT COUNT(CASE WHEN quantity > 1 THEN 1 ELSE 0 END), COUNT(quantity > 1) FROM items", []string{
		"COUNT(CASE WHEN quantity > 1 THEN 1 ELSE 0 END) contradicted, counts items",
		"COUNT(quantity > 1) contradicted, counts items",
		"error count_rows COUNT(CASE WHEN quantity > 1 THEN 1 ELSE 0 END)",
		"error count_rows COUNT(quantity > 1)",
	}},
	{"", "SELECT COUNT(CASE WHEN quantity > 1 THEN 1 ELSE NULL END), COUNT(quantity > 1 OR NULL), COUNT(DISTINCT CASE WHEN quantity > 1 THEN 1 ELSE 0 END)," +
		" SUM(CASE WHEN quantity > 1 THEN 1 ELSE 0 END), COUNT(CASE WHEN quantity > 1 THEN NULL ELSE 1 END), COUNT(NULLIF(quantity > 1, FALSE)), COUNT(CASE WHEN quantity > 1 THEN price ELSE product_id END) FROM items", []string{
		"COUNT(CASE WHEN quantity > 1 THEN 1 ELSE NULL END) proved, counts items",
		"COUNT(quantity > 1 OR NULL) proved, counts items",
		"COUNT(DISTINCT CASE WHEN quantity > 1 THEN 1 ELSE 0 END) proved",
		"SUM(CASE WHEN quantity > 1 THEN 1 ELSE 0 END) proved, counts items",
		"COUNT(CASE WHEN quantity > 1 THEN NULL ELSE 1 END) proved, counts items",
		"COUNT(NULLIF(quantity > 1, FALSE)) proved, counts items",
		"COUNT(CASE WHEN quantity > 1 THEN price ELSE product_id END) proved, counts items",
	}},

	{"", "SELECT SUM(DISTINCT CASE WHEN p.year = 2026 THEN i.quantity END) FROM items i JOIN prices p ON p.product_id = i.product_id", []string{
		"join items, prices proved by both refer to products",
		"SUM(DISTINCT CASE WHEN p.year = 2026 THEN i.quantity END) contradicted, repeats yes, affected yes, by prices",
		"error distinct_is_no_repair SUM(DISTINCT CASE WHEN p.year = 2026 THEN i.quantity END)",
	}},
	{"", "SELECT quantity > 1, COUNT(quantity > 1) FROM items GROUP BY quantity > 1", []string{
		"COUNT(quantity > 1) proved, counts items",
	}},
	{"", "SELECT c, COUNT(c) FROM (SELECT CASE WHEN quantity > 1 THEN 'many' ELSE 'one' END AS c FROM items) d GROUP BY c", []string{
		"COUNT(c) proved, counts d",
	}},
	{"", "SELECT COUNT(CASE WHEN quantity > 1 THEN 'many' ELSE 'one' END) FROM items", []string{
		"COUNT(CASE WHEN quantity > 1 THEN 'many' ELSE 'one' END) proved, counts items",
	}},

	// values that are computed from a key
	{"", "SELECT SUM(i.quantity) FROM items i JOIN products p ON p.id + 0 = i.product_id", []string{
		"join items, products not_checked",
		"SUM(i.quantity) not_checked, repeats unknown, affected unknown, by products",
		"note fan_out SUM(i.quantity)",
	}},
	{"", "SELECT SUM(i.quantity) FROM items i JOIN products p ON ROUND(p.id) = i.product_id", []string{
		"join items, products not_checked",
		"SUM(i.quantity) not_checked, repeats unknown, affected unknown, by products",
		"note fan_out SUM(i.quantity)",
	}},
	{"", "SELECT SUM(i.quantity) FROM items i JOIN products p ON COALESCE(p.id, 0) = i.product_id", []string{
		"join items, products not_checked",
		"SUM(i.quantity) not_checked, repeats unknown, affected unknown, by products",
		"note fan_out SUM(i.quantity)",
	}},
	{"", "SELECT SUM(i.quantity) FROM items i JOIN products p ON p.id * 1 = i.product_id", []string{
		"join items, products not_checked",
		"SUM(i.quantity) not_checked, repeats unknown, affected unknown, by products",
		"note fan_out SUM(i.quantity)",
	}},
	{"", "SELECT SUM(o.total) FROM orders o JOIN items i ON i.order_id = o.id + 0", []string{
		"join orders, items not_checked",
		"SUM(o.total) contradicted, repeats yes, affected yes, by items",
		"error chasm SUM(o.total)",
	}},
	{"", "SELECT SUM(i.price) FROM orders o JOIN items i ON i.id = (SELECT MIN(x.id) FROM items x WHERE x.order_id = o.id)", []string{
		"join orders, items not_checked",
		"join orders, items proved by foreign key",
		"SUM(i.price) not_checked, repeats unknown, affected unknown, by orders",
		"MIN(x.id) proved",
		"note fan_out SUM(i.price)",
	}},
	{"", "SELECT SUM(DISTINCT o.id * 1000 + o.total), SUM(DISTINCT o.customer_id + o.total) FROM orders o JOIN items i ON i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"SUM(DISTINCT o.id * 1000 + o.total) not_checked, repeats unknown, affected unknown, by items",
		"SUM(DISTINCT o.customer_id + o.total) contradicted, repeats yes, affected yes, by items",
		"error distinct_is_no_repair SUM(DISTINCT o.customer_id + o.total)",
	}},

	// aggregates over joins
	{"", "SELECT SUM(o.total) FROM orders o", []string{
		"SUM(o.total) proved",
	}},
	{"", "SELECT SUM(o.total) FROM orders o JOIN items i ON i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"SUM(o.total) contradicted, repeats yes, affected yes, by items",
		"error fan_out SUM(o.total)",
	}},
	{"", "SELECT SUM(i.quantity) FROM orders o JOIN items i ON i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"SUM(i.quantity) proved",
	}},
	{"", "SELECT SUM(i.quantity * i.price) FROM items i JOIN products p ON p.id = i.product_id", []string{
		"join items, products proved by foreign key",
		"SUM(i.quantity * i.price) proved",
	}},
	{"", "SELECT SUM(i.quantity * p.list_price) FROM items i JOIN products p ON p.id = i.product_id", []string{
		"join items, products proved by foreign key",
		"SUM(i.quantity * p.list_price) proved",
	}},
	{"", "SELECT 42 AS n", []string{"error no_table"}},
	{"", "SELECT 42 AS n FROM orders", []string{"error no_table"}},
	{"", "SELECT MAX(4242) FROM orders WHERE id > 7", []string{"MAX(4242) proved", "error no_table"}},
	{"", "SELECT 1 AS n FROM orders UNION ALL SELECT 17.5 FROM items", []string{"error no_table"}},
	{"", "SELECT 'yes' FROM orders WHERE id = 7", nil},
	{"", "SELECT 1 FROM orders WHERE id = 7", nil},
	{"", "SELECT 2024 AS year, COUNT(*) FROM orders", []string{"COUNT(*) proved, counts orders"}},
	{"", "SELECT ROW_NUMBER() OVER (ORDER BY id) + 100 FROM orders", []string{"ROW_NUMBER() OVER (ORDER BY id) not_checked, repeats unknown, affected unknown"}},
	{"", "WITH a AS (SELECT 42 AS n) SELECT SUM(n) FROM a", []string{
		"SUM(n) proved",
		"error no_table",
	}},
	{"", "SELECT 1 - (SELECT COUNT(*) FROM orders) AS n", []string{"COUNT(*) proved, counts orders"}},
	{"", "SELECT SUM(p.list_price) FROM items i JOIN products p ON p.id = i.product_id", []string{
		"join items, products proved by foreign key",
		"SUM(p.list_price) contradicted, repeats yes, affected yes, by items",
		"question fan_out SUM(p.list_price)",
	}},
	{"", "SELECT SUM(p.list_price) FROM products p JOIN items i ON p.id = i.product_id", []string{
		"join products, items proved by foreign key",
		"SUM(p.list_price) contradicted, repeats yes, affected yes, by items",
		"error fan_out SUM(p.list_price)",
	}},
	{"", "SELECT SUM(o.total * i.quantity) FROM orders o JOIN items i ON i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"SUM(o.total * i.quantity) proved",
	}},
	{"", "SELECT SUM(i.quantity * p.price) FROM items i JOIN prices p ON p.product_id = i.product_id", []string{
		"join items, prices proved by both refer to products",
		"SUM(i.quantity * p.price) not_checked, repeats unknown, affected unknown, by prices",
		"note fan_out SUM(i.quantity * p.price)",
	}},
	{"", "SELECT SUM(i.quantity * p.price) FROM items i JOIN prices p ON p.product_id = i.product_id WHERE p.year = 2026", []string{
		"join items, prices proved by both refer to products",
		"SUM(i.quantity * p.price) proved",
	}},
	{"", "SELECT MAX(i.quantity * p.price) FROM items i JOIN prices p ON p.product_id = i.product_id", []string{
		"join items, prices proved by both refer to products",
		"MAX(i.quantity * p.price) proved, repeats unknown, by prices",
	}},
	{"", "SELECT SUM(o.total) FROM orders o JOIN (SELECT order_id, RANK() OVER (PARTITION BY order_id ORDER BY price, id) AS n FROM items) i" +
		" ON i.order_id = o.id WHERE i.n = 1", []string{
		"join orders, i proved by foreign key",
		"SUM(o.total) proved",
		"RANK() OVER (PARTITION BY order_id ORDER BY price, id) not_checked, repeats unknown, affected unknown",
	}},
	{"", "SELECT SUM(o.total) FROM orders o JOIN (SELECT order_id, RANK() OVER (PARTITION BY order_id ORDER BY price) AS n FROM items) i" +
		" ON i.order_id = o.id WHERE i.n = 1", []string{
		"join orders, i proved by foreign key",
		"SUM(o.total) contradicted, repeats yes, affected yes, by i",
		"RANK() OVER (PARTITION BY order_id ORDER BY price) not_checked, repeats unknown, affected unknown",
		"error fan_out SUM(o.total)",
	}},
	{"", "SELECT SUM(o.total * (i.quantity > 1)) FROM orders o JOIN items i ON i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"SUM(o.total * (i.quantity > 1)) contradicted, repeats yes, affected yes, by items",
		"error fan_out SUM(o.total * (i.quantity > 1))",
	}},
	{"", "SELECT SUM(COALESCE(o.total, i.price)) FROM orders o JOIN items i ON i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"SUM(COALESCE(o.total, i.price)) not_checked, repeats unknown, affected unknown",
	}},
	{"", "SELECT SUM(i.quantity * COALESCE(i.price, p.list_price)) FROM items i JOIN products p ON p.id = i.product_id", []string{
		"join items, products proved by foreign key",
		"SUM(i.quantity * COALESCE(i.price, p.list_price)) proved",
	}},
	{"", "SELECT SUM(t.total) FROM (SELECT o.id, o.total, ROW_NUMBER() OVER (PARTITION BY o.id ORDER BY i.id) AS n" +
		" FROM orders o JOIN items i ON i.order_id = o.id) t WHERE t.n = 1", []string{
		"join orders, items proved by foreign key",
		"SUM(t.total) not_checked, repeats unknown, affected yes, by items",
		"ROW_NUMBER() OVER (PARTITION BY o.id ORDER BY i.id) not_checked, repeats unknown, affected unknown",
		"note fan_out SUM(t.total)",
	}},
	{"", "SELECT SUM(t.total * CASE WHEN t.n = 1 THEN 1 ELSE 0 END) FROM (SELECT o.id, o.total, ROW_NUMBER() OVER (PARTITION BY o.id ORDER BY i.id) AS n" +
		" FROM orders o JOIN items i ON i.order_id = o.id) t", []string{
		"join orders, items proved by foreign key",
		"SUM(t.total * CASE WHEN t.n = 1 THEN 1 ELSE 0 END) not_checked, repeats unknown, affected yes, by items",
		"ROW_NUMBER() OVER (PARTITION BY o.id ORDER BY i.id) not_checked, repeats unknown, affected unknown",
		"note fan_out SUM(t.total * CASE WHEN t.n = 1 THEN 1 ELSE 0 END)",
	}},
	{"", "SELECT SUM(o.total) FROM orders o JOIN (SELECT order_id, RANK() OVER w AS n FROM items" +
		" WINDOW v AS (PARTITION BY order_id, product_id), w AS (v ORDER BY id)) i ON i.order_id = o.id AND i.n = 1", []string{
		"join orders, i proved by foreign key",
		"SUM(o.total) contradicted, repeats yes, affected yes, by i",
		"RANK() OVER w not_checked, repeats unknown, affected unknown",
		"error fan_out SUM(o.total)",
	}},
	{"", "SELECT SUM(o.total) FROM orders o CROSS JOIN invoices s WHERE s.order_id = 5", []string{
		"join orders, invoices contradicted",
		"SUM(o.total) proved",
		"error cartesian invoices",
	}},
	{"", "SELECT SUM(o.total) FROM orders o CROSS JOIN parcels s WHERE s.id = 5", []string{
		"SUM(o.total) proved",
	}},
	{"", "SELECT SUM(o.total + i.quantity) FROM orders o JOIN items i ON i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"SUM(o.total + i.quantity) contradicted, repeats yes, affected yes, by items",
		"question fan_out SUM(o.total + i.quantity)",
	}},
	{"", "SELECT SUM(CASE WHEN i.quantity > 1 THEN o.total END) FROM orders o JOIN items i ON i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"SUM(CASE WHEN i.quantity > 1 THEN o.total END) contradicted, repeats yes, affected yes, by items",
		"error fan_out SUM(CASE WHEN i.quantity > 1 THEN o.total END)",
	}},
	{"", "SELECT SUM(CASE WHEN o.status = 'paid' THEN i.quantity ELSE 0 END) FROM orders o JOIN items i ON i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"SUM(CASE WHEN o.status = 'paid' THEN i.quantity ELSE 0 END) proved",
	}},
	{"", "SELECT COUNT(*) FROM orders o JOIN items i ON i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"COUNT(*) proved, counts items",
		"note count_rows COUNT(*)",
	}},
	{"", "SELECT COUNT(o.id) FROM orders o JOIN items i ON i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"COUNT(o.id) contradicted, repeats yes, affected yes, by items, counts items",
		"note count_rows COUNT(o.id)",
	}},
	{"", "SELECT COUNT(DISTINCT o.id) FROM orders o JOIN items i ON i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"COUNT(DISTINCT o.id) proved, repeats yes, by items",
	}},
	{"", "SELECT SUM(DISTINCT o.total) FROM orders o JOIN items i ON i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"SUM(DISTINCT o.total) contradicted, repeats yes, affected yes, by items",
		"error distinct_is_no_repair SUM(DISTINCT o.total)",
	}},
	{"", "SELECT MIN(o.total), MAX(o.total), AVG(o.total) FROM orders o JOIN items i ON i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"MIN(o.total) proved, repeats yes, by items",
		"MAX(o.total) proved, repeats yes, by items",
		"AVG(o.total) contradicted, repeats yes, affected yes, by items",
		"error fan_out AVG(o.total)",
	}},
	{"", "SELECT SUM(p.amount), SUM(i.quantity) FROM orders o JOIN items i ON i.order_id = o.id JOIN payments p ON p.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"join orders, payments proved by foreign key",
		"SUM(p.amount) contradicted, repeats yes, affected yes, by items",
		"SUM(i.quantity) contradicted, repeats yes, affected yes, by payments",
		"error chasm SUM(p.amount)",
		"error chasm SUM(i.quantity)",
	}},
	{"", "SELECT SUM(o.total), SUM(t.hours) FROM customers c JOIN orders o ON o.customer_id = c.id JOIN tickets t ON t.customer_id = c.id", []string{
		"join customers, orders proved by foreign key",
		"join customers, tickets proved by foreign key",
		"SUM(o.total) contradicted, repeats yes, affected yes, by tickets",
		"SUM(t.hours) contradicted, repeats yes, affected yes, by orders",
		"error chasm SUM(o.total)",
		"error chasm SUM(t.hours)",
	}},
	{"", "SELECT SUM(o.total), SUM(v.fee) FROM orders o JOIN invoices v ON v.order_id = o.id", []string{
		"join orders, invoices proved by foreign key",
		"SUM(o.total) proved",
		"SUM(v.fee) proved",
	}},
	{"", "SELECT o.id, SUM(i.quantity), SUM(p.amount) FROM orders o JOIN items i ON i.order_id = o.id JOIN payments p ON p.order_id = o.id GROUP BY o.id", []string{
		"join orders, items proved by foreign key",
		"join orders, payments proved by foreign key",
		"SUM(i.quantity) contradicted, repeats yes, affected yes, by payments",
		"SUM(p.amount) contradicted, repeats yes, affected yes, by items",
		"error chasm SUM(i.quantity)",
		"error chasm SUM(p.amount)",
	}},
	{"", "SELECT o.id, SUM(o.total) FROM orders o JOIN items i ON i.order_id = o.id GROUP BY o.id, i.id", []string{
		"join orders, items proved by foreign key",
		"SUM(o.total) proved",
	}},
	{"", "SELECT SUM(o.total) FROM orders o WHERE EXISTS (SELECT 1 FROM items i WHERE i.order_id = o.id)", []string{
		"join orders, items proved by foreign key",
		"SUM(o.total) proved",
	}},
	{"", "SELECT SUM(o.total) FROM orders o WHERE o.id IN (SELECT i.order_id FROM items i)", []string{
		"join orders, items proved by foreign key",
		"SUM(o.total) proved",
	}},
	{"", "SELECT SUM(o.total) FROM orders o, items i WHERE i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"SUM(o.total) contradicted, repeats yes, affected yes, by items",
		"error fan_out SUM(o.total)",
	}},
	{"", "SELECT SUM(o.total) FROM orders o, items i", []string{
		"join orders, items contradicted",
		"SUM(o.total) contradicted, repeats yes, affected yes, by items",
		"error cartesian items",
		"error chasm SUM(o.total)",
	}},
	{"", "SELECT SUM(o.total) FROM orders o JOIN (SELECT order_id, SUM(quantity) n FROM items GROUP BY order_id) q ON q.order_id = o.id", []string{
		"join orders, q proved by foreign key",
		"SUM(o.total) proved",
		"SUM(quantity) proved",
	}},
	{"", "SELECT SUM(o.total) FROM orders o JOIN (SELECT order_id, product_id, SUM(quantity) n FROM items GROUP BY order_id, product_id) q ON q.order_id = o.id", []string{
		"join orders, q proved by foreign key",
		"SUM(o.total) contradicted, repeats yes, affected yes, by q",
		"SUM(quantity) proved",
		"error fan_out SUM(o.total)",
	}},
	{"", "SELECT SUM(o.total) FROM orders o JOIN (SELECT DISTINCT order_id FROM items) q ON q.order_id = o.id", []string{
		"join orders, q proved by foreign key",
		"SUM(o.total) proved",
	}},
	{"", "SELECT SUM(o.total) FROM orders o JOIN (SELECT DISTINCT order_id, product_id FROM items) q ON q.order_id = o.id", []string{
		"join orders, q proved by foreign key",
		"SUM(o.total) contradicted, repeats yes, affected yes, by q",
		"error fan_out SUM(o.total)",
	}},
	{"", "SELECT SUM(q.total) FROM (SELECT DISTINCT o.id, o.total FROM orders o JOIN items i ON i.order_id = o.id) q", []string{
		"join orders, items proved by foreign key",
		"SUM(q.total) proved",
	}},
	{"", "SELECT SUM(q.total) FROM (SELECT DISTINCT o.total FROM orders o JOIN items i ON i.order_id = o.id) q", []string{
		"join orders, items proved by foreign key",
		"SUM(q.total) contradicted, affected yes",
		"error distinct_is_no_repair SUM(q.total)",
	}},
	{"", "SELECT SUM(o.total) FROM orders o JOIN (SELECT order_id, ROW_NUMBER() OVER (PARTITION BY order_id ORDER BY id) n FROM items) q ON q.order_id = o.id AND q.n = 1", []string{
		"join orders, q proved by foreign key",
		"SUM(o.total) proved",
		"ROW_NUMBER() OVER (PARTITION BY order_id ORDER BY id) not_checked, repeats unknown, affected unknown",
	}},
	{"", "SELECT SUM(o.total) FROM orders o JOIN (SELECT order_id, RANK() OVER (PARTITION BY order_id ORDER BY quantity) n FROM items) q ON q.order_id = o.id AND q.n = 1", []string{
		"join orders, q proved by foreign key",
		"SUM(o.total) contradicted, repeats yes, affected yes, by q",
		"RANK() OVER (PARTITION BY order_id ORDER BY quantity) not_checked, repeats unknown, affected unknown",
		"error fan_out SUM(o.total)",
	}},
	{"", "SELECT SUM(o.total) FROM orders o JOIN (SELECT order_id, ROW_NUMBER() OVER (PARTITION BY order_id, product_id ORDER BY id) n FROM items) q ON q.order_id = o.id AND q.n = 1", []string{
		"join orders, q proved by foreign key",
		"SUM(o.total) contradicted, repeats yes, affected yes, by q",
		"ROW_NUMBER() OVER (PARTITION BY order_id, product_id ORDER BY id) not_checked, repeats unknown, affected unknown",
		"error fan_out SUM(o.total)",
	}},
	{"", "SELECT SUM(o.total) FROM orders o CROSS JOIN (SELECT MAX(quantity) m FROM items) q", []string{
		"SUM(o.total) proved",
		"MAX(quantity) proved",
	}},
	{"", "SELECT SUM(o.total) FROM orders o CROSS JOIN (SELECT id FROM items ORDER BY id LIMIT 1) q", []string{
		"SUM(o.total) proved",
	}},
	{"", "SELECT SUM(p.list_price) FROM products p JOIN prices y ON y.product_id = p.id AND y.year = 2020", []string{
		"join products, prices proved by foreign key",
		"SUM(p.list_price) proved",
	}},
	{"", "SELECT SUM(p.list_price) FROM products p JOIN prices y ON y.product_id = p.id", []string{
		"join products, prices proved by foreign key",
		"SUM(p.list_price) contradicted, repeats yes, affected yes, by prices",
		"error fan_out SUM(p.list_price)",
	}},
	{"", "SELECT SUM(p.list_price) FROM products p JOIN prices y ON y.product_id = p.id AND (y.year = 2020 OR y.year = 2021)", []string{
		"join products, prices proved by foreign key",
		"SUM(p.list_price) contradicted, repeats yes, affected yes, by prices",
		"error fan_out SUM(p.list_price)",
	}},
	{"", "SELECT SUM(e.salary) FROM employees e JOIN employees m ON m.id = e.manager_id", []string{
		"join e, m proved by foreign key",
		"SUM(e.salary) not_checked, affected yes, by m",
		"note inner_join_optional employees e",
	}},
	{"", "SELECT SUM(m.salary) FROM employees m JOIN employees e ON e.manager_id = m.id", []string{
		"join m, e proved by foreign key",
		"SUM(m.salary) contradicted, repeats yes, affected yes, by e",
		"error fan_out SUM(m.salary)",
	}},
	{"", "SELECT SUM(c.credit) FROM customers c JOIN orders o ON o.customer_id = c.id AND o.id = 5", []string{
		"join customers, orders proved by foreign key",
		"SUM(c.credit) proved",
	}},
	{"", "SELECT SUM(o.total) FROM orders o JOIN customers c ON c.id = o.customer_id", []string{
		"join orders, customers proved by foreign key",
		"SUM(o.total) not_checked, affected yes, by customers",
		"note inner_join_optional orders",
	}},
	{"", "SELECT SUM(o.total) FROM orders o JOIN customers c ON c.email = o.code", []string{
		"join orders, customers contradicted",
		"SUM(o.total) not_checked, affected yes, by customers",
		"error join_unknown orders.code = customers.email",
		"note inner_join_optional orders",
	}},
	{"", "SELECT SUM(o.total) FROM orders o JOIN customers c ON c.city = o.code", []string{
		"join orders, customers contradicted",
		"SUM(o.total) contradicted, repeats yes, affected yes, by customers",
		"question chasm SUM(o.total)",
		"question join_unknown orders.code = customers.city",
	}},
	{"", "SELECT SUM(o.total) FROM orders o JOIN customers c ON c.id = o.seller_id", []string{
		"join orders, customers contradicted",
		"SUM(o.total) not_checked, affected yes, by customers",
		"error join_unknown orders.seller_id = customers.id",
		"note inner_join_optional orders",
	}},
	{"", "SELECT SUM(i.quantity) FROM items i JOIN orders o ON o.id = i.product_id", []string{
		"join items, orders contradicted",
		"SUM(i.quantity) proved",
		"error join_unknown items.product_id = orders.id",
	}},
	{"", "SELECT SUM(o.total) FROM orders o JOIN log l ON l.order_id = o.id", []string{
		"join orders, log contradicted",
		"SUM(o.total) not_checked, repeats unknown, affected unknown, by log",
		"question join_unknown orders.id = log.order_id",
		"note fan_out SUM(o.total)",
	}},
	{"", "SELECT SUM(q.s) FROM (SELECT customer_id, SUM(total) s FROM orders GROUP BY customer_id) q", []string{
		"SUM(q.s) proved",
		"SUM(total) proved",
	}},
	{"", "SELECT c.name, SUM(o.total) FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY c.id", []string{
		"join customers, orders proved by foreign key",
		"c.name proved",
		"SUM(o.total) proved",
	}},
	{"", "SELECT o.customer_id, o.status, SUM(o.total) FROM orders o GROUP BY o.customer_id", []string{
		"o.status contradicted, affected yes",
		"SUM(o.total) proved",
		"question bare_column o.status",
	}},
	{"", "SELECT SUM(o.total) OVER (PARTITION BY o.customer_id) FROM orders o JOIN items i ON i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"SUM(o.total) OVER (PARTITION BY o.customer_id) contradicted, repeats yes, affected yes, by items",
		"error fan_out SUM(o.total) OVER (PARTITION BY o.customer_id)",
	}},
	{"", "SELECT SUM(i.quantity) OVER (PARTITION BY i.order_id) FROM orders o JOIN items i ON i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"SUM(i.quantity) OVER (PARTITION BY i.order_id) proved",
	}},
	{"", "SELECT o.id, (SELECT SUM(i.quantity) FROM items i WHERE i.order_id = o.id) FROM orders o", []string{
		"join orders, items proved by foreign key",
		"SUM(i.quantity) proved",
	}},
	{"", "SELECT o.id, (SELECT SUM(p.amount) FROM items i JOIN payments p ON p.order_id = i.order_id WHERE i.order_id = o.id) FROM orders o", []string{
		"join items, payments proved by both refer to orders",
		"join orders, items proved by foreign key",
		"SUM(p.amount) contradicted, repeats yes, affected yes, by items",
		"error chasm SUM(p.amount)",
	}},
	{"", "SELECT COUNT(*) FROM orders ORDER BY 1", []string{
		"COUNT(*) proved, counts orders",
	}},
	{"", "SELECT SUM(r.amount) FROM returns r JOIN prices p ON p.product_id = r.product_id", []string{
		"join returns, prices contradicted",
		"SUM(r.amount) contradicted, repeats yes, affected yes, by prices",
		"error chasm SUM(r.amount)",
		"error join_partial returns.product_id = prices.product_id",
	}},
	{"", "SELECT SUM(r.amount) FROM returns r JOIN prices p ON p.product_id = r.product_id AND p.year = r.year", []string{
		"join returns, prices proved by foreign key",
		"SUM(r.amount) proved",
	}},
	{"", "SELECT SUM(r.amount) FROM returns r JOIN prices p USING (product_id, year)", []string{
		"join returns, prices proved by foreign key",
		"SUM(r.amount) proved",
	}},
	{"", "SELECT SUM(r.amount) FROM returns r JOIN prices p ON (p.product_id, p.year) = (r.product_id, r.year)", []string{
		"join returns, prices proved by foreign key",
		"SUM(r.amount) proved",
	}},
	{"", "SELECT SUM(o.total) FROM customers c JOIN orders o ON o.customer_id = c.id JOIN employees e ON e.id = o.seller_id GROUP BY e.id", []string{
		"join customers, orders proved by foreign key",
		"join orders, employees proved by foreign key",
		"SUM(o.total) not_checked, affected yes, by customers",
		"note inner_join_optional orders",
	}},
	{"", "SELECT COUNT(*) FROM customers c JOIN orders o ON o.customer_id = c.id JOIN items i ON i.order_id = o.id JOIN payments p ON p.order_id = o.id", []string{
		"join customers, orders proved by foreign key",
		"join orders, items proved by foreign key",
		"join orders, payments proved by foreign key",
		"COUNT(*) not_checked, repeats unknown, affected unknown",
		"note count_rows COUNT(*)",
	}},
	{"", "SELECT SUM(a.s), SUM(b.h) FROM customers c LEFT JOIN (SELECT customer_id, SUM(total) s FROM orders GROUP BY customer_id) a ON a.customer_id = c.id LEFT JOIN (SELECT customer_id, SUM(hours) h FROM tickets GROUP BY customer_id) b ON b.customer_id = c.id", []string{
		"join customers, a proved by foreign key",
		"join customers, b proved by foreign key",
		"SUM(a.s) proved",
		"SUM(b.h) proved",
		"SUM(total) proved",
		"SUM(hours) proved",
	}},
	{"", "WITH a AS (SELECT o.id, o.total FROM orders o JOIN items i ON i.order_id = o.id) SELECT SUM(total) FROM a", []string{
		"join orders, items proved by foreign key",
		"SUM(total) contradicted, repeats yes, affected yes, by items",
		"error fan_out SUM(total)",
	}},
	{"", "WITH a AS (SELECT o.id, MAX(o.total) total FROM orders o JOIN items i ON i.order_id = o.id GROUP BY o.id) SELECT SUM(total) FROM a", []string{
		"join orders, items proved by foreign key",
		"MAX(o.total) proved, repeats yes, by items",
		"SUM(total) proved",
	}},
	{"", "SELECT SUM(DISTINCT i.quantity) FROM items i", []string{
		"SUM(DISTINCT i.quantity) proved",
	}},
	{"", "SELECT COUNT(DISTINCT o.customer_id) FROM orders o JOIN items i ON i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"COUNT(DISTINCT o.customer_id) proved, repeats yes, by items",
	}},
	{"", "SELECT o.status, COUNT(*) FROM orders o GROUP BY o.status HAVING COUNT(*) > 1", []string{
		"COUNT(*) proved, counts orders",
		"COUNT(*) proved, counts orders",
	}},
	{"", "SELECT o.status, COUNT(*) FROM orders o GROUP BY 1", []string{
		"COUNT(*) proved, counts orders",
	}},
	{"", "SELECT SUM(o.total) FROM orders o JOIN items i ON i.order_id = o.id AND i.id = 3", []string{
		"join orders, items proved by foreign key",
		"SUM(o.total) proved",
	}},
	{"", "SELECT SUM(o.total) FROM orders o JOIN items i ON i.order_id = o.id WHERE i.id = (SELECT MAX(id) FROM items)", []string{
		"join orders, items proved by foreign key",
		"SUM(o.total) proved",
		"MAX(id) proved",
	}},
	{"", "SELECT SUM(o.total) FROM orders o JOIN items i ON i.order_id = o.id WHERE i.id = (SELECT MAX(id) FROM items x WHERE x.order_id = o.id)", []string{
		"join orders, items proved by foreign key",
		"join orders, items proved by foreign key",
		"SUM(o.total) proved",
		"MAX(id) proved",
	}},
	{"", "SELECT SUM(o.total) FROM orders o JOIN items i ON i.order_id = o.id WHERE i.quantity = (SELECT MAX(quantity) FROM items x WHERE x.order_id = o.id)", []string{
		"join orders, items proved by foreign key",
		"join orders, items proved by foreign key",
		"SUM(o.total) contradicted, repeats yes, affected yes, by items",
		"MAX(quantity) proved",
		"question fan_out SUM(o.total)",
	}},
	{"", "SELECT SUM(o.total) FROM orders o JOIN customers c ON lower(c.email) = lower(o.code)", []string{
		"join orders, customers not_checked",
		"SUM(o.total) contradicted, repeats yes, affected yes, by customers",
		"error chasm SUM(o.total)",
	}},
	{"", "SELECT SUM(c.credit) FROM customers c JOIN orders o ON c.id = o.customer_id OR c.email = o.code", []string{
		"join customers, orders not_checked",
		"SUM(c.credit) contradicted, repeats yes, affected yes, by orders",
		"error chasm SUM(c.credit)",
	}},
	{"", "SELECT COUNT(*) FROM customers c JOIN customers d ON d.city = c.city", []string{
		"join c, d proved by the same column of the same table",
		"COUNT(*) not_checked, repeats unknown, affected unknown",
		"note count_rows COUNT(*)",
	}},
	{"", "SELECT COUNT(*) FROM orders WHERE NOT EXISTS (SELECT 1 FROM items i WHERE i.order_id = orders.id)", []string{
		"join orders, items proved by foreign key",
		"COUNT(*) proved, counts orders",
	}},
	{"", "SELECT o.id, c.name FROM orders o JOIN customers c ON c.id = o.customer_id", []string{
		"join orders, customers proved by foreign key",
		"note inner_join_optional orders",
	}},
	{"", "SELECT i.id, p.name FROM items i JOIN products p ON p.id = i.product_id", []string{
		"join items, products proved by foreign key",
	}},
	{"", "SELECT c.name, i.id FROM customers c, items i", []string{
		"join customers, items contradicted",
		"question cartesian items",
	}},
	{"", "SELECT AVG(total) FROM orders", []string{
		"AVG(total) proved",
	}},
	{"sqlite postgres", "SELECT SUM(o.total) FROM orders o JOIN items i ON i.order_id IS NOT DISTINCT FROM o.id", []string{
		"join orders, items proved by foreign key",
		"SUM(o.total) contradicted, repeats yes, affected yes, by items",
		"error fan_out SUM(o.total)",
	}},
	{"", "SELECT SUM(o.total) FROM orders o NATURAL JOIN payments p", []string{
		"join orders, payments contradicted",
		"SUM(o.total) proved",
		"error join_unknown orders.id = payments.id",
	}},
	{"sqlite postgres", "SELECT SUM(o.total) FILTER (WHERE i.quantity > 1) FROM orders o JOIN items i ON i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"SUM(o.total) FILTER (WHERE i.quantity > 1) contradicted, repeats yes, affected yes, by items",
		"error fan_out SUM(o.total) FILTER (WHERE i.quantity > 1)",
	}},
	{"sqlite postgres", "SELECT string_agg(o.status, ',' ORDER BY i.id) FROM orders o JOIN items i ON i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"string_agg(o.status, ',' ORDER BY i.id) contradicted, repeats yes, affected yes, by items",
		"error fan_out string_agg(o.status, ',' ORDER BY i.id)",
	}},
	{"sqlite mysql", "SELECT group_concat(o.status) FROM orders o JOIN items i ON i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"group_concat(o.status) contradicted, repeats yes, affected yes, by items",
		"error fan_out group_concat(o.status)",
	}},
	{"postgres", "SELECT SUM(q.total) FROM (SELECT DISTINCT ON (o.id) o.id, o.total FROM orders o JOIN items i ON i.order_id = o.id ORDER BY o.id, i.id) q", []string{
		"join orders, items proved by foreign key",
		"SUM(q.total) proved",
	}},
	{"mysql postgres", "SELECT SUM(o.total), SUM(l.n) FROM orders o CROSS JOIN LATERAL (SELECT COUNT(*) n FROM items i WHERE i.order_id = o.id) l", []string{
		"join orders, items proved by foreign key",
		"SUM(o.total) proved",
		"SUM(l.n) proved",
		"COUNT(*) proved, counts items",
	}},
	{"mysql postgres", "SELECT SUM(o.total) FROM orders o CROSS JOIN LATERAL (SELECT i.id FROM items i WHERE i.order_id = o.id) l", []string{
		"join orders, items proved by foreign key",
		"SUM(o.total) contradicted, repeats yes, affected yes, by l",
		"error fan_out SUM(o.total)",
	}},
	{"postgres", "SELECT o.status, SUM(o.total) FROM orders o JOIN items i ON i.order_id = o.id GROUP BY ROLLUP (o.status)", []string{
		"join orders, items proved by foreign key",
		"SUM(o.total) contradicted, repeats yes, affected yes, by items",
		"error fan_out SUM(o.total)",
	}},
	{"mysql", "SELECT SUM(o.total) FROM orders o JOIN invoices v ON v.order_id <=> o.id", []string{
		"join orders, invoices proved by foreign key",
		"SUM(o.total) proved",
	}},
	{"postgres", "SELECT SUM(o.total) FROM orders o JOIN invoices v ON v.order_id <=> o.id", []string{
		"join orders, invoices not_checked",
		"SUM(o.total) contradicted, repeats yes, affected yes, by invoices",
		"error chasm SUM(o.total)",
	}},
	{"", "SELECT o.id FROM orders o, customers c WHERE o.customer_id = c.id AND c.city = 'x'", []string{
		"join orders, customers proved by foreign key",
	}},
	{"sqlite mysql", "SELECT COUNT(*) FROM customers c JOIN orders o JOIN items i ON i.order_id = o.id", []string{
		"join customers, orders contradicted",
		"join orders, items proved by foreign key",
		"COUNT(*) not_checked, repeats unknown, affected unknown",
		"error cartesian orders",
		"note count_rows COUNT(*)",
	}},
	{"", "SELECT COUNT(*) FROM customers c JOIN orders o ON c.city = 'x'", []string{
		"join customers, orders contradicted",
		"COUNT(*) not_checked, repeats unknown, affected unknown",
		"error cartesian orders",
		"note count_rows COUNT(*)",
	}},
	{"", "SELECT SUM(o.total) FROM customers c JOIN orders o USING (id)", []string{
		"join customers, orders contradicted",
		"SUM(o.total) proved",
		"error join_unknown customers.id = orders.id",
	}},
	{"sqlite", "SELECT o.id, MAX(i.price), i.quantity FROM orders o JOIN items i ON i.order_id = o.id GROUP BY o.id", []string{
		"join orders, items proved by foreign key",
		"MAX(i.price) proved",
		"i.quantity proved",
	}},
	{"mysql postgres", "SELECT o.id, MAX(i.price), i.quantity FROM orders o JOIN items i ON i.order_id = o.id GROUP BY o.id", []string{
		"join orders, items proved by foreign key",
		"MAX(i.price) proved",
		"i.quantity contradicted, affected yes",
		"question bare_column i.quantity",
	}},

	// outer joins
	{"", "SELECT SUM(o.total), SUM(i.quantity) FROM orders o LEFT JOIN items i ON i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"SUM(o.total) contradicted, repeats yes, affected yes, by items",
		"SUM(i.quantity) proved",
		"error fan_out SUM(o.total)",
	}},
	{"", "SELECT COUNT(*) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id", []string{
		"join customers, orders proved by foreign key",
		"COUNT(*) proved",
		"note count_outer COUNT(*)",
	}},
	{"", "SELECT COUNT(*) FROM orders o LEFT JOIN customers c ON c.id = o.customer_id", []string{
		"join orders, customers proved by foreign key",
		"COUNT(*) proved, counts orders",
		"note count_rows COUNT(*)",
	}},
	{"", "SELECT COUNT(o.id) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id", []string{
		"join customers, orders proved by foreign key",
		"COUNT(o.id) proved, counts orders",
	}},
	{"", "SELECT SUM(o.total) FROM orders o LEFT JOIN items i ON i.order_id = o.id WHERE i.id IS NULL", []string{
		"join orders, items proved by foreign key",
		"SUM(o.total) proved",
	}},
	{"", "SELECT SUM(o.total) FROM orders o LEFT JOIN items i ON i.order_id = o.id WHERE i.id IS NOT NULL", []string{
		"join orders, items proved by foreign key",
		"SUM(o.total) contradicted, repeats yes, affected yes, by items",
		"error fan_out SUM(o.total)",
		"note outer_join_undone items",
	}},
	{"", "SELECT SUM(o.total) FROM orders o LEFT JOIN customers c ON c.id = o.customer_id", []string{
		"join orders, customers proved by foreign key",
		"SUM(o.total) proved",
	}},
	{"", "SELECT COUNT(*) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.status = 'paid'", []string{
		"join customers, orders proved by foreign key",
		"COUNT(*) not_checked, affected yes, by customers, counts orders",
		"note count_rows COUNT(*)",
		"note inner_join_optional orders",
		"note outer_join_undone orders",
	}},
	{"", "SELECT COUNT(*) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id AND o.status = 'paid'", []string{
		"join customers, orders proved by foreign key",
		"COUNT(*) proved",
		"note count_outer COUNT(*)",
	}},
	{"", "SELECT SUM(o.total) FROM orders o RIGHT JOIN items i ON i.order_id = o.id", []string{
		"join orders, items proved by foreign key",
		"SUM(o.total) contradicted, repeats yes, affected yes, by items",
		"error fan_out SUM(o.total)",
	}},
	{"", "SELECT c.name FROM customers c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.id IS NULL", []string{
		"join customers, orders proved by foreign key",
	}},
	{"", "SELECT c.name FROM customers c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.total > 5", []string{
		"join customers, orders proved by foreign key",
		"note inner_join_optional orders",
		"note outer_join_undone orders",
	}},
	{"", "SELECT c.name FROM customers c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.total > 5 OR o.id IS NULL", []string{
		"join customers, orders proved by foreign key",
	}},
	{"", "SELECT c.name FROM customers c LEFT JOIN orders o ON o.customer_id = c.id WHERE coalesce(o.total, 0) < 5", []string{
		"join customers, orders proved by foreign key",
	}},
	{"", "SELECT c.id, COUNT(o.id) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id LEFT JOIN items i ON i.order_id = o.id GROUP BY c.id", []string{
		"join customers, orders proved by foreign key",
		"join orders, items proved by foreign key",
		"COUNT(o.id) contradicted, repeats yes, affected yes, by items",
		"note count_rows COUNT(o.id)",
	}},
	{"", "SELECT c.id, COUNT(i.id) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id JOIN items i ON i.order_id = o.id GROUP BY c.id", []string{
		"join customers, orders proved by foreign key",
		"join orders, items proved by foreign key",
		"COUNT(i.id) proved, counts items",
		"note outer_join_undone orders",
	}},
	{"", "SELECT c.id, COUNT(i.id) FROM customers c LEFT JOIN (orders o JOIN items i ON i.order_id = o.id) ON o.customer_id = c.id GROUP BY c.id", []string{
		"join orders, items proved by foreign key",
		"join customers, orders proved by foreign key",
		"COUNT(i.id) proved, counts items",
	}},

	{"", "SELECT SUM(o.total) FROM orders o JOIN customers c ON c.email = o.seller_id", []string{
		"join orders, customers contradicted",
		"SUM(o.total) contradicted, repeats yes, affected yes, by customers",
		"error chasm SUM(o.total)",
		"error join_unknown orders.seller_id = customers.email",
		"question join_type o.seller_id, c.email",
	}},
	{"", "SELECT SUM(c.credit) FROM customers c JOIN orders o ON o.customer_id = c.id AND o.id = (SELECT MAX(x.id) FROM orders x WHERE x.customer_id = c.id)", []string{
		"join customers, orders proved by foreign key",
		"join customers, orders proved by foreign key",
		"SUM(c.credit) proved",
		"MAX(x.id) proved",
	}},
	{"sqlite postgres", "SELECT SUM(c.credit) FROM customers c JOIN orders o ON o.customer_id = c.id AND o.id = (SELECT x.id FROM orders x WHERE x.customer_id = c.id ORDER BY x.total LIMIT 1)", []string{
		"join customers, orders proved by foreign key",
		"join o, x proved by the same column of the same table",
		"join customers, orders proved by foreign key",
		"SUM(c.credit) proved",
	}},

	{"", "SELECT SUM(c.credit) FROM customers c LEFT JOIN (orders o LEFT JOIN items i ON i.order_id = o.id) ON o.customer_id = c.id WHERE i.id IS NULL", []string{
		"join orders, items proved by foreign key",
		"join customers, orders proved by foreign key",
		"SUM(c.credit) contradicted, repeats yes, affected yes, by orders",
		"error fan_out SUM(c.credit)",
	}},
	{"", "SELECT SUM(o.total) FROM orders o LEFT JOIN items i ON i.order_id = o.id LEFT JOIN payments p ON p.order_id = o.id WHERE i.id IS NULL AND p.id IS NULL", []string{
		"join orders, items proved by foreign key",
		"join orders, payments proved by foreign key",
		"SUM(o.total) proved",
	}},

	// set operations and recursion
	{"", "SELECT SUM(u.total) FROM (SELECT id, total FROM orders UNION ALL SELECT id, amount FROM payments) u", []string{
		"SUM(u.total) proved",
	}},
	{"", "SELECT SUM(u.total) FROM (SELECT total FROM orders UNION SELECT amount FROM payments) u", []string{
		"SUM(u.total) contradicted, affected yes",
		"error union_dedup SUM(u.total)",
	}},
	{"", "SELECT COUNT(*) FROM (SELECT customer_id FROM orders UNION SELECT customer_id FROM tickets) u", []string{
		"COUNT(*) proved, counts u",
	}},
	{"", "WITH RECURSIVE up AS (SELECT id, manager_id FROM employees WHERE id = 1 UNION ALL SELECT e.id, e.manager_id FROM employees e JOIN up ON e.id = up.manager_id) SELECT COUNT(*) FROM up", []string{
		"join employees, up not_checked",
		"COUNT(*) not_checked, repeats unknown, affected unknown, counts up",
	}},
	{"", "SELECT SUM(u.total) FROM (SELECT id, total FROM orders UNION SELECT id, amount FROM payments) u", []string{
		"SUM(u.total) contradicted, affected yes",
		"question union_dedup SUM(u.total)",
	}},
	{"", "SELECT SUM(u.total) FROM (SELECT 'o' AS k, id, total FROM orders UNION SELECT 'p', id, amount FROM payments) u", []string{
		"SUM(u.total) proved",
	}},
	{"", "SELECT MAX(u.total) FROM (SELECT total FROM orders UNION SELECT amount FROM payments) u", []string{
		"MAX(u.total) proved",
	}},

	{"", "SELECT SUM(u.total) FROM (SELECT DISTINCT total FROM orders UNION ALL SELECT amount FROM payments) u", []string{
		"SUM(u.total) contradicted, affected yes",
		"error distinct_is_no_repair SUM(u.total)",
	}},
	{"", "SELECT SUM(u.total) FROM (SELECT DISTINCT 'o' AS k, total FROM orders UNION SELECT 'p', amount FROM payments) u", []string{
		"SUM(u.total) contradicted, affected yes",
		"error union_dedup SUM(u.total)",
	}},
	{"", "SELECT SUM(u.total) FROM (SELECT total FROM orders EXCEPT SELECT amount FROM payments) u", []string{
		"SUM(u.total) contradicted, affected yes",
		"error distinct_is_no_repair SUM(u.total)",
	}},
	{"", "SELECT SUM(u.total) FROM (SELECT id, total FROM orders EXCEPT SELECT id, amount FROM payments) u", []string{
		"SUM(u.total) proved",
	}},
	{"", "SELECT SUM(u.total) FROM (SELECT o.total FROM orders o JOIN items i ON i.order_id = o.id UNION SELECT amount FROM payments) u", []string{
		"join orders, items proved by foreign key",
		"SUM(u.total) contradicted, repeats yes, affected yes, by items",
		"error fan_out SUM(u.total)",
	}},
	{"", "SELECT SUM(w.total) FROM (SELECT u.total FROM (SELECT DISTINCT total FROM orders) u ORDER BY u.total LIMIT 5) w", []string{
		"SUM(w.total) contradicted, affected yes",
		"error distinct_is_no_repair SUM(w.total)",
	}},

	// NULL
	{"", "SELECT COUNT(*) FROM orders WHERE customer_id NOT IN (SELECT seller_id FROM orders)", []string{
		"join orders, orders contradicted",
		"COUNT(*) proved, counts orders",
		"question join_unknown orders.customer_id = orders.seller_id",
		"question not_in_null orders.seller_id",
	}},
	{"", "SELECT COUNT(*) FROM orders WHERE customer_id NOT IN (SELECT id FROM customers)", []string{
		"join orders, customers proved by foreign key",
		"COUNT(*) proved, counts orders",
	}},
	{"", "SELECT COUNT(*) FROM orders WHERE customer_id NOT IN (SELECT seller_id FROM orders WHERE seller_id IS NOT NULL)", []string{
		"join orders, orders contradicted",
		"COUNT(*) proved, counts orders",
		"question join_unknown orders.customer_id = orders.seller_id",
	}},
	{"", "SELECT COUNT(*) FROM orders WHERE customer_id = NULL", []string{
		"COUNT(*) proved, counts orders",
		"error null_compare",
	}},
	{"", "SELECT COUNT(*) FROM orders WHERE customer_id <> NULL", []string{
		"COUNT(*) proved, counts orders",
		"error null_compare",
	}},
	{"", "SELECT COUNT(*) FROM orders WHERE id NOT IN (1, NULL)", []string{
		"COUNT(*) proved, counts orders",
		"error null_compare",
	}},
	{"", "SELECT o.id FROM orders o WHERE o.customer_id NOT IN (SELECT c.id FROM customers c LEFT JOIN orders x ON x.customer_id = c.id)", []string{
		"join orders, customers proved by foreign key",
		"join customers, orders proved by foreign key",
	}},
	{"", "SELECT o.id FROM orders o WHERE o.id NOT IN (SELECT p.order_id FROM payments p)", []string{
		"join orders, payments proved by foreign key",
	}},
	{"", "SELECT c.id FROM customers c WHERE c.id NOT IN (SELECT o.customer_id FROM orders o)", []string{
		"join customers, orders proved by foreign key",
		"question not_in_null o.customer_id",
	}},
	{"", "SELECT c.id FROM customers c WHERE c.id NOT IN (SELECT o.customer_id FROM orders o WHERE o.customer_id > 5)", []string{
		"join customers, orders proved by foreign key",
	}},
	{"", "SELECT c.id FROM customers c WHERE c.id NOT IN (SELECT o.customer_id FROM orders o JOIN customers d ON d.id = o.customer_id)", []string{
		"join customers, orders proved by foreign key",
		"join orders, customers proved by foreign key",
		"note inner_join_optional orders",
	}},
	{"", "SELECT c.id FROM customers c WHERE c.id NOT IN (SELECT MAX(o.customer_id) FROM orders o GROUP BY o.status)", []string{
		"MAX(o.customer_id) proved",
	}},
	{"", "SELECT c.id FROM customers c WHERE NOT (c.id IN (SELECT o.customer_id FROM orders o))", []string{
		"join customers, orders proved by foreign key",
		"question not_in_null o.customer_id",
	}},
	{"mysql postgres", "SELECT c.id FROM customers c WHERE c.id <> ALL (SELECT o.customer_id FROM orders o)", []string{
		"join customers, orders proved by foreign key",
		"question not_in_null o.customer_id",
	}},
	{"", "SELECT c.id FROM customers c WHERE c.id NOT IN (SELECT o.customer_id FROM orders o UNION SELECT t.customer_id FROM tickets t)", []string{
		"join customers, orders proved by foreign key",
		"join customers, tickets proved by foreign key",
		"question not_in_null a value of the subquery",
	}},

	// days and times
	{"", "SELECT COUNT(*) FROM orders WHERE placed <= '2026-01-31'", []string{
		"COUNT(*) proved, counts orders",
		"question date_boundary orders.placed",
	}},
	{"", "SELECT COUNT(*) FROM orders WHERE placed BETWEEN '2026-01-01' AND '2026-01-31'", []string{
		"COUNT(*) proved, counts orders",
		"question date_boundary orders.placed",
	}},
	{"", "SELECT COUNT(*) FROM orders WHERE placed < '2026-02-01'", []string{
		"COUNT(*) proved, counts orders",
	}},
	{"", "SELECT COUNT(*) FROM orders WHERE day <= '2026-01-31'", []string{
		"COUNT(*) proved, counts orders",
	}},
	{"", "SELECT COUNT(*) FROM orders WHERE '2026-01-31' >= placed", []string{
		"COUNT(*) proved, counts orders",
		"question date_boundary orders.placed",
	}},
	{"", "SELECT COUNT(*) FROM orders WHERE placed <= '2026-01-31 23:59:59'", []string{
		"COUNT(*) proved, counts orders",
	}},
	{"", "SELECT o.id FROM orders o WHERE o.placed = '2026-01-31'", []string{
		"note date_boundary o.placed",
	}},
	{"", "SELECT o.id FROM orders o WHERE o.placed = '2026-01-31 12:00:00' OR o.day = '2026-01-31'", nil},
	{"mysql", "SELECT o.id FROM orders o WHERE o.status = 0", []string{
		"question type_mismatch o.status",
	}},
	{"mysql", "SELECT o.id FROM orders o WHERE o.status = '0' AND o.total = 0", nil},
	{"sqlite", "SELECT o.id FROM orders o WHERE o.status = 0", nil}, // compared as texts
	{"mysql postgres", "SELECT o.id FROM orders o WHERE o.placed BETWEEN DATE '2026-01-01' AND DATE '2026-01-31'", []string{
		"question date_boundary o.placed",
	}},
	{"mysql postgres", "SELECT o.id FROM orders o WHERE o.placed <= DATE '2026-01-31'", []string{
		"question date_boundary o.placed",
	}},
	{"", "SELECT o.id FROM orders o WHERE o.day BETWEEN '2026-01-01' AND '2026-01-31'", []string{}},
	{"", "SELECT o.id FROM orders o WHERE date(o.placed) <= '2026-01-31'", []string{}},
	{"", "SELECT o.id FROM orders o WHERE CAST(o.placed AS date) <= '2026-01-31'", []string{}},
	{"", "SELECT c.id, COUNT(o.id) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.placed > '2026-01-01' GROUP BY c.id", []string{
		"join customers, orders proved by foreign key",
		"COUNT(o.id) proved, counts orders",
		"note outer_join_undone orders",
	}},
	{"", "SELECT COUNT(*) FROM orders WHERE day = '2026-01-31'", []string{
		"COUNT(*) proved, counts orders",
	}},

	// types
	{"", "SELECT COUNT(*) FROM orders WHERE total = 'many'", []string{
		"COUNT(*) proved, counts orders",
		"error type_mismatch orders.total",
	}},
	{"", "SELECT COUNT(*) FROM orders WHERE total = '5'", []string{
		"COUNT(*) proved, counts orders",
	}},
	{"", "SELECT COUNT(*) FROM customers WHERE credit IN ('NaN', '-Infinity', 'inf') OR credit = ' infinity'", []string{
		"COUNT(*) proved, counts customers",
	}},
	{"", "SELECT COUNT(*) FROM customers WHERE credit = 'infinite'", []string{
		"COUNT(*) proved, counts customers",
		"error type_mismatch customers.credit",
	}},
	{"", "SELECT COUNT(*) FROM orders WHERE code > 5", []string{
		"COUNT(*) proved, counts orders",
		"question text_order orders.code",
	}},
	{"", "SELECT COUNT(*) FROM orders WHERE code = 5", []string{
		"COUNT(*) proved, counts orders",
	}},
	{"", "SELECT COUNT(*) FROM orders o JOIN customers c ON c.city = o.seller_id", []string{
		"join orders, customers contradicted",
		"COUNT(*) not_checked, repeats unknown, affected unknown",
		"error join_unknown orders.seller_id = customers.city",
		"question join_type o.seller_id, c.city",
		"note count_rows COUNT(*)",
	}},
	{"", "SELECT COUNT(*) FROM orders o JOIN customers c ON c.name = o.total", []string{
		"join orders, customers contradicted",
		"COUNT(*) not_checked, repeats unknown, affected unknown",
		"question join_unknown orders.total = customers.name",
		"question join_type o.total, c.name",
		"note count_rows COUNT(*)",
	}},
	{"", "SELECT COUNT(*) FROM orders WHERE code BETWEEN 1 AND 5", []string{
		"COUNT(*) proved, counts orders",
		"question text_order orders.code",
	}},
	{"", "SELECT id FROM orders ORDER BY code", []string{}},
	{"", "SELECT COUNT(*) FROM orders WHERE status = 5", []string{
		"COUNT(*) proved, counts orders",
	}},
	{"", "SELECT COUNT(*) FROM orders WHERE code >= '10'", []string{
		"COUNT(*) proved, counts orders",
	}},
	{"", "SELECT COUNT(*) FROM orders WHERE customer_id IN ('a', 'b')", []string{
		"COUNT(*) proved, counts orders",
		"error type_mismatch orders.customer_id",
		"error type_mismatch orders.customer_id",
	}},
	{"", "SELECT COUNT(*) FROM orders WHERE customer_id = ''", []string{
		"COUNT(*) proved, counts orders",
		"error type_mismatch orders.customer_id",
	}},
	{"", "SELECT COUNT(*) FROM orders WHERE customer_id LIKE '1%'", []string{
		"COUNT(*) proved, counts orders",
	}},
	{"", "SELECT MAX(code) FROM orders", []string{
		"MAX(code) proved",
	}},

	// divisions
	{"sqlite postgres", "SELECT COUNT(id) / COUNT(*) FROM orders", []string{
		"COUNT(id) proved, counts orders",
		"COUNT(*) proved, counts orders",
		"error integer_division count(orders.id) / count(*)",
	}},
	{"mysql", "SELECT COUNT(id) / COUNT(*) FROM orders", []string{
		"COUNT(id) proved, counts orders",
		"COUNT(*) proved, counts orders",
	}},
	{"", "SELECT 1.0 * COUNT(id) / COUNT(*) FROM orders", []string{
		"COUNT(id) proved, counts orders",
		"COUNT(*) proved, counts orders",
	}},
	{"sqlite postgres", "SELECT SUM(total) / COUNT(*) FROM orders", []string{
		"SUM(total) proved",
		"COUNT(*) proved, counts orders",
		"error integer_division sum(orders.total) / count(*)",
	}},
	{"mysql", "SELECT SUM(total) / COUNT(*) FROM orders", []string{
		"SUM(total) proved",
		"COUNT(*) proved, counts orders",
	}},
	{"", "SELECT total / 10 FROM orders", []string{}},
	{"sqlite postgres", "SELECT id, quantity / order_id, price / quantity FROM items", []string{
		"question integer_division items.quantity / items.order_id",
	}},
	{"sqlite", "SELECT SUM(r.amount) / COUNT(*) FROM returns r", []string{
		"SUM(r.amount) proved",
		"COUNT(*) proved, counts returns",
		"error integer_division sum(r.amount) / count(*)",
	}},
	{"mysql postgres", "SELECT SUM(r.amount) / COUNT(*) FROM returns r", []string{
		"SUM(r.amount) proved",
		"COUNT(*) proved, counts returns",
	}},
	{"sqlite postgres", "SELECT SUM(1) / COUNT(*) FROM returns r", []string{
		"SUM(1) proved, counts returns",
		"COUNT(*) proved, counts returns",
		"error integer_division sum(1) / count(*)",
	}},
	{"mysql", "SELECT SUM(1) / COUNT(*) FROM returns r", []string{
		"SUM(1) proved, counts returns",
		"COUNT(*) proved, counts returns",
	}},
	{"sqlite", "SELECT SUM(q.n) / COUNT(*) FROM (SELECT order_id, COUNT(*) n FROM items GROUP BY order_id) q", []string{
		"SUM(q.n) proved",
		"COUNT(*) proved, counts q",
		"COUNT(*) proved, counts items",
		"error integer_division sum(q.n) / count(*)",
	}},
	{"mysql postgres", "SELECT SUM(q.n) / COUNT(*) FROM (SELECT order_id, COUNT(*) n FROM items GROUP BY order_id) q", []string{
		"SUM(q.n) proved",
		"COUNT(*) proved, counts q",
		"COUNT(*) proved, counts items",
	}},
	{"sqlite postgres", "SELECT round(COUNT(id) * 100 / COUNT(*), 2) FROM orders", []string{
		"COUNT(id) proved, counts orders",
		"COUNT(*) proved, counts orders",
		"error integer_division ... / count(*)",
	}},
	{"mysql", "SELECT round(COUNT(id) * 100 / COUNT(*), 2) FROM orders", []string{
		"COUNT(id) proved, counts orders",
		"COUNT(*) proved, counts orders",
	}},
	{"", "SELECT COUNT(id) * 1.0 / COUNT(*) FROM orders", []string{
		"COUNT(id) proved, counts orders",
		"COUNT(*) proved, counts orders",
	}},
	{"", "SELECT CAST(COUNT(id) AS float) / COUNT(*) FROM orders", []string{
		"COUNT(id) proved, counts orders",
		"COUNT(*) proved, counts orders",
	}},
	{"postgres", "SELECT COUNT(id)::numeric / COUNT(*) FROM orders", []string{
		"COUNT(id) proved, counts orders",
		"COUNT(*) proved, counts orders",
	}},
	{"sqlite postgres", "SELECT SUM(CASE WHEN status = 'paid' THEN 1 ELSE 0 END) / COUNT(*) FROM orders", []string{
		"SUM(CASE WHEN status = 'paid' THEN 1 ELSE 0 END) proved, counts orders",
		"COUNT(*) proved, counts orders",
		"error integer_division sum(...) / count(*)",
	}},
	{"mysql", "SELECT SUM(CASE WHEN status = 'paid' THEN 1 ELSE 0 END) / COUNT(*) FROM orders", []string{
		"SUM(CASE WHEN status = 'paid' THEN 1 ELSE 0 END) proved, counts orders",
		"COUNT(*) proved, counts orders",
	}},
	{"", "SELECT SUM(CASE WHEN status = 'paid' THEN 1.0 ELSE 0 END) / COUNT(*) FROM orders", []string{
		"SUM(CASE WHEN status = 'paid' THEN 1.0 ELSE 0 END) proved, counts orders",
		"COUNT(*) proved, counts orders",
	}},
	{"", "SELECT AVG(total) / COUNT(*) FROM orders", []string{
		"AVG(total) proved",
		"COUNT(*) proved, counts orders",
	}},
	{"", "SELECT SUM(price) / COUNT(*) FROM items", []string{
		"SUM(price) proved",
		"COUNT(*) proved, counts items",
	}},
	{"sqlite postgres", "SELECT SUM(total) / 100 FROM orders", []string{
		"SUM(total) proved",
		"error integer_division sum(orders.total) / 100",
	}},
	{"mysql", "SELECT SUM(total) / 100 FROM orders", []string{
		"SUM(total) proved",
	}},
	{"sqlite postgres", "SELECT COUNT(*) / 7 FROM orders", []string{
		"COUNT(*) proved, counts orders",
		"error integer_division count(*) / 7",
	}},
	{"mysql", "SELECT COUNT(*) / 7 FROM orders", []string{
		"COUNT(*) proved, counts orders",
	}},
	{"sqlite postgres", "SELECT a.n / b.n FROM (SELECT COUNT(*) n FROM orders) a CROSS JOIN (SELECT COUNT(*) n FROM items) b", []string{
		"COUNT(*) proved, counts orders",
		"COUNT(*) proved, counts items",
		"error integer_division a.n / b.n",
	}},
	{"mysql", "SELECT a.n / b.n FROM (SELECT COUNT(*) n FROM orders) a CROSS JOIN (SELECT COUNT(*) n FROM items) b", []string{
		"COUNT(*) proved, counts orders",
		"COUNT(*) proved, counts items",
	}},
	{"sqlite postgres", "SELECT (SELECT COUNT(*) FROM orders) / (SELECT COUNT(*) FROM items)", []string{
		"COUNT(*) proved, counts orders",
		"COUNT(*) proved, counts items",
		"error integer_division ... / ...",
	}},
	{"mysql", "SELECT (SELECT COUNT(*) FROM orders) / (SELECT COUNT(*) FROM items)", []string{
		"COUNT(*) proved, counts orders",
		"COUNT(*) proved, counts items",
	}},
	{"", "SELECT (SELECT COUNT(*) FROM orders) * 1.0 / (SELECT COUNT(*) FROM items)", []string{
		"COUNT(*) proved, counts orders",
		"COUNT(*) proved, counts items",
	}},
	{"sqlite postgres", "SELECT status, COUNT(*) FROM orders GROUP BY status HAVING COUNT(id) / COUNT(*) > 0.5", []string{
		"COUNT(*) proved, counts orders",
		"COUNT(id) proved, counts orders",
		"COUNT(*) proved, counts orders",
		"error integer_division count(orders.id) / count(*)",
	}},
	{"mysql", "SELECT status, COUNT(*) FROM orders GROUP BY status HAVING COUNT(id) / COUNT(*) > 0.5", []string{
		"COUNT(*) proved, counts orders",
		"COUNT(id) proved, counts orders",
		"COUNT(*) proved, counts orders",
	}},
	{"", "SELECT SUM(a) / COUNT(*) FROM (SELECT AVG(total) AS a FROM orders GROUP BY customer_id) q", []string{
		"SUM(a) proved",
		"COUNT(*) proved, counts q",
		"AVG(total) proved",
	}},
	{"", "SELECT SUM(o.total) * 1.0 / (SELECT SUM(total) FROM orders) FROM orders o WHERE o.status = 'paid'", []string{
		"SUM(o.total) proved",
		"SUM(total) proved",
	}},

	// averages of averages
	{"", "SELECT AVG(q.a) FROM (SELECT customer_id, AVG(total) a FROM orders GROUP BY customer_id) q", []string{
		"AVG(q.a) proved",
		"AVG(total) proved",
		"question average_of_averages AVG(q.a)",
	}},
	{"", "SELECT AVG(q.n) FROM (SELECT order_id, COUNT(*) n FROM items GROUP BY order_id) q", []string{
		"AVG(q.n) proved",
		"COUNT(*) proved, counts items",
	}},
	{"", "SELECT AVG(s) FROM (SELECT SUM(total) AS s FROM orders GROUP BY customer_id) q", []string{
		"AVG(s) proved",
		"SUM(total) proved",
	}},
	{"", "SELECT AVG(a) FROM (SELECT AVG(total) AS a FROM orders) q", []string{
		"AVG(a) proved",
		"AVG(total) proved",
	}},
	{"", "SELECT MAX(a) FROM (SELECT AVG(total) AS a FROM orders GROUP BY customer_id) q", []string{
		"MAX(a) proved",
		"AVG(total) proved",
	}},

	// LIMIT
	{"", "SELECT id FROM orders LIMIT 5", []string{
		"note limit_without_order",
	}},
	{"", "SELECT id FROM orders ORDER BY id LIMIT 5", []string{}},
	{"", "SELECT id FROM orders LIMIT 0", []string{
		"note limit_without_order",
	}},
	{"", "SELECT * FROM (SELECT id FROM orders LIMIT 5) q", []string{
		"note limit_without_order",
	}},
	{"", "WITH q AS (SELECT id FROM orders ORDER BY id LIMIT 5) SELECT COUNT(*) FROM q WHERE EXISTS (SELECT 1 FROM items i WHERE i.order_id = q.id LIMIT 1)", []string{
		"join q, items proved by foreign key",
		"COUNT(*) proved, counts q",
	}},
	// The schema has no key of a table behind a view. Nothing is said about what it repeats.
	{"", "SELECT SUM(v.minutes) FROM visits v JOIN people p ON p.id = v.person_id", []string{
		"join visits, people proved by inferred, confidence 0.95",
		"SUM(v.minutes) not_checked, repeats unknown, affected unknown, by people",
		"note fan_out SUM(v.minutes)",
	}},
	{"", "SELECT SUM(p.age) FROM people p JOIN visits v ON p.id = v.person_id", []string{
		"join people, visits proved by inferred, confidence 0.95",
		"SUM(p.age) contradicted, repeats yes, affected yes, by visits",
		"error fan_out SUM(p.age)",
	}},
	{"", "SELECT id, gross_lb - net_kg FROM parcels WHERE price_eur > fee_usd", []string{
		"question unit_mix parcels.gross_lb, parcels.net_kg",
		"question unit_mix parcels.price_eur, parcels.fee_usd",
	}},
	{"", "SELECT SUM(gross_lb) - SUM(net_kg) FROM parcels", []string{
		"SUM(gross_lb) proved",
		"SUM(net_kg) proved",
		"question unit_mix sum(parcels.gross_lb), sum(parcels.net_kg)",
	}},
	{"", "SELECT id, gross_kg - net_kg, price_eur * gross_lb FROM parcels WHERE price_eur > gross_lb AND gross_kg > 3", nil},
	{"", "SELECT COUNT(*) FROM orders LIMIT 1", []string{
		"COUNT(*) proved, counts orders",
	}},
	{"", "SELECT status, COUNT(*) FROM orders GROUP BY status LIMIT 3", []string{
		"COUNT(*) proved, counts orders",
		"note limit_without_order",
	}},
}

// TestReportJSON checks that a report is the same after it was written and read as JSON.
func TestReportJSON(t *testing.T) {
	for _, test := range checkTests {
		if test.dialects != "" {
			continue
		}
		want := check(t, dialects[0], test.sql)
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got proof.Report
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(want, &got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s\n(-want +got)\n%s", text, diff)
		}
	}
	var truth proof.Truth
	if err := json.Unmarshal([]byte(`"perhaps"`), &truth); err == nil {
		t.Error("perhaps is read as a truth")
	}
}

// summary returns a report in short: a line for each join, aggregate and finding.
func summary(r *proof.Report) (lines []string) {
	truth := map[proof.Truth]string{proof.Yes: "yes", proof.No: "no", proof.Unknown: "unknown"}
	for _, j := range r.Joins {
		line := fmt.Sprintf("join %s, %s %v", j.Left, j.Right, j.Verdict)
		if j.RestsOn != "" {
			line += " by " + j.RestsOn
		}
		lines = append(lines, line)
	}
	for _, a := range r.Aggregates {
		line := fmt.Sprintf("%s %v", a.Text, a.Verdict)
		if a.RowsRepeat != proof.No {
			line += ", repeats " + truth[a.RowsRepeat]
		}
		if a.Affected != proof.No {
			line += ", affected " + truth[a.Affected]
		}
		if len(a.By) > 0 {
			line += ", by " + strings.Join(a.By, " ")
		}
		if a.Counts != "" {
			line += ", counts " + a.Counts
		}
		lines = append(lines, line)
	}
	for _, f := range r.Findings {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s", f.Severity, f.Code, f.Subject)))
	}
	return lines
}
