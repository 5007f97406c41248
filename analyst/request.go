package analyst

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/qedkit/qed"
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
	err := a.with(ctx, turn, func(d *data) (err error) {
		found, err = d.describe(ctx)
		return err
	})
	return found, err
}

// Rerun runs the queries of an exploration again in the data of the session, and
// returns the exploration with their rows. It is for an exploration that a client
// sent: its rows, its checks and the data of its charts are not trusted. A query that
// the guard refuses or that fails is left out, and so is a chart whose spec is
// refused; problems has the reasons.
func (a *Analyst) Rerun(ctx context.Context, turn qed.Turn, sent *Exploration) (e *Exploration, problems []string, err error) {
	e = &Exploration{
		Status: complete, Question: sent.Question, Summary: sent.Summary, Insights: sent.Insights, Language: sent.Language,
		ExecutedQueries: []ExecutedQuery{},
	}
	err = a.with(ctx, turn, func(d *data) error {
		for i, q := range sent.ExecutedQueries[:min(len(sent.ExecutedQueries), maxRerun)] {
			rows, _, err := d.read(ctx, q.Query)
			if ctx.Err() != nil {
				return err
			}
			if err != nil {
				problems = append(problems, fmt.Sprintf("query %d: %v", i+1, err))
				continue
			}
			e.ExecutedQueries = append(e.ExecutedQueries, ExecutedQuery{q.Query, q.Reason, *rows})
		}
		for i, c := range sent.Charts[:min(len(sent.Charts), maxRerun)] {
			spec, err := withoutData(c.Spec)
			if err == nil {
				drawn, drawErr := d.draw(ctx, chartArguments{ChartType: c.ChartType, Spec: spec, SQLQuery: c.SQLQuery, Title: c.Title})
				if err = drawErr; err == nil {
					e.Charts = append(e.Charts, Chart{chartID(len(e.Charts)), c.ChartType, drawn.JSON, c.Title, c.SQLQuery})
				}
			}
			if ctx.Err() != nil {
				return err
			}
			if err != nil {
				problems = append(problems, fmt.Sprintf("chart %d: %v", i+1, err))
			}
		}
		if n := len(sent.ExecutedQueries); n > maxRerun {
			problems = append(problems, fmt.Sprintf("queries %d to %d: only the first %d run again", maxRerun+1, n, maxRerun))
		}
		if n := len(sent.Charts); n > maxRerun {
			problems = append(problems, fmt.Sprintf("charts %d to %d: only the first %d are drawn again", maxRerun+1, n, maxRerun))
		}
		return nil
	})
	return e, problems, err
}

// maxRerun is how many queries and charts of an exploration run again.
const maxRerun = 50

// with calls f with the data of a session, as a turn does.
func (a *Analyst) with(ctx context.Context, turn qed.Turn, f func(*data) error) error {
	release, err := a.admit(turn)
	if err != nil {
		return err
	}
	defer release()
	d, leave, err := a.enter(ctx, turn)
	if err != nil {
		return err
	}
	defer leave()
	return f(d)
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
