package searchagent

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/drafts"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/llm"
)

// state is what one turn knows so far. It can be stored as JSON, as every state of
// a graph.
type state struct {
	Question string
	History  []llm.Message // the earlier messages, oldest first

	Intent, Confidence, Reasoning string // of the message; empty if it was not classified

	Tasks []task // the plan, ordered so that no task needs a later one

	Reason   string // why the answer is partial, apart from what the tasks report; may be empty
	Declined bool   // the message does not ask for a search
	Text     string
	Stated   []qed.Figure // in Text
	Unproved []string     // numbers in Text
	Dates    []dates.Reading
}

// phase is what happens to a task next.
type phase string

const (
	waiting    phase = ""           // it waits for the tasks that it needs
	drafting   phase = "writing"    // the model writes its search
	searching  phase = "searching"  // its search runs
	explaining phase = "explaining" // it found nothing: the reason is looked for
	choosing   phase = "choosing"   // it found several documents and needs one
	done       phase = "done"       // it is finished, whether it found something or not
	failed     phase = "failed"     // it failed: see Failure
)

// task is one task of the plan, with its result.
type task struct {
	Key, Description, Index string
	After                   []string // the keys of the tasks whose documents it needs
	One                     bool     // it looks for one document, which later tasks need

	Phase   phase
	Failure string // for the developer and the model
	Told    string // the same for the user; empty if there is nothing to say but that it failed

	Draft   drafts.Draft // the body of its search
	Show    []string     // the fields that the model wants to show
	Relaxed bool         // the search was written again after it found nothing
	Fault   string       // how the engine failed with the search, which is written once more then; empty if it did not

	Query qed.Query // the proof
	Total int64     // the number of documents that match
	Exact bool      // Total is exact, and not a lower bound
	Sized bool      // the search itself limits the number of documents

	Found   found
	Figures bool     // Table has aggregations over all matching documents, and not the documents
	Chosen  string   // a description of the user's choice; empty if the user was not asked
	Why     []string // why nothing was found, one line per condition
	Notes   []string // what is missing from what was found, and why, for the user
	Rough   string   // which figures are not exact, and why

	Table   *qed.Table // the documents or figures, or the first rows of them: see rows; nil if nothing was found
	Handle  string     // the handle of all rows of Table; empty if Table has all of them
	Rest    bool       // not all wanted documents were read
	RestWhy string     // why, if it is not for their number
}

// begin returns the state at the start of a turn.
func begin(_ context.Context, _ state, turn qed.Turn) (state, error) {
	question := strings.TrimSpace(turn.Text)
	if question == "" {
		return state{}, fmt.Errorf("searchagent: %w", qed.ErrEmptyTurn)
	}
	return state{Question: question, History: turn.History}, nil
}

// ready reports whether a task can start: it waits, and the tasks that it needs
// found something.
func (s *state) ready(i int) bool {
	if s.Tasks[i].Phase != waiting {
		return false
	}
	return !slices.ContainsFunc(s.Tasks[i].After, func(key string) bool {
		needs := s.task(key)
		return needs == nil || !needs.hasResult()
	})
}

// hasResult reports whether a task found something.
func (t *task) hasResult() bool { return t.Phase == done && t.Table != nil }

// foundNothing reports whether the search of a task ran, and nothing matches it.
func (t *task) foundNothing() bool { return t.Phase == done && t.Table == nil }

func (s *state) task(key string) *task {
	for i := range s.Tasks {
		if s.Tasks[i].Key == key {
			return &s.Tasks[i]
		}
	}
	return nil
}

// needed reports whether another task needs the result of the task with that key.
func (s *state) needed(key string) bool {
	return slices.ContainsFunc(s.Tasks, func(t task) bool { return slices.Contains(t.After, key) })
}

// main returns the index of the task whose result is the table of the answer: the
// last one with a result that no other task needs. It returns -1 if there is none.
func (s *state) main() int {
	for i := len(s.Tasks) - 1; i >= 0; i-- {
		if s.Tasks[i].hasResult() && !s.needed(s.Tasks[i].Key) {
			return i
		}
	}
	return -1
}

// paged returns the index of the task of which more pages are to be read, or -1.
func (s *state) paged() int {
	if i := s.main(); i >= 0 && s.Tasks[i].Rest {
		return i
	}
	return -1
}

// each calls do with every task of a phase, concurrently, and stores the tasks
// that do returns.
func (s *state) each(ctx context.Context, p phase, do func(context.Context, task) (task, error)) error {
	var at []int
	for i := range s.Tasks {
		if s.Tasks[i].Phase == p {
			at = append(at, i)
		}
	}
	results, err := qed.Each(ctx, at, func(i int) string { return s.Tasks[i].Key },
		func(ctx context.Context, i int) (task, error) { return do(ctx, s.Tasks[i]) })
	if err != nil {
		return err
	}
	for n, i := range at {
		s.Tasks[i] = results[n]
	}
	return nil
}

// note adds a note, unless the task has it already.
func (t *task) note(note string) {
	t.Notes = lists.Add(t.Notes, note)
}

// total returns the number of matching documents in words.
func (t *task) total() string {
	text := strconv.FormatInt(t.Total, 10)
	if !t.Exact {
		return "at least " + text
	}
	return text
}

// fail ends a task that cannot be done. The reason can be part of a sentence.
func (t *task) fail(ctx context.Context, format string, args ...any) {
	t.Phase, t.Failure = failed, fmt.Sprintf(format, args...)
	t.emitFinished(ctx)
}

// giveUp ends a task for which there is no other search. If its first search ran,
// the empty result of that search stands. If the engine failed with a search, its
// failure is the error of the turn: other words of the user would not help.
func (t *task) giveUp(ctx context.Context, format string, args ...any) error {
	switch {
	case t.Fault != "":
		return &esquery.EngineError{
			Kind: esquery.ErrUnavailable, Status: http.StatusInternalServerError, Index: t.Index, Reason: t.Fault,
		}
	case t.Relaxed:
		t.finish(ctx)
	default:
		t.fail(ctx, format, args...)
	}
	return nil
}

// finish ends a task.
func (t *task) finish(ctx context.Context) {
	t.Phase = done
	t.emitFinished(ctx)
}

func (t *task) emitFinished(ctx context.Context) {
	qed.Emit(ctx, qed.TaskFinished{
		Key: t.Key, Rows: t.Query.Rows, Cached: t.Query.Cached, Millis: t.Query.Millis, Error: t.Failure,
	})
}
