package sqlbound_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// Every function that a statement may call has a rule for the size of its result, and
// every rule is of such a function or of one that only a policy can allow.
func TestEveryFunctionIsBounded(t *testing.T) {
	for _, tt := range []struct {
		directory string
		variants  []dialect.Dialect
		byPolicy  []string
	}{
		{"sqlite", []dialect.Dialect{sqlite.Dialect{}}, []string{"randomblob", "zeroblob"}},
		{"mysql", []dialect.Dialect{
			mysql.Dialect{}, mysql.Dialect{Version: "8.0.30"}, mysql.Dialect{Version: "9.4.0"},
			mysql.Dialect{Version: "10.6.0-MariaDB"}, mysql.Dialect{Version: "12.0.0-MariaDB"},
		}, []string{"repeat"}},
		{"postgres", []dialect.Dialect{postgres.Dialect{}}, []string{"array_fill", "repeat"}},
	} {
		t.Run(tt.directory, func(t *testing.T) {
			safe := map[string]bool{}
			for word := range wordsIn(t, filepath.Join("../../secureview/dialect", tt.directory)) {
				if slices.ContainsFunc(tt.variants, func(d dialect.Dialect) bool { return d.Safe(word) }) {
					safe[word] = true
				}
			}
			if len(safe) < 50 {
				t.Fatalf("only %d functions are found", len(safe))
			}
			var others []string
			rules := tt.variants[0].Bounds().Functions
			for _, name := range slices.Sorted(maps.Keys(rules)) {
				if !safe[name] {
					others = append(others, name)
				}
			}
			if diff := cmp.Diff(tt.byPolicy, others); diff != "" {
				t.Errorf("rules of functions that no statement may call by itself (-want +got):\n%s", diff)
			}
			for _, name := range slices.Sorted(maps.Keys(safe)) {
				if _, ok := rules[name]; !ok {
					t.Errorf("%s has no rule", name)
				}
			}
		})
	}
}

// wordsIn returns the words of the string literals of a package.
func wordsIn(t *testing.T, directory string) map[string]bool {
	files, err := filepath.Glob(filepath.Join(directory, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || filepath.Base(file) == "bounds.go" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				for word := range strings.FieldsSeq(strings.Trim(literal.Value, "\"`")) {
					words[word] = true
				}
			}
			return true
		})
	}
	if len(words) == 0 {
		t.Fatalf("%s has no words", directory)
	}
	return words
}

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
