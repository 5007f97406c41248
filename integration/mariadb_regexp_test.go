package integration_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/sqldb"
)

// honestPatterns are regular expressions as people write them.
var honestPatterns = []string{
	`^A.*`, `[0-9]+-[0-9]+`, `foo|bar`, `^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}$`, `.*smith.*`, `.*`, `.*?a`, `(.*)-(.*)`,
	`^(.*)-(.*)$`, `^\s+|\s+$`, `[^0-9]`, `[^0-9]+`, `\\d{3}`, `\d{3,4}`, `<[^>]*>`, `\([^)]*\)`, `\(*x`, `[[:alpha:]]+ [[:digit:]]*`,
	`[[:<:]]bar[[:>:]]`, `\bfoo\b`, `(?i)FOO`, `(?i:foo) B`, `(?m)^b.*`, `(?s)a.*b`, `^(?:foo|bar|)[ -]?\w{2,5}$`, `^([a-z]+[ -]){1,3}`,
	`[]a]+`, `[^]a]+`, `[a\]b]`, `ü+|ß`, `[äöü]`, `\x{66}o+`, `\p{Lu}+`, `a*`, `x*`, `a{2}b{0,2}?`,
	`a{,2}`, `{a}`, `^$`, `$`, `^`, ``, `a|`, `|a`, `.`, `\.`, `'`, `"`, `\n`, `(a|ab)(c|bcd)(d*)`, `.*b|a`, `a#b`,
}

// unboundedPatterns are refused unless the server is known to be MySQL.
var unboundedPatterns = []string{`(?<=a-)b`, `(?<!a)b(?!a)`, `(?=f)\w\w`, `.+\R`}

var patternTexts = []string{
	"", "a", "A", "smith", "Agent Smith-Jones", "foo bar-12", "12-34 5678", "x@y.de", "jo.e+b@mail.example.org", "<b>bold</b> (x)(y", "\n\na-b\nbc\n", "\n",
	"  spaced  ", "fOO Bar", "über Maß", "]]a\\b", "aaabbaab", "{a}", "abcd", "a#b", "aaaaaaaaaaaaaaaaaaab", "line one\r\nline-two\n", "it's \"x\"", "Ünï",
}

// patternUses returns each use of a regular expression on the column s.
func patternUses(pattern string) []string {
	literal := mysqlString(pattern)
	return []string{
		"s REGEXP " + literal, "s NOT RLIKE " + literal, "regexp_instr(s, " + literal + ")", "regexp_substr(s, " + literal + ")",
		`regexp_replace(s, ` + literal + `, '<\\0>')`, "s COLLATE utf8mb4_bin REGEXP " + literal, "s REGEXP BINARY " + literal,
	}
}

func mysqlString(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(s) + "'"
}

// A regular expression returns what it returns without the guard, on servers of both
// brands. Some of the generated ones have to be refused.
func TestPatternsReturnTheSame(t *testing.T) {
	for brand, start := range mysqlServers {
		m := newMaria(t, start(t), "patterns_"+strings.ToLower(brand), "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(200) COLLATE utf8mb4_general_ci)")
		m.grant(t, "SELECT ON t")
		for i, text := range patternTexts {
			if _, err := m.admin.Exec("INSERT INTO t VALUES (?, ?)", i, text); err != nil {
				t.Fatal(err)
			}
		}
		var version string
		if err := m.admin.QueryRow("SELECT VERSION()").Scan(&version); err != nil {
			t.Fatal(err)
		}
		for _, d := range []mysql.Dialect{{}, {Version: version}} {
			t.Run(brand+" "+d.Version, func(t *testing.T) {
				p := newPatternTest(t, m, d)
				for _, pattern := range honestPatterns {
					for _, use := range patternUses(pattern) {
						got := p.same(use)
						boundary := strings.Contains(pattern, "[[:<:]]") && got == "refused" // REGEXP_REPLACE: write \b
						if got != "same" && !(brand == "MySQL" && got == "error") && !boundary {
							t.Errorf("%s: %s", got, use)
						}
					}
				}
				for _, pattern := range unboundedPatterns {
					want := "refused"
					if brand == "MySQL" && d.Version != "" {
						want = "same"
					}
					for _, use := range patternUses(pattern) {
						if got := p.same(use); got != want && !(brand == "MySQL" && got == "error") {
							t.Errorf("%s: %s", got, use)
						}
					}
				}
				g := patternGenerator{rand.New(rand.NewPCG(1, 1))}
				count := map[string]int{}
				for range 400 {
					pattern := g.pattern(3)
					for _, use := range patternUses(pattern) {
						count[p.same(use)]++
					}
				}
				t.Log(count)
				if mariaDB := brand == "MariaDB" || d.Version == ""; count["same"] < 500 || mariaDB && count["refused"] < 100 || count["incomplete"] > 20 {
					t.Error("the generator tests one side only")
				}
			})
		}
	}
}

