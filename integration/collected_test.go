package integration_test

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/internal/peakmem"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/postgresdb"
)

const collectedScript = `
	CREATE TABLE t(id int, s text, at date);
	INSERT INTO t SELECT i, 'name ' || i, date '2024-01-01' + i FROM generate_series(1, 2000) i;
	INSERT INTO t VALUES (NULL, NULL, NULL);
	CREATE TABLE docs(body text);
	INSERT INTO docs SELECT repeat('status: ok; ', 2000) FROM generate_series(1, 2000);
	GRANT SELECT ON t, docs TO collecting;`

// collectsLittle returns the same rows with the guard as without it.
var collectsLittle = []string{
	"SELECT array_agg(id ORDER BY id), string_agg(s, ',' ORDER BY id), json_agg(id ORDER BY id) FROM t WHERE id < 5 OR id IS NULL",
	"SELECT jsonb_agg(s ORDER BY id), json_object_agg(s, id ORDER BY id), jsonb_object_agg(s, NULL) FROM t WHERE id < 5",
	"SELECT range_agg(int4range(id, id + 1)), string_agg('x', ',') FROM t WHERE id < 5",
	"SELECT id % 3 AS k, array_agg(id ORDER BY id DESC) FILTER (WHERE id < 10), array_agg(DISTINCT s) FILTER (WHERE id < 4) FROM t GROUP BY 1 ORDER BY 1",
	"SELECT string_agg(DISTINCT left(a.s, 6), ', ' ORDER BY left(a.s, 6)) FROM t a, t b WHERE b.id <= 1000",
	"SELECT json_agg(q ORDER BY q.id), array_agg(q.s ORDER BY q.id) FROM (SELECT id, s FROM t WHERE id < 4) AS q",
	"SELECT json_agg(q ORDER BY a.id) FROM t a LEFT JOIN (SELECT id, s FROM t) AS q ON q.id = a.id + 1998 WHERE a.id < 4",
	"SELECT id, array_agg(id) OVER (ORDER BY id ROWS 2 PRECEDING), string_agg(s, ',') OVER w FROM t WHERE id < 5 WINDOW w AS (PARTITION BY id % 2) ORDER BY 1",
	"SELECT string_agg(s, ',' ORDER BY id) AS k FROM t WHERE id < 4 ORDER BY string_agg(s, ',' ORDER BY id)",
	"SELECT id % 2, string_agg(s, ',' ORDER BY id) FROM t WHERE id < 6 GROUP BY ROLLUP (1) HAVING string_agg(s, ',') <> '' ORDER BY 1",
	"SELECT DISTINCT array_agg(id ORDER BY id) FROM t WHERE id < 8 GROUP BY id % 2 ORDER BY array_agg(id ORDER BY id)",
	"SELECT (SELECT array_agg(a.id ORDER BY a.id)) FROM t a WHERE a.id < 4",
	"SELECT ARRAY(SELECT s FROM t WHERE id < 6 ORDER BY id DESC), ARRAY(SELECT id FROM t ORDER BY id LIMIT 3 OFFSET 2)",
	"SELECT id, ARRAY(SELECT b.s FROM t b WHERE b.id <= a.id ORDER BY 1) FROM t a WHERE id < 4 ORDER BY 1",
	"SELECT id % 2 AS k, ARRAY(SELECT max(a.id)), ARRAY(SELECT a.s) FROM t a WHERE id < 4 GROUP BY 1, s ORDER BY 1",
	"SELECT ARRAY(VALUES (1), (2)), ARRAY(SELECT 1 UNION SELECT 2 ORDER BY 1), ARRAY(SELECT at FROM t ORDER BY at FETCH FIRST 1 ROW WITH TIES)",
	"SELECT count(*) FROM t WHERE id = ANY (ARRAY(SELECT id * 2 FROM t))",
	"WITH x AS (SELECT s, array_agg(id) AS ids FROM t WHERE id < 4 GROUP BY s) SELECT s, ids[1] FROM x ORDER BY 1",
	"SELECT array_agg((SELECT array_agg(b.id ORDER BY b.id) FROM t b WHERE b.id < 3) ORDER BY a.id) FROM t a WHERE a.id < 4",
	"SELECT id, array_agg(array_agg(id)) OVER (ORDER BY id) FROM t WHERE id < 4 GROUP BY id ORDER BY 1",
	"SELECT string_agg((SELECT max(s)), ',') OVER () FROM t WHERE id < 4 GROUP BY id % 2",
	"SELECT ARRAY(SELECT DISTINCT ON (b) id::bool AS b FROM (VALUES (0), (1), (2)) v(id)), ARRAY(SELECT lower(s) FROM t WHERE id < 4 GROUP BY lower ORDER BY 1)",
	"SELECT cardinality(array_agg(a.id)) FROM t a, t b WHERE b.id <= 300",
	"SELECT unnest(array_agg(id ORDER BY id)) FROM t WHERE id < 5",
	"SELECT id % 3 FROM t WHERE id < 9 GROUP BY 1 HAVING 4 = ANY (array_agg(id)) AND array_agg(s) && ARRAY['name 4'] AND jsonb_agg(id) @> '[4]'",
	"SELECT jsonb_agg(jsonb_build_object('id', id, 's', s) ORDER BY id), jsonb_object_agg(id, 'x') FROM t WHERE id < 5",
}

