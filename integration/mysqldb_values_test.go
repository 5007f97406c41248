package integration_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"
	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/sqldb"
)

// The cells for values of each column type.
func TestMySQLDBValues(t *testing.T) {
	server := mariaServer(t)
	for _, tt := range []struct {
		declared string
		values   map[string]any // from the SQL literal to the cell
	}{
		{"BIGINT UNSIGNED", map[string]any{"18446744073709551615": "18446744073709551615", "9223372036854775808": "9223372036854775808", "9223372036854775807": int64(math.MaxInt64), "NULL": nil}},
		{"BIGINT", map[string]any{"-9223372036854775808": int64(math.MinInt64), "0": int64(0)}},
		{"TINYINT(1)", map[string]any{"TRUE": int64(1), "-128": int64(-128)}},
		{"INT UNSIGNED ZEROFILL", map[string]any{"7": int64(7), "4294967295": int64(4294967295)}},
		{"DECIMAL(65,30)", map[string]any{
			"99999999999999999999999999999999999.999999999999999999999999999999": "99999999999999999999999999999999999.999999999999999999999999999999",
			"-0.000000000000000000000000000001":                                  "-0.000000000000000000000000000001",
		}},
		{"DECIMAL(10,2)", map[string]any{"1.10": "1.10"}},
		{"DOUBLE", map[string]any{"1.7976931348623157e308": math.MaxFloat64, "-0.1": -0.1, "5e-324": 5e-324, "1e15": 1e15}},
		{"FLOAT", map[string]any{"0.1": 0.1, "16777216": 16777200.0}}, // a server writes six digits
		{"DATE", map[string]any{"'0000-00-00'": "0000-00-00", "'2024-00-00'": "2024-00-00", "'9999-12-31'": "9999-12-31"}},
		{"DATETIME(6)", map[string]any{"'0000-00-00 00:00:00'": "0000-00-00 00:00:00.000000", "'2024-02-29 23:59:59.000001'": "2024-02-29 23:59:59.000001"}},
		{"TIMESTAMP NULL", map[string]any{"'0000-00-00 00:00:00'": "0000-00-00 00:00:00", "'2024-01-02 03:04:05'": "2024-01-02 03:04:05"}},
		{"TIME", map[string]any{"'838:59:59'": "838:59:59", "'-26:00:00'": "-26:00:00"}},
		{"YEAR", map[string]any{"2155": int64(2155), "0": int64(0)}},
		{"JSON", map[string]any{`'{"a": [1, 2.50, "ä"]}'`: `{"a": [1, 2.50, "ä"]}`}},
		{"ENUM('a','it''s','ä 😀')", map[string]any{"'it''s'": "it's", "''": "", "3": "ä 😀"}},
		{"SET('a','b','c')", map[string]any{"'a,c'": "a,c", "''": ""}},
		{"VARCHAR(20)", map[string]any{"'😀 漢字 é'": "😀 漢字 é", `'a\0b'`: "a\x00b", "''": "", `'back\\slash'`: `back\slash`}},
		{"VARCHAR(20) CHARACTER SET latin1", map[string]any{"'é€'": "é€", "_latin1 X'e980ff'": "é€ÿ"}},
		{"VARCHAR(20) CHARACTER SET utf16", map[string]any{"'é😀'": "é😀"}},
		{"VARBINARY(20)", map[string]any{"X'ff00fe'": "0xff00fe", "'text'": "text", "X'c3'": "0xc3"}},
		{"BINARY(3)", map[string]any{"X'ff'": "0xff0000"}},
		{"LONGBLOB", map[string]any{"X'f09f98'": "0xf09f98", "''": ""}},
		{"BIT(1)", map[string]any{"b'1'": int64(1), "b'0'": int64(0), "NULL": nil}},
		{"BIT(64)", map[string]any{"b'1000001'": int64(65), "18446744073709551615": "18446744073709551615"}},
		{"POINT", map[string]any{"POINT(0, 0)": "0x000000000101000000" + strings.Repeat("00", 16), "POINT(1, -2)": "0x000000000101000000000000000000f03f00000000000000c0"}},
		{"UUID", map[string]any{"'123e4567-e89b-12d3-a456-426655440000'": "123e4567-e89b-12d3-a456-426655440000"}},
		{"INET6", map[string]any{"'::1'": "::1"}},
	} {
		t.Run(tt.declared, func(t *testing.T) {
			m := newMaria(t, server, "mysqldb_values", "SET sql_mode = ''; SET NAMES utf8mb4; CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, v "+tt.declared+")")
			m.grant(t, "SELECT ON t")
			db := m.open(t, nil)
			for written, want := range tt.values {
				mariaExec(t, m.admin, "SET sql_mode = ''; DELETE FROM t; INSERT INTO t (v) VALUES ("+written+")")
				got := askMaria(t, db, m.name, map[string][]string{"t": {"v"}}, "SELECT v FROM t")
				if diff := cmp.Diff([][]any{{want}}, got.Rows); diff != "" {
					t.Errorf("%s (-want +got):\n%s", written, diff)
				}
			}
		})
	}
}

