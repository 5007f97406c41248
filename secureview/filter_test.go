package secureview_test

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

func filtered(name string) *secureview.Policy {
	return &secureview.Policy{
		Dialect: name,
		Schema:  "app",
		Tables: map[string][]string{
			"orders":   {"id", "total", "status"},
			"customer": {"id", "name"},
			"region":   {"id", "name"},
		},
		Filters: map[string]string{
			"orders":   "customer_id IN (:customers) AND status <> 'hidden'",
			"customer": "tenant = :tenant OR tenant IS NULL",
		},
		Schemas: map[string]secureview.Schema{"crm": {
			Tables:  map[string][]string{"note": {"id", "text"}},
			Filters: map[string]string{"note": "tenant = :tenant"},
		}},
	}
}

func filterGuard(t *testing.T, d dialect.Dialect, p *secureview.Policy) *secureview.Guard {
	t.Helper()
	g, err := secureview.New(p, d)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

var session = map[string]any{"customers": "1,2", "tenant": "a'b", "other": "x"}

func TestFilter(t *testing.T) {
	tests := []struct {
		d           dialect.Dialect
		text        string
		shown, runs string
	}{
		{sqlite.Dialect{}, "SELECT total FROM orders o WHERE abs(id) = 1",
			"SELECT o.total AS total FROM (SELECT orders.id, orders.total FROM app.orders WHERE (orders.customer_id IN (:customers)) " +
				"AND orders.status <> 'hidden' LIMIT -1) AS o WHERE abs(o.id) = 1 LIMIT 1000",
			"SELECT o.total AS total FROM (SELECT orders.id, orders.total FROM app.orders WHERE ((orders.customer_id IN ('1', 1, '2', 2) " +
				"AND CAST(orders.customer_id AS TEXT) COLLATE BINARY IN ('1', 1, '2', 2))) " +
				"AND orders.status <> 'hidden' LIMIT -1) AS o WHERE abs(o.id) = 1 LIMIT 1000"},
		// A statement that cannot fail needs no barrier.
		{sqlite.Dialect{}, "SELECT count(*) AS n FROM customer",
			"SELECT count(*) AS n FROM (SELECT 1 FROM app.customer WHERE customer.tenant = :tenant OR customer.tenant IS NULL) AS customer LIMIT 1000",
			"SELECT count(*) AS n FROM (SELECT 1 FROM app.customer WHERE (customer.tenant IN ('a''b') " +
				"AND CAST(customer.tenant AS TEXT) COLLATE BINARY IN ('a''b')) OR customer.tenant IS NULL) AS customer LIMIT 1000"},
		{mysql.Dialect{}, "SELECT name FROM customer",
			"SELECT customer.name AS name FROM (SELECT customer.name FROM app.customer WHERE customer.tenant = :tenant OR customer.tenant IS NULL " +
				"LIMIT 18446744073709551615) AS customer LIMIT 1000",
			"SELECT customer.name AS name FROM (SELECT customer.name FROM app.customer WHERE (customer.tenant IN ('a''b') " +
				"AND CAST(customer.tenant AS BINARY) IN ('a''b')) OR customer.tenant IS NULL LIMIT 18446744073709551615) AS customer LIMIT 1000"},
		{postgres.Dialect{}, "SELECT text FROM crm.note",
			"SELECT note.text AS text FROM (SELECT note.text FROM crm.note WHERE note.tenant = :tenant OFFSET 0) AS note LIMIT 1000",
			"SELECT note.text AS text FROM (SELECT note.text FROM crm.note WHERE (note.tenant IN ('a''b') " +
				"AND CAST(note.tenant AS pg_catalog.text) COLLATE pg_catalog.C IN ('a''b')) OFFSET 0) AS note LIMIT 1000"},
		{postgres.Dialect{}, "SELECT name FROM region", "SELECT region.name AS name FROM app.region LIMIT 1000",
			"SELECT region.name AS name FROM app.region LIMIT 1000"},
	}
	for _, tt := range tests {
		stmt, err := filterGuard(t, tt.d, filtered(tt.d.Name())).Rewrite(t.Context(), tt.text)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		bound, rest, err := stmt.Bind(session)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
		}
		if diff := cmp.Diff([]string{tt.shown, tt.runs}, []string{plain(stmt.SQL()), plain(bound)}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.text, diff)
		}
		if diff := cmp.Diff(map[string]any{"other": "x"}, rest); diff != "" {
			t.Errorf("the settings of the database (-want +got):\n%s", diff)
		}
	}
}

