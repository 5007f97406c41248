package schemasearch_test

import (
	"fmt"
	"testing"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/sqlagent/schemasearch"
)

// large returns a schema of 1,000 tables with 20 columns each.
func large() *joinpath.Schema {
	parts := []string{"customer", "order", "invoice", "address", "stock", "price", "team", "plan", "site", "machine"}
	s := &joinpath.Schema{Tables: map[string]joinpath.Table{}}
	for i := range 1000 {
		t := joinpath.Table{}
		for j := range 20 {
			t.Columns = append(t.Columns, fmt.Sprintf("%s_%s_%d", parts[j%10], parts[(i+j)%10], (i*j)%500))
		}
		s.Tables[fmt.Sprintf("%s_%s_%d", parts[i%10], parts[i/10%10], i)] = t
	}
	return s
}

func BenchmarkNew1000(b *testing.B) {
	s := large()
	for b.Loop() {
		if _, err := schemasearch.New(b.Context(), s, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSearch1000(b *testing.B) {
	index, err := schemasearch.New(b.Context(), large(), nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := index.Search(b.Context(), "What is the price of each machine that a customer ordered last year?", 100); err != nil {
			b.Fatal(err)
		}
	}
}
