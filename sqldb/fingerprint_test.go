package sqldb

import (
	"testing"

	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

func TestWithoutLiterals(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"SELECT 1", "SELECT ?"},
		{`SELECT "a1"."b" FROM "t" WHERE "a1"."b" = 'x'`, `SELECT "a1"."b" FROM "t" WHERE "a1"."b" = ?`},
		{"SELECT `1` FROM `2`.`it's` LIMIT 10", "SELECT `1` FROM `2`.`it's` LIMIT ?"},
		{"'it''s' '' '''' 'a' 'b'", "? ? ? ? ?"},
		{"'a\"b' \"c'd\" 'e'", "? \"c'd\" ?"},
		{`"a""1" 1`, `"a""1" ?`},
		{"X'41ff', x'', LX'1', \"x\"'1'", "?, ?, LX?, \"x\"?"},
		{"log10(10) + t1 + utf8mb4 + 5", "log10(?) + t1 + utf8mb4 + ?"},
		{"1.5 .5 5. 1e9 1E-9 1e+9 0x1F 0xe-1", "? ? ? ? ? ? ? ?-?"},
		{"-1+2-3e1-4", "-?+?-?-?"},
		{"CAST(\"a\" AS DECIMAL(10,2))", "CAST(\"a\" AS DECIMAL(?,?))"},
		{"_latin1'x' DATE '2024-01-01'", "_latin1? DATE ?"},
		{"'never closed", "?"},
		{"\"never closed 1", "\"never closed 1"},
		{"é1 + 1", "é1 + ?"},
	} {
		if got := withoutLiterals(test.in); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.in, got, test.want)
		}
	}
}

// Printed statements that differ only in literals have one fingerprint, and
// others have another one, whatever a literal looks like.
func TestFingerprintOfPrintedStatements(t *testing.T) {
	literals := []string{"1", "25", "1.5", "1e9", "'x'", "'it''s'", "''", "X'41'", "' OR ''1'' = ''1'", `'"t"'`, "'`'", `'a\\'`}
	for _, d := range []dialect.Dialect{sqlite.Dialect{}, mysql.Dialect{}} {
		fingerprint := func(where string) [32]byte {
			q := Query{SQL: statement(t, d, "SELECT a FROM t WHERE "+where).SQL(), Session: &Session{}}
			return q.Fingerprint()
		}
		for _, literal := range literals {
			if got, want := fingerprint("b = "+literal+" AND a = 'end'"), fingerprint("b = 1 AND a = 2"); got != want {
				t.Errorf("%s: the literal %s changes the fingerprint", d.Name(), literal)
			}
		}
		for _, other := range []string{"a = 1", "b = a", "b > 1", "b = 1 AND a = 1", "b = -1", "b IN (1, 2)"} {
			if fingerprint(other) == fingerprint("b = 1") {
				t.Errorf("%s: %s has the fingerprint of another statement", d.Name(), other)
			}
		}
	}
}

// The fingerprint depends on what may be read, where, and as whom.
func TestFingerprintOfQueries(t *testing.T) {
	base := Query{SQL: "SELECT 1", Objects: []Object{{Schema: "s", Name: "t"}}, Session: &Session{}}
	for name, change := range map[string]func(*Query){
		"objects":     func(r *Query) { r.Objects = []Object{{Schema: "s", Name: "u"}} },
		"fields":      func(r *Query) { r.Fields = []Object{{Schema: "s", Name: "t", Columns: []string{"a", "f"}}} },
		"merged":      func(r *Query) { r.Merged = [][]Object{{{Schema: "s", Name: "u"}}} },
		"replica":     func(r *Query) { r.Pool = 1 },
		"role":        func(r *Query) { r.Session = &Session{Role: "r"} },
		"search path": func(r *Query) { r.Session = &Session{SearchPath: []string{"s"}} },
	} {
		other := base
		if change(&other); other.Fingerprint() == base.Fingerprint() {
			t.Errorf("%s: the fingerprint is the same", name)
		}
	}
	other := base
	other.SQL, other.Session = "SELECT 2", &Session{Settings: map[string]any{"app.tenant": 7}}
	if other.Fingerprint() != base.Fingerprint() {
		t.Error("literals and settings change the fingerprint")
	}
}

func BenchmarkFingerprint(b *testing.B) {
	r := Query{SQL: statement(b, sqlite.Dialect{}, "SELECT a, count(*) FROM t WHERE b = 'it''s' AND a > 5 GROUP BY a ORDER BY 2").SQL(), Session: &Session{}}
	b.SetBytes(int64(len(r.SQL)))
	b.ReportAllocs()
	for b.Loop() {
		r.Fingerprint()
	}
}
