package mysqldb

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Rows of one table and index are grouped wherever they are.
func TestGroups(t *testing.T) {
	rows := [][]string{{"A", "x", "1"}, {"a", "x", "1"}, {"A", "x", "2"}, {"a", "x", "2"}, {"a", "y", "1"}}
	want := [][][]string{{rows[0], rows[2]}, {rows[1], rows[3]}, {rows[4]}}
	if diff := cmp.Diff(want, groups(rows)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
