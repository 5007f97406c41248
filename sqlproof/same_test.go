package sqlproof_test

import (
	"strings"
	"testing"

	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
)

// A column can stand for another one if conditions make both equal in each row. [x] is the
// column that is asked about.
func TestSame(t *testing.T) {
	const joined = " FROM orders o JOIN invoices i ON i.order_id = o.id JOIN payments p ON p.order_id = i.order_id"
	for _, tt := range []struct {
		sql     string
		aliases []string
		want    bool
		in      []dialect.Dialect // nil: all
	}{
		{"SELECT [p.order_id]" + joined, []string{"p", "l"}, false, nil},
		{"SELECT [p.order_id] FROM payments p JOIN items l ON l.order_id = p.order_id", []string{"p", "l"}, true, nil},
		{"SELECT [p.order_id] FROM payments P JOIN items l ON l.order_id = p.order_id", []string{"L", "P"}, true, []dialect.Dialect{mysql.Dialect{}, postgres.Dialect{}}},
		{"SELECT [p.order_id] FROM payments p, items l, orders o WHERE o.id = l.order_id AND p.order_id = o.id", []string{"p", "l"}, true, nil},
		{"SELECT [p.order_id] FROM payments p JOIN items l USING (order_id)", []string{"p", "l"}, true, nil},
		{"SELECT o.id FROM orders o LEFT JOIN (payments p JOIN items l ON l.order_id = [p.order_id]) ON p.order_id = o.id", []string{"p", "l"}, false, nil},
		{"SELECT [p.order_id] FROM orders o LEFT JOIN (payments p JOIN items l ON l.order_id = p.order_id) ON p.order_id = o.id", []string{"p", "l"}, false, nil},
		{"SELECT [p.order_id] FROM payments p JOIN items l ON l.order_id = p.order_id LEFT JOIN orders o ON o.id = p.order_id", []string{"p", "l"}, true, nil},
		{"SELECT [p.order_id] FROM payments p JOIN items l ON l.order_id > p.order_id", []string{"p", "l"}, false, nil},
		{"SELECT [p.order_id] FROM payments p JOIN items l ON NOT l.order_id = p.order_id", []string{"p", "l"}, false, nil},
		{"SELECT [p.order_id], COUNT(*) FROM payments p JOIN items l ON l.order_id = p.order_id GROUP BY p.order_id WITH ROLLUP", []string{"p", "l"}, false,
			[]dialect.Dialect{mysql.Dialect{}}},
		{"SELECT COUNT(*) FROM payments p JOIN items l ON l.order_id = p.order_id GROUP BY ROLLUP ([p.order_id])", []string{"p", "l"}, false,
			[]dialect.Dialect{postgres.Dialect{}}},
		{"SELECT p.id FROM products p JOIN customers c ON c.name = [p.name]", []string{"p", "c"}, false, nil}, // texts
		{"SELECT [t.amount] FROM returns t JOIN payments p ON p.amount = t.amount", []string{"p", "t"}, false, nil},
		{"SELECT o.total FROM orders o WHERE EXISTS (SELECT 1 FROM payments p JOIN items l ON l.order_id = p.order_id WHERE [p.order_id] = o.id)",
			[]string{"p", "l"}, true, nil},
		{"SELECT o.total FROM orders o, items l WHERE l.order_id = o.id AND EXISTS (SELECT 1 FROM payments p WHERE [p.order_id] = l.order_id)",
			[]string{"p", "l"}, false, nil},
		{"SELECT [d.order_id] FROM (SELECT order_id FROM payments) d JOIN items l ON l.order_id = d.order_id", []string{"d", "l"}, false, nil},
	} {
		at := strings.IndexByte(tt.sql, '[')
		text := strings.NewReplacer("[", "", "]", "").Replace(tt.sql)
		in := tt.in
		if in == nil {
			in = dialects
		}
		for _, d := range in {
			stmt, err := guard(t, d).Rewrite(t.Context(), text)
			if err != nil {
				t.Fatalf("%s: %v\n%s", d.Name(), err, text)
			}
			if got := prover().Same(stmt, at, tt.aliases); got != tt.want {
				t.Errorf("%s: %v: %s", d.Name(), got, tt.sql)
			}
			if prover().Same(stmt, at+1, tt.aliases) {
				t.Errorf("%s: a place without a column: %s", d.Name(), tt.sql)
			}
		}
	}
}
