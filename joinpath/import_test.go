package joinpath_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/joinpath"
)

// Import takes a file of relationships alone, fields that it does not know, and
// other spellings.
func TestImport(t *testing.T) {
	got, problems, err := joinpath.Import(strings.NewReader(`{
		"generated_at": "2024-05-01",
		"relationships": [
			{"from_table": "workTime", "from_column": "employeeId", "to_table": "employee", "to_column": "id",
			 "type": "foreign_key", "cardinality": "many-to-one", "llm_reason": "obvious", "from_columns": null},
			{"from_table": "employee", "from_column": "id", "to_table": "workTime", "to_column": "employeeId",
			 "type": "association", "confidence": 0.8, "cardinality": "1:n", "llm_reason": "reverse"},
			{"from_table": "job", "from_column": "customerId", "to_table": "customer", "to_column": "id", "cardinality": "some"},
			{"from_table": "job", "from_column": "customerId", "to_table": "customer", "to_column": "id", "confidence": 0.95},
			{"from_table": "job", "from_column": "x", "to_table": "customer", "to_column": "id", "confidence": 7},
			{"from_table": "job", "to_table": "customer"},
			"no relationship"
		]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := &joinpath.Schema{Version: 1, Tables: map[string]joinpath.Table{}, Relationships: []joinpath.Relationship{
		{FromTable: "workTime", FromColumn: "employeeId", ToTable: "employee", ToColumn: "id",
			Type: joinpath.ForeignKey, Confidence: 1, Cardinality: joinpath.ManyToOne},
		{FromTable: "employee", FromColumn: "id", ToTable: "workTime", ToColumn: "employeeId",
			Type: joinpath.Association, Confidence: 0.8, Cardinality: joinpath.OneToMany},
		{FromTable: "job", FromColumn: "customerId", ToTable: "customer", ToColumn: "id", Confidence: 0.95},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var paths []string
	for _, p := range problems {
		if p.Code != joinpath.ErrSchema {
			t.Errorf("code %q", p.Code)
		}
		paths = append(paths, p.Path)
	}
	wantPaths := []string{
		"/relationships/2",                     // the cardinality
		"/relationships/4",                     // the confidence
		"/relationships/5", "/relationships/5", // two columns are missing
		"/relationships/6",
		"", "", // two unknown fields
	}
	if diff := cmp.Diff(wantPaths, paths); diff != "" {
		t.Errorf("problems (-want +got):\n%s\n%v", diff, problems)
	}
}

// With tables, what they do not list is left out.
func TestImportWithTables(t *testing.T) {
	got, problems, err := joinpath.Import(strings.NewReader(`{
		"version": 1,
		"tables": {
			"a": {"columns": ["id", "b_id"], "unique_columns": ["id"], "primary_key_name": "pk"},
			"b": {"columns": ["id"], "unique_columns": ["gone"], "rows": 3},
			"c": {"columns": ["x", "x"]},
			"d": []
		},
		"relationships": [
			{"from_table": "a", "from_column": "b_id", "to_table": "b", "to_column": "id", "confidence": 0.9},
			{"from_table": "a", "from_column": "c_id", "to_table": "b", "to_column": "id", "confidence": 0.9},
			{"from_table": "a", "from_column": "b_id", "to_table": "c", "to_column": "x", "confidence": 0.9}
		]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := &joinpath.Schema{Version: 1,
		Tables: map[string]joinpath.Table{
			"a": {Columns: []string{"id", "b_id"}, UniqueColumns: []string{"id"}},
			"b": {Columns: []string{"id"}},
		},
		Relationships: []joinpath.Relationship{{FromTable: "a", FromColumn: "b_id", ToTable: "b", ToColumn: "id", Confidence: 0.9}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(problems) != 6 {
		t.Errorf("%d problems: %v", len(problems), problems)
	}
}

func TestImportRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":         "",
		"no object":       "[1]",
		"another version": `{"version": 2, "tables": {}, "relationships": []}`,
		"no version":      `{"version": "one", "relationships": []}`,
		"not UTF-8":       "{\"relationships\": [], \"x\": \"\xff\"}",
		"cut off":         `{"version": 1, "relationships": [`,
		"text after it":   `{"version": 1, "relationships": []} {}`,
	} {
		if s, _, err := joinpath.Import(strings.NewReader(text)); s != nil || !errors.Is(err, joinpath.ErrSchema) {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}
