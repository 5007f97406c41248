package integration_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// TestSecureViewsAnswer checks that a session sees its rows, decrypted and typed, and
// nothing else.
func TestSecureViewsAnswer(t *testing.T) {
	onEach(t, func(t *testing.T, c *secured) {
		const (
			people    = "SELECT name, ssn, salary FROM employee ORDER BY id"
			customers = "SELECT name FROM customer ORDER BY id"
			orders    = "SELECT id, price FROM workOrder ORDER BY id"
		)
		tests := []struct {
			name                   string
			key, tenant, customers any
			text, want             string
		}{
			{"a tenant with the key", securedKey, 1, nil, people, "Ann 111-11-1111 1000.50; Bob 222-22-2222 950.00"},
			{"the key as bytes", []byte(securedKey), 1, nil, people, "Ann 111-11-1111 1000.50; Bob 222-22-2222 950.00"},
			{"another tenant", securedKey, 2, nil, people, "Eve 333-33-3333 7000.00"},
			{"encrypted NULLs", securedKey, 11, nil, people, "Kim <nil> <nil>"},
			{"a tenant as text", securedKey, "1", nil, customers, "Acme; Bolt"},
			{"no such tenant", securedKey, 7, nil, people, ""},
			{"no tenant", securedKey, nil, nil, people, ""},
			{"an empty tenant", securedKey, "", nil, customers, ""},
			{"nearly a number", securedKey, "1abc", nil, people, ""},
			{"a number otherwise", securedKey, "1.0", nil, people, ""},
			{"a number with a space", securedKey, " 1", nil, people, ""},
			{"two tenants", securedKey, "1,2", nil, people, ""},
			{"an attempt to inject", securedKey, "1' OR '1'='1", nil, people, ""},
			{"a wildcard", securedKey, "%", nil, customers, ""},
			{"no session at all", nil, nil, nil, people, ""},
			{"numbers, not text, are compared", securedKey, 1, nil, "SELECT name FROM employee WHERE salary > 960 ORDER BY salary", "Ann"},
			{"a sum", securedKey, 1, nil, "SELECT sum(salary) FROM employee", "1950.50"},
			{"an optional list", securedKey, 1, "2,3", customers, "Bolt"},
			{"an optional list of others' customers", securedKey, 1, "3", customers, ""},
			{"a list", nil, nil, "1,2", orders, "1 10.50; 2 20.00"},
			{"one in a list", nil, nil, "2", orders, "2 20.00"},
			{"a number for a list", nil, nil, 2, orders, "2 20.00"},
			{"a list with spaces", nil, nil, "1, 2", orders, "1 10.50"},
			{"a list with nothing in it", nil, nil, ",,", orders, ""},
			{"no list", nil, 1, nil, orders, ""},
			{"a view that hides columns alone", nil, nil, nil, "SELECT * FROM job", "1 driver"},
			{"a table without a view", nil, nil, nil, "SELECT * FROM dept ORDER BY id", "1 north; 2 south"},
			{"a count", nil, 1, nil, "SELECT count(*) FROM employee", "2"},
			{"a count of a table without a view", nil, nil, nil, "SELECT count(*) FROM dept", "2"},
			{"a constant of a table without a view", nil, nil, nil, "SELECT 1 AS one FROM dept WHERE EXISTS (SELECT 1 AS one FROM dept)", "1; 1"},
			{"a join", securedKey, 1, "1,2", "SELECT c.name, w.price, c.phone FROM customer c JOIN workOrder w ON w.customer_id = c.id ORDER BY w.id",
				"Acme 10.50 555-0001; Bolt 20.00 555-0002"},
			{"a join with USING", nil, 1, nil, "SELECT d.name FROM dept d JOIN employee e USING (id) ORDER BY d.id", "north; south"},
		}
		if c.dialect.Name() == "postgres" {
			tests = append(tests, []struct {
				name                   string
				key, tenant, customers any
				text, want             string
			}{
				{"row-level security", nil, 1, nil, "SELECT * FROM visit ORDER BY id", "1 Oslo; 2 Rome"},
				{"row-level security for nobody", nil, nil, nil, "SELECT * FROM visit", ""},
				{"row-level security counts", nil, "2", nil, "SELECT count(*) FROM visit", "1"},
			}...)
		}
		for _, tt := range tests {
			got, err := c.ask(c.as(t, tt.key, tt.tenant, tt.customers), tt.text)
			if c.dialect.Name() == "postgres" && slices.Contains([]any{tt.key, tt.tenant, tt.customers}, any("")) { // PostgreSQL does not distinguish "" from no value
				if !errors.Is(err, sqldb.ErrArgument) {
					t.Errorf("%s: %q; %v", tt.name, got, err)
				}
				continue
			}
			if err != nil || got != tt.want {
				t.Errorf("%s: %q, want %q; %v", tt.name, got, tt.want, err)
			}
		}
	})
}

// TestSecureViewsOddNames checks that the script quotes all names.
func TestSecureViewsOddNames(t *testing.T) {
	const table, column, tenant = "o`d\"d 't;a--ble $qed$", "co`l\"u'mn;", "te`n\"an't"
	onEach(t, func(t *testing.T, c *secured) {
		q := c.dialect.Quote
		for _, name := range []string{table, table + "2"} {
			mustExec(t, c.admin, "CREATE TABLE "+q(name)+" ("+q(column)+" INT, "+q(tenant)+" VARCHAR(20))")
			mustExec(t, c.admin, "INSERT INTO "+q(name)+" VALUES (1, 'a'), (2, 'b')")
			c.policy.Tables[name] = []string{column}
			c.policy.Setup.Tables[name] = secureview.TableSetup{Filters: []secureview.Filter{{Column: tenant, Setting: c.settings[1]}}}
		}
		c.policy.Views[table] = "secure_" + table
		if c.dialect.Name() == "mysql" {
			c.policy.Views[table+"2"] = "secure_" + table + "2" // without the view it would be row-level security in PostgreSQL
		}
		c.readable(t)
		conn := c.raw(t)
		c.tell(t, conn, "NULL", "'b'")
		for _, name := range []string{table, table + "2"} {
			if view, ok := c.policy.Views[name]; ok {
				name = view
			}
			if rows, err := rawRows(t, conn, "SELECT "+q(column)+" FROM "+q(c.policy.Schema)+"."+q(name)); err != nil || rows != "2" {
				t.Errorf("%s: %q; %v", name, rows, err)
			}
		}
		if found := c.findings(t); len(found) > 0 {
			t.Errorf("%+v", found)
		}
	})
}
