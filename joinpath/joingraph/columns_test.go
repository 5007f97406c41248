package joingraph_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/joinpath/joingraph"
	"github.com/qedkit/qed/joinpath/privacy"
)

// TestColumnsAreSampled checks that the host decides which columns the database is
// asked about, both ways.
func TestColumnsAreSampled(t *testing.T) {
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{
		"customer": {Columns: []string{"id", "email", "iban", "code"}, PrimaryKey: []string{"id"}},
		"orders":   {Columns: []string{"id", "customer_id"}, PrimaryKey: []string{"id"}},
	}}
	for name, tt := range map[string]struct {
		columns   *privacy.Columns
		unsampled []string
	}{
		"default": {nil, []string{"customer.email", "customer.iban"}},
		"shown":   {&privacy.Columns{Show: []string{"customer.email"}}, []string{"customer.iban"}},
		"hidden":  {&privacy.Columns{Hide: []string{"customer.code"}}, []string{"customer.email", "customer.iban", "customer.code"}},
	} {
		db := &spy{answer: func(context.Context, int) (*qed.Table, error) { return nil, errors.New("down") }}
		got, err := joingraph.Infer(t.Context(), schema, &joingraph.InferOptions{
			Database: db, Guard: allowAll(t, schema), Columns: tt.columns,
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.unsampled, got.Unsampled); diff != "" {
			t.Errorf("%s: left out (-want +got):\n%s", name, diff)
		}
		sent := strings.Join(db.statements, "\n")
		for _, column := range schema.Tables["customer"].Columns {
			if want := !slices.Contains(tt.unsampled, "customer."+column); strings.Contains(sent, `"`+column+`"`) != want {
				t.Errorf("%s: the database was asked about %s: %v, want %v\n%s", name, column, !want, want, sent)
			}
		}
	}
	wrong := &joingraph.InferOptions{Columns: &privacy.Columns{Hide: []string{"customer.emial"}}}
	if _, err := joingraph.Infer(t.Context(), schema, wrong); err == nil {
		t.Error("a hidden column that does not exist is accepted")
	}
}
