package chart_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/chart"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/llm"
)

// call calls the tool through a registry, as an agent does.
func call(t testing.TB, rows *qed.Table, more string) (finding.Finding, error) {
	t.Helper()
	return callOn(t, finding.RowsRef{Count: len(rows.Rows), Sample: *rows}, more)
}

func callOn(t testing.TB, rows finding.RowsRef, more string) (finding.Finding, error) {
	t.Helper()
	r := qed.NewRegistry(nil)
	if err := r.Add(chart.NewTool()); err != nil {
		t.Fatal(err)
	}
	in, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	results, err := r.Do(t.Context(), llm.ToolCall{ID: "1", Name: "visualization_generator", Arguments: fmt.Appendf(nil, `{"rows":%s%s}`, in, more)})
	if err != nil {
		t.Fatal(err)
	}
	var f finding.Finding
	if results[0].Err == nil {
		if err := json.Unmarshal(results[0].Output, &f); err != nil {
			t.Fatal(err)
		}
	}
	return f, results[0].Err
}

func TestTool(t *testing.T) {
	f, err := call(t, delays(t), `,"kind":"bar","x":"port","y":"delay","title":"Delays"`)
	if err != nil || len(f.Artifacts) != 1 || f.Text == "" {
		t.Fatalf("%+v, %v", f, err)
	}
	a, err := f.Artifacts[0].Artifact(context.Background())
	if err != nil || a.MediaType != chart.MediaType || a.Name != "Delays" {
		t.Fatalf("%+v, %v", a, err)
	}
	if err := relint(a.Data); err != nil {
		t.Error(err)
	}
}

// A chart of some of the rows must not look like a chart of all rows.
func TestToolOnSomeRows(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*finding.RowsRef)
		says   string
	}{
		"all of them": {func(*finding.RowsRef) {}, ""},
		"the first":   {func(r *finding.RowsRef) { r.Truncated = true }, "more rows"},
		"some failed": {func(r *finding.RowsRef) { r.Partial = "2 of 5 shards failed" }, "2 of 5 shards failed"},
		"nothing":     {func(r *finding.RowsRef) { *r = finding.RowsRef{Partial: "2 of 5 shards failed"} }, "2 of 5 shards failed"},
	} {
		rows := *delays(t)
		in := finding.RowsRef{Count: len(rows.Rows), Sample: rows}
		tt.change(&in)
		f, err := callOn(t, in, "")
		if err != nil || !strings.Contains(f.Text, tt.says) || strings.Contains(f.Text, "missing") && tt.says == "" {
			t.Fatalf("%s: %q, %v", name, f.Text, err)
		}
		if in.Count == 0 {
			continue
		}
		a, err := f.Artifacts[0].Artifact(t.Context())
		if err != nil || !strings.Contains(string(a.Data), tt.says) {
			t.Errorf("%s: the chart does not say so: %s, %v", name, a.Data, err)
		}
	}
}

func TestToolWithoutRows(t *testing.T) {
	f, err := call(t, table(t, "a|b"), "")
	if err != nil || len(f.Artifacts) != 0 || f.Text == "" {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestToolRefuses(t *testing.T) {
	for name, more := range map[string]string{
		"an invalid column": `,"x":"ports"`,
		"an invalid kind":   `,"kind":"donut"`,
		"the mean of texts": `,"kind":"bar","x":"arrived","y":"port","aggregate":"mean"`,
	} {
		if _, err := call(t, delays(t), more); err == nil {
			t.Errorf("%s: it was drawn", name)
		}
	}
}

// TestToolWithoutAStore: the chart is part of the result, whose size is limited.
func TestToolWithoutAStore(t *testing.T) {
	rows := table(t, "a|b")
	for i := range 1500 {
		if err := rows.Append(i, i*i%991); err != nil {
			t.Fatal(err)
		}
	}
	f, err := call(t, rows, `,"kind":"scatter"`)
	if err != nil || len(f.Artifacts) != 1 {
		t.Fatalf("%v", err)
	}
}
