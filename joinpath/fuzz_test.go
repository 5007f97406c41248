package joinpath_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/joinpath"
)

// FuzzRead: any text is either refused with ErrSchema, or its schema can be
// written, read again, imported and compiled.
func FuzzRead(f *testing.F) {
	f.Add([]byte(file(edgeAB)))
	f.Add([]byte(`{"version": 1, "tables": {"a": {"columns": ["x"], "types": {"x": "INT"}, "unique_keys": [["x"]]}}, "relationships": []}`))
	f.Add([]byte(file(`{"from_table": "a", "from_columns": ["x", "y"], "to_table": "b", "to_columns": ["x", "y"], "confidence": 0.5}`)))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := joinpath.Read(bytes.NewReader(text))
		if err != nil {
			if !errors.Is(err, joinpath.ErrSchema) {
				t.Fatalf("got %v", err)
			}
			return
		}
		checkRoundTrip(t, s)
		newGraph(t, s, nil)
		imported, problems, err := joinpath.Import(bytes.NewReader(text))
		if err != nil || len(problems) > 0 {
			t.Fatalf("Import: %v, %v", problems, err)
		}
		if diff := cmp.Diff(s, imported); diff != "" {
			t.Fatalf("Import (-Read +Import):\n%s", diff)
		}
	})
}

// FuzzConnect: each byte of edges is a relationship. Every plan is a tree with the
// given tables, and all plans cost the same. A path between two tables costs the
// same as their tree.
func FuzzConnect(f *testing.F) {
	f.Add([]byte{0x01, 0x12, 0x20, 0x02, 0x13}, uint8(0x0f))
	f.Add([]byte{0x01, 0x01, 0x41, 0x10}, uint8(0x03))
	f.Fuzz(func(t *testing.T, edges []byte, asks uint8) {
		const tables = 8
		s := &joinpath.Schema{Tables: map[string]joinpath.Table{}}
		var columns []string
		for i, b := range edges[:min(len(edges), 24)] {
			columns = append(columns, fmt.Sprint("c", i))
			s.Relationships = append(s.Relationships, joinpath.Relationship{
				FromTable: tableName(int(b) % tables), FromColumn: columns[i],
				ToTable: tableName(int(b>>3) % tables), ToColumn: columns[i],
				Confidence: []float64{1, 0.9, 0.8, 0}[b>>6],
			})
		}
		var asked []string
		for i := range tables {
			s.Tables[tableName(i)] = joinpath.Table{Columns: columns}
			if asks>>i&1 == 1 {
				asked = append(asked, strings.ToUpper(tableName(i)))
			}
		}
		g := newGraph(t, s, &joinpath.Options{MaxHops: tables, MaxPlans: 20})
		got, err := g.Connect(t.Context(), asked...)
		switch {
		case len(asked) == 0:
			if !errors.Is(err, joinpath.ErrArgument) {
				t.Fatalf("got %v", err)
			}
			return
		case err != nil:
			if !errors.Is(err, joinpath.ErrDisconnected) {
				t.Fatal(err)
			}
			return
		}
		for _, p := range got.Plans {
			seen := map[string]bool{p.Tables()[0]: true}
			for _, step := range p.Steps() {
				if !seen[step.LeftTable] || seen[step.RightTable] {
					t.Fatalf("%v is not a tree", p)
				}
				seen[step.RightTable] = true
			}
			for _, table := range asked {
				if !seen[strings.ToLower(table)] {
					t.Fatalf("%v lacks %s", p, table)
				}
			}
			if p.Cost() != got.Plans[0].Cost() {
				t.Fatalf("%v and %v cost differently", p, got.Plans[0])
			}
		}
		if len(asked) == 2 {
			p, err := g.ShortestPath(asked[0], asked[1])
			if err != nil || p.Cost() != got.Plans[0].Cost() {
				t.Fatalf("path %v, %v; tree %v", p, err, got.Plans[0])
			}
		}
	})
}
