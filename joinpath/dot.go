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

// DOT writes the graph in the language of Graphviz: every table, and the
// cheapest relationship of each pair of tables, from its from side to its to
// side. Equal graphs give equal bytes.
func (g *Graph) DOT(w io.Writer) error {
	pairs, err := g.pairs()
	if err != nil {
		return fmt.Errorf("joinpath: write DOT: %w", err)
	}
	var b bytes.Buffer
	if err := draw.DOT(pairs, &b); err != nil {
		return fmt.Errorf("joinpath: write DOT: %w", err)
	}
	// The statements come in the order of a map, one on each line.
	head, body, _ := strings.Cut(b.String(), "\n")
	lines := strings.Split(body, "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return !strings.HasPrefix(l, "\t\"") })
	slices.Sort(lines)
	if _, err := fmt.Fprintf(w, "%s\n%s\n}\n", head, strings.Join(lines, "\n")); err != nil {
		return fmt.Errorf("joinpath: write DOT: %w", err)
	}
	return nil
}

// pairs returns the cheapest edges of each pair of tables as one, with names escaped
// as DOT needs them.
func (g *Graph) pairs() (graph.Graph[string, string], error) {
	out := graph.New(graph.StringHash, graph.Directed())
	for _, name := range g.names {
		if err := out.AddVertex(dotEscape(name)); err != nil {
			return nil, err
		}
	}
	for v := range g.names {
		labels := map[int][]string{} // by the other table
		for _, x := range g.best[v] {
			e := &g.edges[x.edge]
			if int(e.from) != v {
				continue // written at its other table
			}
			from, to := e.rel.Columns()
			label := fmt.Sprintf("%s = %s (%s)", strings.Join(from, ", "), strings.Join(to, ", "), e.cardinality)
			labels[int(x.to)] = append(labels[int(x.to)], label)
		}
		for to, all := range labels {
			err := out.AddEdge(dotEscape(g.names[v]), dotEscape(g.names[to]),
				graph.EdgeAttribute("label", dotEscape(strings.Join(all, "\n"))), graph.EdgeWeight(1))
			if err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

var dotEscape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`).Replace
