package joingraph

import (
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/joinpath"
)

// tally counts edges of a threshold.
type tally struct {
	edges, right  int // single pairs, and those that are right
	found, direct int // of the joins that are declared or used by statements
	reached, all  int // of all joins, those that edges imply
}

func (c tally) precision() float64 { return float64(c.right) / float64(c.edges) }
func (c tally) recall() float64    { return float64(c.found) / float64(c.direct) }
func (c tally) closed() float64    { return float64(c.reached) / float64(c.all) }

// measureInference compares edges with what declared keys and statements join.
func measureInference(tb testing.TB, c *corpora.Corpus, infer func(*corpora.Schema) []Edge, thresholds []float64) []tally {
	tb.Helper()
	out := make([]tally, len(thresholds))
	for i := range c.Schemas {
		s := &c.Schemas[i]
		direct, all := truthOf(s, c.Joins)
		edges := infer(s)
		for n, least := range thresholds {
			sum := &out[n]
			var pairs [][4]string
			got := map[string]bool{}
			for _, e := range edges {
				if e.Confidence < least {
					continue
				}
				from, to := e.Columns()
				for k := range from {
					p := [4]string{strings.ToLower(e.FromTable), strings.ToLower(from[k]), strings.ToLower(e.ToTable), strings.ToLower(to[k])}
					pairs = append(pairs, p)
					got[joinKey(p[0], p[1], p[2], p[3])] = true
				}
			}
			for key := range got {
				sum.edges++
				if all[key] {
					sum.right++
				} else if least == 0.7 {
					tb.Logf("wrong %s %q", s.DB, key)
				}
			}
			implied := closure(pairs)
			for key := range direct {
				sum.direct++
				if implied[key] {
					sum.found++
				} else if least == 0.7 {
					tb.Logf("missed %s %q", s.DB, key)
				}
			}
			for key := range all {
				sum.all++
				if implied[key] {
					sum.reached++
				}
			}
		}
	}
	return out
}

