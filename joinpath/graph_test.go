package joinpath_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dominikbraun/graph"
	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/joinpath"
)

func TestNewRefuses(t *testing.T) {
	dangling := &joinpath.Schema{Relationships: []joinpath.Relationship{
		{FromTable: "a", FromColumn: "x", ToTable: "b", ToColumn: "x", Confidence: 1}}}
	for name, tc := range map[string]struct {
		schema *joinpath.Schema
		opt    joinpath.Options
		want   error
	}{
		"dangling":          {dangling, joinpath.Options{}, joinpath.ErrSchema},
		"version":           {&joinpath.Schema{Version: 2}, joinpath.Options{}, joinpath.ErrSchema},
		"confidence":        {nil, joinpath.Options{MinConfidence: 1.1}, joinpath.ErrArgument},
		"confidence below":  {nil, joinpath.Options{MinConfidence: -1}, joinpath.ErrArgument},
		"confidence is NaN": {nil, joinpath.Options{MinConfidence: math.NaN()}, joinpath.ErrArgument},
		"hops":              {nil, joinpath.Options{MaxHops: -1}, joinpath.ErrArgument},
		"too many hops":     {nil, joinpath.Options{MaxHops: 1001}, joinpath.ErrArgument},
		"plans":             {nil, joinpath.Options{MaxPlans: -1}, joinpath.ErrArgument},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := joinpath.New(tc.schema, &tc.opt); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
}

func TestSmallSchemas(t *testing.T) {
	for name, s := range map[string]*joinpath.Schema{"nil": nil, "empty": {}} {
		g := newGraph(t, s, nil)
		if _, err := g.ShortestPath("a", "b"); !errors.Is(err, joinpath.ErrUnknownTable) {
			t.Errorf("%s: got %v", name, err)
		}
		if _, err := g.Connect(t.Context()); !errors.Is(err, joinpath.ErrArgument) {
			t.Errorf("%s: got %v", name, err)
		}
		if got := g.Components(); len(got) != 0 {
			t.Errorf("%s: got %v", name, got)
		}
	}
	g := newGraph(t, &joinpath.Schema{Tables: map[string]joinpath.Table{"a": {}}}, nil)
	path, err := g.ShortestPath("a", "a")
	if err != nil {
		t.Fatal(err)
	}
	got, err := g.Connect(t.Context(), "a", "A", "a")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(got.Plans, path) {
		if len(p.Steps()) != 0 || p.Cost() != 0 || p.Confidence() != 1 || p.SQL(nil, joinpath.InnerJoin) != `FROM "a"` {
			t.Errorf("got %v: %d joins, cost %d, confidence %v, %s", p, len(p.Steps()), p.Cost(), p.Confidence(), p.SQL(nil, joinpath.InnerJoin))
		}
	}
	var zero joinpath.Plan
	if len(zero.Steps()) != 0 || zero.SQL(nil, joinpath.InnerJoin) != "" || len(zero.Steps())+len(zero.Tables()) != 0 || zero.String() != "" {
		t.Error("the zero plan is not empty")
	}
}

func TestLookup(t *testing.T) {
	g := newGraph(t, &joinpath.Schema{Tables: map[string]joinpath.Table{
		"workOrder": {}, "work_time": {}, "Item": {}, "item": {}, "Größe": {},
	}}, nil)
	for name, want := range map[string]string{
		"workOrder": "workOrder", "WORKORDER": "workOrder", "Item": "Item", "item": "item", "größe": "Größe",
	} {
		p, err := g.ShortestPath(name, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := p.Tables()[0]; got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string][]string{
		"ITEM": {"Item", "item"}, "workOrdr": {"workOrder"}, "worktimes": {"work_time"}, "secure_workOrder": {"workOrder"},
		"GRÖßE": {"Größe"}, "": nil, "xyz": nil, strings.Repeat("x", 1000): nil,
	} {
		_, err := g.ShortestPath(name, "item")
		if !errors.Is(err, joinpath.ErrUnknownTable) {
			t.Fatalf("%s: got %v", name, err)
		}
		if got := problems(t, err)[0].Candidates; !slices.Equal(got, want) {
			t.Errorf("%s: candidates %v, want %v", name, got, want)
		}
	}
}

func TestNoPath(t *testing.T) {
	var edges []joinpath.Relationship
	tables := map[string]joinpath.Table{"apart": {Columns: []string{"id"}}, "unsure": {Columns: []string{"id"}}}
	for i := range 7 {
		tables[tableName(i)] = joinpath.Table{Columns: []string{"id"}}
		if i > 0 {
			edges = append(edges, joinpath.Relationship{FromTable: tableName(i - 1), FromColumn: "id", ToTable: tableName(i), ToColumn: "id", Confidence: 1})
		}
	}
	edges = append(edges, joinpath.Relationship{FromTable: tableName(0), FromColumn: "id", ToTable: "unsure", ToColumn: "id", Confidence: 0.69})
	s := &joinpath.Schema{Tables: tables, Relationships: edges}
	g := newGraph(t, s, nil)
	for range 2 { // the second comes from the cache
		if p, err := g.ShortestPath(tableName(0), tableName(4)); err != nil || len(p.Steps()) != 4 {
			t.Errorf("got %v, %v", p, err)
		}
		_, err := g.ShortestPath(tableName(0), tableName(5))
		if !errors.Is(err, joinpath.ErrNoPath) || errors.Is(err, joinpath.ErrDisconnected) {
			t.Errorf("got %v, want too far", err)
		}
		_, err = g.ShortestPath(tableName(0), "unsure")
		if !errors.Is(err, joinpath.ErrNoPath) || !errors.Is(err, joinpath.ErrDisconnected) {
			t.Errorf("got %v, want not connected", err)
		}
	}
	_, err := g.Connect(t.Context(), "unsure", tableName(6), "apart", tableName(2))
	groups := `"apart" | "table00002", "table00006" | "unsure"`
	if !errors.Is(err, joinpath.ErrDisconnected) || !strings.Contains(err.Error(), groups) {
		t.Fatalf("got %v, want not connected: %s", err, groups)
	}
	surer := newGraph(t, s, &joinpath.Options{MinConfidence: 0.5, MaxHops: 6})
	if p, err := surer.ShortestPath("unsure", tableName(5)); err != nil || len(p.Steps()) != 6 {
		t.Errorf("got %v, %v", p, err)
	}
}

// TestHopLimitExcludesCheapestPath: the cheapest path to a table has too many
// hops, so the answer uses a more expensive one.
func TestHopLimitExcludesCheapestPath(t *testing.T) {
	tables := map[string]joinpath.Table{}
	for _, name := range strings.Split("abcdef", "") {
		tables[name] = joinpath.Table{Columns: []string{"id"}}
	}
	edge := func(from, to string, confidence float64) joinpath.Relationship {
		return joinpath.Relationship{FromTable: from, FromColumn: "id", ToTable: to, ToColumn: "id", Confidence: confidence}
	}
	g := newGraph(t, &joinpath.Schema{Tables: tables, Relationships: []joinpath.Relationship{
		edge("a", "b", 1), edge("b", "c", 1), edge("a", "c", 0.8), edge("c", "d", 1), edge("d", "e", 1), edge("e", "f", 1),
	}}, nil)
	p, err := g.ShortestPath("a", "f")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "c", "d", "e", "f"}, p.Tables()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestConcurrentDeterminism: answers depend neither on the order of a file nor on
// concurrent calls.
func TestConcurrentDeterminism(t *testing.T) {
	s := generate(3, 60, 400)
	asked := pairs(60, 40)
	answers := func(g *joinpath.Graph) string {
		var b strings.Builder
		for _, p := range asked {
			path, err := g.ShortestPath(p[0], p[1])
			fmt.Fprintln(&b, path, err)
			trees, err := g.Connect(context.Background(), p[0], p[1], asked[0][0])
			fmt.Fprintln(&b, trees.Plans, err)
		}
		return b.String()
	}
	want := answers(newGraph(t, s, nil))
	rng := rand.New(rand.NewPCG(1, 1))
	for range 3 {
		rng.Shuffle(len(s.Relationships), func(i, j int) {
			s.Relationships[i], s.Relationships[j] = s.Relationships[j], s.Relationships[i]
		})
		g := newGraph(t, s, &joinpath.Options{CacheSize: 8})
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				if got := answers(g); got != want {
					t.Error("the answers differ")
				}
			})
		}
		wait.Wait()
	}
}

