package duckdb_test

import (
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/sqldb/duckdb/dialect"
)

var extremes = flag.Int("extremes", 1, "how many statements TestExtremes makes of each argument of each function")

// wholes are whole numbers at the bounds of types and of what memory can hold.
var wholes = strings.Fields("0 -1 1 2 7 255 256 2049 65536 100000 1000000 2147483647 2147483648 -2147483648 " +
	"4294967296 9007199254740993 9223372036854775807 -9223372036854775807 (-9223372036854775807-1)")

// extremeValues are the values of arguments, by the type of a parameter. The first is an
// ordinary one.
var extremeValues = map[string][]string{
	"whole":     append([]string{"3", "n", "b", "NULL"}, wholes...),
	"HUGEINT":   append([]string{"3", "n", "NULL", "'170141183460469231731687303715884105727'::HUGEINT", "('-170141183460469231731687303715884105727'::HUGEINT)"}, wholes...),
	"DOUBLE":    {"0.5", "d", "NULL", "0", "-1", "1e308", "-1e308", "5e-324", "'NaN'::DOUBLE", "'inf'::DOUBLE", "'-inf'::DOUBLE", "9223372036854775807", "1e18", "170"},
	"DECIMAL":   {"1.5", "NULL", "'99999999999999999999999999999999999999'::DECIMAL(38,0)", "'-0.00000000000000000000000000000000000001'::DECIMAL(38,38)"},
	"VARCHAR":   {"'abc'", "s", "NULL", "''", "'%'", "'$'", "'\\'", "'%a%a%a%a%b'", "'(a*)*b'", "'(a|b|){1000}'", "'$.a'", "'$..*'", "'$..a..b..*'", "'{:999999999}'", "'%Y-%m-%d %H:%M:%S.%g'", "'%-'", "'[[[[[['", "'{\"a\":1}'", "chr(0)", "repeat('a', 2000)", "repeat('[', 900)", "'day'", "'microsecond'", "'Europe/Berlin'", "'99999999999999999999999'", "'\u200d\U0001F469\u200d\U0001F680'", "'2024-01-01'"},
	"BLOB":      {"'abc'::BLOB", "NULL", "''::BLOB", "'\\x00\\xff'::BLOB"},
	"BIT":       {"'101'::BIT", "NULL", "bitstring('1', 500)", "'0'::BIT"},
	"BOOLEAN":   {"true", "false", "NULL"},
	"DATE":      {"DATE '2024-01-31'", "day", "NULL", "'infinity'::DATE", "'-infinity'::DATE", "DATE '0001-01-01'", "'5877642-06-25 (BC)'::DATE", "'5881580-07-10'::DATE"},
	"TIMESTAMP": {"TIMESTAMP '2024-01-31 10:00:00'", "NULL", "'infinity'::TIMESTAMP", "'-infinity'::TIMESTAMP", "'290309-12-22 (BC) 00:00:00'::TIMESTAMP", "'294247-01-10 04:00:54.775806'::TIMESTAMP"},
	"TIME":      {"TIME '10:00:00'", "NULL", "TIME '24:00:00'"},
	"INTERVAL":  {"INTERVAL 3 DAY", "NULL", "INTERVAL 0 DAY", "INTERVAL (-1) MONTH", "INTERVAL 1 MICROSECOND", "to_months(2147483647)", "to_days(-2147483648)", "to_microseconds(9223372036854775807)", "to_microseconds(-9223372036854775807)"},
	"JSON":      {"j", "'{\"a\":[1,2]}'::JSON", "NULL", "'null'::JSON", "'[]'::JSON", "repeat('[', 900)::JSON"},
	"UUID":      {"'00000000-0000-0000-0000-00000000000a'::UUID", "NULL"},
	"LIST":      {"[3, 1, 2]", "l", "NULL", "[]", "[NULL]", "[[1], [2]]", "range(1000)", "['a', 'b']", "['abc']", "[0.5]", "[-1]", "[2]", "[true]"},
	"DOUBLE[]":  {"[0.5, 0.9]", "NULL", "[]", "[NULL]", "[-1]", "[2]", "['NaN'::DOUBLE]", "[1e308]", "list_transform(range(1000), x -> x / 1000)"},
	"ARRAY":     {"[1, 2, 3]::DOUBLE[3]", "[1e308, 'NaN'::DOUBLE, 1]::DOUBLE[3]", "NULL", "[]"},
	"MAP":       {"MAP {'a': 1}", "NULL", "MAP {}", "MAP([1, 2], [NULL, 3])"},
	"STRUCT":    {"{'a': 1, 'b': 'x'}", "NULL", "{'a': {'a': NULL}}"},
	"format": {"'{} {}'", "'{:99} {:>99}'", "'{:099d} {:x}'", "'{:.99f} {:+.99e}'", "'{:99.99} {:b}'", "'{:,} {:c}'", "'{:g} {:%}'", "'{'", "'}'", "'{:'", "'{:.'", "'{:s}{:d}'",
		"'{:^99s}{:p}'", "'{:\u200d>9}{:n}'", "'{{}}{:#o}'", "'" + strings.Repeat("{:99}", 200) + "'"},
	"printf": {"'%s %s'", "'%99s %-99s'", "'%099d %x'", "'%.99f %+.99e'", "'%99.99g %a'", "'%hhd %lld'", "'%c%c'", "'%n%n'", "'%'", "'%%%'", "'%9'", "'%.'", "'%s%d'",
		"'%p%i'", "'%q%j'", "'%#o% d'", "'" + strings.Repeat("%99d", 200) + "'"},
	"LAMBDA": {"x -> x", "x -> NULL", "x -> [x, x]", "x -> x = x"},
}

