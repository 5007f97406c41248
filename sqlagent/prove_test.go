package sqlagent_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/usertext/usertexttest"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// aSale has orders of 100, 50 and 7. One has two items, one has none, one has no customer
// and one a customer that is gone. The first one was paid in two parts.
const aSale = `
	CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
	CREATE TABLE orders(id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer, total INTEGER NOT NULL);
	CREATE TABLE item(id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders, sku TEXT NOT NULL);
	CREATE TABLE payment(id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders, amount INTEGER NOT NULL);
	INSERT INTO customer VALUES (1, 'Ann'), (2, 'Bob');
	INSERT INTO orders VALUES (1, 1, 100), (2, NULL, 50), (3, 9, 7);
	INSERT INTO item VALUES (1, 1, 'A'), (2, 1, 'B'), (3, 2, 'A');
	INSERT INTO payment VALUES (1, 1, 60), (2, 1, 40)`

// askSale asks an agent whose model writes the first statement, and the second one when it is
// told what is wrong with the first.
func askSale(t *testing.T, question, first, second string) (qed.Answer, *llmtest.Model) {
	return askSaleWith(t, nil, question, first, second)
}

func askSaleWith(t *testing.T, opt *sqlagent.Options, question, first, second string) (qed.Answer, *llmtest.Model) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sale.db")
	host, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = host.Exec(aSale)
	host.Close()
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqlitedb.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	rules := []llmtest.Rule{reply("select_tables", tables("orders", "item", "customer")), reply("generate", query(first))}
	if second != "" {
		rules = append(rules, reply("correct", query(second)))
	}
	m := llmtest.New(append(rules, reply("answer", text("So it is.")))...)
	policy := &secureview.Policy{Dialect: "sqlite", Tables: map[string][]string{
		"customer": {"id", "name"}, "orders": {"id", "customer_id", "total"}, "item": {"id", "order_id", "sku"}, "payment": {"id", "order_id", "amount"},
	}}
	agent, err := sqlagent.Open(t.Context(), m, db, policy, sqlite.Dialect{}, opt)
	if err != nil {
		t.Fatal(err)
	}
	_, answer, err := run(t, agent, qed.Turn{Text: question})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Check(); err != nil {
		t.Error(err)
	}
	usertexttest.Text(t, "the text", answer.Text)
	return answer, m
}

