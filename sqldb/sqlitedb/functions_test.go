package sqlitedb

import (
	"errors"
	"strings"
	"testing"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// A guard of the database refuses what this build of SQLite does not have, and accepts
// what it has.
func TestGuardKnowsTheBuild(t *testing.T) {
	db, err := Open(create(t, company), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	p := &secureview.Policy{Tables: map[string][]string{"t": {"x"}}}
	g, err := db.Guard(t.Context(), p, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	for text, remedy := range map[string]string{
		"SELECT median(x) FROM t":                                    "did you mean: avg",
		"SELECT percentile(x, 50) FROM t":                            "has no function percentile()",
		"SELECT x FROM t WHERE x REGEXP 'a'":                         "write LIKE or GLOB",
		"SELECT 1 WHERE EXISTS (SELECT 1 FROM t WHERE x REGEXP 'a')": "write LIKE or GLOB",
		"SELECT load_extension('x')":                                 "not one of those",
	} {
		if _, err := g.Rewrite(t.Context(), text); !errors.Is(err, secureview.ErrFunction) || !strings.Contains(err.Error(), remedy) {
			t.Errorf("%s: %v, want %q", text, err, remedy)
		}
	}
	for _, text := range []string{
		"SELECT count(*), sum(x), avg(x), min(x), max(x), total(x), group_concat(x) FROM t",
		"SELECT coalesce(x, 1), nullif(x, 1), ifnull(x, 2), iif(x, 1, 2), if(x, 1, 2), likely(x), typeof(x), quote(x), round(x) FROM t",
		"SELECT row_number() OVER (ORDER BY x), lag(x) OVER (ORDER BY x), ntile(2) OVER (ORDER BY x) FROM t",
		"SELECT date('now'), strftime('%Y', 'now'), julianday('now'), unixepoch(), CURRENT_DATE",
		"SELECT json_extract('{}', '$'), '{}' -> '$.a', json_group_array(x), sqrt(4), printf('%d', x), x LIKE 'a', x GLOB 'a' FROM t",
		"SELECT e.value FROM json_each('[1]') e",
	} {
		stmt, err := g.Rewrite(t.Context(), text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if _, err := db.Query(t.Context(), stmt); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	p.Functions = []string{"median"} // the host says that there is one
	if g, err = db.Guard(t.Context(), p, sqlite.Dialect{}); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Rewrite(t.Context(), "SELECT median(x) FROM t"); err != nil {
		t.Errorf("a function of the policy: %v", err)
	}
}
