package mysqlnote_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/mysqlnote"
	"github.com/qedkit/qed/secureview/dialect"
)

func TestTables(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		// From notes of MariaDB 10.11.
		{"select 1 AS `1`", ""},
		{"select 'sec''r\\\\et' AS `s` from dual", ""},
		{"select `x`.`t`.`n` AS `n`,`x`.`u`.`a` AS `a` from `x`.`t` join `x`.`u` where `x`.`t`.`n` = `x`.`u`.`n` and `x`.`t`.`s` like 'x%'", "x.t x.u"},
		{"select `x`.`t`.`n` AS `n` from `x`.`t` `q` where `q`.`s` = 'it\\'s from `x`.`secret`'", "x.t"},
		{"/* select#1 */ select `q`.`s` AS `s` from `x`.`vt` `q`", "x.vt"},
		{"with c as (select `x`.`t`.`n` AS `n` from `x`.`t`)select `x`.`t`.`n` AS `n` from `x`.`t` join `x`.`u`", "x.t x.u"},
		{"with recursive c as (/* select#2 */ select 1 AS `n` union all /* select#3 */ select `c`.`n` + 1 AS `n+1` from `c` where `c`.`n` < 5)/* select#1 */ select `c`.`n` AS `n` from `c`", ""},
		{"/* select#1 */ select extract(year from `e`.`d`) AS `y` from (/* select#2 */ select distinct `x`.`t`.`d` AS `d` from `x`.`t`) `e`", "x.t"},
		{"select extract(year from `x`.`t`.`d`) AS `extract(year from d)`,trim(both 'x' from `x`.`t`.`s`) AS `trim(both 'x' from s)` from `x`.`t`", "x.t"},
		{"(/* select#1 */ select 1 AS `1`) union (/* select#2 */ select `x`.`t`.`n` AS `n` from `x`.`t`) order by 1 limit 3", "x.t"},
		{"select `x`.`t`.`n` AS `n` from (`x`.`u`) join `x`.`t` where 0", "x.u x.t"},
		{"select `x`.`t`.`n` AS `n` from `x`.`t` semi join (`x`.`u` join `x`.`w`) where 1", "x.t x.u x.w"},
		{"/* select#1 */ select `x`.`t`.`n` AS `n` from `x`.`t` join <materialize> (/* select#2 */ select max(`x`.`u`.`n`) from `x`.`u`) where 1", "x.t x.u"},
		{"/* select#1 */ select `x`.`t`.`n` AS `n` from `x`.`t` where !<expr_cache><`x`.`t`.`n`>(<in_optimizer>(`x`.`t`.`n`,<exists>(<index_lookup>(<cache>(`x`.`t`.`n`) in u on n checking NULL where `x`.`u`.`a` > `x`.`t`.`n`))))", "x.t"},
		{"/* select#1 */ select exists(/* select#2 */ select 1 from `x`.`u` limit 1) AS `e`,(/* select#3 */ select max(`x`.`v`.`n`) from `x`.`v`) AS `m`", "x.u x.v"},
		{"select row_number() over ( partition by `x`.`t`.`s` order by `x`.`t`.`n`) AS `r`,`x`.`key`() AS `k` from `x`.`t`", "x.t"},
		{"/* select#1 */ select `v`.`1` AS `1` from (values (1,2),(3,4)) `v`", ""},
		{"select `x`.`t`.`n` AS `n`,/*always not null*/ 1 is null AS `3 is null` from `x`.`t` where 1", "x.t"},
		{"select `x`.`t`.`s` AS `s` from `x`.`t` group by `x`.`t`.`s` with rollup", "x.t"},
		{"select 1 AS `1` from `x`.`a``b` left join (`x`.`c.d` join `y`.`from`) on(`x`.`a``b`.`n` = `y`.`from`.`n` and 1),`x`.`last`", "x.a`b x.c.d y.from x.last"},
	} {
		got, ok := mysqlnote.Tables(tt.text)
		want := names(tt.want)
		if tt.want == "x.a`b x.c.d y.from x.last" {
			want[1].Name = "c.d"
		}
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", tt.text, ok, diff)
		}
	}
}

