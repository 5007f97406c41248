package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

// written is what the model answers.
type written struct {
	Query       string   `json:"query" jsonschema_description:"the query as text; empty where there is a question, or it cannot be written"`
	Explanation string   `json:"explanation,omitempty" jsonschema_description:"what the query finds and what was assumed, or why it cannot be written"`
	Question    string   `json:"question,omitempty" jsonschema_description:"what to ask the user, where the request can be read in two ways"`
	Options     []string `json:"options,omitempty" jsonschema_description:"the readings that he may choose from"`
}

// A writing is one call of the tool.
type writing struct {
	*builder
	source Source
	data   PromptData
	result built

	attempts int
	before   string // the query that was refused last
	refusal  *Refusal
	tried    []string
}

// write has the model write the query until the source takes it.
func (w *writing) write(ctx context.Context) error {
	for {
		reply, err := w.ask(ctx)
		if err != nil {
			return err
		}
		if reply.Question != "" && !w.data.Mute {
			again, err := w.clarify(ctx, reply)
			if err != nil {
				return err
			}
			if again {
				continue
			}
		}
		query := bare(reply.Query)
		switch {
		case query == "":
			return w.failed("the model wrote none", reply.Explanation, reply.Question)
		case slices.Contains(w.tried, query):
			return w.failed("the model wrote the same query again")
		}
		w.announce(ctx, query)
		checked, refusal, err := check(ctx, w.source, value(query))
		if err != nil {
			return err
		}
		if refusal == nil {
			w.result.Query = checked
			w.result.Reason = prompt.Clip(strings.TrimSpace(reply.Explanation), maxReason)
			return nil
		}
		w.refuse(ctx, query, refusal)
		if n := len(w.result.Corrections); n > w.opt.MaxCorrections {
			return w.failed(fmt.Sprintf("none of %d could be used", n))
		}
	}
}

// ask has the model write once.
func (w *writing) ask(ctx context.Context) (written, error) {
	req, err := w.model.Request(builderName, w.opt.Prompt, w.data, nil)
	if err != nil {
		return written{}, err
	}
	reply, err := asking.Object[written](ctx, w.model, new(llm.Usage), req)
	if asking.Unusable(err) && w.refusal != nil {
		return written{}, w.failed("the model could not correct it")
	}
	return reply, err
}

// clarify asks the user what the model wants to know, and reports whether the model is to
// write again: with the reply, or without one where nobody can be asked.
func (w *writing) clarify(ctx context.Context, asked written) (again bool, err error) {
	q := qed.Question{Text: prompt.Clip(strings.TrimSpace(asked.Question), maxQuestion)}
	for _, option := range asked.Options {
		option = prompt.Clip(strings.Join(strings.Fields(option), " "), maxOption)
		taken := slices.ContainsFunc(q.Choices, func(o qed.Choice) bool { return o.Text == option })
		if option != "" && !taken && len(q.Choices) < maxOptions {
			q.Choices = append(q.Choices, qed.Choice{Text: option})
		}
	}
	if len(q.Choices) < 2 {
		q.Choices = nil
	}
	if q.Text == "" {
		return false, nil
	}
	reply, err := qed.Interrupt[string](ctx, q)
	switch {
	case errors.Is(err, qed.ErrCannotInterrupt):
		w.data.Mute = true
		return asked.Query == "", nil
	case err != nil:
		return false, err
	}
	w.data.Replies = append(w.data.Replies, PromptReply{q.Text, prompt.Clip(reply, w.opt.MaxDataBytes)})
	w.data.Mute = len(w.data.Replies) >= w.opt.MaxQuestions
	return true, nil
}

const (
	maxQuestion = 1000
	maxOption   = 200
	maxOptions  = 10
)

// announce tells of a query before it is checked.
func (w *writing) announce(ctx context.Context, query string) {
	w.attempts++
	w.tried = append(w.tried, query)
	qed.Emit(ctx, qed.QueryWritten{Language: w.source.Language(), Query: query, Attempt: w.attempts})
	if w.refusal != nil {
		qed.Emit(ctx, qed.QueryCorrected{Attempt: w.attempts - 1, Before: w.before, After: query, Reason: w.refusal.Error()})
	}
}

// refuse takes down why a query cannot be used, for the model and for the result.
func (w *writing) refuse(ctx context.Context, query string, r *Refusal) {
	refused(ctx, query, r)
	if w.refusal != nil {
		w.data.Tries = append(w.data.Tries, PromptTry{
			prompt.Clip(oneLine(w.before), maxTry), prompt.Clip(oneLine(w.refusal.Error()), maxReason),
		})
	}
	w.before, w.refusal = query, r
	w.data.Query = prompt.Clip(query, w.opt.MaxDataBytes)
	w.data.Problem = prompt.Clip(r.Message, maxProblem)
	w.data.Candidates = nil
	for _, c := range r.Candidates[:min(len(r.Candidates), maxCandidates)] {
		w.data.Candidates = append(w.data.Candidates, prompt.Clip(c, maxName))
	}
	w.result.Corrections = append(w.result.Corrections, qed.Correction{
		Query: prompt.Clip(query, maxKept), Reason: prompt.Clip(r.Error(), maxReason),
	})
}

const (
	maxReason     = 1000
	maxProblem    = 4000
	maxTry        = 500
	maxKept       = 4000 // of a query in the result
	maxCandidates = 10
)

// failed is the error of a call that comes to no query: why, and the last problem.
func (w *writing) failed(why ...string) error {
	text := fmt.Sprintf("no %s query for source %s", w.source.Language(), w.source.Name())
	for _, part := range why {
		if part = strings.TrimSpace(part); part != "" {
			text += ": " + prompt.Clip(oneLine(part), maxReason)
		}
	}
	if w.refusal != nil {
		return fmt.Errorf("%s; the last one was refused: %w", text, w.refusal)
	}
	return errors.New(text)
}
