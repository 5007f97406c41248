package joinpath

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// DOT writes the graph in the language of Graphviz: every table, and the
// cheapest relationship of each pair of tables, from its from side to its to
// side. Equal graphs give equal bytes.
func (g *Graph) DOT(w io.Writer) error {
	var b bytes.Buffer
	b.WriteString("digraph {\n")
	for _, name := range g.names {
		fmt.Fprintf(&b, "\t\"%s\";\n", dotEscape(name))
	}
	for v := range g.names {
		for _, x := range g.best[v] {
			e := &g.edges[x.edge]
			if int(e.from) != v {
				continue // written at its other table
			}
			from, to := e.rel.Columns()
			label := fmt.Sprintf("%s = %s (%s)", strings.Join(from, ", "), strings.Join(to, ", "), e.cardinality)
			fmt.Fprintf(&b, "\t\"%s\" -> \"%s\" [label=\"%s\"];\n",
				dotEscape(g.names[v]), dotEscape(g.names[x.to]), dotEscape(label))
		}
	}
	b.WriteString("}\n")
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("joinpath: write DOT: %w", err)
	}
	return nil
}

var dotEscape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`).Replace
