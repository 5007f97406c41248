package joingraph

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/joinpath"
)

// tally compares the edges from a confidence on with the joins that are right.
type tally struct {
	least        float64
	pairs, right int // pairs of columns, and those that are right
	found, known int // joins that edges imply, of those that are declared or used
	reached, all int // the same of all joins, with those that these imply
}

func (c tally) precision() float64 { return float64(c.right) / float64(c.pairs) }
func (c tally) recall() float64    { return float64(c.found) / float64(c.known) }
func (c tally) implied() float64   { return float64(c.reached) / float64(c.all) }

var thresholds = []float64{0.5, 0.6, 0.7, 0.75, 0.8, 0.81, 0.82, 0.83, 0.84, 0.85, 0.86, 0.87, 0.88, 0.89, 0.9, 0.95}

// A measurement has the curve of precision and recall, and that of calibration.
type measurement struct {
	curve []tally
	bins  []calibration
}

// calibration compares the confidence of edges with the share that is right.
type calibration struct {
	from         float64
	edges, right int
	confidence   float64 // the sum
}

// best returns the greatest recall at a precision of 0.95 or more.
func (m measurement) best() tally {
	var best tally
	for _, t := range m.curve {
		if t.precision() >= 0.95 && t.found > best.found {
			best = t
		}
	}
	return best
}

func (m measurement) log(tb testing.TB) {
	tb.Helper()
	for _, t := range m.curve {
		tb.Logf("confidence >= %.2f: %d pairs, precision %.3f, recall %.3f, with implied joins %.3f",
			t.least, t.pairs, t.precision(), t.recall(), t.implied())
	}
	for _, b := range m.bins {
		if b.edges > 0 {
			tb.Logf("confidence from %.2f: %d edges, mean %.3f, right %.3f",
				b.from, b.edges, b.confidence/float64(b.edges), float64(b.right)/float64(b.edges))
		}
	}
}

// above returns the share of edges that are right of those with a confidence in
// a range.
func (m measurement) above(least, most float64) float64 {
	edges, right := 0, 0
	for _, b := range m.bins {
		if b.from >= least && b.from < most {
			edges, right = edges+b.edges, right+b.right
		}
	}
	return float64(right) / float64(edges)
}

func measure(tb testing.TB, c *corpora.Corpus, infer func(*corpora.Schema) []joinpath.Relationship) measurement {
	tb.Helper()
	m := measurement{curve: make([]tally, len(thresholds))}
	for i := range 11 {
		m.bins = append(m.bins, calibration{from: math.Round(float64(i)*5+45) / 100})
	}
	for i := range c.Schemas {
		s := &c.Schemas[i]
		known, all := truthOf(s, c.Joins)
		edges := infer(s)
		for _, e := range edges {
			at := int(e.Confidence*20+1e-9) - 9
			m.bins[at].edges++
			m.bins[at].confidence += e.Confidence
			if !slices.ContainsFunc(pairsOf(e), func(p [4]string) bool { return !all[joinKey(p[0], p[1], p[2], p[3])] }) {
				m.bins[at].right++
			}
		}
		for n, least := range thresholds {
			m.curve[n].least = least
			m.curve[n].add(edges, known, all)
		}
	}
	return m
}

func (c *tally) add(edges []joinpath.Relationship, known, all map[string]bool) {
	var pairs [][4]string
	got := map[string]bool{}
	for _, e := range edges {
		if e.Confidence >= c.least {
			for _, p := range pairsOf(e) {
				pairs = append(pairs, p)
				got[joinKey(p[0], p[1], p[2], p[3])] = true
			}
		}
	}
	for key := range got {
		c.pairs++
		if all[key] {
			c.right++
		}
	}
	implied := closure(pairs)
	for key := range known {
		c.known++
		if implied[key] {
			c.found++
		}
	}
	for key := range all {
		c.all++
		if implied[key] {
			c.reached++
		}
	}
}

// pairsOf returns the column pairs of a relationship in lower case.
func pairsOf(r joinpath.Relationship) [][4]string {
	var out [][4]string
	from, to := r.Columns()
	for i := range from {
		out = append(out, [4]string{
			strings.ToLower(r.FromTable), strings.ToLower(from[i]), strings.ToLower(r.ToTable), strings.ToLower(to[i]),
		})
	}
	return out
}