// collectsMuch collects more than a statement may.
var collectsMuch = []string{
	"SELECT cardinality(array_agg(a.id)) FROM t a, t b",
	"SELECT length(array_agg(a.id)::text) FROM t a, t b, t c",
	"SELECT length(string_agg(a.s, ', ')) FROM t a, t b",
	"SELECT length(string_agg(NULL, ', ')), array_agg(NULL::text) FROM t a, t b",
	"SELECT length(string_agg(DISTINCT a.s || b.s || c.id, ', ')) FROM t a, t b, t c",
	"SELECT length(json_agg(q)::text) FROM (SELECT a.id, a.s FROM t a, t b) AS q",
	"SELECT length(jsonb_agg(a.at)::text) FROM t a, t b",
	"SELECT length(jsonb_object_agg(coalesce(a.id, 0) * 3000 + coalesce(b.id, 0), NULL)::text) FROM t a, t b",
	"SELECT range_agg(int4range(a.id + 3 * b.id, a.id + 3 * b.id + 1)) FROM t a, t b",
	"SELECT cardinality(ARRAY(SELECT a.id FROM t a, t b))",
	"SELECT count(*) FROM t o WHERE o.id = ANY (ARRAY(SELECT b.id + o.id FROM t b))",
	"SELECT count(*) FROM (SELECT array_agg(a.id) AS x FROM t a, t b GROUP BY b.id) AS q",
	"SELECT count(*) FROM (SELECT array_agg(a.id) OVER (PARTITION BY b.id) AS x FROM t a, t b) AS q WHERE x IS NOT NULL",
	"SELECT cardinality(array_agg(x)) FROM (SELECT array_agg(a.id) AS x FROM t a, generate_series(1, 500)) AS q, t",
	"SELECT cardinality(array_agg((SELECT array_agg(c.id) FROM t c))) FROM t a, t b",
	"SELECT array_agg(id) FILTER (WHERE id > 0) FROM (SELECT a.id FROM t a, t b) AS q",
	"SELECT " + strings.Repeat("array_agg(a.id), ", 9) + "string_agg(a.s, '') FROM t a, generate_series(1, 200)",
	// A row is in each grouping.
	"SELECT length(string_agg(body, '')) FROM (SELECT body FROM docs LIMIT 250) AS q GROUP BY GROUPING SETS (()" + strings.Repeat(", ()", 200) + ")",
	"SELECT max(n) FROM (SELECT length(string_agg(body, '')) AS n FROM (SELECT body, id FROM docs, t LIMIT 250) AS q GROUP BY CUBE (" +
		"id, id + 1, id + 2, id + 3, id + 4, id + 5, id + 6)) AS c",
	"SELECT length(string_agg(max(body), '') OVER ()) FROM (SELECT body FROM docs LIMIT 1) AS d, generate_series(1, 40000) AS g GROUP BY g",
	// Stored values are compressed, and a bit of an array says that an element is NULL.
	"SELECT length(string_agg(body, '')) FROM docs, generate_series(1, 9)",
	"SELECT length(json_agg(body)::text) FROM docs, generate_series(1, 9)",
	"SELECT length(ARRAY(SELECT body FROM docs, t)::text)",
	"SELECT length(jsonb_agg(q)::text) FROM (SELECT body FROM docs, t) AS q",
	"SELECT length(array_agg(x)::text) FROM (SELECT array_agg(NULL::int) AS x FROM t) AS q, t a, generate_series(1, 20)",
	"SELECT length(json_agg(x)::text) FROM (SELECT array_agg(NULL::int) AS x FROM t) AS q, t a, t b",
	"SELECT jsonb_array_length(jsonb_agg(x)) FROM (SELECT array_agg(id > 5) AS x FROM t) AS q, t a, t b",
	"SELECT length(json_agg(q)::text) FROM (SELECT NULL AS a_column_with_a_very_long_name_of_fifty_characters FROM t a, t b) AS q",
}