// TestTablesRefuses: a text that no server prints is not treated as one
// without tables.
func TestTablesRefuses(t *testing.T) {
	for _, text := range []string{
		"select 1 from `x`.`t",
		"select 'open from `x`.`t`",
		"select 1 /* from `x`.`t` */ from `x`.`u`",
		"select 1 /*always not null from `x`.`t` */ from `x`.`u`",
		"select 1 /* select#1 from `x`.`t` */ from `x`.`u`",
		"select (1 from `x`.`t`",
		"select 1) from `x`.`t`",
		"select 1 from",
		"select 1 from `a`.`b`.`c`",
		`select "a" from t`,
	} {
		if tables, ok := mysqlnote.Tables(text); ok {
			t.Errorf("%s: understood as %v", text, tables)
		}
	}
}

func TestTablesAnywhere(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		// From notes of MySQL 9.7.
		{"/* select#1 */ select '2' AS `n`,'O'Brien' AS `s` from `x`.`t` where true", "x.t"},
		{"/* select#1 */ select 'it's' AS `s`,`x`.`u`.`a` AS `a` from `x`.`t` join `x`.`u` where ('`' = \"from\")", "x.t x.u"},
		{"/* select#1 */ select `x`.`t`.`n` AS `n` from `x`.`t` semi join (`x`.`u` join `x`.`w`) left join ((`x`.`v`)) on(true)", "x.t x.u x.w x.v"},
		{"select extract(year from `e`.`d`) AS `y`,trim(both 'x' from `e`.`s`) AS `s`,trim(leading concat('a',`e`.`b`) from `e`.`s`) AS `z` from (/* select#2 */ select `x`.`t`.`d` AS `d` from `x`.`t`) `e`", "x.t"},
		{"select extract(year from `x`.`t`.`d`) AS `y` from `x`.`t`", "x.t"},
		{"with `c` as (select 1) select `c`.`1` AS `1` from `c` join `c` `d`", ""},
		{"select 1 from `a``b`.`c.d`", "a`b.c.d"},
		{"select 'from `x`.`y`' AS `s` from dual", "x.y"}, // it could be the end of a value
	} {
		if diff := cmp.Diff(names(tt.want), mysqlnote.TablesAnywhere(tt.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestUnquotedLabel(t *testing.T) {
	for _, tt := range []struct{ printed, want string }{
		{"WITH `a'b` AS (SELECT 1 AS `1`) SELECT `c`.`1` AS `1` FROM `a'b` AS `c`", "a'b"},
		{"WITH RECURSIVE `a` (`x`) AS (SELECT 1), `b/*` AS (SELECT 2) SELECT 1", "b/*"},
		{"SELECT 1 AS `1` FROM `x`.`t` AS `it's`", "it's"},
		{"SELECT 1 AS `1` FROM `x`.`t` AS `a` JOIN (SELECT 1 AS `1`) AS `b)` ON TRUE", "b)"},
		{"SELECT (SELECT 1 AS `1` FROM `x`.`t` AS `t``t`) AS `1`", "t`t"},

		{"WITH `monthly sales` AS (SELECT count('x') AS `count('x')` FROM `x`.`t` AS `Zoë`) SELECT `m`.`count('x')` AS `it's` FROM `monthly sales` AS `m` ORDER BY `it's`", ""},
		{"SELECT `t`.`a'b` AS `a'b` FROM `x`.`t't` JOIN `x`.`u` ON `t't`.`a'b` = `u`.`a` WHERE `u`.`s` = 'it''s'", ""},
		{"WITH `c` (`a'b`) AS (SELECT 1) SELECT `c`.`a'b` AS `x` FROM `c`", ""},
	} {
		if got, ok := mysqlnote.UnquotedLabel(tt.printed); !ok || got != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.printed, got, ok, tt.want)
		}
	}
}

// names splits a list of names such as "schema.table".
func names(list string) []dialect.TableName {
	var out []dialect.TableName
	for _, name := range strings.Fields(list) {
		schema, table, _ := strings.Cut(name, ".")
		out = append(out, dialect.TableName{Schema: schema, Name: table})
	}
	return out
}
