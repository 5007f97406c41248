package sqlproof_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqlproof"
)

// repeated returns n copies of a text, in which %d is their number.
func repeated(n int, separator, text string) string {
	var all []string
	for i := range n {
		all = append(all, strings.ReplaceAll(text, "%d", fmt.Sprint(i)))
	}
	return strings.Join(all, separator)
}

// TestLimits checks statements at the limit of the guard's length, of each shape that
// could take much time.
func TestLimits(t *testing.T) {
	doubling := "WITH c0 AS (SELECT id, total FROM orders)"
	for i := range 4 {
		doubling += fmt.Sprintf(", c%d AS (SELECT a.id, b.total FROM c%d a JOIN c%d b ON a.id = b.id)", i+1, i, i)
	}
	grouped := "WITH c0 AS (SELECT id, SUM(total) total FROM orders GROUP BY id)"
	for i := range 6 {
		grouped += fmt.Sprintf(", c%d AS (SELECT a.id, SUM(b.total) total FROM c%d a JOIN c%d b ON a.id = b.id GROUP BY a.id)", i+1, i, i)
	}
	tests := []struct {
		name, sql string
	}{
		{"CTEs that join the one before twice", doubling + " SELECT SUM(total) FROM c4"},
		{"groups that join the one before twice", grouped + " SELECT SUM(total) FROM c6"},
		{"many tables", "SELECT SUM(a0.total) FROM " + repeated(20, ", ", "orders a%d")},
		{"a chain of joins", "SELECT SUM(a0.total) FROM orders a0" + repeated(19, "", " JOIN orders b%d ON b%d.id = a0.id")},
		{"a chain of outer joins", "SELECT COUNT(*) FROM orders a0" + repeated(19, "", " LEFT JOIN orders b%d ON b%d.id = a0.id")},
		{"a chain backwards", "SELECT SUM(b0.total) FROM orders b0, " + repeated(19, ", ", "orders c%d") + " WHERE " +
			repeated(19, " AND ", "c%d.id = b0.customer_id AND b0.total = c%d.total")},
		{"many aggregates", "SELECT " + repeated(350, ", ", "SUM(o.total * %d)") + " FROM orders o JOIN items i ON i.order_id = o.id"},
		{"aggregates and joins", "SELECT " + repeated(150, ", ", "SUM(o.total * %d)") + " FROM orders o" + repeated(19, "", " LEFT JOIN items i%d ON i%d.order_id = o.id AND i%d.quantity = %d")},
		{"counts and joins", "SELECT " + repeated(150, ", ", "COUNT(o.total + %d)") + " FROM orders o" + repeated(19, "", " LEFT JOIN orders i%d ON i%d.id = o.customer_id")},
		{"many conditions", "SELECT COUNT(*) FROM orders o JOIN items i ON i.order_id = o.id WHERE " + repeated(190, " AND ", "o.total = i.quantity + %d")},
		{"conditions and joins", "SELECT COUNT(*), SUM(a0.total), AVG(a1.total) FROM " + repeated(20, ", ", "orders a%d") + " WHERE a0.id = a1.id AND " + repeated(20, " AND ", "a0.total = a%d.id AND a%d.id = a1.customer_id AND a1.total = a%d.total AND a%d.customer_id = a0.id")},
		{"terms of a product", "SELECT SUM(" + repeated(60, " * ", "(o.total + i.quantity + o.customer_id + %d)") + ") FROM orders o JOIN items i ON i.order_id = o.id"},
		{"terms of a sum", "SELECT SUM(" + repeated(20, " + ", "a%d.total * a0.total") + ") FROM " + repeated(20, ", ", "orders a%d")},
		{"columns of an IN", "SELECT COUNT(*) FROM orders o WHERE (" + repeated(200, ", ", "o.total") + ") IN (SELECT " + repeated(200, ", ", "i.quantity") + " FROM items i)"},
		{"groups", "SELECT o.id, COUNT(*) FROM orders o JOIN items i ON i.order_id = o.id GROUP BY " + repeated(400, ", ", "o.total + %d")},
		{"a wide DISTINCT", "SELECT SUM(d.total) FROM (SELECT DISTINCT " + repeated(150, ", ", "o.total + %d AS c%d") + ", o.total FROM orders o) d JOIN items i ON i.id = d.total"},
		{"a wide row", "SELECT COUNT(*) FROM (SELECT DISTINCT " + repeated(200, ", ", "o.total AS c%d") + " FROM orders o) d JOIN items i ON " + repeated(150, " AND ", "i.id = d.c%d")},
		{"nested subqueries", "SELECT COUNT(*) FROM " + strings.Repeat("(SELECT d.id FROM ", 18) + "orders d" + strings.Repeat(" JOIN orders e ON e.id = d.id) d", 18)},
		{"nested correlations", "SELECT COUNT(*) FROM orders d WHERE " + repeated(18, "", "EXISTS (SELECT 1 FROM orders e%d WHERE e%d.id = d.id AND ") + "1 = 1" + strings.Repeat(")", 18)},
		{"nested IN", "SELECT COUNT(*) FROM orders d WHERE " + repeated(18, "", "d.id IN (SELECT e%d.id FROM orders e%d WHERE ") + "1 = 1" + strings.Repeat(")", 18)},
		{"nested NOT IN", "SELECT COUNT(*) FROM orders d WHERE " + repeated(18, "", "d.id NOT IN (SELECT e%d.id FROM orders e%d WHERE ") + "1 = 1" + strings.Repeat(")", 18)},
		{"nested calls", "SELECT SUM(" + strings.Repeat("coalesce(o.total, ", 60) + "i.quantity" + strings.Repeat(")", 60) + ") FROM orders o JOIN items i ON i.order_id = o.id"},
	}
	for _, d := range dialects {
		for _, test := range tests {
			t.Run(d.Name()+" "+test.name, func(t *testing.T) {
				stmt, err := guard(t, d).Rewrite(t.Context(), test.sql)
				if err != nil {
					t.Skip(err)
				}
				begin := time.Now()
				report := prover().Check(stmt)
				if took := time.Since(begin); took > time.Second {
					t.Errorf("%d bytes took %v", len(test.sql), took)
				} else if took > 20*time.Millisecond {
					t.Logf("%d bytes took %v", len(test.sql), took)
				}
				for _, a := range report.Aggregates {
					if a.Verdict == "" {
						t.Errorf("%s has no verdict", a.Text)
					}
				}
			})
		}
	}
}

