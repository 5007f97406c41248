package sqlproof_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/sqlproof"
)

// warehouse returns sales with versions of customers, targets of days, rates of days, the
// lines of documents of tenants, and a table without keys.
func warehouse(tb testing.TB, d dialect.Dialect) (*secureview.Guard, *sqlproof.Prover) {
	tb.Helper()
	s := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"customers": {Columns: []string{"id", "name", "credit"}, PrimaryKey: []string{"id"}, NotNull: []string{"id", "name", "credit"}},
		"sales": {
			Columns:    []string{"id", "customer_id", "kind", "at", "day", "amount", "cost"},
			PrimaryKey: []string{"id"}, NotNull: []string{"id", "customer_id", "kind", "at", "day", "amount"},
			Types: map[string]string{"id": "integer", "customer_id": "integer", "kind": "varchar(20)", "at": "timestamp", "day": "date",
				"amount": "integer", "cost": "integer"},
		},
		"parts": {
			Columns: []string{"id", "sale_id", "pieces", "price"}, PrimaryKey: []string{"id"}, NotNull: []string{"id", "sale_id", "pieces", "price"},
			Types: map[string]string{"id": "integer", "sale_id": "integer", "pieces": "integer", "price": "integer"},
		},
		"versions": {
			Columns:    []string{"customer_id", "valid_from", "valid_to", "is_current", "segment"},
			PrimaryKey: []string{"customer_id", "valid_from"}, NotNull: []string{"customer_id", "valid_from"},
			Types: map[string]string{"valid_from": "date", "valid_to": "date"},
		},
		"targets": {Columns: []string{"day", "target"}, PrimaryKey: []string{"day"}, NotNull: []string{"day", "target"}, Types: map[string]string{"day": "date"}},
		"docs":    {Columns: []string{"tenant", "id", "total"}, PrimaryKey: []string{"tenant", "id"}, NotNull: []string{"tenant", "id", "total"}},
		"rows_of": {
			Columns: []string{"id", "tenant", "doc_id", "n"}, PrimaryKey: []string{"id"}, NotNull: []string{"id", "tenant", "n"},
		},
		"raw": {Columns: []string{"k", "v"}},
	}}
	s.AddForeignKey("sales", []string{"customer_id"}, "customers", []string{"id"})
	s.AddForeignKey("parts", []string{"sale_id"}, "sales", []string{"id"})
	s.AddForeignKey("versions", []string{"customer_id"}, "customers", []string{"id"})
	s.AddForeignKey("rows_of", []string{"tenant", "doc_id"}, "docs", []string{"tenant", "id"})
	policy := &secureview.Policy{Schema: "main", Tables: map[string][]string{}}
	for name, table := range s.Tables {
		policy.Tables[name] = table.Columns
	}
	g, err := secureview.New(policy, d)
	if err != nil {
		tb.Fatal(err)
	}
	values := func(table, column string) []string {
		if table == "sales" && column == "kind" {
			return []string{"web", "shop"}
		}
		return nil
	}
	return g, sqlproof.New(s).WithValues(values)
}

