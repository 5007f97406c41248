package postgresdb

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/secureview/dialect"
)

func TestTableFunctions(t *testing.T) {
	for _, test := range []struct {
		plan string
		want []name
	}{
		{`[{"Plan": {"Node Type": "Seq Scan", "Schema": "public", "Relation Name": "t"}}]`, nil},
		{`[{"Plan": {"Node Type": "Function Scan", "Schema": "public", "Function Name": "f", "Function Call": "f(1)"}}]`, []name{{"public", "f"}}},
		{
			`[{"Plan": {"Node Type": "Append", "Plans": [
				{"Node Type": "Limit", "Plans": [{"Node Type": "Function Scan", "Schema": "pg_catalog", "Function Name": "unnest", "Function Call": "unnest('{}')"}]},
				{"Node Type": "Function Scan", "Function Call": "f('a, g(', \"x(\"), \"S \"\".\".\"F(\"((1 + 2)), app.h()"}]}}]`,
			[]name{{"pg_catalog", "unnest"}, {"", "f"}, {`S ".`, "F("}, {"app", "h"}},
		},
		{`[{"Plan": {"Node Type": "Function Scan", "Function Call": "CURRENT_DATE"}}]`, []name{{"", "CURRENT_DATE"}}},
		{`[{"Plan": {"Node Type": "Function Scan", "Function Call": "f('"}}]`, []name{{"", "f"}}},
		{`[{"Plan": {"Node Type": "Function Scan", "Function Call": "\""}}]`, []name{{"", ""}}},
	} {
		plan, err := parsePlan([]byte(test.plan))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, plan.functions(nil), cmp.AllowUnexported(name{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.plan, diff)
		}
	}
	for _, text := range []string{"no plan", "[]", `[{}, {}]`} {
		if _, err := parsePlan([]byte(text)); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}

// safe is a dialect whose functions are those of TestIsPure.
type safe struct{ dialect.Dialect }

func (safe) Safe(function string) bool { return function == "unnest" || function == "generate_series" }

func TestIsPure(t *testing.T) {
	for call, want := range map[name]bool{
		{"pg_catalog", "unnest"}:          true,
		{"", "generate_series"}:           true,
		{"pg_catalog", "pg_ls_dir"}:       false,
		{"", "pg_stat_get_activity"}:      false,
		{"app", "orders"}:                 false,
		{"app", "unnest"}:                 false,
		{"pg_catalog", "CURRENT_DATE"}:    false,
		{"pg_catalog", "Generate_Series"}: false,
	} {
		if got := call.isPure(safe{}); got != want {
			t.Errorf("%v: %v", call, got)
		}
	}
}
