package emptyresult

import (
	"maps"
	"testing"

	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// The statements that look for rows of a single condition, and of all conditions, are
// accepted by the guard and read as they were printed. Few gold statements are of a form
// that is not probed.
func TestProbesOfCorpus(t *testing.T) {
	c := corpora.Need(t)
	for _, d := range []dialect.Dialect{sqlite.Dialect{}, mysql.Dialect{}} {
		readers := map[string]*Prober{}
		for _, s := range c.Schemas {
			guard, err := secureview.New(&secureview.Policy{
				Dialect: d.Name(), Schema: "main", Tables: maps.Clone(s.Tables), DoubleQuotedStrings: d.Name() == "sqlite",
			}, d)
			if err != nil {
				t.Fatal(err)
			}
			readers[s.DB] = &Prober{Guard: guard}
		}
		counts := map[string]int{}
		for _, s := range c.Statements {
			r := readers[s.DB]
			stmt, err := r.Guard.Rewrite(t.Context(), s.SQL)
			if err != nil {
				continue
			}
			counts["statements"]++
			b := readBlock(stmt.Query(), nil, false)
			if b == nil {
				counts["of another form"]++
				continue
			}
			all := make([]*test, 0, len(b.tests))
			for _, one := range b.tests {
				counts["conditions"]++
				all = append(all, one)
				if r.statement(t.Context(), b.sqlOf([]*test{one})) == nil {
					counts["conditions that cannot be probed"]++
					t.Logf("%s: %s: %s", s.DB, s.SQL, r.text(b, one.conditions[0]))
				}
			}
			if r.statement(t.Context(), b.sqlOf(all)) == nil {
				counts["statements whose conditions cannot be probed together"]++
				t.Logf("%s: %s", s.DB, s.SQL)
			}
		}
		t.Logf("%s: %v", d.Name(), counts)
		if counts["conditions that cannot be probed"] > 0 || counts["statements whose conditions cannot be probed together"] > 0 ||
			counts["of another form"] > counts["statements"]/16 {
			t.Errorf("%s: %v", d.Name(), counts)
		}
	}
}
