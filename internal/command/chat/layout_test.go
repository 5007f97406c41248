package chat

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLayout(t *testing.T) {
	for name, tt := range map[string]struct{ query, want string }{
		"short": {`SELECT 1 FROM "a" WHERE 1 = 1`, `SELECT 1 FROM "a" WHERE 1 = 1`},
		"a text with a clause": {
			`SELECT count(*) AS "n" FROM "a" LEFT JOIN "b" ON "b"."id" = "a"."id" WHERE "a"."x" = 'it''s FROM here WHERE ' LIMIT 5`,
			"SELECT count(*) AS \"n\"\nFROM \"a\"\nLEFT JOIN \"b\" ON \"b\".\"id\" = \"a\".\"id\"\nWHERE \"a\".\"x\" = 'it''s FROM here WHERE '\nLIMIT 5",
		},
		"a subquery": {
			`SELECT "long_column_name_one", "long_column_name_two" FROM "a" WHERE "x" > (SELECT avg("x") FROM "a" WHERE "y" = 1) LIMIT 5`,
			"SELECT \"long_column_name_one\", \"long_column_name_two\"\nFROM \"a\"\nWHERE \"x\" > (SELECT avg(\"x\") FROM \"a\" WHERE \"y\" = 1)\nLIMIT 5",
		},
		"JSON": {
			`{"query":{"bool":{"must":[{"term":{"name":"a, {b} and a rather long text"}}],"filter":[{"term":{"tenant":"one"}},{"term":{"pci":false}}]}},"size":10}`,
			"{\n" +
				"  \"query\":{\"bool\":{\n" +
				"    \"must\":[{\"term\":{\"name\":\"a, {b} and a rather long text\"}}],\n" +
				"    \"filter\":[{\"term\":{\"tenant\":\"one\"}},{\"term\":{\"pci\":false}}]\n" +
				"  }},\n" +
				"  \"size\":10\n" +
				"}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, layout(tt.query)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	for _, broken := range []string{`{"a":[`, `{"a"}}}]`, `SELECT ')(`} {
		long := broken + strings.Repeat("x", maxWidth)
		if got := layout(long); strings.Join(strings.Fields(got), "") != strings.Join(strings.Fields(long), "") {
			t.Errorf("layout(%q) = %q: a query lost text", long, got)
		}
	}
}
