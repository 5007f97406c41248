package runtimetest_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed"
)

func TestCompileRefuses(t *testing.T) {
	ok := visit("x")
	to := func(string) func(trail) string { return func(trail) string { return qed.End } }
	run := func(context.Context, trail) (string, error) { return "", nil }
	merge := func(s trail, _ []string) (trail, error) { return s, nil }
	for name, test := range map[string]struct {
		build func(g *qed.Graph[trail])
		want  []string
	}{
		"empty":         {func(g *qed.Graph[trail]) {}, []string{"no nodes"}},
		"no start":      {func(g *qed.Graph[trail]) { g.Node("a", ok, nil); g.Edge("a", qed.End) }, []string{`"start" leads nowhere`, `no run reaches node "a"`}},
		"dangling to":   {func(g *qed.Graph[trail]) { g.Node("a", ok, nil); g.Edge(qed.Start, "a"); g.Edge("a", "b") }, []string{`leads to "b"`}},
		"dangling from": {func(g *qed.Graph[trail]) { g.Edge("b", qed.End) }, []string{`begins at "b"`}},
		"dead end":      {func(g *qed.Graph[trail]) { g.Node("a", ok, nil); g.Edge(qed.Start, "a") }, []string{`"a" leads nowhere`}},
		"two edges": {func(g *qed.Graph[trail]) {
			g.Node("a", ok, nil)
			g.Edge(qed.Start, "a")
			g.Edge("a", qed.End)
			g.Edge("a", "a")
		}, []string{"two edges"}},
		"edge and route":  {func(g *qed.Graph[trail]) { g.Edge(qed.Start, "a"); g.Route(qed.Start, to("a"), "a") }, []string{"two edges"}},
		"no targets":      {func(g *qed.Graph[trail]) { g.Route(qed.Start, to("a")) }, []string{"no targets"}},
		"no pick":         {func(g *qed.Graph[trail]) { g.Route(qed.Start, nil, qed.End) }, []string{"no function"}},
		"no function":     {func(g *qed.Graph[trail]) { g.Node("a", nil, nil) }, []string{"no function"}},
		"negative option": {func(g *qed.Graph[trail]) { g.Node("a", ok, &qed.NodeOptions{Timeout: -1}) }, []string{"negative"}},
		"two of a name":   {func(g *qed.Graph[trail]) { g.Node("a", ok, nil); g.Node("a", ok, nil) }, []string{`two nodes named "a"`}},
		"reserved name":   {func(g *qed.Graph[trail]) { g.Node(qed.End, ok, nil) }, []string{`the name "end"`}},
		"bad names":       {func(g *qed.Graph[trail]) { g.Node("", ok, nil); g.Node("a/b", ok, nil); g.Node("a\n", ok, nil) }, []string{"empty", "slash", "printed"}},
		"back to start":   {func(g *qed.Graph[trail]) { g.Node("a", ok, nil); g.Edge(qed.Start, "a"); g.Edge("a", qed.Start) }, []string{"back to Start"}},
		"cycle": {func(g *qed.Graph[trail]) {
			g.Node("a", ok, nil)
			g.Node("b", ok, nil)
			g.Edge(qed.Start, "a")
			g.Edge("a", "b")
			g.Edge("b", "a")
		}, []string{`from node "a" to End`, `from node "b" to End`}},
		"unreachable": {func(g *qed.Graph[trail]) {
			g.Node("a", ok, nil)
			g.Node("b", ok, nil)
			g.Edge(qed.Start, "a")
			g.Edge("a", qed.End)
			g.Edge("b", qed.End)
		}, []string{`no run reaches node "b"`}},
		"no merge":    {func(g *qed.Graph[trail]) { qed.FanOut(g, "f", nil, branch{Name: "a", Run: run}) }, []string{"no merge"}},
		"no branches": {func(g *qed.Graph[trail]) { qed.FanOut[trail, string](g, "f", merge) }, []string{"no branches"}},
		"branches": {func(g *qed.Graph[trail]) {
			qed.FanOut(g, "f", merge, branch{Name: "a", Run: run}, branch{Name: "a", Run: run}, branch{Name: "", Run: run}, branch{Name: "b", Run: nil})
		}, []string{"two branches", "empty", "no function"}},
		"all at once": {func(g *qed.Graph[trail]) { g.Node("a", nil, nil); g.Node("b/", ok, nil); g.Edge("c", "d") }, []string{"no function", "slash", `"c"`, "leads nowhere"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := qed.NewGraph[trail]("g")
			test.build(g)
			_, err := g.Compile(nil)
			if err == nil {
				t.Fatal("it compiles")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\ndoes not say %q", err, want)
				}
			}
		})
	}
	if _, err := row(ok).Compile(&qed.CompileOptions{MaxSteps: -1}); err == nil {
		t.Error("a negative MaxSteps compiles")
	}
	if _, err := qed.NewGraph[trail]("").Compile(nil); err == nil || !strings.Contains(err.Error(), "name") {
		t.Errorf("no name: %v", err)
	}
}

