package sqlitedb_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// introspect also checks that joinpath accepts the schema.
func introspect(t testing.TB, script string) (*joinpath.Schema, []string) {
	t.Helper()
	var skipped []string
	db := open(t, create(t, script), &sqlitedb.Options{Options: sqldb.Options{
		Skipped: func(table, reason string) { skipped = append(skipped, table+": "+reason) },
	}})
	schema, err := db.Introspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := joinpath.New(schema, nil); err != nil {
		t.Errorf("joinpath rejects the schema: %v", err)
	}
	return schema, skipped
}

func TestIntrospectTables(t *testing.T) {
	uses := func(by string, columns ...string) (all []joinpath.Use) {
		for _, column := range columns {
			all = append(all, joinpath.Use{By: by, Table: "work Time", Column: column})
		}
		return all
	}
	schema, skipped := introspect(t, `
		CREATE TABLE "work Time"(
			id INTEGER PRIMARY KEY AUTOINCREMENT, "no" VARCHAR(10) UNIQUE, a, b INT, c INT,
			total INT AS (b + c) STORED, half AS (b / 2), UNIQUE (a, b), UNIQUE (b, a));
		CREATE UNIQUE INDEX one ON "work Time"(c);
		CREATE UNIQUE INDEX part ON "work Time"(b) WHERE b > 0;
		CREATE UNIQUE INDEX expression ON "work Time"(lower(a));
		CREATE UNIQUE INDEX mixed ON "work Time"(half, lower(a));
		CREATE INDEX plain ON "work Time"(half);
		CREATE TABLE pair(y INT, x INT, z TEXT, PRIMARY KEY (x, y)) WITHOUT ROWID;
		CREATE TABLE bare(a);
		CREATE VIEW seen AS SELECT id, "no" AS number, a || 'x' AS joined FROM "work Time";
		CREATE VIEW broken AS SELECT * FROM absent;
		CREATE VIRTUAL TABLE notes USING fts5(body);
		CREATE VIRTUAL TABLE index_of USING fts5(a, content='bare');
		CREATE VIRTUAL TABLE empty USING fts5(a, content = '');
		CREATE VIRTUAL TABLE logins USING fts5(body, password);
		CREATE TABLE older_content(id); CREATE TABLE lists_content(id);
		CREATE VIRTUAL TABLE older
			USING
			fts5(a, content='bare');
		CREATE VIRTUAL TABLE void USING fts5(a, content = "");
		CREATE VIRTUAL TABLE words USING fts5vocab('notes', 'row');
		CREATE VIRTUAL TABLE box USING rtree(id, x0, x1);
		INSERT INTO "work Time"(b) VALUES (1);
		ANALYZE;`)
	want := map[string]joinpath.Table{
		"work Time": {
			Columns:       []string{"id", "no", "a", "b", "c", "total", "half"},
			PrimaryKey:    []string{"id"},
			UniqueColumns: []string{"id", "no", "c"},
			UniqueKeys:    [][]string{{"a", "b"}},
			NotNull:       []string{"id"},
			Types:         map[string]string{"id": "INTEGER", "no": "VARCHAR(10)", "b": "INT", "c": "INT", "total": "INT"},
			Uses:          append(uses("total", "b", "c"), uses("half", "b")...),
		},
		"pair": {Columns: []string{"y", "x", "z"}, PrimaryKey: []string{"x", "y"}, NotNull: []string{"y", "x"}, Types: map[string]string{"y": "INT", "x": "INT", "z": "TEXT"}},
		"bare": {Columns: []string{"a"}},
		"seen": {Columns: []string{"id", "number", "joined"}, Types: map[string]string{"id": "INTEGER", "number": "VARCHAR(10)"}, View: true,
			Reads: []string{"work Time"}, Uses: uses("", "id", "no", "a")},
		"logins":   {Columns: []string{"body", "password"}, View: true, Uses: []joinpath.Use{{Table: "logins", Column: "body"}, {Table: "logins", Column: "password"}}, Comment: "full-text index, searched with WHERE logins MATCH 'words'"},
		"notes":    {Columns: []string{"body"}, View: true, Uses: []joinpath.Use{{Table: "notes", Column: "body"}}, Comment: "full-text index, searched with WHERE notes MATCH 'words'"},
		"index_of": {Columns: []string{"a"}, View: true, Reads: []string{"bare"}, Uses: []joinpath.Use{{Table: "index_of", Column: "a"}}, Comment: "full-text index, searched with WHERE index_of MATCH 'words'"},
		"older":    {Columns: []string{"a"}, View: true, Reads: []string{"bare"}, Uses: []joinpath.Use{{Table: "older", Column: "a"}}, Comment: "full-text index, searched with WHERE older MATCH 'words'"},

		"lists_content": {Columns: []string{"id"}}, // of no full-text table
	}
	if diff := cmp.Diff(want, schema.Tables, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
	if len(skipped) != 1 || !strings.HasPrefix(skipped[0], "broken: ") {
		t.Errorf("skipped: %q", skipped)
	}
}

// A generated column uses the columns of its own expression only, or all that the text of its
// table has where the expression is not certain.
func TestIntrospectGenerated(t *testing.T) {
	for declared, want := range map[string]string{
		"full AS (first || last)": "first last",
		"full TEXT GENERATED ALWAYS AS (\nfirst || ', (' || last) STORED": "first last",
		"\"full\"VARCHAR(10, 2)AS(max(first, last))":                      "first last",
		"[full] AS (first), hint AS (pin || first)":                       "first",
		"`full` AS (first /* ), pin */), CHECK (pin > 0), UNIQUE (pin)":   "first pin", // a comment may name it
		"full AS (pin)":                                              "pin",
		"'full' AS (lower(\"pin\"))":                                 "pin",
		"/* x */ full AS (first)":                                    "id first last pin later",
		"\"full x\" AS (first), full AS (hint), hint AS (pin)":       "hint",
		"x DEFAULT 'a, full AS (first)', full AS (pin)":              "pin",
		"-- it's first (\nx CHECK (x NOT IN (1, 2)), full AS (last)": "last",
		"\"full\"\"\" AS (first), full /* , full as ( */ AS (pin)":   `pin full"`, // a quote may be doubled
	} {
		schema, _ := introspect(t, "CREATE TABLE [t (](id, first, last, pin, "+declared+"); ALTER TABLE [t (] ADD COLUMN later")
		var used []string
		for _, u := range schema.Tables["t ("].Uses {
			if u.By == "full" {
				used = append(used, u.Column)
			}
		}
		if got := strings.Join(used, " "); got != want {
			t.Errorf("%s: uses %q, want %q", declared, got, want)
		}
	}
}

func TestIntrospectForeignKeys(t *testing.T) {
	schema, skipped := introspect(t, `
		CREATE TABLE Employee(id INTEGER PRIMARY KEY, boss REFERENCES employee, badge INT UNIQUE);
		CREATE TABLE pair(x INT, y INT, PRIMARY KEY (x, y));
		CREATE TABLE profile(employee INTEGER PRIMARY KEY REFERENCES EMPLOYEE(ID));
		CREATE TABLE item(
			billing REFERENCES employee(id), shipping REFERENCES employee(id), badge REFERENCES employee(badge), name,
			px INT, py INT, z UNIQUE,
			FOREIGN KEY (py, px) REFERENCES pair(y, x),
			FOREIGN KEY (px, py) REFERENCES pair,
			FOREIGN KEY (billing) REFERENCES employee(id),
			FOREIGN KEY (name) REFERENCES employee(boss),
			FOREIGN KEY (z) REFERENCES employee(boss));
		CREATE VIEW seen AS SELECT 1 AS id;
		CREATE TABLE dangling(
			a REFERENCES absent(id), b REFERENCES employee(missing), c REFERENCES seen(id), d REFERENCES pair, e REFERENCES sqlite_schema(name));`)
	edge := func(from, to string, cardinality joinpath.Cardinality) joinpath.Relationship {
		fromTable, fromColumns, _ := strings.Cut(from, ".")
		toTable, toColumns, _ := strings.Cut(to, ".")
		f, o := strings.Split(fromColumns, ","), strings.Split(toColumns, ",")
		rel := joinpath.Relationship{
			FromTable: fromTable, FromColumn: f[0], ToTable: toTable, ToColumn: o[0],
			Type: joinpath.ForeignKey, Confidence: 1, Cardinality: cardinality, Provenance: []string{"foreign key"},
		}
		if len(f) > 1 {
			rel.FromColumns, rel.ToColumns = f, o
		}
		return rel
	}
	want := []joinpath.Relationship{
		edge("Employee.boss", "Employee.id", joinpath.ManyToOne),
		edge("profile.employee", "Employee.id", joinpath.OneToOne),
		edge("item.billing", "Employee.id", joinpath.ManyToOne),
		edge("item.shipping", "Employee.id", joinpath.ManyToOne),
		edge("item.badge", "Employee.badge", joinpath.ManyToOne),
		edge("item.py,px", "pair.y,x", joinpath.ManyToOne),
		edge("item.name", "Employee.boss", joinpath.ManyToMany),
		edge("item.z", "Employee.boss", joinpath.OneToMany),
	}
	if diff := cmp.Diff(want, schema.Relationships); diff != "" {
		t.Errorf("relationships (-want +got):\n%s", diff)
	}
	slices.Sort(skipped)
	for i, part := range []string{"(a)", "(b)", "(c)", "(d)", "(e)"} {
		if len(skipped) != 5 || !strings.Contains(skipped[i], part) {
			t.Fatalf("skipped: %q", skipped)
		}
	}
}

func TestIntrospectHostileNames(t *testing.T) {
	schema, _ := introspect(t, `
		CREATE TABLE "it's; DROP TABLE x --"("a""b" PRIMARY KEY, "select" TEXT);
		CREATE TABLE "quo""te"("'" REFERENCES "it's; DROP TABLE x --");
		CREATE VIEW "v'""" AS SELECT * FROM "quo""te";`)
	if len(schema.Tables) != 3 || len(schema.Relationships) != 1 {
		t.Errorf("%+v", schema)
	}
}

func TestIntrospectEmpty(t *testing.T) {
	schema, _ := introspect(t, `CREATE TABLE x(a); DROP TABLE x;`)
	if len(schema.Tables) != 0 || len(schema.Relationships) != 0 {
		t.Errorf("%+v", schema)
	}
}

// thousand returns 1,000 tables of 12 columns, each with a foreign key to the
// one before it.
func thousand() string {
	var b strings.Builder
	b.WriteString("BEGIN;")
	for i := range 1000 {
		fmt.Fprintf(&b, "CREATE TABLE t%d(id INTEGER PRIMARY KEY, code TEXT UNIQUE, previous INT REFERENCES t%d(id)", i, max(i-1, 0))
		for c := range 9 {
			fmt.Fprintf(&b, ", c%d TEXT", c)
		}
		b.WriteString(");")
	}
	b.WriteString("COMMIT;")
	return b.String()
}

func BenchmarkIntrospect1000(b *testing.B) {
	db := open(b, create(b, thousand()), nil)
	for b.Loop() {
		schema, err := db.Introspect(b.Context())
		if err != nil || len(schema.Tables) != 1000 || len(schema.Relationships) != 1000 {
			b.Fatal(err)
		}
	}
}
