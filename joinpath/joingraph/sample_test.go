package joingraph_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/joinpath/joingraph"
	"github.com/qedkit/qed/joinpath/privacy"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// company has surrogate keys that overlap, a reference that no name shows, orphans,
// and columns without information. No foreign key is declared.
const company = `
	WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
	INSERT INTO region SELECT i, 'R' || (i * 7919 % 10007) FROM n WHERE i <= 40;
	WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
	INSERT INTO customer SELECT i, 'c' || i || '@example.org', 'R' || ((i % 40 + 1) * 7919 % 10007), NULL, 7 FROM n;
	WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
	INSERT INTO orders SELECT i, CASE WHEN i % 50 = 0 THEN 9000 + i ELSE i * 37 % 200 + 1 END, i % 5 + 1 FROM n;
	WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
	INSERT INTO machine SELECT i, 'm' || i, 90000 + i FROM n;`

const companyTables = `
	CREATE TABLE region (id INTEGER PRIMARY KEY, label TEXT UNIQUE);
	CREATE TABLE customer (id INTEGER PRIMARY KEY, email TEXT, area TEXT, machine_id INTEGER, flag INTEGER);
	CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, priority INTEGER);
	CREATE TABLE machine (id INTEGER PRIMARY KEY, name TEXT, customer_id INTEGER);`

// openCompany returns the schema, the database and a guard that allows all of it.
func openCompany(t *testing.T) (*joinpath.Schema, joingraph.Database, *secureview.Guard) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "company.db")
	host, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	if _, err := host.Exec(companyTables + company); err != nil {
		t.Fatal(err)
	}
	db, err := sqlitedb.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	schema, err := db.Introspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return schema, db, allowAll(t, schema)
}

