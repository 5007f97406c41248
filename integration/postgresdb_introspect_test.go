package integration_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/postgresdb"
)

// introspectPostgres also checks that joinpath accepts the schema.
func introspectPostgres(t testing.TB, p *pgDatabase, schema string) (*joinpath.Schema, []string) {
	t.Helper()
	var skipped []string
	db := p.open(t, &postgresdb.Options{Options: sqldb.Options{
		Skipped: func(table, reason string) { skipped = append(skipped, table+": "+reason) },
	}})
	got, err := db.Introspect(t.Context(), schema)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := joinpath.New(got, nil); err != nil {
		t.Errorf("joinpath refuses the schema: %v", err)
	}
	slices.Sort(skipped)
	return got, skipped
}

func TestPostgresIntrospect(t *testing.T) {
	p := newPostgres(t, pgServer(t), "introspected", `
		CREATE SCHEMA other;
		CREATE TABLE "work Order"(
			id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "no" varchar(10) UNIQUE, gone int, a int, b int, c numeric(12, 2),
			twice int GENERATED ALWAYS AS (a * 2) STORED, tags text[], UNIQUE (a, b), UNIQUE (b, a), UNIQUE (c) INCLUDE (b));
		ALTER TABLE "work Order" DROP COLUMN gone;
		CREATE UNIQUE INDEX part ON "work Order"(b) WHERE b > 0;
		CREATE UNIQUE INDEX expression ON "work Order"(lower("no"));
		CREATE INDEX plain ON "work Order"(b);
		COMMENT ON TABLE "work Order" IS 'what''s to be done';
		COMMENT ON COLUMN "work Order"."no" IS 'as printed';
		CREATE TABLE pair(y int, x int, z text, PRIMARY KEY (x, y));
		CREATE TABLE bare(a text);
		INSERT INTO bare SELECT 'x' FROM generate_series(1, 1000);
		CREATE VIEW seen AS SELECT id, "no" AS number, now() AS at FROM "work Order";
		COMMENT ON VIEW seen IS 'a view';
		COMMENT ON COLUMN seen.at IS 'now';
		CREATE MATERIALIZED VIEW frozen AS SELECT id FROM "work Order";
		CREATE UNIQUE INDEX ON frozen(id);
		CREATE TABLE parts(id int, kind int, PRIMARY KEY (id, kind)) PARTITION BY LIST (kind);
		CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1);
		CREATE TABLE parts_2 PARTITION OF parts FOR VALUES IN (2) PARTITION BY RANGE (id);
		CREATE TABLE parts_2_low PARTITION OF parts_2 FOR VALUES FROM (0) TO (10);
		INSERT INTO parts VALUES (1, 1), (1, 2);
		CREATE TABLE child(extra int) INHERITS (bare);
		CREATE TABLE hidden(id int PRIMARY KEY);
		CREATE TABLE partly(id int, secret text, name text, PRIMARY KEY (id), UNIQUE (secret));
		CREATE TABLE other.elsewhere(id int PRIMARY KEY);
		CREATE SEQUENCE counter;
		CREATE TYPE composite AS (a int);
		ANALYZE;
		GRANT USAGE ON SCHEMA public, other TO introspected;
		GRANT SELECT ON ALL TABLES IN SCHEMA public TO introspected;
		REVOKE ALL ON hidden, partly FROM introspected;
		GRANT SELECT (id, name) ON partly TO introspected;
		GRANT SELECT ON other.elsewhere TO introspected`)
	schema, skipped := introspectPostgres(t, p, "")
	want := map[string]joinpath.Table{
		"work Order": {
			Columns:        []string{"id", "no", "a", "b", "c", "twice", "tags"},
			PrimaryKey:     []string{"id"},
			UniqueColumns:  []string{"id", "no", "c"},
			UniqueKeys:     [][]string{{"a", "b"}},
			NotNull:        []string{"id"},
			Types:          map[string]string{"id": "bigint", "no": "character varying(10)", "a": "integer", "b": "integer", "c": "numeric(12,2)", "twice": "integer", "tags": "text[]"},
			Uses:           []joinpath.Use{{By: "twice", Table: "work Order", Column: "a"}},
			Comment:        "what's to be done",
			ColumnComments: map[string]string{"no": "as printed"},
		},
		"pair": {Columns: []string{"y", "x", "z"}, PrimaryKey: []string{"x", "y"}, NotNull: []string{"y", "x"}, Types: map[string]string{"y": "integer", "x": "integer", "z": "text"}},
		"bare": {Columns: []string{"a"}, Types: map[string]string{"a": "text"}, Rows: 1000, Bytes: 5 * 8192, Reads: []string{"child"}},
		"seen": {
			Columns: []string{"id", "number", "at"}, Types: map[string]string{"id": "bigint", "number": "character varying(10)", "at": "timestamp with time zone"},
			Comment: "a view", ColumnComments: map[string]string{"at": "now"}, View: true, Reads: []string{"work Order"},
			Uses: []joinpath.Use{{Table: "work Order", Column: "id"}, {Table: "work Order", Column: "no"}},
		},
		"frozen": {Columns: []string{"id"}, UniqueColumns: []string{"id"}, Types: map[string]string{"id": "bigint"}, View: true, Reads: []string{"work Order"}},
		"parts": {Columns: []string{"id", "kind"}, PrimaryKey: []string{"id", "kind"}, NotNull: []string{"id", "kind"}, Types: map[string]string{"id": "integer", "kind": "integer"},
			Rows: 2, Bytes: 2 * 8192},
		"child":  {Columns: []string{"a", "extra"}, Types: map[string]string{"a": "text", "extra": "integer"}},
		"partly": {Columns: []string{"id", "name"}, PrimaryKey: []string{"id"}, UniqueColumns: []string{"id"}, NotNull: []string{"id"}, Types: map[string]string{"id": "integer", "name": "text"}},
	}
	if diff := cmp.Diff(want, schema.Tables, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
	if len(skipped) != 1 || !strings.HasPrefix(skipped[0], "hidden: ") {
		t.Errorf("skipped: %q", skipped)
	}

	schema, _ = introspectPostgres(t, p, "other")
	if len(schema.Tables) != 1 || len(schema.Tables["elsewhere"].Columns) != 1 {
		t.Errorf("the schema other: %+v", schema.Tables)
	}
	for _, name := range []string{"absent", "Public", "nul\x00", "\xff"} {
		_, err := p.open(t, nil).Introspect(t.Context(), name)
		if !errors.Is(err, sqldb.ErrMissing) && !errors.Is(err, sqldb.ErrArgument) {
			t.Errorf("the schema %q: %v", name, err)
		}
	}
}

func TestPostgresIntrospectForeignKeys(t *testing.T) {
	p := newPostgres(t, pgServer(t), "related", `
		CREATE SCHEMA other;
		CREATE TABLE other.far(id int PRIMARY KEY);
		CREATE TABLE "Employee"(id int PRIMARY KEY, boss int REFERENCES "Employee", badge int UNIQUE);
		CREATE TABLE pair(x int, y int, PRIMARY KEY (x, y));
		CREATE TABLE profile(employee int PRIMARY KEY REFERENCES "Employee");
		CREATE TABLE item(
			billing int REFERENCES "Employee", shipping int REFERENCES "Employee"(id), badge int REFERENCES "Employee"(badge), px int, py int,
			far int REFERENCES other.far, hid int,
			FOREIGN KEY (py, px) REFERENCES pair(y, x), FOREIGN KEY (billing) REFERENCES "Employee"(id), UNIQUE (shipping, badge));
		CREATE TABLE hidden(id int PRIMARY KEY);
		ALTER TABLE item ADD FOREIGN KEY (hid) REFERENCES hidden;
		CREATE TABLE parts(id int PRIMARY KEY) PARTITION BY RANGE (id);
		CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (10);
		CREATE TABLE piece(part int REFERENCES parts) PARTITION BY RANGE (part);
		CREATE TABLE piece_1 PARTITION OF piece FOR VALUES FROM (0) TO (10);
		GRANT SELECT ON ALL TABLES IN SCHEMA public TO related;
		REVOKE ALL ON hidden FROM related`)
	schema, skipped := introspectPostgres(t, p, "public")
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
		edge("item.billing", "Employee.id", joinpath.ManyToOne),
		edge("item.shipping", "Employee.id", joinpath.ManyToOne),
		edge("item.badge", "Employee.badge", joinpath.ManyToOne),
		edge("item.py,px", "pair.y,x", joinpath.ManyToOne),
		edge("piece.part", "parts.id", joinpath.ManyToOne),
		edge("profile.employee", "Employee.id", joinpath.OneToOne),
	}
	byKey := cmpopts.SortSlices(func(a, b joinpath.Relationship) bool {
		return a.FromTable+a.FromColumn+a.ToTable < b.FromTable+b.FromColumn+b.ToTable
	})
	if diff := cmp.Diff(want, schema.Relationships, byKey); diff != "" {
		t.Errorf("relationships (-want +got):\n%s", diff)
	}
	if len(skipped) != 3 || !strings.HasPrefix(skipped[0], "hidden: ") || !strings.Contains(skipped[1], "(far)") || !strings.Contains(skipped[2], "(hid)") {
		t.Errorf("skipped: %q", skipped)
	}
}