// TestAnswersCannotBeChanged: a caller's changes to an answer or to the schema do
// not affect the next answer.
func TestAnswersCannotBeChanged(t *testing.T) {
	s := service()
	g := newGraph(t, s, nil)
	ask := func() string {
		p, err := g.ShortestPath("employee", "address")
		if err != nil {
			t.Fatal(err)
		}
		c, err := g.Connect(t.Context(), "customer", "address")
		if err != nil {
			t.Fatal(err)
		}
		before := fmt.Sprint(p, c.Plans)
		for _, step := range p.Steps() {
			step.LeftColumns[0], step.RightColumns[0] = "changed", "changed"
		}
		p.Aliases()[0], p.Tables()[0] = "changed", "changed"
		c.Plans[0] = joinpath.Plan{}
		return before
	}
	want := ask()
	for i := range s.Relationships {
		s.Relationships[i] = joinpath.Relationship{}
	}
	g.Tables()[0] = "changed"
	if got := ask(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestCardinality(t *testing.T) {
	tables := map[string]joinpath.Table{
		"a": {Columns: []string{"id", "x", "y"}, UniqueColumns: []string{"id"}, UniqueKeys: [][]string{{"x", "y"}}},
		"b": {Columns: []string{"id", "x", "y"}, PrimaryKey: []string{"id"}},
	}
	edge := func(from, to string, c joinpath.Cardinality) joinpath.Relationship {
		return joinpath.Relationship{FromTable: "a", FromColumns: strings.Split(from, ","),
			ToTable: "b", ToColumns: strings.Split(to, ","), Confidence: 1, Cardinality: c}
	}
	back := func(r joinpath.Relationship) joinpath.Relationship { return r.Reversed() }
	for name, tc := range map[string]struct {
		edges []joinpath.Relationship
		want  joinpath.Cardinality // from a to b
	}{
		"declared":            {[]joinpath.Relationship{edge("id", "id", joinpath.ManyToMany)}, joinpath.ManyToMany},
		"derived 1:1":         {[]joinpath.Relationship{edge("id", "id", "")}, joinpath.OneToOne},
		"derived N:1":         {[]joinpath.Relationship{edge("x", "id", "")}, joinpath.ManyToOne},
		"derived 1:N":         {[]joinpath.Relationship{edge("id", "x", "")}, joinpath.OneToMany},
		"derived N:M":         {[]joinpath.Relationship{edge("x", "x", "")}, joinpath.ManyToMany},
		"derived composite":   {[]joinpath.Relationship{edge("y,x", "x,id", "")}, joinpath.OneToOne},
		"both ways":           {[]joinpath.Relationship{edge("x", "x", joinpath.ManyToOne), back(edge("x", "x", joinpath.ManyToOne))}, joinpath.ManyToOne},
		"both ways, one says": {[]joinpath.Relationship{edge("x", "x", ""), back(edge("x", "x", joinpath.ManyToOne))}, joinpath.ManyToOne},
		"both ways, unlike":   {[]joinpath.Relationship{edge("x", "x", joinpath.OneToOne), back(edge("x", "x", joinpath.OneToMany))}, joinpath.OneToMany},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGraph(t, &joinpath.Schema{Tables: tables, Relationships: tc.edges}, nil)
			for from, want := range map[string]joinpath.Cardinality{"a": tc.want, "b": tc.want.Reversed()} {
				to := map[string]string{"a": "b", "b": "a"}[from]
				found, err := g.Connect(t.Context(), from, to)
				if err != nil {
					t.Fatal(err)
				}
				if len(found.Plans) != 1 {
					t.Fatalf("got %d plans, want one", len(found.Plans))
				}
				step := found.Plans[0].Steps()[0]
				if step.Cardinality != want || step.FansOut != want.FansOut() || step.Left != from {
					t.Errorf("from %s: got %+v, want %s", from, step, want)
				}
			}
		})
	}
}

