package joingraph_test

import (
	"database/sql"
	"path/filepath"
	"slices"
	"testing"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/joinpath/joingraph"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// guessTables have what looks like references: counts, dimensions that facts share, ids of
// another system, archives, and a staging table that repeats its key. Identifiers are numbers from 1 on, so that values match by
// chance.
const guessTables = `
	CREATE TABLE visit (id INTEGER PRIMARY KEY, region_code TEXT, batch_id INTEGER);
	CREATE TABLE orders (id INTEGER PRIMARY KEY, o_total REAL);
	CREATE TABLE employee (id INTEGER PRIMARY KEY, name TEXT);
	CREATE TABLE day_stats (day TEXT PRIMARY KEY, visits INTEGER, orders INTEGER, employees INTEGER);
	CREATE TABLE payment (id INTEGER PRIMARY KEY, shop_id INTEGER, batch_id INTEGER, region_code TEXT);
	CREATE TABLE refund (id INTEGER PRIMARY KEY, shop_id INTEGER, region_code TEXT);
	CREATE TABLE station (id INTEGER PRIMARY KEY, code TEXT UNIQUE);
	CREATE TABLE trip (id INTEGER PRIMARY KEY, from_station INTEGER, to_station INTEGER, origin TEXT);
	CREATE TABLE customer (c_custkey INTEGER, c_name TEXT, c_city TEXT);
	CREATE TABLE customer_archive (c_custkey INTEGER, c_name TEXT, c_city TEXT);
	CREATE TABLE part (p_partkey INTEGER, p_name TEXT);
	CREATE TABLE sale (s_salekey INTEGER, s_custkey INTEGER, s_partkey INTEGER, s_amount REAL);
	CREATE TABLE station_old (id INTEGER PRIMARY KEY, code TEXT UNIQUE);
	CREATE TABLE product (id INTEGER PRIMARY KEY, units_on_order INTEGER);
	CREATE TABLE stg_claim (claim_number TEXT, loaded TEXT);
	CREATE TABLE fact_claim (claim_number TEXT, amount REAL);
	WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
		INSERT INTO visit SELECT i, 'R' || (i * 7 % 30), i % 40 + 1 FROM n;
	INSERT INTO orders SELECT id, id FROM visit WHERE id <= 300;
	INSERT INTO employee SELECT id, 'E' || id FROM visit WHERE id <= 50;
	INSERT INTO day_stats SELECT '2026-02-' || id, 200 + id * 13 % 280, 100 + id * 17 % 150, id * 23 % 50 + 1 FROM visit WHERE id <= 28;
	INSERT INTO payment SELECT id, id % 25 + 1, id % 40 + 1, 'R' || (id % 30) FROM visit WHERE id <= 400;
	INSERT INTO refund SELECT id, id * 3 % 25 + 1, 'R' || (id * 11 % 30) FROM visit WHERE id <= 200;
	INSERT INTO station SELECT id, 'S' || (id * 7919 % 10007) FROM visit WHERE id <= 60;
	INSERT INTO station_old SELECT id, code FROM station WHERE id < 50;
	INSERT INTO product SELECT id, id * 13 % 60 + 1 FROM visit WHERE id <= 90;
	INSERT INTO stg_claim SELECT 'C' || (id % 90), 'x' FROM visit;
	INSERT INTO fact_claim SELECT 'C' || (id * 7 % 90), id FROM visit WHERE id <= 200;
	INSERT INTO trip SELECT id, id * 7 % 60 + 1, id * 11 % 60 + 1, 'S' || ((id % 60 + 1) * 7919 % 10007) FROM visit;
	INSERT INTO customer SELECT id, 'C' || id, 'X' FROM visit WHERE id <= 150;
	INSERT INTO customer_archive SELECT id, 'C' || id, 'X' FROM visit WHERE id <= 150;
	INSERT INTO part SELECT id, 'P' || id FROM visit WHERE id <= 35;
	INSERT INTO sale SELECT id, id * 7 % 150 + 1, id * 11 % 35 + 1, id * 3 FROM visit;`

func TestInferGuesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "guesses.db")
	host, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	if _, err := host.Exec(guessTables); err != nil {
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
	for name, opt := range map[string]*joingraph.InferOptions{"names": nil, "data": {Database: db, Guard: allowAll(t, schema)}} {
		t.Run(name, func(t *testing.T) {
			got, err := joingraph.Infer(t.Context(), schema, opt)
			if err != nil || len(got.Problems) > 0 {
				t.Fatal(err, got.Problems)
			}
			want := []string{
				"trip.from_station -> station.id", "trip.to_station -> station.id", "sale.s_custkey -> customer.c_custkey",
				"sale.s_partkey -> part.p_partkey",
			}
			if opt != nil {
				want = append(want, "trip.origin -> station.code")
			}
			for _, name := range want {
				if e := find(got.Relationships, name); e == nil || e.Confidence < usable {
					t.Errorf("%s is not found: %+v", name, e)
				}
			}
			for _, e := range got.Relationships {
				switch {
				case e.Type == joinpath.SharedDimension && e.Confidence < usable:
				case opt == nil && e.ToTable == "stg_claim": // only the data shows that this is no key
				case e.Confidence >= usable && e.FromTable != "trip" && !slices.Contains(want, e.String()):
					t.Errorf("%s: %.3f %v", e.String(), e.Confidence, e.Evidence)
				}
			}
			if e := find(got.Relationships, "payment.shop_id -> refund.shop_id"); e == nil || e.Type != joinpath.SharedDimension {
				t.Error("a dimension that two tables share is not reported")
			}
			if e := find(got.Relationships, "fact_claim.claim_number -> stg_claim.claim_number"); e == nil || opt != nil && e.Type != joinpath.SharedDimension {
				t.Errorf("a dimension that the data shows: %+v", e)
			}
		})
	}
}
