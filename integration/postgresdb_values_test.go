package integration_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/postgresdb"
)

// In every exec mode of the driver, a cell has the value of the server, or the
// statement fails with an error that says why.
func TestPostgresValues(t *testing.T) {
	p := newPostgres(t, pgServer(t), "valued", `
		CREATE TYPE mood AS ENUM ('sad', 'very "happy"');
		CREATE TYPE pair AS (a int, b text);
		CREATE DOMAIN day AS date;
		ALTER DATABASE valued SET timezone = 'America/New_York';
		ALTER DATABASE valued SET datestyle = 'German';
		ALTER DATABASE valued SET intervalstyle = 'sql_standard';
		ALTER DATABASE valued SET bytea_output = 'escape';
		ALTER DATABASE valued SET extra_float_digits = -3;
		ALTER DATABASE valued SET standard_conforming_strings = off;
		ALTER DATABASE valued SET transform_null_equals = on;
		ALTER DATABASE valued SET client_encoding = 'LATIN1'`)
	for _, mode := range []string{"cache_statement", "exec", "simple_protocol"} {
		t.Run(mode, func(t *testing.T) {
			config := p.account.Copy()
			pgSetMode(t, config, mode)
			db := openPostgresDB(t, &postgresdb.Options{Options: sqldb.Options{MaxCellBytes: 40}}, openPGX(t, config))
			for _, test := range []struct {
				expr string
				want any
			}{
				{`NULL`, nil},
				{`NULL::date`, nil},
				{`true`, true},
				{`(-32768)::int2`, int64(-32768)},
				{`9223372036854775807`, int64(9223372036854775807)},
				{`'4294967295'::oid`, int64(4294967295)},
				{`0.1::float4`, 0.1},
				{`3.4028235e38::float4`, 3.4028235e38},
				{`16777217::float4`, 16777216.0},
				{`0.1::float8`, 0.1},
				{`1e-300::float8`, 1e-300},
				{`'NaN'::float8`, "NaN"},
				{`'-Infinity'::float8`, "-Inf"},
				{`'-Infinity'::float4`, "-Inf"},
				{`12345678901234567890123.4500`, "12345678901234567890123.4500"},
				{`'NaN'::numeric`, "NaN"},
				{`1e-7::numeric`, "0.0000001"},
				{`12.50::money`, "$12.50"},

				{`'plain'`, "plain"},
				{`''`, ""},
				{`'O''Hara \ back'`, `O'Hara \ back`},
				{`'Zoë 🎉 €'`, "Zoë 🎉 €"},
				{`'x'::char(3)`, "x  "},
				{`'x'::"char"`, "x"},
				{`'name'::name`, "name"},
				{`repeat('ä', 30)`, strings.Repeat("ä", 20) + "… (cut: 60 bytes)"},

				{`date '2024-02-29'`, "2024-02-29"},
				{`'2024-02-29'::public.day`, "2024-02-29"},
				{`date 'infinity'`, "infinity"},
				{`date '-infinity'`, "-infinity"},
				{`date '0044-03-15 BC'`, "0044-03-15 BC"},
				{`date '0001-01-01'`, "0001-01-01"},
				{`date '12024-01-01'`, "12024-01-01"},
				{`timestamp '2024-01-05 10:00'`, "2024-01-05 10:00:00"},
				{`timestamp '2024-01-05 10:00:00.000001'`, "2024-01-05 10:00:00.000001"},
				{`timestamp 'infinity'`, "infinity"},
				{`timestamp '0044-03-15 10:00 BC'`, "0044-03-15 10:00:00 BC"},
				{`timestamptz '2024-01-05 10:00:00.5+02'`, "2024-01-05 03:00:00.5-05"}, // in the time zone of the database
				{`timestamptz '2024-07-05 10:00'`, "2024-07-05 10:00:00-04"},
				{`timestamptz '-infinity'`, "-infinity"},
				{`timestamptz '0044-03-15 12:00:00+00 BC'`, "0044-03-15 07:03:58-04:56:02 BC"},
				{`ARRAY[timestamptz '2024-01-05 10:00:00+02', 'infinity']`, `{"2024-01-05 03:00:00-05",infinity}`},
				{`tstzrange('2024-01-05 10:00:00+02', 'infinity')`, `["2024-01-05 03:00:00-05",infinity)`},
				{`date_trunc('month', timestamptz '2024-03-01 02:00:00+00')`, "2024-02-01 00:00:00-05"},
				{`time '24:00'`, "24:00:00"},
				{`timetz '10:11:12+02'`, "10:11:12+02"},
				{`interval '1 year -2 days 3.5 seconds'`, "1 year -2 days +00:00:03.5"},
				{`'2024-02-29'::date::text`, "2024-02-29"},
				{`(0.1::float8 + 0.2)::text`, "0.30000000000000004"},
				{`('\x00ff'::bytea)::text`, `\x00ff`},

				{`'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid`, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
				{`'{"b": 1, "a": "ä"}'::json`, `{"b": 1, "a": "ä"}`},
				{`'{"b": 1, "a": 2}'::jsonb`, `{"a": 2, "b": 1}`},
				{`'null'::jsonb`, "null"},
				{`'\x00ff'::bytea`, "0x00ff"},
				{`'abc'::bytea`, "abc"},
				{`''::bytea`, ""},
				{`ARRAY[1, NULL, 3]`, "{1,NULL,3}"},
				{`ARRAY['a b', '"', NULL]`, `{"a b","\"",NULL}`},
				{`ARRAY[0.1::float4]`, "{0.1}"},
				{`ARRAY[date '2024-01-05', 'infinity']`, "{2024-01-05,infinity}"},
				{`'[2:3]={1,2}'::int[]`, "[2:3]={1,2}"},
				{`'very "happy"'::public.mood`, `very "happy"`},
				{`ARRAY['sad'::public.mood]`, "{sad}"},
				{`ROW(1, 'x y')::public.pair`, `(1,"x y")`},
				{`int4range(1, 5)`, "[1,5)"},
				{`'empty'::daterange`, "empty"},
				{`B'101'`, "101"},
				{`'10.0.0.1/8'::inet`, "10.0.0.1/8"},
				{`'08:00:2b:01:02:03'::macaddr`, "08:00:2b:01:02:03"},
				{`'fat & rat'::tsquery`, "'fat' & 'rat'"},
				{`point(1, 2.5)`, "(1,2.5)"},
				{`'$.a'::jsonpath`, `$."a"`},
				{`'pg_class'::regclass`, "pg_class"},
				{`1 = NULL`, nil},
			} {
				got, err := db.Query(t.Context(), pgUnguarded(t, "SELECT "+test.expr, "public"))
				if err != nil {
					t.Errorf("%s: %v", test.expr, err)
					continue
				}
				if diff := cmp.Diff([][]any{{test.want}}, got.Rows); diff != "" {
					t.Errorf("%s (-want +got):\n%s", test.expr, diff)
				}
			}
		})
	}
}

// A value that is too large is cut or an error, never a crash.
func TestPostgresHugeValues(t *testing.T) {
	p := newPostgres(t, pgServer(t), "huge", "")
	db := p.open(t, &postgresdb.Options{Options: sqldb.Options{MaxCellBytes: 10}})
	got, err := db.Query(t.Context(), pgUnguarded(t, "SELECT repeat('x', 10000000), 1", "public"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]any{{"xxxxxxxxxx… (cut: 10000000 bytes)", int64(1)}}, got.Rows); diff != "" {
		t.Error(diff)
	}
	db = p.open(t, &postgresdb.Options{Options: sqldb.Options{MaxCellBytes: 1 << 30, MaxBytes: 1 << 20}})
	if _, err := db.Query(t.Context(), pgUnguarded(t, "SELECT repeat('x', 10000000)", "public")); !errors.Is(err, sqldb.ErrTooLarge) {
		t.Errorf("a row of 10 MB where 1 MiB is allowed: %v", err)
	}
	if _, err := db.Query(t.Context(), pgUnguarded(t, "SELECT repeat('x', 1200000000)", "public")); !errors.Is(err, sqldb.ErrTooLarge) {
		t.Errorf("a value beyond what the server can hold: %v", err)
	}
}

// A database may have another encoding, or store bytes without one (SQL_ASCII).
func TestPostgresEncodings(t *testing.T) {
	server := pgServer(t)
	for _, test := range []struct {
		encoding, stored string // in hexadecimal
		want             string // empty for an error
	}{
		{"UTF8", "c3a4e282ac", "ä€"},
		{"LATIN1", "e4", "ä"},
		{"SQL_ASCII", "c3a4", "ä"},
		{"SQL_ASCII", "ff61", ""},
	} {
		t.Run(test.encoding+test.stored, func(t *testing.T) {
			root := openPGX(t, server)
			pgExec(t, root, "CREATE DATABASE encoded ENCODING '"+test.encoding+"' LOCALE 'C' TEMPLATE template0")
			t.Cleanup(func() { root.Exec("DROP DATABASE encoded WITH (FORCE)") })
			config := server.Copy()
			config.Database = "encoded"
			pool := openPGX(t, config)
			pgExec(t, pool, "CREATE TABLE t(id text)")
			pgExec(t, pool, "INSERT INTO t VALUES (convert_from('\\x"+test.stored+"', '"+test.encoding+"'))")
			pool.Close()
			db := openPostgresDB(t, nil, openPGX(t, config))
			got, err := db.Query(t.Context(), pgUnguarded(t, "SELECT id, 'ä' FROM public.t", "public", "t"))
			switch {
			case test.want == "":
				if !errors.Is(err, sqldb.ErrExecution) || !strings.Contains(err.Error(), "encoding") {
					t.Errorf("got %v, %v", got, err)
				}
			case err != nil:
				t.Error(err)
			case pgRows(got) != test.want+" ä":
				t.Errorf("got %q", pgRows(got))
			}
		})
	}
}
