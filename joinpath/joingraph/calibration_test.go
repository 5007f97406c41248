package joingraph_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/joinpath/joingraph"
)

// A column of a table, as "table.column".
type place = string

// implied returns all pairs of columns that declared keys make equal.
func implied(keys []joinpath.Relationship) map[[2]place]bool {
	group := map[place]place{}
	find := func(p place) place {
		for group[p] != "" {
			p = group[p]
		}
		return p
	}
	all := map[place]bool{}
	for _, r := range keys {
		for _, p := range columnPairs(r) {
			all[p[0]], all[p[1]] = true, true
			if a, b := find(p[0]), find(p[1]); a != b {
				group[a] = b
			}
		}
	}
	out := map[[2]place]bool{}
	for a := range all {
		for b := range all {
			if a != b && find(a) == find(b) {
				out[[2]place{a, b}] = true
			}
		}
	}
	return out
}

func columnPairs(r joinpath.Relationship) (out [][2]place) {
	from, to := r.Columns()
	for i := range from {
		out = append(out, [2]place{r.FromTable + "." + from[i], r.ToTable + "." + to[i]})
	}
	return out
}

// bucket has the edges from a confidence on.
type bucket struct {
	from         float64
	edges, right int
}

func (b bucket) String() string { return fmt.Sprintf("%.2f: %d of %d", b.from, b.right, b.edges) }

// calibrate infers the keys of a schema that does not declare them, and counts the edges
// that are right by confidence: those that the declared keys imply, and those of a column whose
// name has a declared key to the same table elsewhere. The last number is the share of the keys that edges of a
// usable confidence imply.
func calibrate(t *testing.T, s styled) (curve []bucket, wrong []joinpath.Relationship, recall float64) {
	t.Helper()
	got, err := joingraph.Infer(t.Context(), s.schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	curve = []bucket{{from: 0.5}, {from: 0.6}, {from: 0.7}, {from: 0.8}, {from: 0.9}, {from: 0.95}}
	truth := implied(s.keys)
	for _, r := range s.keys {
		for _, p := range columnPairs(r) {
			_, column, _ := strings.Cut(p[0], ".")
			for name, t := range s.schema.Tables {
				if slices.Contains(t.Columns, column) {
					truth[[2]place{name + "." + column, p[1]}] = true
				}
			}
		}
	}
	var used []joinpath.Relationship
	for _, e := range got.Relationships {
		at := len(curve) - 1
		for e.Confidence < curve[at].from {
			at--
		}
		curve[at].edges++
		if !slices.ContainsFunc(columnPairs(e), func(p [2]place) bool { return !truth[p] }) {
			curve[at].right++
		} else if e.Confidence >= usable {
			wrong = append(wrong, e)
		}
		if e.Confidence >= usable {
			used = append(used, e)
		}
	}
	found, known := implied(used), 0
	for _, r := range s.keys {
		if !slices.ContainsFunc(columnPairs(r), func(p [2]place) bool { return !found[p] && p[0] != p[1] }) {
			known++
		}
	}
	return curve, wrong, float64(known) / float64(len(s.keys))
}

// declare returns s with the keys of which the number leaves a rest when divided by 2.
func declare(s styled, rest int) styled {
	for i, r := range s.keys {
		if i%2 != rest {
			continue
		}
		r.Type = joinpath.ForeignKey
		if len(r.FromColumns) == 1 {
			r.FromColumn, r.ToColumn, r.FromColumns, r.ToColumns = r.FromColumns[0], r.ToColumns[0], nil, nil
		}
		s.schema.Relationships = append(s.schema.Relationships, r)
	}
	return s
}

// TestCalibrationOfSchemas infers the keys of real schemas of 52 to 138 tables, which the
// weights were not fitted on: all of the keys, and each half next to the other one. Nine in ten
// edges of a confidence of 0.9 or more are right on each schema, and as many keys are found as
// BENCHMARKS.md states.
func TestCalibrationOfSchemas(t *testing.T) {
	files, err := filepath.Glob("testdata/schemas/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	leastFound := map[string]float64{"django": 0.87, "neutron": 0.91, "keycloak": 0.90, "manila": 0.92}
	for _, path := range files {
		schema := strings.TrimSuffix(filepath.Base(path), ".txt")
		for name, s := range map[string]styled{
			"none declared": readStyled(t, path),
			"one half":      declare(readStyled(t, path), 0),
			"other half":    declare(readStyled(t, path), 1),
		} {
			t.Run(schema+"/"+name, func(t *testing.T) {
				curve, wrong, recall := calibrate(t, s)
				t.Logf("%d tables, %d keys, %.3f found; right from a confidence of %v", len(s.schema.Tables), len(s.keys), recall, curve)
				for _, e := range wrong {
					t.Logf("wrong: %v %.3f %v", e, e.Confidence, e.Evidence)
				}
				sure := bucket{0.9, curve[4].edges + curve[5].edges, curve[4].right + curve[5].right}
				if sure.edges == 0 || 10*sure.right < 9*sure.edges {
					t.Errorf("right from %v", sure)
				}
				if len(s.schema.Relationships) == 0 && recall < leastFound[schema] {
					t.Errorf("%.3f of the keys are found, want at least %v", recall, leastFound[schema])
				}
			})
		}
	}
}
