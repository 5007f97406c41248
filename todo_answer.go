package qed

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
)

// format is the node that says what the turn came to. It also ends a turn whose budget is used up.
func (a *todoAgent) format(ctx context.Context, s todoState) (todoState, error) {
	s.Told = s.Plan != nil && !s.plan().open()
	switch err := OverBudget(ctx); {
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
	if t := s.plan().task(s.plan().Current); t != nil && t.Status == TodoFailed {
		s.Reason = fmt.Sprintf("task %s failed: %s", t.Key, t.Problem)
		s.Said = fmt.Sprintf("%s failed: %s\nSay \"retry\", \"skip %s\", or what to do instead.", t.Key, t.Problem, t.Key)
		return s, nil
	}
	var skipped []string
	for _, t := range s.plan().Tasks {
		if t.Status == TodoSkipped {
			skipped = append(skipped, t.Key)
		}
	}
	if len(skipped) > 0 {
		s.Reason = "skipped: " + strings.Join(skipped, ", ")
	}
	return s, nil
}

// answer reads the answer from the state.
func (a *todoAgent) answer(ctx context.Context, s todoState) (Answer, error) {
	answer := Answer{Text: s.Said, Partial: s.Reason != "", PartialReason: s.Reason}
	if s.Plan == nil {
		return answer, nil
	}
	// What a tool only says that it kept does not cost the user the rest.
	missing := func(what string, err error) error {
		if done := cancelled(ctx); done != nil {
			return done
		}
		answer.Partial = true
		answer.PartialReason = strings.TrimSpace(fmt.Sprintf("%s %s cannot be had: %s", answer.PartialReason, what, prompt.Clip(err.Error(), maxKnownText)))
		return nil
	}
	var rows *Rows
	for _, f := range s.found() {
		if f.Rows != nil {
			rows = f.Rows
		}
		if f.Partial != "" && !strings.Contains(answer.PartialReason, f.Partial) {
			answer.Partial = true
			answer.PartialReason = strings.TrimSpace(answer.PartialReason + " " + f.Partial)
		}
		answer.Queries = append(answer.Queries, f.Queries...)
		answer.Sources = append(answer.Sources, f.Sources...)
		for _, k := range f.Artifacts {
			artifact, err := k.Artifact(ctx)
			if err == nil {
				answer.Artifacts = append(answer.Artifacts, artifact)
			} else if err := missing("artifact "+prompt.Clip(k.Name, 100), err); err != nil {
				return answer, err
			}
		}
	}
	answer.Text = cmp.Or(answer.Text, s.words())
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

// found gives what the plan's tasks found that are complete, in their order, by their keys.
func (s *todoState) found() iter.Seq2[string, Finding] {
	return func(yield func(string, Finding) bool) {
		if s.Plan == nil {
			return
		}
		for _, t := range s.Plan.Tasks {
			if f, ok := s.Found[t.Key]; ok && t.Status == TodoComplete {
				f.Queries = slices.Clone(f.Queries)
				for i := range f.Queries {
					f.Queries[i].Step = t.Key
				}
				if !yield(t.Key, f) {
					return
				}
			}
		}
	}
}

// words returns what the tasks say to the user that no other task builds on. Of one that says nothing, the result must do.
func (s *todoState) words() string {
	var said, others []string
	for key, f := range s.found() {
		switch t := s.plan().task(key); {
		case s.plan().used(key):
		case f.Text != "":
			said = append(said, f.Text)
		case t.Result.JSON != nil:
			others = append(others, t.Description+": "+prompt.Clip(string(t.Result.JSON), maxKnownText))
		default:
			others = append(others, t.Description+": done")
		}
	}
	if len(said) == 0 {
		said = others
	}
	if len(said) == 0 {
		return "Nothing was left to do."
	}
	return strings.Join(said, "\n\n")
}