// What the keys contradict goes back to the model once, with what to write instead. If the
// model keeps it, the answer says what is wrong.
func TestProof(t *testing.T) {
	const (
		repeated  = "SELECT SUM(o.total) AS revenue FROM orders o JOIN item i ON i.order_id = o.id"
		separate  = "SELECT SUM(o.total) AS revenue FROM orders o WHERE EXISTS (SELECT 1 FROM item i WHERE i.order_id = o.id)"
		chasm     = "SELECT o.id, COUNT(i.id) AS items, SUM(p.amount) AS paid FROM orders o JOIN item i ON i.order_id = o.id JOIN payment p ON p.order_id = o.id GROUP BY o.id"
		lost      = "SELECT COUNT(*) AS n FROM orders o JOIN customer c ON c.id = o.customer_id"
		complete  = "SELECT COUNT(*) AS n FROM orders o JOIN customer c ON c.id = o.customer_id WHERE o.id = 1 AND o.customer_id = 1"
		lookup    = "SELECT SUM(o.total) AS n FROM item i JOIN orders o ON o.id = i.order_id"
		outer     = "SELECT c.name, COUNT(*) AS n FROM customer c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.id, c.name ORDER BY n DESC LIMIT 1"
		chain     = "SELECT COUNT(*) AS n FROM customer c LEFT JOIN orders o ON o.customer_id = c.id LEFT JOIN item i ON i.order_id = o.id"
		full      = "SELECT COUNT(*) AS n FROM customer c FULL JOIN orders o ON o.customer_id = c.id"
		kept      = "SELECT COUNT(*) AS n FROM orders o LEFT JOIN customer c ON c.id = o.customer_id"
		distinct  = "SELECT COUNT(DISTINCT total) AS n FROM orders"
		wrongJoin = "SELECT c.name FROM customer c JOIN orders o ON o.id = c.id"
	)
	for _, tt := range []struct {
		name, question, first, second string
		value                         any
		note                          string // the answer has after the model's text
		partial                       bool
		checked                       []string
	}{
		{name: "a join repeats rows", question: "Revenue?", first: repeated, second: separate, value: int64(150),
			checked: []string{"SUM(o.total): no row of orders counts more than once."}},
		{name: "kept", question: "Revenue?", first: repeated, second: repeated, value: int64(250), partial: true,
			note:    "SUM(o.total) can be wrong: a row of orders counts once for each of its rows of item.",
			checked: []string{"SUM(o.total) can be wrong: a row of orders counts once for each of its rows of item."}},
		{name: "kept, in German", question: "Wie hoch ist der Umsatz?", first: repeated, second: repeated, value: int64(250), partial: true,
			note:    "SUM(o.total) kann falsch sein: Eine Zeile von orders zählt einmal für jede ihrer Zeilen von item.",
			checked: []string{"SUM(o.total) kann falsch sein: Eine Zeile von orders zählt einmal für jede ihrer Zeilen von item."}},
		{name: "no table", question: "Revenue?", first: "SELECT 42 AS revenue", second: separate, value: int64(150),
			checked: []string{"SUM(o.total): no row of orders counts more than once."}},
		{name: "no table, kept", question: "Revenue?", first: "SELECT 42 AS revenue", second: "SELECT 42 AS revenue", value: int64(42), partial: true,
			note:    "The query reads no value of a table: its numbers do not come from the data.",
			checked: []string{"The query reads no value of a table: its numbers do not come from the data."}},
		{name: "two joins repeat each other", question: "What was paid?", first: chasm, second: "SELECT SUM(amount) AS paid FROM payment", value: int64(100),
			checked: []string{"SUM(amount): no row of payment counts more than once."}},
		{name: "an outer join", question: "Who orders most?", first: outer, value: "Ann",
			checked: []string{"COUNT(*) counts rows of orders, and what has no row of orders as 1."}},
		{name: "outer joins in a chain", question: "How many?", first: chain, value: int64(3),
			checked: []string{"COUNT(*) counts rows of item, and what has no row of item as 1."}},
		{name: "outer joins in a chain, in German", question: "Wie viele sind es?", first: chain, value: int64(3),
			checked: []string{"COUNT(*) zählt Zeilen von item, und was keine Zeile von item hat, als 1."}},
		{name: "outer joins in a chain, by order", question: "How many?", first: chain + " GROUP BY o.id ORDER BY o.id DESC", value: int64(2),
			checked: []string{"COUNT(*) counts rows of item, and what has no row of item as 1."}},
		{name: "an inner and an outer join", question: "How many?", first: strings.Replace(chain, "LEFT JOIN", "JOIN", 1), value: int64(2),
			checked: []string{"COUNT(*) counts rows of item, and what has no row of item as 1."}},
		{name: "a full join", question: "How many?", first: full, value: int64(4),
			checked: []string{"COUNT(*) counts rows of orders, and what has no row of orders as 1."}},
		{name: "the table that an outer join keeps", question: "How many?", first: kept, value: int64(3),
			checked: []string{"COUNT(*) counts rows of orders."}},
		{name: "a count of repeated rows", question: "How many?", first: "SELECT COUNT(o.id) AS n FROM orders o JOIN item i ON i.order_id = o.id", value: int64(3),
			checked: []string{"COUNT(o.id): a row of orders counts once for each of its rows of item."}},
		{name: "a count of combinations", question: "How many?", first: "SELECT COUNT(*) AS n FROM item i JOIN payment p ON p.order_id = i.order_id", value: int64(4),
			checked: []string{"COUNT(*) was not checked."}},
		{name: "different values", question: "How many totals?", first: distinct, value: int64(3),
			checked: []string{"COUNT(DISTINCT total): no row of orders counts more than once."}},
		{name: "it may be meant", question: "Revenue?", first: lookup, value: int64(250),
			note:    "SUM(o.total): a row of orders counts once for each of its rows of item.",
			checked: []string{"SUM(o.total): a row of orders counts once for each of its rows of item."}},
		{name: "rows are lost", question: "How many orders?", first: lost, value: int64(1),
			note:    "Rows of orders without a row of customer are missing: 2.",
			checked: []string{"COUNT(*) counts rows of orders.", "Rows of orders without a row of customer are missing: 2."}},
		{name: "rows are lost beside a condition", question: "How many orders?", first: lost + " WHERE o.total <> 50", value: int64(1),
			note:    "Rows of orders without a row of customer are missing: 1.",
			checked: []string{"COUNT(*) counts rows of orders.", "Rows of orders without a row of customer are missing: 1."}},
		{name: "no row of those is lost", question: "How many orders?", first: lost + " WHERE o.total > 60", value: int64(1),
			checked: []string{"COUNT(*) counts rows of orders."}},
		{name: "a filter", question: "How many orders of Ann?", first: lost + " WHERE c.name = 'Ann'", value: int64(1),
			checked: []string{"COUNT(*) counts rows of orders."}},
		{name: "no row can be lost", question: "How many orders?", first: complete, value: int64(1),
			checked: []string{"COUNT(*) counts rows of orders."}},
		{name: "a wrong join", question: "Who?", first: wrongJoin, second: "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id", value: "Ann",
			note: "Rows of orders without a row of customer are missing: 2.", checked: []string{"Rows of orders without a row of customer are missing: 2."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, m := askSale(t, tt.question, tt.first, tt.second)
			if tt.second != "" && !strings.Contains(prompt(t, m, "correct"), got.Queries[0].Corrections[0].Reason) {
				t.Error("the model was not told what is wrong")
			}
			if diff := cmp.Diff(tt.value, got.Table.Rows[0][0]); diff != "" {
				t.Errorf("the value (-want +got):\n%s", diff)
			}
			if want := strings.TrimSpace("So it is.\n\n" + tt.note); got.Text != want || got.Partial != tt.partial {
				t.Errorf("the answer is %q, partial %v, want %q", got.Text, got.Partial, want)
			}
			q := got.Queries[0]
			if diff := cmp.Diff(tt.checked, q.Checked); diff != "" {
				t.Errorf("checked (-want +got):\n%s", diff)
			}
			if q.Proof == nil || (q.Meaning == "") == strings.Contains(q.Executed, " FROM ") {
				t.Errorf("the query has the proof %v and the meaning %q", q.Proof, q.Meaning)
			}
		})
	}
}

