package duckdb_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/duckdb"
)

// Stored values of every type are those that DuckDB shows. Lists, structures, maps and unions are
// JSON.
func TestStoredValues(t *testing.T) {
	tests := []struct {
		value string
		want  any
	}{
		{"date 'infinity'", "infinity"},
		{"date '-infinity'", "-infinity"},
		{"timestamp 'infinity'", "infinity"},
		{"timestamp_s '-infinity'", "-infinity"},
		{"timestamptz 'infinity'", "infinity"},
		{"date '0044-03-15 (BC)'", "0044-03-15 (BC)"},
		{"timestamp_ns '2024-01-01 10:00:00.123456789'", "2024-01-01 10:00:00.123456789"},
		{"timestamptz '2024-07-01 10:00:00+00'", "2024-07-01 12:00:00+02:00"},
		{"time '24:00:00'", "24:00:00"},
		{"time '23:59:59.000001'", "23:59:59.000001"},
		{"timetz '24:00:00+01:30'", "24:00:00+01:30"},
		{"timetz '10:00:00-15:59:59'", "10:00:00-15:59:59"},
		{"interval '-1 year 2 months -3 days 4:05:06.000007'", "-10 months -3 days 04:05:06.000007"},
		{"170141183460469231731687303715884105727::hugeint", "170141183460469231731687303715884105727"},
		{"340282366920938463463374607431768211455::uhugeint", "340282366920938463463374607431768211455"},
		{"99999999999999999999999999999999999999::decimal(38, 0)", "99999999999999999999999999999999999999"},
		{"1.50::decimal(4, 2)", "1.50"},
		{"123456789012345678901234567890::varint", "123456789012345678901234567890"},
		{"'0101'::bit", "0101"},
		{"uuid '00000000-0000-0000-0000-00000000000a'", "00000000-0000-0000-0000-00000000000a"},
		{"'x'::enum('x', 'y')", "x"},
		{"'nan'::double", "NaN"},
		{`'{"b": 12345678901234567890, "a": "<"}'::json`, `{"b": 12345678901234567890, "a": "<"}`},
		{"'null'::json", "null"},
		{"null::json", nil},

		{"[1, 2, null]", "[1,2,null]"},
		{"[0.1::float, 'nan'::float]", `[0.1,"NaN"]`},
		{"[1.50::decimal(4, 2)]", "[1.50]"},
		{"[340282366920938463463374607431768211455::uhugeint]", "[340282366920938463463374607431768211455]"},
		{"[date 'infinity', date '2024-01-01']", `["infinity","2024-01-01"]`},
		{"[timestamp '2024-01-01 00:00:00']", `["2024-01-01 00:00:00"]`},
		{"[timestamptz '2024-07-01 10:00:00+00']", `["2024-07-01 12:00:00+02"]`},
		{"[time '24:00:00', time '10:00:00']", `["24:00:00","10:00:00"]`},
		{"[uuid '00000000-0000-0000-0000-00000000000a']", `["00000000-0000-0000-0000-00000000000a"]`},
		{"['0101'::bit]", `["0101"]`},
		{"['a'::blob]", `["a"]`},
		{`['{"a":12345678901234567890}'::json]`, `[{"a":12345678901234567890}]`},
		{"[['a'], null]::varchar[1][2]", `[["a"],null]`},
		{"{'b': 1, 'a': time '10:00:00'}", `{"b":1,"a":"10:00:00"}`},
		{"map {date '2024-01-01': 1, date 'infinity': 2}", `{"2024-01-01":1,"infinity":2}`},
		{"union_value(n := 1)::union(n integer, s varchar)", `{"n":1}`},
		{"union_value(s := 'x')", `{"s":"x"}`},
		{"[union_value(t := time '24:00:00')]", `[{"t":"24:00:00"}]`},
		{"null::union(n integer)", nil},
	}
	path := filepath.Join(t.TempDir(), "values.duckdb")
	raw, err := sql.Open("duckdb", path)
	if err != nil {
		t.Fatal(err)
	}
	policy := &secureview.Policy{Tables: map[string][]string{}}
	for i, test := range tests {
		name := fmt.Sprintf("t%d", i)
		if _, err := raw.Exec("CREATE TABLE " + name + " AS SELECT " + test.value + " AS v"); err != nil {
			t.Fatalf("%s: %v", test.value, err)
		}
		policy.Tables[name] = []string{"v"}
	}
	raw.Close()
	db := open(t, path, &duckdb.Options{Options: sqldb.Options{Zone: "Europe/Berlin"}})
	g := newGuard(t, policy)
	for i, test := range tests {
		table, err := ask(db, g, fmt.Sprintf("SELECT v, 1 AS one FROM t%d", i))
		if err != nil {
			t.Errorf("%s: %v", test.value, err)
			continue
		}
		if got := table.Rows[0][0]; got != test.want {
			t.Errorf("%s is %#v, want %#v", test.value, got, test.want)
		}
		if name := table.Columns[0].Name; name != "v" {
			t.Errorf("%s: the column is named %q", test.value, name)
		}
	}
}

// A name of several parts is a field of a structure, or of JSON.
func TestFields(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fields.duckdb")
	raw, err := sql.Open("duckdb", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := raw.Exec(`CREATE TABLE z AS SELECT '{"a":{"b":[1,2],"c d":"x"}}'::json AS j, {'a': {'b': 7}} AS s,
		map {'a': 5} AS m, union_value(n := 3) AS u`); err != nil {
		t.Fatal(err)
	}
	raw.Close()
	db := open(t, path, nil)
	g := newGuard(t, &secureview.Policy{Tables: map[string][]string{"z": {"j", "s", "m", "u"}}})
	for query, want := range map[string]any{
		"SELECT j.a.b FROM z":                                     "[1,2]",
		"SELECT z.j.a.b FROM z":                                   "[1,2]",
		`SELECT z.j.a."c d" FROM z`:                               `"x"`,
		"SELECT (j).a.b[0] FROM z":                                "1",
		"SELECT j->'a'->'b' FROM z":                               "[1,2]",
		"SELECT j.missing FROM z":                                 nil,
		"SELECT s.a.b FROM z":                                     int64(7),
		"SELECT struct_extract(s.a, 'b') FROM z":                  int64(7),
		"SELECT max(x.s.a.b) FROM z x WHERE x.s.a.b > 6":          int64(7),
		"SELECT m.a FROM z":                                       int64(5),
		"SELECT u.n FROM z":                                       int64(3),
		"SELECT q.f.a FROM (SELECT {'a': 1} AS f FROM z) q":       int64(1),
		"SELECT list_transform([s], x -> x.a.b) FROM z":           "[7]",
		"SELECT count(*) FROM z WHERE j.a.b::VARCHAR = '[1,2]'":   int64(1),
		"SELECT (SELECT {'k': max(s.a.b)} FROM z).k FROM z":       int64(7),
		"SELECT s.a.b FROM z GROUP BY s.a.b ORDER BY s.a.b":       int64(7),
		"SELECT struct_extract({'x y': 2}, 'x y') FROM z LIMIT 1": int64(2),
	} {
		table, err := ask(db, g, query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		if got := table.Rows[0][0]; got != want {
			t.Errorf("%s is %#v, want %#v", query, got, want)
		}
	}
}
