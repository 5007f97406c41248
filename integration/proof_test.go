package integration_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/sqldb"
)

const proofShop = `
	CREATE TABLE customer (id INT PRIMARY KEY, name VARCHAR(40) NOT NULL);
	CREATE TABLE orders (id INT PRIMARY KEY, customer_id INT, total INT NOT NULL, FOREIGN KEY (customer_id) REFERENCES customer (id));
	CREATE TABLE item (id INT PRIMARY KEY, order_id INT NOT NULL, FOREIGN KEY (order_id) REFERENCES orders (id));
	INSERT INTO customer VALUES (1, 'Ann'), (2, 'Bob');
	INSERT INTO orders VALUES (1, 1, 100), (2, NULL, 50), (3, NULL, 7);
	INSERT INTO item VALUES (1, 1), (2, 1), (3, 2);
	`

// TestProofs: the keys that a server declares prove and contradict statements, and it counts
// the rows that a join loses.
func TestProofs(t *testing.T) {
	run := func(t *testing.T, db *sqldb.DB, d dialect.Dialect, schema string) {
		policy := &secureview.Policy{Schema: schema, Tables: map[string][]string{
			"customer": {"id", "name"}, "orders": {"id", "customer_id", "total"}, "item": {"id", "order_id"},
		}}
		const (
			repeated = "SELECT SUM(o.total) AS revenue FROM orders o JOIN item i ON i.order_id = o.id"
			separate = "SELECT SUM(o.total) AS revenue FROM orders o WHERE o.id IN (SELECT i.order_id FROM item i)"
			lost     = "SELECT COUNT(*) AS n FROM orders o JOIN customer c ON c.id = o.customer_id"
			share    = "SELECT COUNT(o.customer_id) / COUNT(*) AS part FROM orders o"
		)
		decimal := share // MySQL divides whole numbers as decimal ones
		if d.Name() == "postgres" {
			decimal = strings.Replace(share, "COUNT", "1.0 * COUNT", 1)
		}
		for _, tt := range []struct{ name, first, second, written, value, note string }{
			{"a join repeats rows", repeated, separate, separate, "150", ""},
			{"rows are lost", lost, "", lost, "1", "Rows of orders without a row of customer are missing: 2."},
			{"a share", share, "", decimal, "0.33", ""},
		} {
			t.Run(tt.name, func(t *testing.T) {
				rules := []llmtest.Rule{
					{Name: "select_tables", Replies: []llmtest.Reply{{JSON: map[string]any{"tables": []string{"orders", "item", "customer"}}}}},
					{Name: "generate", Replies: []llmtest.Reply{{JSON: map[string]any{"sql": tt.first}}}},
					{Name: "answer", Replies: []llmtest.Reply{{Text: "So it is."}}},
				}
				if tt.second != "" {
					rules = append(rules, llmtest.Rule{Name: "correct", Contains: []string{"once for each row of item"}, Replies: []llmtest.Reply{{JSON: map[string]any{"sql": tt.second}}}})
				}
				agent, err := sqlagent.Open(t.Context(), llmtest.New(rules...), db, policy, d, nil)
				if err != nil {
					t.Fatal(err)
				}
				got, err := qed.Ask(t.Context(), agent, qed.Turn{Text: "How much is it?"})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.written, got.Queries[0].Written); diff != "" {
					t.Errorf("written (-want +got):\n%s", diff)
				}
				var text strings.Builder
				got.Table.WriteText(&text)
				if !strings.Contains(text.String(), tt.value) || got.Text != strings.TrimSpace("So it is.\n\n"+tt.note) {
					t.Errorf("the answer is %q with\n%s", got.Text, &text)
				}
			})
		}
	}
	t.Run("PostgreSQL", func(t *testing.T) {
		p := newPostgres(t, pgServer(t), "proofs", proofShop+"GRANT SELECT ON customer, orders, item TO proofs")
		run(t, p.open(t, nil), postgres.Dialect{}, "public")
	})
	for brand, start := range mysqlServers {
		t.Run(brand, func(t *testing.T) {
			m := newMaria(t, start(t), "proofs_"+strings.ToLower(brand), proofShop)
			for _, table := range []string{"customer", "orders", "item"} {
				m.grant(t, "SELECT ON "+table)
			}
			run(t, m.open(t, nil), mysql.Dialect{}, m.name)
		})
	}
}
