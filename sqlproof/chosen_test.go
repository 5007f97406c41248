package sqlproof_test

import (
	"strings"
	"testing"

	"github.com/qedkit/qed/dates"
)

// TestChosenRows checks what is said of SUM(o.total), or of the first aggregate, where one row
// of several is chosen by more than an equality, and where the rows are written in the statement.
func TestChosenRows(t *testing.T) {
	const (
		proved, contradicted, notChecked = dates.Proved, dates.Contradicted, dates.NotChecked

		numbered = `SELECT SUM(o.total) FROM orders o JOIN (SELECT order_id, ROW_NUMBER() OVER (PARTITION BY order_id ORDER BY id) AS n FROM items) f ` +
			`ON f.order_id = o.id WHERE `
		items  = `SELECT SUM(o.total) FROM orders o JOIN items i ON i.order_id = o.id `
		states = `SELECT SUM(o.total) FROM orders o JOIN `
		mail   = `SELECT SUM(o.total) FROM orders o LEFT JOIN customers c ON `
	)
	for _, test := range []struct {
		dialects string
		sql      string
		want     dates.Verdict
	}{
		{"", numbered + `f.n = 1`, proved},
		{"", numbered + `f.n <= 1`, proved},
		{"", numbered + `f.n < 2`, proved},
		{"", numbered + `f.n < 3`, contradicted},
		{"", numbered + `f.n >= 1`, contradicted},

		{"", items + `WHERE i.id = (SELECT MAX(j.id) FROM items j WHERE j.order_id = o.id)`, proved},
		{"", items + `WHERE i.id IN (SELECT MAX(j.id) FROM items j GROUP BY j.order_id)`, notChecked},
		{"", items + `WHERE i.id IN (SELECT n.id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY order_id ORDER BY id) AS n FROM items) n WHERE n.n = 1)`, notChecked},
		{"", items + `WHERE (i.order_id, i.id) IN (SELECT j.order_id, MAX(j.id) FROM items j GROUP BY j.order_id)`, notChecked},
		{"", items + `LEFT JOIN items j ON j.order_id = i.order_id AND j.id > i.id WHERE j.id IS NULL`, notChecked},
		{"", items + `WHERE NOT EXISTS (SELECT 1 FROM items j WHERE j.order_id = i.order_id AND j.id > i.id)`, notChecked},
		{"", items + `WHERE NOT EXISTS (SELECT 1 FROM payments p WHERE p.order_id = o.id)`, contradicted},
		{"", items + `WHERE i.id IN (SELECT j.id FROM items j WHERE j.quantity > 1)`, contradicted},
		{"", items + `LEFT JOIN payments p ON p.order_id = o.id WHERE p.id IS NULL`, contradicted},

		{"postgres", states + `(VALUES ('paid', 1), ('open', 2)) AS s(name, rank) ON s.name = o.status`, proved},
		{"postgres", states + `(VALUES ('paid', 1), ('Paid', 2)) AS s(name, rank) ON s.name = o.status`, contradicted},
		{"", states + `(SELECT 'paid' AS name UNION ALL SELECT 'open' UNION ALL SELECT 'sent') s ON s.name = o.status`, proved},
		{"", states + `(SELECT 'paid' AS name UNION ALL SELECT 'open' UNION ALL SELECT 'paid') s ON s.name = o.status`, contradicted},
		{"", states + `(SELECT '1' AS name UNION ALL SELECT 1) s ON s.name = o.status`, contradicted},
		{"", states + `(SELECT 7 AS id UNION ALL SELECT id FROM customers) s ON s.id = o.customer_id`, contradicted},
		{"postgres", `SELECT SUM(o.total) FROM generate_series(1, 5) AS g(n) LEFT JOIN orders o ON o.id = g.n`, notChecked},
		{"postgres", `SELECT SUM(o.total) FROM generate_series(1, 5) AS g(n), orders o`, contradicted},

		{"", mail + `c.email = o.code`, proved},
		{"sqlite", mail + `c.email = o.code COLLATE NOCASE`, contradicted},
		{"sqlite", mail + `c.email COLLATE NOCASE = o.code`, contradicted},
		{"", mail + `c.email = LOWER(o.code)`, proved},
		{"", mail + `LOWER(c.email) = o.code`, contradicted},

		{"postgres", `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY o.total) FROM orders o JOIN items i ON i.order_id = o.id`, contradicted},
		{"postgres", `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY i.price) FROM orders o JOIN items i ON i.order_id = o.id`, proved},
		{"postgres", `SELECT mode() WITHIN GROUP (ORDER BY o.status) FROM orders o JOIN items i ON i.order_id = o.id`, contradicted},
	} {
		for _, d := range dialects {
			if test.dialects != "" && !strings.Contains(test.dialects, d.Name()) {
				continue
			}
			stmt, err := guard(t, d).Rewrite(t.Context(), test.sql)
			if err != nil {
				t.Errorf("%s: %v\n%s", d.Name(), err, test.sql)
				continue
			}
			if got := prover().Check(stmt).Aggregates[0]; got.Verdict != test.want {
				t.Errorf("%s: %s is %s, want %s\n%s", d.Name(), got.Text, got.Verdict, test.want, test.sql)
			}
		}
	}
}
