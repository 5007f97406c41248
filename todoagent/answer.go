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
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/store"
)

// format is the node that decides what the answer says. It also ends a turn whose
// budget is used up.
func (a *agent) format(ctx context.Context, s state) (state, error) {
	s.Answered = s.Plan != nil && !s.Plan.open()
	if err := a.failForgotten(ctx, &s); err != nil {
		return s, err
	}
	texts := a.texts(ctx)
	// A budget that is used up when the plan is done costs nothing of the answer.
	if err := qed.BudgetExceeded(ctx); err != nil && (s.Plan == nil || s.Plan.open()) {
		if qed.Info(ctx).Nested && s.Plan.open() {
			return s, err // the plan is resumed together with the plan of the agent around it
		}
		s.Reason, s.Said, s.Failure = texts.Limit, texts.Limit, err.Error()
		if s.Plan.open() {
			s.Said += " " + usertext.Fill(texts.PlanOpen, "key", s.Plan.Current)
		}
		return s, nil
	}
	switch {
	case s.Said != "":
		return s, nil
	case s.Dropped:
		s.Said = texts.Aborted
		return s, nil
	case s.Plan == nil:
		return s, nil
	}
	if t := s.Plan.task(s.Plan.Current); t != nil && t.Status == qed.TodoFailed {
		s.failed(texts, t)
		if !s.Alone {
			s.Said += "\n" + about(texts.FailedHelp, t)
		}
		return s, nil
	}
	var skipped []string
	for _, t := range s.Plan.Tasks {
		if t.Status == qed.TodoSkipped {
			skipped = append(skipped, t.Key)
		}
	}
	if len(skipped) > 0 {
		s.Reason = usertext.Fill(texts.Skipped, "tasks", strings.Join(skipped, ", "))
	}
	return s, s.Plan.checkResults(ctx)
}

// failed makes the answer say that a task failed.
func (s *state) failed(texts *texts, t *qed.Todo) {
	s.Said = about(texts.TaskFailed, t)
	if strings.HasSuffix(t.Problem, outcomeUnknown) {
		s.Said = about(texts.TaskUnknown, t)
	}
	s.Reason, s.Failure = s.Said, fmt.Sprintf("task %s failed: %s", t.Key, t.Problem)
}

// checkResults returns an error if the store fails to return a result: another
// turn can then give the answer.
func (l *plan) checkResults(ctx context.Context) error {
	for _, t := range l.Tasks {
		if t.Status != qed.TodoComplete || t.Result.Handle == "" {
			continue
		}
		if _, err := l.result(ctx, t.Key); err != nil && !lost(err) {
			return err
		}
	}
	return nil
}

// lost reports whether a saved result cannot be loaded any more, even if it is
// tried again.
func lost(err error) bool { return errors.Is(err, qed.ErrNotFound) || errors.Is(err, store.ErrCorrupt) }

func (a *agent) answer(ctx context.Context, s state) (qed.Answer, error) {
	answer := qed.Answer{Text: s.Said, Partial: s.Reason != "", PartialReason: s.Reason}
	if qed.Info(ctx).Nested && s.Reason != "" && (s.Plan == nil || s.Plan.open()) {
		return answer, errors.New(cmp.Or(s.Failure, s.Reason)) // the caller of the agent as a tool cannot continue its plan
	}
	if s.Plan == nil {
		return answer, nil
	}
	answer.Plan = s.Plan.planTasks()
	for i := range answer.Plan {
		answer.Plan[i].Status = s.Plan.Tasks[i].Status
	}
	texts := a.texts(ctx)
	// A result that is lost makes the answer partial and does not cost the rest.
	missing := func(what string, err error) error {
		if done := ctx.Err(); done != nil {
			return done
		}
		qed.Emit(ctx, qed.Warning{Code: "result_lost", Message: what + " cannot be loaded: " + prompt.Clip(err.Error(), maxKnownText)})
		if !strings.Contains(answer.PartialReason, texts.Lost) {
			addPartial(&answer, texts.Lost)
		}
		return nil
	}
	findings, err := s.findings(ctx, missing)
	if err != nil {
		return answer, err
	}
	var rows *finding.RowsRef
	for i := range findings {
		f := &findings[i]
		if f.Rows != nil {
			rows = f.Rows
		}
		if f.Partial != "" && !strings.Contains(answer.PartialReason, f.Partial) {
			addPartial(&answer, f.Partial)
		}
		f.First = len(answer.Queries)
		answer.Queries = append(answer.Queries, f.Queries...)
		answer.Dates = append(answer.Dates, f.Dates...)
		answer.Used = answer.Used.And(f.Used)
		answer.Citations = append(answer.Citations, f.Citations...)
		for _, ref := range f.Artifacts {
			artifact, err := ref.Artifact(ctx)
			if err == nil {
				answer.Artifacts = append(answer.Artifacts, artifact)
			} else if err := missing("artifact "+prompt.Clip(ref.Name, 100), err); err != nil {
				return answer, err
			}
		}
	}
	if answer.Text == "" {
		s.tell(texts, &answer, findings)
	}
	if rows == nil {
		return answer, nil
	}
	table, err := rows.Table(ctx)
	answer.Table = table
	if err != nil {
		return answer, missing("the table", err)
	}
	return answer, nil
}

