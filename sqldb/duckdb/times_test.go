package duckdb_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
)

// The times of a statement are read from the tree that DuckDB makes of it.
func TestTimes(t *testing.T) {
	g := newGuard(t, &secureview.Policy{Schema: "main", Tables: map[string][]string{"orders": {"id", "d", "ts", "amount"}}})
	types := func(_ dialect.TableName, column string) string {
		return map[string]string{"d": "DATE", "ts": "TIMESTAMP", "id": "INTEGER", "amount": "DOUBLE"}[column]
	}
	march := []dates.Bound{{From: "2026-03-01", Before: "2026-04-01", Exact: true}}
	for where, want := range map[string][]dates.Bound{
		"o.d >= DATE '2026-03-01' AND o.d < DATE '2026-04-01'":                 march,
		"o.d >= '2026-03-01' AND o.d < '2026-03-01'::DATE + INTERVAL 1 MONTH":  march,
		"o.d >= '2026-03-01' AND o.d < DATE '2026-03-01' + INTERVAL '1 month'": march,
		"o.d BETWEEN '2026-03-01' AND '2026-03-31'":                            march,
		"o.d BETWEEN '2026-03-01' AND DATE '2026-04-01' - 1":                   march,
		"date_trunc('month', o.ts) = '2026-03-01'":                             march,
		"strftime(o.ts, '%Y-%m') = '2026-03'":                                  march,
		"year(o.ts) = 2026 AND month(o.ts) = 3":                                march,
		"EXTRACT(year FROM o.ts) = 2026 AND EXTRACT(month FROM o.ts) = 3":      march,
		"o.ts::DATE BETWEEN '2026-03-01' AND '2026-03-31'":                     march,
		"o.ts >= TIMESTAMP '2026-03-01 00:00:00' AND o.ts < '2026-04-01'":      march,
		"o.ts BETWEEN '2026-03-01' AND '2026-03-31'":                           {{From: "2026-03-01", Before: "2026-03-31 00:00:00.000001", Exact: true}},
		"o.ts >= current_date":                                                 nil,
		"o.amount > 5":                                                         nil,
	} {
		stmt, err := g.Rewrite(t.Context(), "SELECT count(*) FROM orders o WHERE "+where)
		if err != nil {
			t.Errorf("%s: %v", where, err)
			continue
		}
		got := stmt.Times(types)
		if diff := cmp.Diff(want, got.Bounds); diff != "" || got.Complete == strings.Contains(where, "current_date") || got.Looks == strings.Contains(where, "amount") {
			t.Errorf("%s: complete %v, looks %v\n%s", where, got.Complete, got.Looks, diff)
		}
	}
	for _, dated := range []string{"2026-03-01", "2026-3-1", "03/01/2026", "2026/03/01", "2026-03"} {
		_, err := g.Rewrite(t.Context(), "SELECT o.id FROM orders o WHERE o.d >= "+dated)
		if e, ok := err.(*refusal.Error); !ok || e.Problems[0].Code != secureview.ErrUnquotedDate {
			t.Errorf("%s: %v", dated, err)
		}
	}
	for _, honest := range []string{"2026-1", "10-3-1", "o.id-o.amount-1", "1990-2000", "365-30-12"} {
		if _, err := g.Rewrite(t.Context(), "SELECT o.id FROM orders o WHERE o.amount >= "+honest); err != nil {
			t.Errorf("%s: %v", honest, err)
		}
	}
}