func init() {
	any := []string{"n"}
	for _, kind := range []string{"whole", "HUGEINT", "DOUBLE", "DECIMAL", "VARCHAR", "BLOB", "BIT", "BOOLEAN", "DATE", "TIMESTAMP", "TIME",
		"INTERVAL", "JSON", "LIST", "MAP", "STRUCT"} {
		any = append(any, extremeValues[kind][:min(8, len(extremeValues[kind]))]...)
	}
	extremeValues["ANY"] = any
}

// kindOf returns the key of extremeValues for a type.
func kindOf(t string) string {
	switch {
	case t == "DOUBLE[]":
		return t
	case t == "FLOAT[ANY]" || t == "DOUBLE[ANY]":
		return "ARRAY"
	case strings.HasSuffix(t, "]"):
		return "LIST"
	case strings.HasPrefix(t, "TIMESTAMP"):
		return "TIMESTAMP"
	case strings.HasPrefix(t, "TIME"):
		return "TIME"
	case strings.HasPrefix(t, "DECIMAL"):
		return "DECIMAL"
	case strings.HasPrefix(t, "MAP"):
		return "MAP"
	case strings.HasPrefix(t, "STRUCT"):
		return "STRUCT"
	case t == "UHUGEINT":
		return "HUGEINT"
	case strings.HasSuffix(t, "INT") || strings.HasSuffix(t, "INTEGER"):
		return "whole"
	case t == "FLOAT":
		return "DOUBLE"
	}
	if extremeValues[t] != nil {
		return t
	}
	return "ANY"
}

// A signature is an overload of a function that the dialect accepts.
type signature struct {
	name, kind string
	types      []string
}

