package sqlagent

import (
	"context"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/usertext"
)

// joinNotes returns what the user has to know about the joins of the answer's query.
func (a *agent) joinNotes(ctx context.Context, s *state) []string {
	texts := a.texts(ctx)
	var notes []string
	for _, j := range s.Query.JoinPath {
		if j.Relationship != qed.JoinUnknown || s.Guessed && groupOf(s.Unconnected, j.Left.Table) != groupOf(s.Unconnected, j.Right.Table) {
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
		notes = lists.Add(notes, note)
	}
	return notes[:min(len(notes), maxJoinNotes)]
}

// maxJoinNotes is how many notes on joins an answer has.
const maxJoinNotes = 5

// columnsText returns the columns of a join in one line, such as "customer_id = id".
func columnsText(j qed.Join) string {
	var all []string
	for i := range j.Left.Columns {
		all = append(all, j.Left.Columns[i]+" = "+j.Right.Columns[i])
	}
	return strings.Join(all, ", ")
}
