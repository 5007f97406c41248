package joinpath_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/joinpath"
)

// score counts joins written by people: all of them, those that are among the
// cheapest plans, and those that are the only cheapest plan.
type score struct{ rows, hit, alone int }

// TestJoinMeasure compares Connect with joins written by people: those in the
// repository, and those of the Spider training set if it is on this machine.
func TestJoinMeasure(t *testing.T) {
	own := measure(t, corpora.Own(t))
	if want := (score{rows: 8, hit: 7, alone: 4}); own != want {
		t.Errorf("own set: got %+v, want %+v", own, want)
	}
	public := corpora.Public(t)
	if public == nil {
		return
	}
	spider := measure(t, public)
	if want := (score{rows: 3930, hit: 3378, alone: 3135}); spider != want {
		t.Errorf("Spider: got %+v, want %+v", spider, want)
	}
}

func measure(t *testing.T, c *corpora.Corpus) (total score) {
	t.Helper()
	graphs := map[string]*joinpath.Graph{}
	for _, s := range c.Schemas {
		graphs[s.DB] = newGraph(t, goldSchema(s.Tables, s.ForeignKeys), nil)
	}
	for _, line := range c.Joins {
		if line.SelfJoin {
			continue
		}
		total.rows++
		var tables []string
		for _, table := range line.Tables {
			tables = append(tables, strings.ToLower(table))
		}
		got, err := graphs[line.DB].Connect(t.Context(), tables...)
		if err != nil {
			continue
		}
		if got.More || got.Approximate {
			t.Fatalf("%s %v: not all plans: %+v", line.DB, line.Tables, got)
		}
		gold := conditionSet(line.Conditions)
		if !slices.ContainsFunc(got.Plans, func(p joinpath.Plan) bool { return slices.Equal(planSet(p), gold) }) {
			continue
		}
		total.hit++
		if len(got.Plans) == 1 {
			total.alone++
		}
	}
	return total
}

// goldSchema returns a schema of the distinct foreign keys between different
// tables, in lower case, all with confidence 1.
func goldSchema(tables map[string][]string, keys [][4]string) *joinpath.Schema {
	s := &joinpath.Schema{Tables: map[string]joinpath.Table{}}
	for name, columns := range tables {
		lower := []string{}
		for _, c := range columns {
			if c = strings.ToLower(c); !slices.Contains(lower, c) {
				lower = append(lower, c)
			}
		}
		s.Tables[strings.ToLower(name)] = joinpath.Table{Columns: lower}
	}
	seen := map[string]bool{}
	for _, k := range keys {
		for i := range k {
			k[i] = strings.ToLower(k[i])
		}
		set := conditionSet([][4]string{k})
		if k[0] == k[2] || seen[set[0]] {
			continue
		}
		seen[set[0]] = true
		s.Relationships = append(s.Relationships, joinpath.Relationship{
			FromTable: k[0], FromColumn: k[1], ToTable: k[2], ToColumn: k[3], Confidence: 1,
		})
	}
	return s
}

func planSet(p joinpath.Plan) []string {
	var conditions [][4]string
	for _, s := range p.Steps() {
		r := s.Relationship
		conditions = append(conditions, [4]string{r.FromTable, r.FromColumn, r.ToTable, r.ToColumn})
	}
	return conditionSet(conditions)
}

// conditionSet returns conditions in a form in which equal sets are equal slices.
func conditionSet(conditions [][4]string) []string {
	set := []string{}
	for _, c := range conditions {
		a := strings.ToLower(c[0] + "." + c[1])
		b := strings.ToLower(c[2] + "." + c[3])
		set = append(set, min(a, b)+"="+max(a, b))
	}
	slices.Sort(set)
	return slices.Compact(set)
}

func newGraph(t testing.TB, s *joinpath.Schema, opt *joinpath.Options) *joinpath.Graph {
	t.Helper()
	g, err := joinpath.New(s, opt)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
