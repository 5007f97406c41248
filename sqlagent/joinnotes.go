package sqlagent

import (
	"context"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
)

// joinNotes returns what the user has to know about the joins of the answer's query.
func (a *agent) joinNotes(ctx context.Context, s *state) []string {
	texts := a.texts(ctx)
	groupOf := func(table string) int {
		return slices.IndexFunc(s.Unconnected, func(g []string) bool { return slices.Contains(g, table) })
	}
	var notes []string
	for _, j := range s.Query.JoinPath {
		if j.Relationship != qed.JoinUnknown || s.Guessed && groupOf(j.Left.Table) != groupOf(j.Right.Table) {
			continue
		}
		text := texts.JoinedAll
		switch {
		case j.Condition:
			text = texts.JoinedOtherwise
		case len(j.Left.Columns) > 0:
			text = texts.JoinedUnknown
		}
		note := usertext.Fill(text, "left", j.Left.Table, "right", j.Right.Table, "columns", columnsText(j))
		if !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	for _, m := range s.Meetings {
		notes = append(notes, usertext.Fill(texts.JoinedMany, "table", m.At, "left", m.Left, "right", m.Right))
	}
	return notes[:min(len(notes), maxJoinNotes)]
}

// maxJoinNotes is how many notes on joins an answer has.
const maxJoinNotes = 5

// A meeting is a table with rows to which many rows of two others belong: a statement that
// joins all three has each row of the one with each of the other.
type meeting struct{ At, Left, Right string }

// meetings returns where a statement joins many rows with many. Subqueries are not looked
// at: they can reduce the many to one.
func (r *reader) meetings(stmt *secureview.Statement) (found []meeting) {
	for _, from := range stmt.FromClauses() {
		first := map[int]qed.JoinSide{} // one of the tables with many rows for one of the key
		add := func(at int, one, many qed.JoinSide) {
			if other, ok := first[at]; ok {
				found = append(found, meeting{one.String(), other.String(), many.String()})
				return
			}
			first[at] = many
		}
		c := r.compare(from)
		for i, j := range from.Joins {
			if j.Kind > secureview.FullJoin || from.Tables[j.Left].Derived || from.Tables[j.Right].Derived {
				continue
			}
			switch known := c.join(i); known.Cardinality {
			case string(joinpath.ManyToOne):
				add(j.Right, known.Right, known.Left)
			case string(joinpath.OneToMany):
				add(j.Left, known.Left, known.Right)
			}
		}
	}
	return found
}

// columnsText returns the columns of a join in one line, such as "customer_id = id".
func columnsText(j qed.Join) string {
	var all []string
	for i := range j.Left.Columns {
		all = append(all, j.Left.Columns[i]+" = "+j.Right.Columns[i])
	}
	return strings.Join(all, ", ")
}