func TestConnectLimits(t *testing.T) {
	// A chain of six tables, each pair joined by four columns: 4^5 plans.
	s := &joinpath.Schema{Tables: map[string]joinpath.Table{}}
	for i := range 6 {
		s.Tables[tableName(i)] = joinpath.Table{Columns: []string{"a", "b", "c", "d"}}
		for _, c := range s.Tables[tableName(i)].Columns {
			if i > 0 {
				s.Relationships = append(s.Relationships, joinpath.Relationship{
					FromTable: tableName(i - 1), FromColumn: c, ToTable: tableName(i), ToColumn: c, Confidence: 1})
			}
		}
	}
	for _, tc := range []struct {
		most, plans int
		more        bool
	}{{0, 64, true}, {1, 1, true}, {1023, 1023, true}, {1024, 1024, false}, {5000, 1024, false}} {
		g := newGraph(t, s, &joinpath.Options{MaxPlans: tc.most})
		for range 2 {
			got, err := g.Connect(t.Context(), tableName(0), tableName(5))
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Plans) != tc.plans || got.More != tc.more || got.Approximate {
				t.Errorf("most %d: got %d plans, more %v", tc.most, len(got.Plans), got.More)
			}
		}
	}
}

func TestConnectStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g := newGraph(t, service(), nil)
	if _, err := g.Connect(ctx, "employee", "customer", "address"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want canceled", err)
	}
}