// The time of a regular expression is bounded on MariaDB, whatever the pattern and
// the text: it ends, or an error says that the result is incomplete.
func TestMariaDBPatternsEnd(t *testing.T) {
	m := newMaria(t, integration.MariaDBOwn(t).Config(), "patterns_end", "CREATE TABLE t (id INT PRIMARY KEY, s LONGTEXT COLLATE utf8mb4_general_ci)")
	m.grant(t, "SELECT ON t")
	for i, text := range []string{
		strings.Repeat("a", 8<<10), strings.Repeat("a", 64<<10), strings.Repeat("ab", 32<<10), strings.Repeat("a", 4<<10) + "\n" + strings.Repeat("b1 ", 20<<10),
		strings.Repeat("a\n", 30<<10), strings.Repeat("a\u0301", 24<<10), strings.Repeat("a", 1<<20), strings.Repeat("foo bar-12 x@y.de\n", 500),
	} {
		if _, err := m.admin.Exec("INSERT INTO t VALUES (?, ?)", i, text); err != nil {
			t.Fatal(err)
		}
	}
	db := m.open(t, &sqldb.Options{Timeout: costLimit})
	p := newPatternTest(t, m, mysql.Dialect{Version: "10.11-MariaDB"})
	g := patternGenerator{rand.New(rand.NewPCG(2, 2))}
	patterns := append(honestPatterns,
		"a*a*[xy]", "[ab]+[xy]", "(a+)+[bd]|c", "(a|a)*[xy]", "a*?a*?x", "a.{30000}[xy]", "a*.{9000}[xy]", "(?:a|b)*[xy]", "[a-z]*a{200}b", "a*"+strings.Repeat("a", 400)+"[xy]", strings.Repeat("(a)?", 100)+"[xy]",
		"a*a*[xy]|a", ".*.*.*x", "(.*)(.*)(.*)[xy]", "^(.*)(.*)(.*)[xy]$", "(a{1,30}){1,30}[xy]", "((a{0,9}){0,9}){0,9}[xy]", strings.Repeat("a?", 200)+"[xy]", strings.Repeat("(a|b)", 80)+"x", "(?:a(?=aaaa))*[xy]",
		"[ä"+strings.Repeat("é", 150)+"]*[xy]", `\w*\d*\S*[xy]`)
	for range 40 {
		patterns = append(patterns, g.pattern(3))
	}
	count, slowest, slow := map[string]int{}, time.Duration(0), ""
	for _, pattern := range patterns {
		for _, use := range patternUses(pattern)[:5] {
			stmt, err := p.guard.Rewrite(t.Context(), "SELECT id, length("+use+") AS v FROM t ORDER BY id")
			if err != nil {
				count["refused"]++
				continue
			}
			ctx, cancel := context.WithTimeout(t.Context(), costLimit+costSlack)
			start := time.Now()
			_, err = db.Query(ctx, stmt)
			cancel()
			took := time.Since(start)
			if took > slowest {
				slowest, slow = took, use
			}
			switch {
			case took > costLimit+costSlack:
				t.Fatalf("%v: %s", took, use)
			case err == nil:
				count["ran"]++
			case errors.Is(err, sqldb.ErrTooLarge):
				count["incomplete"]++
			case errors.Is(err, sqldb.ErrTimeout):
				count["timeout"]++
			default:
				count[err.Error()]++
			}
		}
	}
	t.Logf("%v; the slowest took %v: %.200s", count, slowest, slow)
	if count["refused"] < 50 || count["ran"] < 100 || count["incomplete"] < 50 {
		t.Error("the patterns test one side only")
	}
}

