package sqlagent

import (
	"context"
	"fmt"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
)

// state is what one turn knows so far. It survives JSON, as every state of a
// graph does.
type state struct {
	Question string
	History  []llm.Message // what was said before, oldest first
	Personal bool          // asked for a user or a company, who may see other rows than others

	Tables []string // the chosen tables, logical names

	Near    []int    // relationships around the chosen tables, as indexes into the catalog
	Paths   []string // the shortest joins between pairs of the chosen tables
	Joined  []string // the chosen tables and those that connect them
	Joins   []string // the join plan, a line a join
	Choices []string // other plans that are equally good

	SQL      string   // what the model wrote last; empty: nothing new
	Attempts int      // how often it was corrected
	Tried    []string // every statement so far, folded, to see one that comes back
	Fault    *fault   // why SQL cannot be used; nil: nothing is known against it

	Query   qed.Query  // the proof of Table
	Table   *qed.Table // what the last statement that ran returned, or a sample of it: see rows; nil: none did
	Handle  string     // under which the run keeps all rows of Table; empty: they are all in it
	Learned string     // the statement that returned no rows, shown to the model once

	Reason string // why the answer is partial; empty: it is not
	Text   string
	Usage  llm.Usage
}

// fault is why a statement was refused or failed.
type fault struct {
	Code       string // a code of package secureview, or the kind of a failed execution
	Name       string // the offending name
	Message    string // for the model and the user
	Candidates []string
}

// begin is the state that a turn starts from.
func begin(_ context.Context, _ state, turn qed.Turn) (state, error) {
	question := strings.TrimSpace(turn.Text)
	if question == "" {
		return state{}, fmt.Errorf("sqlagent: %w", qed.ErrEmptyTurn)
	}
	return state{Question: question, History: turn.History, Personal: turn.User != "" || turn.Tenant != ""}, nil
}

// wrote records what the model wrote, and reports whether it is new.
func (s *state) wrote(sql string) bool {
	folded := strings.Join(strings.Fields(sql), " ")
	for _, earlier := range s.Tried {
		if earlier == folded {
			return false
		}
	}
	s.Tried = append(s.Tried, folded)
	s.SQL = sql
	s.Fault = nil
	return true
}
