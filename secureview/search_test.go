package secureview_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/mysql"
)

// The relevance of a full-text search counts rows that a view hides. Whether a row
// matches in boolean mode does not depend on other rows.
func TestRelevance(t *testing.T) {
	p := &secureview.Policy{Schema: "app", Tables: map[string][]string{"note": {"id", "a", "b"}}}
	strict, err := secureview.New(p, mysql.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	p.Functions = []string{"MATCH"}
	open, err := secureview.New(p, mysql.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		sql       string
		condition bool // of boolean mode, and nothing else
	}{
		{"SELECT id FROM note WHERE MATCH (a, b) AGAINST ('+x -y' IN BOOLEAN MODE)", true},
		{"SELECT id FROM note WHERE id > 1 AND NOT (MATCH (a, b) AGAINST ('x' IN BOOLEAN MODE) OR id = 5)", true},
		{"SELECT n.id FROM note n JOIN note m ON n.id = m.id AND MATCH (m.a, m.b) AGAINST ('x' IN BOOLEAN MODE)", true},
		{"SELECT id FROM note WHERE MATCH (a, b) AGAINST ('x')", false},
		{"SELECT id FROM note WHERE MATCH (a, b) AGAINST ('x' IN NATURAL LANGUAGE MODE)", false},
		{"SELECT MATCH (a, b) AGAINST ('x' IN BOOLEAN MODE) FROM note", false},
		{"SELECT id FROM note ORDER BY MATCH (a, b) AGAINST ('x' IN BOOLEAN MODE)", false},
		{"SELECT id FROM note WHERE (MATCH (a, b) AGAINST ('x' IN BOOLEAN MODE)) > 0.5", false},
		{"SELECT id FROM note WHERE CASE WHEN (MATCH (a, b) AGAINST ('x' IN BOOLEAN MODE)) > 0.5 THEN 1 END", false},
		{"SELECT id FROM note WHERE EXISTS (SELECT MATCH (a, b) AGAINST ('x' IN BOOLEAN MODE))", false},
	} {
		if _, err := open.Rewrite(t.Context(), test.sql); err != nil {
			t.Errorf("%s\nwith match among the policy's functions: %v", test.sql, err)
		}
		_, err := strict.Rewrite(t.Context(), test.sql)
		switch {
		case test.condition && err != nil:
			t.Errorf("%s: %v", test.sql, err)
		case !test.condition && !errors.Is(err, secureview.ErrFunction):
			t.Errorf("%s: want ErrFunction: %v", test.sql, err)
		case !test.condition && !strings.Contains(err.Error(), "IN BOOLEAN MODE) as a condition"):
			t.Errorf("%s: no remedy: %v", test.sql, err)
		}
	}
	if _, err := strict.Rewrite(t.Context(), "SELECT id FROM note WHERE MATCH (a, pw) AGAINST ('x' IN BOOLEAN MODE)"); !errors.Is(err, secureview.ErrUnknownColumn) {
		t.Errorf("a column that the policy does not have: %v", err)
	}
}
