package sqlproof_test

import (
	"strings"
	"testing"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlproof"
)

// A shelf is a database of the corpora.
type shelf struct {
	schema *joinpath.Schema
	guard  *secureview.Guard
	prover *sqlproof.Prover
}

// shelves returns the databases of a corpus by name. nulls says that every column but those
// of primary keys may be NULL; otherwise nothing is said about it.
func shelves(t testing.TB, c *corpora.Corpus, nulls bool) map[string]*shelf {
	t.Helper()
	all := map[string]*shelf{}
	for _, s := range c.Schemas {
		schema := &joinpath.Schema{Tables: map[string]joinpath.Table{}}
		spelled := map[string]string{}
		for name, columns := range s.Tables {
			table := joinpath.Table{Columns: columns, PrimaryKey: s.PrimaryKeys[name]}
			if nulls {
				table.NotNull = table.PrimaryKey
			}
			schema.Tables[name] = table
			spelled[strings.ToLower(name)] = name
		}
		for _, k := range s.ForeignKeys {
			// Some of them are of tables that are not there.
			_ = schema.AddForeignKey(spelled[strings.ToLower(k[0])], []string{k[1]}, spelled[strings.ToLower(k[2])], []string{k[3]})
		}
		policy := &secureview.Policy{Schema: "main", Tables: s.Tables, DoubleQuotedStrings: true}
		guard, err := secureview.New(policy, sqlite.Dialect{})
		if err != nil {
			t.Fatal(err)
		}
		all[s.DB] = &shelf{schema, guard, sqlproof.New(schema)}
	}
	return all
}

func isPart(columns []string, name string) bool {
	for _, c := range columns {
		if strings.EqualFold(c, name) {
			return true
		}
	}
	return false
}

// TestGold counts the statements of the public corpora, all of which somebody found right,
// that get an error.
func TestGold(t *testing.T) {
	c := corpora.Need(t)
	for _, nulls := range []bool{false, true} {
		all := shelves(t, c, nulls)
		checked, errors := 0, map[string]int{}
		verdicts := map[dates.Verdict]int{}
		bad := 0
		for _, s := range c.Statements {
			stmt, err := all[s.DB].guard.Rewrite(t.Context(), s.SQL)
			if err != nil {
				continue
			}
			checked++
			report := all[s.DB].prover.Check(stmt)
			for _, a := range report.Aggregates {
				verdicts[a.Verdict]++
			}
			if !report.OK() {
				bad++
				f := report.Findings[0]
				errors[string(f.Code)]++
				t.Logf("%s: %s: %s\n%s", s.DB, f.Code, f.Message, s.SQL)
			}
		}
		t.Logf("%d statements, %d with an error: %v; aggregates %v", checked, bad, errors, verdicts)
		if bad*100 > checked {
			t.Errorf("%d of %d statements get an error: more than 1 %%", bad, checked)
		}
	}
}