// TestStatementsOfAnalysts checks the verdict of the first aggregate of a statement, if it has
// one, and the findings.
func TestStatementsOfAnalysts(t *testing.T) {
	const (
		all, proved, wrong, open = "", "proved", "contradicted", "not_checked"

		spread = "SELECT SUM(s.amount) FROM sales s JOIN versions v ON v.customer_id = s.customer_id "
		perDay = "SELECT SUM(t.target) FROM targets t JOIN (SELECT date(at) AS d, SUM(amount) AS a FROM sales GROUP BY date(at)) q ON q.d = t.day"
	)
	for _, test := range []struct {
		dialects, sql, verdict string
		findings               []string
	}{
		// a value of a window is there once for each row of its partition
		{all, "SELECT SUM(q.a) FROM (SELECT customer_id, SUM(amount) OVER (PARTITION BY customer_id) AS a FROM sales) q", wrong, []string{"error fan_out"}},
		{all, "SELECT SUM(q.a) FROM (SELECT id, SUM(amount) OVER () AS a FROM sales) q", wrong, []string{"error fan_out"}},
		{all, "SELECT q.customer_id, AVG(q.a) FROM (SELECT customer_id, SUM(amount) OVER (PARTITION BY customer_id) AS a FROM sales) q GROUP BY q.customer_id", open, []string{"note fan_out"}},
		{all, "SELECT MAX(q.a) FROM (SELECT SUM(amount) OVER (PARTITION BY customer_id) AS a FROM sales) q", proved, nil},
		{all, "SELECT SUM(q.a) FROM (SELECT DISTINCT customer_id, SUM(amount) OVER (PARTITION BY customer_id) AS a FROM sales) q", proved, nil},
		{all, "SELECT SUM(q.a) FROM (SELECT id, SUM(amount) OVER (PARTITION BY id) AS a FROM sales) q", proved, nil},
		{all, "SELECT SUM(q.a) FROM (SELECT id, SUM(amount) OVER (PARTITION BY customer_id ORDER BY id) AS a FROM sales) q", proved, nil},
		{all, "SELECT SUM(c.credit) FROM customers c JOIN (SELECT DISTINCT customer_id, COUNT(*) OVER (PARTITION BY customer_id) AS n FROM sales) q ON q.customer_id = c.id", proved, nil},
		{all, "SELECT SUM(q.a) FROM (SELECT customer_id, SUM(amount) OVER (PARTITION BY customer_id) AS a, ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY id) AS n FROM sales) q WHERE q.n = 1", open, []string{"note fan_out"}},
		{all, "SELECT SUM(q.amount * 1.0 / q.n) FROM (SELECT amount, COUNT(*) OVER (PARTITION BY customer_id) AS n FROM sales) q", proved, nil},
		{all, "SELECT SUM(q.amount * q.pieces) FROM (SELECT s.amount, p.pieces, ROW_NUMBER() OVER (ORDER BY p.id) AS n FROM sales s JOIN parts p ON p.sale_id = s.id) q", proved, nil},
		{all, "SELECT SUM(q.amount) FROM (SELECT s.amount, p.pieces, ROW_NUMBER() OVER (ORDER BY p.id) AS n FROM sales s JOIN parts p ON p.sale_id = s.id) q", wrong, []string{"error fan_out"}},
		{all, "SELECT q.id, SUM(q.a) FROM (SELECT id, SUM(amount) OVER (PARTITION BY customer_id) AS a FROM sales) q GROUP BY q.id", proved, nil},

		{all, "SELECT SUM(q.a) FROM (SELECT FIRST_VALUE(amount) OVER (PARTITION BY customer_id ORDER BY id) AS a FROM sales) q", wrong, []string{"error fan_out"}},
		{all, "SELECT SUM(q.a) FROM (SELECT NTH_VALUE(amount, 2) OVER (PARTITION BY customer_id) AS a FROM sales) q", wrong, []string{"error fan_out"}},
		{all, "SELECT SUM(q.a) FROM (SELECT amount - LAG(amount) OVER (PARTITION BY customer_id ORDER BY id) AS a FROM sales) q", proved, nil},

		// the difference to the value of a window is one of the row
		{all, "SELECT SUM(POWER(q.amount - q.a, 2)) FROM (SELECT s.id, amount, AVG(amount) OVER (PARTITION BY kind) AS a FROM sales s) q", open, []string{"note fan_out"}},
		{all, "SELECT SUM((q.amount - q.a) * (q.amount - q.a)) / COUNT(*) FROM (SELECT s.id, amount, AVG(amount) OVER (PARTITION BY kind) AS a FROM sales s) q", open, []string{"note fan_out"}},
		{all, "SELECT SUM(ABS(q.amount - q.a)) FROM (SELECT s.id, amount, AVG(amount) OVER (PARTITION BY kind) AS a FROM sales s) q", open, []string{"note fan_out"}},
		{all, "SELECT SUM(q.a - q.amount) FROM (SELECT amount, FIRST_VALUE(amount) OVER (PARTITION BY customer_id ORDER BY id) AS a FROM sales) q", open, []string{"note fan_out"}},
		{all, "SELECT SUM(POWER(q.a - q.b, 2)) FROM (SELECT AVG(amount) OVER (PARTITION BY kind) AS a, AVG(amount) OVER () AS b FROM sales) q", open, []string{"note fan_out"}},
		{all, "SELECT SUM(q.amount * q.a) FROM (SELECT s.id, amount, AVG(amount) OVER (PARTITION BY kind) AS a FROM sales s) q", proved, nil},
		{all, "SELECT SUM(q.amount - q.a) FROM (SELECT s.id, amount, AVG(amount) OVER (PARTITION BY kind) AS a FROM sales s) q JOIN parts p ON p.sale_id = q.id", wrong, []string{"error fan_out"}},
		{all, "SELECT SUM(q.a) FROM (SELECT q.a FROM (SELECT s.id, amount, AVG(amount) OVER (PARTITION BY kind) AS a FROM sales s) q) q", wrong, []string{"error fan_out"}},

		// a frame makes a value of each row, unless it has all rows
		{all, "SELECT SUM(c.credit) FROM customers c JOIN (SELECT DISTINCT customer_id, SUM(amount) OVER (PARTITION BY customer_id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS f FROM sales) q ON q.customer_id = c.id", wrong, []string{"error fan_out"}},
		{"sqlite postgres", "SELECT SUM(c.credit) FROM customers c JOIN (SELECT DISTINCT customer_id, SUM(amount) OVER (PARTITION BY customer_id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) AS f FROM sales) q ON q.customer_id = c.id", wrong, []string{"error fan_out"}},
		{all, "SELECT SUM(c.credit) FROM customers c JOIN (SELECT DISTINCT customer_id, SUM(amount) OVER (w ROWS 3 PRECEDING) AS f FROM sales WINDOW w AS (PARTITION BY customer_id)) q ON q.customer_id = c.id", wrong, []string{"error fan_out"}},
		{all, "SELECT SUM(c.credit) FROM customers c JOIN (SELECT DISTINCT customer_id, SUM(amount) OVER w AS f FROM sales WINDOW w AS (PARTITION BY customer_id ROWS 3 PRECEDING)) q ON q.customer_id = c.id", wrong, []string{"error fan_out"}},
		{all, "SELECT SUM(c.credit) FROM customers c JOIN (SELECT DISTINCT customer_id, FIRST_VALUE(amount) OVER w AS f FROM sales WINDOW w AS (PARTITION BY customer_id ORDER BY id ROWS 3 PRECEDING)) q ON q.customer_id = c.id", wrong, []string{"error fan_out"}},
		{all, "SELECT SUM(c.credit) FROM customers c JOIN (SELECT DISTINCT customer_id, SUM(amount) OVER (PARTITION BY customer_id ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS f FROM sales) q ON q.customer_id = c.id", proved, nil},
		{all, "SELECT SUM(c.credit) FROM customers c JOIN (SELECT DISTINCT customer_id, SUM(amount) OVER w AS f FROM sales WINDOW w AS (PARTITION BY customer_id)) q ON q.customer_id = c.id", proved, nil},
		{all, "SELECT SUM(c.credit) FROM customers c JOIN (SELECT DISTINCT customer_id, FIRST_VALUE(amount) OVER w AS f FROM sales WINDOW w AS (PARTITION BY customer_id ORDER BY id)) q ON q.customer_id = c.id", proved, nil},
		{all, "SELECT SUM(q.a) FROM (SELECT SUM(amount) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS a FROM sales) q", wrong, []string{"error fan_out"}},
		{all, "SELECT SUM(q.a) FROM (SELECT amount AS x, SUM(amount) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS a FROM sales) q", proved, nil},
		{all, "SELECT SUM(q.a) FROM (SELECT id, LAST_VALUE(amount) OVER (PARTITION BY customer_id ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS a FROM sales) q", wrong, []string{"error fan_out"}},
		{all, "SELECT SUM(q.a) FROM (SELECT id, FIRST_VALUE(amount) OVER (PARTITION BY customer_id ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS a FROM sales) q", wrong, []string{"error fan_out"}},
		{all, "SELECT SUM(q.a) FROM (SELECT id, LAST_VALUE(amount) OVER (PARTITION BY customer_id ORDER BY id) AS a FROM sales) q", proved, nil},

		// DISTINCT takes equal values of different partitions together
		{all, "SELECT SUM(q.a) FROM (SELECT DISTINCT SUM(amount) OVER (PARTITION BY customer_id) AS a FROM sales) q", wrong, []string{"error distinct_is_no_repair"}},
		{all, "SELECT SUM(q.a) FROM (SELECT DISTINCT c.name, SUM(s.amount) OVER (PARTITION BY c.id) AS a FROM sales s JOIN customers c ON c.id = s.customer_id) q", wrong, []string{"error distinct_is_no_repair"}},
		{all, "SELECT MAX(q.a) FROM (SELECT DISTINCT SUM(amount) OVER (PARTITION BY customer_id) AS a FROM sales) q", proved, nil},
		{all, "SELECT SUM(q.a) FROM (SELECT DISTINCT SUM(amount) OVER () AS a FROM sales) q", proved, nil},
		{all, "SELECT SUM(q.a) FROM (SELECT DISTINCT c.id, c.name, SUM(s.amount) OVER (PARTITION BY c.id) AS a FROM sales s JOIN customers c ON c.id = s.customer_id) q", proved, nil},
		{all, "SELECT SUM(q.a) FROM (SELECT DISTINCT kind, SUM(SUM(amount)) OVER (PARTITION BY kind) AS a FROM sales GROUP BY kind) q", proved, nil},
		{all, "SELECT SUM(q.a) FROM (SELECT DISTINCT kind, SUM(SUM(amount)) OVER (PARTITION BY kind) AS a FROM sales GROUP BY kind, day) q", open, nil},

		// a column of the outer query that the subquery returns and tests is EXISTS
		{all, "SELECT SUM(s.amount) FROM sales s WHERE s.id IN (SELECT s.id FROM parts p WHERE p.sale_id = s.id AND p.pieces > 3)", proved, nil},
		{all, "SELECT SUM(s.amount) FROM sales s WHERE s.id NOT IN (SELECT s.id FROM parts p WHERE p.sale_id = s.id)", proved, nil},
		{"mysql postgres", "SELECT SUM(s.amount) FROM sales s WHERE s.id = ANY (SELECT s.id FROM parts p WHERE p.sale_id = s.id)", proved, nil},
		{all, "SELECT SUM(s.amount) FROM sales s WHERE s.id IN (SELECT s.id FROM parts p JOIN customers c ON c.id = s.customer_id AND p.price > c.credit)", proved, nil},
		{all, "SELECT SUM(s.amount) FROM sales s WHERE s.id IN (SELECT s.id FROM parts p WHERE p.pieces > 3)", proved, []string{"error cartesian"}},
		{all, "SELECT SUM(s.amount) FROM sales s WHERE s.id IN (SELECT s.id FROM parts p WHERE p.pieces > 3 GROUP BY s.id)", proved, []string{"error cartesian"}},

		// a value is divided by a count of the rows that repeat it
		{all, "SELECT SUM(q.amount / q.n) FROM (SELECT s.id, s.amount, COUNT(*) OVER (PARTITION BY s.id) AS n FROM sales s JOIN parts p ON p.sale_id = s.id) q", open, []string{"note fan_out"}},
		{all, "SELECT SUM(q.amount * 1.0 / NULLIF(q.n, 0)) FROM (SELECT s.id, s.amount, COUNT(*) OVER (PARTITION BY s.id) AS n FROM sales s JOIN parts p ON p.sale_id = s.id) q", open, []string{"note fan_out"}},
		{all, "SELECT SUM(q.amount / CAST(q.n AS DECIMAL)) FROM (SELECT * FROM (SELECT s.id, s.amount, COUNT(*) OVER (PARTITION BY s.id) AS n FROM sales s JOIN parts p ON p.sale_id = s.id) q) q", open, []string{"note fan_out"}},
		{all, "SELECT SUM(q.amount * q.n) FROM (SELECT s.id, s.amount, COUNT(*) OVER (PARTITION BY s.id) AS n FROM sales s JOIN parts p ON p.sale_id = s.id) q", wrong, []string{"error fan_out"}},
		{all, "SELECT SUM(q.amount / 2) FROM (SELECT s.id, s.amount, COUNT(*) OVER (PARTITION BY s.id) AS n FROM sales s JOIN parts p ON p.sale_id = s.id) q", wrong, []string{"error fan_out"}},
		{all, "SELECT AVG(q.amount) FROM (SELECT amount, ROW_NUMBER() OVER (ORDER BY amount) AS k, COUNT(*) OVER () AS n FROM sales) q WHERE q.k = q.n / 2", proved, nil},

		// a function of ORDER BY returns several rows
		{"postgres", "SELECT SUM(amount) FROM (SELECT amount FROM sales ORDER BY generate_series(1, 3)) q", open, nil},
		{"postgres", "SELECT SUM(amount) FROM (SELECT amount FROM sales GROUP BY id, amount ORDER BY generate_series(1, 3)) q", open, nil},
		{"postgres", "SELECT SUM(q.amount) FROM (SELECT DISTINCT ON (id, generate_series(1, 3)) id, amount FROM sales) q", open, nil},
		{"postgres", "SELECT SUM(amount) OVER () FROM sales ORDER BY generate_series(1, 3)", open, nil},
		{"postgres", "SELECT SUM(amount) FROM (SELECT amount FROM sales ORDER BY id) q", proved, nil},
		{"postgres", "SELECT SUM(q.amount) FROM (SELECT DISTINCT ON (id) id, amount FROM sales ORDER BY id) q", proved, nil},

		// a column of the outer query
		{"sqlite", "SELECT s.id, (SELECT SUM(s.amount) FROM parts p WHERE p.sale_id = s.id) FROM sales s", open, nil},
		{all, "SELECT s.id, (SELECT SUM(s.amount * p.pieces) FROM parts p WHERE p.sale_id = s.id) FROM sales s", proved, nil},

		// rows with totals of other rows
		{"postgres", "SELECT SUM(q.a) FROM (SELECT kind, SUM(amount) AS a FROM sales GROUP BY ROLLUP (kind)) q", wrong, []string{"error fan_out"}},
		{"mysql", "SELECT SUM(q.a) FROM (SELECT kind, SUM(amount) AS a FROM sales GROUP BY kind WITH ROLLUP) q", wrong, []string{"error fan_out"}},
		{"postgres", "SELECT MAX(q.a) FROM (SELECT kind, SUM(amount) AS a FROM sales GROUP BY GROUPING SETS ((kind), ())) q", wrong, []string{"error fan_out"}},
		{"postgres", "SELECT SUM(q.a) FROM (SELECT kind, SUM(amount) AS a FROM sales GROUP BY ROLLUP (kind)) q WHERE q.kind IS NOT NULL", open, []string{"note fan_out"}},
		{"postgres", "SELECT SUM(SUM(amount)) OVER () FROM sales GROUP BY ROLLUP (kind)", open, nil},
		{"postgres", "SELECT SUM(SUM(amount)) OVER () FROM sales GROUP BY kind", proved, nil},

		// equal values of groups are taken together
		{all, "SELECT SUM(q.a) FROM (SELECT DISTINCT SUM(amount) AS a FROM sales GROUP BY kind) q", wrong, []string{"error distinct_is_no_repair"}},
		{all, "SELECT SUM(q.a) FROM (SELECT DISTINCT kind, SUM(amount) AS a FROM sales GROUP BY kind) q", proved, nil},
		{all, "SELECT SUM(q.a) FROM (SELECT SUM(amount) AS a FROM sales UNION SELECT SUM(price) FROM parts) q", wrong, []string{"question union_dedup"}},
		{all, "SELECT SUM(q.a) FROM (SELECT SUM(amount) AS a FROM sales UNION ALL SELECT SUM(price) FROM parts) q", proved, nil},

		// a table without keys
		{all, "SELECT SUM(q.v) FROM (SELECT DISTINCT k, v FROM raw) q", open, nil},
		{all, "SELECT SUM(q.v) FROM (SELECT DISTINCT v FROM raw) q", wrong, []string{"error distinct_is_no_repair"}},
		{all, "SELECT SUM(q.amount) FROM (SELECT DISTINCT kind, amount FROM sales) q", wrong, []string{"error distinct_is_no_repair"}},

		// a value is divided by the number of rows that repeat it
		{all, "SELECT SUM(s.amount * 1.0 / n.c) FROM sales s JOIN parts p ON p.sale_id = s.id JOIN (SELECT sale_id, COUNT(*) AS c FROM parts GROUP BY sale_id) n ON n.sale_id = s.id", open, []string{"note fan_out"}},
		{all, "SELECT SUM(s.amount * 1.0 / s.cost) FROM sales s JOIN parts p ON p.sale_id = s.id", wrong, []string{"error fan_out"}},

		// the same rows may be in both arms
		{all, "SELECT SUM(q.amount) FROM (SELECT amount FROM sales WHERE kind = 'web' UNION ALL SELECT amount FROM sales WHERE amount > 5) q", open, nil},
		{all, "SELECT q.k, SUM(q.amount) FROM (SELECT 'all' AS k, amount FROM sales UNION ALL SELECT 'web', amount FROM sales WHERE kind = 'web') q GROUP BY q.k", proved, nil},
		{all, "SELECT SUM(q.amount) FROM (SELECT amount FROM sales UNION ALL SELECT price FROM parts) q", proved, nil},
		{all, "SELECT SUM(q.v) FROM (SELECT pieces * price AS v FROM parts UNION ALL SELECT pieces * price FROM parts) q", open, nil},
		{all, "SELECT SUM(q.v) FROM (SELECT pieces * price AS v FROM parts UNION ALL SELECT pieces * price FROM parts WHERE pieces > 5) q", open, nil},
		{all, "SELECT SUM(q.v) FROM (SELECT COALESCE(cost, 0) AS v FROM sales UNION ALL SELECT COALESCE(cost, 0) FROM sales) q", open, nil},
		{all, "SELECT SUM(q.v) FROM (SELECT SUM(amount) AS v FROM sales UNION ALL SELECT SUM(amount) FROM sales GROUP BY kind) q", open, nil},
		{all, "SELECT SUM(q.v) FROM (SELECT COUNT(*) AS v FROM sales UNION ALL SELECT COUNT(*) FROM sales) q", open, nil},
		{all, "SELECT SUM(q.v) FROM (SELECT amount AS v FROM sales UNION ALL SELECT price FROM parts UNION ALL SELECT amount FROM sales) q", open, nil},
		{all, "SELECT SUM(q.v) FROM (SELECT q.a AS v FROM (SELECT amount * 2 AS a FROM sales ORDER BY id LIMIT 5) q UNION ALL SELECT amount FROM sales) q", open, nil},
		{all, "WITH q AS (SELECT DISTINCT id, amount * 2 AS a FROM sales) SELECT SUM(w.v) FROM (SELECT a AS v FROM q UNION ALL SELECT a FROM q) w", open, nil},
		{all, "SELECT MAX(q.v) FROM (SELECT pieces * price AS v FROM parts UNION ALL SELECT pieces * price FROM parts) q", proved, nil},
		{all, "SELECT q.k, SUM(q.v) FROM (SELECT 'a' AS k, SUM(amount) AS v FROM sales UNION ALL SELECT 'b', SUM(amount) FROM sales) q GROUP BY q.k", proved, nil},
		{all, "SELECT SUM(q.v) FROM (SELECT SUM(amount) AS v FROM sales UNION ALL SELECT SUM(cost) FROM sales) q", proved, nil},
		{all, "SELECT SUM(q.v) FROM (SELECT amount AS v FROM sales UNION ALL SELECT 0 - cost FROM sales) q", proved, nil},
		{all, "SELECT SUM(q.v) FROM (SELECT amount * 2 AS v FROM sales WHERE kind = 'web' UNION ALL SELECT amount * 2 FROM sales WHERE kind = 'shop') q", proved, nil},
		{all, "SELECT SUM(q.v) FROM (SELECT SUM(amount) AS v FROM sales WHERE customer_id = 1 UNION ALL SELECT SUM(amount) FROM sales WHERE customer_id = 3 UNION ALL SELECT SUM(amount) FROM sales WHERE customer_id = 4) q", proved, nil},
		{all, "SELECT SUM(q.v) FROM (SELECT SUM(amount) AS v FROM sales WHERE customer_id = 1 UNION ALL SELECT SUM(amount) FROM sales WHERE customer_id = 3 UNION ALL SELECT SUM(amount) FROM sales WHERE customer_id = 3) q", open, nil},
		{all, "SELECT SUM(q.v) FROM (SELECT SUM(amount) AS v FROM sales WHERE kind = 'web' UNION ALL SELECT SUM(amount) FROM sales WHERE kind = 'web ' OR kind = 'shop') q", open, nil},
		{all, "SELECT SUM(q.v) FROM (SELECT SUM(amount) AS v FROM sales WHERE kind = 'web' UNION ALL SELECT SUM(amount) FROM sales WHERE id = 5) q", open, nil},
		{all, "SELECT SUM(q.v) FROM (SELECT SUM(s.amount) AS v FROM sales s JOIN sales t ON t.id = s.id + 1 WHERE t.kind = 'web' UNION ALL SELECT SUM(amount) FROM sales WHERE kind = 'shop') q", open, nil},

		// one row of several is chosen
		{"postgres", "SELECT SUM(q.amount) FROM (SELECT DISTINCT ON (customer_id) customer_id, amount FROM sales ORDER BY customer_id, at DESC) q", proved, nil},
		{"postgres", "SELECT SUM(q.amount) FROM (SELECT DISTINCT ON (amount) amount FROM sales ORDER BY amount, at DESC) q", wrong, []string{"error distinct_is_no_repair"}},
		{"postgres", "SELECT SUM(q.amount) FROM (SELECT DISTINCT ON (customer_id) amount FROM sales) q", wrong, []string{"error distinct_is_no_repair"}},
		{"sqlite", "SELECT SUM(q.amount) FROM (SELECT customer_id, amount, MAX(at) FROM sales GROUP BY customer_id) q", proved, nil},
		{"sqlite", "SELECT SUM(q.amount) FROM (SELECT customer_id, amount, MAX(at), MIN(at) FROM sales GROUP BY customer_id) q", wrong, []string{"error distinct_is_no_repair", "question bare_column"}},
		{"sqlite", "SELECT customer_id, MAX(at), amount FROM sales GROUP BY customer_id HAVING MIN(amount) > 5", proved, []string{"question bare_column"}},
		{"sqlite", "SELECT customer_id, MAX(at), amount FROM sales GROUP BY customer_id ORDER BY MAX(at)", proved, nil},
		{all, "SELECT SUM(CASE WHEN q.n = 1 THEN q.amount ELSE 0 END) FROM (SELECT s.amount, ROW_NUMBER() OVER (PARTITION BY s.id ORDER BY p.id) AS n" +
			" FROM sales s JOIN parts p ON p.sale_id = s.id) q", open, []string{"note fan_out"}},
		{all, "SELECT SUM(CASE WHEN q.n = 1 THEN 0 ELSE q.amount END) FROM (SELECT s.amount, p.pieces AS n FROM sales s JOIN parts p ON p.sale_id = s.id) q", wrong, []string{"error fan_out"}},

		// groups by expressions
		{"sqlite mysql", perDay, proved, nil},
		{all, "SELECT SUM(t.target) FROM targets t JOIN (SELECT CAST(at AS date) AS d, kind, SUM(amount) AS a FROM sales GROUP BY CAST(at AS date), kind) q ON q.d = t.day", wrong, []string{"error fan_out"}},
		{all, "SELECT SUM(t.target) FROM targets t JOIN (SELECT CAST(at AS date) AS d, SUM(amount) AS a FROM sales GROUP BY 1) q ON q.d = t.day", proved, nil},

		// periods of validity
		{all, spread, wrong, []string{"error chasm"}},
		{all, spread + "AND s.day >= v.valid_from AND (s.day < v.valid_to OR v.valid_to IS NULL)", open, []string{"note fan_out"}},
		{all, spread + "AND v.valid_to IS NULL", open, []string{"note fan_out"}},
		{all, spread + "AND v.is_current = 1", open, []string{"note fan_out"}},
		{all, spread + "AND v.segment = 'a'", wrong, []string{"error chasm"}},

		// what all alternatives of an OR say
		{all, "SELECT SUM(p.price) FROM parts p, sales s WHERE (s.id = p.sale_id AND s.kind = 'web') OR (s.id = p.sale_id AND p.pieces > 5)", proved, nil},
		{all, "SELECT SUM(p.price) FROM parts p, sales s WHERE (s.id = p.sale_id AND s.kind = 'web') OR p.pieces > 5", wrong, []string{"error chasm"}},

		// one value for a group
		{all, "SELECT s.id, AVG(s.amount), SUM(p.pieces) FROM sales s JOIN parts p ON p.sale_id = s.id GROUP BY s.id", proved, nil},
		{all, "SELECT s.id, SUM(DISTINCT s.amount), SUM(p.pieces) FROM sales s JOIN parts p ON p.sale_id = s.id GROUP BY s.id", proved, nil},
		{all, "SELECT s.kind, AVG(s.amount) FROM sales s JOIN parts p ON p.sale_id = s.id GROUP BY s.kind", wrong, []string{"error fan_out"}},
		{all, "SELECT s.id, AVG(CASE WHEN p.pieces > 1 THEN s.amount ELSE 0 END) FROM sales s JOIN parts p ON p.sale_id = s.id GROUP BY s.id", wrong, []string{"error fan_out"}},
		{all, "SELECT s.id, SUM(s.amount) FROM sales s JOIN parts p ON p.sale_id = s.id GROUP BY s.id", wrong, []string{"error fan_out"}},

		// a table that is looked up for the rows that repeat others
		{all, "SELECT SUM(c.credit) FROM customers c JOIN sales s ON s.customer_id = c.id JOIN targets t ON t.day = s.day", wrong, []string{"error fan_out"}},
		{all, "SELECT SUM(c.credit) FROM customers c JOIN sales s ON s.kind = c.name", wrong, []string{"question chasm", "question join_unknown"}},

		// keys of several columns
		{all, "SELECT SUM(l.n) FROM rows_of l JOIN docs d ON d.tenant = l.tenant AND d.id = l.doc_id", open, []string{"note inner_join_optional"}},
		{all, "SELECT SUM(l.n) FROM rows_of l JOIN docs d ON d.id = l.doc_id", wrong, []string{"error chasm", "error join_partial"}},
		{all, "SELECT SUM(l.n) FROM rows_of l JOIN docs d ON d.id = l.doc_id WHERE d.tenant = 'a' AND l.tenant = 'a' AND l.doc_id IS NOT NULL", proved, nil},
		{all, "SELECT SUM(l.n) FROM rows_of l JOIN docs d ON d.id = l.doc_id WHERE d.tenant = 'a' AND l.tenant = 'b' AND l.doc_id IS NOT NULL", proved, []string{"question join_partial"}},

		// subqueries that do not test the row
		{all, "SELECT SUM(amount) FROM sales WHERE EXISTS (SELECT 1 FROM parts WHERE sale_id = id)", proved, []string{"question cartesian"}},
		{all, "SELECT SUM(amount) FROM sales WHERE EXISTS (SELECT 1 FROM parts WHERE sale_id = sales.id)", proved, nil},
		{all, "SELECT SUM(amount) FROM sales WHERE NOT EXISTS (SELECT 1 FROM parts WHERE pieces > 5)", proved, []string{"question cartesian"}},
		{all, "SELECT SUM(amount) FROM sales WHERE customer_id IN (SELECT customer_id FROM parts)", proved, []string{"error cartesian"}},
		{all, "SELECT SUM(amount) FROM sales WHERE customer_id IN (SELECT c.id FROM customers c)", proved, nil},
		{all, "SELECT c.id, (SELECT SUM(s.amount) FROM sales s WHERE s.customer_id = c.id AND EXISTS (SELECT 1 FROM versions v WHERE v.customer_id = c.id)) FROM customers c", proved, nil},

		// divisions
		{"sqlite", "SELECT kind, 100 * COUNT(*) / SUM(COUNT(*)) OVER () FROM sales GROUP BY kind", proved, []string{"error integer_division"}},
		{"mysql postgres", "SELECT kind, 100 * COUNT(*) / SUM(COUNT(*)) OVER () FROM sales GROUP BY kind", proved, nil},
		{"sqlite postgres", "SELECT q.a / q.n FROM (SELECT SUM(amount) AS a, COUNT(*) AS n FROM sales) q", proved, []string{"error integer_division"}},
		{"sqlite postgres", "SELECT COALESCE(SUM(amount), 0) / COUNT(*) FROM sales", proved, []string{"error integer_division"}},
		{"sqlite postgres", "SELECT SUM(amount) / (SELECT SUM(amount) FROM sales) FROM sales WHERE kind = 'web'", proved, []string{"error integer_division"}},
		{"sqlite postgres", "SELECT kind FROM sales GROUP BY kind ORDER BY SUM(amount) / COUNT(*)", proved, []string{"error integer_division"}},
		{all, "SELECT COALESCE(SUM(amount), 0) * 1.0 / COUNT(*) FROM sales", proved, nil},

		// averages of averages
		{all, "SELECT AVG(q.a) FROM (SELECT kind, ROUND(AVG(amount), 2) AS a FROM sales GROUP BY kind) q", proved, []string{"question average_of_averages"}},
		{all, "SELECT AVG(q.a) FROM (SELECT kind, 1.0 * SUM(amount) / COUNT(*) AS a FROM sales GROUP BY kind) q", proved, []string{"question average_of_averages"}},
		{all, "SELECT q.kind, AVG(q.a) FROM (SELECT kind, AVG(amount) AS a FROM sales GROUP BY kind) q GROUP BY q.kind", proved, nil},
		{all, "SELECT AVG(q.a) FROM (SELECT kind, AVG(amount) * COUNT(*) AS a FROM sales GROUP BY kind) q", proved, nil},

		// days and times
		{all, "SELECT SUM(amount) FROM sales WHERE at BETWEEN '2026-01-01 00:00:00' AND '2026-01-31 00:00:00'", proved, []string{"question date_boundary"}},
		{all, "SELECT SUM(amount) FROM sales WHERE at <= date('2026-01-31')", proved, []string{"question date_boundary"}},
		{all, "SELECT SUM(CASE WHEN at <= '2026-01-31' THEN amount END) FROM sales", proved, []string{"question date_boundary"}},
		{all, "SELECT SUM(s.amount) FROM sales s JOIN versions v ON v.customer_id = s.customer_id AND s.at BETWEEN v.valid_from AND v.valid_to", open, []string{"question date_boundary", "note fan_out"}},
		{all, "SELECT SUM(s.amount) FROM sales s JOIN targets t ON t.day = s.at", proved, []string{"note date_boundary"}},
		{all, "SELECT SUM(s.amount) FROM sales s JOIN targets t ON t.day = s.day", proved, nil},
		{all, "SELECT SUM(amount) FROM sales WHERE at < '2026-02-01' AND day <= '2026-01-31' AND kind <= '2026-01-31'", proved, nil},

		// values: a count of what no row has is 0
		{all, "SELECT SUM(amount) FROM sales WHERE kind = 'webb'", proved, []string{"question value_unknown"}},
		{all, "SELECT SUM(CASE WHEN kind = 'webb' THEN amount END) FROM sales", proved, nil},
		{all, "SELECT SUM(CASE kind WHEN 'webb' THEN amount WHEN 'shop' THEN 0 END) FROM sales", proved, nil},
		{"sqlite postgres", "SELECT SUM(amount) FILTER (WHERE kind = 'webb') FROM sales", proved, nil},
		{all, "SELECT SUM(CASE WHEN kind = 'web' THEN amount END) FROM sales", proved, nil},
		{all, "SELECT SUM(CASE WHEN cost = NULL THEN amount END) FROM sales", proved, []string{"error null_compare"}},
		{all, "SELECT SUM(amount) FROM sales WHERE id = 'E-12'", proved, []string{"error type_mismatch"}},
		{all, "SELECT SUM(amount) FROM sales WHERE id = ' 12 ' OR amount > '1e3'", proved, nil},

		// outer joins
		{all, "SELECT c.id, COUNT(s.id) FROM customers c LEFT JOIN sales s ON s.customer_id = c.id WHERE s.kind NOT IN ('web') GROUP BY c.id", proved, []string{"note outer_join_undone"}},
		{all, "SELECT c.id, COUNT(s.id) FROM customers c LEFT JOIN sales s ON s.customer_id = c.id WHERE NOT (s.kind = 'web') GROUP BY c.id", proved, []string{"note outer_join_undone"}},
		{all, "SELECT c.id, COUNT(s.id) FROM customers c LEFT JOIN sales s ON s.customer_id = c.id WHERE NOT (s.kind = 'web' AND s.amount > 5) GROUP BY c.id", proved, nil},
		{all, "SELECT c.id FROM customers c WHERE (c.id, c.name) NOT IN (SELECT s.customer_id, s.cost FROM sales s)", "", []string{"question not_in_null"}},

		// whole rows
		{"postgres", "SELECT json_agg(s) FROM (SELECT id, amount FROM sales) s JOIN parts p ON p.sale_id = s.id", wrong, []string{"error fan_out"}},
		{"postgres", "SELECT json_agg(p) FROM sales s JOIN (SELECT sale_id, pieces FROM parts) p ON p.sale_id = s.id", proved, nil},

		{"postgres", "SELECT json_agg(q) FROM (SELECT s.id FROM sales s JOIN parts p ON p.sale_id = s.id) q", wrong, []string{"error fan_out"}},

		// LATERAL
		{"mysql postgres", "SELECT SUM(c.credit) FROM customers c LEFT JOIN LATERAL (SELECT s.id FROM sales s WHERE s.customer_id = c.id) q ON true", wrong, []string{"error fan_out"}},
		{"mysql postgres", "SELECT SUM(c.credit) FROM customers c LEFT JOIN LATERAL (SELECT s.id FROM sales s WHERE s.customer_id = c.id ORDER BY s.id LIMIT 3) q ON true", wrong, []string{"error fan_out"}},
		{"mysql postgres", "SELECT SUM(q.amount) FROM customers c LEFT JOIN LATERAL (SELECT s.amount FROM sales s WHERE s.customer_id = c.id) q ON true", proved, nil},
		{"mysql postgres", "SELECT SUM(q.amount) FROM customers c CROSS JOIN LATERAL (SELECT s.amount FROM sales s WHERE s.customer_id = c.id ORDER BY s.amount DESC LIMIT 3) q", open, []string{"note fan_out"}},
		{"mysql postgres", "SELECT SUM(s.amount) FROM sales s LEFT JOIN LATERAL (SELECT c.name FROM customers c WHERE c.id = s.customer_id) q ON true", proved, nil},

		// a function of the SELECT list returns several rows
		{"postgres", "SELECT SUM(q.amount) FROM (SELECT s.amount, unnest(string_to_array(s.kind, ',')) AS tag FROM sales s) q", open, nil},
		{"postgres", "SELECT SUM(q.amount) FROM (SELECT s.amount, generate_series(1, s.cost) AS n FROM sales s) q", open, nil},
		{"postgres", "SELECT unnest(string_to_array(kind, ',')) AS tag, SUM(amount) FROM sales GROUP BY 1", open, nil},
		{"postgres", "SELECT SUM(amount) OVER () FROM (SELECT s.amount, regexp_split_to_table(s.kind, ',') AS tag FROM sales s) q", open, nil},
		{"postgres", "SELECT SUM(amount) FROM sales WHERE kind IN (SELECT unnest(string_to_array('web,shop', ',')))", proved, nil},

		// MySQL filters rows by HAVING
		{"mysql", "SELECT SUM(s.amount) FROM sales s JOIN (SELECT sale_id, pieces AS n FROM parts HAVING n > 1) q ON q.sale_id = s.id", wrong, []string{"error fan_out"}},
		{"mysql", "SELECT s.id, (SELECT COUNT(*) FROM parts p WHERE p.sale_id = s.id) AS n FROM sales s HAVING n > 2", proved, nil},
		{"mysql", "SELECT SUM(amount) FROM sales WHERE at <= LAST_DAY('2026-01-15')", proved, []string{"question date_boundary"}},

		// windows that are named
		{all, "SELECT SUM(s.amount) FROM sales s JOIN (SELECT sale_id, RANK() OVER w AS n FROM parts WINDOW w AS (PARTITION BY sale_id ORDER BY id)) p ON p.sale_id = s.id AND p.n = 1", proved, nil},
	} {
		for _, d := range dialects {
			if test.dialects != "" && !strings.Contains(test.dialects, d.Name()) {
				continue
			}
			g, p := warehouse(t, d)
			stmt, err := g.Rewrite(t.Context(), test.sql)
			if err != nil {
				t.Errorf("%s: %v\n%s", d.Name(), err, test.sql)
				continue
			}
			r := p.Check(stmt)
			verdict := ""
			if len(r.Aggregates) > 0 {
				verdict = string(r.Aggregates[0].Verdict)
			}
			var findings []string
			for _, f := range r.Findings {
				if f.Code != "count_rows" && f.Code != "count_outer" {
					findings = append(findings, string(f.Severity)+" "+string(f.Code))
				}
			}
			if verdict != test.verdict {
				t.Errorf("%s: the verdict is %s, want %s\n%s", d.Name(), verdict, test.verdict, test.sql)
			}
			if diff := cmp.Diff(test.findings, findings, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: findings (-want +got)\n%s%s", d.Name(), diff, test.sql)
			}
		}
	}
}

// TestWrongCardinality checks that keys win over the cardinality of a relationship, which a
// file may state wrongly.
func TestWrongCardinality(t *testing.T) {
	const sum = "SELECT SUM(o.total), SUM(i.quantity) FROM orders o JOIN items i ON i.order_id = o.id"
	for _, cardinality := range []joinpath.Cardinality{joinpath.OneToMany, joinpath.OneToOne, joinpath.ManyToMany, joinpath.ManyToOne, ""} {
		s := shop()
		for i := range s.Relationships {
			s.Relationships[i].Cardinality = cardinality
		}
		stmt, err := guard(t, dialects[0]).Rewrite(t.Context(), sum)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range sqlproof.New(s).Check(stmt).Aggregates {
			got = append(got, string(a.Verdict))
		}
		if diff := cmp.Diff([]string{"contradicted", "proved"}, got); diff != "" {
			t.Errorf("cardinality %q (-want +got)\n%s", cardinality, diff)
		}
	}
}
