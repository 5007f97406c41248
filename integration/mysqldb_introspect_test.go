package integration_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/sqldb"
)

func introspectMaria(tb testing.TB, open func(*sqldb.Options) *sqldb.DB) (*joinpath.Schema, []string) {
	tb.Helper()
	var skipped []string
	db := open(&sqldb.Options{Skipped: func(table, reason string) { skipped = append(skipped, table+": "+reason) }})
	schema, err := db.Introspect(context.WithoutCancel(tb.Context()))
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := joinpath.New(schema, nil); err != nil {
		tb.Errorf("joinpath refuses the schema: %v", err)
	}
	return schema, skipped
}

// Introspect returns tables and views of all kinds, as the catalogue spells
// them.
func TestMySQLDBIntrospectTables(t *testing.T) {
	server := mariaServer(t)
	m := newMaria(t, server, "mysqldb tables", "SET foreign_key_checks = 0;"+
		"CREATE TABLE `order` (`select` INT PRIMARY KEY, `a``b` INT UNIQUE COMMENT 'it''s \"quoted\" ä', `c'd\"e` ENUM('x','it''s') NOT NULL, ` f g` DECIMAL(10,2), `漢字` JSON) COMMENT = 'the orders'"+
		";CREATE TABLE pair (b INT, a INT, c VARCHAR(10), g INT AS (b + 1), UNIQUE one (c(3)), UNIQUE two (a, c), UNIQUE again (c, a), PRIMARY KEY (a, b))"+
		";CREATE TABLE bare (n INT, h INT INVISIBLE)"+
		";CREATE TABLE versioned (n INT PRIMARY KEY) WITH SYSTEM VERSIONING"+
		";CREATE SEQUENCE counter"+
		";CREATE VIEW seen AS SELECT a AS `no. 1`, concat(c, 'x') AS joined FROM pair"+
		";CREATE TABLE gone (n INT); CREATE VIEW broken AS SELECT n FROM gone; DROP TABLE gone"+
		";CREATE TABLE aria (n INT) ENGINE = Aria"+
		";INSERT INTO bare VALUES (1), (2)")
	schema, skipped := introspectMaria(t, func(opt *sqldb.Options) *sqldb.DB { return m.openAsRoot(t, server, opt) })
	if rows := schema.Tables["bare"].Rows; rows != 2 {
		t.Errorf("bare has %d rows", rows)
	}
	for name, table := range schema.Tables {
		if !table.View && table.Bytes <= 0 {
			t.Errorf("%s has %d bytes", name, table.Bytes)
		}
		table.Rows, table.Bytes = 0, 0
		schema.Tables[name] = table
	}
	want := map[string]joinpath.Table{
		"order": {
			Columns: []string{"select", "a`b", `c'd"e`, " f g", "漢字"}, PrimaryKey: []string{"select"}, UniqueColumns: []string{"select", "a`b"},
			NotNull: []string{"select", `c'd"e`},
			Types:   map[string]string{"select": "int(11)", "a`b": "int(11)", `c'd"e`: "enum('x','it''s')", " f g": "decimal(10,2)", "漢字": "longtext"},
			Comment: "the orders", ColumnComments: map[string]string{"a`b": `it's "quoted" ä`},
		},
		"pair": {
			Columns: []string{"b", "a", "c", "g"}, PrimaryKey: []string{"a", "b"}, UniqueColumns: []string{"c"}, UniqueKeys: [][]string{{"c", "a"}},
			NotNull: []string{"b", "a"},
			Types:   map[string]string{"b": "int(11)", "a": "int(11)", "c": "varchar(10)", "g": "int(11)"},
			Uses:    []joinpath.Use{{By: "g", Table: "pair", Column: "b"}},
		},
		"bare":      {Columns: []string{"n", "h"}, Types: map[string]string{"n": "int(11)", "h": "int(11)"}},
		"versioned": {Columns: []string{"n"}, PrimaryKey: []string{"n"}, UniqueColumns: []string{"n"}, NotNull: []string{"n"}, Types: map[string]string{"n": "int(11)"}},
		"aria":      {Columns: []string{"n"}, Types: map[string]string{"n": "int(11)"}},
		"seen": {Columns: []string{"no. 1", "joined"}, Types: map[string]string{"no. 1": "int(11)", "joined": "varchar(11)"}, View: true, Reads: []string{"pair"},
			Uses: []joinpath.Use{{Table: "pair", Column: "a"}, {Table: "pair", Column: "c"}}},
	}
	if diff := cmp.Diff(want, schema.Tables); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(skipped) != 1 || !strings.HasPrefix(skipped[0], "broken: ") {
		t.Errorf("skipped: %q", skipped)
	}
}

