package todoagent

import (
	"cmp"
	"context"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
)

// state is what the agent knows of a conversation and of the plan at hand.
type state struct {
	Turn    int    // the number of the user's messages, this one included
	Entries int    // the number of the last memory entry
	Text    string // the message of this turn
	Replied bool   // the message is a reply to an open question
	Alone   bool   // nothing is kept, and the run cannot be interrupted

	Read       question.Intent // the intent that was read when the message closed open questions
	ReadReason string

	Intent  question.Intent
	History []llm.Message // the conversation before this turn; empty once it is not needed any more
	Known   known         // what is remembered; the same

	Request   string // the message that the plan is made for
	Before    string // the request that Request changes or continues
	Rewritten string // Request, clear in itself
	PlanID    string // of the plan that is made for Request
	Plan      *plan  // nil: none

	Ran      map[string]finding.QueryMetadata // the queries that the plan's tasks ran, by key
	Entities []finding.Entity                 // found, and not remembered yet

	NewEntries  []Entry                 // not saved yet
	Metadata    []finding.QueryMetadata // of the queries that ran; not saved yet
	Answered    bool                    // the plan's answer was given
	Interrupted bool                    // a task that has just run interrupted the run
	Tried       []string                // the keys of the tasks that ran in this turn, or in the one that it replies to

	Said    string // the text of the answer, if it is not the findings
	Reason  string // why the answer is partial; empty: it is not
	Failure string // the same for the developer; empty if Reason says it all
	Dropped bool   // the user aborted
}

// begin returns the state that a turn begins with. An open plan stays open: what
// the turn means is not known yet.
func (a *agent) begin(ctx context.Context, s state, turn qed.Turn) (state, error) {
	text := strings.TrimSpace(turn.Text)
	s.Turn++
	s.Alone, _ = ctx.Value(aloneKey{}).(bool)
	s.Said, s.Reason, s.Failure, s.Dropped = "", "", "", false
	if s.Replied = len(turn.Replies) > 0; s.Replied {
		if text == "" {
			replies := lists.Map(turn.Replies, func(r question.Reply) string { return r.Text() })
			text = strings.Join(replies, "\n")
		}
		s.Text = text
		return s, nil
	}
	if text == "" {
		return s, qed.ErrEmptyTurn
	}
	// An agent around this one may have received the message that aborted the plan.
	if s.Plan.open() && qed.Info(ctx).QuestionsAborted() {
		s.Plan = nil
	}
	memory := cmp.Or(a.durable.Memory, &qed.Memory{})
	s.Read, s.ReadReason, s.Tried = turn.Intent, turn.IntentReason, nil
	s.Text, s.History, s.Known = text, memory.Select(turn.History), known{}
	return s, nil
}

// The functions below route a turn after the node in their name.

func afterClassifying(s state) string {
	switch {
	case s.Dropped || s.Said != "":
		return "format_results"
	case s.Plan.open() && s.Plan.Proposed:
		return "approve_plan"
	case s.Plan.runs():
		return "execute_next_todo"
	case s.Plan != nil:
		return "format_results" // the rest of it is skipped, or its current task failed
	case s.Intent == question.IntentAnswer && s.Rewritten != "":
		return "plan_todos"
	}
	return "reiterate_intention"
}

func afterPlanning(s state) string {
	switch {
	case !s.Plan.open():
		return "format_results"
	case s.Plan.Proposed:
		return "approve_plan"
	}
	return "execute_next_todo"
}

func afterSaving(s state) string {
	if s.Plan.runs() && !s.Interrupted {
		return "execute_next_todo"
	}
	return "save_query_metadata"
}

func afterSavingQueries(s state) string {
	if s.Interrupted {
		return "ask_clarification"
	}
	return "format_results"
}
