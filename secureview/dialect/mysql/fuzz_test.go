package mysql_test

import (
	"errors"
	"testing"

	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
)

// FuzzRead: for any text, Read returns a *sqlast.Error or a tree that is printed,
// is read again as the same tree, and has the same tables for the second parser.
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
	f.Fuzz(func(t *testing.T, text string) {
		_, err := mysql.Dialect{}.Read(text)
		var e *sqlast.Error
		switch {
		case err == nil:
			roundTrip(t, text)
		case !errors.As(err, &e):
			t.Errorf("Read(%q): %T %v", text, err, err)
		}
	})
}

// FuzzReread: for any text, Reread returns nil or a *sqlast.Error.
func FuzzReread(f *testing.F) {
	for _, tt := range constructs {
		f.Add(tt.want)
	}
	f.Fuzz(func(t *testing.T, text string) {
		err := mysql.Dialect{}.Reread(text, []dialect.TableName{{Name: "t"}})
		var e *sqlast.Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("Reread(%q): %T %v", text, err, err)
		}
	})
}