func TestMySQLDBIntrospectForeignKeys(t *testing.T) {
	server := mariaServer(t)
	other := newMaria(t, server, "mysqldb_keys_elsewhere", "CREATE TABLE far (id INT PRIMARY KEY)")
	m := newMaria(t, server, "mysqldb_keys", "SET foreign_key_checks = 0;"+
		"CREATE TABLE customer (id INT PRIMARY KEY, region INT, no INT, UNIQUE (region, no))"+
		";CREATE TABLE invoice (id INT PRIMARY KEY, billing INT, shipping INT, region INT, customerNo INT,"+
		" CONSTRAINT a FOREIGN KEY (billing) REFERENCES customer (id), CONSTRAINT b FOREIGN KEY (shipping) REFERENCES customer (id),"+
		" CONSTRAINT c FOREIGN KEY (region, customerNo) REFERENCES customer (region, no), CONSTRAINT d FOREIGN KEY (shipping) REFERENCES customer (id))"+
		";CREATE TABLE detail (id INT PRIMARY KEY, FOREIGN KEY (id) REFERENCES customer (id))"+
		";CREATE TABLE node (id INT PRIMARY KEY, parent INT, FOREIGN KEY (parent) REFERENCES node (id))"+
		";CREATE TABLE lost (id INT PRIMARY KEY, x INT, FOREIGN KEY (x) REFERENCES nowhere (id))"+
		";CREATE TABLE abroad (id INT PRIMARY KEY, x INT, FOREIGN KEY (x) REFERENCES "+other.name+".far (id))")
	schema, skipped := introspectMaria(t, func(opt *sqldb.Options) *sqldb.DB { return m.openAsRoot(t, server, opt) })
	var got []string
	for _, r := range schema.Relationships {
		from, to := r.Columns()
		got = append(got, fmt.Sprint(r.FromTable, from, " -> ", r.ToTable, to, " ", r.Cardinality, " ", r.Type, " ", r.Confidence))
	}
	want := []string{
		"detail[id] -> customer[id] 1:1 foreign_key 1",
		"invoice[billing] -> customer[id] N:1 foreign_key 1",
		"invoice[shipping] -> customer[id] N:1 foreign_key 1",
		"invoice[region customerNo] -> customer[region no] N:1 foreign_key 1",
		"node[parent] -> node[id] N:1 foreign_key 1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantSkipped := []string{
		"abroad: foreign key (x): it refers to the database mysqldb_keys_elsewhere, which is not read: name both databases",
		"lost: foreign key (x): there is no table nowhere, or this account may not see it",
	}
	if diff := cmp.Diff(wantSkipped, skipped); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
}

// An account sees what it may read, including a view that calls a function
// which the account may not call itself. It sees a key only if it sees all
// columns of the key.
func TestMySQLDBIntrospectRestricted(t *testing.T) {
	m := newMaria(t, mariaServer(t), "mysqldb_restricted", "CREATE TABLE hidden (n INT, secret VARCHAR(20));"+
		"CREATE FUNCTION app_key() RETURNS VARCHAR(100) SQL SECURITY INVOKER RETURN @aesKey;"+
		"CREATE VIEW secure_hidden AS SELECT n, concat(secret, app_key()) AS shown FROM hidden;"+
		"CREATE TABLE part (a INT, b INT, c INT UNIQUE, PRIMARY KEY (a, b))")
	m.grant(t, "SELECT ON secure_hidden")
	m.grant(t, "SELECT (a, c) ON part")
	schema, skipped := introspectMaria(t, func(opt *sqldb.Options) *sqldb.DB { return m.open(t, opt) })
	want := map[string]joinpath.Table{
		"secure_hidden": {Columns: []string{"n", "shown"}, Types: map[string]string{"n": "int", "shown": "varchar"}, View: true},
		"part":          {Columns: []string{"a", "c"}, Types: map[string]string{"a": "int(11)", "c": "int(11)"}, UniqueColumns: []string{"c"}, NotNull: []string{"a"}},
	}
	for name, table := range schema.Tables {
		table.Rows, table.Bytes = 0, 0
		schema.Tables[name] = table
	}
	if diff := cmp.Diff(want, schema.Tables); diff != "" || len(skipped) > 0 {
		t.Errorf("skipped %v (-want +got):\n%s", skipped, diff)
	}
}

func TestMySQLDBIntrospectNoDatabase(t *testing.T) {
	config := mariaServer(t)
	if _, err := openMySQLDB(t, nil, openMaria(t, config)).Introspect(t.Context()); !errors.Is(err, sqldb.ErrArgument) {
		t.Errorf("without a database: %v", err)
	}
}

// BenchmarkIntrospectMariaDB1000 reads a catalogue of 1,000 tables with 20,000
// columns.
func BenchmarkIntrospectMariaDB1000(b *testing.B) {
	const tables, columns = 1000, 20
	kinds := []string{"INT", "VARCHAR(80)", "DECIMAL(14,2)", "DATETIME"}
	server := mariaServer(b)
	m := newMaria(b, server, "mysqldb_large_catalogue", "")
	for i := range tables {
		list := []string{"id INT PRIMARY KEY", "parent INT UNIQUE"}
		for c := range columns - len(list) {
			list = append(list, fmt.Sprintf("column_%02d_of_the_table %s COMMENT 'what the column %d holds'", c, kinds[c%len(kinds)], c))
		}
		engine := "MEMORY"
		if i%10 == 0 { // the others are quicker to make, and have no foreign keys
			engine = "InnoDB"
			if i > 0 {
				list = append(list, fmt.Sprintf("FOREIGN KEY (parent) REFERENCES t%04d (id)", i-10))
			}
		}
		mariaExec(b, m.admin, fmt.Sprintf("CREATE TABLE t%04d (%s) ENGINE=%s COMMENT 'table number %d'", i, strings.Join(list, ", "), engine, i))
	}
	db := m.openAsRoot(b, server, nil)
	for b.Loop() {
		schema, err := db.Introspect(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if len(schema.Tables) != tables || len(schema.Relationships) != tables/10-1 || len(schema.Tables["t0000"].Types) != columns {
			b.Fatalf("%d tables, %d relationships", len(schema.Tables), len(schema.Relationships))
		}
	}
}
