package query

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed"
)

// A verdict is what a source says of a query. It has no error, as it is recorded.
type verdict struct {
	Query   string   `json:"query,omitempty"` // JSON, as it would be written to run again; empty: it is refused
	Code    string   `json:"code,omitempty"`
	Name    string   `json:"name,omitempty"`
	Message string   `json:"message,omitempty"`
	Maybe   []string `json:"maybe,omitempty"`
}

// check has a source check a query: it returns the query as it would be written to run
// again, or why it is refused. Both are recorded: where a run goes on and the source's
// rules have changed, the model is told what it was told before. Whoever runs the query
// has it checked again.
func check(ctx context.Context, source Source, q json.RawMessage) (json.RawMessage, *Refusal, error) {
	v, err := qed.Step(ctx, "check", [2]string{source.Name(), string(q)}, func(ctx context.Context) (verdict, error) {
		checked, err := source.Check(ctx, q)
		if refusal, ok := errors.AsType[*Refusal](err); ok {
			return verdict{Code: refusal.Code, Name: refusal.Name, Message: refusal.Message, Maybe: refusal.Candidates}, nil
		}
		if err != nil {
			return verdict{}, err
		}
		if !json.Valid(checked) {
			return verdict{}, errNoJSON
		}
		return verdict{Query: string(checked)}, nil
	})
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("source %s cannot check a query: %w", source.Name(), err)
	case v.Query == "":
		return nil, &Refusal{Code: v.Code, Name: v.Name, Message: v.Message, Candidates: v.Maybe}, nil
	}
	return json.RawMessage(v.Query), nil, nil
}

var errNoJSON = errors.New("what it returned is no JSON")

// refused tells of a query that its source refuses.
func refused(ctx context.Context, query string, r *Refusal) {
	qed.Emit(ctx, qed.QueryRefused{Query: query, Code: r.Code, Name: r.Name, Message: r.Message, Candidates: r.Candidates})
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