// allowAll returns a guard that allows all columns of a schema.
func allowAll(t *testing.T, schema *joinpath.Schema) *secureview.Guard {
	t.Helper()
	policy := &secureview.Policy{Dialect: "sqlite", Tables: map[string][]string{}}
	for name, table := range schema.Tables {
		policy.Tables[name] = table.Columns
	}
	guard, err := secureview.New(policy, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	return guard
}

func find(edges []joinpath.Relationship, name string) *joinpath.Relationship {
	at := slices.IndexFunc(edges, func(e joinpath.Relationship) bool { return e.String() == name })
	if at < 0 {
		return nil
	}
	return &edges[at]
}

func TestInferData(t *testing.T) {
	schema, db, guard := openCompany(t)
	planned := 0
	got, err := joingraph.Infer(t.Context(), schema, &joingraph.InferOptions{
		Database: db, Guard: guard, Progress: func(done, all int) { planned = max(planned, all-done) },
	})
	if err != nil || len(got.Problems) > 0 {
		t.Fatal(err, got.Problems)
	}
	if planned == 0 || got.Statements == 0 {
		t.Errorf("%d statements, at most %d to come", got.Statements, planned)
	}
	if diff := cmp.Diff([]string{"customer.email"}, got.Unsampled); diff != "" {
		t.Errorf("unsampled (-want +got)\n%s", diff)
	}

	order := find(got.Relationships, "orders.customer_id -> customer.id")
	if order == nil || order.Confidence < 0.9 || order.Cardinality != joinpath.ManyToOne {
		t.Fatalf("orders.customer_id: %+v", order)
	}
	var matched, values int
	counted := "no counts"
	if len(order.Evidence) == 3 {
		counted = order.Evidence[1]
	}
	_, err = fmt.Sscanf(counted, "%d of %d sampled values exist", &matched, &values)
	if orphans := values - matched; err != nil || orphans < 8 || orphans > 12 || !slices.Contains(order.Evidence, "chance alone may explain that") {
		t.Errorf("orders.customer_id: %v", order.Evidence)
	}
	if diff := cmp.Diff([]string{"inferred from names", "inferred from data"}, order.Provenance); diff != "" {
		t.Errorf("provenance (-want +got)\n%s", diff)
	}

	area := find(got.Relationships, "customer.area -> region.label")
	if area == nil || area.Confidence < 0.7 || !slices.Equal(area.Provenance, []string{"inferred from data"}) || area.Cardinality != joinpath.ManyToOne {
		t.Errorf("customer.area, which only the data shows: %+v", area)
	}
	if empty := find(got.Relationships, "customer.machine_id -> machine.id"); empty == nil || !slices.Contains(empty.Evidence, "0 of 0 sampled values exist on the other side") {
		t.Errorf("a column without values keeps the evidence of its name: %+v", empty)
	}
	if wrong := find(got.Relationships, "machine.customer_id -> customer.id"); wrong != nil && wrong.Confidence >= usable {
		t.Errorf("no value of machine.customer_id is a customer: %+v", wrong)
	}
	if len(got.Relationships) == 0 {
		t.Error("no joins are inferred")
	}
	for _, e := range got.Relationships {
		if slices.Contains([]string{"priority", "flag", "id"}, e.FromColumn) {
			t.Errorf("numbers that match by chance: %+v", e)
		}
	}

	names, err := joingraph.Infer(t.Context(), schema, nil)
	if err != nil || find(names.Relationships, "machine.customer_id -> customer.id") == nil || find(names.Relationships, "customer.area -> region.label") != nil {
		t.Errorf("without data: %v %+v", err, names.Relationships)
	}
	again, err := joingraph.Infer(t.Context(), schema, &joingraph.InferOptions{Database: db, Guard: guard})
	if diff := cmp.Diff(got, again); diff != "" || err != nil {
		t.Errorf("a second time: %v (-first +second)\n%s", err, diff)
	}
}

// The host chooses what is sampled: a statement names no other column.
func TestInferSample(t *testing.T) {
	schema, db, guard := openCompany(t)
	spy := &spy{Database: db}
	got, err := joingraph.Infer(t.Context(), schema, &joingraph.InferOptions{
		Database: spy, Guard: guard, Columns: &privacy.Columns{Hide: []string{"machine.*"}},
	})
	if err != nil || len(spy.statements) == 0 {
		t.Fatal(err, spy.statements)
	}
	for _, text := range spy.statements {
		if strings.Contains(text, "machine\"") {
			t.Errorf("reads a table that is left out: %s", text)
		}
	}
	if diff := cmp.Diff([]string{"customer.email", "machine.id", "machine.name", "machine.customer_id"}, got.Unsampled); diff != "" {
		t.Errorf("unsampled (-want +got)\n%s", diff)
	}
	if e := find(got.Relationships, "machine.customer_id -> customer.id"); e == nil || slices.Contains(e.Provenance, "inferred from data") {
		t.Errorf("names alone decide about what is not sampled: %+v", e)
	}
}

// spy records statements, and answers with answer if it is set.
type spy struct {
	joingraph.Database
	statements []string
	answer     func(ctx context.Context, n int) (*qed.Table, error)
}

func (s *spy) Query(ctx context.Context, stmt *secureview.Statement) (*qed.Table, error) {
	s.statements = append(s.statements, stmt.SQL())
	if s.answer != nil {
		if table, err := s.answer(ctx, len(s.statements)); table != nil || err != nil {
			return table, err
		}
	}
	return s.Database.Query(ctx, stmt)
}

func TestInferDatabaseDies(t *testing.T) {
	schema, db, guard := openCompany(t)
	dead := &sqldb.Error{Kind: sqldb.ErrUnavailable, Message: "the server is gone"}
	spy := &spy{Database: db, answer: func(_ context.Context, n int) (*qed.Table, error) {
		if n > 5 {
			return nil, dead
		}
		return nil, nil
	}}
	got, err := joingraph.Infer(t.Context(), schema, &joingraph.InferOptions{Database: spy, Guard: guard})
	if err != nil {
		t.Fatal(err)
	}
	measured := func(e joinpath.Relationship) bool { return slices.Contains(e.Provenance, "inferred from data") }
	if !slices.ContainsFunc(got.Relationships, measured) && find(got.Relationships, "machine.customer_id -> customer.id") != nil {
		t.Errorf("what was measured is lost: %+v", got.Relationships)
	}
	if find(got.Relationships, "customer.machine_id -> machine.id") == nil {
		t.Errorf("the edges that names show are lost: %+v", got.Relationships)
	}
	if len(spy.statements) != 8 {
		t.Errorf("%d statements, want 5 and 3 that fail", len(spy.statements))
	}
	if len(got.Problems) != 4 || !errors.Is(got.Problems[0].Err, dead) || got.Problems[0].Table == "" ||
		!strings.Contains(got.Problems[3].Message, "3 statements in a row failed") {
		t.Errorf("problems %+v", got.Problems)
	}
}

func TestInferLimits(t *testing.T) {
	schema, db, guard := openCompany(t)
	blocks := func(ctx context.Context, _ int) (*qed.Table, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	text := func(context.Context, int) (*qed.Table, error) {
		return &qed.Table{Columns: []qed.Column{{Name: "a"}}, Rows: [][]any{{"secret"}}}, nil
	}
	for _, test := range []struct {
		name    string
		opt     joingraph.InferOptions
		problem string
	}{
		{"statements", joingraph.InferOptions{Database: db, Guard: guard, MaxStatements: 2}, "MaxStatements"},
		{"time", joingraph.InferOptions{Database: &spy{Database: db, answer: blocks}, Guard: guard, Timeout: time.Millisecond}, "Timeout"},
		{"no counts", joingraph.InferOptions{Database: &spy{Database: db, answer: text}, Guard: guard}, "did not return one row of counts"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := joingraph.Infer(t.Context(), schema, &test.opt)
			if err != nil || find(got.Relationships, "orders.customer_id -> customer.id") == nil {
				t.Fatal(err, got)
			}
			if !slices.ContainsFunc(got.Problems, func(p joingraph.Problem) bool { return strings.Contains(p.Message, test.problem) }) {
				t.Errorf("problems %+v, want %q", got.Problems, test.problem)
			}
			for _, p := range got.Problems {
				if strings.Contains(p.Message, "secret") {
					t.Errorf("a value in %+v", p)
				}
			}
		})
	}
}

func TestInferCanceled(t *testing.T) {
	schema, db, guard := openCompany(t)
	ctx, cancel := context.WithCancel(t.Context())
	spy := &spy{Database: db, answer: func(_ context.Context, n int) (*qed.Table, error) {
		if n == 3 {
			cancel()
		}
		return nil, nil
	}}
	got, err := joingraph.Infer(ctx, schema, &joingraph.InferOptions{Database: spy, Guard: guard})
	if !errors.Is(err, context.Canceled) || got == nil || len(got.Relationships) == 0 || len(spy.statements) > 4 {
		t.Errorf("%v after %d statements: %+v", err, len(spy.statements), got)
	}
}

func TestInferRefused(t *testing.T) {
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{"a": {Columns: []string{"id", "id"}}}}
	if _, err := joingraph.Infer(t.Context(), schema, nil); !errors.Is(err, joinpath.ErrSchema) {
		t.Errorf("a column twice: got %v", err)
	}
	for _, opt := range []joingraph.InferOptions{{MinConfidence: 2}, {MaxStatements: -1}, {Timeout: -1}, {Guard: &secureview.Guard{}}, {Database: &spy{}}} {
		if _, err := joingraph.Infer(t.Context(), nil, &opt); err == nil {
			t.Errorf("accepted %+v", opt)
		}
	}
	if got, err := joingraph.Infer(t.Context(), nil, nil); err != nil || len(got.Relationships) != 0 {
		t.Errorf("no schema: %v %v", got, err)
	}
}

