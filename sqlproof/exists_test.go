package sqlproof_test

import (
	"database/sql"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlproof"
)

// Joins that only repeat rows become EXISTS. The values of the new statement are those of the
// same question asked without the join.
func TestWithoutRepeats(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE TABLE customer(id INTEGER PRIMARY KEY, city TEXT);
		CREATE TABLE orders(id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer, total INTEGER);
		CREATE TABLE item(id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders, sku TEXT, qty INTEGER);
		INSERT INTO customer VALUES (1, 'Wien'), (2, 'Graz');
		INSERT INTO orders VALUES (1, 1, 100), (2, 1, 50), (3, 2, 7), (4, NULL, 3);
		INSERT INTO item VALUES (1, 1, 'A', 1), (2, 1, 'B', 2), (3, 1, 'A', 5), (4, 2, 'A', 1), (5, 3, 'B', 9)`); err != nil {
		t.Fatal(err)
	}
	policy := &secureview.Policy{Dialect: "sqlite", Tables: map[string][]string{
		"customer": {"id", "city"}, "orders": {"id", "customer_id", "total"}, "item": {"id", "order_id", "sku", "qty"},
	}}
	guard, err := secureview.New(policy, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{}}
	for name, columns := range policy.Tables {
		schema.Tables[name] = joinpath.Table{Columns: columns, PrimaryKey: []string{"id"}}
	}
	for _, key := range [][3]string{{"orders", "customer_id", "customer"}, {"item", "order_id", "orders"}} {
		if err := schema.AddForeignKey(key[0], []string{key[1]}, key[2], []string{"id"}); err != nil {
			t.Fatal(err)
		}
	}
	prover := sqlproof.New(schema)
	rows := func(text string) (all [][2]any) {
		t.Helper()
		found, err := db.Query(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		defer found.Close()
		for found.Next() {
			var row [2]any
			if err := found.Scan(&row[0], &row[1]); err != nil {
				t.Fatal(err)
			}
			all = append(all, row)
		}
		return all
	}
	for _, tt := range []struct{ name, sql, same string }{
		{"an inner join", "SELECT 1 AS k, SUM(o.total) AS t FROM orders o JOIN item i ON i.order_id = o.id",
			"SELECT 1, SUM(total) FROM orders WHERE id IN (SELECT order_id FROM item)"},
		{"with conditions of both", "SELECT 1 AS k, SUM(o.total) AS t FROM orders o JOIN item i ON i.order_id = o.id AND i.qty < 9 WHERE i.sku = 'A' AND o.total > 60",
			"SELECT 1, SUM(total) FROM orders WHERE total > 60 AND id IN (SELECT order_id FROM item WHERE sku = 'A' AND qty < 9)"},
		{"with one condition on both", "SELECT 1 AS k, AVG(o.total) AS t FROM orders o JOIN item i ON i.order_id = o.id WHERE i.qty > o.total OR i.sku = 'A'",
			"SELECT 1, AVG(total) FROM orders o WHERE EXISTS (SELECT 1 FROM item i WHERE i.order_id = o.id AND (i.qty > o.total OR i.sku = 'A'))"},
		{"a left join", "SELECT 1 AS k, SUM(o.total) AS t FROM orders o LEFT JOIN item i ON i.order_id = o.id", "SELECT 1, SUM(total) FROM orders"},
		{"in the middle", "SELECT c.city, SUM(o.total) AS t FROM orders o JOIN item i ON i.order_id = o.id JOIN customer c ON c.id = o.customer_id GROUP BY c.city ORDER BY c.city",
			"SELECT c.city, SUM(o.total) FROM orders o JOIN customer c ON c.id = o.customer_id WHERE o.id IN (SELECT order_id FROM item) GROUP BY c.city ORDER BY c.city"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stmt, err := guard.Rewrite(t.Context(), tt.sql)
			if err != nil {
				t.Fatal(err)
			}
			if prover.Check(stmt).OK() {
				t.Fatal("nothing is contradicted")
			}
			again, err := guard.Rewrite(t.Context(), sqlproof.WithoutRepeats(stmt))
			if err != nil {
				t.Fatalf("%s: %v", sqlproof.WithoutRepeats(stmt), err)
			}
			if r := prover.Check(again); !r.OK() {
				t.Errorf("%s has %+v", again.Source(), r.Findings)
			}
			if diff := cmp.Diff(rows(tt.same), rows(again.SQL())); diff != "" {
				t.Errorf("%s (-want +got):\n%s", again.SQL(), diff)
			}
		})
	}
	for name, text := range map[string]string{
		"its columns are read":    "SELECT i.sku, SUM(o.total) FROM orders o JOIN item i ON i.order_id = o.id GROUP BY i.sku",
		"its columns order":       "SELECT o.id, SUM(o.total) FROM orders o JOIN item i ON i.order_id = o.id GROUP BY o.id ORDER BY MAX(i.qty)",
		"joined rows are counted": "SELECT COUNT(*), SUM(o.total) FROM orders o JOIN item i ON i.order_id = o.id",
		"DISTINCT values":         "SELECT COUNT(DISTINCT o.id), SUM(DISTINCT o.total) FROM orders o JOIN item i ON i.order_id = o.id",
		"a right join":            "SELECT 1, SUM(o.total) FROM orders o JOIN item i ON i.order_id = o.id RIGHT JOIN customer c ON c.id = o.customer_id",
		"a left join with a test": "SELECT 1, SUM(o.total) FROM orders o LEFT JOIN item i ON i.order_id = o.id WHERE i.sku = 'A'",
		"a product":               "SELECT 1, SUM(o.total) FROM orders o, item i",
		"one table":               "SELECT 1, SUM(total) FROM orders",
	} {
		stmt, err := guard.Rewrite(t.Context(), text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := sqlproof.WithoutRepeats(stmt); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
}