// byNames infers the joins of a schema from names and primary keys.
func byNames(tb testing.TB) func(*corpora.Schema) []joinpath.Relationship {
	return func(s *corpora.Schema) []joinpath.Relationship {
		got, err := Infer(tb.Context(), hiddenKeys(s, true), nil)
		if err != nil {
			tb.Fatal(err)
		}
		return got.Relationships
	}
}

// byData infers the joins of a schema with a generated database.
func byData(tb testing.TB, c *corpora.Corpus) func(*corpora.Schema) []joinpath.Relationship {
	return func(s *corpora.Schema) []joinpath.Relationship {
		g := generate(tb, s, c.Joins)
		got, err := Infer(tb.Context(), g.schema, &InferOptions{Database: g.db, Guard: g.guard})
		if err != nil {
			tb.Fatal(err)
		}
		for _, p := range got.Problems {
			tb.Errorf("%s: %+v", s.DB, p)
		}
		return got.Relationships
	}
}

// TestInferMeasure hides the declared keys of the corpus and infers them: by names
// and primary keys, and with a generated database.
func TestInferMeasure(t *testing.T) {
	c := corpora.Need(t)
	t.Run("names", func(t *testing.T) {
		m := measure(t, c, byNames(t))
		m.log(t)
		if best := m.best(); best.recall() < 0.80 {
			t.Errorf("recall %.3f at a precision of 0.95, want 0.80", best.recall())
		}
	})
	t.Run("data", func(t *testing.T) {
		m := measure(t, c, byData(t, c))
		m.log(t)
		if best := m.best(); best.recall() < 0.90 {
			t.Errorf("recall %.3f at a precision of 0.95, want 0.90", best.recall())
		}
		if got := m.above(0.9, 1); got < 0.9 {
			t.Errorf("of edges from 0.9 on, %.3f are right", got)
		}
	})
}

// TestCalibration infers each schema with weights that were fitted without it.
func TestCalibration(t *testing.T) {
	c := corpora.Need(t)
	held := heldOut(c)
	m := measure(t, c, func(s *corpora.Schema) []joinpath.Relationship {
		o, err := (*InferOptions)(nil).withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		in := newInference(hiddenKeys(s, true), o)
		in.weights = held[s.DB]
		got, err := in.run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return got.Relationships
	})
	m.log(t)
	for _, want := range []struct{ least, most, right float64 }{{0.9, 1, 0.9}, {0.5, 0.9, 0.6}} {
		if got := m.above(want.least, want.most); got < want.right {
			t.Errorf("of edges from %.1f to %.1f, %.3f are right", want.least, want.most, got)
		}
	}
}

func BenchmarkInferMeasure(b *testing.B) {
	c := corpora.Need(b)
	for name, infer := range map[string]func(*corpora.Schema) []joinpath.Relationship{"names": byNames(b), "data": byData(b, c)} {
		b.Run(name, func(b *testing.B) {
			var m measurement
			for b.Loop() {
				m = measure(b, c, infer)
			}
			best := m.best()
			b.ReportMetric(best.precision(), "precision")
			b.ReportMetric(best.recall(), "recall")
			b.ReportMetric(best.least, "confidence")
		})
	}
}

// score counts joins written by people: all of them, those that are among the
// cheapest plans, and those that are the only cheapest plan.
type score struct{ rows, hit, alone int }

func (s *score) count(hit, alone bool) {
	s.rows++
	if hit {
		s.hit++
	}
	if alone {
		s.alone++
	}
}

