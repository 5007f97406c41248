package mysql_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
)

// rereadings are printed statements and their tables. The second parser parses the
// first group; the others are read by their tokens.
var rereadings = []struct{ printed, want string }{
	{"SELECT 1 AS `1`", ""},
	{"SELECT `a` FROM `db`.`t`", "db.t"},
	{"SELECT `a` FROM `db`.`dual`", "db.dual"},
	{"SELECT `a` FROM `db`.`t` AS `x` LEFT JOIN `db`.`u` ON TRUE JOIN (`db`.`v` JOIN `db2`.`w` ON TRUE) ON TRUE", "db.t db.u db.v db2.w"},
	{"SELECT (SELECT `a` FROM `db`.`t`) AS `x` FROM (SELECT 1 AS `1` FROM `db`.`u`) AS `d` WHERE `a` IN (SELECT `b` FROM `db`.`v`) GROUP BY `a` HAVING EXISTS (SELECT 1 FROM `db`.`w`) ORDER BY (SELECT 1 FROM `db`.`x`)", "db.t db.u db.v db.w db.x"},
	{"SELECT 1 FROM `db`.`t` UNION (SELECT 2 FROM `db`.`u` LIMIT 1) ORDER BY (SELECT `a` FROM `db`.`v`)", "db.t db.u db.v"},
	{"SELECT ' FROM `db`.`secret` ', 'it''s \\\\' FROM `db`.`t`", "db.t"},
	{"SELECT `FROM `` JOIN` FROM `db`.`a``b`", "db.a`b"},

	{"SELECT extract(YEAR FROM `a`), trim(BOTH `x` FROM `b`) FROM `db`.`t`", "db.t"},
	{"SELECT extract(YEAR FROM (SELECT `a` FROM `db`.`u`)) FROM `db`.`t`", "db.u db.t"},
	{"SELECT sum(`a`) OVER (ORDER BY `b`) FROM `db`.`t` AS `t` JOIN `db`.`u` ON TRUE WINDOW `w` AS (ORDER BY `c`), `v` AS (`w`)", "db.t db.u"},
	{"SELECT `a` FROM `db`.`t` INTERSECT SELECT `a` FROM `db`.`u` EXCEPT (SELECT `a` FROM `db`.`v`)", "db.t db.u db.v"},
	{"SELECT `a` FROM `db`.`t` JOIN LATERAL (SELECT `b` FROM `db`.`u`) AS `l` (`c`) ON TRUE", "db.t db.u"},
	{"SELECT `a` FROM `db`.`t` GROUP BY `a`, `b` WITH ROLLUP", "db.t"},
	{"WITH `x` AS (SELECT 1 FROM `db`.`t`) SELECT * FROM `x`", "db.t"},
	{"WITH `x` (`a`, `b`) AS (SELECT 1, 2 FROM `db`.`t`), `y` AS ((SELECT 1 FROM `x` LIMIT 1) UNION (SELECT 2 FROM `db`.`u`)) SELECT * FROM `y` JOIN `x` ON TRUE", "db.t db.u"},
	{"WITH `x` AS (SELECT * FROM `x`) SELECT * FROM `x`", "x"},
	{"WITH RECURSIVE `x` AS (SELECT 1 UNION ALL SELECT 2 FROM `x`) SELECT * FROM `x`", ""},
	{"WITH `x` AS (SELECT * FROM `y`), `y` AS (SELECT 1) SELECT * FROM `x`", "y"},
	{"SELECT * FROM (WITH `x` AS (SELECT 1) SELECT * FROM `x`) AS `d` JOIN `x` ON TRUE", "x"},
	{"SELECT (WITH `x` AS (SELECT 1) SELECT * FROM `x`) AS `v` FROM `x`", "x"},
	{"WITH `x` AS (SELECT 1) SELECT * FROM `db`.`x`", "db.x"},
	{"SELECT `v`.`a` FROM (VALUES ROW(1, 2), ROW((SELECT 1 FROM `db`.`t`), 3)) AS `v` (`a`, `b`) JOIN `db`.`u` ON TRUE", "db.t db.u"},
	{"VALUES ROW(1, 2), ROW((SELECT 1 FROM `db`.`t`), 3)", "db.t"},
}

func names(list string) []dialect.TableName {
	var out []dialect.TableName
	for _, name := range strings.Fields(list) {
		schema, table, ok := strings.Cut(name, ".")
		if !ok {
			schema, table = "", name
		}
		out = append(out, dialect.TableName{Schema: schema, Name: table})
	}
	return out
}

func TestReread(t *testing.T) {
	var d mysql.Dialect
	for _, tt := range rereadings {
		want := names(tt.want)
		if err := d.Reread(tt.printed, want); err != nil {
			t.Errorf("%s: %v", tt.printed, err)
		}
		more := append([]dialect.TableName{{Schema: "db", Name: "other"}}, want...)
		refused(t, d, tt.printed, more)
		for i := range want {
			fewer := append(want[:i:i], want[i+1:]...)
			refused(t, d, tt.printed, fewer)
		}
	}
}

func refused(t *testing.T, d mysql.Dialect, printed string, want []dialect.TableName) {
	t.Helper()
	var e *sqlast.Error
	if err := d.Reread(printed, want); !errors.As(err, &e) || e.Code != sqlast.ParserMismatch {
		t.Errorf("%s read for %v: %v", printed, want, err)
	}
}

// TestRereadRefuses: text that the printer never writes is refused.
func TestRereadRefuses(t *testing.T) {
	var d mysql.Dialect
	for _, text := range []string{
		"WITH `x` AS (SELECT 1) SELECT * FROM db.t",
		"WITH `x` AS (SELECT 1) SELECT * FROM `db`.",
		"WITH `x` AS (SELECT 1) SELECT * FROM 'db'",
		"WITH `x` AS (SELECT 1) SELECT * FROM ,",
		"WITH `x` AS (SELECT 1) SELECT * FROM `x`, ",
		"WITH `x` AS (SELECT 1) SELECT * FROM (",
		"WITH `x` AS (SELECT 1)) SELECT 1",
		"WITH `x` AS (SELECT 1) SELECT 1 JOIN `x`",
		"WITH `x` AS (SELECT 1) SELECT * FROM `x` /* FROM `db`.`t` */",
		"WITH `x` AS (SELECT 1) SELECT * FROM `x` -- c",
		"WITH `x` AS (SELECT 1) SELECT 'open FROM `x`",
		"WITH `x` AS (SELECT 1) SELECT 1; SELECT 2",
	} {
		refused(t, d, text, nil)
	}
}
