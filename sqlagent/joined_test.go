package sqlagent_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/usertext/usertexttest"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/llm/llmtest"
	qedquery "github.com/qedkit/qed/query"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/store"
)

// shop has two relationships between one pair of tables, a composite one, one that is
// not certain, one of a table to itself, a view and a table without any.
func shop() *joinpath.Schema {
	billing, shipping := join("orders.billing_id = address.id", "billing address", true), join("orders.shipping_id = address.id", "shipping address", true)
	part := joinpath.Relationship{
		FromTable: "stock", FromColumns: []string{"company", "number"}, ToTable: "part", ToColumns: []string{"company", "number"},
		Confidence: 1, Cardinality: joinpath.ManyToOne, Type: joinpath.ForeignKey,
	}
	unsure := join("items.product = product.id", "", false)
	unsure.Confidence = 0.4
	customer := join("orders.customer_id = customer.id", "", true)
	customer.Cardinality = joinpath.ManyToOne
	s := schemaOf([]string{
		"customer(id*, name, city)", "orders(id*, customer_id, billing_id, shipping_id, total)", "items(id*, order_id, product, qty)",
		"address(id*, city)", "visit(id*, customer_id)", "employee(id*, manager_id, dept)", "part(company, number)",
		"stock(company, number, qty)", "product(id*)", "note(id*, about)", "recent(id, customer_id)",
	}, customer, billing, shipping, part, unsure, join("items.order_id = orders.id", "", true),
		join("visit.customer_id = customer.id", "", true), join("employee.manager_id = employee.id", "manager", true))
	recent := s.Tables["recent"]
	recent.View = true
	s.Tables["recent"] = recent
	return s
}

