package duckdb_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
)

// What the tree has no node for is refused with its name, its place and a remedy.
func TestRefusals(t *testing.T) {
	g := newGuard(t, policy)
	for _, test := range []struct {
		query string
		code  refusal.Code
		says  string
	}{
		{"PIVOT orders ON region USING sum(amount)", secureview.ErrUnsupported, "FILTER (WHERE"},
		{"SELECT * FROM orders PIVOT (sum(amount) FOR region IN ('north'))", secureview.ErrUnsupported, "FILTER (WHERE"},
		{"UNPIVOT orders ON id, amount", secureview.ErrUnsupported, "UNION ALL"},
		{"SELECT o.id FROM orders o SEMI JOIN customers c ON c.name = o.customer", secureview.ErrUnsupported, "EXISTS"},
		{"SELECT c.id FROM customers n JOIN (orders c ANTI JOIN customers d ON d.name = c.customer) ON true", secureview.ErrUnsupported, "EXISTS"},
		{"SELECT t.ts FROM trades t ASOF SEMI JOIN quotes q ON t.symbol = q.symbol AND t.ts >= q.ts", secureview.ErrUnsupported, "EXISTS"},
		{"SELECT t.ts FROM trades t ASOF LEFT JOIN (SELECT ts FROM quotes EXCEPT ALL SELECT ts FROM trades) q ON t.ts >= q.ts AND t.symbol = 'A'",
			secureview.ErrUnsupported, "write EXCEPT"},
		{"SELECT ts FROM quotes INTERSECT ALL SELECT ts FROM trades", secureview.ErrUnsupported, "write INTERSECT"},
		{"SELECT id FROM orders USING SAMPLE 3 ROWS", secureview.ErrUnsupported, "ORDER BY random()"},
		{"SELECT id FROM orders TABLESAMPLE reservoir(5 ROWS)", secureview.ErrUnsupported, "ORDER BY random()"},
		{"SELECT id FROM (SELECT id FROM orders) TABLESAMPLE 10%", secureview.ErrUnsupported, "ORDER BY random()"},
		{"SELECT * RENAME (amount AS euro) FROM orders", secureview.ErrUnsupported, "name the columns"},
		{"SELECT 12345678901234567890123", secureview.ErrUnsupported, "::HUGEINT"},
		{"SELECT 0.1234567890123456789", secureview.ErrUnsupported, "::HUGEINT"},
		{"SELECT NULL::STRUCT(a INTEGER)", secureview.ErrUnsupported, "cast to VARCHAR"},
		{"SELECT NULL::MAP(VARCHAR, INTEGER)", secureview.ErrUnsupported, "cast to VARCHAR"},
		{"SELECT [1, 2]::INTEGER[2]", secureview.ErrUnsupported, "cast to VARCHAR"},
		{"SELECT mode(region) OVER (PARTITION BY customer) FROM orders", secureview.ErrTooCostly, "GROUP BY"},
		{"SELECT string_agg(region, ',' ORDER BY id) OVER (PARTITION BY customer) FROM orders", secureview.ErrTooCostly, "GROUP BY"},
		{"SELECT count(DISTINCT region) OVER (ORDER BY id ROWS BETWEEN 9 PRECEDING AND CURRENT ROW EXCLUDE GROUP) FROM orders",
			secureview.ErrTooCostly, "GROUP BY"},
		{"SELECT * LIKE 'a%' FROM orders", secureview.ErrMisplaced, "name the columns"},
		{"SELECT min(COLUMNS(*)) FROM orders", secureview.ErrMisplaced, "name the columns"},
		{"SELECT pg_catalog.lower(region) FROM orders", secureview.ErrFunction, "leave out"},
		{"SELECT memory.main.lower(region) FROM orders", secureview.ErrFunction, "leave out"},
		{"SELECT region.query() FROM orders", secureview.ErrFunction, "query"},
		{"SELECT nothing.lower() FROM orders", secureview.ErrUnknownColumn, "nothing"},
		{"SELECT id.sum() OVER () FROM orders", secureview.ErrUnsupported, "first argument"},
		{"SELECT id FROM orders POSITIONAL JOIN customers", secureview.ErrUnsupported, "row_number()"},
		{"SELECT id FROM orders UNION BY NAME SELECT 1 AS id", secureview.ErrUnsupported, "same order"},
		{"SELECT id FROM orders LIMIT 10%", secureview.ErrUnsupported, "LIMIT with a number"},
		{"SELECT COLUMNS('a.*') FROM orders", secureview.ErrUnsupported, "name the columns"},
		{"SELECT #1 FROM orders", secureview.ErrUnsupported, "name the column"},
		{"SELECT tags[1:3:2] FROM orders", secureview.ErrUnsupported, "list_filter"},
		{"SELECT id + 1 AS m, count(*) FROM orders GROUP BY m HAVING (SELECT max(n.id) FROM nodes n WHERE n.id = m) > 1", secureview.ErrMisplaced, "WITH"},
		{"SELECT id + 1 AS m, (SELECT max(n.id) FROM nodes n WHERE n.id = m) FROM orders GROUP BY m", secureview.ErrMisplaced, "WITH"},
		{"SELECT id + 1 AS m, count(*) FROM orders GROUP BY m ORDER BY (SELECT max(n.id) FROM nodes n WHERE n.id = m)", secureview.ErrMisplaced, "WITH"},
		{"SHOW TABLES", secureview.ErrUnsupported, "SELECT"},
		{"SELECT list_reduce(tags, (a, b) -> a || b) FROM orders", secureview.ErrTooCostly, "list_transform"},
		{"SELECT * FROM read_csv('x.csv')", secureview.ErrUnsupported, "read_csv"},
		{"SELECT list_transform(tags, t -> list_transform(tags, u -> t || u)) FROM orders", secureview.ErrUnsupported, "two steps"},
		{"SELECT list_transform(tags, id -> id) FROM orders", secureview.ErrAmbiguousName, "rename"},
		{"SELECT id * 2 AS amount FROM orders QUALIFY row_number() OVER (ORDER BY amount) = 1", secureview.ErrAmbiguousColumn, "rename"},
		{"SELECT 1 AS orders, count(*) FROM orders GROUP BY orders", secureview.ErrAmbiguousName, "rename the alias"},
		{"SELECT id % 2 AS o FROM orders o WHERE o = 1", secureview.ErrAmbiguousName, "rename the alias"},
		{"SELECT id % 2 AS o FROM orders o ORDER BY o || 'x'", secureview.ErrAmbiguousName, "rename the alias"},
		{"SELECT id % 2 AS o, max(o) OVER () FROM orders o", secureview.ErrAmbiguousName, "rename the alias"},
		{"SELECT q.x FROM (SELECT 1 AS o) z, LATERAL (SELECT o AS x FROM orders o) q", secureview.ErrAmbiguousName, "rename the alias"},
		{"SELECT (SELECT k FROM (SELECT o.id AS o, o AS k FROM nodes LIMIT 1)) FROM orders o", secureview.ErrAmbiguousName, "rename the alias"},
		{"SELECT b + 1 AS a, id AS b FROM orders", secureview.ErrMisplaced, "to the left"},
		{"SELECT x || 'x' AS x, count(*) FROM orders GROUP BY x", secureview.ErrMisplaced, "to the left"},
		{"SELECT x || 'x' AS x, count(*) FROM orders GROUP BY CUBE (1)", secureview.ErrMisplaced, "to the left"},
		{"SELECT max(b) AS a, id AS b FROM orders GROUP BY ALL", secureview.ErrMisplaced, "to the left"},
		{"SELECT (SELECT x) AS x FROM orders", secureview.ErrMisplaced, "to the left"},
		{"SELECT region AS r, count(*) FROM orders GROUP BY GROUPING SETS ((r), (1))", secureview.ErrUnsupported, "same way"},
		{"SELECT region AS r, r AS s FROM orders GROUP BY CUBE (r, region)", secureview.ErrUnsupported, "same way"},
		{"SELECT region AS r FROM orders GROUP BY CUBE (r, region) HAVING r IS NULL", secureview.ErrUnsupported, "same way"},
		{"SELECT region AS r, region AS r FROM orders GROUP BY CUBE (r, region)", secureview.ErrUnsupported, "same way"},
		{"SELECT region AS r, count(*) FROM orders GROUP BY GROUPING SETS ((status), (r)), region", secureview.ErrUnsupported, "same way"},
		{"SELECT coalesce(region) FROM orders GROUP BY CUBE (region, orders.region)", secureview.ErrUnsupported, "same way"},
		{"SELECT 5 AS n, region FROM orders GROUP BY CUBE (1, 2) ORDER BY -n", secureview.ErrUnsupported, "alias alone"},
		{"SELECT * EXCLUDE (nothing) FROM orders", secureview.ErrUnknownColumn, "EXCLUDE"},
		{"SELECT * REPLACE (1 AS nothing) FROM orders", secureview.ErrUnknownColumn, "REPLACE"},
		{"SELECT * EXCLUDE (name, country) FROM customers", secureview.ErrColumnCount, "no column"},
		{"SELECT amuont FROM orders", secureview.ErrUnknownColumn, "amount"},
		{"SELECT detial.color FROM orders", secureview.ErrUnknownTable, "detial"},
		{"DELETE FROM orders", secureview.ErrNotSelect, "DELETE"},
		{"SELECT 1; SELECT 2", secureview.ErrMultipleQueries, "2 statements"},
		{"SELECT ?", secureview.ErrParameter, "value"},
		{"SELECT range(id) FROM orders", secureview.ErrUnbounded, "FROM"},
		{"SELECT range(10 * 1000000000)", secureview.ErrUnbounded, "FROM"},
		{"SELECT range(TIMESTAMP '1900-01-01', TIMESTAMP '2024-01-01', INTERVAL 1 SECOND)", secureview.ErrUnbounded, "INTERVAL 1 DAY"},
		{"SELECT range(CURRENT_DATE, CURRENT_DATE + INTERVAL 99999 YEAR, INTERVAL 1 DAY)", secureview.ErrUnbounded, "FROM"},
		{"SELEC 1", secureview.ErrSyntax, "SELEC"},
	} {
		_, err := g.Rewrite(context.Background(), test.query)
		var refused *refusal.Error
		if !errors.As(err, &refused) {
			t.Errorf("%s\nerror %v, want a refusal", test.query, err)
			continue
		}
		if p := refused.Problems[0]; p.Code != test.code || !strings.Contains(p.Message+strings.Join(p.Candidates, " "), test.says) {
			t.Errorf("%s\nis refused as %q: %s\nwant %q and %q", test.query, p.Code, p.Message, test.code, test.says)
		}
	}
}
