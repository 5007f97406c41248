package joingraph_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/joinpath/joingraph"
)

// FuzzInfer: for any names, the result is the same twice, has valid relationships,
// and joins no two columns twice.
func FuzzInfer(f *testing.F) {
	f.Add("orders: id* customer_id\ncustomers: id*")
	f.Add("a: id* a_id b_id\nb: a_id* b_id*\nc: a_id b_id")
	f.Add("Länder: ID* parentID createdBy\nuser: ID*")
	f.Add("1: 1* _ __ \xff\n_: id")
	f.Add("orders: o_id o_c_id o_no\ncustomer: c_id c_name c_no\ncustomer_old: c_id c_name c_no\nx.a: Bid\ny.a: Bid")
	f.Fuzz(func(t *testing.T, text string) {
		s := &joinpath.Schema{Tables: map[string]joinpath.Table{}}
		for line := range strings.Lines(text) {
			name, columns, _ := strings.Cut(strings.TrimSpace(line), ":")
			var table joinpath.Table
			for _, c := range strings.Fields(columns) {
				c, key := strings.CutSuffix(c, "*")
				table.Columns = append(table.Columns, c)
				if key {
					table.PrimaryKey = append(table.PrimaryKey, c)
				}
			}
			s.Tables[name] = table
		}
		got, err := joingraph.Infer(t.Context(), s, &joingraph.InferOptions{MinConfidence: 0.01})
		if err != nil {
			return // joinpath refuses the schema
		}
		again, err := joingraph.Infer(t.Context(), s, &joingraph.InferOptions{MinConfidence: 0.01})
		if diff := cmp.Diff(got, again); diff != "" || err != nil {
			t.Fatalf("%v (-first +second)\n%s", err, diff)
		}
		s.Relationships = got.Relationships
		if _, err := joinpath.New(s, nil); err != nil {
			t.Fatal(err)
		}
		for _, e := range got.Relationships {
			inferred := e.Type == joinpath.Inferred || e.Type == joinpath.SharedDimension
			if !inferred || len(e.Provenance) == 0 || e.Confidence >= 1 || e.Cardinality == "" || len(e.Evidence) == 0 {
				t.Errorf("incomplete edge %+v", e)
			}
		}
	})
}
