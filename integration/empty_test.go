package integration_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/sqldb"
)

const emptyShop = `
	CREATE TABLE customer (id INT PRIMARY KEY, name VARCHAR(40), city VARCHAR(40));
	CREATE TABLE orders (id INT PRIMARY KEY, customer_id INT, status VARCHAR(20), ordered TIMESTAMP NULL, total DECIMAL(10,2));
	INSERT INTO customer VALUES (1, 'Ann', 'Wien'), (2, 'Bob', 'Graz'), (3, 'Cem', 'Linz');
	INSERT INTO orders VALUES (1, 1, 'paid', '2025-01-10 08:00:00', 10), (2, 1, 'open', '2025-01-20 09:30:00', 0), (3, 2, 'paid', '2025-03-05 10:00:00', 30);
	CREATE VIEW secure_customer AS SELECT id, name, city FROM customer WHERE id < 3;
	`

// TestEmptyResults: the condition to blame for an empty result is found on each server, and
// the model corrects its statement with the values that the data has.
func TestEmptyResults(t *testing.T) {
	run := func(t *testing.T, db *sqldb.DB, d dialect.Dialect, schema string) {
		guard, err := secureview.New(&secureview.Policy{
			Schema: schema, RowLimit: 1000, Views: map[string]string{"customer": "secure_customer"},
			Tables: map[string][]string{
				"secure_customer": {"id", "name", "city"}, "orders": {"id", "customer_id", "status", "ordered", "total"},
			},
		}, d)
		if err != nil {
			t.Fatal(err)
		}
		tables, err := db.Introspect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for name, tt := range map[string]struct {
			sql     string
			blamed  []string
			text    string // the answer begins so
			correct string // the statement with a value that the prompt names
		}{
			"a wrong literal": {"SELECT id FROM orders WHERE status = 'payed'", nil, "Found.", "SELECT id FROM orders WHERE status = 'paid'"},
			"a wrong literal in a sum": {"SELECT COUNT(*), SUM(total), COALESCE(SUM(total), 0.00) FROM orders WHERE status = 'payed'", []string{"status = 'payed'"},
				"Nothing was found: no row of orders meets status = 'payed'. orders.status has values such as \"paid\", \"open\".", ""},
			"a period": {"SELECT id FROM orders WHERE ordered >= '2031-01-01' AND ordered < '2031-02-01'",
				[]string{"ordered >= '2031-01-01' AND ordered < '2031-02-01'"},
				"Nothing was found: no row of orders meets ordered >= '2031-01-01' AND ordered < '2031-02-01'. orders.ordered has values from 2025-01-10", ""},
			"a year": {"SELECT id FROM orders WHERE EXTRACT(YEAR FROM ordered) = 2031", []string{"extract(YEAR FROM ordered) = 2031"},
				"Nothing was found: no row of orders meets extract(YEAR FROM ordered) = 2031. orders.ordered has values from 2025-01-10", ""},
			"two that never meet": {"SELECT SUM(o.total) FROM orders o WHERE o.status = 'open' AND o.total > 5", []string{"status = 'open'", "total > 5"},
				"Nothing was found: there are rows for each of these alone, but none for all of them: status = 'open'; total > 5.", ""},
			"rows of a view": {"SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id WHERE c.city = 'Linz' AND o.status = 'paid'",
				[]string{"city = 'Linz'"}, "Nothing that you may see was found: no row of customer meets city = 'Linz'. customer.city has values such as \"Graz\", \"Wien\".", ""},
			"a common table expression": {"WITH p AS (SELECT customer_id, total FROM orders WHERE status = 'payed') SELECT SUM(p.total) FROM p JOIN customer c ON c.id = p.customer_id",
				[]string{"status = 'payed'"}, "Nothing that you may see was found: no row of orders meets status = 'payed'.", ""},
			"a subquery": {"SELECT id FROM orders WHERE customer_id IN (SELECT id FROM customer WHERE city = 'Vienna')", []string{"city = 'Vienna'"},
				"Nothing that you may see was found: no row of customer meets city = 'Vienna'.", ""},
			"an outer join": {"SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE c.name = 'Zed' ORDER BY 1", []string{"name = 'Zed'"},
				"Nothing that you may see was found: no row of customer meets name = 'Zed'.", ""},
			"a join by other columns": {"SELECT o.id FROM orders o JOIN customer c ON c.name = o.status", []string{"customer.name = orders.status"},
				"Nothing that you may see was found: no row of orders, customer meets customer.name = orders.status.", ""},
			"HAVING":           {"SELECT customer_id FROM orders GROUP BY customer_id HAVING COUNT(*) > 100", []string{"HAVING count(*) > 100"}, "Found.", ""},
			"a sum over rows":  {"SELECT SUM(total) FROM orders WHERE status = 'open'", nil, "Found.", ""},
			"a count of NULLs": {"SELECT COUNT(NULLIF(status, 'open')) FROM orders WHERE status = 'open'", nil, "Found.", ""},
		} {
			t.Run(name, func(t *testing.T) {
				m := llmtest.New(
					llmtest.Rule{Name: "select_tables", Replies: []llmtest.Reply{{JSON: map[string]any{"tables": []string{"orders", "customer"}}}}},
					llmtest.Rule{Name: "generate", Replies: []llmtest.Reply{{JSON: map[string]any{"sql": tt.sql}}}},
					llmtest.Rule{Name: "correct", Match: func(r *llm.Request) bool {
						return tt.correct != "" && strings.Contains(r.Messages[len(r.Messages)-1].Content, `has values such as \"paid\"`)
					}, Replies: []llmtest.Reply{{JSON: map[string]any{"sql": tt.correct}}}},
					llmtest.Rule{Name: "correct", Replies: []llmtest.Reply{{JSON: map[string]any{"sql": tt.sql}}}},
					llmtest.Rule{Name: "answer", Replies: []llmtest.Reply{{Text: "Found."}}},
				)
				agent, err := sqlagent.New(m, db, guard, tables, nil)
				if err != nil {
					t.Fatal(err)
				}
				got, err := qed.Ask(t.Context(), agent, qed.Turn{Text: "Which orders?"})
				if err != nil {
					t.Fatal(err)
				}
				if !strings.HasPrefix(got.Text, tt.text) {
					t.Errorf("the answer is\n%s\nwant\n%s", got.Text, tt.text)
				}
				var blamed []string
				if empty := got.Queries[0].Empty; empty != nil {
					for _, p := range empty.Predicates {
						if p.Verdict == dates.Contradicted {
							blamed = append(blamed, p.SQL)
						}
					}
				}
				if diff := cmp.Diff(tt.blamed, blamed); diff != "" {
					t.Errorf("blamed (-want +got):\n%s\n%+v", diff, got.Queries[0].Empty)
				}
			})
		}
	}
	t.Run("PostgreSQL", func(t *testing.T) {
		p := newPostgres(t, pgServer(t), "empties", emptyShop+"GRANT SELECT ON secure_customer, orders TO empties")
		run(t, p.open(t, nil), postgres.Dialect{}, "public")
	})
	for brand, start := range mysqlServers {
		t.Run(brand, func(t *testing.T) {
			m := newMaria(t, start(t), "empties_"+strings.ToLower(brand), emptyShop)
			for _, table := range []string{"secure_customer", "orders"} {
				m.grant(t, "SELECT ON "+table)
			}
			run(t, m.open(t, nil), mysql.Dialect{}, m.name)
		})
	}
}
