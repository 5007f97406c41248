package todoagent

import (
	"context"
	"strconv"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/recall"
	"github.com/qedkit/qed/store/usermemory"
)

// save is the node that adds an entry to the memory for each task that has just
// run.
func (a *agent) save(ctx context.Context, s state) (state, error) {
	return s, a.saveEntries(ctx, &s)
}

// saveQueries is the node that adds the queries that ran to the memory of the
// thread. Once the plan is done, it adds the turn to the memory of the user.
func (a *agent) saveQueries(ctx context.Context, s state) (state, error) {
	if err := a.saveAll(ctx, &s); err != nil {
		return s, err
	}
	if s.Plan.open() && len(s.Entities) == 0 {
		return s, nil
	}
	return s, a.noteForUser(ctx, &s)
}

// saveAll adds everything to the memory that is not saved yet.
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
	for _, e := range s.NewEntries {
		e.ActiveTodoListSnapshot = s.Plan.snapshot() // the plan did not change since
		if err := rememberOnce(ctx, entriesName, e.TurnID, e); err != nil {
			return err
		}
	}
	s.NewEntries = nil
	return nil
}

// rememberOnce adds an entry, unless an earlier turn that was stopped before its
// state was saved has added it.
func rememberOnce[T any](ctx context.Context, name string, turnID int, entry T) error {
	name = memoryName(ctx, name)
	return qed.Remember(qed.WithNamespace(ctx, name+"/"+strconv.Itoa(turnID)), name, entry)
}

// noteForUser adds the entities that were found, and a plan that is done, to the
// memory of the user.
func (a *agent) noteForUser(ctx context.Context, s *state) error {
	entities := s.Entities
	s.Entities = nil
	turn := qed.Info(ctx).Turn
	if a.opt.User == nil || turn.User == "" {
		return nil
	}
	var past usermemory.PastTurn
	if !s.Plan.open() {
		past = usermemory.PastTurn{
			Thread: turn.Thread, Turn: s.Turn, Plan: s.Plan.ID, Time: qed.TurnTime(ctx),
			Request: s.Request, Rewritten: s.Rewritten,
		}
		findings, err := s.findings(ctx, func(string, error) error { return nil })
		if err != nil {
			return err
		}
		var answer qed.Answer
		s.tell(a.texts(ctx), &answer, findings)
		past.Answer = answer.Text
		for _, t := range s.Plan.Tasks {
			if q, ran := s.Ran[t.Key]; ran && t.Status == qed.TodoComplete {
				past.Queries = append(past.Queries, q)
			}
		}
	}
	return recall.Note(ctx, a.opt.User, past, entities)
}