// amplified collects almost as much as a statement may, and takes a multiple of that memory.
var amplified = []string{
	"SELECT cardinality(string_to_array(string_agg(rpad(s, 160, s), ','), NULL)) FROM t, generate_series(1, 20)",
	"SELECT cardinality(regexp_split_to_array(string_agg(rpad(s, 160, s), ','), '')) FROM t, generate_series(1, 20)",
	"SELECT jsonb_array_length(('[' || string_agg('[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]', ',') || ']')::jsonb) FROM t, generate_series(1, 50)",
	"SELECT length(concat(c, c, c, c, c, c, c, c, c, c, c, c)) FROM (SELECT string_agg(rpad(s, 160, s), ',') AS c FROM t, generate_series(1, 20)) AS q",
	"SELECT length(array_agg(ROW(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL))::text) FROM t, generate_series(1, 200)",
}

// What the aggregates of a statement hold in the memory of PostgreSQL is bounded.
func TestCollectedIsBoundedPostgreSQL(t *testing.T) {
	p := newPostgres(t, pgServer(t), "collecting", collectedScript)
	pool := openPGX(t, p.account)
	pool.SetMaxOpenConns(1)
	session := pgSession(&sqldb.Session{SearchPath: []string{"public"}})
	db := openPostgresDB(t, &postgresdb.Options{Options: sqldb.Options{Timeout: time.Minute, Session: session}}, pool)
	guard, err := secureview.New(&secureview.Policy{Schema: "public", Tables: map[string][]string{"t": {"id", "s", "at"}, "docs": {"body"}}}, postgres.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	rewrite := func(text string) *secureview.Statement {
		stmt, err := guard.Rewrite(t.Context(), text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return stmt
	}
	for _, text := range collectsLittle {
		stmt := rewrite(text)
		got, err := db.Query(t.Context(), stmt)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		want, err := db.Query(t.Context(), pgUnguarded(t, text, "public", "t"))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want.Rows, got.Rows); diff != "" {
			t.Errorf("%s\nexecuted as %s (-want +got):\n%s", text, stmt.SQL(), diff)
		}
	}
	const most = 512 << 20
	measured := func(text string) error {
		var pid int
		if err := pool.QueryRow("SELECT pg_backend_pid()").Scan(&pid); err != nil {
			t.Fatal(err)
		}
		grown := peakmem.StartOf(t, pid)
		start := time.Now()
		_, err := run(pool, rewrite(text).SQL())
		t.Logf("%v, %d MB: %s", time.Since(start).Round(time.Millisecond), grown()>>20, text)
		if grown() > most {
			t.Errorf("%s: the server's memory grew by %d MB", text, grown()>>20)
		}
		return err
	}
	for _, text := range collectsMuch {
		if err := measured(text); err == nil || !strings.Contains(err.Error(), sqlast.TooMuchCollected) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range amplified {
		if err := measured(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := db.Query(t.Context(), rewrite("SELECT ARRAY(SELECT id, s FROM t)")); err == nil {
		t.Error("ARRAY of two columns was executed")
	}
	if _, err := db.Query(t.Context(), rewrite(collectsMuch[0])); !errors.Is(err, sqldb.ErrTooLarge) ||
		!strings.Contains(err.Error(), sqlast.TooMuchCollected) {
		t.Error(err)
	}
}

// What a statement sorts for an aggregate is bounded on MariaDB.
func TestCollectedIsBoundedMariaDB(t *testing.T) {
	m := newMaria(t, integration.MariaDBOwn(t).Config(), "collecting", `
		CREATE TABLE t(id INT, s VARCHAR(40));
		INSERT INTO t WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < 1000) SELECT i, concat('name ', i) FROM r`)
	m.grant(t, "SELECT ON t")
	db := m.open(t, &sqldb.Options{Timeout: time.Minute})
	guard, err := secureview.New(&secureview.Policy{Schema: m.name, Tables: map[string][]string{"t": {"id", "s"}}},
		mysql.Dialect{Version: "10.11-MariaDB"})
	if err != nil {
		t.Fatal(err)
	}
	query := func(text string) (*qed.Table, error) {
		stmt, err := guard.Rewrite(t.Context(), text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return db.Query(t.Context(), stmt)
	}
	for _, text := range []string{
		"SELECT length(group_concat(a.s ORDER BY b.id)) FROM t a, t b WHERE b.id <= 100",
		"SELECT count(DISTINCT a.s, b.s), length(group_concat(DISTINCT a.s ORDER BY b.s)) FROM t a, t b WHERE b.id <= 100",
		"SELECT count(*) FROM (SELECT DISTINCT a.s, b.s AS k FROM t a, t b WHERE b.id <= 300) AS d",
	} {
		if _, err := query(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	var file string
	if err := m.admin.QueryRow("SELECT @@pid_file").Scan(&file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	const most = 512 << 20
	for _, text := range []string{
		"SELECT length(group_concat(a.s ORDER BY b.id)) FROM t a, t b, t c",
		"SELECT length(group_concat(DISTINCT a.s, b.s, c.s ORDER BY a.s)) FROM t a, t b, t c",
	} {
		grown := peakmem.StartOf(t, pid)
		start := time.Now()
		table, err := query(text)
		t.Logf("%v, %d MB: %s", time.Since(start).Round(time.Millisecond), grown()>>20, text)
		if !errors.Is(err, sqldb.ErrTooLarge) || grown() > most {
			t.Errorf("%s: %v, %v; the server's memory grew by %d MB", text, table, err, grown()>>20)
		}
	}
}

// BenchmarkCollected compares an aggregate of 100,000 rows with the same one without
// the condition that counts what it collects.
func BenchmarkCollected(b *testing.B) {
	p := newPostgres(b, pgServer(b), "collected_cost", "CREATE TABLE t(id int, s text); "+
		"INSERT INTO t SELECT i, 'name ' || i FROM generate_series(1, 100000) i; GRANT SELECT ON t TO collected_cost")
	guard, err := secureview.New(&secureview.Policy{Schema: "public", Tables: map[string][]string{"t": {"id", "s"}}}, postgres.Dialect{})
	if err != nil {
		b.Fatal(err)
	}
	for _, call := range []string{"array_agg(id)", "string_agg(s, ',')"} {
		text := "SELECT octet_length(" + call + "::text) FROM public.t"
		stmt, err := guard.Rewrite(b.Context(), text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(call+"/plain", func(b *testing.B) {
			for b.Loop() {
				pgDrain(b, p.admin, text)
			}
		})
		b.Run(call+"/bounded", func(b *testing.B) {
			for b.Loop() {
				pgDrain(b, p.admin, stmt.SQL())
			}
		})
	}
}
