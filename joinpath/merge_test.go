package joinpath_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/joinpath"
)

func overlay(t *testing.T, text string) *joinpath.Schema {
	t.Helper()
	s, err := joinpath.ReadOverlay(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestMergeRelationships(t *testing.T) {
	base := &joinpath.Schema{
		Tables: map[string]joinpath.Table{"a": {Columns: []string{"id", "b_id"}}, "b": {Columns: []string{"id", "name"}}},
		Relationships: []joinpath.Relationship{
			{FromTable: "a", FromColumn: "b_id", ToTable: "b", ToColumn: "id", Type: joinpath.ForeignKey, Confidence: 1,
				Cardinality: joinpath.ManyToOne, Role: "b of a", Provenance: []string{"information_schema"}, Evidence: []string{"declared"}},
			{FromTable: "a", FromColumn: "id", ToTable: "b", ToColumn: "name", Type: joinpath.Inferred, Confidence: 0.8},
		},
	}
	before := *base
	got, err := joinpath.Merge(base, overlay(t, `{"version": 1, "tables": {}, "relationships": [
		{"from_table": "b", "from_column": "id", "to_table": "a", "to_column": "b_id", "confidence": 0.9, "provenance": ["review"], "evidence": ["seen"]},
		{"from_table": "a", "from_column": "id", "to_table": "b", "to_column": "id", "confidence": 0.7, "type": "model"}
	]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []joinpath.Relationship{
		{FromTable: "a", FromColumn: "id", ToTable: "b", ToColumn: "id", Type: "model", Confidence: 0.7, Provenance: []string{"model"}},
		{FromTable: "a", FromColumn: "id", ToTable: "b", ToColumn: "name", Type: joinpath.Inferred, Confidence: 0.8},
		{FromTable: "b", FromColumn: "id", ToTable: "a", ToColumn: "b_id", Type: joinpath.Manual, Confidence: 0.9,
			Cardinality: joinpath.OneToMany, Role: "b of a", Provenance: []string{"information_schema", "review"},
			Evidence: []string{"declared", "seen"}},
	}
	if diff := cmp.Diff(want, got.Relationships); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got.Relationships[2].Provenance[0] = "changed"
	if diff := cmp.Diff(&before, base); diff != "" {
		t.Errorf("the base changed (-before +after):\n%s", diff)
	}
}

func TestMergeTables(t *testing.T) {
	base := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"a": {Columns: []string{"id", "x"}, UniqueColumns: []string{"id"}, NotNull: []string{"id"}, Comment: "old", Types: map[string]string{"id": "INT"}, Rows: 3, Bytes: 100},
	}}
	got, err := joinpath.Merge(base, overlay(t, `{"version": 1, "tables": {
		"a": {"columns": ["x"], "unique_columns": ["x"], "not_null": ["x"], "comment": "new", "types": {"x": "TEXT"}, "rows": 5},
		"v": {"columns": ["id"], "view": true}
	}, "relationships": []}`))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]joinpath.Table{
		"a": {Columns: []string{"id", "x"}, UniqueColumns: []string{"id", "x"}, NotNull: []string{"id", "x"}, Comment: "new",
			Types: map[string]string{"id": "INT", "x": "TEXT"}, Rows: 5, Bytes: 100},
		"v": {Columns: []string{"id"}, View: true},
	}
	if diff := cmp.Diff(want, got.Tables); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMergeRefuses(t *testing.T) {
	base := &joinpath.Schema{Tables: map[string]joinpath.Table{"a": {Columns: []string{"id"}}}}
	for name, text := range map[string]string{
		"dangling table":  `{"version": 1, "tables": {}, "relationships": [{"from_table": "a", "from_column": "id", "to_table": "b", "to_column": "id", "confidence": 1}]}`,
		"dangling column": `{"version": 1, "tables": {}, "relationships": [{"from_table": "a", "from_column": "id", "to_table": "a", "to_column": "x", "confidence": 1}]}`,
		"invented column": `{"version": 1, "tables": {"a": {"columns": ["id", "ident"]}}, "relationships": []}`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := joinpath.Merge(base, overlay(t, text)); !errors.Is(err, joinpath.ErrSchema) {
				t.Errorf("got %v, want an invalid schema", err)
			}
		})
	}
}

func TestMergeNothing(t *testing.T) {
	for _, s := range []*joinpath.Schema{nil, {}} {
		got, err := joinpath.Merge(service(), s)
		if err != nil {
			t.Fatal(err)
		}
		checkRoundTrip(t, got)
		if len(got.Tables) != len(service().Tables) || len(got.Relationships) != len(service().Relationships) {
			t.Errorf("got %v", got)
		}
		if _, err := joinpath.Merge(s, s); err != nil {
			t.Error(err)
		}
	}
}

// TestMergeDisables: a confidence of 0 disables a wrong join.
func TestMergeDisables(t *testing.T) {
	merged, err := joinpath.Merge(service(), overlay(t, `{"version": 1, "tables": {}, "relationships": [
		{"from_table": "workTime", "from_column": "workOrderId", "to_table": "workOrder", "to_column": "id", "confidence": 0}
	]}`))
	if err != nil {
		t.Fatal(err)
	}
	g := newGraph(t, merged, &joinpath.Options{MinConfidence: 1e-300})
	if _, err := g.ShortestPath("workTime", "workOrder"); !errors.Is(err, joinpath.ErrDisconnected) {
		t.Errorf("got %v, want not connected", err)
	}
}

func TestMergeFindsColumns(t *testing.T) {
	var columns []string
	for i := range 100 {
		columns = append(columns, fmt.Sprintf("c%d", i))
	}
	base := &joinpath.Schema{Tables: map[string]joinpath.Table{"a": {Columns: columns, UniqueColumns: columns[:2]}}}
	over := &joinpath.Schema{Tables: map[string]joinpath.Table{"a": {Columns: columns, UniqueColumns: columns[1:3]}}}
	got, err := joinpath.Merge(base, over)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(columns[:3], got.Tables["a"].UniqueColumns); d != "" {
		t.Error(d)
	}
	over.Tables["a"] = joinpath.Table{Columns: []string{"c100"}}
	if _, err := joinpath.Merge(base, over); !errors.Is(err, joinpath.ErrSchema) {
		t.Errorf("error = %v, want %v", err, joinpath.ErrSchema)
	}
}