// signatures returns the overloads of all functions of DuckDB that the dialect
// accepts, and those of its syntax.
func signatures(t testing.TB) []signature {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(`SELECT DISTINCT function_name, function_type, to_json(parameter_types)::VARCHAR, coalesce(varargs, '')
		FROM duckdb_functions() WHERE function_type IN ('scalar', 'aggregate', 'macro') ORDER BY ALL`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []signature
	seen := map[string]bool{}
	for rows.Next() {
		var s signature
		var types, more string
		if err := rows.Scan(&s.name, &s.kind, &types, &more); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(types), &s.types); err != nil {
			t.Fatal(err)
		}
		if !(dialect.Dialect{}).Safe(s.name) {
			continue
		}
		for i := range s.types {
			s.types[i] = kindOf(s.types[i])
		}
		if extremeValues[s.name] != nil {
			s.types[0] = s.name // the format
		}
		if more != "" {
			s.types = append(s.types, kindOf(more), kindOf(more))
		}
		if key := fmt.Sprint(s); !seen[key] {
			seen[key] = true
			out = append(out, s)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile whole", "fill DOUBLE",
		"lag ANY whole ANY", "lead ANY whole ANY", "first_value ANY", "last_value ANY", "nth_value ANY whole"} {
		f := strings.Fields(s)
		out = append(out, signature{name: f[0], kind: "window", types: f[1:]})
	}
	return out
}

// statements returns statements that call s with value i of parameter at, computed
// at once or for each row.
func (s signature) statements(args []string) []string {
	call := s.name + "(" + strings.Join(args, ", ") + ")"
	over := " OVER (ORDER BY n ROWS BETWEEN 3 PRECEDING AND 3 FOLLOWING)"
	switch s.kind {
	case "aggregate":
		return []string{"SELECT " + call + " FROM t", "SELECT " + call + " FROM t GROUP BY n % 1000", "SELECT " + call + over + " FROM t"}
	case "window":
		return []string{"SELECT " + call + over + " FROM t", "SELECT " + call + " OVER () FROM t", "SELECT " + call + " OVER (PARTITION BY n % 9 ORDER BY s)" + " FROM t"}
	}
	return []string{"SELECT count(x) FROM (SELECT " + call + " AS x FROM t)", "SELECT " + call}
}

// No accepted function with an extreme argument ends the process, invalidates the
// database, or goes far beyond the limits of memory and time.
func TestExtremes(t *testing.T) {
	w := newWorker(t)
	rng := rand.New(rand.NewPCG(19, uint64(*extremes)))
	for _, s := range signatures(t) {
		ordinary := make([]string, len(s.types))
		for i, kind := range s.types {
			ordinary[i] = extremeValues[kind][0]
		}
		for at, kind := range s.types {
			values := extremeValues[kind]
			for _, i := range rng.Perm(len(values))[:min(*extremes, len(values))] {
				args := slices.Clone(ordinary)
				args[at] = values[i]
				computed := slices.Clone(args)
				if kind != "LAMBDA" {
					computed[at] = "CASE WHEN n >= 0 THEN " + values[i] + " END"
				}
				for _, q := range append(s.statements(args), s.statements(computed)[0]) {
					w.check(q)
				}
				for j, other := range s.types { // two extreme arguments
					if j != at {
						args[j] = extremeValues[other][rng.IntN(len(extremeValues[other]))]
					}
				}
				w.check(s.statements(args)[0])
			}
		}
	}
	t.Logf("%d statements ran, %d are refused", w.ran, w.refused)
}

// No count of a clause ends the process or goes far beyond the limits.
func TestExtremeClauses(t *testing.T) {
	w := newWorker(t)
	for _, n := range []string{"0", "1", "-1", "2147483647", "9223372036854775807", "-9223372036854775808", "18446744073709551615",
		"'170141183460469231731687303715884105727'::HUGEINT", "1e308", "0.5", "NULL", "'NaN'::DOUBLE", "'inf'::DOUBLE", "100.0001", "n", "(SELECT max(n) FROM t)"} {
		for _, clause := range []string{
			"n FROM t LIMIT #", "n FROM t LIMIT 5 OFFSET #", "n FROM t ORDER BY s LIMIT # OFFSET #", "n FROM t LIMIT 5 + #",
			"n FROM t LIMIT # OFFSET 9223372036854775807", "n FROM t OFFSET #",
			"sum(n) OVER (ORDER BY n ROWS BETWEEN # PRECEDING AND # FOLLOWING) FROM t",
			"sum(n) OVER (ORDER BY n ROWS BETWEEN # FOLLOWING AND # FOLLOWING) FROM t",
			"count(*) OVER (ORDER BY day RANGE BETWEEN INTERVAL (#) DAY PRECEDING AND INTERVAL (#) MONTH FOLLOWING) FROM t",
			"max(d) OVER (ORDER BY d RANGE BETWEEN # PRECEDING AND # FOLLOWING) FROM t",
			"lag(n) OVER (PARTITION BY s ORDER BY n ROWS BETWEEN # PRECEDING AND # PRECEDING) FROM t",
			"quantile_cont(d, 0.5) OVER (ORDER BY n ROWS BETWEEN # PRECEDING AND # FOLLOWING EXCLUDE CURRENT ROW) FROM t",
			"nth_value(s, 3) OVER (ORDER BY n GROUPS BETWEEN # FOLLOWING AND UNBOUNDED FOLLOWING) FROM t",
			"string_agg(DISTINCT s, ',') OVER (ORDER BY n ROWS BETWEEN CURRENT ROW AND # FOLLOWING EXCLUDE GROUP) FROM t",
			"list(s) OVER (ORDER BY n ROWS BETWEEN # PRECEDING AND CURRENT ROW) FROM t",
			"median(n) OVER (ORDER BY n RANGE BETWEEN # PRECEDING AND # FOLLOWING) FROM t",
			"count(DISTINCT s) OVER (ORDER BY n GROUPS BETWEEN # PRECEDING AND UNBOUNDED FOLLOWING) FROM t",
			"mode(s) OVER (ORDER BY n ROWS BETWEEN # PRECEDING AND # PRECEDING EXCLUDE TIES) FROM t",
		} {
			w.check("SELECT " + strings.ReplaceAll(clause, "#", n))
		}
	}
	for _, pattern := range []string{"(.{1000})", "(a*)*b", ".*.*.*.*=.*", `(\w{1,100}){10}`, "(x+x+)+y", "a{900}"} {
		w.check("SELECT count(*) FROM t WHERE regexp_matches(s, '" + pattern + "')")
		w.check("SELECT count(*) FROM t WHERE regexp_matches(s, '" + strings.Repeat(pattern, 8) + "')")
	}
	t.Logf("%d statements ran, %d are refused", w.ran, w.refused)
}