// The value of an expression does not depend on the configuration of the pool.
func TestMySQLDBExpressions(t *testing.T) {
	m := newMaria(t, mariaServer(t), "mysqldb_expressions", "CREATE TABLE t (n INT UNSIGNED, s VARCHAR(20)); INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'z')")
	m.grant(t, "SELECT ON t")
	m.account.Params = map[string]string{
		"sql_mode":         "'ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES,HIGH_NOT_PRECEDENCE,NO_UNSIGNED_SUBTRACTION,PAD_CHAR_TO_FULL_LENGTH'",
		"sql_select_limit": "1",
		"autocommit":       "0",
	}
	if err := m.account.Apply(driver.Charset("latin1", "")); err != nil {
		t.Fatal(err)
	}
	db := m.open(t, nil)
	for text, want := range map[string][][]any{
		`SELECT "x", 1 || 0, 'a\\b', 'é😀' AS e, NOT 1 BETWEEN -5 AND 5`: {{"x", int64(1), `a\b`, "é😀", int64(0)}},
		`SELECT n FROM t ORDER BY n`:                                    {{int64(1)}, {int64(2)}, {int64(3)}},
		`SELECT count(*) FROM t WHERE s = 'x'`:                          {{int64(1)}},
	} {
		got := askMaria(t, db, m.name, map[string][]string{"t": {"n", "s"}}, text)
		if diff := cmp.Diff(want, got.Rows); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	mariaExec(t, m.admin, "INSERT INTO t VALUES (4, 'w')")
	if got := askMaria(t, db, m.name, map[string][]string{"t": {"n"}}, "SELECT max(n) FROM t"); got.Rows[0][0] != int64(4) {
		t.Errorf("a row that was inserted since is not seen: %v", got.Rows)
	}
}

// A cell of ten megabytes is cut and ends with its length.
func TestMySQLDBLarge(t *testing.T) {
	m := newMaria(t, mariaServer(t), "mysqldb_large", "CREATE TABLE t (v LONGTEXT); INSERT INTO t VALUES (REPEAT('ä', 5242880))")
	m.grant(t, "SELECT ON t")
	tables := map[string][]string{"t": {"v"}}
	got := askMaria(t, m.open(t, nil), m.name, tables, "SELECT v FROM t")
	cell, _ := got.Rows[0][0].(string)
	if len(cell) > 65<<10 || !strings.HasPrefix(cell, "ää") || !strings.HasSuffix(cell, "(cut: 10485760 bytes)") {
		t.Errorf("%d bytes, %.20s .. %s", len(cell), cell, cell[max(0, len(cell)-30):])
	}
}

// Results that a server would cut with a warning are complete.
func TestMySQLDBCompleteResults(t *testing.T) {
	m := newMaria(t, mariaServer(t), "mysqldb_whole", "CREATE TABLE t (s TEXT); INSERT INTO t SELECT repeat('x', 1000) FROM seq_1_to_5")
	m.grant(t, "SELECT ON t")
	m.account.Params = map[string]string{"group_concat_max_len": "1024", "max_recursive_iterations": "100"}
	db := m.open(t, nil)
	for text, want := range map[string]int64{
		"SELECT length(group_concat(s)) FROM t":       5004,
		"SELECT json_length(json_arrayagg(s)) FROM t": 5,
		"WITH RECURSIVE d AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM d WHERE n < 3000) SELECT count(*) FROM d": 3000,
	} {
		got := askMaria(t, db, m.name, map[string][]string{"t": {"s"}}, text)
		if diff := cmp.Diff([][]any{{want}}, got.Rows); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// A recursion through a cycle of rows, which MariaDB cuts with nothing but a warning,
// is an error. So is one with too many warnings to know.
func TestMySQLDBCutRecursion(t *testing.T) {
	m := newMaria(t, mariaServer(t), "mysqldb_cut", "CREATE TABLE t (id INT, boss INT, s TEXT); INSERT INTO t VALUES (1, 2, 'x'), (2, 1, 'y'), (3, NULL, 'z'), (4, 3, '1')")
	m.grant(t, "SELECT ON t")
	db := m.open(t, &sqldb.Options{Timeout: 20 * time.Second})
	for _, test := range []struct {
		text string
		want any // a kind of error, or the value
	}{
		{"WITH RECURSIVE h AS (SELECT id, boss FROM t WHERE id = 1 UNION ALL SELECT t.id, t.boss FROM t JOIN h ON t.id = h.boss) SELECT count(*) FROM h", sqldb.ErrTooLarge},
		{"SELECT (WITH RECURSIVE h AS (SELECT id, boss FROM t WHERE id = 1 UNION ALL SELECT t.id, t.boss FROM t JOIN h ON t.id = h.boss) SELECT count(*) FROM h) AS n", sqldb.ErrTooLarge},
		{"WITH RECURSIVE h AS (SELECT id, boss FROM t WHERE id = 1 UNION SELECT t.id, t.boss FROM t JOIN h ON t.id = h.boss) SELECT count(*) FROM h", int64(2)},
		{"WITH RECURSIVE h AS (SELECT id, boss FROM t WHERE id = 4 UNION ALL SELECT t.id, t.boss FROM t JOIN h ON t.id = h.boss) SELECT count(*) FROM h", int64(2)},
		{"WITH RECURSIVE h AS (SELECT id, boss, s FROM t WHERE id = 4 UNION ALL SELECT t.id, t.boss, t.s FROM t JOIN h ON t.id = h.boss) SELECT sum(s + 0) FROM h", 1.0},
		{"WITH RECURSIVE d AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM d WHERE n < 200) SELECT sum(concat('x', n) + 0) FROM d", 0.0},
		{"WITH RECURSIVE d AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM d WHERE n < 70000) SELECT sum(concat('x', n) + 0) FROM d", sqldb.ErrTooLarge},
	} {
		got, err := db.Query(t.Context(), mariaGuarded(t, m.name, map[string][]string{"t": {"id", "boss", "s"}}, test.text))
		if kind, ok := test.want.(error); ok {
			if !errors.Is(err, kind) {
				t.Errorf("%s: %v, %v", test.text, got, err)
			}
			continue
		}
		if err != nil || !cmp.Equal([][]any{{test.want}}, got.Rows) {
			t.Errorf("%s: %v, %v", test.text, got, err)
		}
	}
}
