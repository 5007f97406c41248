package searchagent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/figures"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/query"
)

// answerData is the data of the prompt for answering from what was found.
type answerData struct {
	Question string
	Language string // of the answer, such as "de"; empty: that of the question
	Dates    dates.Facts
	Syntax   string       // how to refer to a value of Figures: [figures.Syntax]; empty if nothing in Found has them
	Found    []promptTask // of the tasks that no other task needs, or of the last with a result
	Looser   []string     // tasks whose first search found nothing, with the search that did
	Chosen   []string     // tasks with several documents, with the user's choice
	Missing  []string     // what was not found or not done, and why
}

// answer is the last node: the model answers from what was found, and its text is
// streamed. If nothing ran, the text says why. If the model fails, the documents are
// still part of the answer.
func (a *agent) answer(ctx context.Context, s state) (state, error) {
	exceeded := qed.BudgetExceeded(ctx)
	texts := a.reader.texts(ctx)
	// A budget that is used up when all tasks have ended costs nothing of the answer.
	if exceeded != nil && (len(s.Tasks) == 0 || next(s) != "answer") {
		s.Reason = texts.Limit
	}
	if !s.ran() {
		s.explain(ctx, texts)
		return s, nil
	}
	facts, err := qed.Dates(ctx, s.Question)
	if err != nil {
		return s, err
	}
	data := answerData{Question: s.Question, Language: answertext.Tag(ctx), Dates: facts, Missing: s.missing()}
	source := figures.Source{
		Language: answertext.Language(ctx, s.Question),
		Data:     append(answertext.Said(s.Question, s.History), facts.String(), data.Missing),
	}
	queries := 0
	for i := range s.Tasks {
		t := &s.Tasks[i]
		query := -1
		if t.isProof() {
			query = queries
			queries++
		}
		if t.Chosen != "" {
			data.Chosen = append(data.Chosen, t.Description+": "+t.Chosen)
		}
		if t.Relaxed && t.hasResult() {
			data.Looser = append(data.Looser, t.Description+": "+prompt.Clip(t.Query.Written, maxField))
		}
		if !t.hasResult() || s.needed(t.Key) && s.main() >= 0 {
			continue
		}
		result, docs, rows, err := a.describeResult(ctx, t)
		if err != nil {
			return s, err
		}
		result.Total = t.Total
		data.Found = append(data.Found, result)
		source.Data = append(source.Data, t.Total, result.Shown, docs, t.Query.Written)
		if rows != nil {
			data.Syntax = figures.Syntax
			source.Tables = append(source.Tables, figures.Table{Name: t.Key, Rows: *rows, Query: query})
		}
	}
	req, err := a.model.Request("answer", a.prompts["answer"], &data, s.History)
	if err != nil {
		return s, err
	}
	result, err := answertext.Text(ctx, a.model, req, source, answertext.Stream(ctx, qed.ChannelFinal))
	s.Text, s.Stated, s.Unproved = result.Text, result.Figures, result.Unproved
	switch {
	case errors.Is(err, budget.ErrExceeded) && exceeded != nil:
		s.Reason = texts.NotInWords
	case err != nil && !modelcall.Unusable(err):
		return s, err
	case strings.TrimSpace(s.Text) == "" && s.main() < 0 && s.reason(texts) == "": // nothing was found
	case strings.TrimSpace(s.Text) == "":
		s.because(texts.NotInWords)
	case err != nil:
		s.because(texts.CutOff)
	}
	if strings.TrimSpace(s.Text) == "" {
		s.explain(ctx, texts)
	}
	if doubt := answertext.Doubt(texts.Unproved, s.Unproved); doubt != "" {
		s.because(doubt)
		answertext.Append(ctx, &s.Text, doubt)
	}
	s.noteDates(ctx, facts, texts)
	return s, nil
}

// because adds a reason why the answer is partial.
func (s *state) because(reason string) { s.Reason = strings.TrimSpace(s.Reason + " " + reason) }

// explain writes a text without the model.
func (s *state) explain(ctx context.Context, texts *texts) {
	why := s.reason(texts)
	switch i := s.main(); {
	case i >= 0:
		s.Text = usertext.Fill(texts.FoundBut, "total", s.Tasks[i].totalText(texts), "reason", why)
	case s.Declined:
		s.Text = why
	case why == "":
		var lines []string
		for i := range s.Tasks {
			if s.Tasks[i].foundNothing() {
				lines = append(lines, s.Tasks[i].step(texts.StepNothing))
			}
		}
		s.Text = strings.Join(lines, " ")
	default:
		s.Text = usertext.Fill(texts.NoAnswer, "reason", why)
	}
	qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: s.Text})
}

// ran reports whether any search ran.
func (s *state) ran() bool {
	return slices.ContainsFunc(s.Tasks, func(t task) bool { return t.Query.Executed != "" })
}