// A regular expression that MariaDB gives up is an error, whatever it is used for, and
// one that it does not limit is refused.
func TestMariaDBPatternsIncomplete(t *testing.T) {
	m := newMaria(t, mariaServer(t), "patterns_incomplete", "CREATE TABLE t (s TEXT); INSERT INTO t VALUES (REPEAT('a', 9000)), (CONCAT(REPEAT('1', 9000), '-2')), ('x-1')")
	m.grant(t, "SELECT ON t")
	m.account.Params = map[string]string{"default_regex_flags": "'UNGREEDY,EXTENDED'"}
	db := m.open(t, nil)
	query := func(text string) (any, error) {
		stmt, err := newPatternTest(t, m, mysql.Dialect{}).guard.Rewrite(t.Context(), text)
		if err != nil {
			return nil, err
		}
		got, err := db.Query(t.Context(), stmt)
		if err != nil {
			return nil, err
		}
		return got.Rows[0][0], nil
	}
	for _, text := range []string{
		"SELECT count(*) FROM t WHERE s REGEXP 'a*a*[xy]'", "SELECT count(*) FROM t WHERE s NOT REGEXP 'a*a*[xy]'", "SELECT max(regexp_instr(s, 'a*a*[xy]')) FROM t",
		"SELECT max(regexp_substr(s, 'a*a*[xy]')) FROM t", "SELECT max(length(regexp_replace(s, 'a*a*[xy]|a', 'b'))) FROM t",
		"SELECT max(length(regexp_replace(concat(s, s, s), '-', 'b'))) FROM t", "SELECT t.s + 0, t.s REGEXP '(a|a)*[xy]' FROM t, t AS u, t AS v",
		"SELECT count(*) FROM t WHERE EXISTS (SELECT 1 FROM t AS u WHERE u.s REGEXP '(a*)*[xy]' AND t.s = u.s)",
	} {
		if got, err := query(text); !errors.Is(err, sqldb.ErrTooLarge) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]any{
		"SELECT count(*) FROM t WHERE s REGEXP '^[0-9]+-[0-9]+$'":           int64(1),
		"SELECT min(regexp_substr(s, '[0-9x]+-')) FROM t WHERE s LIKE 'x%'": "x-",
		"SELECT count(*) FROM t WHERE s REGEXP '.* .*'":                     int64(0),
		"SELECT length(regexp_replace(s, 'a+', '')) FROM t":                 int64(0),
		"SELECT count(s + 0) FROM t WHERE s + 0 REGEXP '^[0-9]$'":           int64(2),
	} {
		if got, err := query(text); err != nil || got != want {
			t.Errorf("%s: %v (%T), %v", text, got, got, err)
		}
	}
	for _, pattern := range []string{
		"s", "concat('a', s)", "concat(s)", "(SELECT max(s) FROM t)", "X'61'", "CASE WHEN s = 'a' THEN 'b' ELSE 'c' END", "left('ab', 1)",
		"'(*LIMIT_MATCH=9)a'", "'(*COMMIT)a*'", "'a++'", "'(?>a*)b'", `'(a+)\\1'`, "'a*)|(b*'", "'a*)(?:b*'", `'a*\\'`, `'\\Qa*)\\E'`, `'\\X*'`, "'(?#)a*'", "'(?x)a*# '", "'(?R)?a'",
		"'(a*)(?1)'", "'(?(1)a*|b)'", "'(?=a*)b'", "'(?<n>a*)'", `'a*\\c)'`, "'[a*'", "'[[.a.]]*'", "'[[:a]*'", `'\\Ga*'`, `'a*\\K'`, "'(?U)a*'", "'(?J)a*'", "'(a*'",
	} {
		for _, use := range []string{"s REGEXP " + pattern, "regexp_replace(s, " + pattern + ", 'x')"} {
			if _, err := query("SELECT " + use + " AS v FROM t"); !errors.Is(err, secureview.ErrTooCostly) {
				t.Errorf("%s: %v", use, err)
			}
		}
	}
}

