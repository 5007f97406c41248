package sqlagent

import (
	"slices"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/sqlproof/proof"
)

// joinPath returns the joins of a report. Those that look the same are there once.
func joinPath(report *proof.Report) []qed.Join {
	labels := map[string][]string{} // of the uses of each table
	for _, j := range report.Joins {
		for i, label := range []string{j.Left, j.Right} {
			if table := j.Tables[i]; !slices.Contains(labels[table], label) {
				labels[table] = append(labels[table], label)
			}
		}
	}
	side := func(table, label string) qed.JoinSide {
		if table != "" && len(labels[table]) == 1 {
			label = ""
		}
		return qed.JoinSide{Table: table, Alias: label}
	}
	var path []qed.Join
	seen := map[string]bool{}
	for _, j := range report.Joins {
		out := qed.Join{
			Left: side(j.Tables[0], j.Left), Right: side(j.Tables[1], j.Right), Kind: j.Kind, Condition: j.Condition,
			Relationship: qed.JoinRelationship(j.Relationship), Role: prompt.Clip(j.Role, maxRole),
			Confidence: j.Confidence, Cardinality: j.Cardinality,
		}
		for _, columns := range j.Columns {
			out.Left.Columns = append(out.Left.Columns, columns[0])
			out.Right.Columns = append(out.Right.Columns, columns[1])
		}
		if key := out.Kind + " " + out.String(); !seen[key] {
			seen[key] = true
			path = append(path, out)
		}
	}
	return path
}
