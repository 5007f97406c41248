package declared_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/declared"
	"github.com/qedkit/qed/joinpath"
)

func TestRelate(t *testing.T) {
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"line":  {Columns: []string{"order", "no", "part"}, PrimaryKey: []string{"order", "no"}},
		"note":  {Columns: []string{"order", "no", "text"}},
		"badge": {Columns: []string{"part"}, UniqueColumns: []string{"part"}},
		"part":  {Columns: []string{"id", "Id2"}, PrimaryKey: []string{"id"}},
	}}
	for _, tt := range []struct {
		name    string
		key     declared.Key
		problem bool
	}{
		{"of two columns", declared.Key{From: "note", To: "line", FromColumns: []string{"order", "no"}, ToColumns: []string{"order", "no"}}, false},
		{"once more, in another order", declared.Key{From: "note", To: "line", FromColumns: []string{"no", "order"}, ToColumns: []string{"no", "order"}}, false},
		{"to a part of a key", declared.Key{From: "note", To: "line", FromColumns: []string{"order"}, ToColumns: []string{"order"}}, false},
		{"from a key, in another case", declared.Key{From: "badge", To: "part", FromColumns: []string{"PART"}, ToColumns: []string{"ID"}}, false},
		{"from nothing", declared.Key{From: "badge", To: "part", FromColumns: []string{"gone"}, ToColumns: []string{"id"}}, true},
		{"to nothing", declared.Key{From: "badge", To: "part", FromColumns: []string{"part"}, ToColumns: []string{"gone"}}, true},
	} {
		if problem := declared.Relate(schema, tt.key); (problem != "") != tt.problem {
			t.Errorf("%s: %q", tt.name, problem)
		}
	}
	rel := func(from, fromColumn, to, toColumn string, cardinality joinpath.Cardinality) joinpath.Relationship {
		return joinpath.Relationship{FromTable: from, FromColumn: fromColumn, ToTable: to, ToColumn: toColumn,
			Type: joinpath.ForeignKey, Confidence: 1, Cardinality: cardinality, Provenance: []string{"foreign key"}}
	}
	composite := rel("note", "order", "line", "order", joinpath.ManyToOne)
	composite.FromColumns, composite.ToColumns = []string{"order", "no"}, []string{"order", "no"}
	want := []joinpath.Relationship{
		composite,
		rel("note", "order", "line", "order", joinpath.ManyToMany),
		rel("badge", "part", "part", "id", joinpath.OneToOne),
	}
	if diff := cmp.Diff(want, schema.Relationships); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
