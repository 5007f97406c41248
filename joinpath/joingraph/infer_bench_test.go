package joingraph_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/joinpath/joingraph"
)

// wide returns a schema of tables with 20 columns each: names of one to three words,
// and references to other tables in several forms.
func wide(tables int) *joinpath.Schema {
	rng := rand.New(rand.NewPCG(3, 3))
	words := make([]string, 600)
	for i := range words {
		for range 2 + rng.IntN(2) {
			words[i] += string("bcdfglmnprstv"[rng.IntN(13)]) + string("aeiou"[rng.IntN(5)]) + string("lnrst"[rng.IntN(5)])
		}
	}
	word := func() string { return words[rng.IntN(len(words))] }
	names := make([]string, tables)
	for i := range names {
		names[i] = fmt.Sprintf("%s_%s%d", word(), word(), i)
	}
	s := &joinpath.Schema{Tables: map[string]joinpath.Table{}}
	for _, name := range names {
		t := joinpath.Table{Columns: []string{"id"}, PrimaryKey: []string{"id"}, Types: map[string]string{"id": "int"}}
		for i := 1; i < 20; i++ {
			column, typ := fmt.Sprintf("%s_%s_%d", word(), word(), i), "varchar(20)"
			switch rng.IntN(4) {
			case 0:
				column, typ = names[rng.IntN(tables)]+"_id", "int"
			case 1:
				column, typ = fmt.Sprintf("%s_%d_id", word()[:4], i), "int"
			}
			if t.Types[column] == "" {
				t.Columns = append(t.Columns, column)
				t.Types[column] = typ
			}
		}
		s.Tables[name] = t
	}
	return s
}

// BenchmarkInfer1000 infers by names in 1,000 tables with 20,000 columns.
func BenchmarkInfer1000(b *testing.B) {
	s := wide(1000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := joingraph.Infer(b.Context(), s, nil); err != nil {
			b.Fatal(err)
		}
	}
}
