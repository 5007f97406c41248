package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/drafts"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/refusal"
)

// written is a reply of the model.
type written struct {
	Query       string   `json:"query" jsonschema_description:"the query as text; empty if there is a question, or if it cannot be written"`
	Explanation string   `json:"explanation,omitempty" jsonschema_description:"what the query finds and what was assumed, or why it cannot be written"`
	Question    string   `json:"question,omitempty" jsonschema_description:"a question to the user, if the request has two meanings"`
	Options     []string `json:"options,omitempty" jsonschema_description:"the meanings that the user can choose from"`

	Periods []dates.Period `json:"periods,omitempty" jsonschema_description:"the times that the request names, as the query reads them"`
}

// A drafting is one call of the tool query_builder.
type drafting struct {
	*builder
	source Source
	data   promptData
	draft  drafts.Draft
}

// write has the model write the query until the source accepts it, and puts it
// into out.
func (d *drafting) write(ctx context.Context, out *built) error {
	for {
		reply, err := d.ask(ctx)
		if err != nil {
			return err
		}
		if reply.Question != "" && !d.data.CannotAsk {
			again, err := d.interrupt(ctx, reply)
			if err != nil {
				return err
			}
			if again {
				continue
			}
		}
		query := drafts.Bare(reply.Query)
		switch {
		case query == "":
			return d.failed("the model wrote no query", reply.Explanation, reply.Question)
		case !d.draft.Write(ctx, d.source.Language(), query):
			return d.failed("the model wrote the same query again")
		}
		checked, problems, err := check(ctx, d.source, value(query))
		if err != nil {
			return err
		}
		if len(problems) == 0 {
			out.Query = checked
			if err := d.readTimes(ctx, out, answertext.Periods(reply.Periods)); err != nil {
				return err
			}
			out.Reason = prompt.Clip(strings.TrimSpace(reply.Explanation), maxReason)
			for _, c := range d.draft.Corrections {
				out.Corrections = append(out.Corrections, qed.Correction{
					Query: prompt.Clip(c.Query, maxKept), Reason: prompt.Clip(c.Reason, maxReason),
				})
			}
			return nil
		}
		d.draft.Refuse(ctx, problems)
		if d.draft.Refused > maxCorrections {
			return d.failed(fmt.Sprintf("none of %d queries can be used", d.draft.Refused))
		}
	}
}

// readTimes compares the times that the query reads with those of the request, if
// the source knows them.
func (d *drafting) readTimes(ctx context.Context, out *built, periods []dates.Period) error {
	source, ok := d.source.(Timed)
	if !ok {
		return nil
	}
	times, err := source.Times(ctx, out.Query)
	if err != nil {
		return fmt.Errorf("source %s: %w", source.Name(), err)
	}
	facts := d.data.Dates
	out.Dates = facts.Compare(periods, times.Bounds, times.Complete)
	texts := textsOf(ctx)
	out.Partial = answertext.Dates(out.Dates, "", texts.DatesDiffer, "").Text
	if !times.Looks && (len(periods) > 0 || facts.NamesTime()) {
		out.Partial = texts.NoTime
	}
	return nil
}

// ask has the model write once.
func (d *drafting) ask(ctx context.Context) (written, error) {
	d.data.Query = prompt.Clip(d.draft.Query, maxDataBytes)
	d.data.Problems = d.draft.ProblemLines()
	d.data.Earlier = d.draft.Earlier(drafts.MaxEarlier)
	data := d.data // the prompt may be shortened, for this request alone
	reply, err := modelcall.Reply[written](ctx, d.model, builderName, buildPrompt, &data, nil)
	if modelcall.Unusable(err) && len(d.draft.Problems) > 0 {
		return written{}, d.failed("the model could not correct the query")
	}
	return reply, err
}

// interrupt asks the user the question of the model, and reports whether the
// model has to write again: with the reply, or without one if the run cannot be
// interrupted.
func (d *drafting) interrupt(ctx context.Context, asked written) (again bool, err error) {
	q := question.Question{Text: prompt.Clip(strings.TrimSpace(asked.Question), maxQuestion)}
	for _, choice := range asked.Options {
		choice = prompt.Clip(prompt.OneLine(choice), maxChoice)
		repeated := slices.ContainsFunc(q.Choices, func(c question.Choice) bool { return c.Text == choice })
		if choice != "" && !repeated && len(q.Choices) < maxChoices {
			q.Choices = append(q.Choices, question.Choice{Text: choice})
		}
	}
	if len(q.Choices) < 2 {
		q.Choices = nil
	}
	if q.Text == "" {
		return false, nil
	}
	reply, err := qed.Interrupt[string](ctx, q)
	if errors.Is(err, qed.ErrCannotInterrupt) {
		d.data.CannotAsk = true
		return asked.Query == "", nil
	}
	if err != nil {
		return false, err
	}
	d.data.Replies = append(d.data.Replies, promptReply{Question: q.Text, Reply: prompt.Clip(reply, maxDataBytes)})
	d.data.CannotAsk = len(d.data.Replies) >= maxQuestions
	return true, nil
}

// failed returns the error of a call without a query: the reasons and the last
// problems.
func (d *drafting) failed(reasons ...string) error {
	text := fmt.Sprintf("no %s query for source %s", d.source.Language(), d.source.Name())
	for _, reason := range reasons {
		if reason = prompt.OneLine(reason); reason != "" {
			text += ": " + prompt.Clip(reason, maxReason)
		}
	}
	if len(d.draft.Problems) > 0 {
		return fmt.Errorf("%s; the last one was refused: %w", text, &refusal.Error{Problems: d.draft.Problems})
	}
	return errors.New(text)
}

const (
	maxQuestion = 1000
	maxChoice   = 200
	maxChoices  = 10
	maxReason   = 1000
	maxKept     = 4000 // bytes of a query in the corrections of a result
)
