package sqlproof_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlproof"
	"github.com/qedkit/qed/sqlproof/proof"
)

// Tables that no condition connects are products. Subqueries of one row are none.
func TestProducts(t *testing.T) {
	for sql, want := range map[string][]string{
		"SELECT id FROM orders":                                                                                                                         nil,
		"SELECT c.id FROM customers c, orders o":                                                                                                        {"customers, orders"},
		"SELECT c.id FROM customers c CROSS JOIN orders o":                                                                                              {"customers, orders"},
		"SELECT c.id FROM customers c, orders o WHERE o.id = c.id":                                                                                      nil,
		"SELECT c.id FROM customers c JOIN orders o ON o.customer_id = c.id, products p":                                                                {"customers, products"},
		"SELECT c.id FROM customers c JOIN orders o USING (id)":                                                                                         nil,
		"SELECT a.id FROM customers a, customers b":                                                                                                     {"a, b"},
		"SELECT c.id FROM customers c, (SELECT count(*) AS n FROM orders) d":                                                                            nil,
		"SELECT c.id FROM customers c, (SELECT id FROM orders LIMIT 1) d":                                                                               nil,
		"SELECT c.id FROM customers c, (SELECT id FROM orders GROUP BY id) d":                                                                           {"customers, d"},
		"WITH x AS (SELECT id FROM orders) SELECT c.id FROM customers c, x":                                                                             {"customers, x"},
		"WITH x AS (SELECT id FROM orders) SELECT c.id FROM customers c JOIN x ON x.id = c.id":                                                          nil,
		"SELECT c.id FROM customers c WHERE c.id IN (SELECT i.order_id FROM items i, products p)":                                                       {"items, products"},
		"SELECT c.id FROM customers c, orders o WHERE EXISTS (SELECT 1 FROM items i WHERE i.id = c.id + o.id)":                                          nil,
		"SELECT c.id FROM customers c, orders o WHERE EXISTS (SELECT 1 FROM customers c JOIN orders o ON o.id = c.id)":                                  {"customers, orders"},
		"SELECT c.id FROM customers c, orders o WHERE EXISTS (SELECT 1 FROM items i WHERE i.id = c.id AND i.id = o.id)":                                 nil,
		"SELECT (SELECT count(*) FROM customers) AS a, (SELECT count(*) FROM orders) AS b":                                                              nil,
		"SELECT id FROM customers UNION ALL SELECT id FROM orders":                                                                                      nil,
		"WITH RECURSIVE r(id) AS (SELECT id FROM orders UNION SELECT r.id + 1 FROM r JOIN items i ON i.id = r.id WHERE r.id < 9) SELECT id FROM r":      nil,
		"SELECT c.id FROM customers c, orders o WHERE EXISTS (SELECT 1 FROM items i WHERE i.quantity > c.credit AND i.quantity < o.total) AND o.id = 1": nil,
	} {
		for _, d := range dialects {
			stmt, err := guard(t, d).Rewrite(t.Context(), sql)
			if err != nil {
				t.Errorf("%s: %s: %v", d.Name(), sql, err)
				continue
			}
			var got []string
			for _, j := range prover().Check(stmt).Joins {
				if j.Verdict == dates.Contradicted && len(j.Columns) == 0 && !j.Condition {
					got = append(got, j.Left+", "+j.Right)
				}
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: %s: %s", d.Name(), sql, diff)
			}
		}
	}
}

// Each pair of tables that a condition connects has an item, whatever the condition compares.
func TestJoinsByConditions(t *testing.T) {
	for sql, want := range map[string][]string{
		"SELECT o.id FROM orders o JOIN items i ON i.quantity < o.total":                             {"inner orders, items true not_checked"},
		"SELECT o.id FROM orders o LEFT JOIN items i ON i.order_id = o.id OR i.id = o.id":            {"left orders, items true not_checked"},
		"SELECT o.id FROM orders o JOIN items i ON i.price BETWEEN o.total AND o.total + 1":          {"inner orders, items true not_checked"},
		"SELECT o.id FROM orders o WHERE EXISTS (SELECT 1 FROM items i WHERE i.price > o.total)":     {"semi orders, items true not_checked"},
		"SELECT o.id FROM orders o WHERE NOT EXISTS (SELECT 1 FROM items i WHERE i.order_id = o.id)": {"anti orders, items false proved"},
		"SELECT (SELECT SUM(i.price) FROM items i WHERE i.order_id = o.id) AS x FROM orders o":       {"subquery orders, items false proved"},
		"SELECT o.id FROM orders o WHERE o.customer_id NOT IN (SELECT c.id FROM customers c)":        {"anti orders, customers false proved"},
	} {
		for _, d := range dialects {
			stmt, err := guard(t, d).Rewrite(t.Context(), sql)
			if err != nil {
				t.Errorf("%s: %s: %v", d.Name(), sql, err)
				continue
			}
			var got []string
			for _, j := range prover().Check(stmt).Joins {
				got = append(got, fmt.Sprintf("%s %s %v %s", j.Kind, strings.Join([]string{j.Left, j.Right}, ", "), j.Condition, j.Verdict))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s: %s", d.Name(), sql, diff)
			}
		}
	}
}