// measureJoins compares the plans of joinpath with joins written by people: with
// declared keys alone, and with inferred relationships as well. worse counts the
// joins that only the declared keys got right.
func measureJoins(tb testing.TB, c *corpora.Corpus) (declared, inferred score, worse int) {
	tb.Helper()
	graphs := map[string][2]*joinpath.Graph{}
	for i := range c.Schemas {
		s := declaredKeys(&c.Schemas[i])
		old := newGraph(tb, s)
		got, err := Infer(tb.Context(), s, nil)
		if err != nil {
			tb.Fatal(err)
		}
		s.Relationships = append(s.Relationships, got.Relationships...)
		graphs[c.Schemas[i].DB] = [2]*joinpath.Graph{old, newGraph(tb, s)}
	}
	for _, line := range c.Joins {
		if line.SelfJoin {
			continue
		}
		hit, alone := plansHit(tb, graphs[line.DB][0], line)
		declared.count(hit, alone)
		nowHit, nowAlone := plansHit(tb, graphs[line.DB][1], line)
		inferred.count(nowHit, nowAlone)
		if hit && !nowHit || alone && !nowAlone {
			worse++
		}
	}
	return declared, inferred, worse
}

func newGraph(tb testing.TB, s *joinpath.Schema) *joinpath.Graph {
	tb.Helper()
	g, err := joinpath.New(s, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// plansHit reports whether a join is among the cheapest plans, and whether it is
// the only one.
func plansHit(tb testing.TB, g *joinpath.Graph, line corpora.Join) (hit, alone bool) {
	tb.Helper()
	got, err := g.Connect(tb.Context(), line.Tables...)
	if err != nil {
		return false, false
	}
	gold := pairSet(line.Conditions)
	hit = slices.ContainsFunc(got.Plans, func(p joinpath.Plan) bool {
		var conditions [][4]string
		for _, s := range p.Steps() {
			conditions = append(conditions, pairsOf(s.Relationship)...)
		}
		return slices.Equal(pairSet(conditions), gold)
	})
	return hit, hit && len(got.Plans) == 1
}

func pairSet(pairs [][4]string) []string {
	out := []string{}
	for _, p := range pairs {
		for i := range p {
			p[i] = strings.ToLower(p[i])
		}
		out = append(out, joinKey(p[0], p[1], p[2], p[3]))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// declaredKeys returns a schema with its distinct foreign keys between different
// tables.
func declaredKeys(s *corpora.Schema) *joinpath.Schema {
	out := hiddenKeys(s, true)
	spelled := spellings(out)
	seen := map[string]bool{}
	for _, k := range s.ForeignKeys {
		r := joinpath.Relationship{Type: joinpath.ForeignKey, Confidence: 1}
		r.FromTable, r.FromColumn = spelled.column(k[0], k[1])
		r.ToTable, r.ToColumn = spelled.column(k[2], k[3])
		if key := edgeKey(&r); r.FromTable != r.ToTable && !seen[key] {
			seen[key] = true
			out.Relationships = append(out.Relationships, r)
		}
	}
	return out
}

// TestJoinMeasure: inferred relationships next to declared keys find more of the
// joins that people write, and none fewer.
func TestJoinMeasure(t *testing.T) {
	declared, inferred, worse := measureJoins(t, corpora.Own(t))
	if worse != 0 || inferred.hit < declared.hit {
		t.Errorf("own set: %+v and then %+v, %d worse", declared, inferred, worse)
	}
	declared, inferred, worse = measureJoins(t, corpora.Need(t))
	t.Logf("declared %+v, inferred %+v", declared, inferred)
	if want := (score{3930, 3378, 3135}); declared != want {
		t.Errorf("declared keys: %+v, want %+v", declared, want)
	}
	if least := (score{3930, 3632, 3375}); inferred.rows != least.rows || inferred.hit < least.hit || inferred.alone < least.alone {
		t.Errorf("with inference: %+v, want at least %+v", inferred, least)
	}
	if worse != 0 {
		t.Errorf("%d joins were right with the declared keys alone", worse)
	}
}

func BenchmarkJoinMeasure(b *testing.B) {
	c := corpora.Need(b)
	var declared, inferred score
	for b.Loop() {
		declared, inferred, _ = measureJoins(b, c)
	}
	b.ReportMetric(float64(declared.hit), "declared-hit")
	b.ReportMetric(float64(declared.alone), "declared-alone")
	b.ReportMetric(float64(inferred.hit), "hit")
	b.ReportMetric(float64(inferred.alone), "alone")
}
