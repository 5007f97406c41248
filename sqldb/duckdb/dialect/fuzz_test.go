package dialect_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/sqldb/duckdb/dialect"
)

// statements are the statements of a file of the tests of package duckdb.
func statements(t testing.TB, name string) []string {
	t.Helper()
	text, err := os.ReadFile("../testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

// A printed tree is read as the same tree.
func roundTrip(t testing.TB, text string) {
	t.Helper()
	d := dialect.Dialect{}
	tree, err := d.Read(text)
	if err != nil {
		var known *sqlast.Error
		if !errors.As(err, &known) || known.Message == "" || known.Code == "" || int(known.Pos) > len(text) {
			t.Errorf("%q\nerror without a message or a position: %v", text, err)
		}
		return
	}
	printed, err := d.Append(nil, tree, false)
	if err != nil {
		var known *sqlast.Error
		if !errors.As(err, &known) {
			t.Errorf("%q\ncannot be printed: %v", text, err)
		}
		return
	}
	again, err := d.Read(string(printed))
	if err != nil {
		var known *sqlast.Error
		if errors.As(err, &known) && (known.Code == sqlast.TooLarge || known.Code == sqlast.TooDeep) {
			return
		}
		t.Errorf("%q\nis printed as %q\nwhich is not read: %v", text, printed, err)
		return
	}
	reprinted, err := d.Append(nil, again, false)
	if diff := cmp.Diff(string(printed), string(reprinted)); diff != "" || err != nil {
		t.Errorf("%q\nis read again as another tree (%v):\n%s", text, err, diff)
	}
}

func TestRoundTrip(t *testing.T) {
	for _, text := range statements(t, "honest.sql") {
		if _, err := (dialect.Dialect{}).Read(text); err != nil {
			t.Errorf("%s\n%v", text, err)
		}
		roundTrip(t, text)
	}
}

// Goroutines that read at the same time have connections of their own.
func TestConcurrentReads(t *testing.T) {
	var readers sync.WaitGroup
	for i := range 8 {
		readers.Go(func() {
			for n := range 50 {
				want := fmt.Sprintf("SELECT %d AS n", 100*i+n)
				tree, err := dialect.Dialect{}.Read(want)
				if err != nil {
					t.Error(err)
					return
				}
				got, err := dialect.Dialect{}.Append(nil, tree, false)
				if string(got) != strings.Replace(want, "n", `"n"`, 1) || err != nil {
					t.Errorf("%s is read as %s (%v)", want, got, err)
				}
			}
		})
	}
	readers.Wait()
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"honest.sql", "attacks.sql"} {
		for _, text := range statements(f, name) {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) { roundTrip(t, text) })
}

// Texts that could overflow a stack, take long, or be read in two ways.
func TestHostileTexts(t *testing.T) {
	many := func(s string, n int) string { return strings.Repeat(s, n) }
	for name, text := range map[string]string{
		"empty":             "",
		"comment":           "-- nothing",
		"open comment":      "/* SELECT 1",
		"NUL":               "SELECT 1\x00; DROP TABLE t",
		"no UTF-8":          "SELECT '\xff'",
		"long":              "SELECT '" + many("x", 70_000) + "'",
		"parentheses":       "SELECT " + many("(", 5000) + "1" + many(")", 5000),
		"brackets":          "SELECT " + many("[", 20_000) + many("]", 20_000),
		"operators":         "SELECT 1" + many("+1", 30_000),
		"signs":             "SELECT " + many("- ", 30_000) + "1",
		"NOT":               "SELECT " + many("NOT ", 15_000) + "true",
		"CASE":              "SELECT " + many("CASE WHEN true THEN ", 2000) + "1" + many(" END", 2000),
		"casts":             "SELECT 1" + many("::INT", 10_000),
		"subqueries":        many("SELECT * FROM (", 90) + "SELECT 1" + many(")", 90) + "; SELECT 2",
		"joins":             "SELECT * FROM t" + many(" JOIN t ON true", 4000),
		"subscripts":        "SELECT x" + many("[1]", 20_000),
		"arrow chain":       "SELECT x" + many("->'a'", 10_000),
		"infinite number":   "SELECT 1e400",
		"open string":       "SELECT 'x",
		"open name":         `SELECT "x`,
		"open dollar quote": "SELECT $$x",
		"type":              "SELECT 1::" + many("STRUCT(a ", 90) + "INT" + many(")", 90) + "; SELECT 1",
	} {
		_, err := dialect.Dialect{}.Read(text)
		var known *sqlast.Error
		if !errors.As(err, &known) {
			t.Errorf("%s: error %v, want a refusal", name, err)
		}
	}
}

// The parser copies the operand of a CASE for each WHEN. However the words are
// hidden, such operands are refused, and all others are read.
func TestCaseOperands(t *testing.T) {
	for _, text := range []string{
		"SELECT " + strings.Repeat("CASE ", 40) + "1" + strings.Repeat(" WHEN 1 THEN 2 WHEN 2 THEN 3 END", 40),
		"SELECT CASE CASE a WHEN 1 THEN 2 END WHEN 2 THEN 3 END",
		"SELECT CASE ('WHEN' || (case a WHEN 1 THEN 2 END)) WHEN 2 THEN 3 END",
		"SELECT CASE e'\\'' || (CASE a WHEN 1 THEN 2 END) || 'WHEN' WHEN 2 THEN 3 END",
		"SELECT CASE t.when + CASE a WHEN 1 THEN 2 END WHEN 2 THEN 3 END",
		"SELECT CASE (SELECT 1 AS when) + CASE a WHEN 1 THEN 2 END WHEN 2 THEN 3 END",
		"SELECT CASE /* /* */ WHEN */ CASE a WHEN 1 THEN 2 END WHEN 2 THEN 3 END",
		"SELECT CASE $x$ WHEN $x$ || CASE a WHEN 1 THEN 2 END WHEN 2 THEN 3 END",
		"SELECT CASE -- WHEN\nCASE a WHEN 1 THEN 2 END WHEN 2 THEN 3 END",
		"SELECT 0x$a$, CASE CASE a WHEN 1 THEN 2 END WHEN 2 THEN 3 END, 1 AS b$a$",
		"SELECT CASE e'a' -- x\n'\\'' || (CASE a WHEN 1 THEN 2 END) || 'WHEN' WHEN 2 THEN 3 END",
		"SELECT CASE 1e1CASE a WHEN 1 THEN 2 END WHEN 2 THEN 3 END",
		"SELECT CASE (SELECT CASE a WHEN 1 THEN 2 END) WHEN 2 THEN 3 END",
	} {
		_, err := dialect.Dialect{}.Read(text)
		var known *sqlast.Error
		if !errors.As(err, &known) || known.Code != sqlast.TooCostly {
			t.Errorf("%s\nerror %v, want %q", text, err, sqlast.TooCostly)
		}
	}
	for _, text := range []string{
		"SELECT CASE a WHEN CASE b WHEN 1 THEN 2 END THEN CASE c WHEN 3 THEN 4 END ELSE CASE d WHEN 5 THEN 6 END END",
		"SELECT CASE WHEN a THEN CASE WHEN b THEN 1 END END, CASE x WHEN 1 THEN 2 END",
		"SELECT CASE e'a'\n-- x\n'\\' CASE CASE' WHEN 'a' THEN 1END",
		"SELECT CASE -- no operand, and a comment that is long " + strings.Repeat("x", 500) + "\n" + strings.Repeat(" WHEN a THEN 1", 150) + " END",
		"SELECT CASE 'CASE' WHEN 'a' THEN 1 END, 'it''s CASE', \"case\", t.case, 1 AS end, $$ CASE CASE $$ /* CASE CASE */",
	} {
		if _, err := (dialect.Dialect{}).Read(text); err != nil {
			t.Errorf("%s\n%v", text, err)
		}
	}
}
