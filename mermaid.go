package qed

import (
	"fmt"
	"strings"
)

// Mermaid returns the graph as a Mermaid flowchart. Routes are dotted, and a
// fan-out is a box with its branches. The text of a graph is always the same.
func (r *Runner[S]) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	for i, s := range r.steps {
		switch {
		case i == 0:
			fmt.Fprintf(&b, "  n%d([%s])\n", i, label(s.name))
		case s.branches == nil:
			fmt.Fprintf(&b, "  n%d[%s]\n", i, label(s.name))
		default:
			fmt.Fprintf(&b, "  subgraph n%d [%s]\n", i, label(s.name))
			for j, branch := range s.branches {
				fmt.Fprintf(&b, "    n%db%d[%s]\n", i, j, label(branch))
			}
			b.WriteString("  end\n")
		}
	}
	fmt.Fprintf(&b, "  last([%s])\n", label(End))
	for i, s := range r.steps {
		if s.pick == nil {
			fmt.Fprintf(&b, "  n%d --> %s\n", i, mermaidID(s.next))
			continue
		}
		for _, to := range s.targets {
			fmt.Fprintf(&b, "  n%d -.-> %s\n", i, mermaidID(s.routes[to]))
		}
	}
	return b.String()
}

func mermaidID(place int) string {
	if place == end {
		return "last"
	}
	return fmt.Sprintf("n%d", place)
}

var mermaidEscapes = strings.NewReplacer(
	`"`, "#quot;", "#", "#35;", "<", "#lt;", ">", "#gt;", "&", "#amp;", "`", "#96;",
)

// label returns a name as quoted text of Mermaid.
func label(name string) string { return `"` + mermaidEscapes.Replace(name) + `"` }
