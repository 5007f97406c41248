package mysqldb

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Rows of one table and index are grouped wherever they are.
func TestGroups(t *testing.T) {
	rows := [][]string{{"d", "A", "x", "1"}, {"d", "a", "x", "1"}, {"d", "A", "x", "2"}, {"d", "a", "x", "2"}, {"d", "a", "y", "1"}}
	want := [][][]string{{rows[0], rows[2]}, {rows[1], rows[3]}, {rows[4]}}
	if diff := cmp.Diff(want, groups(rows)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
