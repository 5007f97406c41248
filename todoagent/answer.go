package todoagent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/store"
)

// format is the node that says what the turn came to. It also ends a turn whose budget is used up.
func (a *agent) format(ctx context.Context, s state) (state, error) {
	s.Told = s.Plan != nil && !s.plan().open()
	switch err := qed.BudgetExceeded(ctx); {
	case err != nil && qed.Info(ctx).Nested && s.plan().open():
		return s, err // the plan goes on where the one goes on that the agent is a tool of
	case err != nil:
		s.Reason, s.Said = err.Error(), "I had to stop here, as what may be spent on a request is used up."
		if s.plan().open() {
			s.Said += fmt.Sprintf(" The plan stays open at %s: \"continue\" goes on with it.", s.plan().Current)
		}
		return s, nil
	case s.Said != "":
		return s, nil
	case s.Dropped:
		s.Said = "All right."
		return s, nil
	case s.Plan == nil:
		return s, nil
	}
	if t := s.plan().task(s.plan().Current); t != nil && t.Status == qed.TodoFailed {
		s.Reason = fmt.Sprintf("task %s failed: %s", t.Key, t.Problem)
		s.Said = fmt.Sprintf("%s failed: %s", t.Key, t.Problem)
		if !s.Alone {
			s.Said += fmt.Sprintf("\nSay \"retry\", \"skip %s\", or what to do instead.", t.Key)
		}
		return s, nil
	}
	var skipped []string
	for _, t := range s.plan().Tasks {
		if t.Status == qed.TodoSkipped {
			skipped = append(skipped, t.Key)
		}
	}
	if len(skipped) > 0 {
		s.Reason = "skipped: " + strings.Join(skipped, ", ")
	}
	return s, s.plan().readable(ctx)
}

// readable returns an error where the store does not give what tasks found: then another turn tells it.
func (l *plan) readable(ctx context.Context) error {
	for _, t := range l.Tasks {
		if t.Status != qed.TodoComplete || t.Result.Handle == "" {
			continue
		}
		if _, err := l.result(ctx, t.Key); err != nil && !gone(err) {
			return err
		}
	}
	return nil
}

// gone reports whether what was kept cannot be had any more, however often it is asked for.
func gone(err error) bool { return errors.Is(err, qed.ErrNotFound) || errors.Is(err, store.ErrCorrupt) }

// answer reads the answer from the state.
func (a *agent) answer(ctx context.Context, s state) (qed.Answer, error) {
	answer := qed.Answer{Text: s.Said, Partial: s.Reason != "", PartialReason: s.Reason}
	if qed.Info(ctx).Nested && s.Reason != "" && (s.Plan == nil || s.plan().open()) {
		return answer, errors.New(s.Reason) // who called the agent as a tool cannot go on with its plan
	}
	if s.Plan == nil {
		return answer, nil
	}
	// What a tool only says that it kept does not cost the user the rest.
	missing := func(what string, err error) error {
		if done := ctx.Err(); done != nil {
			return done
		}
		answer.Partial = true
		answer.PartialReason = strings.TrimSpace(fmt.Sprintf("%s %s cannot be had: %s", answer.PartialReason, what, prompt.Clip(err.Error(), maxKnownText)))
		return nil
	}
	found, err := s.found(ctx, missing)
	if err != nil {
		return answer, err
	}
	var rows *qed.RowsRef
	for _, f := range found {
		if f.Rows != nil {
			rows = f.Rows
		}
		if f.Partial != "" && !strings.Contains(answer.PartialReason, f.Partial) {
			answer.Partial = true
			answer.PartialReason = strings.TrimSpace(answer.PartialReason + " " + f.Partial)
		}
		answer.Queries = append(answer.Queries, f.Queries...)
		answer.Citations = append(answer.Citations, f.Citations...)
		for _, k := range f.Artifacts {
			artifact, err := k.Artifact(ctx)
			if err == nil {
				answer.Artifacts = append(answer.Artifacts, artifact)
			} else if err := missing("artifact "+prompt.Clip(k.Name, 100), err); err != nil {
				return answer, err
			}
		}
	}
	answer.Text = cmp.Or(answer.Text, s.words(found))
	if rows != nil {
		table, err := rows.Table(ctx)
		if err != nil {
			if err := missing("the table", err); err != nil {
				return answer, err
			}
		}
		answer.Table = table
	}
	return answer, nil
}

// A todoFound is what a task found.
type taskFinding struct {
	Task   *qed.Todo
	Output json.RawMessage
	qed.Finding
}

// found returns what the plan's tasks found that are complete, in their order. missing is told what is not kept any more; that the store does not
// answer is an error.
func (s *state) found(ctx context.Context, missing func(what string, err error) error) ([]taskFinding, error) {
	var all []taskFinding
	for i := range s.Plan.Tasks {
		t := &s.Plan.Tasks[i]
		if t.Status != qed.TodoComplete {
			continue
		}
		output, err := s.plan().result(ctx, t.Key)
		switch {
		case gone(err):
			if err := missing("what "+t.Key+" found", err); err != nil {
				return nil, err
			}
			continue
		case err != nil:
			return nil, err
		}
		f := qed.ParseFinding(output)
		for i := range f.Queries {
			f.Queries[i].Task = t.Key
		}
		all = append(all, taskFinding{t, output, f})
	}
	return all, nil
}

// words returns what the tasks say to the user whose results no other task is called with. Where none says anything, it is told what they found.
func (s *state) words(found []taskFinding) string {
	var said, shown []string
	for _, f := range found {
		text, elsewhere := f.words()
		switch {
		case s.plan().used(f.Task.Key):
		case elsewhere:
			shown = append(shown, text)
		default:
			said = append(said, text)
		}
	}
	if len(said) == 0 {
		said = shown
	}
	complete := func(t qed.Todo) bool { return t.Status == qed.TodoComplete }
	switch {
	case len(said) > 0:
		return strings.Join(said, "\n\n")
	case slices.ContainsFunc(s.Plan.Tasks, complete):
		return "What was found is not kept any more."
	}
	return "Nothing was left to do."
}

// nothing is what a tool returns that has nothing to say.
var nothing = []string{"", "null", "{}", "[]", `""`}

// words returns what a task found: its own words, or what else it returned. elsewhere says that the answer has it in another form.
func (f *taskFinding) words() (text string, elsewhere bool) {
	switch {
	case f.Text != "":
		return f.Text, false
	case f.Rows != nil:
		return f.Task.Description + ": " + f.Rows.String(), true
	case len(f.Artifacts) > 0 || len(f.Citations) > 0 || slices.Contains(nothing, string(f.Output)):
		return f.Task.Description + ": done", true
	}
	var words string
	if json.Unmarshal(f.Output, &words) == nil {
		return words, false
	}
	return f.Task.Description + ": " + prompt.Clip(string(f.Output), maxKnownText), false
}
