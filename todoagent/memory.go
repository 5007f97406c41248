package todoagent

import (
	"context"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/recall"
	"github.com/qedkit/qed/store"
)

// An Entry is the memory entry of a task that ran. A task that ran several times
// has several.
type Entry struct {
	TurnID   int       `json:"turn_id"`   // the number of the entry in the thread, from 1
	UserTurn int       `json:"user_turn"` // the number of the user's message in whose turn it ran, from 1
	Time     time.Time `json:"time"`

	TodoKey         string         `json:"todo_key"`
	TodoDescription string         `json:"todo_description"`
	Status          qed.TodoStatus `json:"status"`
	UserInput       string         `json:"user_input"`   // the user's message in that turn
	AgentAction     string         `json:"agent_action"` // the outcome, or why there is none

	ToolsCalled        []string               `json:"tools_called"`
	QueriesExecuted    []qed.Query            `json:"queries_executed"`
	QueryMetadata      *finding.QueryMetadata `json:"query_metadata"`      // of the query that ran; null: none
	ClarificationAsked *string                `json:"clarification_asked"` // the question; null: none

	// ActiveTodoListSnapshot is the plan after the task ran, without the results of
	// its tasks.
	ActiveTodoListSnapshot qed.TodoList `json:"active_todo_list_snapshot"`
}

// The names of the agent's memory in a thread. See [qed.Remember].
const (
	entriesName = "todo/entries"
	queriesName = "todo/queries"
)

// memoryName returns the name of the memory of the agent of ctx. An agent that is a
// task of another agent, or runs next to others, has its own memory.
func memoryName(ctx context.Context, name string) string {
	of, _ := ctx.Value(memoryKey{}).(string)
	return name + of
}

const (
	maxReason  = 300  // bytes of a reason
	maxProblem = 2000 // bytes of why a task failed
	maxAction  = 1000 // bytes of an entry's AgentAction
)

// Entries returns the last n memory entries of a thread, oldest first. If n is 0, it
// returns all.
//
//   - Agents that are tasks of other agents have a memory of their own, which
//     Entries does not read.
//   - The snapshots are the plans at that time. The plan that is open now is the Plan of
//     the last answer.
//   - Entries does not check whose thread it is: see [qed.Inspect].
func Entries(ctx context.Context, st store.Store, thread string, n int) ([]Entry, error) {
	return qed.Entries[Entry](ctx, st, thread, entriesName, n)
}

// known is the part of the memory that prompts have. All of it is data.
type known struct {
	Entries  []knownEntry     // the last tasks, oldest first
	Queries  []knownQuery     // the last queries, oldest first
	Turns    []knownTurn      // older turns of the user that are similar to the question, the most similar first
	Entities []finding.Entity // that the user mentioned before
}

type knownEntry struct {
	TurnID      int
	Key, Action string
	Status      qed.TodoStatus
	Said        string // the user's message
}

// A knownQuery is a [finding.QueryMetadata] in a prompt.
type knownQuery struct {
	TurnID                                           int
	QueryType, Request, Summary, HowToRetrieve, Tool string
	Columns                                          []string
}

// A knownTurn is a [usermemory.PastTurn] in a prompt.
type knownTurn struct{ Request, Answer string }

const (
	maxKnownText    = 300 // bytes of each text from the memory in a prompt
	maxKnownName    = 100 // of each name
	maxKnownColumns = 30
)

// addKnown reads the memory of the thread for the prompts.
func (a *agent) addKnown(ctx context.Context, s *state) error {
	entries, err := qed.Remembered[Entry](ctx, memoryName(ctx, entriesName), shortTerm)
	if err != nil {
		return err
	}
	queries, err := qed.Remembered[finding.QueryMetadata](ctx, memoryName(ctx, queriesName), shortTerm)
	if err != nil {
		return err
	}
	var known known
	for _, e := range entries {
		known.Entries = append(known.Entries, knownEntry{
			TurnID: e.TurnID, Key: e.TodoKey, Action: prompt.Clip(e.AgentAction, maxKnownText),
			Status: e.Status, Said: prompt.Clip(e.UserInput, maxKnownText),
		})
	}
	for _, q := range queries {
		k := knownQuery{
			TurnID:        q.TurnID,
			QueryType:     prompt.Clip(q.QueryType, maxKnownName),
			Request:       prompt.Clip(q.Request, maxKnownText),
			Summary:       prompt.Clip(q.Summary, maxKnownText),
			HowToRetrieve: prompt.Clip(q.HowToRetrieve, maxKnownText),
			Tool:          q.Tool,
		}
		if q.Rows != nil {
			for _, c := range q.Rows.Sample.Columns[:min(len(q.Rows.Sample.Columns), maxKnownColumns)] {
				k.Columns = append(k.Columns, prompt.Clip(c.Name, maxKnownName))
			}
		}
		known.Queries = append(known.Queries, k)
	}
	if n := len(entries); n > 0 {
		// If the state was lost because the graph changed, the numbers go on.
		last := entries[n-1]
		s.Entries = max(s.Entries, last.TurnID)
		s.Turn = max(s.Turn, last.UserTurn+1)
	}
	s.Known = known
	return nil
}

// recall adds the memory of the user across threads.
func (a *agent) recall(ctx context.Context, s *state) error {
	known, err := recall.Recall(ctx, a.opt.User, s.Text, recall.Counts{Similar: recalled})
	s.Known.Turns, s.Known.Entities = nil, known.Entities
	for _, t := range known.Turns {
		s.Known.Turns = append(s.Known.Turns, knownTurn{Request: t.Request, Answer: t.Answer})
	}
	return err
}
