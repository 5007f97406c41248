package searchagent

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/query"
)

// written is what the model answers when it writes a search.
type written struct {
	Body   string   `json:"body" jsonschema:"description=the body of the search request\\, as JSON text; empty where the task cannot be done by searching"`
	Show   []string `json:"show,omitempty" jsonschema:"description=the fields that answer the question\\, most telling first"`
	Reason string   `json:"reason,omitempty" jsonschema:"description=why body is empty"`
}

// GenerateData is what the prompt for writing a search is given.
type GenerateData struct {
	Question string
	Task     string // of the plan
	Today    string
	One      bool // one document is looked for, which later steps need
	Size     int  // how many documents a search returns that does not say so
	Index    PromptIndex
	Earlier  []PromptStep // what earlier steps found

	Body     string          // what the model wrote last, where that cannot be used or found nothing
	Problems []PromptProblem // what is wrong with it
	Tries    []PromptTry     // what it wrote before that
	Empty    []string        // of a search that found nothing, what each of its conditions alone finds
}

// PromptStep is what an earlier step of the plan found.
type PromptStep struct {
	Task string

	Documents string // JSON, one a line: data; empty: there are none
	Shown     int    // how many Documents has
	Total     int64  // how many there are
	Cut       bool   // long values in them are cut

	Figures string // rows as JSON, one a line, the names of the columns first: data; empty: there are none
	Rows    int    // how many rows Figures has
	More    bool   // there are more
}

// PromptProblem is what is wrong with a search.
type PromptProblem struct {
	Path       string // a JSON Pointer into the body; empty: the whole
	Message    string
	Candidates []string
}

// PromptTry is a search that was given up, cut short.
type PromptTry struct{ Body, Reason string }

// write opens the steps that have all that they need, and has the model write their
// searches, and those again that cannot be used.
func (a *agent) write(ctx context.Context, s state) (state, error) {
	for i := range s.Steps {
		if s.ready(i) {
			s.Steps[i].Phase = writing
			qed.Emit(ctx, qed.TaskStarted{Key: s.Steps[i].Key, Description: s.Steps[i].Task})
		}
	}
	earlier := map[string]PromptStep{}
	for i := range s.Steps {
		if st := &s.Steps[i]; st.fruitful() && s.needed(st.Key) {
			told, err := a.tell(ctx, st)
			if err != nil {
				return s, err
			}
			earlier[st.Key] = told
		}
	}
	err := s.each(ctx, writing, func(ctx context.Context, st step) (step, error) {
		return a.writeStep(ctx, &s, st, earlier)
	})
	return s, err
}

func (a *agent) writeStep(ctx context.Context, s *state, st step, earlier map[string]PromptStep) (step, error) {
	index, err := a.describe(st.Index, s.Question+" "+st.Task, a.opt.MaxFields)
	if err != nil {
		return st, err
	}
	data := GenerateData{
		Question: s.Question,
		Task:     st.Task,
		Today:    today(ctx),
		One:      st.One && s.needed(st.Key),
		Size:     a.opt.Size,
		Index:    index,
		Body:     prompt.Clip(st.Body, maxBody),
		Empty:    st.Why,
	}
	for _, key := range st.After {
		told := earlier[key]
		data.Earlier = append(data.Earlier, told)
		st.missed(s.step(key), told)
	}
	for _, p := range st.Problems[:min(len(st.Problems), maxProblems)] {
		data.Problems = append(data.Problems, PromptProblem{p.Path, p.Message, p.Candidates})
	}
	if tried := st.Query.Corrections; len(tried) > 1 {
		for _, c := range tried[:len(tried)-1] {
			data.Tries = append(data.Tries, PromptTry{prompt.Clip(oneLine(c.Query), maxTry), prompt.Clip(oneLine(c.Reason), maxReason)})
		}
	}
	req, err := a.model.Request("generate", a.opt.Prompts.Generate, data, s.History)
	if err != nil {
		return st, err
	}
	w, err := asking.Object[written](ctx, a.model, &st.Usage, req)
	if err != nil && !asking.Unusable(err) {
		return st, err
	}
	body := bare(w.Body)
	switch {
	case body != "" && st.isNew(body):
		st.accept(ctx, body, w.Show)
	case err == nil && body != "":
		st.giveUp(ctx, "the model wrote the same search again")
	case err == nil && w.Reason != "":
		st.giveUp(ctx, "the model could not do it by searching: %s", strings.TrimRight(oneLine(prompt.Clip(w.Reason, maxReason)), ". "))
	default:
		st.giveUp(ctx, "the model wrote no search")
	}
	return st, nil
}

// missed notes that a step is written without all of what another one found.
func (st *step) missed(needs *step, told PromptStep) {
	switch {
	case told.Cut:
		st.note("its search was written from documents of step %s that are too long to be read in full", needs.Key)
	case told.Documents != "" && int64(told.Shown) < told.Total:
		st.note("its search was written from the first %d of %s documents of step %s", told.Shown, needs.total(), needs.Key)
	}
}

// isNew reports whether the model did not write that body before, and remembers it.
func (st *step) isNew(body string) bool {
	var folded bytes.Buffer
	if json.Compact(&folded, []byte(body)) != nil {
		folded.Reset()
		folded.WriteString(body)
	}
	if slices.Contains(st.Tried, folded.String()) {
		return false
	}
	st.Tried = append(st.Tried, folded.String())
	return true
}

// accept takes a body as what is to be checked and run.
func (st *step) accept(ctx context.Context, body string, show []string) {
	if len(st.Problems) > 0 {
		qed.Emit(ctx, qed.QueryCorrected{
			Attempt: len(st.Query.Corrections), Before: st.Body, After: body, Reason: say(st.Problems),
		})
	}
	st.Body, st.Problems, st.Show = body, nil, nil
	for _, field := range show {
		if len(st.Show) < maxShown && field != "" && len(field) <= maxField && !slices.Contains(st.Show, field) {
			st.Show = append(st.Show, field)
		}
	}
	st.Phase = searching
	qed.Emit(ctx, qed.QueryWritten{Language: query.Elasticsearch, Query: body, Attempt: len(st.Tried)})
}

const (
	maxBody  = 8000
	maxTry   = 500
	maxShown = 20
	maxField = 512
)

// bare takes off a code fence, which models like to put around JSON.
func bare(body string) string {
	body = strings.TrimSpace(body)
	if inner, ok := strings.CutPrefix(body, "```"); ok {
		inner = strings.TrimPrefix(inner, "json")
		body = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "```"))
	}
	return body
}
