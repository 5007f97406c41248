package searchagent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/query"
)

// AnswerData is what the prompt for putting what was found into words is given.
type AnswerData struct {
	Question string
	Today    string
	Found    []PromptStep // of the steps that no other one needs, or of the last that found something
	Looser   []string     // what was found only by another search than the first, which found nothing
	Chosen   []string     // what the user chose where several documents were found
	Missing  []string     // what was not found or not done, and why
}

// answer puts what was found into words, as they stream from the model. Where nothing
// ran, it says why; where only the words fail, the documents still stand.
func (a *agent) answer(ctx context.Context, s state) (state, error) {
	spent := qed.BudgetExceeded(ctx)
	if spent != nil {
		s.Reason = spent.Error()
	}
	if !s.ran() {
		s.explain(ctx)
		return s, nil
	}
	data := AnswerData{Question: s.Question, Today: today(ctx), Missing: s.missing()}
	for i := range s.Steps {
		st := &s.Steps[i]
		if st.Chosen != "" {
			data.Chosen = append(data.Chosen, st.Task+": "+st.Chosen)
		}
		if st.Relaxed && st.fruitful() {
			data.Looser = append(data.Looser, st.Task+": "+prompt.Clip(st.Query.Written, maxTry))
		}
		if !st.fruitful() || s.needed(st.Key) && s.main() >= 0 {
			continue
		}
		told, err := a.tell(ctx, st)
		if err != nil {
			return s, err
		}
		told.Total = st.Total
		data.Found = append(data.Found, told)
	}
	req, err := a.model.Request("answer", a.opt.Prompts.Answer, data, s.History)
	if err != nil {
		return s, err
	}
	s.Text, err = a.model.Text(ctx, &s.Usage, req, func(text string) { qed.EmitText(ctx, text) })
	switch {
	case errors.Is(err, qed.ErrBudget) && spent != nil:
		s.Reason = "the search was made, but not put into words: " + err.Error()
	case err != nil && !asking.Unusable(err):
		return s, err
	case strings.TrimSpace(s.Text) == "":
		s.Reason = join(s.Reason, "the search was made, but the model did not put it into words")
	case err != nil:
		s.Reason = join(s.Reason, "the search was made, but the model broke off while it put it into words")
	}
	if strings.TrimSpace(s.Text) == "" {
		s.explain(ctx)
	}
	return s, nil
}

// explain says what there is in words of the program's own.
func (s *state) explain(ctx context.Context) {
	why := strings.TrimRight(s.reason(), ". ") + "."
	switch i := s.main(); {
	case i >= 0:
		s.Text = "I found " + s.Steps[i].total() + " documents; but " + why
	case s.Declined:
		s.Text = why
	default:
		s.Text = "I could not answer this: " + why
	}
	qed.EmitText(ctx, s.Text)
}

// ran reports whether any search ran.
func (s *state) ran() bool {
	return slices.ContainsFunc(s.Steps, func(st step) bool { return st.Query.Executed != "" })
}

// missing says, a line each, what was not found or not done, and why.
func (s *state) missing() []string {
	var lines []string
	for i := range s.Steps {
		st := &s.Steps[i]
		task := "step " + st.Key + " (" + st.Task + ")"
		switch {
		case st.Phase == failed:
			lines = append(lines, task+": "+st.Failure)
		case st.Phase == done && st.Table == nil:
			line := task + ": nothing was found"
			if len(st.Why) > 0 {
				line += " (" + strings.Join(st.Why, "; ") + ")"
			}
			lines = append(lines, line)
		case st.Phase == waiting && s.hopeless(st):
			lines = append(lines, task+" was not done, as what it needs was not found")
		case st.Phase != done:
			lines = append(lines, task+" was not done")
		}
		if st.Rest && !s.needed(st.Key) {
			line := fmt.Sprintf("%s: only the first %d of %s documents were read", task, st.Query.Rows, st.total())
			if st.RestWhy != "" {
				line += " (" + st.RestWhy + ")"
			}
			lines = append(lines, line)
		}
		for _, note := range st.Notes {
			lines = append(lines, task+": "+note)
		}
	}
	return lines
}

// hopeless reports whether a step waits for what will not come.
func (s *state) hopeless(st *step) bool {
	return slices.ContainsFunc(st.After, func(key string) bool {
		needs := s.step(key)
		return needs == nil || needs.Phase == failed || needs.Phase == done && needs.Table == nil || needs.Phase == waiting
	})
}

// reason says why the answer is not all that was asked for; empty: it is.
func (s *state) reason() string {
	return join(append([]string{s.Reason}, s.missing()...)...)
}

func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "; ")
}

// finish is the answer that a turn ends with.
func (a *agent) finish(ctx context.Context, s state) (qed.Answer, error) {
	reason := s.reason()
	answer := qed.Answer{Text: s.Text, Partial: reason != "", PartialReason: reason, Usage: s.Usage}
	for i := range s.Steps {
		st := &s.Steps[i]
		answer.Usage.Add(st.Usage)
		if q := st.Query; q.Executed != "" || len(q.Corrections) > 0 {
			if q.Executed == "" {
				q.Language, q.Task, q.Index, q.Written = query.Elasticsearch, st.Key, st.Index, st.Body
			}
			answer.Queries = append(answer.Queries, q)
		}
	}
	if i := s.main(); i >= 0 {
		var err error
		if answer.Table, err = s.Steps[i].rows(ctx); err != nil {
			return qed.Answer{}, err
		}
	}
	var err error
	answer.Citations, err = a.sources(ctx, &s)
	return answer, err
}

// sources names the documents that the answer rests on: those of the last steps first.
func (a *agent) sources(ctx context.Context, s *state) ([]qed.Citation, error) {
	var sources []qed.Citation
	for _, st := range slices.Backward(s.Steps) {
		if !st.fruitful() {
			continue
		}
		docs, err := st.Found.documents(ctx)
		if err != nil {
			return nil, err
		}
		for _, d := range docs {
			source := qed.Citation{Title: d.title(), Location: d.Index + "/" + d.ID}
			if len(sources) < a.opt.MaxSources && !slices.Contains(sources, source) {
				sources = append(sources, source)
			}
		}
	}
	return sources, nil
}

// title is the name by which people know a document, or else its id.
func (d document) title() string {
	all := leaves(decoded(d.Source))
	best := ""
	for path := range all {
		if r := rank(path); r < len(titles) && (best == "" || r < rank(best) || r == rank(best) && path < best) {
			best = path
		}
	}
	if best == "" {
		return d.ID
	}
	return shown(all[best])
}

// salvage makes an answer of a turn that nobody can go on with: of the steps that ran.
// A turn in which none did ends with its error.
func (a *agent) salvage(ctx context.Context, s state, err error) (qed.Answer, error) {
	if !s.ran() {
		return qed.Answer{}, err
	}
	s.Reason = join(s.Reason, "it went no further, as "+cause(err))
	s.explain(ctx)
	return a.finish(ctx, s)
}

// cause says for a user what ended a turn.
func cause(err error) string {
	var engine *esquery.EngineError
	var model *llm.Error
	switch {
	case errors.As(err, &engine):
		return "the search engine failed: " + string(engine.Kind)
	case errors.As(err, &model):
		return "the model failed: " + string(model.Kind)
	}
	return "it failed: " + err.Error()
}
