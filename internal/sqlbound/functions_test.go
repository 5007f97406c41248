package sqlbound_test

import (
	"errors"
	"testing"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// A function that a policy adds and that repeats its argument needs a literal count.
func TestPolicyFunctions(t *testing.T) {
	for _, tt := range []struct {
		d         dialect.Dialect
		functions []string
		accepted  []string
		refused   []string
	}{
		{sqlite.Dialect{}, []string{"zeroblob", "randomblob", "own"},
			[]string{"hex(zeroblob(100))", "randomblob(16)", "own(name)"},
			[]string{"zeroblob(1000000000)", "zeroblob(id)", "randomblob(id * id)", "zeroblob((SELECT max(id) FROM emp))"}},
		{mysql.Dialect{}, []string{"repeat", "own"},
			[]string{"repeat('-', 20)", "repeat(name, 3)", "own(name)"},
			[]string{"repeat('x', 1000000000)", "repeat(name, id)", "repeat(repeat('x', 1000), 1000)"}},
		{postgres.Dialect{}, []string{"repeat", "array_fill", "own"},
			[]string{"repeat('-', 20)", "repeat(name, 3)", "own(name)"},
			[]string{"repeat('x', 1000000000)", "repeat(name, id)", "repeat(repeat('x', 1000), 1000)", "array_fill(1, ARRAY[100000, 1000])"}},
	} {
		schema := map[string]string{"mysql": "company", "postgres": "public"}[tt.d.Name()]
		g, err := secureview.New(&secureview.Policy{Schema: schema, Functions: tt.functions,
			Tables: map[string][]string{"emp": {"id", "name"}}}, tt.d)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range tt.accepted {
			if _, err := g.Rewrite(t.Context(), "SELECT "+e+" AS x FROM emp"); err != nil {
				t.Errorf("%s: %s: %v", tt.d.Name(), e, err)
			}
		}
		for _, e := range tt.refused {
			if _, err := g.Rewrite(t.Context(), "SELECT "+e+" AS x FROM emp"); !errors.Is(err, secureview.ErrTooCostly) {
				t.Errorf("%s: %s: %v", tt.d.Name(), e, err)
			}
		}
	}
}
