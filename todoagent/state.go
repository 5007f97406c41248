package todoagent

import (
	"context"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
)

// todoState is what is known of a conversation, and of the plan at hand.
type state struct {
	Turn    int    // how many messages the user has sent, this one included
	Entries int    // the number of the last memory entry
	Text    string // of this turn
	Replied bool   // it answers what was asked
	Alone   bool   // nothing is kept, and nobody can be asked

	Read       qed.Intent // how the message was read when it ended open questions
	ReadReason string

	Intent  qed.Intent
	History []llm.Message // what was said before; empty once it is not needed any more
	Known   Known         // what is remembered; likewise

	Request   string // what the plan is made of
	Before    string // the request that Request changes, or goes on from
	Rewritten string
	Ground    string // names the plan before it is one
	Plan      *plan  // nil: there is none

	Ran      map[string]qed.QueryMetadata // the queries that its tasks ran, by their keys
	Entities []qed.Entity                 // that came up, and are not remembered yet

	Noted    []Entry             // not saved yet
	Metadata []qed.QueryMetadata // not saved yet
	Told     bool                // the plan's answer was given
	Asks     bool                // a task that has just run asks the user

	Said    string // the answer's, where it is not what was found
	Reason  string // why the answer is partial; empty: it is not
	Dropped bool   // the user wants nothing more
}

// A todoPlan is a [TodoList] in the state, which is written often and read by nobody else: its JSON is that of its fields.
type plan qed.TodoList

func (s *state) plan() *plan { return s.Plan }

// begin is the state that a turn begins with. A plan that is open stays so: what the turn means is not known yet.
func (a *agent) begin(ctx context.Context, s state, turn qed.Turn) (state, error) {
	text := strings.TrimSpace(turn.Text)
	s.Turn++
	s.Alone, _ = ctx.Value(aloneKey{}).(bool)
	s.Said, s.Reason, s.Dropped = "", "", false
	if s.Replied = len(turn.Replies) > 0; s.Replied {
		if text == "" {
			said := make([]string, len(turn.Replies))
			for i, r := range turn.Replies {
				said[i] = r.Text()
			}
			text = strings.Join(said, "\n")
		}
		s.Text = text
		return s, nil
	}
	if text == "" {
		return s, qed.ErrEmptyTurn
	}
	if s.plan().open() && qed.GaveUp(ctx) { // an agent around this one took the message that gave up the plan
		s.Plan = nil
	}
	s.Read, s.ReadReason = turn.Intent, turn.IntentReason
	s.Text, s.History, s.Known = text, a.told(turn.History), Known{}
	return s, nil
}

// told returns what of a conversation the agent's own calls are told.
func (a *agent) told(history []llm.Message) []llm.Message {
	m := a.durable.Memory
	if m == nil {
		m = &qed.Memory{}
	}
	return m.Select(history)
}

func afterClassifying(s state) string {
	switch {
	case s.Dropped || s.Said != "":
		return "format_results"
	case s.Plan != nil && s.plan().Proposed && s.plan().open():
		return "approve_plan"
	case s.plan().runs():
		return "execute_next_todo"
	case s.Plan != nil:
		return "format_results" // what was left of it is skipped, or has failed before
	case s.Intent == qed.IntentAnswer && s.Rewritten != "":
		return "plan_todos"
	}
	return "reiterate_intention"
}

func afterPlanning(s state) string {
	switch {
	case !s.plan().open():
		return "format_results"
	case s.plan().Proposed:
		return "approve_plan"
	}
	return "execute_next_todo"
}

func afterSaving(s state) string {
	if s.plan().runs() && !s.Asks {
		return "execute_next_todo"
	}
	return "save_query_metadata"
}

func afterSavingQueries(s state) string {
	if s.Asks {
		return "ask_clarification"
	}
	return "format_results"
}
