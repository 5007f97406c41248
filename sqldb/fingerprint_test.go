package sqldb

import (
	"testing"

	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// The fingerprint depends on what may be read, where, and as whom.
func TestFingerprintOfQueries(t *testing.T) {
	base := Query{SQL: "SELECT 1", Objects: []Object{{Schema: "s", Name: "t"}}, Session: &Session{}}
	for name, change := range map[string]func(*Query){
		"text":        func(r *Query) { r.SQL = "SELECT 2" },
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
	other.Session = &Session{Settings: map[string]any{"app.tenant": 7}}
	if other.Fingerprint() != base.Fingerprint() {
		t.Error("settings change the fingerprint")
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
