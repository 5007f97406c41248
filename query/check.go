package query

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/refusal"
)

// A verdict is the result of a check. Problems are part of it and not an error,
// because it is recorded.
type verdict struct {
	Query    string            `json:"query,omitempty"` // JSON; empty if the query is refused
	Problems []refusal.Problem `json:"problems,omitempty"`
}

// check has a source check a query. It returns the query in the form in which it
// can be run again, or the problems for which it is refused. The result is
// recorded: if the rules of the source change while a run is interrupted, the
// resumed run sees what it saw before. The query is checked again when it runs.
func check(ctx context.Context, source Source, q json.RawMessage) (json.RawMessage, []refusal.Problem, error) {
	v, err := qed.Step(ctx, "check", [2]string{source.Name(), string(q)}, func(ctx context.Context) (verdict, error) {
		checked, err := source.Check(ctx, q)
		if refused, ok := errors.AsType[*refusal.Error](err); ok {
			return verdict{Problems: refused.Problems}, nil
		}
		if err != nil {
			return verdict{}, err
		}
		if !json.Valid(checked) {
			return verdict{}, errNoJSON
		}
		return verdict{Query: string(checked)}, nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("source %s cannot check a query: %w", source.Name(), err)
	}
	if len(v.Problems) > 0 {
		return nil, v.Problems, nil
	}
	return json.RawMessage(v.Query), nil, nil
}

var errNoJSON = errors.New("the query that it returned is not JSON")
