package joinpath

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dominikbraun/graph"
	"github.com/dominikbraun/graph/draw"
)

// DOT writes the graph in the language of Graphviz: every table, and the cheapest
// relationship of each pair of tables, from its from side to its to side. Equal
// graphs give equal bytes.
func (g *Graph) DOT(w io.Writer) error {
	pairs, err := g.pairs()
	if err != nil {
		return fmt.Errorf("joinpath: draw: %w", err)
	}
	var b bytes.Buffer
	if err := draw.DOT(pairs, &b); err != nil {
		return fmt.Errorf("joinpath: draw: %w", err)
	}
	// The drawing comes one statement a line, in the order of a map.
	head, body, _ := strings.Cut(b.String(), "\n")
	lines := strings.Split(body, "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return !strings.HasPrefix(l, "\t\"") })
	slices.Sort(lines)
	if _, err := fmt.Fprintf(w, "%s\n%s\n}\n", head, strings.Join(lines, "\n")); err != nil {
		return fmt.Errorf("joinpath: draw: %w", err)
	}
	return nil
}

// pairs holds the cheapest edge of each pair of tables; the names are escaped as
// DOT needs them.
func (g *Graph) pairs() (graph.Graph[string, string], error) {
	out := graph.New(graph.StringHash, graph.Directed())
	for _, name := range g.names {
		if err := out.AddVertex(dotEscape(name)); err != nil {
			return nil, err
		}
	}
	for v := range int32(len(g.names)) {
		for _, x := range g.best.of(v) {
			e := &g.edges[x.edge]
			if e.from != v {
				continue // drawn from its other table
			}
			from, to := e.rel.Columns()
			label := fmt.Sprintf("%s = %s (%s)", strings.Join(from, ", "), strings.Join(to, ", "), e.cardinality)
			err := out.AddEdge(dotEscape(g.names[v]), dotEscape(g.names[x.to]),
				graph.EdgeAttribute("label", dotEscape(label)), graph.EdgeWeight(1))
			if err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

var dotEscape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`).Replace