func guardOf(t *testing.T, s *joinpath.Schema) *secureview.Guard {
	t.Helper()
	p := &secureview.Policy{Dialect: "sqlite", Schema: "main", RowLimit: 100, Views: map[string]string{}, Tables: map[string][]string{}}
	for name, table := range s.Tables {
		if name == "customer" {
			name = "secure_customer"
			p.Views["customer"] = name
		}
		p.Tables[name] = table.Columns
	}
	g, err := secureview.New(p, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// runTold runs a statement, a second time if it is refused, as the source refuses what the keys
// contradict once.
func runTold(t *testing.T, s qedquery.Source, sql string) (*qedquery.Result, error) {
	t.Helper()
	result, err := s.Run(t.Context(), sqlText(t, sql))
	if _, refused := errors.AsType[*refusal.Error](err); refused {
		result, err = s.Run(t.Context(), sqlText(t, sql))
	}
	return result, err
}

// The join path is what the statement has, each join with the relationship that it
// follows.
func TestJoinPath(t *testing.T) {
	none := shop()
	none.Relationships = nil
	for _, tt := range []struct {
		name, sql string
		schema    *joinpath.Schema
		want      []string
	}{
		{"no join", "SELECT id FROM orders", shop(), nil},
		{"a relationship through a view", "SELECT o.id FROM orders o LEFT JOIN customer c ON c.id = o.customer_id", shop(),
			[]string{"left orders.customer_id = customer.id: known 1 N:1"}},
		{"the other way round", "SELECT o.id FROM customer c JOIN orders o ON c.id = o.customer_id", shop(),
			[]string{"inner customer.id = orders.customer_id: known 1 1:N"}},
		{"roles", "SELECT o.id FROM orders o JOIN address b ON b.id = o.billing_id JOIN address s ON s.id = o.shipping_id", shop(),
			[]string{"inner orders.billing_id = address b.id: known 1 billing address", "inner orders.shipping_id = address s.id: known 1 shipping address"}},
		{"other columns", "SELECT o.id FROM orders o JOIN customer c ON c.id = o.id", shop(),
			[]string{"inner orders.id = customer.id: unknown 0"}},
		{"other columns in a comma join", "SELECT o.id FROM orders o, customer c WHERE c.id = o.id AND o.total > 3", shop(),
			[]string{"inner orders.id = customer.id: unknown 0"}},
		{"the wrong one of two tables", "SELECT o.id FROM orders o JOIN customer c ON c.id = o.billing_id", shop(),
			[]string{"inner orders.billing_id = customer.id: unknown 0"}},
		{"other columns in EXISTS", "SELECT c.id FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.id = c.id)", shop(),
			[]string{"semi customer.id = orders.id: unknown 0"}},
		{"other columns in IN", "SELECT id FROM orders WHERE id NOT IN (SELECT c.id FROM customer c)", shop(),
			[]string{"anti orders.id = customer.id: unknown 0"}},
		{"one that is not certain", "SELECT i.id FROM items i JOIN product p ON p.id = i.product", shop(),
			[]string{"inner items.product = product.id: known 0.4"}},
		{"a composite one", "SELECT s.qty FROM part p JOIN stock s USING (number, company)", shop(),
			[]string{"inner part.number = stock.number AND part.company = stock.company: known 1 1:N"}},
		{"a part of a composite one", "SELECT s.qty FROM part p JOIN stock s USING (company)", shop(),
			[]string{"inner part.company = stock.company: unknown 0"}},
		{"to itself", "SELECT e.id FROM employee e JOIN employee m ON m.id = e.manager_id", shop(),
			[]string{"inner employee e.manager_id = employee m.id: known 1 manager"}},
		{"to itself by other columns", "SELECT e.id FROM employee e JOIN employee m ON m.id = e.dept", shop(),
			[]string{"inner employee e.dept = employee m.id: unknown 0"}},
		{"rows of one table that have something in common", "SELECT e.id FROM employee e JOIN employee m ON m.dept = e.dept AND m.id < e.id", shop(),
			[]string{"inner employee e.dept = employee m.dept:  0"}},

		{"transitive", "SELECT i.id FROM items i JOIN orders o ON o.id = i.order_id, customer c, visit v" +
			" WHERE v.customer_id = o.customer_id AND v.customer_id = c.id", shop(),
			[]string{"inner items.order_id = orders.id: known 1", "inner orders.customer_id = visit.customer_id: implied 0", "inner customer.id = visit.customer_id: known 1"}},
		{"transitive away from the key", "SELECT d.id FROM detail d JOIN extra e ON e.id = d.id JOIN base b ON b.id = e.id",
			schemaOf([]string{"base(id*)", "detail(id*)", "extra(id*)"}, join("base.id = detail.id", "", true), join("base.id = extra.id", "", true)),
			[]string{"inner detail.id = extra.id: implied 0", "inner extra.id = base.id: known 1"}},
		{"a wrong comparison of tables that are joined", "SELECT o.id FROM orders o JOIN visit v ON v.customer_id = o.customer_id" +
			" JOIN customer c ON c.id = v.customer_id AND c.id = o.id", shop(),
			[]string{"inner orders.customer_id = visit.customer_id: implied 0", "inner visit.customer_id = customer.id: known 1", "inner orders.id = customer.id:  0"}},
		{"two references to one key", "SELECT o.id FROM orders o JOIN visit v ON v.customer_id = o.customer_id", shop(),
			[]string{"inner orders.customer_id = visit.customer_id: implied 0"}},
		{"the same constant", "SELECT o.id FROM orders o, customer c WHERE o.customer_id = 7 AND c.id = 7", shop(),
			[]string{"inner orders.customer_id = customer.id: known 1 N:1"}},
		{"the same constant by chance", "SELECT o.id FROM orders o, customer c WHERE o.total = 7 AND c.id = 7", shop(),
			[]string{"inner orders, customer without a condition: unknown 0"}},
		{"a further comparison of joined tables", "SELECT o.id FROM orders o JOIN customer c ON c.id = o.customer_id JOIN items i ON i.order_id = o.id AND i.qty = c.city", shop(),
			[]string{"inner orders.customer_id = customer.id: known 1 N:1", "inner orders.id = items.order_id: known 1", "inner customer.city = items.qty:  0"}},
		{"USING with three tables", "SELECT COUNT(*) FROM orders o JOIN visit v USING (customer_id) JOIN recent r USING (customer_id)", shop(),
			[]string{"inner orders.customer_id = visit.customer_id: implied 0", "inner orders.customer_id = recent.customer_id:  0"}},
		{"by an aggregate of the many", "WITH t AS (SELECT customer_id AS who, SUM(total) AS total FROM orders GROUP BY customer_id)" +
			" SELECT c.name, t.total FROM customer c JOIN t ON t.who = c.id", shop(),
			[]string{"inner customer.id = orders.customer_id: known 1 1:N"}},
		{"equal within a subquery", "SELECT a.city FROM (SELECT o.id, c.id AS who FROM orders o JOIN customer c ON c.id = o.customer_id) t" +
			" JOIN visit v ON v.customer_id = t.who JOIN items i ON i.order_id = t.id JOIN address a ON a.id = i.product", shop(),
			[]string{"inner orders.customer_id = customer.id: known 1 N:1", "inner customer.id = visit.customer_id: known 1",
				"inner orders.id = items.order_id: known 1", "inner items.product = address.id: unknown 0"}},
		{"equal in the enclosing query", "SELECT o.id FROM orders o JOIN customer c ON c.id = o.customer_id" +
			" WHERE EXISTS (SELECT 1 FROM visit v WHERE v.customer_id = o.customer_id)", shop(),
			[]string{"inner orders.customer_id = customer.id: known 1 N:1", "semi orders.customer_id = visit.customer_id: implied 0"}},
		{"a computed column", "SELECT o.id FROM orders o JOIN (SELECT MAX(id) AS last FROM items) m ON m.last = o.id", shop(),
			[]string{"inner orders.id = m.last:  0"}},
		{"a view", "SELECT r.id FROM recent r JOIN customer c ON c.id = r.customer_id", shop(),
			[]string{"inner recent.customer_id = customer.id:  0"}},
		{"a table without relationships", "SELECT n.id FROM note n JOIN customer c ON c.id = n.about", shop(),
			[]string{"inner note.about = customer.id: unknown 0"}},

		{"an expression of the columns", "SELECT o.id FROM orders o JOIN customer c ON CAST(c.id AS TEXT) = o.customer_id", shop(),
			[]string{"inner orders, customer by another condition:  0"}},
		{"one or the other", "SELECT o.id FROM orders o JOIN address a ON a.id = o.billing_id OR a.id = o.shipping_id", shop(),
			[]string{"inner orders, address by another condition:  0"}},
		{"another condition", "SELECT o.id FROM orders o JOIN items i ON i.qty < o.total", shop(),
			[]string{"inner orders, items by another condition: unknown 0"}},
		{"no condition", "SELECT o.id FROM orders o, items i", shop(),
			[]string{"inner orders, items without a condition: unknown 0"}},
		{"no relationships at all", "SELECT o.id FROM orders o JOIN customer c ON c.id = o.id", none,
			[]string{"inner orders.id = customer.id:  0"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := sqlagent.NewSource("shop", &database{}, guardOf(t, tt.schema), tt.schema, nil)
			if err != nil {
				t.Fatal(err)
			}
			result, err := runTold(t, s, tt.sql)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, j := range result.Query.JoinPath {
				text := fmt.Sprintf("%s %v: %s %v %s", j.Kind, j, j.Relationship, j.Confidence, strings.TrimSpace(j.Cardinality+" "+j.Role))
				got = append(got, strings.TrimRight(text, " "))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A join that is no relationship is said next to the answer, which stays complete.
func TestJoinNotes(t *testing.T) {
	for _, tt := range []struct{ name, question, sql, note string }{
		{"a relationship", "Who ordered?", "SELECT c.name FROM orders o JOIN customer c ON c.id = o.customer_id", ""},
		{"other columns", "Who ordered?", "SELECT c.name FROM orders o JOIN customer c ON c.id = o.id",
			"The query joins orders and customer by id = id, which is no known relationship."},
		{"in German", "Wer hat bestellt?", "SELECT c.name FROM orders o JOIN customer c ON c.id = o.id AND c.city = o.total",
			"Die Abfrage verbindet orders und customer über id = id, total = city. Das ist keine bekannte Beziehung."},
		{"another condition", "Who ordered?", "SELECT c.name FROM orders o JOIN customer c ON c.city > o.total",
			"The query joins orders and customer by a condition that is no known relationship."},
		{"none", "Who ordered?", "SELECT c.name FROM orders o, customer c",
			"The query combines each row of orders with each row of customer."},
		{"many with many", "Who ordered?", "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id JOIN orders p ON p.customer_id = c.id",
			"The query has each row of o with each row of p that has the same customer."},
		{"many with the sum of many", "Who ordered?", "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id" +
			" JOIN (SELECT customer_id, SUM(total) AS total FROM orders GROUP BY customer_id) p ON p.customer_id = c.id", ""},
		{"many for which others exist", "Who ordered?", "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id" +
			" WHERE EXISTS (SELECT 1 FROM orders p WHERE p.customer_id = c.id)", ""},
		{"an expression", "Who ordered?", "SELECT c.name FROM orders o JOIN customer c ON c.id = CAST(o.customer_id AS INTEGER)", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := llmtest.New(reply("select_tables", tables("orders", "customer")), reply("generate", query(tt.sql)), reply("correct", query(tt.sql)), reply("answer", text("Ann.")))
			a, err := sqlagent.New(m, &database{answers: []answer{{contains: "secure_customer", rows: [][]any{{"Ann"}}}}}, guardOf(t, shop()), shop(), nil)
			if err != nil {
				t.Fatal(err)
			}
			_, got, err := run(t, a, qed.Turn{Text: tt.question})
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.TrimSpace("Ann.\n\n" + tt.note); got.Text != want || got.Partial {
				t.Errorf("the answer is %q, partial %v, want %q", got.Text, got.Partial, want)
			}
			usertexttest.Text(t, "the text", got.Text)
		})
	}
}

// Tables that nothing connects are named once.
func TestJoinNotesOfGuessedJoins(t *testing.T) {
	m := llmtest.New(reply("select_tables", tables("note", "customer")),
		reply("generate", query("SELECT n.about FROM note n JOIN customer c ON c.id = n.about")), reply("answer", text("Ann.")))
	a, err := sqlagent.New(m, &database{answers: []answer{{contains: "note", rows: [][]any{{"Ann"}}}}}, guardOf(t, shop()), shop(), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, got, err := run(t, a, qed.Turn{Text: "What is it about?"})
	if err != nil || !got.Partial || strings.Count(got.Text, "customer") != 1 || !strings.Contains(got.Text, "It is not known how") {
		t.Errorf("%q, %v", got.Text, err)
	}
}

// A query that did not run has no join path, whatever was planned.
func TestNoJoinPathWithoutQuery(t *testing.T) {
	bad := query("SELECT c.nope FROM orders o JOIN customer c ON c.id = o.customer_id")
	m := llmtest.New(reply("select_tables", tables("orders", "customer")), reply("generate", bad), reply("correct", bad))
	a, err := sqlagent.New(m, &database{}, guardOf(t, shop()), shop(), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, got, err := run(t, a, qed.Turn{Text: "Who ordered?"})
	if err != nil || len(got.Queries) != 1 || len(got.Queries[0].JoinPath) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// A statement that joins in another way than the user chose goes back to the model
// once. If it stays, the answer is partial.
func TestJoinChoiceIsFollowed(t *testing.T) {
	const (
		billing  = "SELECT a.city FROM orders o JOIN address a ON a.id = o.billing_id"
		shipping = "SELECT a.city FROM orders o JOIN address a ON o.shipping_id = a.id"
		again    = "SELECT a.city, o.id FROM orders o JOIN address a ON o.shipping_id = a.id"
	)
	gaveUp := query("")
	for _, tt := range []struct {
		name, question, first string
		correct               []llmtest.Reply
		opt                   sqlagent.Options
		refused, partial      string
		path                  string
	}{
		{name: "followed", first: billing, path: "orders.billing_id = address.id"},
		{name: "both", first: "SELECT b.city, s.city FROM orders o JOIN address b ON b.id = o.billing_id JOIN address s ON s.id = o.shipping_id",
			path: "orders.billing_id = address b.id, orders.shipping_id = address s.id"},
		{name: "in a subquery", first: "SELECT city FROM address WHERE id IN (SELECT billing_id FROM orders)", path: "address.id = orders.billing_id"},
		{name: "not needed", first: "SELECT COUNT(*) FROM orders o WHERE o.total > 3"},
		{name: "not comparable", first: "SELECT a.city FROM orders o JOIN address a ON a.id = CAST(o.billing_id AS INTEGER)",
			path: "orders, address by another condition"},
		{name: "corrected", first: shipping, correct: []llmtest.Reply{query(billing)},
			refused: `the user asked for "by the billing address", and this query joins by orders.shipping_id = address.id`, path: "orders.billing_id = address.id"},
		{name: "kept", first: shipping, correct: []llmtest.Reply{query(shipping)},
			refused: "by the billing address", path: "orders.shipping_id = address.id",
			partial: "You asked for “by the billing address”, but the query joins by orders.shipping_id = address.id."},
		{name: "given up", first: shipping, correct: []llmtest.Reply{gaveUp},
			refused: "by the billing address", path: "orders.shipping_id = address.id", partial: "You asked for “by the billing address”"},
		{name: "written in another way", first: shipping, correct: []llmtest.Reply{query(again)},
			refused: "by the billing address", path: "orders.shipping_id = address.id", partial: "You asked for “by the billing address”"},
		{name: "in German", question: "Welche Städte gibt es?", first: shipping, correct: []llmtest.Reply{query(shipping)},
			refused: "billing address", path: "orders.shipping_id = address.id",
			partial: "Gefragt war „über „billing address““, aber die Abfrage verbindet über orders.shipping_id = address.id."},
		{name: "by no relationship", first: "SELECT a.city FROM orders o JOIN address a ON a.id = o.id", correct: []llmtest.Reply{query(billing)},
			refused: "orders.id = address.id", path: "orders.billing_id = address.id"},
		{name: "by nothing", first: "SELECT a.city FROM orders o, address a", correct: []llmtest.Reply{query(billing)},
			refused: "without a condition", path: "orders.billing_id = address.id"},
		{name: "without corrections", first: shipping, opt: sqlagent.Options{MaxCorrections: -1},
			path: "orders.shipping_id = address.id", partial: "You asked for “by the billing address”"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rules := []llmtest.Rule{reply("select_tables", tables("orders", "address")), reply("generate", query(tt.first)), reply("answer", text("Berlin."))}
			if tt.correct != nil {
				rules = append(rules, reply("correct", tt.correct...))
			}
			tt.opt.InterruptForJoins, tt.opt.Store = true, &store.InMemory{}
			if tt.question == "" {
				tt.question = "Which cities are there?"
			}
			m := llmtest.New(rules...)
			db := &database{answers: []answer{{contains: "SELECT", rows: nil}}}
			db.answers = []answer{{contains: "orders", rows: [][]any{make([]any, 1)}}}
			if strings.Contains(tt.first, ", s.city") {
				db.answers[0].rows = [][]any{make([]any, 2)}
			}
			if tt.name == "written in another way" {
				db.answers = []answer{{contains: "\"o\".\"id\"", rows: [][]any{{"Berlin", int64(1)}}}}
			}
			a, err := sqlagent.New(m, db, guardOf(t, shop()), shop(), &tt.opt)
			if err != nil {
				t.Fatal(err)
			}
			_, asked, err := run(t, a, qed.Turn{Thread: "t", Text: tt.question})
			if err != nil || len(asked.Questions) != 1 {
				t.Fatalf("%+v, %v", asked, err)
			}
			choice := "1"
			if strings.Contains(asked.Questions[0].Choices[1].Text, "billing") {
				choice = "2"
			}
			events, got, err := run(t, a, qed.Turn{Thread: "t", Text: choice})
			if err != nil || len(got.Queries) != 1 || got.Queries[0].Executed == "" {
				t.Fatalf("%+v, %v", got, err)
			}
			refused, _ := first[qed.QueryRefused](events)
			if (refused.Code == string(sqlagent.ErrJoinNotChosen)) != (tt.refused != "") || !strings.Contains(refused.Message, tt.refused) {
				t.Errorf("refused: %+v", refused)
			}
			var path []string
			for _, j := range got.Queries[0].JoinPath {
				path = append(path, j.String())
			}
			if text := strings.Join(path, ", "); text != tt.path {
				t.Errorf("the join path is %q, want %q", text, tt.path)
			}
			if got.Partial != (tt.partial != "") || !strings.Contains(got.PartialReason, tt.partial) || !strings.Contains(got.Text, tt.partial) {
				t.Errorf("partial %v: %q; text %q", got.Partial, got.PartialReason, got.Text)
			}
		})
	}
}