// addPartial makes an answer partial for one more reason.
func addPartial(answer *qed.Answer, reason string) {
	answer.Partial = true
	answer.PartialReason = strings.TrimSpace(answer.PartialReason + " " + reason)
}

type taskFinding struct {
	Task   *qed.Todo
	Output json.RawMessage
	First  int // the index of its first query in the answer
	finding.Finding
}

// findings returns the findings of the plan's complete tasks in their order. For a
// result that is lost it calls missing; that the store fails is an error.
func (s *state) findings(ctx context.Context, missing func(what string, err error) error) ([]taskFinding, error) {
	var all []taskFinding
	for i := range s.Plan.Tasks {
		t := &s.Plan.Tasks[i]
		if t.Status != qed.TodoComplete {
			continue
		}
		output, err := s.Plan.result(ctx, t.Key)
		if err != nil && lost(err) {
			if err := missing("the result of "+t.Key, err); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		f := finding.Parse(output)
		for i := range f.Queries {
			f.Queries[i].Task = t.Key
		}
		all = append(all, taskFinding{Task: t, Output: output, Finding: f})
	}
	return all, nil
}

// tell sets the text of an answer: the texts of the tasks whose results no other
// task uses, with their figures. If none of them has a text of its own, it is what
// else they returned.
func (s *state) tell(texts *texts, answer *qed.Answer, findings []taskFinding) {
	var rest []string
	for i := range findings {
		f := &findings[i]
		text, own := f.text(texts)
		switch {
		case s.Plan.used(f.Task.Key):
		case own:
			if answer.Text != "" {
				answer.Text += "\n\n"
			}
			f.addFigures(answer)
			answer.Text += text
			if doubt := answertext.Doubt(texts.Unproved, f.Unproved); doubt != "" && !strings.Contains(f.Partial, doubt) {
				addPartial(answer, doubt)
				answer.Text += "\n\n" + doubt
			}
		default:
			rest = append(rest, text)
		}
	}
	complete := func(t qed.Todo) bool { return t.Status == qed.TodoComplete }
	switch {
	case answer.Text != "":
	case len(rest) > 0:
		answer.Text = strings.Join(rest, "\n\n")
	case slices.ContainsFunc(s.Plan.Tasks, complete):
		answer.Text = texts.AllLost
	default:
		answer.Text = texts.NothingLeft
	}
}

// addFigures adds the figures of a text that is going to be at the end of the
// answer's.
func (f *taskFinding) addFigures(answer *qed.Answer) {
	for _, v := range f.Figures {
		v.Offset += len(answer.Text)
		v.Sources = slices.Clone(v.Sources)
		for i := range v.Sources {
			if v.Sources[i].Query >= 0 {
				v.Sources[i].Query += f.First
			}
		}
		answer.Figures = append(answer.Figures, v)
	}
	answer.Unproved = append(answer.Unproved, f.Unproved...)
}

// empty are the outputs of a tool that say nothing.
var empty = []string{"", "null", "{}", "[]", `""`}

// text returns a task's text or, if the answer shows its result in another form, a
// summary: own is false then.
func (f *taskFinding) text(texts *texts) (text string, own bool) {
	switch {
	case f.Text != "":
		return f.Text, true
	case f.Rows != nil:
		return f.Task.Description + ": " + f.Rows.String(), false
	case len(f.Artifacts) > 0 || len(f.Citations) > 0 || slices.Contains(empty, string(f.Output)):
		return about(texts.TaskDone, f.Task), false
	}
	var words string
	if json.Unmarshal(f.Output, &words) == nil {
		return words, true
	}
	return f.Task.Description + ": " + prompt.Clip(string(f.Output), maxKnownText), true
}