// A table is filtered wherever a statement names it.
func TestFilterScopes(t *testing.T) {
	texts := map[string]int{
		"SELECT o.id FROM orders o JOIN orders p ON o.id = p.id":                                                             2,
		"SELECT o.id FROM orders o, orders p WHERE o.id = p.id":                                                              2,
		"SELECT id FROM orders JOIN customer USING (id)":                                                                     2,
		"SELECT * FROM orders NATURAL JOIN customer":                                                                         2,
		"SELECT r.name FROM region r LEFT JOIN orders ON orders.id = r.id":                                                   1,
		"SELECT name FROM region WHERE id IN (SELECT id FROM orders)":                                                        1,
		"SELECT name FROM region WHERE EXISTS (SELECT 1 FROM orders o WHERE o.id = region.id)":                               1,
		"SELECT name, (SELECT max(total) FROM orders) AS m FROM region":                                                      1,
		"SELECT id FROM orders UNION ALL SELECT id FROM customer":                                                            2,
		"SELECT name FROM region ORDER BY (SELECT count(*) FROM orders o WHERE o.id = region.id)":                            1,
		"WITH o AS (SELECT id FROM orders) SELECT id FROM o UNION SELECT id FROM customer":                                   2,
		"WITH orders AS (SELECT id FROM orders) SELECT id FROM orders":                                                       1,
		"WITH RECURSIVE c AS (SELECT id FROM orders UNION SELECT o.id FROM orders o JOIN c ON c.id = o.id) SELECT id FROM c": 2,
		"SELECT id FROM (SELECT id FROM (SELECT * FROM orders) a) b":                                                         1,
		"SELECT id FROM app.orders":                                                                                          1,
		"SELECT id FROM orders AS customer":                                                                                  1,
		"SELECT count(*) AS n FROM orders GROUP BY status HAVING count(*) > (SELECT count(*) FROM customer)":                 2,
		"SELECT CASE WHEN id IN (SELECT id FROM orders) THEN 1 END AS c FROM region":                                         1,
		"SELECT sum(total) OVER (ORDER BY id) AS s FROM orders":                                                              1,
		"SELECT n.id FROM crm.note n":                                                                                        1,
	}
	lateral := "SELECT r.name, l.id FROM region r JOIN LATERAL (SELECT id FROM orders o WHERE o.id = r.id) l ON TRUE"
	table := regexp.MustCompile(`(app\.orders|app\.customer|crm\.note)( WHERE)?`)
	for _, d := range []dialect.Dialect{sqlite.Dialect{}, mysql.Dialect{}, postgres.Dialect{}} {
		g := filterGuard(t, d, filtered(d.Name()))
		check := func(text string, want int) {
			stmt, err := g.Rewrite(t.Context(), text)
			if err != nil {
				t.Errorf("%s: %s: %v", d.Name(), text, err)
				return
			}
			bound, _, err := stmt.Bind(session)
			if err != nil {
				t.Errorf("%s: %s: %v", d.Name(), text, err)
			}
			for _, printed := range []string{plain(stmt.SQL()), plain(bound)} {
				found := table.FindAllStringSubmatch(printed, -1)
				bare := slices.ContainsFunc(found, func(m []string) bool { return m[2] == "" })
				if len(found) != want || bare {
					t.Errorf("%s: %s is printed as %s", d.Name(), text, printed)
				}
			}
		}
		for text, want := range texts {
			// SQLite has one schema, and a common table expression is its own table.
			if d.Name() == "sqlite" && (strings.Contains(text, "crm.") || strings.HasPrefix(text, "WITH orders")) {
				continue
			}
			check(text, want)
		}
		if d.Name() != "sqlite" {
			check(lateral, 1)
		}
	}
}

// Columns that only the filter compares cannot be read, and a text of the model does not
// become a parameter.
func TestFilterRefused(t *testing.T) {
	for _, d := range []dialect.Dialect{sqlite.Dialect{}, mysql.Dialect{}, postgres.Dialect{}} {
		g := filterGuard(t, d, filtered(d.Name()))
		for _, text := range []string{
			"SELECT customer_id FROM orders", "SELECT id FROM orders WHERE customer_id = 3", "SELECT tenant FROM customer",
			"SELECT id FROM orders ORDER BY customer_id", "SELECT o.customer_id FROM orders o", "SELECT id FROM orders WHERE id = :tenant",
			"SELECT id FROM orders WHERE id IN (:customers)",
		} {
			if stmt, err := g.Rewrite(t.Context(), text); err == nil {
				t.Errorf("%s: %s is accepted: %s", d.Name(), text, stmt.SQL())
			}
		}
		stmt, err := g.Rewrite(t.Context(), "SELECT id, ':tenant' AS t FROM customer WHERE name = ':tenant'")
		if err != nil {
			t.Fatal(err)
		}
		if bound, _, err := stmt.Bind(session); err != nil || strings.Count(bound, "':tenant'") != 2 {
			t.Error(bound, err)
		}
	}
}

