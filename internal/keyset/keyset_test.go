package keyset_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/internal/keyset"
	"github.com/qedkit/qed/joinpath"
)

func TestAdd(t *testing.T) {
	table := joinpath.Table{PrimaryKey: []string{"a", "b"}}
	for _, columns := range [][]string{{"a", "b"}, {"b", "a"}, {"c"}, {"c"}, {"c", "d"}, {"d", "c"}, {"a", "b", "c"}} {
		keyset.Add(&table, columns)
	}
	want := joinpath.Table{
		PrimaryKey:    []string{"a", "b"},
		UniqueColumns: []string{"c"},
		UniqueKeys:    [][]string{{"c", "d"}, {"a", "b", "c"}},
	}
	if diff := cmp.Diff(want, table); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Rows of one table and index are grouped wherever they are.
func TestGroups(t *testing.T) {
	rows := [][]string{{"d", "A", "x", "1"}, {"d", "a", "x", "1"}, {"d", "A", "x", "2"}, {"d", "a", "x", "2"}, {"d", "a", "y", "1"}}
	want := [][][]string{{rows[0], rows[2]}, {rows[1], rows[3]}, {rows[4]}}
	if diff := cmp.Diff(want, keyset.Groups(rows, 3)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
