package lint_test

import (
	"strings"
	"testing"

	"github.com/qedkit/qed/chart/lint"
)

// TestStacks: Vega-Lite stacks bars, areas and arcs with colors by default,
// even if the numbers do not add up.
func TestStacks(t *testing.T) {
	for name, tt := range map[string]struct {
		spec string
		path string // empty: it is taken
	}{
		"means":                   {`{"mark":"bar","encoding":{"x":{"field":"port"},"y":{"field":"delay","aggregate":"mean"},"color":{"field":"year"}}}`, "/encoding/y"},
		"sums":                    {`{"mark":"bar","encoding":{"x":{"field":"port"},"y":{"field":"delay","aggregate":"sum"},"color":{"field":"year"}}}`, ""},
		"medians, lying":          {`{"mark":{"type":"bar"},"encoding":{"y":{"field":"port"},"x":{"field":"delay","aggregate":"median"},"fill":{"field":"year"}}}`, "/encoding/x"},
		"means, asked for":        {`{"mark":"line","encoding":{"x":{"field":"port"},"y":{"field":"delay","aggregate":"mean","stack":"zero"},"color":{"field":"year"}}}`, "/encoding/y"},
		"shares of means":         {`{"mark":"area","encoding":{"x":{"field":"port"},"y":{"field":"delay","aggregate":"max","stack":"normalize"},"detail":[{"field":"year"}]}}`, "/encoding/y"},
		"slices of means":         {`{"mark":"arc","encoding":{"theta":{"field":"delay","aggregate":"mean"},"color":{"field":"port"}}}`, "/encoding/theta"},
		"slices of sums":          {`{"mark":"arc","encoding":{"theta":{"field":"delay","aggregate":"sum"},"color":{"field":"port"}}}`, ""},
		"means, not stacked":      {`{"mark":"bar","encoding":{"x":{"field":"port"},"y":{"field":"delay","aggregate":"mean","stack":null},"color":{"field":"year"}}}`, ""},
		"means side by side":      {`{"mark":"bar","encoding":{"x":{"field":"port"},"y":{"field":"delay","aggregate":"mean"},"color":{"field":"year"},"xOffset":{"field":"year"}}}`, ""},
		"each mean in its colour": {`{"mark":"bar","encoding":{"x":{"field":"port"},"y":{"field":"delay","aggregate":"mean"},"color":{"field":"port"}}}`, ""},
		"lines of means":          {`{"mark":"line","encoding":{"x":{"field":"port"},"y":{"field":"delay","aggregate":"mean"},"color":{"field":"year"}}}`, ""},
		"one colour":              {`{"mark":"bar","encoding":{"x":{"field":"port"},"y":{"field":"delay","aggregate":"mean"},"color":{"value":"teal"}}}`, ""},
		"a colour by the number":  {`{"mark":"bar","encoding":{"x":{"field":"port"},"y":{"field":"delay","aggregate":"mean"},"color":{"field":"delay","aggregate":"max"}}}`, ""},
		"small charts":            {`{"mark":"bar","encoding":{"x":{"field":"port"},"y":{"field":"delay","aggregate":"mean"},"row":{"field":"year"}}}`, ""},
		"another scale":           {`{"mark":"bar","encoding":{"x":{"field":"port"},"y":{"field":"delay","aggregate":"mean","scale":{"type":"sqrt"}},"color":{"field":"year"}}}`, ""},
		"layers that share":       {`{"encoding":{"x":{"field":"port"},"y":{"field":"delay","aggregate":"mean"}},"layer":[{"mark":"bar","encoding":{"color":{"field":"year"}}},{"mark":"rule"}]}`, "/layer/0/encoding/y"},
		"layers that add up":      {`{"encoding":{"x":{"field":"port"},"y":{"field":"delay","aggregate":"sum"}},"layer":[{"mark":"bar","encoding":{"color":{"field":"year"}}},{"mark":"rule"}]}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := lint.Check(t.Context(), []byte(tt.spec), shipments(t), lint.Options{})
			if tt.path == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil {
				t.Fatal("it was taken")
			}
			if got := codes(t, err); len(got) != 1 || got[0] != lint.ErrAggregateType || !strings.Contains(err.Error(), tt.path) {
				t.Error(err)
			}
		})
	}
}

// TestNotes checks the notes on what a spec leaves out or fills in.
func TestNotes(t *testing.T) {
	bar := func(more string) string {
		return `{"mark":"bar","encoding":{"x":{"field":"port"},"y":{"field":"n","aggregate":"sum"}}` + more + `}`
	}
	rows := table(t, "port|n|k", []any{"a", -2, 1}, []any{"b", 3, 2}, []any{"a", 0, 3})
	for name, tt := range map[string]struct {
		spec string
		note string
	}{
		"all rows":            {bar(""), ""},
		"a filter":            {bar(`,"transform":[{"filter":{"field":"n","gt":0}}]`), "filter"},
		"an aggregate":        {bar(`,"transform":[{"joinaggregate":[{"op":"sum","field":"n","as":"all"}]}]`), ""},
		"slices of sums":      {`{"mark":"arc","encoding":{"theta":{"field":"n","aggregate":"sum"},"color":{"field":"port"}}}`, "negative"},
		"slices of counts":    {`{"mark":"arc","encoding":{"theta":{"aggregate":"count"},"color":{"field":"port"}}}`, ""},
		"logarithms of sums":  {`{"mark":"point","encoding":{"x":{"field":"port"},"y":{"field":"n","aggregate":"max","scale":{"type":"log"}}}}`, "logarithmic"},
		"slices of positives": {`{"mark":"arc","encoding":{"theta":{"field":"k","type":"quantitative"},"color":{"field":"port"},"detail":{"field":"n"}}}`, ""},
		"logarithms":          {`{"mark":"point","encoding":{"x":{"field":"k","type":"quantitative","scale":{"type":"log"}}}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := lint.Check(t.Context(), []byte(tt.spec), rows, lint.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if notes := s.Notes; tt.note == "" && len(notes) > 0 || tt.note != "" && !hasNote(s, tt.note) {
				t.Errorf("the notes are %q", notes)
			}
		})
	}
	for name, spec := range map[string]string{
		"negative slices":        `{"mark":"arc","encoding":{"theta":{"field":"n","type":"quantitative"},"color":{"field":"port"}}}`,
		"logarithms of negative": `{"mark":"point","encoding":{"y":{"field":"n","type":"quantitative","scale":{"type":"log"}}}}`,
	} {
		if _, err := lint.Check(t.Context(), []byte(spec), rows, lint.Options{}); err == nil || codes(t, err)[0] != lint.ErrFieldType {
			t.Errorf("%s: %v", name, err)
		}
	}
}
