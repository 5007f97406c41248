package postgres

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wasilibs/go-pgquery/parser"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview"
)

// BenchmarkWorst8KB rewrites texts that repeat one production of the grammar as
// often as the length and the number of operators allow. It reports the longest time of a
// text that is accepted and of one that is refused, and the time of rewriting all
// that are accepted as a multiple of the time of go-pgquery alone. It logs the
// slowest texts. With QED_WORST=all and -v it logs all of them.
func BenchmarkWorst8KB(b *testing.B) {
	guard, err := secureview.New(&secureview.Policy{
		Dialect: "postgres", Schema: "public", Tables: map[string][]string{"a": {"a", "b"}},
	}, Dialect{})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := parse("SELECT 1"); err != nil {
		b.Fatal(err)
	}
	type row struct {
		name             string
		accepted         bool
		grammar, rewrite time.Duration
	}
	for b.Loop() {
		var rows []row
		for _, s := range shapes {
			text := worst(&s)
			if checkDepth(text) != nil {
				continue
			}
			r := row{name: s.name}
			_, err := guard.Rewrite(b.Context(), text)
			r.accepted = err == nil
			r.grammar, r.rewrite = shortest(
				func() { parser.ParseToProtobuf(text) },
				func() { guard.Rewrite(b.Context(), text) })
			rows = append(rows, r)
		}
		slices.SortFunc(rows, func(x, y row) int { return int(y.rewrite - x.rewrite) })
		var all row
		longest := map[bool]time.Duration{}
		table := ""
		for i, r := range rows {
			longest[r.accepted] = max(longest[r.accepted], r.rewrite)
			if r.accepted {
				all.grammar, all.rewrite = all.grammar+r.grammar, all.rewrite+r.rewrite
			}
			if i < 8 || os.Getenv("QED_WORST") == "all" {
				table += fmt.Sprintf("%-40.40s accepted %-5v go-pgquery %6.1f ms, Rewrite %6.1f ms, ratio %.2f\n", r.name,
					r.accepted, r.grammar.Seconds()*1e3, r.rewrite.Seconds()*1e3, float64(r.rewrite)/float64(r.grammar))
			}
		}
		fmt.Fprint(b.Output(), table)
		b.ReportMetric(longest[true].Seconds()*1e3, "ms/accepted")
		b.ReportMetric(longest[false].Seconds()*1e3, "ms/refused")
		b.ReportMetric(float64(all.rewrite)/float64(all.grammar), "ratio")
	}
}

// worst returns the longest text of a shape that the length and the operators allow. Columns of a
// select list have a table.
func worst(s *repetition) string {
	from := *s
	if s.end == "" && s.start == "SELECT " && !strings.Contains(s.after, "UNION") {
		from.end = " FROM a"
	}
	n := len(from.text(sqlast.MaxText))
	for n > 1000 && checkDepth(from.text(n)) != nil {
		n = n * 9 / 10
	}
	return from.text(n)
}

// shortest returns the shortest times of two functions that take turns.
func shortest(f, g func()) (first, second time.Duration) {
	first, second = time.Hour, time.Hour
	for range 5 {
		start := time.Now()
		f()
		middle := time.Now()
		g()
		first, second = min(first, middle.Sub(start)), min(second, time.Since(middle))
	}
	return first, second
}
