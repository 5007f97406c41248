package todoagent

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/usermemory"
)

// A TodoEntry is what a thread remembers of a task that ran: one for each time that it did.
type Entry struct {
	TurnID   int       `json:"turn_id"`   // numbers the entries of the thread, from 1
	UserTurn int       `json:"user_turn"` // numbers the user's messages, from 1: of the one in which it ran
	Time     time.Time `json:"time"`

	TodoKey         string         `json:"todo_key"`
	TodoDescription string         `json:"todo_description"`
	Status          qed.TodoStatus `json:"status"`
	UserInput       string         `json:"user_input"`   // what the user said in that turn
	AgentAction     string         `json:"agent_action"` // what came of it, or why nothing did

	ToolsCalled        []string           `json:"tools_called"`
	QueriesExecuted    []qed.Query        `json:"queries_executed"`
	QueryMetadata      *qed.QueryMetadata `json:"query_metadata"`      // of the query that ran; null where none did
	ClarificationAsked *string            `json:"clarification_asked"` // the question; null where none was asked

	// ActiveTodoListSnapshot is the plan after the task ran, without what its tasks found.
	ActiveTodoListSnapshot qed.TodoList `json:"active_todo_list_snapshot"`
}

// Where a thread remembers what the agent notes. See [Remember].
const (
	entriesName = "todo/entries"
	queriesName = "todo/queries" // QueryMetadata
)

// memoryName returns what the memory of the agent of ctx is called. One that is a task of another, or runs beside others, has its own.
func memoryName(ctx context.Context, name string) string {
	of, _ := ctx.Value(memoryKey{}).(string)
	return name + of
}

const (
	maxReason  = 300  // bytes of a reason
	maxProblem = 2000 // bytes of why a task failed
	maxAction  = 1000 // bytes of what an entry says of a task
)

// TodoEntries returns the last n memory entries that the TODO agents of a thread left, oldest first; n of 0 means all. Agents that are tasks of
// others, or run beside others, have a memory of their own, which is not meant. The snapshots are the plans as they were then: for the one that
// is open now see [Open]. It asks for no user: see [Inspect].
func Entries(ctx context.Context, st store.Store, thread string, n int) ([]Entry, error) {
	return qed.ReadEntries[Entry](ctx, st, thread, entriesName, n)
}

// save is the node that remembers what the tasks did that have just run: one entry each.
func (a *agent) save(ctx context.Context, s state) (state, error) {
	return s, a.saveEntries(ctx, &s)
}

// saveQueries is the node that remembers the queries that ran, for the thread, and what the plan came to for the user, once it is over.
func (a *agent) saveQueries(ctx context.Context, s state) (state, error) {
	if err := a.saveAll(ctx, &s); err != nil {
		return s, err
	}
	if s.plan().open() && len(s.Entities) == 0 {
		return s, nil
	}
	return s, a.noteForUser(ctx, &s)
}

// saveAll remembers what is not saved yet.
func (a *agent) saveAll(ctx context.Context, s *state) error {
	if err := a.saveEntries(ctx, s); err != nil {
		return err
	}
	for _, q := range s.Metadata {
		if err := rememberOnce(ctx, queriesName, q.TurnID, q); err != nil {
			return err
		}
	}
	s.Metadata = nil
	return nil
}

func (a *agent) saveEntries(ctx context.Context, s *state) error {
	for _, e := range s.Noted {
		e.ActiveTodoListSnapshot = s.plan().snapshot() // nothing was done to the plan since
		if err := rememberOnce(ctx, entriesName, e.TurnID, e); err != nil {
			return err
		}
	}
	s.Noted = nil
	return nil
}

// rememberOnce remembers an entry, unless an earlier turn, which was stopped before its state was saved, did.
func rememberOnce[T any](ctx context.Context, name string, turnID int, entry T) error {
	name = memoryName(ctx, name)
	return qed.Remember(qed.WithNamespace(ctx, name+"/"+strconv.Itoa(turnID)), name, entry)
}

// noteForUser remembers the entities that came up, and a plan that is over, beyond the thread.
func (a *agent) noteForUser(ctx context.Context, s *state) error {
	entities := s.Entities
	s.Entities = nil
	turn := qed.Info(ctx).Turn
	if a.opt.User == nil || turn.User == "" {
		return nil
	}
	var past usermemory.PastTurn
	if !s.plan().open() {
		past = usermemory.PastTurn{
			Thread: turn.Thread, Turn: s.Turn, Plan: s.plan().ID, Time: qed.TurnTime(ctx), Request: s.Request, Rewritten: s.Rewritten,
		}
		found, err := s.found(ctx, func(string, error) error { return nil })
		if err != nil {
			return err
		}
		past.Answer = s.words(found)
		for _, t := range s.Plan.Tasks {
			if q, ran := s.Ran[t.Key]; ran && t.Status == qed.TodoComplete {
				past.Queries = append(past.Queries, q)
			}
		}
	}
	_, err := qed.Step(ctx, "note for the user", s.Ground, func(ctx context.Context) (bool, error) {
		return true, a.opt.User.Note(ctx, usermemory.User{Tenant: turn.Tenant, ID: turn.User}, past, entities)
	})
	if call, ok := errors.AsType[*qed.CallError](err); ok {
		qed.Emit(ctx, qed.MemoryIncomplete{Message: "what is remembered of the user could not be added to: " + call.Message})
		return nil
	}
	return err
}