func TestBind(t *testing.T) {
	p := filtered("mysql")
	p.Filters = map[string]string{"orders": "a IN (:list) AND b <> :one"}
	g := filterGuard(t, mysql.Dialect{}, p)
	stmt, err := g.Rewrite(t.Context(), "SELECT id FROM orders")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"list", "one"}, stmt.Parameters()); diff != "" {
		t.Error(diff)
	}
	where := func(list, one string) string {
		return "WHERE ((orders.a IN (" + list + ") AND CAST(orders.a AS BINARY) IN (" + list + "))) AND NOT ((orders.b IN (" + one +
			") AND CAST(orders.b AS BINARY) IN (" + one + "))) LIMIT"
	}
	tests := []struct {
		list, one any
		want      string
	}{
		{"1,2", "x", where("'1', '2'", "'x'")},
		{7, int64(-8), where("'7'", "'-8'")},
		{[]byte("a"), "b,c", where("'a'", "'b,c'")},
		{`x') OR 1=1 -- ,\`, `'\''`, where(`'x'') OR 1=1 -- ', '\\'`, `'''\\'''''`)},
		{"", "", where("NULL", "NULL")},
		{",a,", "\xf0\x9f\x98\x80", where("'a'", "'\xf0\x9f\x98\x80'")},
	}
	for _, tt := range tests {
		bound, _, err := stmt.Bind(map[string]any{"LIST": tt.list, "one": tt.one})
		if err != nil || !strings.Contains(plain(bound), tt.want) {
			t.Errorf("%v, %v: %v\n%s\nwant %s", tt.list, tt.one, err, plain(bound), tt.want)
		}
	}
	for _, settings := range []map[string]any{
		nil, {"list": "1"}, {"list": "1", "one": nil}, {"list": true, "one": "x"}, {"list": 1.5, "one": "x"}, {"list": []string{"1"}, "one": "x"},
		{"list": "1", "one": "\xff"}, {"list": "1", "one": "a\x00b"},
	} {
		if bound, _, err := stmt.Bind(settings); !errors.Is(err, secureview.ErrMissingSetting) || bound != "" {
			t.Errorf("%v: %v %s", settings, err, bound)
		}
	}
	if _, _, err := stmt.Bind(map[string]any{"list": strings.Repeat("1,", 200_000), "one": "x"}); !errors.Is(err, secureview.ErrTooLarge) {
		t.Error(err)
	}
}

func TestFilterPolicy(t *testing.T) {
	tests := []struct {
		change func(*secureview.Policy)
		want   string
	}{
		{func(p *secureview.Policy) { p.Filters["item"] = "a = 1" }, `filters["item"] is not a table`},
		{func(p *secureview.Policy) { p.Filters["Region"] = "a = 1" }, `use that name`},
		{func(p *secureview.Policy) { p.Filters["region"] = "a = (SELECT 1)" }, `filters["region"] cannot be read`},
		{func(p *secureview.Policy) { p.Filters["region"] = "" }, `filters["region"] is empty`},
		{func(p *secureview.Policy) { p.Schemas["crm"].Filters["note"] = "other.a = 1" }, `schemas["crm"].filters["note"]`},
		{func(p *secureview.Policy) { p.Views = map[string]string{"orders": "my_orders"} }, `the view "my_orders", which no setup creates`},
		{func(p *secureview.Policy) {
			p.Setup = &secureview.Setup{Account: "a", Tables: map[string]secureview.TableSetup{
				"orders": {Filters: []secureview.Filter{{Column: "a", Setting: "b"}}}}}
		}, `filters["orders"] is also in setup.tables`},
	}
	for _, tt := range tests {
		p := filtered("mysql")
		tt.change(p)
		if _, err := secureview.New(p, mysql.Dialect{}); !errors.Is(err, secureview.ErrInvalidPolicy) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.want, err)
		}
	}
}

// With a setup the view of a table has its filter, whose settings the database needs.
func TestFilterOfView(t *testing.T) {
	p := filtered("mysql")
	p.Views, p.Setup = map[string]string{"orders": "secure_orders"}, &secureview.Setup{Account: "a"}
	g := filterGuard(t, mysql.Dialect{}, p)
	stmt, err := g.Rewrite(t.Context(), "SELECT o.id, c.name FROM orders o JOIN customer c ON c.id = o.id")
	if err != nil {
		t.Fatal(err)
	}
	if got := plain(stmt.SQL()); !strings.Contains(got, "FROM app.secure_orders AS o JOIN (SELECT customer.id, customer.name FROM app.customer WHERE") {
		t.Error(got)
	}
	_, rest, err := stmt.Bind(session)
	if diff := cmp.Diff(session, rest); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if _, err := g.Rewrite(t.Context(), "SELECT qed_customers()"); !errors.Is(err, secureview.ErrFunction) {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"customers", "tenant"}, p.Settings()); diff != "" {
		t.Error(diff)
	}
}