// A text is unknown only if all values are known and none may be equal to it.
func TestUnknownValues(t *testing.T) {
	values := func(table, column string) []string {
		if table == "orders" && column == "status" {
			return []string{"open", "paid", "Zürich"}
		}
		return nil
	}
	for sql, want := range map[string]string{
		"SELECT id FROM orders WHERE status = 'opne'":                                                    `no row has "opne" in orders.status: it has values such as open, Zürich and paid`,
		"SELECT id FROM orders WHERE status IN ('open', 'shipped')":                                      `no row has "shipped" in orders.status: it has values such as Zürich, open and paid`,
		"SELECT x.id FROM (SELECT id, status AS s FROM orders) x WHERE x.s <> 'opne'":                    `no row has "opne" in orders.status: it has values such as open, Zürich and paid`,
		"SELECT SUM(CASE WHEN status = 'shut' THEN 1 ELSE 0 END) AS n FROM orders WHERE status = 'open'": "",
		"SELECT id FROM orders WHERE status = 'OPEN'":                                                    "",
		"SELECT id FROM orders WHERE status = 'zurich'":                                                  "",
		"SELECT id FROM orders WHERE status = ''":                                                        "",
		"SELECT id FROM orders WHERE status LIKE 'opne'":                                                 "",
		"SELECT id FROM customers WHERE name = 'Nobody'":                                                 "",
	} {
		for _, d := range dialects {
			stmt, err := guard(t, d).Rewrite(t.Context(), sql)
			if err != nil {
				t.Fatalf("%s: %s: %v", d.Name(), sql, err)
			}
			got := ""
			for _, f := range prover().WithValues(values).Check(stmt).Findings {
				if f.Code == proof.ValueUnknown {
					got = f.Message + ": " + f.Fix
				}
			}
			if got != want {
				t.Errorf("%s: %s: %q, want %q", d.Name(), sql, got, want)
			}
		}
	}
}

// A join by one of several declared relationships is a note, whichever side it starts from.
func TestJoinRoles(t *testing.T) {
	s := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"invoice": {Columns: []string{"id", "created_by", "approved_by", "team"}, PrimaryKey: []string{"id"}},
		"person":  {Columns: []string{"id", "team"}, PrimaryKey: []string{"id"}},
		"visit":   {Columns: []string{"id", "person_id", "other_person_id"}, PrimaryKey: []string{"id"}},
	}}
	for _, key := range [][2]string{{"invoice", "created_by"}, {"invoice", "approved_by"}, {"visit", "person_id"}, {"visit", "other_person_id"}} {
		if err := s.AddForeignKey(key[0], []string{key[1]}, "person", []string{"id"}); err != nil {
			t.Fatal(err)
		}
	}
	g, err := secureview.New(&secureview.Policy{Schema: "main", Tables: map[string][]string{
		"invoice": s.Tables["invoice"].Columns, "person": s.Tables["person"].Columns, "visit": s.Tables["visit"].Columns,
	}}, dialects[0])
	if err != nil {
		t.Fatal(err)
	}
	for sql, want := range map[string][]string{
		"SELECT i.id FROM invoice i JOIN person p ON p.id = i.created_by":                                       {"created_by, not approved_by"},
		"SELECT i.id FROM person p JOIN invoice i ON p.id = i.approved_by":                                      {"approved_by, not created_by"},
		"SELECT i.id FROM invoice i JOIN person p ON p.id = i.created_by JOIN person q ON q.id = i.approved_by": nil,
		"SELECT i.id FROM invoice i JOIN person p ON p.team = i.team":                                           nil,
		"SELECT v.id FROM visit v JOIN person p ON p.id = v.person_id":                                          nil,
		"SELECT v.id FROM visit v JOIN person p ON p.id = v.other_person_id":                                    {"other_person_id, not person_id"},
	} {
		stmt, err := g.Rewrite(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range sqlproof.New(s).Check(stmt).Findings {
			if f.Code == proof.JoinRole {
				got = append(got, f.Subject+", not "+strings.Join(f.Of, ", "))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", sql, diff)
		}
	}
}

// A cardinality that a graph claims proves nothing: only keys say what is unique.
func TestClaimedCardinality(t *testing.T) {
	const repeats = "SELECT SUM(o.total) FROM orders o JOIN payments p ON p.order_id = o.id"
	const looksUp = "SELECT SUM(p.amount) FROM payments p JOIN log l ON l.order_id = p.order_id"
	for _, kind := range []string{joinpath.Manual, joinpath.Association, joinpath.ForeignKey, ""} {
		for _, claimed := range []joinpath.Cardinality{"", joinpath.OneToOne, joinpath.ManyToOne, joinpath.OneToMany} {
			s := shop()
			for i, r := range s.Relationships {
				if r.FromTable == "payments" {
					s.Relationships[i].Type, s.Relationships[i].Cardinality = kind, claimed
				}
			}
			s.Relationships = append(s.Relationships, joinpath.Relationship{
				FromTable: "payments", FromColumn: "order_id", ToTable: "log", ToColumn: "order_id", Type: kind, Confidence: 1, Cardinality: claimed})
			for text, want := range map[string]dates.Verdict{repeats: dates.Contradicted, looksUp: dates.NotChecked} {
				stmt, err := guard(t, sqlite.Dialect{}).Rewrite(t.Context(), text)
				if err != nil {
					t.Fatal(err)
				}
				got := sqlproof.New(s).Check(stmt).Aggregates[0].Verdict
				if turned := claimed == joinpath.OneToMany; got == dates.Proved || got != want && !turned {
					t.Errorf("type %q, claimed %q: %s is %s, want %s", kind, claimed, text, got, want)
				}
			}
		}
	}
}