// A patternTest compares what the guard makes of patterns with what they are without.
type patternTest struct {
	t     *testing.T
	m     *maria
	db    *sqldb.DB
	guard *secureview.Guard
}

func newPatternTest(t *testing.T, m *maria, d dialect.Dialect) *patternTest {
	t.Helper()
	guard, err := secureview.New(&secureview.Policy{Schema: m.name, Tables: map[string][]string{"t": {"id", "s"}}}, d)
	if err != nil {
		t.Fatal(err)
	}
	return &patternTest{t: t, m: m, db: m.open(t, nil), guard: guard}
}

// same executes an expression with and without the guard.
func (p *patternTest) same(use string) string {
	const query = "SELECT id, hex(%s) AS v FROM t ORDER BY id"
	want, failed := p.original(fmt.Sprintf(query, use))
	stmt, err := p.guard.Rewrite(p.t.Context(), fmt.Sprintf(query, use))
	var refused *refusal.Error
	if errors.As(err, &refused) {
		return "refused"
	}
	got, err := p.db.Query(p.t.Context(), stmt)
	switch {
	case failed != nil && errors.Is(err, sqldb.ErrExecution):
		return "error"
	case errors.Is(err, sqldb.ErrTooLarge):
		return "incomplete"
	case failed != nil || err != nil:
		p.t.Errorf("%s\n%s: %v instead of %v", use, stmt.SQL(), err, failed)
		return "wrong"
	}
	if diff := cmp.Diff(want, got.Rows); diff != "" {
		p.t.Errorf("%s\n%s (-want +got)\n%s", use, stmt.SQL(), diff)
		return "wrong"
	}
	return "same"
}

func (p *patternTest) original(text string) (list [][]any, err error) {
	rows, err := p.m.admin.Query(text)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var v *string
		if err := rows.Scan(&id, &v); err != nil {
			return nil, err
		}
		list = append(list, []any{id, nil})
		if v != nil {
			list[len(list)-1][1] = *v
		}
	}
	return list, rows.Err()
}

// A patternGenerator makes regular expressions of which some repeat repetitions, and
// some have what PCRE2 alone has.
type patternGenerator struct{ *rand.Rand }

func (g patternGenerator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g patternGenerator) pattern(depth int) string {
	var b strings.Builder
	for range 1 + g.IntN(4) {
		b.WriteString(g.atom(depth))
		if g.IntN(2) == 0 {
			b.WriteString(g.pick("*", "+", "?", "*", "+", "{2}", "{1,3}", "{2,}", "*?", "+?", "++", "{20}"))
		}
		if depth > 1 && g.IntN(8) == 0 {
			b.WriteString("|")
		}
	}
	return b.String()
}

func (g patternGenerator) atom(depth int) string {
	if depth > 0 && g.IntN(3) == 0 {
		return g.pick("(", "(", "(", "(?:", "(?=", "(?!", "(?<=", "(?>", "(?i)(") + g.pattern(depth-1) + ")"
	}
	return g.pick("a", "a", "b", ".", ".", "[ab]", "[^x]", `\d`, `\w`, `\s`, "[0-9-]", "^", "$", `\b`, "x", "-", "[xy]", "ä", `\1`)
}