// A problem that was found once stays, and compiling finds no new one.
func TestCompileTwice(t *testing.T) {
	g := row(visit("a"))
	first := compile(t, g, nil)
	g.Node("late", visit("late"), nil)
	if got, err := first.Run(t.Context(), trail{}); err != nil || len(got.Seen) != 1 {
		t.Errorf("got %v, %v", got, err)
	}
	_, once := g.Compile(nil)
	_, twice := g.Compile(nil)
	if once == nil || once.Error() != twice.Error() {
		t.Errorf("%v\nand then\n%v", once, twice)
	}
}

type lossy struct{ n int } // JSON would lose n

type ownJSON struct{ n int }

func (o ownJSON) MarshalJSON() ([]byte, error)  { return json.Marshal(o.n) }
func (o *ownJSON) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &o.n) }

type list struct {
	Value int
	Next  *list
}

type common struct{ ID int }

type other struct{ ID string }

var _ = lossy{n: 7}

func compileState[S any]() error {
	g := qed.NewGraph[S]("g")
	g.Node("a", func(_ context.Context, s S) (S, error) { return s, nil }, nil)
	g.Edge(qed.Start, "a")
	g.Edge("a", qed.End)
	_, err := g.Compile(nil)
	return err
}

func TestStateMustSurviveJSON(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		want string // what the error names; empty when there is none
	}{
		"plain":     {compileState[trail](), ""},
		"no struct": {compileState[int](), ""},
		"a map":     {compileState[map[string][]trail](), ""},
		"int keys":  {compileState[map[int]string](), ""},
		"times":     {compileState[struct{ At, Next *time.Time }](), ""},
		"own JSON": {compileState[struct {
			A ownJSON
			B []*ownJSON
		}](), ""},
		"table":        {compileState[struct{ T *qed.Table }](), ""},
		"answer":       {compileState[qed.Answer](), ""},
		"turn":         {compileState[qed.Turn](), "qed.Turn.User is left out"}, // its JSON is what a client may send
		"raw JSON":     {compileState[struct{ Raw json.RawMessage }](), ""},
		"holds itself": {compileState[list](), ""},
		"embedded": {compileState[struct {
			common
			Name string
		}](), ""},
		"embedded and field": {compileState[struct {
			First common
			common
		}](), ""},
		"embedded alone": {compileState[struct{ time.Time }](), ""},
		"unexported":     {compileState[lossy](), "lossy.n is not exported"},
		"deep":           {compileState[struct{ A map[string][]*lossy }](), ".A[][].n is not exported"},
		"left out": {compileState[struct {
			A int `json:"-"`
		}](), "A is left out"},
		"any":        {compileState[struct{ A any }](), "A is of type interface"},
		"error":      {compileState[struct{ Err error }](), "Err is of type error"},
		"function":   {compileState[struct{ F func() }](), "F is of type func()"},
		"channel":    {compileState[struct{ C chan int }](), "C is of type chan int"},
		"complex":    {compileState[struct{ C complex128 }](), "C is of type complex128"},
		"keys":       {compileState[map[float64]int](), "keys of type float64"},
		"null twice": {compileState[struct{ P **int }](), "P is a **int"},
		"one name twice": {compileState[struct {
			common
			other
		}](), "like"},
		"shadowed": {compileState[struct {
			common
			ID string
		}](), "like"},
		"borrowed JSON": {compileState[struct {
			time.Time
			N int
		}](), "embedded Time"},
		"embedded pointer": {compileState[struct {
			*common
			N int
		}](), "common is not exported"},
		"all at once": {compileState[struct {
			A any
			B func()
		}](), "B is of type func()"},
	} {
		t.Run(name, func(t *testing.T) {
			switch {
			case test.want == "" && test.err != nil:
				t.Errorf("refused: %v", test.err)
			case test.want != "" && (test.err == nil || !strings.Contains(test.err.Error(), test.want)):
				t.Errorf("got %v, want %q", test.err, test.want)
			}
		})
	}
}
