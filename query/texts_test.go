package query

import (
	"testing"

	"github.com/qedkit/qed/finding"
)

func TestCounted(t *testing.T) {
	for _, test := range []struct {
		saved     int
		truncated bool
		total     int64
		en, de    string
	}{
		{0, false, 0, "no rows found", "keine Zeilen gefunden"},
		{1, false, 1, "1 row found", "1 Zeile gefunden"},
		{7, false, 0, "7 rows found", "7 Zeilen gefunden"},
		{4, true, 142, "142 rows found, of which the first 4 are saved", "142 Zeilen gefunden, von denen die ersten 4 gespeichert sind"},
		{4, true, 0, "more than 4 rows found, of which the first 4 are saved", "mehr als 4 Zeilen gefunden, von denen die ersten 4 gespeichert sind"},
	} {
		rows := &finding.RowsRef{Count: test.saved, Truncated: test.truncated}
		for language, want := range map[string]string{"en": test.en, "de-AT": test.de} {
			if got := textTable.In(t.Context(), language).counted(rows, test.total); got != want {
				t.Errorf("%s, %d of %d: %q, want %q", language, test.saved, test.total, got, want)
			}
		}
	}
}
