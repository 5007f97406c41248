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

// The joins that the corpus lists for each SELECT block are in the report of a statement.
func TestJoinsOfCorpus(t *testing.T) {
	c := corpora.Need(t)
	all := shelves(t, c, false)
	key := func(left, right string) string {
		left, right = strings.ToLower(left), strings.ToLower(right)
		return min(left, right) + " = " + max(left, right)
	}
	reported := map[string][]map[string]bool{} // the joins of the statements of a database
	for _, s := range c.Statements {
		stmt, err := all[s.DB].guard.Rewrite(t.Context(), s.SQL)
		if err != nil {
			continue
		}
		joins := map[string]bool{}
		for _, j := range all[s.DB].prover.Check(stmt).Joins {
			for _, columns := range j.Columns {
				joins[key(j.Tables[0]+"."+columns[0], j.Tables[1]+"."+columns[1])] = true
			}
		}
		reported[s.DB] = append(reported[s.DB], joins)
	}
	compared, found := 0, 0
	for _, line := range c.Joins {
		if len(line.Conditions) == 0 {
			continue
		}
		compared++
		for _, joins := range reported[line.DB] {
			has := true
			for _, c := range line.Conditions {
				has = has && joins[key(c[0]+"."+c[1], c[2]+"."+c[3])]
			}
			if has {
				found++
				break
			}
		}
	}
	if compared != 4029 || found != compared {
		t.Errorf("%d of %d blocks are reported, want all of 4029", found, compared)
	}
}