// The keys of tables that the account reads through views only are those of the agent's
// schema, without a graph of the owner.
func TestPostgresIntrospectBehindViews(t *testing.T) {
	p := newPostgres(t, pgServer(t), "behind", `
		CREATE TABLE employee(id int PRIMARY KEY, name text, ssn text);
		CREATE TABLE job(id int PRIMARY KEY, employee_id int REFERENCES employee, title text);
		CREATE TABLE task(id int PRIMARY KEY, job_id int REFERENCES job, note text);
		CREATE TABLE other(id int PRIMARY KEY, job_id int REFERENCES job);
		CREATE FUNCTION mine() RETURNS bool LANGUAGE sql STABLE AS 'SELECT true';
		CREATE VIEW secure_employee AS SELECT id, upper(name) AS name FROM employee WHERE mine();
		CREATE VIEW jobs AS SELECT * FROM job; CREATE VIEW secure_job AS SELECT id, employee_id, title FROM jobs;
		CREATE VIEW secure_task AS SELECT job_id, note FROM task; -- without its key
		GRANT SELECT ON secure_employee, secure_job, secure_task TO behind`)
	schema, skipped := introspectPostgres(t, p, "public")
	if len(skipped) != 2 || !strings.HasPrefix(skipped[0], "jobs: ") || !strings.HasPrefix(skipped[1], "other: ") {
		t.Errorf("skipped: %q", skipped)
	}
	policy, omitted, err := sqldb.PolicyFor(schema, &sqldb.PolicyOptions{Dialect: "postgres"})
	if err != nil || len(omitted) > 0 {
		t.Fatal(err, omitted)
	}
	if len(policy.Tables) != 3 || len(policy.Views) != 3 {
		t.Errorf("policy: %+v", policy)
	}
	guard, err := secureview.New(policy, postgres.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	views := guard
	readable, err := sqldb.Readable(schema, guard)
	if err != nil {
		t.Fatal(err)
	}
	var edges []string
	for _, r := range readable.Relationships {
		edges = append(edges, fmt.Sprint(r.FromTable, ".", r.FromColumn, " ", r.ToTable, ".", r.ToColumn, " ", r.Cardinality))
	}
	slices.Sort(edges)
	if diff := cmp.Diff([]string{"job.employee_id employee.id N:1", "task.job_id job.id N:1"}, edges); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if keys := readable.Tables["task"].PrimaryKey; len(keys) > 0 {
		t.Errorf("a key that the view hides: %q", keys)
	}
	if diff := cmp.Diff([]string{"id"}, readable.Tables["employee"].PrimaryKey); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// A policy cannot list such a table itself.
	guard, err = secureview.New(&secureview.Policy{
		Dialect: "postgres", Schema: "public", Tables: map[string][]string{"employee": {"id"}},
	}, postgres.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sqldb.Readable(schema, guard); !errors.Is(err, secureview.ErrUnknownTable) {
		t.Errorf("got %v", err)
	}
	got, err := p.open(t, nil).QueryText(t.Context(), views, "SELECT count(*) FROM employee JOIN job ON job.employee_id = employee.id")
	if err != nil || pgRows(got) != "0" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestPostgresIntrospectHostileNames(t *testing.T) {
	p := newPostgres(t, pgServer(t), "named", `
		CREATE SCHEMA "sch'""; é";
		SET search_path TO "sch'""; é";
		CREATE TABLE "it's; DROP TABLE x --"("a""b" int PRIMARY KEY, "select" text, "Ünï 🎉" text, "{,}" int);
		CREATE TABLE "select"("order" int REFERENCES "it's; DROP TABLE x --", "\" int);
		CREATE TABLE "SELECT"("Id" int, id int, "ID" int);
		CREATE TABLE "ÄRGER"(a int);
		GRANT USAGE ON SCHEMA "sch'""; é" TO named;
		GRANT SELECT ON ALL TABLES IN SCHEMA "sch'""; é" TO named`)
	schema, _ := introspectPostgres(t, p, `sch'"; é`)
	want := map[string][]string{
		"it's; DROP TABLE x --": {`a"b`, "select", "Ünï 🎉", "{,}"},
		"select":                {"order", `\`},
		"SELECT":                {"Id", "id", "ID"},
		"ÄRGER":                 {"a"},
	}
	got := map[string][]string{}
	for name, table := range schema.Tables {
		got[name] = table.Columns
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(schema.Relationships) != 1 || schema.Relationships[0].ToColumn != `a"b` {
		t.Errorf("%+v", schema.Relationships)
	}
}

func BenchmarkIntrospectPostgres1000(b *testing.B) {
	var script strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&script, "CREATE TABLE t%d(id int PRIMARY KEY, code text UNIQUE, previous int REFERENCES t%d(id)", i, max(i-1, 0))
		for c := range 17 {
			fmt.Fprintf(&script, ", c%d varchar(20)", c)
		}
		script.WriteString(");\n")
	}
	script.WriteString("GRANT SELECT ON ALL TABLES IN SCHEMA public TO thousand")
	db := newPostgres(b, pgServer(b), "thousand", script.String()).open(b, nil)
	for b.Loop() {
		schema, err := db.Introspect(b.Context())
		if err != nil || len(schema.Tables) != 1000 || len(schema.Relationships) != 1000 {
			b.Fatal(err)
		}
	}
}
