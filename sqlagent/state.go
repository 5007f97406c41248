package sqlagent

import (
	"context"
	"fmt"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/drafts"
	"github.com/qedkit/qed/internal/recall"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/sqlagent/values"
	"github.com/qedkit/qed/sqlagent/verified"
)

// state is what one turn knows so far. It can be stored as JSON, as every state of
// a graph.
type state struct {
	Question string
	History  []llm.Message // the earlier messages, oldest first
	Personal bool          // the turn has a user or a tenant, who may see other rows than others

	Known recall.Known // of the user, from other conversations

	Tables        []string // the chosen tables, logical names
	GuessedTables bool     // nobody chose them: they share words with the question

	Near    []int    // relationships around the chosen tables, as indexes into the catalog
	Paths   []string // the shortest joins between pairs of the chosen tables
	Joined  []string // the chosen tables and those that connect them
	Joins   []string // the join plan, one line per join
	Choices []string // other plans of the same cost

	Unconnected [][]string // the chosen tables in groups, if no joins connect all of them
	LeftOut     []string   // tables of Unconnected that the statement does not read
	Guessed     bool       // the statement joins tables of several groups by conditions of its own

	Decided map[string]bool // by the keys of relationships: whether the user chose it, in this conversation
	Chosen  *joinChoice     // the joins that the user chose, or that the question names; nil: none
	Kept    string          // the statement that was refused once because something contradicts it
	Other   []string        // the joins of the statement that ran that are not those of Chosen

	Named    []values.Match  // values of the joined tables that the question names
	Examples []verified.Pair // that the prompt for writing SQL had

	Draft   drafts.Draft   // the statement
	Periods []dates.Period // that the statement reads, as the model says

	Approved float64 // as many rows the user allowed to be read
	Stopped  bool    // the user did not allow the statement to run

	Query  qed.Query  // the proof of Table
	Table  *qed.Table // what the last statement that ran returned, or its first rows: see rows
	Handle string     // the handle of all rows of Table; empty if Table has all of them

	Retried bool // the model was told that its statement found nothing

	Reason   string // why the answer is partial; empty if it is not
	Text     string
	Figures  []qed.Figure // in Text
	Unproved []string     // numbers in Text
	Dates    []dates.Reading
	Used     *qed.Used // in the prompt for writing SQL
	Timeless bool      // the question names a time, and the statement that ran looks at none
}

// begin returns the state at the start of a turn, after that of the turn before.
func begin(_ context.Context, before state, turn qed.Turn) (state, error) {
	question := strings.TrimSpace(turn.Text)
	if question == "" {
		return state{}, fmt.Errorf("sqlagent: %w", qed.ErrEmptyTurn)
	}
	return state{Question: question, History: turn.History, Personal: turn.User != "" || turn.Tenant != "", Decided: before.Decided}, nil
}
