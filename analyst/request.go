package analyst

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst/claims"
)

// A Request has the settings of one exploration.
type Request struct {
	// Description is what the user says about the data, instead of
	// [Data].Description. It is untrusted.
	Description string

	// MaxSteps lowers [Options].MaxSteps. It cannot raise it. 0 or less has no effect.
	MaxSteps int
}

type requestKey struct{}

// WithRequest returns a context with the settings of an exploration, for
// [Analyst.Run] and [Analyst.Describe].
func WithRequest(ctx context.Context, r Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

func requestOf(ctx context.Context) Request {
	r, _ := ctx.Value(requestKey{}).(Request)
	return r
}

// Describe returns what an exploration of the session knows at its start. It loads
// the data of the session.
func (a *Analyst) Describe(ctx context.Context, turn qed.Turn) (Overview, error) {
	var found Overview
	err := a.with(ctx, turn, func(ctx context.Context, d *data) (err error) {
		found, err = d.describe(ctx)
		return err
	})
	return found, err
}

// Rerun runs the queries and the checks of explorations again in the data of the session,
// and returns the explorations with their rows and verdicts. It is for explorations that a
// client sent: their rows, their verdicts and the data of their charts are not trusted.
//
// These are left out, with the reason in problems: a query or a check that fails or that
// the guard refuses, a chart whose spec is refused, what follows the first 100 queries,
// charts and checks, and what is not reached within [Options].Timeout.
func (a *Analyst) Rerun(
	ctx context.Context, turn qed.Turn, sent ...*Exploration,
) (again []*Exploration, problems []string, err error) {
	err = a.with(ctx, turn, func(ctx context.Context, d *data) error {
		r := rerun{ctx: ctx, data: d, left: maxRerun, checker: &explorer{Analyst: a, data: d, checks: claims.NewSession(ctx)}}
		facts, err := d.dataFacts(ctx)
		if err != nil {
			r.problems = append(r.problems, fmt.Sprintf("the table cannot be profiled: %v", err))
		}
		for i, e := range sent {
			r.number = i + 1
			again = append(again, r.exploration(e))
			again[i].Data = facts
		}
		r.adjust(again)
		problems = r.problems
		return nil
	})
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	return again, problems, err
}

// maxRerun is how many queries, charts and checks run again in a call.
const maxRerun = 100

// A rerun runs the queries of explorations again.
type rerun struct {
	*data
	ctx      context.Context
	left     int // queries, charts and checks that may still run
	number   int // of the exploration, from 1
	problems []string
	checker  *explorer
}

// adjust sets the verdicts, which depend on all checks.
func (r *rerun) adjust(all []*Exploration) {
	for _, report := range r.checker.checks.Reports() {
		for _, e := range all {
			for i, c := range e.Checks {
				if c.Finding == report.Finding {
					e.Checks[i].Report = *report
				}
			}
		}
	}
}

func (r *rerun) exploration(sent *Exploration) *Exploration {
	e := &Exploration{
		Status: complete, Question: sent.Question, Summary: sent.Summary, Insights: sent.Insights, Language: sent.Language,
		Partial: sent.Partial, ExecutedQueries: []ExecutedQuery{}, Checks: []Check{},
	}
	for i, q := range sent.ExecutedQueries {
		if r.full("queries", i, len(sent.ExecutedQueries)) {
			break
		}
		rows, _, err := r.read(r.ctx, q.Query)
		if err != nil {
			r.failed("query", i, err)
			continue
		}
		e.ExecutedQueries = append(e.ExecutedQueries, ExecutedQuery{q.Query, q.Reason, *rows})
	}
	for i, c := range sent.Charts {
		if r.full("charts", i, len(sent.Charts)) {
			break
		}
		spec, err := withoutData(c.Spec)
		if err != nil {
			r.failed("chart", i, err)
			continue
		}
		drawn, err := r.draw(r.ctx, chartArguments{ChartType: c.ChartType, Spec: spec, SQLQuery: c.SQLQuery, Title: c.Title}, sent.language())
		if err != nil {
			r.failed("chart", i, err)
			continue
		}
		e.Charts = append(e.Charts, Chart{chartID(len(e.Charts)), c.ChartType, drawn.JSON, c.Title, c.SQLQuery, drawn.Notes})
	}
	r.checker.language = sent.language()
	for i, c := range sent.Checks {
		if r.full("checks", i, len(sent.Checks)) {
			break
		}
		out, err := r.checker.validate(r.ctx, validateArguments{Finding: c.Finding, RelatedQuery: c.Query, Claim: c.Claim})
		if err == nil && !out.Success {
			err = errors.New(out.Error)
		}
		if err != nil {
			r.failed("check", i, err)
			continue
		}
		e.Checks = append(e.Checks, Check{*out.Report, c.Query})
	}
	return e
}

// full reports whether item i of n cannot run, because a limit is reached. If so, it
// records the problem of this item and those that follow.
func (r *rerun) full(what string, i, n int) bool {
	if r.left > 0 && r.ctx.Err() == nil {
		r.left--
		return false
	}
	reason := fmt.Sprintf("at most %d queries, charts and checks run again", maxRerun)
	if r.ctx.Err() != nil {
		reason = "there was no time left"
	}
	r.problems = append(r.problems, fmt.Sprintf("exploration %d, %s %d to %d: %s", r.number, what, i+1, n, reason))
	return true
}

func (r *rerun) failed(what string, i int, err error) {
	r.problems = append(r.problems, fmt.Sprintf("exploration %d, %s %d: %v", r.number, what, i+1, err))
}

// with calls f with the data of a session, as a turn does. The context of f ends after
// the time of a turn.
func (a *Analyst) with(ctx context.Context, turn qed.Turn, f func(context.Context, *data) error) error {
	release, err := a.admit(turn)
	if err != nil {
		return err
	}
	defer release()
	ctx, cancel := context.WithTimeout(ctx, a.opt.Timeout)
	defer cancel()
	d, leave, err := a.enter(ctx, turn)
	if err != nil {
		return err
	}
	defer leave()
	return f(ctx, d)
}

// ownKeys are the members of a spec that this package and package chart/lint add.
var ownKeys = []string{"$schema", "data", "datasets", "config", "title", "width", "height"}

// withoutData returns a spec as a model writes it.
func withoutData(spec json.RawMessage) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(spec, &members); err != nil || members == nil {
		return nil, errors.New("the spec is not a JSON object")
	}
	for _, key := range ownKeys {
		delete(members, key)
	}
	return json.Marshal(members)
}
