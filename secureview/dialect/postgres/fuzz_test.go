package postgres_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview/dialect/postgres"
)

// FuzzRead: for any text, Read returns a *sqlast.Error or a tree that is printed
// and is read again as the same tree. No text makes the grammar panic.
func FuzzRead(f *testing.F) {
	for _, text := range texts(corpora.Own(f)) {
		f.Add(text)
	}
	for _, tt := range constructs {
		f.Add(tt.text)
	}
	for _, tt := range refusals {
		f.Add(tt.text)
	}
	for _, text := range []string{"SELECT 1", "SELECT " + strings.Repeat("a + ", 60) + "1"} {
		roundTrip(f, text) // starts the grammar before the time of an input is measured
	}
	f.Fuzz(func(t *testing.T, text string) {
		var d postgres.Dialect
		var e *sqlast.Error
		q, err := d.Read(text)
		if err != nil {
			if !errors.As(err, &e) || strings.Contains(e.Message, "the grammar fails") {
				t.Errorf("Read(%q): %T %v", text, err, err)
			}
			return
		}
		printed, err := d.Append(nil, q, false)
		switch {
		case err == nil && len(printed) <= sqlast.MaxText:
			roundTrip(t, text)
		case err != nil && (!errors.As(err, &e) || e.Code != sqlast.TooDeep):
			t.Errorf("Append(%q): %T %v", text, err, err)
		}
	})
}
