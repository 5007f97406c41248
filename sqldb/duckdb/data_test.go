package duckdb_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/duckdb"
	"github.com/qedkit/qed/sqldb/duckdb/dialect"
)

// shop are the tables of the tests. secret and orders.hidden are in no policy.
const shop = `
	CREATE TABLE customers(name VARCHAR PRIMARY KEY, country VARCHAR NOT NULL);
	INSERT INTO customers VALUES ('ann', 'DE'), ('bob', 'AT'), ('cid', 'DE'), ('eve', 'CH');
	CREATE TABLE orders(id INTEGER PRIMARY KEY, customer VARCHAR, region VARCHAR, status VARCHAR, day DATE,
		amount DOUBLE, note VARCHAR, tags VARCHAR[], detail STRUCT(color VARCHAR, size INTEGER), hidden VARCHAR);
	INSERT INTO orders SELECT i, ['ann', 'bob', 'cid', 'dan'][i % 4 + 1], ['north', 'south', 'west'][i % 3 + 1],
		['paid', 'open'][i % 2 + 1], DATE '2024-01-01' + (i * 9 % 70)::INTEGER, i * 37 % 200 + 0.5,
		[NULL, 'alert', 'a_x', 'urgent'][i % 4 + 1], ['a', 'b', 'c'][1:i % 4], {'color': ['red', 'blue'][i % 2 + 1], 'size': i}, 'h' || i
		FROM range(1, 17) t(i);
	CREATE TABLE quotes(symbol VARCHAR, ts TIMESTAMP, price DECIMAL(10, 2));
	INSERT INTO quotes VALUES ('x', '2024-01-01 10:00', 1.5), ('x', '2024-01-01 11:00', 1.75), ('y', '2024-01-01 10:30', 9);
	CREATE TABLE trades(symbol VARCHAR, ts TIMESTAMP, size INTEGER);
	INSERT INTO trades VALUES ('x', '2024-01-01 10:15', 5), ('x', '2024-01-01 12:00', 6), ('y', '2024-01-01 09:00', 7);
	CREATE TABLE nodes(id INTEGER PRIMARY KEY, parent INTEGER REFERENCES nodes(id));
	INSERT INTO nodes VALUES (1, NULL); INSERT INTO nodes VALUES (2, 1); INSERT INTO nodes VALUES (3, 2), (4, 1);
	CREATE TABLE secret(k VARCHAR, v INTEGER);
	INSERT INTO secret VALUES ('key', 42);
	CREATE TABLE employee(id INTEGER PRIMARY KEY, name VARCHAR, tenant INTEGER, code VARCHAR);
	INSERT INTO employee VALUES (1, 'Ann', 1, '7'), (2, 'Bob', 1, '8'), (3, 'Eve', 2, 'no number');
	CREATE VIEW secure_employee AS SELECT id, name, code FROM employee WHERE tenant = 1;
	CREATE SCHEMA apart; CREATE VIEW apart.staff AS SELECT name FROM employee; CREATE VIEW names AS SELECT name FROM apart.staff;`

var policy = &secureview.Policy{
	Dialect: "duckdb",
	Tables: map[string][]string{
		"customers": {"name", "country"},
		"orders":    {"id", "customer", "region", "status", "day", "amount", "note", "tags", "detail"},
		"quotes":    {"symbol", "ts", "price"}, "trades": {"symbol", "ts", "size"}, "nodes": {"id", "parent"},
		"secure_employee": {"id", "name", "code"},
	},
	Views: map[string]string{"employee": "secure_employee"},
}

func newGuard(t testing.TB, p *secureview.Policy) *secureview.Guard {
	t.Helper()
	g, err := secureview.New(p, dialect.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// newShop returns the path of a database file with the tables of the tests, and a
// connection that reads it without a guard.
func newShop(t testing.TB) (path string, raw *sql.DB) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "shop.duckdb")
	db, err := sql.Open("duckdb", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(shop); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	copied, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".raw", copied, 0o600); err != nil {
		t.Fatal(err)
	}
	if raw, err = sql.Open("duckdb", path+".raw"); err != nil {
		t.Fatal(err)
	}
	if _, err := raw.Exec("ALTER TABLE orders DROP COLUMN hidden"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { raw.Close() })
	return path, raw
}

func open(t testing.TB, path string, opt *duckdb.Options) *sqldb.DB {
	t.Helper()
	db, err := duckdb.Open(context.Background(), path, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func ask(db *sqldb.DB, g *secureview.Guard, query string) (*qed.Table, error) {
	stmt, err := g.Rewrite(context.Background(), query)
	if err != nil {
		return nil, err
	}
	table, err := db.Query(context.Background(), stmt)
	if err != nil {
		return nil, fmt.Errorf("%w\nexecuted: %s", err, stmt.SQL())
	}
	return table, nil
}

// lines returns the statements of a file of testdata.
func lines(t testing.TB, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}