// Columns of declared keys are explained, and their names are evidence for others.
func TestInferDeclared(t *testing.T) {
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"person": {Columns: []string{"id"}, PrimaryKey: []string{"id"}},
		"ship":   {Columns: []string{"id", "captain", "person"}, PrimaryKey: []string{"id"}},
		"port":   {Columns: []string{"id", "ship", "person"}, PrimaryKey: []string{"id"}},
		"trip":   {Columns: []string{"id", "ship", "port"}, PrimaryKey: []string{"id"}},
	}}
	before, err := joingraph.Infer(t.Context(), schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range [][3]string{{"ship", "person", "person"}, {"port", "ship", "ship"}, {"port", "person", "person"}, {"trip", "ship", "ship"}} {
		if err := schema.AddForeignKey(key[0], []string{key[1]}, key[2], []string{"id"}); err != nil {
			t.Fatal(err)
		}
	}
	after, err := joingraph.Infer(t.Context(), schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	const name = "trip.port -> port.id"
	if a, b := find(before.Relationships, name), find(after.Relationships, name); a == nil || b == nil || b.Confidence <= a.Confidence {
		t.Errorf("the names of declared keys are no evidence: %+v and then %+v", a, b)
	}
	if len(after.Relationships) == 0 {
		t.Error("no joins are inferred")
	}
	for _, e := range after.Relationships {
		if e.FromTable == "port" && e.FromColumn == "ship" {
			t.Errorf("a declared key is inferred again: %+v", e)
		}
	}
}

// Tables that have not changed are not asked about again.
func TestInferOnlyWhatChanged(t *testing.T) {
	schema, db, guard := openCompany(t)
	first, err := joingraph.Infer(t.Context(), schema, &joingraph.InferOptions{Database: db, Guard: guard})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(first.Counts)
	if err != nil {
		t.Fatal(err)
	}
	var kept []joingraph.Count
	if err := json.Unmarshal(text, &kept); err != nil {
		t.Fatal(err)
	}
	again, err := joingraph.Infer(t.Context(), schema, &joingraph.InferOptions{Database: db, Guard: guard, Counts: kept})
	if err != nil {
		t.Fatal(err)
	}
	if first.Statements == 0 || again.Statements != 0 {
		t.Errorf("%d statements, then %d", first.Statements, again.Statements)
	}
	if diff := cmp.Diff(first.Relationships, again.Relationships); diff != "" {
		t.Errorf("other edges (-first +again):\n%s", diff)
	}
	if diff := cmp.Diff(first.Counts, again.Counts); diff != "" {
		t.Errorf("other counts (-first +again):\n%s", diff)
	}

	machine := schema.Tables["machine"]
	machine.NotNull = append(slices.Clone(machine.NotNull), "name")
	schema.Tables["machine"] = machine
	asked := &spy{Database: db}
	changed, err := joingraph.Infer(t.Context(), schema, &joingraph.InferOptions{Database: asked, Guard: guard, Counts: kept})
	if err != nil {
		t.Fatal(err)
	}
	if changed.Statements == 0 || changed.Statements >= first.Statements {
		t.Errorf("%d statements of %d", changed.Statements, first.Statements)
	}
	if len(asked.statements) == 0 {
		t.Error("the table that changed was not asked about again")
	}
	for _, sql := range asked.statements {
		if !strings.Contains(sql, `"machine"`) {
			t.Errorf("asked again: %s", sql)
		}
	}
}
