package stats_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/stats"
)

// tenThousand is 10,000 rows of five columns.
func tenThousand() *qed.Table {
	t := &qed.Table{}
	for _, name := range []string{"eta", "port", "delay", "cost", "weight"} {
		t.Columns = append(t.Columns, qed.Column{Name: name})
	}
	at, r := dates("2023-01-01", 730, 0, 0, 1), noise(41, 10_000)
	for i := range r {
		t.Rows = append(t.Rows, []any{at[i%730], fmt.Sprint("port ", i%40), r[i], fmt.Sprint(i % 977), int64(i * 31 % 1009)})
	}
	return t
}

func BenchmarkDescribe(b *testing.B) {
	t := tenThousand()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := stats.Describe(t); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAnalysis(b *testing.B) {
	benchmarkTool(b, stats.NewAnalysisTool(), map[string]any{"group_by": "port"})
}

func BenchmarkPattern(b *testing.B) {
	benchmarkTool(b, stats.NewPatternTool(), map[string]any{"value": "delay", "group_by": "port"})
}

func benchmarkTool(b *testing.B, tool qed.Tool, arguments map[string]any) {
	arguments["rows"] = rowsOf(tenThousand())
	raw, err := json.Marshal(arguments)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tool.Call(context.Background(), raw); err != nil {
			b.Fatal(err)
		}
	}
}