func TestInferMeasure(t *testing.T) {
	c := corpora.Public(t)
	if c == nil {
		t.Skip("no corpus")
	}
	ths := []float64{0.5, 0.6, 0.7, 0.75, 0.77, 0.79, 0.8, 0.81, 0.82, 0.83, 0.84, 0.85, 0.86, 0.87, 0.88, 0.89, 0.9, 0.91, 0.92, 0.95}
	for n, m := range measureInference(t, c, func(s *corpora.Schema) []Edge {
		got, err := Infer(t.Context(), hiddenKeys(s, true), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, all := truthOf(s, c.Joins)
		for _, e := range got.Edges {
			ok := all[joinKey(strings.ToLower(e.FromTable), strings.ToLower(e.FromColumn), strings.ToLower(e.ToTable), strings.ToLower(e.ToColumn))]
			t.Logf("EDGE %v %.3f %s %s %v %v", ok, e.Confidence, s.DB, e.Relationship, e.Evidence.Rule, e.Evidence.Terms)
		}
		return got.Edges
	}, ths) {
		t.Logf("%.2f: edges %d precision %.4f recall %.4f closed %.4f", ths[n], m.edges, m.precision(), m.recall(), m.closed())
	}
}

var hop = 0.0

func TestInferMeasureData(t *testing.T) {
	c := corpora.Public(t)
	if c == nil {
		t.Skip("no corpus")
	}
	ths := []float64{0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95}
	statements := 0
	for n, m := range measureInference(t, c, func(s *corpora.Schema) []Edge {
		g := generate(t, s, c.Joins)
		got, err := Infer(t.Context(), g.schema, &InferOptions{Database: g.db})
		if err != nil {
			t.Fatal(err)
		}
		statements += got.Statements
		_, all := truthOf(s, c.Joins)
		for _, e := range got.Edges {
			ok := all[joinKey(strings.ToLower(e.FromTable), strings.ToLower(e.FromColumn), strings.ToLower(e.ToTable), strings.ToLower(e.ToColumn))]
			t.Logf("EDGE %v %.3f %s %s %v %v %+v", ok, e.Confidence, s.DB, e.Relationship, e.Evidence.Rule, e.Evidence.Terms, e.Evidence.Data)
		}
		for _, p := range got.Problems {
			t.Errorf("%s %v %v", s.DB, p.Table, p.Message)
		}
		return got.Edges
	}, ths) {
		t.Logf("%.2f: edges %d precision %.4f recall %.4f closed %.4f", ths[n], m.edges, m.precision(), m.recall(), m.closed())
	}
	t.Logf("statements %d", statements)
}

// score counts joins written by people.
type score struct{ rows, hit, alone int }

func measureJoins(tb testing.TB, c *corpora.Corpus, opt *InferOptions) (before, after score, worse int) {
	tb.Helper()
	type graphs struct{ old, now *joinpath.Graph }
	all := map[string]graphs{}
	for i := range c.Schemas {
		s := declaredKeys(&c.Schemas[i])
		old, err := joinpath.New(s, &joinpath.Options{HopPrice: hop})
		if err != nil {
			tb.Fatal(err)
		}
		got, err := Infer(tb.Context(), s, opt)
		if err != nil {
			tb.Fatal(err)
		}
		s.Relationships = append(s.Relationships, got.Relationships()...)
		now, err := joinpath.New(s, &joinpath.Options{HopPrice: hop})
		if err != nil {
			tb.Fatal(err)
		}
		all[c.Schemas[i].DB] = graphs{old, now}
	}
	for _, line := range c.Joins {
		if line.SelfJoin {
			continue
		}
		g := all[line.DB]
		hit, alone := hits(tb, g.old, line)
		now, nowAlone := hits(tb, g.now, line)
		count := func(s *score, hit, alone bool) {
			s.rows++
			if hit {
				s.hit++
			}
			if alone {
				s.alone++
			}
		}
		count(&before, hit, alone)
		count(&after, now, nowAlone)
		if hit && !now || alone && !nowAlone {
			worse++
		}
		if !now {
			tb.Logf("missed %s %v", line.DB, line.Conditions)
		}
	}
	return before, after, worse
}

func hits(tb testing.TB, g *joinpath.Graph, line corpora.Join) (hit, alone bool) {
	got, err := g.Connect(tb.Context(), line.Tables...)
	if err != nil {
		return false, false
	}
	set := func(conditions [][4]string) []string {
		out := []string{}
		for _, c := range conditions {
			out = append(out, strings.ToLower(joinKey(strings.ToLower(c[0]), strings.ToLower(c[1]), strings.ToLower(c[2]), strings.ToLower(c[3]))))
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	gold := set(line.Conditions)
	hit = slices.ContainsFunc(got.Plans, func(p joinpath.Plan) bool {
		var conditions [][4]string
		for _, s := range p.Steps() {
			from, to := s.Relationship.Columns()
			for i := range from {
				conditions = append(conditions, [4]string{s.Relationship.FromTable, from[i], s.Relationship.ToTable, to[i]})
			}
		}
		return slices.Equal(set(conditions), gold)
	})
	return hit, hit && len(got.Plans) == 1
}

// declaredKeys returns the schema with the foreign keys between different tables.
func declaredKeys(s *corpora.Schema) *joinpath.Schema {
	out := hiddenKeys(s, true)
	spelled := map[string]string{}
	for name, t := range out.Tables {
		spelled[strings.ToLower(name)] = name
		for _, c := range t.Columns {
			spelled[strings.ToLower(name+"\x00"+c)] = c
		}
	}
	seen := map[string]bool{}
	for _, k := range s.ForeignKeys {
		from, to := spelled[strings.ToLower(k[0])], spelled[strings.ToLower(k[2])]
		r := joinpath.Relationship{
			FromTable: from, FromColumn: spelled[strings.ToLower(k[0]+"\x00"+k[1])],
			ToTable: to, ToColumn: spelled[strings.ToLower(k[2]+"\x00"+k[3])], Confidence: 1,
			Type: joinpath.ForeignKey,
		}
		key := edgeKey(&r)
		if from == to || seen[key] {
			continue
		}
		seen[key] = true
		out.Relationships = append(out.Relationships, r)
	}
	return out
}

func TestJoinMeasure(t *testing.T) {
	c := corpora.Public(t)
	if c == nil {
		t.Skip("no corpus")
	}
	for _, hop = range []float64{0, 0.1} {
		for _, implied := range []bool{false, true} {
			before, after, worse := measureJoins(t, c, &InferOptions{Implied: implied})
			t.Logf("implied %v %v: %+v %+v worse %d", hop, implied, before, after, worse)
		}
	}
}
