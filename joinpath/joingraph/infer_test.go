package joingraph_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/joinpath/joingraph"
)

// styled is a schema of testdata, with edges that have to be found and edges that
// must not be used.
type styled struct {
	schema         *joinpath.Schema
	expect, forbid []string
	keys           []joinpath.Relationship // that the schema declares, but its form here does not
}

func readStyled(t testing.TB, path string) styled {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := styled{schema: &joinpath.Schema{Tables: map[string]joinpath.Table{}}}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if edge, ok := strings.CutPrefix(line, "expect "); ok {
			out.expect = append(out.expect, edge)
			continue
		}
		if edge, ok := strings.CutPrefix(line, "forbid "); ok {
			out.forbid = append(out.forbid, edge)
			continue
		}
		if key, ok := strings.CutPrefix(line, "key "); ok {
			left, right, _ := strings.Cut(key, " -> ")
			r := joinpath.Relationship{Confidence: 1}
			r.FromTable, r.FromColumns = readColumns(left)
			r.ToTable, r.ToColumns = readColumns(right)
			out.keys = append(out.keys, r)
			continue
		}
		if key, ok := strings.CutPrefix(line, "unique "); ok {
			name, columns := readColumns(key)
			t := out.schema.Tables[name]
			if len(columns) == 1 {
				t.UniqueColumns = append(t.UniqueColumns, columns...)
			} else {
				t.UniqueKeys = append(t.UniqueKeys, columns)
			}
			out.schema.Tables[name] = t
			continue
		}
		if name, columns, ok := strings.Cut(line, ": "); ok && !strings.HasPrefix(line, "#") {
			out.schema.Tables[name] = readTable(columns)
		}
	}
	return out
}

// readColumns reads a table and columns such as "orders(customer, number)".
func readColumns(text string) (table string, columns []string) {
	table, list, _ := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	return table, strings.Split(list, ", ")
}

// readTable reads columns such as "id*:int, price:decimal(5,2)".
func readTable(columns string) joinpath.Table {
	t := joinpath.Table{Types: map[string]string{}}
	for column := range strings.SplitSeq(columns, ", ") {
		name, typ, _ := strings.Cut(column, ":")
		name, key := strings.CutSuffix(name, "*")
		t.Columns = append(t.Columns, name)
		t.Types[name] = typ
		if key {
			t.PrimaryKey = append(t.PrimaryKey, name)
		}
	}
	return t
}

// usable is the confidence from which joinpath uses an edge by default.
const usable = 0.7

// TestStyles infers the joins of schemas whose names follow other customs than the
// schemas that the weights were fitted on.
func TestStyles(t *testing.T) {
	files, err := filepath.Glob("testdata/infer/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			s := readStyled(t, path)
			got, err := joingraph.Infer(t.Context(), s.schema, nil)
			if err != nil {
				t.Fatal(err)
			}
			edges := map[string]joinpath.Relationship{}
			for _, e := range got.Relationships {
				edges[e.String()] = e
				edges[e.Reversed().String()] = e
			}
			listed := map[string]bool{}
			for _, name := range s.expect {
				e, ok := edges[name]
				if !ok || e.Confidence < usable {
					t.Errorf("%s: confidence %v, want at least %v: %v", name, e.Confidence, usable, e.Evidence)
				}
				listed[e.String()] = true
			}
			for _, name := range s.forbid {
				if e, ok := edges[name]; ok && e.Confidence >= usable {
					t.Errorf("%s: confidence %v, want less than %v: %v", name, e.Confidence, usable, e.Evidence)
				}
			}
			for _, e := range got.Relationships {
				if e.Confidence >= usable && !listed[e.String()] {
					t.Logf("also found: %v %.3f %s", e, e.Confidence, e.Evidence[0])
				}
			}
		})
	}
}