// TestConnectThousands connects every table of a large schema.
func TestConnectThousands(t *testing.T) {
	s := generate(4, 3000, 9000)
	g := newGraph(t, s, nil)
	got, err := g.Connect(t.Context(), g.Tables()...)
	if err != nil {
		t.Fatal(err)
	}
	if p := got.Plans[0]; !got.Approximate || len(p.Steps()) != 2999 {
		t.Errorf("%d joins, approximate %v", len(p.Steps()), got.Approximate)
	}
}

func TestComponents(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 100 {
		s := generateSmall(rng, 9, 6)
		var want [][]string
		peer := bestEdges(t, s, 0.7)
		seen := map[string]bool{}
		for i := range 9 {
			if seen[tableName(i)] {
				continue
			}
			var part []string
			if err := graph.DFS(peer, tableName(i), func(v string) bool {
				seen[v] = true
				part = append(part, v)
				return false
			}); err != nil {
				t.Fatal(err)
			}
			slices.Sort(part)
			want = append(want, part)
		}
		if diff := cmp.Diff(want, newGraph(t, s, nil).Components()); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
}

// Two relationships of two tables are one edge with both.
func TestDOTOfTwoRelationships(t *testing.T) {
	key := func(column, other string, c joinpath.Cardinality) joinpath.Relationship {
		return joinpath.Relationship{FromTable: "a", FromColumns: []string{column}, ToTable: "b", ToColumns: []string{other},
			Type: joinpath.ForeignKey, Cardinality: c, Confidence: 1}
	}
	s := &joinpath.Schema{
		Tables: map[string]joinpath.Table{
			"a": {Columns: []string{"id", "b_id", "code"}, PrimaryKey: []string{"id"}},
			"b": {Columns: []string{"id", "code"}, PrimaryKey: []string{"id"}},
		},
		Relationships: []joinpath.Relationship{key("b_id", "id", joinpath.ManyToOne), key("code", "code", joinpath.ManyToMany)},
	}
	var got bytes.Buffer
	if err := newGraph(t, s, nil).DOT(&got); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"b_id = id (N:1)", "code = code (N:M)"} {
		if strings.Count(got.String(), want) != 1 {
			t.Errorf("%q is not once in\n%s", want, got.String())
		}
	}
}

func TestDOTNames(t *testing.T) {
	s := &joinpath.Schema{
		Tables: map[string]joinpath.Table{"a\"b": {Columns: []string{"x\ny"}}, `a\`: {Columns: []string{`\"`}}},
		Relationships: []joinpath.Relationship{
			{FromTable: "a\"b", FromColumn: "x\ny", ToTable: `a\`, ToColumn: `\"`, Confidence: 1, Cardinality: joinpath.OneToOne},
		},
	}
	want := `strict digraph {
	"a\"b" -> "a\\" [ label="x\ny = \\\" (1:1)",  weight=1 ];
	"a\"b" [  weight=0 ];
	"a\\" [  weight=0 ];
}
`
	var got bytes.Buffer
	if err := newGraph(t, s, nil).DOT(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	broken := errors.New("broken")
	if err := newGraph(t, s, nil).DOT(brokenWriter{broken}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