// TodoKnown is what of a conversation's memory stands in prompts. All of it is data.
type Known struct {
	Entries  []KnownEntry // the last tasks, oldest first
	Queries  []KnownQuery // the last queries, oldest first
	Turns    []KnownTurn  // older turns of the user that are like the question, the most alike first
	Entities []qed.Entity // that the user spoke of before
}

// A KnownEntry is a [TodoEntry] in a prompt.
type KnownEntry struct {
	TurnID      int
	Key, Action string
	Status      qed.TodoStatus
	Said        string // by the user
}

// A KnownQuery is a [QueryMetadata] in a prompt.
type KnownQuery struct {
	TurnID                                           int
	QueryType, Request, Summary, HowToRetrieve, Tool string
	Columns                                          []string
}

// A KnownTurn is a [PastTurn] in a prompt.
type KnownTurn struct{ Request, Answer string }

const (
	maxKnownText     = 300 // bytes of each text that a prompt quotes from memory
	maxKnownName     = 100 // of each name
	maxKnownEntities = 20
	maxKnownColumns  = 30
)

// remembered reads what prompts are told of the thread.
func (a *agent) remembered(ctx context.Context, s *state) error {
	entries, err := qed.Remembered[Entry](ctx, memoryName(ctx, entriesName), a.opt.ShortTerm)
	if err != nil {
		return err
	}
	queries, err := qed.Remembered[qed.QueryMetadata](ctx, memoryName(ctx, queriesName), a.opt.ShortTerm)
	if err != nil {
		return err
	}
	var known Known
	for _, e := range entries {
		known.Entries = append(known.Entries, KnownEntry{e.TurnID, e.TodoKey, prompt.Clip(e.AgentAction, maxKnownText), e.Status, prompt.Clip(e.UserInput, maxKnownText)})
	}
	for _, q := range queries {
		k := KnownQuery{q.TurnID, prompt.Clip(q.QueryType, maxKnownName), prompt.Clip(q.Request, maxKnownText), prompt.Clip(q.Summary, maxKnownText),
			prompt.Clip(q.HowToRetrieve, maxKnownText), q.Tool, nil}
		if q.Rows != nil {
			for _, c := range q.Rows.Sample.Columns[:min(len(q.Rows.Sample.Columns), maxKnownColumns)] {
				k.Columns = append(k.Columns, prompt.Clip(c.Name, maxKnownName))
			}
		}
		known.Queries = append(known.Queries, k)
	}
	if n := len(entries); n > 0 {
		// A state that was lost, as the graph changed, does not have numbers begin anew.
		last := entries[n-1]
		s.Entries = max(s.Entries, last.TurnID)
		s.Turn = max(s.Turn, last.UserTurn+1)
	}
	s.Known = known
	return nil
}

// recall adds what is remembered of the user beyond the thread. What fails there is told, and goes without.
func (a *agent) recall(ctx context.Context, s *state) error {
	turn := qed.Info(ctx).Turn
	if a.opt.User == nil || turn.User == "" {
		return nil
	}
	type recalled struct {
		Turns    []KnownTurn
		Entities []qed.Entity
	}
	user := usermemory.User{Tenant: turn.Tenant, ID: turn.User}
	found, err := qed.Step(ctx, "recall", s.Text, func(ctx context.Context) (recalled, error) {
		var r recalled
		turns, err := a.opt.User.Recall(ctx, user, s.Text, a.opt.Recall)
		if err != nil {
			return r, err
		}
		for _, t := range turns {
			r.Turns = append(r.Turns, KnownTurn{prompt.Clip(cmp.Or(t.Rewritten, t.Request), maxKnownText), prompt.Clip(t.Answer, maxKnownText)})
		}
		entities, err := a.opt.User.Entities(ctx, user)
		if err != nil {
			return r, err
		}
		for _, e := range entities[:min(len(entities), maxKnownEntities)] {
			r.Entities = append(r.Entities, e.Entity)
		}
		return r, nil
	})
	if call, ok := errors.AsType[*qed.CallError](err); ok {
		qed.Emit(ctx, qed.MemoryIncomplete{Message: "what is remembered of the user could not be read: " + call.Message})
		return nil
	}
	s.Known.Turns, s.Known.Entities = found.Turns, found.Entities
	return err
}
