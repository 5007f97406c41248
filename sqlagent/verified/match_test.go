package verified_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent/verified"
)

// A statement is verified if its tree is that of the pair, up to the literals that the
// parameters name, and by nothing else.
func TestMatches(t *testing.T) {
	guard, err := secureview.New(&secureview.Policy{
		Dialect: "sqlite", Schema: "main", RowLimit: 100,
		Views:  map[string]string{"job": "secure_job"},
		Tables: map[string][]string{"person": {"id", "name"}, "secure_job": {"id", "personId", "site", "day"}},
	}, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	pair := verified.Pair{
		Question: "Who worked at the port in January?",
		SQL: "SELECT p.name FROM person p JOIN job j ON j.personId = p.id WHERE j.site = 'Port' " +
			"AND (j.day >= '2025-01-01' AND j.day < '2025-02-01' OR j.site LIKE 'Port') AND j.id > 0 LIMIT 10",
		Parameters: map[string]string{"site": "Port", "from": "2025-01-01", "before": "2025-02-01", "rows": "10"},
	}
	same := map[string]string{"site": "Port", "from": "2025-01-01", "before": "2025-02-01", "rows": "10"}
	for name, tt := range map[string]struct {
		old, new string // what is replaced in the statement
		want     map[string]string
	}{
		"the statement":            {"", "", same},
		"laid out otherwise":       {"SELECT p.name", "select  /* the name */ p.name\n", same},
		"names in another case":    {"FROM person p", "FROM Person p", nil},
		"without qualifiers":       {"j.site = 'Port'", "site = 'Port'", same},
		"other parameters":         {"'2025-01-01'", "'2024-12-01'", map[string]string{"site": "Port", "from": "2024-12-01", "before": "2025-02-01", "rows": "10"}},
		"a parameter everywhere":   {"'Port'", "'Dock'", map[string]string{"site": "Dock", "from": "2025-01-01", "before": "2025-02-01", "rows": "10"}},
		"a parameter in one place": {"LIKE 'Port'", "LIKE 'Dock'", nil},
		"another literal":          {"j.id > 0", "j.id > 1", nil},
		"a number for a text":      {"j.site = 'Port'", "j.site = 5", nil},
		"a negative number":        {"j.id > 0", "j.id > -0", nil},
		"another limit":            {"LIMIT 10", "LIMIT 20", map[string]string{"site": "Port", "from": "2025-01-01", "before": "2025-02-01", "rows": "20"}},
		"the limit of the policy":  {" LIMIT 10", "", map[string]string{"site": "Port", "from": "2025-01-01", "before": "2025-02-01", "rows": "100"}},
		"another operator":         {"j.day <", "j.day <=", nil},
		"another column":           {"SELECT p.name", "SELECT p.id", nil},
		"another table":            {"FROM person p JOIN job j ON j.personId = p.id", "FROM person p JOIN job j ON j.id = p.id", nil},
		"another join":             {"JOIN job", "LEFT JOIN job", nil},
		"a further condition":      {"WHERE ", "WHERE p.id > 0 AND ", nil},
		"DISTINCT":                 {"SELECT ", "SELECT DISTINCT ", nil},
		"a further column":         {"SELECT p.name", "SELECT p.name, p.id", nil},
		"another order of AND":     {"j.site = 'Port' AND (", "(", nil},
		"an order":                 {"LIMIT", "ORDER BY 1 LIMIT", nil},
	} {
		t.Run(name, func(t *testing.T) {
			approved, err := guard.Rewrite(t.Context(), pair.SQL)
			if err != nil {
				t.Fatal(err)
			}
			sql := pair.SQL
			if tt.old != "" {
				sql = strings.ReplaceAll(sql, tt.old, tt.new)
			}
			stmt, err := guard.Rewrite(t.Context(), sql)
			if err != nil {
				t.Fatal(err)
			}
			got, ok := pair.Matches(approved, stmt)
			if ok != (tt.want != nil) || ok && !cmp.Equal(got, tt.want) {
				t.Errorf("%v, %v, want %v\n%s", got, ok, tt.want, stmt.SQL())
			}
		})
	}
	if _, ok := pair.Matches(nil, &secureview.Statement{}); ok {
		t.Error("no statement matches")
	}

	set, err := verified.Read(strings.NewReader(""), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, parameters := range map[string]map[string]string{
		"one literal for two": {"a": "x", "b": "x"}, "no name": {" ": "x"}, "a long literal": {"a": strings.Repeat("x", 300)},
	} {
		bad := verified.Pair{Question: "q", SQL: "SELECT 1", By: "ann", Parameters: parameters}
		if err := set.Approve(bad); !errors.Is(err, verified.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	pair.By = "ann"
	if err := set.Approve(pair); err != nil || !cmp.Equal(set.Approved()[0].Parameters, pair.Parameters) {
		t.Errorf("%v: %+v", err, set.Approved())
	}
}
