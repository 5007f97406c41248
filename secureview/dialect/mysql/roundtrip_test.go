package mysql_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
)

var ignorePositions = cmpopts.IgnoreTypes(sqlast.Pos(0))

// roundTrip reads a statement, prints it and reads the printed text: the trees have
// to be equal, printing again has to give the same text, and the second parser has
// to find the tables of the tree.
func roundTrip(tb testing.TB, text string) string {
	tb.Helper()
	var d mysql.Dialect
	first, err := d.Read(text)
	if err != nil {
		tb.Fatalf("Read(%q): %v", text, err)
	}
	printed, err := d.Append(nil, first, false)
	if err != nil {
		tb.Fatalf("Append(%q): %v", text, err)
	}
	second, err := d.Read(string(printed))
	if err != nil {
		tb.Fatalf("Read(%q) of the printed %q: %v", text, printed, err)
	}
	if !sqlast.Equal(first, second) {
		tb.Fatalf("%q printed as %q is another tree (-first +second):\n%s", text, printed, cmp.Diff(first, second, ignorePositions))
	}
	again, err := d.Append(nil, second, false)
	if err != nil || string(again) != string(printed) {
		tb.Fatalf("%q printed as %q, then as %q, %v", text, printed, again, err)
	}
	if err := d.Reread(string(printed), tables(first)); err != nil {
		tb.Fatalf("Reread(%q): %v", printed, err)
	}
	return string(printed)
}

// tables returns the tables of a tree without common table expressions. A common
// table expression can read earlier ones, and itself under RECURSIVE.
func tables(q *sqlast.Query) []dialect.TableName {
	var found tableFinder
	found.query(q, nil)
	return found.list
}

type tableFinder struct{ list []dialect.TableName }

func (f *tableFinder) query(q *sqlast.Query, scope []string) {
	if q.With != nil {
		scope = scope[:len(scope):len(scope)]
		for _, c := range q.With.CTEs {
			if q.With.Recursive {
				scope = append(scope, c.Name)
			}
			f.query(c.Query, scope)
			if !q.With.Recursive {
				scope = append(scope, c.Name)
			}
		}
	}
	visit := func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Query:
			f.query(n, scope)
			return false
		case *sqlast.Table:
			name := dialect.TableName{Schema: n.Schema, Name: n.Name}
			if !(n.Schema == "" && slices.Contains(scope, n.Name)) && !slices.Contains(f.list, name) {
				f.list = append(f.list, name)
			}
		}
		return true
	}
	sqlast.Walk(q.Body, visit)
	for _, o := range q.OrderBy {
		sqlast.Walk(o.Expr, visit)
	}
}
