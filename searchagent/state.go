package searchagent

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/refusal"
)

// state is what one turn knows so far. It survives JSON, as every state of a
// graph does.
type state struct {
	Question string
	History  []llm.Message // what was said before, oldest first

	Steps []step // the plan, in an order in which no step needs a later one

	Reason   string // why the answer is partial, beside what the steps say; empty: it is not
	Declined bool   // the message asks for no search
	Text     string
	Usage    llm.Usage // but for that of the steps
}

// phase is what is to be done with a step next.
type phase string

const (
	waiting    phase = ""           // for the steps that it needs
	writing    phase = "writing"    // the model writes its search
	searching  phase = "searching"  // that runs
	explaining phase = "explaining" // it found nothing: why?
	choosing   phase = "choosing"   // it found several things where one is needed
	done       phase = "done"       // what it found is there, or that there is nothing
	failed     phase = "failed"     // Failure says why
)

// step is one step of a plan, and what became of it.
type step struct {
	Key, Task, Index string
	After            []string // the keys of the steps whose documents it needs
	One              bool     // it looks for one thing, which later steps need

	Phase   phase
	Failure string

	Body     string            // what the model wrote last
	Show     []string          // the fields that it wants shown
	Tried    []string          // every body so far, folded, to see one that comes back
	Problems []refusal.Problem // why Body cannot be used
	Refused  int               // how often a body was refused
	Errors   int               // how often the engine rejected one
	Relaxed  bool              // it was written anew after it found nothing

	Query qed.Query // the proof
	Total int64     // how many documents there are
	Exact bool      // Total is not just a lower bound
	Sized bool      // the search itself says how many documents are wanted

	Found   found
	Figures bool     // Table has figures of all documents that match, and not the documents
	Choices []string // of those to choose from, what tells them apart
	Chosen  string   // what the user chose among several; empty: he was not asked
	Why     []string // why nothing was found, a line a condition
	Notes   []string // what is missing of what was found, and why

	Table  *qed.Table // the documents' fields, or the first rows: see rows; nil: nothing was found
	Handle string     // under which the run keeps all rows of Table; empty: they are all in it
	Rest   bool       // there are more documents than were read, of those that are wanted
	// RestWhy says why they were not, where that is not for their number.
	RestWhy string

	Usage llm.Usage
}

// begin is the state that a turn starts from.
func begin(_ context.Context, _ state, turn qed.Turn) (state, error) {
	question := strings.TrimSpace(turn.Text)
	if question == "" {
		return state{}, fmt.Errorf("searchagent: %w", qed.ErrEmptyTurn)
	}
	return state{Question: question, History: turn.History}, nil
}

// ready reports whether a step can begin: it waits, and all that it needs is there.
func (s *state) ready(i int) bool {
	if s.Steps[i].Phase != waiting {
		return false
	}
	for _, key := range s.Steps[i].After {
		if needs := s.step(key); needs == nil || !needs.fruitful() {
			return false
		}
	}
	return true
}

// fruitful reports whether a step found something.
func (st *step) fruitful() bool { return st.Phase == done && st.Table != nil }

func (s *state) step(key string) *step {
	for i := range s.Steps {
		if s.Steps[i].Key == key {
			return &s.Steps[i]
		}
	}
	return nil
}

// needed reports whether another step needs what the step of that key finds.
func (s *state) needed(key string) bool {
	for i := range s.Steps {
		for _, needs := range s.Steps[i].After {
			if needs == key {
				return true
			}
		}
	}
	return false
}

// main is the step whose documents are the answer's table: the last that found
// something of those that no other one needs; -1: there is none.
func (s *state) main() int {
	for i := len(s.Steps) - 1; i >= 0; i-- {
		if s.Steps[i].fruitful() && !s.needed(s.Steps[i].Key) {
			return i
		}
	}
	return -1
}

// paged is the step of which more is to be read, by page; -1: there is none.
func (s *state) paged() int {
	if i := s.main(); i >= 0 && s.Steps[i].Rest {
		return i
	}
	return -1
}

// each does something with every step of a phase, at the same time, and puts what
// becomes of it in its place.
func (s *state) each(ctx context.Context, p phase, do func(context.Context, step) (step, error)) error {
	var at []int
	for i := range s.Steps {
		if s.Steps[i].Phase == p {
			at = append(at, i)
		}
	}
	became, err := qed.Each(ctx, at, func(i int) string { return s.Steps[i].Key },
		func(ctx context.Context, i int) (step, error) { return do(ctx, s.Steps[i]) })
	if err != nil {
		return err
	}
	for n, i := range at {
		s.Steps[i] = became[n]
	}
	return nil
}

// note adds to what is missing, once.
func (st *step) note(format string, args ...any) {
	if note := fmt.Sprintf(format, args...); !slices.Contains(st.Notes, note) {
		st.Notes = append(st.Notes, note)
	}
}

// total is how many documents there are, in words.
func (st *step) total() string {
	text := strconv.FormatInt(st.Total, 10)
	if !st.Exact {
		return "at least " + text
	}
	return text
}

// fail ends a step that cannot be done, for a reason that a sentence can go on with.
func (st *step) fail(ctx context.Context, format string, args ...any) {
	st.Phase, st.Failure = failed, fmt.Sprintf(format, args...)
	st.finished(ctx, st.Failure)
}

// giveUp ends a step for which there is no other search. What ran before stands, empty
// as it is.
func (st *step) giveUp(ctx context.Context, format string, args ...any) {
	if st.Relaxed {
		st.finish(ctx)
		return
	}
	st.fail(ctx, format, args...)
}

// finish ends a step.
func (st *step) finish(ctx context.Context) {
	st.Phase = done
	st.finished(ctx, "")
}

func (st *step) finished(ctx context.Context, failure string) {
	qed.Emit(ctx, qed.TaskFinished{Key: st.Key, Rows: st.Query.Rows, Cached: st.Query.Cached, Millis: st.Query.Millis, Error: failure})
}
