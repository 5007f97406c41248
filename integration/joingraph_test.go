package integration_test

import (
	"slices"
	"testing"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/joinpath/joingraph"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/sqldb"
)

// joinTables have no foreign keys: one join shows in the names, one in the data, and
// one that the names show is refuted by the data.
const joinTables = `
	CREATE TABLE region (id INT PRIMARY KEY, label VARCHAR(20) UNIQUE);
	CREATE TABLE customer (id INT PRIMARY KEY, area VARCHAR(20), price DECIMAL(10, 2));
	CREATE TABLE orders (id INT PRIMARY KEY, customer_id INT, placed TIMESTAMP NULL);
	CREATE TABLE machine (id BIGINT PRIMARY KEY, customer_id INT);
	INSERT INTO region WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
		SELECT i, CONCAT('R', MOD(i * 7919, 10007)) FROM n;
	INSERT INTO customer WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
		SELECT i, CONCAT('R', MOD((MOD(i, 40) + 1) * 7919, 10007)), 7.5 FROM n;
	INSERT INTO orders WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
		SELECT i, MOD(i * 37, 200) + 1, NULL FROM n;
	INSERT INTO machine WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
		SELECT i, 90000 + i FROM n;`

func TestJoinGraphMariaDB(t *testing.T) {
	server := mariaServer(t)
	m := newMaria(t, server, "joingraph", joinTables)
	inferJoins(t, m.openAsRoot(t, server, nil), "joingraph", mysql.Dialect{})
}

func TestJoinGraphPostgres(t *testing.T) {
	p := newPostgres(t, pgServer(t), "joingraph", joinTables+
		"GRANT USAGE ON SCHEMA public TO joingraph; GRANT SELECT ON ALL TABLES IN SCHEMA public TO joingraph")
	inferJoins(t, p.open(t, nil), "public", postgres.Dialect{})
}

func inferJoins(t *testing.T, db *sqldb.DB, schema string, d dialect.Dialect) {
	t.Helper()
	found, err := db.Introspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	policy := &secureview.Policy{Schema: schema, Tables: map[string][]string{}}
	for name, table := range found.Tables {
		policy.Tables[name] = table.Columns
	}
	guard, err := secureview.New(policy, d)
	if err != nil {
		t.Fatal(err)
	}
	got, err := joingraph.Infer(t.Context(), found, &joingraph.InferOptions{Database: db, Guard: guard})
	if err != nil || len(got.Problems) > 0 {
		t.Fatal(err, got.Problems)
	}
	const usable = 0.7
	confidence := map[string]joinpath.Relationship{}
	for _, e := range got.Relationships {
		confidence[e.String()] = e
	}
	for name, want := range map[string]joinpath.Cardinality{
		"orders.customer_id -> customer.id": joinpath.ManyToOne,
		"customer.area -> region.label":     joinpath.ManyToOne,
	} {
		if e := confidence[name]; e.Confidence < usable || e.Cardinality != want || !slices.Contains(e.Provenance, "inferred from data") {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if e := confidence["machine.customer_id -> customer.id"]; e.Confidence >= usable {
		t.Errorf("the data refutes %+v", e)
	}
}
