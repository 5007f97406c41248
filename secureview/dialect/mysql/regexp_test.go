package mysql_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/mysql"
)

const limited = `(*LIMIT_HEAP=65536)(*NO_AUTO_POSSESS)`

func TestPatterns(t *testing.T) {
	for _, tt := range []struct{ version, expr, want string }{
		{"8.4", `s REGEXP 'a*b'`, "REGEXP 'a*b'"},
		{"8.4", `s REGEXP concat(s, '++')`, "REGEXP concat(`t`.`s`, '++')"},
		{"8.4", `regexp_like(s, 'a*b')`, "regexp_like(`t`.`s`, 'a*b')"},
		{"", `s REGEXP 'foo|[a-z]bar$'`, "REGEXP 'foo|[a-z]bar$'"},
		{"", `s REGEXP 'a*b'`, "REGEXP if(version() LIKE '%MariaDB%', '(*LIMIT_MATCH=3750000)" + limited + `\\G(?s:.*?)\\K(?:a*b)', 'a*b')`},
		{"10.11-MariaDB", `s REGEXP 'a*b'`, "REGEXP '(*LIMIT_MATCH=3750000)" + limited + `\\G(?s:.*?)\\K(?:a*b)'`},
		{"10.11-MariaDB", `s COLLATE utf8mb4_bin REGEXP BINARY 'a*b'`, "REGEXP CAST('(*LIMIT_MATCH=3750000)" + limited + `\\G(?s:.*?)\\K(?:a*b)' AS BINARY)`},
		{"10.11-MariaDB", `s REGEXP 'a{1000}b'`, "REGEXP '(*LIMIT_MATCH=29791)" + limited + `\\G(?s:.*?)\\K(?:a{1000}b)'`},
		{"10.11-MariaDB", `s REGEXP '((a{9}){9}|b)[äö]\\d'`, "REGEXP '(*LIMIT_MATCH=322580)" + limited + `\\G(?s:.*?)\\K(?:((a{9}){9}|b)[äö]\\d)'`},
		{"10.11-MariaDB", `s REGEXP '(?i)\\pL+\\(?i:x'`, "REGEXP '(*LIMIT_MATCH=3000000)" + limited + `\\G(?s:.*?)\\K(?:(?i)\\pL+\\(?i:x)'`},
		{"10.11-MariaDB", `regexp_substr(s, '.*a')`, "'(*LIMIT_MATCH=3750000)" + limited + `\\G(?:|(?s:.*?)(?<!.))\\K(?:.*a)'`},
		{"10.11-MariaDB", `regexp_replace(s, 'a', 'b')`, "'(*LIMIT_MATCH=4285714)" + limited + `(?|\\A(?=(?s:.{20000}))(?s:.*.*)(*FAIL)|\\A(?>(?s:.*?)(?:a))*+(*FAIL)|\\G(?s:.*?)\\K(?:a))', 'b')`},
	} {
		if got, err := printed(t, tt.version, tt.expr); !strings.Contains(got, tt.want) {
			t.Errorf("%s on %q: %s, %v", tt.expr, tt.version, got, err)
		}
	}
}

// The time of reading a pattern does not depend on what it has in a class.
func TestPatternsReadFast(t *testing.T) {
	for _, part := range []string{`[ā-𐍈]`, `\\PL`, `[^\\pL\\PN]`, `[k-s]`} {
		start := time.Now()
		if _, err := printed(t, "10.11-MariaDB", "'a' REGEXP '(?i)"+strings.Repeat(part, 450/len(part))+"*'"); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took > 250*time.Millisecond {
			t.Errorf("%s: %v", part, took)
		}
	}
}

// What would end the group of a pattern, or is not counted, is refused.
func TestPatternsRefused(t *testing.T) {
	for _, expr := range []string{
		`s REGEXP s`, `s REGEXP 12`, `s REGEXP ('a' * s)`, `s REGEXP concat('a*', 'b')`, `s REGEXP lower('A*')`, `s REGEXP X'61'`, `s REGEXP 'a*)|(?:b'`, `s REGEXP '(a*'`, `s REGEXP 'a*\\'`, `s REGEXP '[[:a)*]'`, `s REGEXP '[a*'`, `s REGEXP '\\Qa*'`, `s REGEXP 'a*\\c'`,
		`s REGEXP 'a*+'`, `s REGEXP 'a{2}+'`, `s REGEXP '(?>a*)'`, `s REGEXP '(?=a*)'`, `s REGEXP '(?!a{2,})'`, `s REGEXP '(?=(?:b|a+))'`, `s REGEXP '(?=a)b*'`, `s REGEXP '(?<!a)b'`, `s REGEXP 'a{ 2,}+'`, `s REGEXP 'a{,2}+'`, `s REGEXP '(?<n>a*)'`, `s REGEXP '[[.a.]]*'`, `s REGEXP '\\12*'`, `s REGEXP '\\R+'`, `s REGEXP '(a)\\1'`, `s REGEXP '(?x)a* #'`,
		`s REGEXP '(*FAIL)'`, `s REGEXP '(?#a*)'`, `s REGEXP '(?)a*'`, `s REGEXP '(?'`, `s REGEXP '('`, `s REGEXP '(?i'`, `s REGEXP '\\x{41'`, `regexp_replace(s, 'a)|(?:b', '')`,
	} {
		for _, version := range []string{"", "10.11-MariaDB"} {
			if got, err := printed(t, version, expr); !errors.Is(err, secureview.ErrTooCostly) {
				t.Errorf("%s on %q: %s, %v", expr, version, got, err)
			}
		}
	}
}

func printed(t *testing.T, version, expr string) (string, error) {
	t.Helper()
	g, err := secureview.New(&secureview.Policy{Schema: "d", Tables: map[string][]string{"t": {"s"}}}, mysql.Dialect{Version: version})
	if err != nil {
		t.Fatal(err)
	}
	stmt, err := g.Rewrite(t.Context(), "SELECT "+expr+" AS v FROM t")
	if err != nil {
		return "", err
	}
	return stmt.SQL(), nil
}