// What is certain is repaired without the model, and recorded.
func TestRepair(t *testing.T) {
	for _, tt := range []struct{ name, sql, ran string }{
		{"a column of the other table", "SELECT i.total\nFROM item i JOIN orders o ON o.id = i.order_id WHERE i.id = 1 AND i.sku <> 'total'",
			"SELECT o.total\nFROM item i JOIN orders o ON o.id = i.order_id WHERE i.id = 1 AND i.sku <> 'total'"},
		{"two of them", "SELECT o.sku, i.total FROM item i JOIN orders o ON o.id = i.order_id", "SELECT i.sku, o.total FROM item i JOIN orders o ON o.id = i.order_id"},
		{"a share of whole numbers", "SELECT COUNT(DISTINCT i.order_id) / COUNT(DISTINCT o.id) AS share FROM orders o LEFT JOIN item i ON i.order_id = o.id",
			"SELECT 1.0 * COUNT(DISTINCT i.order_id) / COUNT(DISTINCT o.id) AS share FROM orders o LEFT JOIN item i ON i.order_id = o.id"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := askSale(t, "What is it?", tt.sql, "")
			q := got.Queries[0]
			if q.Written != tt.ran || q.Executed == "" || got.Partial {
				t.Errorf("written %q, partial %v, want %q", q.Written, got.Partial, tt.ran)
			}
			if len(q.Corrections) != 1 || q.Corrections[0].Query != tt.sql || !strings.Contains(q.Corrections[0].Reason, "without the model") {
				t.Errorf("the corrections are %+v", q.Corrections)
			}
		})
	}
	t.Run("a join that repeats rows", func(t *testing.T) {
		const repeated = "SELECT SUM(o.total) AS revenue FROM orders o JOIN item i ON i.order_id = o.id WHERE i.sku = 'A' OR i.sku = 'B'"
		got, _ := askSaleWith(t, &sqlagent.Options{RepairJoins: true}, "Revenue?", repeated, "")
		if got.Partial || got.Table.Rows[0][0] != int64(150) || len(got.Queries[0].Corrections) != 1 {
			t.Errorf("%+v", got)
		}
	})
	t.Run("not certain", func(t *testing.T) {
		// Both tables have an id; a similar name may be another thing.
		for _, sql := range []string{"SELECT i.name FROM item i JOIN orders o ON o.id = i.order_id", "SELECT o.totals FROM orders o"} {
			got, m := askSale(t, "What is it?", sql, "SELECT id FROM orders")
			if prompt(t, m, "correct") == "" || got.Queries[0].Written != "SELECT id FROM orders" {
				t.Errorf("%s: the model was not asked", sql)
			}
		}
	})
}

// What a query computes is said in one line, in the language of the question.
func TestMeaning(t *testing.T) {
	const sql = "SELECT c.name, SUM(o.total) AS total FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE c.name <> 'Bob' GROUP BY c.name ORDER BY total DESC LIMIT 3"
	for question, want := range map[string]string{
		"Which customers bought the most?":        "Sum (orders.total) of customer, orders; where customer.name <> 'Bob'; for each customer.name; the first 3 by sum(orders.total) DESC",
		"Welche Kunden haben am meisten gekauft?": "Summe (orders.total) von customer, orders; mit customer.name <> 'Bob'; für jedes customer.name; die ersten 3 nach sum(orders.total) DESC",
	} {
		got, _ := askSale(t, question, sql, "")
		if got.Queries[0].Meaning != want {
			t.Errorf("%s: %q", question, got.Queries[0].Meaning)
		}
	}
}
