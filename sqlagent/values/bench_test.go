package values_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/sqlagent/values"
)

// BenchmarkSearch searches 100 columns of 200 values each.
func BenchmarkSearch(b *testing.B) {
	syllables := strings.Fields("ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu ra re ri ro ru sa se si so su ta te ti to tu ver ger ung lich stadt berg hausen")
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		var w strings.Builder
		for range 2 + r.IntN(3) {
			w.WriteString(syllables[r.IntN(len(syllables))])
		}
		return w.String()
	}
	var columns []string
	for c := range 100 {
		seen := map[string]bool{"Active": true}
		for len(seen) < 200 {
			v := word()
			for range r.IntN(3) {
				v += " " + word()
			}
			seen[v] = true
		}
		list, err := json.Marshal(slices.Sorted(maps.Keys(seen)))
		if err != nil {
			b.Fatal(err)
		}
		columns = append(columns, fmt.Sprintf(`{"table":"t%03d","column":"status","read":"2026-01-01T00:00:00Z","values":%s}`, c, list))
	}
	path := filepath.Join(b.TempDir(), "values.json")
	text := `{"version":1,"owner":{},"columns":[` + strings.Join(columns, ",") + `]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	d, err := values.Load(path)
	if err != nil {
		b.Fatal(err)
	}
	for name, question := range map[string]string{
		"short": "How many actve orders are there?",
		"long": "Show me the number of work orders per month and customer for the last year that were actve or compelted in " +
			"Muenchen, New York, Badebergstadt and Kolumaneverung, sorted by the revenue of the largest customers in descending order",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if got, err := d.Search(b.Context(), values.Query{Text: question}); err != nil || len(got) == 0 {
					b.Fatal(got, err)
				}
			}
		})
	}
	b.Run("Load", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := values.Load(path); err != nil {
				b.Fatal(err)
			}
		}
	})
}