// FuzzCheck checks that no statement that a guard accepts makes a check panic, that each
// item has a verdict and a place in the text, and that a finding says something.
func FuzzCheck(f *testing.F) {
	guards, p := map[string]*secureview.Guard{}, prover()
	for _, d := range dialects {
		guards[d.Name()] = guard(f, d)
	}
	for _, test := range checkTests {
		f.Add(test.sql)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, d := range dialects[:2] { // the reader of PostgreSQL is slow
			stmt, err := guards[d.Name()].Rewrite(t.Context(), text)
			if err != nil {
				continue
			}
			report := p.Check(stmt)
			for _, j := range report.Joins {
				if j.Verdict == "" || j.At < 0 || j.At > len(text) {
					t.Errorf("%+v in %q", j, text)
				}
			}
			for _, a := range report.Aggregates {
				if a.Verdict == "" || a.Text == "" || a.At < 0 || a.At > len(text) {
					t.Errorf("%+v in %q", a, text)
				}
			}
			for _, x := range report.Findings {
				if x.Code == "" || x.Severity == "" || x.Message == "" || x.At < 0 || x.At > len(text) {
					t.Errorf("%+v in %q", x, text)
				}
			}
		}
	})
}

// TestOtherSchema checks statements of a schema that says nothing about its keys: nothing
// is proved by a key, and nothing contradicted. Tables that the schema does not have and no
// schema at all are alike.
func TestOtherSchema(t *testing.T) {
	bare := shop()
	bare.Relationships = nil
	for name, table := range bare.Tables {
		bare.Tables[name] = joinpath.Table{Columns: table.Columns}
	}
	for _, p := range []*sqlproof.Prover{sqlproof.New(bare), sqlproof.New(nil), sqlproof.New(&joinpath.Schema{})} {
		for _, text := range []string{
			"SELECT SUM(o.total) FROM orders o JOIN items i ON i.order_id = o.id",
			"SELECT SUM(i.quantity) FROM orders o JOIN items i ON i.order_id = o.id",
			"SELECT COUNT(*) FROM orders o JOIN items i ON i.order_id = o.id JOIN payments p ON p.order_id = o.id",
		} {
			stmt, err := guard(t, dialects[0]).Rewrite(t.Context(), text)
			if err != nil {
				t.Fatal(err)
			}
			report := p.Check(stmt)
			if !report.OK() || report.Aggregates[0].Verdict != dates.NotChecked || report.Joins[0].Verdict != dates.NotChecked {
				t.Errorf("%s: %q", text, summary(report))
			}
		}
	}
}

// BenchmarkCheck checks the statements of the public corpora, or our own ones without them.
func BenchmarkCheck(b *testing.B) {
	c := corpora.Find(b)
	all := shelves(b, c, false)
	type pair struct {
		p *sqlproof.Prover
		s *secureview.Statement
	}
	var pairs []pair
	for _, s := range c.Statements {
		if stmt, err := all[s.DB].guard.Rewrite(b.Context(), s.SQL); err == nil {
			pairs = append(pairs, pair{all[s.DB].prover, stmt})
		}
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		x := pairs[i%len(pairs)]
		x.p.Check(x.s)
		i++
	}
}
