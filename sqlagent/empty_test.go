package sqlagent_test

import (
	"context"
	dbsql "database/sql"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// orderShop is an SQLite database of orders, some of whose customers have none.
func orderShop(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.db")
	host, err := dbsql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	const statements = `
		CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, city TEXT, email TEXT);
		CREATE TABLE orders(id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer, status TEXT, ordered DATE, total INTEGER);
		CREATE TABLE item(order_id INTEGER REFERENCES orders, sku TEXT, quantity INTEGER);
		CREATE TABLE refund(order_id INTEGER REFERENCES orders, amount INTEGER);
		INSERT INTO customer VALUES (1, 'Ann', 'Wien', 'ann@x.org'), (2, 'Bob', 'Graz', 'bob@x.org'), (3, 'Cem', 'Linz', NULL);
		INSERT INTO orders VALUES (1, 1, 'paid', '2025-01-10', 10), (2, 1, 'open', '2025-01-20', 0), (3, 2, 'paid', '2025-03-05', 30);
		INSERT INTO item VALUES (1, 'A-100', 1), (3, 'A-101', 2);
		WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 1300)
			INSERT INTO item SELECT 3, 'B-' || i, 1 FROM n;
		CREATE VIEW secure_customer AS SELECT * FROM customer WHERE id < 3`
	if _, err := host.Exec(statements); err != nil {
		t.Fatal(err)
	}
	return path
}

var shopTables = map[string][]string{
	"customer": {"id", "name", "city", "email"}, "orders": {"id", "customer_id", "status", "ordered", "total"},
	"item": {"order_id", "sku", "quantity"}, "refund": {"order_id", "amount"},
}

// broken is a database whose statements fail from the nth on. It counts them.
type broken struct {
	sqlagent.Database
	after, ran int
	cancel     context.CancelFunc
}

func (b *broken) Query(ctx context.Context, stmt *secureview.Statement) (*qed.Table, error) {
	if b.ran++; b.after > 0 && b.ran > b.after {
		if b.cancel != nil {
			b.cancel()
		}
		return nil, errors.New("the connection is lost")
	}
	return b.Database.Query(ctx, stmt)
}

// shopAgent answers with a statement, and with another one if the prompt names what was
// wrong with the first.
func shopAgent(t *testing.T, db sqlagent.Database, policy *secureview.Policy, opt *sqlagent.Options, sql string, then func(prompt string) string) (qed.Agent, *int) {
	t.Helper()
	real, err := sqlitedb.Open(orderShop(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { real.Close() })
	schema, err := real.Introspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if b, ok := db.(*broken); ok {
		b.Database = real
	} else {
		db = real
	}
	guard, err := secureview.New(policy, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	corrections := 0
	written := func(sql string) string { return `{"sql":` + strconv.Quote(sql) + `}` }
	m := replying(map[string]func(string) string{
		"select_tables": says(`{"tables":["customer","orders","item","refund"]}`),
		"generate":      says(written(sql)),
		"correct": func(prompt string) string {
			corrections++
			if then == nil {
				return written(sql)
			}
			if text := then(prompt); text != "" {
				return written(text)
			}
			return "I do not know."
		},
		"answer": says("By the model."),
	})
	if opt == nil {
		opt = &sqlagent.Options{Limits: sqlagent.PromptLimits{SampleRows: -1}}
	}
	a, err := sqlagent.New(m, db, guard, schema, opt)
	if err != nil {
		t.Fatal(err)
	}
	return a, &corrections
}

func shopPolicy() *secureview.Policy {
	return &secureview.Policy{Dialect: "sqlite", Tables: shopTables, RowLimit: 1000}
}

// A statement that finds nothing is explained: by the condition that no row meets, or by
// the fewest that no row meets together.
func TestWhyNothingWasFound(t *testing.T) {
	const byModel = "By the model."
	for name, tt := range map[string]struct {
		sql  string
		want string // the first line of the answer
		none []string
	}{
		"a wrong literal": {"SELECT id FROM orders WHERE status = 'payed' AND total > 5",
			`Nothing was found: no row of orders meets status = 'payed'. orders.status has values such as "paid", "open".`,
			[]string{"status = 'payed'"}},
		"another case": {"SELECT o.id FROM orders o WHERE o.status = 'PAID'",
			`Nothing was found: no row of orders meets status = 'PAID'. orders.status has values such as "paid", "open".`,
			[]string{"status = 'PAID'"}},
		"a list": {"SELECT id FROM orders WHERE status IN ('payed', 'closed')",
			`Nothing was found: no row of orders meets status IN ('payed', 'closed'). orders.status has values such as "paid", "open".`,
			[]string{"status IN ('payed', 'closed')"}},
		"two wrong literals": {"SELECT o.id FROM orders o JOIN customer c ON c.id = o.customer_id WHERE o.status = 'payed' AND c.city = 'Vienna'",
			`Nothing was found: no row of orders meets status = 'payed'; no row of customer meets city = 'Vienna'. ` +
				`orders.status has values such as "paid", "open". customer.city has values such as "Graz", "Linz", "Wien".`,
			[]string{"status = 'payed'", "city = 'Vienna'"}},
		"a period": {"SELECT id FROM orders WHERE ordered >= '2031-01-01' AND ordered < '2032-01-01'",
			`Nothing was found: no row of orders meets ordered >= '2031-01-01' AND ordered < '2032-01-01'. ` +
				`orders.ordered has values from 2025-01-10 to 2025-03-05.`,
			[]string{"ordered >= '2031-01-01' AND ordered < '2032-01-01'"}},
		"a month between others": {"SELECT id FROM orders WHERE ordered BETWEEN '2025-02-01' AND '2025-02-28'",
			`Nothing was found: no row of orders meets ordered BETWEEN '2025-02-01' AND '2025-02-28'. ` +
				`orders.ordered has values from 2025-01-10 to 2025-03-05.`,
			[]string{"ordered BETWEEN '2025-02-01' AND '2025-02-28'"}},
		"a year by a function": {"SELECT id FROM orders WHERE strftime('%Y', ordered) = '2031'",
			`Nothing was found: no row of orders meets strftime('%Y', ordered) = '2031'. orders.ordered has values from 2025-01-10 to 2025-03-05.`,
			[]string{"strftime('%Y', ordered) = '2031'"}},
		"a bound": {"SELECT id FROM orders WHERE total > 500",
			`Nothing was found: no row of orders meets total > 500. orders.total has values from 0 to 30.`, []string{"total > 500"}},
		"two that never meet": {"SELECT id FROM orders WHERE status = 'open' AND total > 5",
			`Nothing was found: there are rows for each of these alone, but none for all of them: status = 'open'; total > 5. ` +
				`orders.total has values from 0 to 30.`,
			[]string{"status = 'open'", "total > 5"}},
		"two over a join": {"SELECT o.id FROM orders o JOIN customer c ON c.id = o.customer_id WHERE c.city = 'Graz' AND o.status = 'open' AND o.id > 0",
			"", []string{"city = 'Graz'", "status = 'open'", "customer.id = orders.customer_id"}},
		"a join that matches nothing": {"SELECT o.id FROM orders o JOIN customer c ON c.name = o.status",
			`Nothing was found: no row of orders, customer meets customer.name = orders.status.`, []string{"customer.name = orders.status"}},
		"an inner join that loses the rows": {"SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id WHERE c.name = 'Cem'",
			"", []string{"name = 'Cem'", "orders.customer_id = customer.id"}},
		"an empty table": {"SELECT o.id FROM orders o JOIN refund r ON r.order_id = o.id WHERE r.amount > 0",
			`Nothing was found: refund has no rows.`, []string{""}},
		"a count": {"SELECT count(*) FROM orders WHERE status = 'payed'",
			`Nothing was found: no row of orders meets status = 'payed'. orders.status has values such as "paid", "open".`, []string{"status = 'payed'"}},
		"a sum": {"SELECT sum(total), coalesce(avg(total), 0) FROM orders WHERE status = 'payed'",
			`Nothing was found: no row of orders meets status = 'payed'. orders.status has values such as "paid", "open".`, []string{"status = 'payed'"}},
		"a sum in a common table expression": {"WITH p AS (SELECT sum(total) AS t FROM orders WHERE status = 'payed') SELECT t FROM p",
			`Nothing was found: no row of orders meets status = 'payed'. orders.status has values such as "paid", "open".`, []string{"status = 'payed'"}},
		"a common table expression": {"WITH p AS (SELECT customer_id, total FROM orders WHERE status = 'payed') SELECT c.name, p.total FROM p JOIN customer c ON c.id = p.customer_id WHERE p.total > 0",
			`Nothing was found: no row of orders meets status = 'payed'. orders.status has values such as "paid", "open".`, []string{"status = 'payed'"}},
		"a subquery in FROM": {"SELECT n FROM (SELECT customer_id, count(*) AS n FROM orders WHERE status = 'payed' GROUP BY customer_id) x",
			`Nothing was found: no row of orders meets status = 'payed'. orders.status has values such as "paid", "open".`, []string{"status = 'payed'"}},
		"a subquery in WHERE": {"SELECT id FROM orders WHERE customer_id IN (SELECT id FROM customer WHERE city = 'Vienna')",
			`Nothing was found: no row of customer meets city = 'Vienna'. customer.city has values such as "Graz", "Linz", "Wien".`, []string{"city = 'Vienna'"}},
		"a correlated subquery": {"SELECT o.id FROM orders o WHERE EXISTS (SELECT 1 FROM item i WHERE i.order_id = o.id AND i.quantity > 5)",
			byModel, []string{"EXISTS (SELECT 1 FROM item AS i WHERE i.order_id = o.id AND i.quantity > 5)"}},
		"HAVING": {"SELECT customer_id FROM orders GROUP BY customer_id HAVING count(*) > 100",
			byModel, []string{"HAVING count(*) > 100"}},
		"a left join": {"SELECT o.id, c.name FROM orders o LEFT JOIN customer c ON c.id = o.customer_id WHERE o.status = 'payed'",
			`Nothing was found: no row of orders meets status = 'payed'. orders.status has values such as "paid", "open".`, []string{"status = 'payed'"}},
		"a left join that a condition names": {"SELECT o.id FROM orders o LEFT JOIN customer c ON c.id = o.customer_id WHERE c.city = 'Vienna'",
			"", []string{"customer.city = 'Vienna'"}},
		"a comparison of columns": {"SELECT id FROM orders WHERE total < customer_id - 5", byModel, []string{"total < customer_id - 5"}},
		"two in a subquery, and one": {"SELECT id FROM item JOIN (SELECT id FROM orders WHERE status = 'open' AND total > 5) o ON o.id = item.order_id WHERE sku = 'zzz'",
			"", []string{"sku = 'zzz'"}},
		"two in a subquery": {"SELECT o.id FROM item JOIN (SELECT id FROM orders WHERE status = 'open' AND total > 5) o ON o.id = item.order_id",
			"", []string{"status = 'open'", "total > 5"}},
		"two after the conditions": {"SELECT status FROM orders GROUP BY status HAVING count(*) > 1 LIMIT 5 OFFSET 9", byModel, []string{}},
		"many values": {"SELECT order_id FROM item WHERE sku = 'B-1o05'",
			"", []string{"sku = 'B-1o05'"}},
		"a sum of 0 over rows": {"SELECT sum(total) FROM orders WHERE status = 'open'", byModel, nil},
		"a sum of NULL values": {"SELECT max(email) FROM customer WHERE id = 3", byModel, nil},
		"a 0 that is no sum":   {"SELECT total FROM orders WHERE status = 'open'", byModel, nil},
		"rows":                 {"SELECT id FROM orders", byModel, nil},
		"groups":               {"SELECT count(*) FROM orders WHERE status = 'open' AND total = 0 GROUP BY status", byModel, nil},
		"a UNION":              {"SELECT id FROM orders WHERE status = 'payed' UNION ALL SELECT order_id FROM refund ORDER BY 1", byModel, []string{}},
		"a UNION in a common table expression": {"WITH p AS (SELECT id FROM orders WHERE status = 'payed' UNION SELECT order_id FROM refund) SELECT id FROM p WHERE id > 0",
			"Nothing was found: p has no rows.", []string{""}},
		"a sum of a UNION": {"SELECT sum(id) FROM (SELECT id FROM orders WHERE status = 'payed' UNION ALL SELECT order_id FROM refund) u",
			"Nothing was found: u has no rows.", []string{""}},
		"an INTERSECT in IN": {"SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders INTERSECT SELECT order_id FROM refund)",
			byModel, []string{"customer.id IN (SELECT orders.customer_id FROM orders INTERSECT SELECT refund.order_id FROM refund)"}},
		"a UNION with rows in a subquery": {"SELECT id FROM (SELECT id FROM orders UNION SELECT order_id FROM refund) u WHERE id > 900",
			"", []string{"u.id > 900"}},
		"an INTERSECT":                    {"SELECT id FROM orders INTERSECT SELECT order_id FROM refund", byModel, []string{}},
		"an EXCEPT that removes all rows": {"SELECT id FROM orders EXCEPT SELECT id FROM orders", byModel, []string{}},
		"FILTER": {"SELECT sum(total) FILTER (WHERE status = 'payed') AS t FROM orders WHERE id > 0",
			`Nothing was found: no row of orders meets status = 'payed'. orders.status has values such as "paid", "open".`, []string{"status = 'payed'"}},
		"a CASE": {"SELECT coalesce(round(sum(CASE WHEN status = 'payed' THEN total ELSE 0 END), 2), 0) AS t, count(CASE status WHEN 'payed' THEN 1 END) AS n FROM orders",
			`Nothing was found: no row of orders meets status = 'payed'. orders.status has values such as "paid", "open".`, []string{"status = 'payed'"}},
		"a share": {"SELECT 100.0 * sum(iif(o.status = 'payed', 1, 0)) / count(*) AS share FROM orders o JOIN customer c ON c.id = o.customer_id",
			`Nothing was found: no row of orders meets status = 'payed'. orders.status has values such as "paid", "open".`, []string{"status = 'payed'"}},
		"a CASE with a condition of WHERE": {"SELECT count(CASE WHEN total > 5 THEN 1 END) AS n FROM orders WHERE status = 'open'",
			`Nothing was found: there are rows for each of these alone, but none for all of them: status = 'open'; total > 5. ` +
				`orders.total has values from 0 to 30.`, []string{"status = 'open'", "total > 5"}},
		"a CASE of an outer join": {"SELECT count(CASE WHEN i.sku = 'zzz' THEN 1 END) AS n FROM orders o LEFT JOIN item i ON i.order_id = o.id",
			"", []string{"item.sku = 'zzz'"}},
		"two CASEs": {"SELECT count(CASE WHEN status = 'payed' THEN 1 END) AS a, sum(total) FILTER (WHERE total > 500) AS b FROM orders",
			"", []string{"status = 'payed'", "total > 500"}},
		"a CASE that chooses rows":      {"SELECT sum(CASE WHEN status = 'open' THEN total END) AS t FROM orders", byModel, nil},
		"one of two CASEs chooses rows": {"SELECT sum(CASE WHEN status = 'open' THEN total END) AS t, count(CASE WHEN status = 'payed' THEN 1 END) AS n FROM orders", byModel, nil},
		"a CASE with another value":     {"SELECT sum(CASE WHEN status = 'payed' THEN 5 ELSE total END) AS t FROM orders WHERE status = 'open'", byModel, nil},
		"a CASE next to a sum of 0":     {"SELECT sum(total) AS t, count(CASE WHEN status = 'payed' THEN 1 END) AS n FROM orders WHERE status = 'open'", byModel, nil},
		"no table":                      {"SELECT 0", byModel, nil},
		"no rows by the limit":          {"SELECT id FROM orders LIMIT 0", "", []string{"LIMIT 0"}},
		"more than there are":           {"SELECT id FROM orders LIMIT 5 OFFSET 50", "", []string{"OFFSET 50"}},
		"a name that is shadowed":       {"WITH orders AS (SELECT * FROM item WHERE sku = 'zzz') SELECT * FROM orders WHERE quantity > 0", byModel, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := shopAgent(t, nil, shopPolicy(), nil, tt.sql, nil)
			events, got, err := run(t, a, qed.Turn{Text: "Which orders?"})
			if err != nil {
				t.Fatal(err)
			}
			text, _, _ := strings.Cut(got.Text, "\n")
			if tt.want != "" && text != tt.want {
				t.Errorf("the answer is\n%s\nwant\n%s", text, tt.want)
			}
			empty := got.Queries[0].Empty
			if (empty == nil) != (tt.none == nil) {
				t.Fatalf("Empty = %+v, want %q", empty, tt.none)
			}
			event, ok := first[qed.QueryEmpty](events)
			if ok != (empty != nil) {
				t.Errorf("event %+v", event)
			}
			if empty == nil {
				return
			}
			var none []string
			for _, p := range empty.Predicates {
				if p.Verdict == dates.Contradicted {
					none = append(none, p.SQL)
				}
			}
			if diff := cmp.Diff(tt.none, none, cmpopts.EquateEmpty(), cmpopts.SortSlices(strings.Compare)); diff != "" {
				t.Errorf("contradicted (-want +got):\n%s\n%+v", diff, empty)
			}
			if len(empty.Predicates) == 0 || got.Partial || got.Table == nil || len(got.Unproved) > 0 {
				t.Errorf("answer %+v", got)
			}
		})
	}
}

// The model corrects its statement once if the data has similar values. What it writes
// depends on what the prompt says.
func TestEmptyResult(t *testing.T) {
	const payed, paid = "SELECT id FROM orders WHERE status = 'payed'", "SELECT id FROM orders WHERE status = 'paid'"
	useNearest := func(prompt string) string {
		if strings.Contains(prompt, `status = 'payed'`) && strings.Contains(prompt, `values such as \"paid\"`) {
			return paid
		}
		return payed
	}
	for name, tt := range map[string]struct {
		sql         string
		then        func(string) string
		opt         sqlagent.Options
		corrections int
		rows        int
		text        string
	}{
		"the nearest value":                      {payed, useNearest, sqlagent.Options{}, 1, 2, "By the model."},
		"without corrections of what is refused": {payed, useNearest, sqlagent.Options{MaxCorrections: -1}, 1, 2, "By the model."},
		"one statement at most":                  {payed, useNearest, sqlagent.Options{MaxStatements: 1}, 0, 0, "Nothing was found: no row of orders meets status = 'payed'."},
		"the model keeps it":                     {payed, nil, sqlagent.Options{}, 1, 0, "Nothing was found: no row of orders meets status = 'payed'."},
		"the other finds nothing": {payed, says("SELECT id FROM orders WHERE status = 'pend'"), sqlagent.Options{}, 1, 0,
			"Nothing was found: no row of orders meets status = 'pend'."},
		"the other is refused": {payed, says("DELETE FROM orders"), sqlagent.Options{MaxCorrections: -1}, 1, 0,
			"Nothing was found: no row of orders meets status = 'payed'."},
		"nothing usable": {payed, says(""), sqlagent.Options{}, 1, 0, "Nothing was found: no row of orders meets status = 'payed'."},
		"the join is wrong": {"SELECT o.id FROM orders o JOIN item i ON i.quantity = o.id AND i.quantity = o.ordered",
			says("SELECT o.id FROM orders o JOIN item i ON i.order_id = o.id WHERE i.sku = 'A-100'"), sqlagent.Options{}, 1, 1, "By the model."},
		"no value is near": {"SELECT order_id FROM item WHERE sku = 'Zorro'", useNearest, sqlagent.Options{}, 0, 0, "Nothing was found: no row of item meets sku = 'Zorro'."},
		"a period":         {"SELECT id FROM orders WHERE ordered > '2031-01-01'", useNearest, sqlagent.Options{}, 0, 0, "Nothing was found: no row of orders"},
		"values that no model may see": {"SELECT id FROM customer WHERE email = 'ann@x.com'", useNearest, sqlagent.Options{}, 0, 0,
			"Nothing was found: no row of customer meets email = 'ann@x.com'."},
		"what is not probed": {"SELECT id FROM orders EXCEPT SELECT id FROM orders", says(paid), sqlagent.Options{}, 1, 2, "By the model."},
	} {
		t.Run(name, func(t *testing.T) {
			tt.opt.Limits.SampleRows = -1
			a, corrections := shopAgent(t, nil, shopPolicy(), &tt.opt, tt.sql, tt.then)
			_, got, err := run(t, a, qed.Turn{Text: "Which orders were payed?"})
			if err != nil {
				t.Fatal(err)
			}
			if *corrections != max(tt.corrections, 0) && name != "nothing usable" || len(got.Table.Rows) != tt.rows || !strings.HasPrefix(got.Text, tt.text) || got.Partial {
				t.Errorf("%d corrections, %d rows, %q", *corrections, len(got.Table.Rows), got.Text)
			}
			if strings.Contains(got.Text, "x.org") {
				t.Errorf("the answer has a value that is hidden: %s", got.Text)
			}
			if given := len(got.Queries[0].Corrections); tt.rows > 0 && given != 1 {
				t.Errorf("%d statements are in the proof as given up", given)
			}
		})
	}
}

// What a user must not see is not looked up, and the answer says that it is about a part of
// the data.
func TestEmptyResultOfAView(t *testing.T) {
	orders, customer := shopTables["orders"], []string{"id", "name", "city"}
	for name, policy := range map[string]*secureview.Policy{
		"a view": {
			Dialect: "sqlite", RowLimit: 1000, Views: map[string]string{"customer": "secure_customer"},
			Tables: map[string][]string{"secure_customer": customer, "orders": orders},
		},
		"a filter": {
			Dialect: "sqlite", RowLimit: 1000, Filters: map[string]string{"customer": "city <> 'Linz'"},
			Tables: map[string][]string{"customer": customer, "orders": orders},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := shopAgent(t, nil, policy, nil, "SELECT name FROM customer WHERE city = 'Linz'", nil)
			_, got, err := run(t, a, qed.Turn{Text: "Who lives in Linz?", Language: "de"})
			if err != nil {
				t.Fatal(err)
			}
			const want = `Es wurde nichts gefunden, das Sie sehen dürfen: keine Zeile von customer erfüllt city = 'Linz'. ` +
				`customer.city hat zum Beispiel die Werte "Graz", "Wien".`
			if got.Text != want || !got.Queries[0].Empty.Limited {
				t.Errorf("the answer is\n%s\nwant\n%s", got.Text, want)
			}
		})
	}
}

// A database that fails while conditions are probed costs the reason, and not the answer.
func TestProbesThatFail(t *testing.T) {
	const sql = "SELECT o.id FROM orders o JOIN customer c ON c.id = o.customer_id WHERE o.status = 'payed' AND c.city = 'Graz'"
	for after := 1; after < 8; after++ {
		db := &broken{after: after}
		a, _ := shopAgent(t, db, shopPolicy(), nil, sql, nil)
		_, got, err := run(t, a, qed.Turn{Text: "Which orders?"})
		if err != nil || got.Table == nil || got.Partial {
			t.Fatalf("%d statements: %+v, %v", after, got, err)
		}
		empty := got.Queries[0].Empty
		if len(empty.Predicates) != 3 {
			t.Fatalf("%d statements: %+v", after, empty)
		}
		blamed := empty.Predicates[1].Verdict == dates.Contradicted || empty.Predicates[0].Verdict == dates.Contradicted
		if blamed == strings.HasPrefix(got.Text, "By the model") {
			t.Errorf("%d statements: %q with %+v", after, got.Text, empty)
		}
		if after == 1 && blamed {
			t.Errorf("a verdict without a probe: %+v", empty)
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	a, _ := shopAgent(t, &broken{after: 1, cancel: cancel}, shopPolicy(), nil, sql, nil)
	if _, err := qed.Ask(ctx, a, qed.Turn{Text: "Which orders?"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled turn ends with %v", err)
	}
}

// The number of statements that look for a reason is bounded, whatever the statement has.
func TestProbesAreBounded(t *testing.T) {
	var where []string
	for _, c := range []string{"o.id", "o.total", "c.id", "i.quantity", "o.customer_id", "c.name", "c.city", "i.sku", "o.status", "i.order_id"} {
		where = append(where, c+" IS NOT NULL")
	}
	sql := "SELECT o.id FROM orders o JOIN customer c ON c.id = o.customer_id JOIN item i ON i.order_id = o.id WHERE " +
		strings.Join(where, " AND ") + " AND o.ordered = '2025-01-20'"
	db := &broken{}
	a, _ := shopAgent(t, db, shopPolicy(), nil, sql, nil)
	_, got, err := run(t, a, qed.Turn{Text: "Which orders?"})
	if err != nil {
		t.Fatal(err)
	}
	if empty := got.Queries[0].Empty; db.ran > 1+8 || len(empty.Predicates) != 13 || empty.Predicates[0].Verdict == dates.Contradicted {
		t.Errorf("%d statements ran: %+v", db.ran, empty)
	}
	if got.Text != "By the model." {
		t.Errorf("the answer is %q", got.Text)
	}
}

// So is that for many conditions of values.
func TestProbesOfManyPartsAreBounded(t *testing.T) {
	value := "count(CASE WHEN total > 500 THEN 1 END)"
	for _, sql := range []string{
		"SELECT " + value + strings.Repeat(", "+strings.Replace(value, "500", "600 + length(status)", 1), 9) + " FROM orders",
		"SELECT " + value + ", " + strings.Join(func() (all []string) {
			for i := range 20 {
				all = append(all, strings.Replace(value, "500", strconv.Itoa(500+i), 1))
			}
			return all
		}(), ", ") + " FROM orders",
	} {
		db := &broken{}
		a, _ := shopAgent(t, db, shopPolicy(), nil, sql, nil)
		if _, _, err := run(t, a, qed.Turn{Text: "Which orders?"}); err != nil {
			t.Fatal(err)
		}
		if most := 2 + 8 + 2*2; db.ran > most {
			t.Errorf("%d statements ran, more than %d: %.80s", db.ran, most, sql)
		}
	}
}