// missing returns for the model what was not found or not done, and why, one line
// each.
func (s *state) missing() []string {
	var lines []string
	for i := range s.Tasks {
		t := &s.Tasks[i]
		task := "step " + t.Key + " (" + t.Description + ")"
		switch {
		case t.Phase == failed:
			lines = append(lines, task+": "+t.Failure)
		case t.foundNothing():
			line := task + ": nothing was found"
			if len(t.Why) > 0 {
				line += " (" + strings.Join(t.Why, "; ") + ")"
			}
			lines = append(lines, line)
		case t.Phase == waiting && s.hopeless(t):
			lines = append(lines, task+" was not done, because what it needs was not found")
		case t.Phase != done:
			lines = append(lines, task+" was not done")
		}
		if t.Rest && !s.needed(t.Key) {
			line := fmt.Sprintf("%s: only the first %d of %s documents were read", task, t.Query.Rows, t.total())
			if t.RestWhy != "" {
				line += " (" + t.RestWhy + ")"
			}
			lines = append(lines, line)
		}
		if t.Rough != "" {
			lines = append(lines, task+": "+t.Rough)
		}
		lines = append(lines, lists.Map(t.Notes, func(note string) string { return task + ": " + note })...)
	}
	return lines
}

// hopeless reports whether a task waits for a result that will not come.
func (s *state) hopeless(t *task) bool {
	return slices.ContainsFunc(t.After, func(key string) bool {
		needs := s.task(key)
		return needs == nil || needs.Phase == failed || needs.foundNothing() || needs.Phase == waiting
	})
}

// finish returns the answer of a turn.
func (a *agent) finish(ctx context.Context, s state) (qed.Answer, error) {
	reason := s.reason(a.reader.texts(ctx))
	answer := qed.Answer{
		Text: s.Text, Dates: s.Dates, Figures: s.Stated, Unproved: s.Unproved,
		Partial: reason != "", PartialReason: reason,
	}
	for i := range s.Tasks {
		t := &s.Tasks[i]
		planned := t.planTask()
		switch planned.Status = qed.TodoPending; t.Phase {
		case done:
			planned.Status = qed.TodoComplete
		case failed:
			planned.Status = qed.TodoFailed
		}
		answer.Plan = append(answer.Plan, planned)
		if q := t.Query; t.isProof() {
			if q.Executed == "" {
				q.Language, q.Task, q.Index, q.Written = query.Elasticsearch, t.Key, t.Index, t.Draft.Query
			}
			q.Corrections = t.Draft.Corrections
			answer.Queries = append(answer.Queries, q)
		}
	}
	if i := s.main(); i >= 0 {
		var err error
		if answer.Table, err = s.Tasks[i].rows(ctx); err != nil {
			return qed.Answer{}, err
		}
	}
	var err error
	if answer.Citations, err = citations(ctx, &s); err != nil {
		return qed.Answer{}, err
	}
	answer.Documents, err = a.documents(ctx, &s)
	return answer, err
}

// isProof reports whether the search of a task is among the Queries of the answer.
func (t *task) isProof() bool { return t.Query.Executed != "" || len(t.Draft.Corrections) > 0 }

// citations returns the documents that the answer is based on, those of the last
// tasks first.
func citations(ctx context.Context, s *state) ([]qed.Citation, error) {
	var cited []qed.Citation
	err := s.eachFound(ctx, func(d document) bool {
		c := qed.Citation{Title: d.title(), Location: d.Index + "/" + d.ID}
		cited = lists.Add(cited, c)
		return len(cited) < maxCitations
	})
	return cited, err
}

// eachFound calls use with the documents that the tasks found, those of the last tasks
// first, until use returns false.
func (s *state) eachFound(ctx context.Context, use func(d document) bool) error {
	for _, t := range slices.Backward(s.Tasks) {
		if !t.hasResult() {
			continue
		}
		docs, err := t.Found.documents(ctx)
		if err != nil {
			return err
		}
		for _, d := range docs {
			if !use(d) {
				return nil
			}
		}
	}
	return nil
}

// documents returns whole documents, up to MaxDocumentBytes in all, those of the last
// tasks first.
func (a *agent) documents(ctx context.Context, s *state) (all []qed.Document, err error) {
	left := a.opt.MaxDocumentBytes
	err = s.eachFound(ctx, func(d document) bool {
		if left -= len(d.Source) + len(d.Index) + len(d.ID); left < 0 {
			return false
		}
		all = append(all, qed.Document{Index: d.Index, ID: d.ID, Source: d.Source})
		return true
	})
	return all, err
}

// title returns the name of a document for people, or its id.
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

// An engineFailure is the error of a turn whose search engine failed, with the text for
// the user.
type engineFailure struct {
	error
	text string
}

func (e *engineFailure) Unwrap() error    { return e.error }
func (e *engineFailure) UserText() string { return e.text }

// salvage returns an answer from the tasks that ran, for a failed turn that cannot be
// resumed. If no task ran, it returns the error of the turn.
func (a *agent) salvage(ctx context.Context, s state, err error) (qed.Answer, error) {
	texts := a.reader.texts(ctx)
	why := texts.BrokeOff
	failure, ofEngine := errors.AsType[*esquery.EngineError](err)
	switch {
	case ofEngine && failure.Kind == esquery.ErrNotFound:
		why = usertext.Fill(texts.IndexGone, "index", failure.Index)
	case ofEngine:
		why = texts.EngineFailed
	}
	switch {
	case !s.ran() && ofEngine:
		return qed.Answer{}, &engineFailure{err, why}
	case !s.ran():
		return qed.Answer{}, err
	case next(s) == "answer":
		why = texts.NotInWords
	}
	s.because(why)
	s.explain(ctx, texts)
	return a.finish(ctx, s)
}
